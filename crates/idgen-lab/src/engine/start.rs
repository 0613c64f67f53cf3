//! Starts the database that is to be measured, or connects to one.

use idgen_record::{Database, Workload};
use idgen_server::{Flavor, Server};

use super::{Engine, Mysql, Sqlite};
use crate::{Error, Result};

/// Starts a database of the lab's own for this load.
///
/// # Errors
/// No server can be started, or it cannot be measured: the message says what is missing.
pub fn start(database: Database, load: &Workload) -> Result<Box<dyn Engine>> {
    Ok(match server_of(database) {
        None => Box::new(Sqlite::new()?),
        Some(flavor) => Box::new(Mysql::start(flavor, load)?),
    })
}

/// Connects to the server at this URL, and measures it as it is.
///
/// # Errors
/// As [`Mysql::at`], and where the lab does not measure that server.
pub fn connect(url: &str, load: &Workload) -> Result<Box<dyn Engine>> {
    check_url(url)?;
    Ok(Box::new(Mysql::at(url, load)?))
}

/// Refuses the URL of a server that the lab does not measure, without a connection.
///
/// # Errors
/// Why, and what to choose.
pub fn check_url(url: &str) -> Result<()> {
    Flavor::of_scheme(url).map_or(Ok(()), |flavor| measured(flavor).map(drop))
}

/// Which database the server at this URL is. Servers of one protocol are asked.
///
/// # Errors
/// Nothing answers there, or the lab does not measure that server.
pub fn database_at(url: &str) -> Result<Database> {
    let failed = |error| Error::engine("no server to measure", error);
    check_url(url)?;
    measured(Server::at(url).map_err(failed)?.flavor())
}

/// Whether the reads and writes per second of such a server can be limited here.
///
/// # Errors
/// Why not.
pub fn can_limit_iops(database: Database) -> Result<()> {
    match server_of(database) {
        None => Ok(()),
        Some(flavor) => Server::can_limit_iops(flavor).map_err(|error| Error::config(error.to_string())),
    }
}

/// The server software of a database; `None` for one that runs in this process.
fn server_of(database: Database) -> Option<Flavor> {
    match database {
        Database::Sqlite => None,
        Database::MySql => Some(Flavor::MySql),
        Database::MariaDb => Some(Flavor::MariaDb),
    }
}

/// The database of a server software.
///
/// # Errors
/// The lab does not measure it.
pub(super) fn measured(flavor: Flavor) -> Result<Database> {
    match flavor {
        Flavor::MySql => Ok(Database::MySql),
        Flavor::MariaDb => Ok(Database::MariaDb),
        Flavor::Postgres => Err(Error::config(
            "the lab does not measure PostgreSQL: choose sqlite, mysql, mariadb, or a URL of MySQL or MariaDB",
        )),
    }
}
