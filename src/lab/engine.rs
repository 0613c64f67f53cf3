//! The database, by its name or URL on the command line.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use idgen_lab::engine::{Engine, Mysql, Sqlite};
use idgen_lab::strategy::Target;
use idgen_record::Workload;
use idgen_server::{Flavor, Server};

use crate::failure;

const NO_POSTGRES: &str =
    "the lab does not measure PostgreSQL: choose sqlite, mysql, mariadb, or a URL of MySQL or MariaDB";

/// A database as the user named it. It is always displayed without the password.
#[derive(Clone, PartialEq, Eq)]
pub enum EngineName {
    Sqlite,
    Mysql,
    Mariadb,
    /// Anything else is treated as the URL of a server, and [`EngineName::check`] refuses it if it is not one. The
    /// parser's own error would show the value, which may contain a password.
    Url(String),
}

impl FromStr for EngineName {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "sqlite" => EngineName::Sqlite,
            "mysql" => EngineName::Mysql,
            "mariadb" => EngineName::Mariadb,
            url => EngineName::Url(url.to_owned()),
        })
    }
}

/// The name or URL as the user wrote it, without the password.
impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineName::Sqlite => f.write_str("sqlite"),
            EngineName::Mysql => f.write_str("mysql"),
            EngineName::Mariadb => f.write_str("mariadb"),
            EngineName::Url(url) => f.write_str(&idgen_server::redacted(url)),
        }
    }
}

impl EngineName {
    /// The server to start; `None` for the embedded engine, and for an external server.
    pub fn flavor(&self) -> Option<Flavor> {
        match self {
            EngineName::Sqlite | EngineName::Url(_) => None,
            EngineName::Mysql => Some(Flavor::MySql),
            EngineName::Mariadb => Some(Flavor::MariaDb),
        }
    }

    /// Returns whether it is the embedded engine or a server of the lab's own.
    pub fn is_ours(&self) -> bool {
        !matches!(self, EngineName::Url(_))
    }

    /// Checks the name, without connecting.
    pub fn check(&self) -> anyhow::Result<()> {
        match self {
            EngineName::Url(url) if !url.contains("://") => Err(failure::usage(
                "there is no such engine: choose sqlite, mysql, mariadb, or mysql://user:password@host:port",
            )),
            EngineName::Url(url) if url.starts_with("postgres") => Err(failure::usage(NO_POSTGRES)),
            _ => Ok(()),
        }
    }

    /// The database that strategies are checked against. An external server is asked.
    pub fn target(&self) -> anyhow::Result<Target> {
        self.check()?;
        Ok(match self {
            EngineName::Sqlite => Target::Sqlite,
            EngineName::Mysql => Target::Mysql,
            EngineName::Mariadb => Target::Mariadb,
            EngineName::Url(url) => match Server::at(url)?.flavor() {
                Flavor::MySql => Target::Mysql,
                Flavor::MariaDb => Target::Mariadb,
                Flavor::Postgres => return Err(failure::usage(NO_POSTGRES)),
            },
        })
    }

    /// Starts it for this load, and returns the load as it will run there.
    pub fn start(&self, mut load: Workload) -> anyhow::Result<(Box<dyn Engine>, Workload)> {
        let engine: Box<dyn Engine> = match (self, self.flavor()) {
            (EngineName::Url(url), _) => {
                let engine = Mysql::at(url, &load)?;
                for line in engine.missing() {
                    failure::note(format_args!("{self}: {line}"));
                }
                Box::new(engine)
            }
            (_, Some(flavor)) => {
                if load.iops.is_some()
                    && let Err(why) = Server::can_limit_iops(flavor)
                {
                    failure::note(format_args!("{why}; this run has no limit"));
                    load.iops = None;
                }
                Box::new(Mysql::start(flavor, &load)?)
            }
            (_, None) => Box::new(Sqlite::new()?),
        };
        // A server has a minimum pool size, and an external server keeps its own.
        let load = Workload { cache_bytes: Some(engine.cache_bytes(&load)?), ..load };
        Ok((engine, load))
    }
}
