//! The database of a session, by its name or URL.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use idgen_record::{Database, Workload, thousands};

use crate::engine::{self, Engine};
use crate::experiment::Experiment;
use crate::ranges;
use crate::{Error, Result};

/// The names of MyRocks and RocksDB on the command line.
const MYROCKS: &str = "myrocks";
const ROCKSDB: &str = "rocksdb";

/// A database as the user named it. It is always displayed without the password.
#[derive(Clone, PartialEq, Eq)]
pub enum Target {
    /// The embedded engine, or a server that the lab starts.
    Own(Database),
    /// A server of MariaDB that the lab starts, whose tables are those of MyRocks.
    MyRocks,
    /// RocksDB as a library in this process. It has several clients, as servers do.
    RocksDb,
    /// Anything else is treated as the URL of a server, and [`Target::check`] refuses it if it is not one. An error of
    /// parsing would show the value, which may contain a password.
    Url(String),
}

impl FromStr for Target {
    type Err = Infallible;

    fn from_str(text: &str) -> std::result::Result<Self, Infallible> {
        Ok(match text {
            MYROCKS => Target::MyRocks,
            ROCKSDB => Target::RocksDb,
            _ => Database::with_id(text).map_or_else(|| Target::Url(text.to_owned()), Target::Own),
        })
    }
}

/// The name or URL as the user wrote it, without the password.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Own(database) => f.write_str(database.id()),
            Target::MyRocks => f.write_str(MYROCKS),
            Target::RocksDb => f.write_str(ROCKSDB),
            Target::Url(url) => f.write_str(&idgen_server::redacted(url)),
        }
    }
}

impl Target {
    /// The server that the lab starts; `None` for the embedded engine, and for an external server.
    pub fn own_server(&self) -> Option<Database> {
        match self {
            Target::Own(database) => Some(*database).filter(|database| !database.is_embedded()),
            Target::MyRocks | Target::RocksDb | Target::Url(_) => None,
        }
    }

    /// Returns whether it is SQLite, which has one writer and commits many of its rows together.
    pub fn is_embedded(&self) -> bool {
        matches!(self, Target::Own(database) if database.is_embedded())
    }

    /// Returns whether its tables are LSM trees of the lab's own.
    pub fn is_own_lsm(&self) -> bool {
        matches!(self, Target::MyRocks | Target::RocksDb)
    }

    /// Returns whether its tables have further indexes, updates and transactions, as databases with SQL have.
    pub fn has_sql(&self) -> bool {
        *self != Target::RocksDb
    }

    /// Returns whether it is an engine in this process or a server of the lab's own.
    pub fn is_ours(&self) -> bool {
        !matches!(self, Target::Url(_))
    }

    /// Returns whether it can be this database, as far as its name or URL says: no connection is made to an
    /// external server.
    pub fn can_be(&self, database: Database) -> bool {
        match self {
            Target::Own(own) => *own == database,
            Target::MyRocks => database == Database::MariaDb,
            Target::RocksDb => false,
            Target::Url(url) => engine::may_be(url, database),
        }
    }

    /// Returns whether the lab makes the checkpoints.
    pub fn has_checkpoints(&self) -> bool {
        matches!(self, Target::Own(database) if engine::has_checkpoints(*database))
    }

    /// The server that the lab starts for it.
    ///
    /// # Errors
    /// If the experiment has no statements for it, or it is not the lab's own.
    pub fn server_for(&self, experiment: &Experiment) -> Result<Database> {
        let possible = experiment.servers();
        self.own_server().filter(|database| possible.contains(database)).ok_or_else(|| {
            Error::config(format!(
                "the experiment {} needs a {} server that the lab starts itself, because it sets variables and reads files of \
                 the server. It cannot run on {self}: choose --engine {}",
                experiment.id(),
                any_of(possible, Database::name),
                any_of(possible, Database::id),
            ))
        })
    }

    /// Checks the name, without connecting.
    ///
    /// # Errors
    /// It is neither a database nor a URL, or this program was built without it.
    pub fn check(&self) -> Result<()> {
        match self {
            Target::Url(url) if let Ok(engine) = ranges::Engine::find(url) => Err(Error::config(format!(
                "the lab cannot run {0}, it predicts it: use `idgen lab advise --engine {1}`, or `idgen lab simulate STRATEGY --engine {1}`",
                engine.name, engine.id
            ))),
            Target::Url(url) if !url.contains("://") => {
                // Anything longer or with other letters may be a part of a URL with its password.
                let is_name =
                    url.len() <= 16 && url.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
                let name = if is_name { format!(" {url:?}") } else { String::new() };
                Err(Error::config(format!(
                    "there is no such engine{name}: choose sqlite, mysql, mariadb, postgres, myrocks, rocksdb, or a URL: \
                     mysql://user:password@host:port or postgres://user:password@host:port"
                )))
            }
            Target::RocksDb => engine::has_rocksdb(),
            Target::Url(_) | Target::Own(_) | Target::MyRocks => Ok(()),
        }
    }

    /// The database that strategies are checked against; `None` for RocksDB, which has no SQL. An external server is asked.
    ///
    /// # Errors
    /// The errors of [`check`](Self::check); also if no server answers.
    pub fn database(&self) -> Result<Option<Database>> {
        self.check()?;
        Ok(match self {
            Target::Own(database) => Some(*database),
            Target::MyRocks => Some(Database::MariaDb),
            Target::RocksDb => None,
            Target::Url(url) => Some(engine::database_at(url)?),
        })
    }

    /// Starts it for this load, or connects to it.
    ///
    /// # Errors
    /// The database cannot be started, or no server answers at its URL.
    pub fn start(&self, mut load: Workload) -> Result<Started> {
        let mut notes = Vec::new();
        let engine = match self {
            Target::Url(url) => {
                let engine = engine::connect(url, &load)?;
                notes.extend(engine.info().missing.iter().map(|line| format!("{self}: {line}")));
                engine
            }
            Target::Own(database) => {
                if load.iops.is_some()
                    && let Err(why) = engine::can_limit_iops(*database)
                {
                    notes.push(format!("{why}; this run has no limit"));
                    load.iops = None;
                }
                engine::start(*database, &load)?
            }
            Target::MyRocks | Target::RocksDb => {
                if load.iops.take().is_some() {
                    notes.push(format!("{self} writes files as a whole, so the lab does not limit its IOPS"));
                }
                match self {
                    Target::RocksDb => engine::start_rocksdb(&load)?,
                    _ => engine::start_myrocks(&load)?,
                }
            }
        };
        if self.has_checkpoints() {
            // The record contains the distance of the checkpoints even if it is the default.
            load.checkpoint_secs.get_or_insert(Workload::CHECKPOINT_SECS);
        }
        // A server has a minimum pool size, and an external server keeps its own.
        let bytes = engine.cache_bytes(&load)?;
        if let Some(wanted) = load.cache_bytes.filter(|wanted| *wanted < bytes && self.is_ours()) {
            notes.push(format!(
                "the cache has {:.1} MiB, the smallest for {self}, in place of {} bytes",
                bytes as f64 / f64::from(1 << 20),
                thousands(wanted)
            ));
        }
        Ok(Started { engine, workload: Workload { cache_bytes: Some(bytes), ..load }, notes })
    }
}

/// A database that is ready to be measured.
pub struct Started {
    /// The database.
    pub engine: Box<dyn Engine>,
    /// The load as it will run there.
    pub workload: Workload,
    /// Notes on how the load differs from the one that was asked for.
    pub notes: Vec<String>,
}

/// These databases in a sentence: "MySQL, MariaDB or PostgreSQL".
fn any_of(databases: &[Database], name: fn(Database) -> &'static str) -> String {
    let names: Vec<_> = databases.iter().map(|database| name(*database)).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}
