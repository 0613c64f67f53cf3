//! The database, by its name or URL on the command line.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use idgen_lab::engine::{self, Engine};
use idgen_lab::experiment::Experiment;
use idgen_lab::forecast;
use idgen_record::{Database, Workload, thousands};

use crate::failure;

/// A database as the user named it. It is always displayed without the password.
#[derive(Clone, PartialEq, Eq)]
pub enum EngineName {
    /// The embedded engine, or a server that the lab starts.
    Own(Database),
    /// Anything else is treated as the URL of a server, and [`EngineName::check`] refuses it if it is not one. The
    /// parser's own error would show the value, which may contain a password.
    Url(String),
}

impl FromStr for EngineName {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Database::with_id(text).map_or_else(|| EngineName::Url(text.to_owned()), EngineName::Own))
    }
}

/// The name or URL as the user wrote it, without the password.
impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineName::Own(database) => f.write_str(database.id()),
            EngineName::Url(url) => f.write_str(&idgen_server::redacted(url)),
        }
    }
}

impl EngineName {
    /// The server that the lab starts; `None` for the embedded engine, and for an external server.
    pub fn own_server(&self) -> Option<Database> {
        match self {
            EngineName::Own(database) => Some(*database).filter(|database| !database.is_embedded()),
            EngineName::Url(_) => None,
        }
    }

    /// Whether it runs in this process.
    pub fn is_embedded(&self) -> bool {
        matches!(self, EngineName::Own(database) if database.is_embedded())
    }

    /// Returns whether it is the embedded engine or a server of the lab's own.
    pub fn is_ours(&self) -> bool {
        matches!(self, EngineName::Own(_))
    }

    /// Whether it can be this database, as far as its name says: an external server is not asked.
    pub fn can_be(&self, database: Database) -> bool {
        match self {
            EngineName::Own(own) => *own == database,
            EngineName::Url(url) => url.starts_with("postgres") == (database == Database::Postgres),
        }
    }

    /// Whether the lab makes the checkpoints.
    pub fn has_checkpoints(&self) -> bool {
        matches!(self, EngineName::Own(Database::Postgres))
    }

    /// Refuses a database whose pages are out of reach.
    pub fn check_pages(&self, id: &str) -> anyhow::Result<()> {
        if self.is_ours() {
            return Ok(());
        }
        Err(failure::usage(format_args!(
            "the experiment {id} reads the pages of its tables, which {self} does not show: choose --engine sqlite, mysql, \
             mariadb or postgres"
        )))
    }

    /// The server that the lab starts for it.
    ///
    /// # Errors
    /// If the experiment has no statements for it, or it is not the lab's own.
    pub fn server_for(&self, experiment: &Experiment) -> anyhow::Result<Database> {
        let possible = experiment.servers();
        self.own_server().filter(|database| possible.contains(database)).ok_or_else(|| {
            failure::usage(format_args!(
                "the experiment {} needs a {} server that the lab starts itself, because it sets variables and reads files of \
                 the server. It cannot run on {self}: choose --engine {}",
                experiment.id(),
                any_of(possible, Database::name),
                any_of(possible, Database::id),
            ))
        })
    }

    /// Checks the name, without connecting.
    pub fn check(&self) -> anyhow::Result<()> {
        match self {
            EngineName::Url(url) if !url.contains("://") => {
                // Anything longer or with other letters may be a part of a URL with its password.
                let is_name =
                    url.len() <= 16 && url.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
                let name = if is_name { format!(" {url:?}") } else { String::new() };
                Err(failure::usage(format_args!(
                    "there is no such engine{name}: choose sqlite, mysql, mariadb, postgres, or a URL: \
                     mysql://user:password@host:port or postgres://user:password@host:port"
                )))
            }
            EngineName::Url(_) | EngineName::Own(_) => Ok(()),
        }
    }

    /// The database that strategies are checked against. An external server is asked.
    pub fn database(&self) -> anyhow::Result<Database> {
        self.check()?;
        Ok(match self {
            EngineName::Own(database) => *database,
            EngineName::Url(url) => engine::database_at(url)?,
        })
    }

    /// Starts it for this load, and returns the load as it will run there.
    pub fn start(&self, mut load: Workload) -> anyhow::Result<(Box<dyn Engine>, Workload)> {
        let engine = match self {
            EngineName::Url(url) => {
                let engine = engine::connect(url, &load)?;
                for line in engine.info().missing {
                    failure::note(format_args!("{self}: {line}"));
                }
                engine
            }
            EngineName::Own(database) => {
                if load.iops.is_some()
                    && let Err(why) = engine::can_limit_iops(*database)
                {
                    failure::note(format_args!("{why}; this run has no limit"));
                    load.iops = None;
                }
                engine::start(*database, &load)?
            }
        };
        if self.has_checkpoints() {
            // What they are at by default is a part of the record.
            load.checkpoint_secs.get_or_insert(Workload::CHECKPOINT_SECS);
        }
        // A server has a minimum pool size, and an external server keeps its own.
        let bytes = engine.cache_bytes(&load)?;
        if let Some(wanted) = load.cache_bytes.filter(|wanted| *wanted < bytes && self.is_ours()) {
            failure::note(format_args!(
                "the cache has {:.1} MiB, the smallest for {self}, in place of {} bytes",
                bytes as f64 / f64::from(1 << 20),
                thousands(wanted)
            ));
        }
        Ok((engine, Workload { cache_bytes: Some(bytes), ..load }))
    }
}

/// Accepts the databases that the model predicts.
pub fn modeled() -> impl TypedValueParser<Value = Database> {
    let possible =
        forecast::MODELS.iter().map(|model| PossibleValue::new(model.database.id()).help(model.about));
    PossibleValuesParser::new(possible.collect::<Vec<_>>())
        .try_map(|id| Database::with_id(&id).ok_or("there is no such database"))
}

/// These databases in a sentence: "MySQL, MariaDB or PostgreSQL".
fn any_of(databases: &[Database], name: fn(Database) -> &'static str) -> String {
    let names: Vec<_> = databases.iter().map(|database| name(*database)).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}
