//! Which database, by its name or URL on the command line.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use idgen_lab::Workload;
use idgen_lab::engine::{Engine, Mysql, Sqlite};
use idgen_lab::strategy::Target;
use idgen_server::{Flavor, Server};

use crate::failure;

/// A database as it was named. What is shown of it has no password.
#[derive(Clone, PartialEq, Eq)]
pub enum EngineName {
    Sqlite,
    Mysql,
    Mariadb,
    /// Anything else: taken for the URL of a server, and refused by [`EngineName::check`] where it is none.
    /// The parser would show what it refuses, and that may hold a password.
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

/// As the user writes it, without a password.
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
    /// Which server of our own it is; `None` for the embedded engine, and for a server of the user's.
    pub fn flavor(&self) -> Option<Flavor> {
        match self {
            EngineName::Sqlite | EngineName::Url(_) => None,
            EngineName::Mysql => Some(Flavor::MySql),
            EngineName::Mariadb => Some(Flavor::MariaDb),
        }
    }

    /// Whether there is such an engine, as far as its name tells.
    pub fn check(&self) -> anyhow::Result<()> {
        match self {
            EngineName::Url(url) if !url.contains("://") => Err(failure::usage(
                "there is no such engine: choose sqlite, mysql, mariadb, or mysql://user:password@host:port",
            )),
            _ => Ok(()),
        }
    }

    /// What strategies are checked against. A server given by URL is asked.
    pub fn target(&self) -> anyhow::Result<Target> {
        self.check()?;
        Ok(match self {
            EngineName::Sqlite => Target::Sqlite,
            EngineName::Mysql => Target::Mysql,
            EngineName::Mariadb => Target::Mariadb,
            EngineName::Url(url) => match Server::at(url)?.flavor() {
                Flavor::MySql => Target::Mysql,
                Flavor::MariaDb => Target::Mariadb,
            },
        })
    }

    /// Starts it for this load; gives the load as it will be there.
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
                    failure::note(format_args!("{why}: this run is not limited"));
                    load.iops = None;
                }
                Box::new(Mysql::start(flavor, &load)?)
            }
            (_, None) => Box::new(Sqlite::new()?),
        };
        // A server has a least pool, and one that was given has the pool that it has.
        let load = Workload { cache_bytes: Some(engine.cache_bytes(&load)?), ..load };
        Ok((engine, load))
    }
}
