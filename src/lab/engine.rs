//! Which database, by its name on the command line.

use clap::ValueEnum;
use idgen_lab::Workload;
use idgen_lab::engine::{Engine, Mysql, Sqlite};
use idgen_lab::strategy::Target;
use idgen_server::Flavor;

/// The engines that there are.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    Sqlite,
    Mysql,
    Mariadb,
}

impl EngineName {
    /// As the user writes it.
    pub fn name(self) -> &'static str {
        match self {
            EngineName::Sqlite => "sqlite",
            EngineName::Mysql => "mysql",
            EngineName::Mariadb => "mariadb",
        }
    }

    /// Which server; `None` for the embedded engine.
    pub fn flavor(self) -> Option<Flavor> {
        match self {
            EngineName::Sqlite => None,
            EngineName::Mysql => Some(Flavor::MySql),
            EngineName::Mariadb => Some(Flavor::MariaDb),
        }
    }

    /// What strategies are checked against.
    pub fn target(self) -> Target {
        match self {
            EngineName::Sqlite => Target::Sqlite,
            EngineName::Mysql => Target::Mysql,
            EngineName::Mariadb => Target::Mariadb,
        }
    }

    /// Starts it for this load.
    pub fn start(self, workload: &Workload) -> anyhow::Result<Box<dyn Engine>> {
        Ok(match self.flavor() {
            None => Box::new(Sqlite::new()?),
            Some(flavor) => Box::new(Mysql::start(flavor, workload)?),
        })
    }
}
