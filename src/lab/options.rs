//! The options of `idgen lab run`, and what they allow.

use std::collections::HashSet;
use std::path::PathBuf;

use idgen_lab::experiment::{self, Experiment};
use idgen_lab::session::{Started, Target};
use idgen_lab::strategy::{self, Strategy};
use idgen_record::{Database, Workload};

use super::clean;
use super::shape::ShapeArgs;
use crate::failure;
use crate::number;

/// Enough to show a spread; too few for a test at the level of 5 %, which takes four.
const REPEATS: u32 = 3;
/// More runs than this add no information.
const MAX_REPEATS: u32 = 50;
// No documentation comment: it would become that of the command that takes these.
#[derive(clap::Args)]
pub struct LoadArgs {
    /// How many rows each strategy inserts; K and M stand for thousands and millions.
    #[arg(long, value_name = "N", value_parser = number::count, default_value_t = Workload::DEFAULT_ROWS, conflicts_with = "quick", allow_negative_numbers = true)]
    pub rows: u64,
    /// The strategies, separated by commas, in the order of the report [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = strategy::find)]
    pub strategies: Vec<&'static Strategy>,
    /// Insert few rows, to see the report within seconds; do not cite the figures.
    #[arg(long)]
    pub quick: bool,
    #[command(flatten)]
    pub shape: ShapeArgs,
}

#[derive(clap::Args)]
pub struct CommonArgs {
    /// The database: sqlite, mysql, mariadb, postgres, myrocks (MariaDB with MyRocks), rocksdb (the library, with the
    /// feature rocksdb), or your own server as mysql://user:password@host:port or postgres://user:password@host:port.
    /// Use the environment variable to keep the password out of process lists.
    #[arg(long, env = "IDGEN_LAB_ENGINE", hide_env_values = true, default_value = "sqlite")]
    pub engine: Target,
    /// How many clients work at the same time, each with ids that it generates immediately before it inserts them; only on
    /// servers [default: 8 on servers; 1 with --mix, on SQLite, and in experiments].
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>(0..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    pub writers: Option<u32>,
    /// How often each strategy or statement runs. The lab repeats them in rounds, each in a random order, and on a
    /// server of the lab's own each run of a strategy gets a new server. Reports show medians and the spread
    /// [default: 3; experiments that time statements have a number of their own].
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>(1..=MAX_REPEATS.into()), allow_negative_numbers = true)]
    pub repeat: Option<u32>,
    /// The directory for report.html, report.md, charts/, results.json, results.csv and windows.csv; it is created
    /// if it is missing.
    #[arg(long, value_name = "DIR", default_value = "idgen-lab")]
    pub out: PathBuf,
    /// Fail if other clients write to your own server meanwhile: its counters include their work. Without it, the report
    /// says so.
    #[arg(long)]
    pub strict: bool,
    /// Print the results as JSON instead of a table, one document for each experiment.
    #[arg(long)]
    pub json: bool,
}

impl LoadArgs {
    /// Checks that the database can run each strategy that was chosen, and that none is named twice.
    pub fn check(&self, database: Option<Database>) -> anyhow::Result<()> {
        let mut seen = HashSet::new();
        for strategy in &self.strategies {
            if !seen.insert(strategy.name) {
                let name = strategy.name;
                return Err(failure::usage(format_args!("--strategies names {name} twice: name each once")));
            }
            strategy.check_on(database).map_err(failure::usage)?;
        }
        Ok(())
    }

    /// Checks that the experiment has each strategy that was chosen, and that it takes --checkpoint if that
    /// was given.
    pub fn check_for(&self, experiment: &Experiment) -> anyhow::Result<()> {
        let its = match experiment {
            Experiment::Keys(experiment) => experiment.strategies()?,
            Experiment::Statements(_) | Experiment::Loads(_) => vec![],
        };
        let checkpoint = self.shape.given_checkpoint();
        if !checkpoint.is_empty() && !matches!(experiment, Experiment::Keys(_)) {
            return Err(failure::usage(format_args!(
                "{} defines its own load, so it cannot run with{checkpoint}: leave it out",
                experiment.id()
            )));
        }
        match self.strategies.iter().find(|chosen| its.iter().all(|own| own.name != chosen.name)) {
            Some(Strategy { name, .. }) if its.is_empty() => Err(failure::usage(format_args!(
                "{} has no strategies to choose from, so it cannot run {name} alone: leave out --strategies",
                experiment.id()
            ))),
            Some(Strategy { name, .. }) => Err(failure::usage(format_args!(
                "{} has no strategy {name}: choose from {}",
                experiment.id(),
                joined(&its, ", ")
            ))),
            None => Ok(()),
        }
    }

    /// Returns the chosen strategies, in the order given; all where none was chosen.
    pub fn part_of(&self, all: Vec<&'static Strategy>) -> Vec<&'static Strategy> {
        if self.strategies.is_empty() { all } else { self.strategies.clone() }
    }

    /// The chosen strategies as a part of the command; empty where none was chosen.
    pub fn named(&self) -> String {
        match self.strategies.as_slice() {
            [] => String::new(),
            chosen => format!(" --strategies {}", joined(chosen, ",")),
        }
    }
}

fn joined(strategies: &[&Strategy], separator: &str) -> String {
    strategies.iter().map(|strategy| strategy.name).collect::<Vec<_>>().join(separator)
}

impl CommonArgs {
    /// Checks that the database can run the experiment, and that the experiment accepts the given numbers of
    /// writers and of runs.
    pub fn check_for(&self, experiment: &Experiment) -> anyhow::Result<()> {
        if let Experiment::Keys(experiment) = experiment {
            return match experiment.only_on()? {
                Some(only) if !self.engine.can_be(only) => Err(failure::usage(format_args!(
                    "{} measures what only {only} does: choose --engine {}",
                    experiment.id,
                    only.id()
                ))),
                _ => Ok(()),
            };
        }
        let id = experiment.id();
        self.engine.server_for(experiment).map_err(failure::usage)?;
        if let Some(writers) = self.writers {
            return Err(failure::usage(format_args!(
                "{id} defines its own number of clients, so it cannot run with {writers}: leave out --writers"
            )));
        }
        match self.repeat {
            Some(repeat) if !matches!(experiment, Experiment::Statements(_)) => {
                Err(failure::usage(format_args!(
                    "{id} defines its own number of runs, so it cannot run {repeat} times: leave out --repeat"
                )))
            }
            _ => Ok(()),
        }
    }

    /// Refuses --strict where there are no other clients.
    pub fn check_strict(&self) -> anyhow::Result<()> {
        if self.strict && self.engine.is_ours() {
            return Err(failure::usage(format_args!(
                "--strict does not apply to {}, which only the lab uses: leave it out, or give the URL of a server",
                self.engine
            )));
        }
        Ok(())
    }

    /// The database, by its name, or as the server at its URL says; `None` for RocksDB.
    pub fn database(&self) -> anyhow::Result<Option<Database>> {
        self.engine.check().map_err(failure::usage)?;
        Ok(self.engine.database()?)
    }

    /// Starts the database for this load, and prints what differs from what was asked for.
    pub fn start(&self, load: Workload) -> anyhow::Result<Started> {
        if let Target::Url(url) = &self.engine {
            clean::note_leftovers(url);
        }
        let started = self.engine.start(load)?;
        started.notes.iter().for_each(failure::note);
        Ok(started)
    }

    /// The number of runs of each strategy.
    pub fn repeats(&self) -> u32 {
        self.repeat.unwrap_or(REPEATS)
    }

    /// All experiments that the database can do. A note names those that are left out.
    pub fn all(&self) -> anyhow::Result<Vec<Experiment>> {
        let possible = |experiment: &Experiment| match experiment {
            Experiment::Keys(experiment) => {
                experiment.only_on().is_ok_and(|only| only.is_none_or(|only| self.engine.can_be(only)))
            }
            Experiment::Statements(_) | Experiment::Loads(_) => {
                self.engine.own_server().is_some_and(|server| experiment.servers().contains(&server))
            }
        };
        let (possible, others): (Vec<_>, Vec<_>) = experiment::all()?.into_iter().partition(possible);
        let (bound, others): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|experiment| matches!(experiment, Experiment::Keys(_)));
        for experiment in bound {
            let id = experiment.id();
            failure::note(format_args!("{} cannot run {id}: it is for another database", self.engine));
        }
        if !others.is_empty() {
            let ids: Vec<_> = others.iter().map(Experiment::id).collect();
            failure::note(format_args!(
                "{} cannot run {}: they need a MySQL or MariaDB server of the lab's own; --engine mysql or mariadb runs them too",
                self.engine,
                ids.join(", ")
            ));
        }
        Ok(possible)
    }

    /// The load with the writers that were asked for.
    pub fn with_writers(&self, workload: Workload) -> anyhow::Result<Workload> {
        let workload = match self.writers {
            Some(writers) => workload.with_writers(writers).map_err(failure::usage)?,
            None => workload,
        };
        if workload.writers > 1 && self.engine.is_embedded() {
            return Err(failure::usage(format_args!(
                "SQLite allows one writer at a time, not {}: choose --engine mysql, mariadb or postgres",
                workload.writers
            )));
        }
        Ok(workload)
    }

    /// The load of an experiment on this engine: only servers of the lab's own are set up for it.
    pub fn load_of(&self, workload: Workload) -> anyhow::Result<Workload> {
        let ours = self.engine.own_server().is_some();
        let (iops, late_writes) = (workload.iops.filter(|_| ours), workload.late_writes && ours);
        self.with_writers(Workload { iops, late_writes, ..workload })
    }

    /// The options that were given, as a part of the command.
    pub fn given(&self) -> String {
        let writers = self.writers.map(|writers| format!(" --writers {writers}")).unwrap_or_default();
        let repeat = self.repeat.map(|repeat| format!(" --repeat {repeat}")).unwrap_or_default();
        let strict = if self.strict { " --strict" } else { "" };
        format!(" --engine {}{writers}{repeat}{strict}", self.engine)
    }
}
