//! Starts the database to be measured, or connects to it.

use idgen_record::{Database, Workload};
use idgen_server::Server;

use super::{Engine, Mysql, Postgres, Sqlite, host};
use crate::{Error, Result};

/// Starts a database that only the lab uses, for this load.
///
/// # Errors
/// No server can be started, or it cannot be measured: the message says what is missing.
pub fn start(database: Database, load: &Workload) -> Result<Box<dyn Engine>> {
    Ok(match database {
        Database::Sqlite => Box::new(Sqlite::new()?),
        Database::Postgres => Box::new(Postgres::start(load)?),
        Database::MySql | Database::MariaDb => Box::new(Mysql::start(database, load)?),
    })
}

/// Starts a server of MariaDB that keeps the rows in LSM trees, for this load.
///
/// # Errors
/// No server can be started, or it has no MyRocks.
pub fn start_myrocks(load: &Workload) -> Result<Box<dyn Engine>> {
    Ok(Box::new(Mysql::start_myrocks(load)?))
}

/// Opens RocksDB in this process, for this load.
///
/// # Errors
/// This program was built without it, or it cannot make files.
#[cfg(feature = "rocksdb")]
pub fn start_rocksdb(load: &Workload) -> Result<Box<dyn Engine>> {
    Ok(Box::new(super::RocksDb::new(load)?))
}

/// Opens RocksDB in this process, for this load.
///
/// # Errors
/// This program was built without it.
#[cfg(not(feature = "rocksdb"))]
pub fn start_rocksdb(_: &Workload) -> Result<Box<dyn Engine>> {
    has_rocksdb()?;
    Err(Error::mistake("RocksDB is not a part of this program".to_owned()))
}

/// Checks that RocksDB is a part of this program.
///
/// # Errors
/// It is not: the error says which command builds it.
pub(crate) fn has_rocksdb() -> Result<()> {
    if cfg!(feature = "rocksdb") {
        return Ok(());
    }
    Err(Error::config(
        "this program was built without the engine rocksdb, which the feature 'rocksdb' brings: install it from a checkout with \
         cargo install --path . --features rocksdb, which compiles C++ for some minutes and needs a C++ compiler and libclang \
         (on Debian: apt-get install g++ libclang-dev)",
    ))
}

/// Connects to the server at this URL, and measures it without changing its settings.
///
/// # Errors
/// The errors of [`Mysql::at`] and [`Postgres::at`].
pub fn connect(url: &str, load: &Workload) -> Result<Box<dyn Engine>> {
    Ok(match Database::of_scheme(url) {
        Some(Database::Postgres) => Box::new(Postgres::at(url)?),
        _ => Box::new(Mysql::at(url, load)?),
    })
}

/// Finds out which database the server at this URL is. If several have the same protocol, the server is asked.
///
/// # Errors
/// No server answers there.
pub fn database_at(url: &str) -> Result<Database> {
    Ok(host::at(url)?.database())
}

/// Checks whether this machine can limit the reads and writes per second of such a server.
///
/// # Errors
/// The error says why it cannot.
pub fn can_limit_iops(database: Database) -> Result<()> {
    match database {
        Database::Sqlite => Ok(()),
        Database::Postgres => Err(Error::config(
            "PostgreSQL reads and writes through the page cache of the operating system, which a limit of IOPS does not \
             slow",
        )),
        Database::MySql | Database::MariaDb => {
            Server::can_limit_iops(database).map_err(|error| Error::config(error.to_string()))
        }
    }
}

/// Returns whether the server at this URL may be this database, as far as the URL says.
pub(crate) fn may_be(url: &str, database: Database) -> bool {
    (Database::of_scheme(url) == Some(Database::Postgres)) == (database == Database::Postgres)
}

/// Returns whether the lab makes the checkpoints of such a server.
pub(crate) fn has_checkpoints(database: Database) -> bool {
    match database {
        Database::Postgres => true,
        Database::Sqlite | Database::MySql | Database::MariaDb => false,
    }
}
