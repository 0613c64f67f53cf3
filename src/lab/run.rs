//! `idgen lab run`: the comparison of key strategies, and the experiments.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use idgen_lab::engine::Engine;
use idgen_lab::experiment::{self, Experiment, Keys, Scale};
use idgen_lab::measure;
use idgen_lab::runner::{self, Cancel};
use idgen_lab::strategy::{self, Strategy};
use idgen_record::{Database, Protocol, Results, Workload};
use idgen_report as report;

use super::engine::EngineName;
use super::progress::Progress;
use super::revisits;
use super::screen::wrapped;
use super::shape::{self, ShapeArgs};
use super::signals::{self, INTERRUPTED};
use super::timed::{self, Timed};
use crate::failure;
use crate::output::{self, Output};

/// Enough to show a spread; too few for a test at the level of 5 %, which takes four.
const REPEATS: u32 = 3;
/// More runs than this tell no more.
const MAX_REPEATS: u32 = 50;
const QUESTION: &str = "What does each kind of key cost a table?";

// No documentation comment: it would become that of the command that takes these.
#[derive(clap::Args)]
pub struct LoadArgs {
    /// How many rows each strategy inserts.
    #[arg(long, value_name = "N", default_value_t = Workload::DEFAULT_ROWS, conflicts_with = "quick", allow_negative_numbers = true)]
    rows: u64,
    /// The strategies, separated by commas, in the order of the report [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = strategy::find)]
    strategies: Vec<&'static Strategy>,
    /// Insert few rows, to see the report within seconds; do not cite the figures.
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    shape: ShapeArgs,
}

#[derive(clap::Args)]
pub struct CommonArgs {
    /// The database: sqlite, mysql, mariadb, postgres, or your own server as mysql://user:password@host:port or
    /// postgres://user:password@host:port. Use the environment variable to keep the password out of process lists.
    #[arg(long, env = "IDGEN_LAB_ENGINE", hide_env_values = true, default_value = "sqlite")]
    pub engine: EngineName,
    /// How many clients insert at the same time, each with ids that it generates; only on servers [default: 1].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    writers: Option<u32>,
    /// How often each strategy or statement runs. The lab repeats them in rounds, each in a random order, and on a
    /// server of the lab's own each run of a strategy gets a new server. Reports show medians and the spread
    /// [default: 3; experiments that time statements have a number of their own].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_REPEATS)), allow_negative_numbers = true)]
    repeat: Option<u32>,
    /// The directory for report.html, report.md, charts/, results.json, results.csv and windows.csv; it is created
    /// if it is missing.
    #[arg(long, value_name = "DIR", default_value = "idgen-lab")]
    pub out: PathBuf,
    /// Print the results as JSON instead of a table, one document for each experiment.
    #[arg(long)]
    pub json: bool,
}

impl LoadArgs {
    /// Whether the database can do each strategy that was chosen.
    fn check(&self, database: Database) -> anyhow::Result<()> {
        let mut seen = HashSet::new();
        for strategy in &self.strategies {
            if !seen.insert(strategy.name) {
                let name = strategy.name;
                return Err(failure::usage(format_args!("--strategies names {name} twice: name each once")));
            }
            strategy.check(database).map_err(failure::usage)?;
        }
        Ok(())
    }

    /// Whether the experiment has each strategy that was chosen.
    fn check_for(&self, experiment: &Experiment) -> anyhow::Result<()> {
        let its = match experiment {
            Experiment::Keys(experiment) => experiment.strategies()?,
            Experiment::Revisits(experiment) => experiment.strategies()?,
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
                "{} has no strategies to choose from, and not {name}: leave out --strategies",
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

    /// Those chosen, in the order given; all where none was.
    fn part_of(&self, all: Vec<&'static Strategy>) -> Vec<&'static Strategy> {
        if self.strategies.is_empty() { all } else { self.strategies.clone() }
    }

    /// What was chosen, as a part of the command.
    fn named(&self) -> String {
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
    /// Whether the database can do the experiment, and whether the writers mean something to it.
    fn check_for(&self, experiment: &Experiment) -> anyhow::Result<()> {
        if matches!(experiment, Experiment::Keys(_)) {
            return Ok(());
        }
        let id = experiment.id();
        if matches!(experiment, Experiment::Revisits(_)) {
            revisits::check(id, &self.engine)?;
        } else {
            timed::database(id, &self.engine)?;
        }
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

    /// How often each strategy runs.
    fn repeats(&self) -> u32 {
        self.repeat.unwrap_or(REPEATS)
    }

    /// All experiments that the database can do; it is said which are left out.
    fn all(&self) -> anyhow::Result<Vec<Experiment>> {
        let possible = |experiment: &Experiment| match experiment {
            Experiment::Keys(_) => true,
            Experiment::Revisits(_) => self.engine.is_ours(),
            Experiment::Statements(_) | Experiment::Loads(_) => {
                self.engine.own_server().is_some_and(Database::speaks_mysql)
            }
        };
        let (possible, others): (Vec<_>, Vec<_>) = experiment::all()?.into_iter().partition(possible);
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
    fn with_writers(&self, workload: Workload) -> anyhow::Result<Workload> {
        let workload = match self.writers {
            Some(writers) => workload.with_writers(writers).map_err(failure::usage)?,
            None => workload,
        };
        if workload.writers > 1 && self.engine.is_embedded() {
            return Err(failure::usage(format_args!(
                "SQLite has one writer at a time, not {}: choose --engine mysql, mariadb or postgres",
                workload.writers
            )));
        }
        Ok(workload)
    }

    /// The load of an experiment on this engine: only servers of the lab's own are set up for it.
    fn load_of(&self, workload: Workload) -> anyhow::Result<Workload> {
        let ours = self.engine.own_server().is_some();
        let (iops, late_writes) = (workload.iops.filter(|_| ours), workload.late_writes && ours);
        self.with_writers(Workload { iops, late_writes, ..workload })
    }

    /// What was chosen, as a part of the command.
    fn given(&self) -> String {
        let writers = self.writers.map(|writers| format!(" --writers {writers}")).unwrap_or_default();
        let repeat = self.repeat.map(|repeat| format!(" --repeat {repeat}")).unwrap_or_default();
        format!(" --engine {}{writers}{repeat}", self.engine)
    }
}

/// Compares strategies on one load.
pub fn strategies(load: &LoadArgs, common: &CommonArgs) -> anyhow::Result<ExitCode> {
    let rows = if load.quick { Workload::QUICK_ROWS } else { load.rows };
    let workload = Workload::of_rows(rows).map_err(failure::usage)?;
    let workload = load.shape.apply(common.with_writers(workload)?, &common.engine)?;
    let database = common.engine.database()?;
    load.check(database)?;
    let strategies = load.part_of(strategy::default_set(database));
    let strategies = shape::those_that_follow(strategies, &workload, load.strategies.is_empty())?;
    shape::warn_of_large_buckets(&strategies, &workload);
    let command =
        format!("idgen lab run{} --rows {rows}{}{}", common.given(), load.shape.given(), load.named());
    let job = Job { question: QUESTION, command, workload, strategies, experiment: None, out: &common.out };
    job.run(common, &signals::cancel()?)
}

/// Runs experiments by name, `all` for each; of their strategies those that were chosen.
pub fn experiments(
    names: &[String],
    scale: Scale,
    load: &LoadArgs,
    common: &CommonArgs,
) -> anyhow::Result<ExitCode> {
    // What can be refused without a server is refused before one is asked.
    common.engine.check()?;
    let experiments: Vec<Experiment> = match names {
        [all] if all == "all" => common.all()?,
        names if names.iter().any(|name| name == "all") => {
            return Err(failure::usage("all stands for every experiment: use it alone, or only names"));
        }
        names => names
            .iter()
            .map(|name| experiment::find(name))
            .collect::<Result<_, _>>()
            .map_err(failure::usage)?,
    };
    for experiment in &experiments {
        load.check_for(experiment)?;
        common.check_for(experiment)?;
    }
    let database = common.engine.database()?;
    load.check(database)?;
    let cancel = signals::cancel()?;
    let mut worst = ExitCode::SUCCESS;
    let several = experiments.len() > 1;
    for experiment in experiments {
        // The one before may have finished all the same; those that are left have not.
        if cancel.is_cancelled() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        let id = experiment.id().to_owned();
        match one(experiment, scale, load, common, &cancel) {
            Ok(ExitCode::SUCCESS) => {}
            Ok(code) => worst = code,
            // The others go on, and those that were run are kept.
            Err(error) if several && !output::is_closed(&error) => {
                failure::report(format_args!("{id}: {error:#}"));
                worst = ExitCode::FAILURE;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(worst)
}

/// Runs an experiment, into a directory of its own.
fn one(
    experiment: Experiment,
    scale: Scale,
    load: &LoadArgs,
    common: &CommonArgs,
    cancel: &Cancel,
) -> anyhow::Result<ExitCode> {
    let out = common.out.join(experiment.id());
    let checkpoint = load.shape.given_checkpoint();
    let command = format!(
        "idgen lab run {}{} --scale {scale}{checkpoint}{}",
        experiment.id(),
        common.given(),
        load.named()
    );
    match experiment {
        Experiment::Keys(experiment) => Job {
            question: &experiment.question,
            command,
            workload: load
                .shape
                .with_checkpoint(common.load_of(experiment.workload(scale)?)?, &common.engine)?,
            strategies: load.part_of(experiment.strategies()?),
            experiment: Some((&experiment, scale)),
            out: &out,
        }
        .run(common, cancel),
        Experiment::Statements(experiment) => {
            let mut experiment = experiment.at(scale)?;
            experiment.runs = common.repeat.unwrap_or(experiment.runs);
            timed::run(&Timed::Statements(experiment), &command, &out, common, cancel)
        }
        Experiment::Loads(experiment) => {
            timed::run(&Timed::Loads(experiment, scale), &command, &out, common, cancel)
        }
        Experiment::Revisits(experiment) => {
            let strategies = load.part_of(experiment.strategies()?);
            revisits::run(&experiment, scale, &strategies, &command, &out, common, cancel)
        }
    }
}

/// One comparison, from the empty results to the summary.
struct Job<'a> {
    question: &'a str,
    command: String,
    workload: Workload,
    strategies: Vec<&'static Strategy>,
    experiment: Option<(&'a Keys, Scale)>,
    out: &'a Path,
}

impl Job<'_> {
    fn run(self, common: &CommonArgs, cancel: &Cancel) -> anyhow::Result<ExitCode> {
        report::prepare(self.out)?;
        let rows = self.workload.rows;
        let (mut engine, workload) = common.engine.start(self.workload)?;
        let mut results = measure::begin(self.question, &self.command, engine.info(), workload);
        results.protocol = Some(Protocol {
            repeats: common.repeats(),
            order_seed: results.workload.seed,
            order: Vec::new(),
            isolation: engine.isolation().into(),
        });
        let mut strategies = self.strategies;
        if let Some((experiment, scale)) = self.experiment {
            let ours = common.engine.own_server().is_some();
            let writers = results.workload.writers;
            results.published = match scale {
                Scale::Full if ours => experiment.judged(writers),
                _ => experiment.published(writers),
            };
            results.analysis = experiment.analysis.clone();
            if let Some(differs) = experiment::differs(experiment, scale, &results, ours)? {
                results.analysis += &format!(" {differs}");
            }
            let (possible, refused) = those_possible(&*engine, &strategies, &results.workload);
            // Where nothing would be left, the runner says why and ends.
            if !possible.is_empty() {
                strategies = possible;
                for why in refused {
                    results.analysis += &format!(" Left out: {why}.");
                }
            }
        }
        let runs = strategies.len() * common.repeats() as usize;
        let mut progress = Progress::new(runs, rows, self.out.to_owned());
        runner::run(&mut *engine, &strategies, &mut results, cancel, &mut progress)?;

        let mut out = Output::open();
        if common.json {
            write!(out, "{}", report::json(&results)?)?;
        } else {
            summary(&mut out, &results, strategies.len(), self.out)?;
        }
        out.finish()?;
        Ok(match (results.interrupted, results.failures.is_empty()) {
            (true, _) => ExitCode::from(INTERRUPTED),
            (false, true) => ExitCode::SUCCESS,
            (false, false) => ExitCode::FAILURE,
        })
    }
}

/// Those that this database can do, and why it cannot do the others.
fn those_possible(
    engine: &dyn Engine,
    strategies: &[&'static Strategy],
    load: &Workload,
) -> (Vec<&'static Strategy>, Vec<idgen_lab::Error>) {
    let (mut possible, mut refused) = (Vec::new(), Vec::new());
    for strategy in strategies {
        match engine.check(strategy, load) {
            Ok(()) => possible.push(*strategy),
            Err(why) => refused.push(why),
        }
    }
    (possible, refused)
}

/// The results for the terminal; `wanted` strategies were to be run, none where statements were.
pub fn summary(out: &mut Output, results: &Results, wanted: usize, directory: &Path) -> anyhow::Result<()> {
    writeln!(out, "{} {}: {}", results.engine.name, results.engine.version, results.question)?;
    if results.interrupted {
        match wanted {
            0 => writeln!(out, "Interrupted: {} cases were finished.", results.cases.len())?,
            _ => writeln!(out, "Interrupted: {} of {wanted} strategies were finished.", results.runs.len())?,
        }
    }
    if !results.runs.is_empty() {
        writeln!(out, "{}", report::table(results))?;
    }
    if !results.cases.is_empty() {
        writeln!(out, "{}", report::cases(results))?;
    }
    if let Some(published) = report::published(results) {
        writeln!(out, "{published}")?;
    }
    if let Some(met) = report::met(results) {
        writeln!(out, "\n{met}")?;
    }
    if let Some(answer) = report::answer(results) {
        writeln!(out, "\n{}", wrapped(&answer))?;
    }
    if results.has_any() && !results.analysis.is_empty() {
        writeln!(out, "\n{}", wrapped(&results.analysis))?;
    }
    // Before anything was finished nothing is saved.
    if !results.interrupted || results.has_any() || !results.failures.is_empty() {
        writeln!(out, "\nReport: {}", directory.join("report.html").display())?;
    }
    Ok(())
}
