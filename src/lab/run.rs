//! `idgen lab run`: the comparison of key strategies, and the experiments.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use idgen_lab::experiment::{self, Experiment, Keys, Scale};
use idgen_lab::runner::{self, Cancel};
use idgen_lab::session::{Comparison, Fitting, Started};
use idgen_lab::strategy::{Strategy, default_set_on};
use idgen_record::Workload;
use idgen_report as report;

use super::options::{CommonArgs, LoadArgs};
use super::progress::Progress;
use super::shape;
use super::signals::{self, INTERRUPTED};
use super::summary::summary;
use super::timed::{self, Timed};
use crate::failure;
use crate::output::{self, Output};

/// A service has several clients, and they decide how full the pages of ordered keys are.
const WRITERS: u32 = 8;

const QUESTION: &str = "What does each kind of key cost a table?";

/// Compares strategies on one load.
pub fn strategies(load: &LoadArgs, common: &CommonArgs) -> anyhow::Result<ExitCode> {
    let rows = if load.quick { Workload::QUICK_ROWS } else { load.rows };
    let workload = Workload::of_rows(rows).map_err(failure::usage)?;
    let writers = if common.engine.is_embedded() || load.shape.is_mixed() { 1 } else { WRITERS };
    let workload = workload.with_writers(writers).map_err(failure::usage)?;
    let workload = load.shape.apply(common.with_writers(workload)?, &common.engine)?;
    let database = common.database()?;
    load.check(database)?;
    let fitting = Fitting {
        load: &workload,
        database,
        all: load.strategies.is_empty(),
        indexed: load.shape.own.is_indexed(),
    };
    let strategies = fitting.part_of(load.part_of(default_set_on(database))).map_err(failure::usage)?;
    shape::warn_of_large_buckets(&strategies, &workload);
    let command =
        format!("idgen lab run{} --rows {rows}{}{}", common.given(), load.shape.given(), load.named());
    let job = Job { question: QUESTION, command, workload, strategies, experiment: None, out: &common.out };
    let cancel = signals::cancel()?;
    job.run(common, &cancel).or_else(|error| interrupted(&cancel, error))
}

/// A failure after Ctrl-C was caused by it, such as a server that the terminal ended while it started.
fn interrupted(cancel: &Cancel, error: anyhow::Error) -> anyhow::Result<ExitCode> {
    if cancel.is_cancelled() { Ok(ExitCode::from(INTERRUPTED)) } else { Err(error) }
}

/// The size of an experiment.
#[derive(Clone, Copy)]
pub struct Size {
    pub scale: Scale,
    /// Rows to insert, as a multiple of those that are there before.
    pub growth: Option<u32>,
}

impl Size {
    /// The load of an experiment at this size.
    fn load_of(self, experiment: &Keys) -> anyhow::Result<Workload> {
        let load = experiment.workload(self.scale)?;
        match (self.growth, load.existing) {
            (None, _) => Ok(load),
            (Some(growth), Some(existing)) => {
                let rows = existing.rows.saturating_mul(growth.into());
                // Refuses more rows than there can be.
                let rows = Workload::of_rows(rows).map_err(failure::usage)?.rows;
                Ok(Workload { rows, ..load })
            }
            (Some(_), None) => Err(no_growth(&experiment.id)),
        }
    }

    fn given(self) -> String {
        let growth = self.growth.map(|growth| format!(" --growth {growth}")).unwrap_or_default();
        format!(" --scale {}{growth}", self.scale)
    }
}

fn no_growth(id: &str) -> anyhow::Error {
    failure::usage(format_args!(
        "{id} begins with an empty table, so there is nothing to multiply: leave out --growth"
    ))
}

/// Runs experiments by name, `all` for each; of their strategies those that were chosen.
pub fn experiments(
    names: &[String],
    size: Size,
    load: &LoadArgs,
    common: &CommonArgs,
) -> anyhow::Result<ExitCode> {
    // Refuses as much as possible before a server is contacted.
    common.engine.check().map_err(failure::usage)?;
    let experiments: Vec<Experiment> = match names {
        [all] if all == "all" => common.all()?,
        names if names.iter().any(|name| name == "all") => {
            return Err(failure::usage(
                "all stands for every experiment: write it alone, or name single experiments",
            ));
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
        match experiment {
            Experiment::Keys(experiment) => size.load_of(experiment).map(|_| ())?,
            other if size.growth.is_some() => return Err(no_growth(other.id())),
            _ => {}
        }
    }
    let database = common.database()?;
    load.check(database)?;
    let cancel = signals::cancel()?;
    let mut worst = ExitCode::SUCCESS;
    let several = experiments.len() > 1;
    for experiment in experiments {
        // A cancellation during the last experiment may have come too late to stop it. The others have not begun.
        if cancel.is_cancelled() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        let id = experiment.id().to_owned();
        let ended = one(experiment, size, load, common, &cancel);
        match ended.or_else(|error| interrupted(&cancel, error)) {
            Ok(ExitCode::SUCCESS) => {}
            Ok(code) => worst = code,
            // The other experiments still run, and finished results are kept.
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
    size: Size,
    load: &LoadArgs,
    common: &CommonArgs,
    cancel: &Cancel,
) -> anyhow::Result<ExitCode> {
    let out = common.out.join(experiment.id());
    let checkpoint = load.shape.given_checkpoint();
    let scale = size.scale;
    let command = format!(
        "idgen lab run {}{}{}{checkpoint}{}",
        experiment.id(),
        common.given(),
        size.given(),
        load.named()
    );
    // Only those that have statements of their own need one.
    let server = common.engine.server_for(&experiment).map_err(failure::usage);
    match experiment {
        Experiment::Keys(experiment) => Job {
            question: &experiment.question,
            command,
            workload: load
                .shape
                .with_checkpoint(common.load_of(size.load_of(&experiment)?)?, &common.engine)?,
            strategies: load.part_of(experiment.strategies()?),
            experiment: Some((&experiment, scale)),
            out: &out,
        }
        .run(common, cancel),
        Experiment::Statements(experiment) => {
            let server = server?;
            let mut experiment = experiment.at(scale, server)?;
            experiment.runs = common.repeat.unwrap_or(experiment.runs);
            timed::run(&Timed::Statements(experiment), server, &command, &out, common, cancel)
        }
        Experiment::Loads(experiment) => {
            timed::run(&Timed::Loads(experiment, scale), server?, &command, &out, common, cancel)
        }
    }
}

/// A comparison, from the empty results to the summary.
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
        common.check_strict()?;
        let _prepared = report::prepare(self.out)?;
        let rows = self.workload.rows;
        let Started { mut engine, workload, .. } = common.start(self.workload)?;
        // The size of an experiment is its own.
        if self.experiment.is_none()
            && let Some(fits) = report::fits_cache(&workload, engine.info().database())
        {
            failure::note(fits);
        }
        let comparison = Comparison {
            question: self.question,
            command: &self.command,
            strategies: &self.strategies,
            repeats: common.repeats(),
            experiment: self.experiment,
        };
        let (mut results, strategies) = comparison.begin(&common.engine, &*engine, workload)?;
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
        if common.strict
            && let Some(foreign) = report::foreign_writes(&results)
        {
            anyhow::bail!(foreign);
        }
        Ok(match (results.interrupted, results.failures.is_empty()) {
            (true, _) => ExitCode::from(INTERRUPTED),
            (false, true) => ExitCode::SUCCESS,
            (false, false) => ExitCode::FAILURE,
        })
    }
}
