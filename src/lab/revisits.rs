//! `idgen lab run` and `idgen lab simulate` of an experiment that visits buckets again and again.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use idgen_lab::experiment::{Revisits, Scale};
use idgen_lab::measure;
use idgen_lab::runner::{self, Cancel};
use idgen_lab::strategy::Strategy;
use idgen_lab::{forecast, report};
use idgen_record::{CaseRecord, Failure, Results, Workload};

use super::engine::EngineName;
use super::run::{CommonArgs, summary};
use super::signals::{self, INTERRUPTED};
use crate::failure;
use crate::output::Output;

/// Refuses a database whose pages are out of reach.
pub fn check(id: &str, engine: &EngineName) -> anyhow::Result<()> {
    if engine.is_ours() {
        return Ok(());
    }
    Err(failure::usage(format_args!(
        "the experiment {id} reads the pages of its tables, which {engine} does not show: choose --engine sqlite, mysql \
         or mariadb"
    )))
}

/// Runs its cells on a database, and saves what is finished after each.
pub fn run(
    experiment: &Revisits,
    scale: Scale,
    strategies: &[&'static Strategy],
    command: &str,
    out: &Path,
    common: &CommonArgs,
    cancel: &Cancel,
) -> anyhow::Result<ExitCode> {
    report::prepare(out)?;
    let (mut engine, workload) = common.engine.start(first(experiment, scale)?)?;
    let results = measure::begin(&experiment.question, command, engine.info(), workload);
    record(experiment, results, out, common.json, cancel, |done| {
        runner::revisit(&mut *engine, experiment, scale, strategies, cancel, done)
    })
}

/// The same on the model of InnoDB.
pub fn simulate(experiment: &Revisits, scale: Scale, out: &Path, json: bool) -> anyhow::Result<ExitCode> {
    let cancel = signals::cancel()?;
    let strategies = experiment.strategies()?;
    let command = format!("idgen lab simulate --experiment {} --scale {scale}", experiment.id);
    let out = out.join(&experiment.id);
    report::prepare(&out)?;
    let results =
        measure::begin(&experiment.question, &command, forecast::model_info(), first(experiment, scale)?);
    record(experiment, results, &out, json, &cancel, |done| {
        forecast::revisit(experiment, scale, &strategies, &cancel, done)
    })
}

/// The load that a server is set up for: all cells have the same page cache.
fn first(experiment: &Revisits, scale: Scale) -> anyhow::Result<Workload> {
    let loads = experiment.workloads(scale)?;
    loads.into_iter().next().ok_or_else(|| anyhow::anyhow!("the experiment {} has no cells", experiment.id))
}

type Done<'a> = dyn FnMut(CaseRecord) -> idgen_lab::Result<()> + 'a;

fn record(
    experiment: &Revisits,
    mut results: Results,
    directory: &Path,
    json: bool,
    cancel: &Cancel,
    work: impl FnOnce(&mut Done<'_>) -> idgen_lab::Result<()>,
) -> anyhow::Result<ExitCode> {
    results.analysis.clone_from(&experiment.analysis);
    let watched = std::io::stderr().is_terminal();
    let ended = work(&mut |record| {
        if watched {
            // A terminal may be closed meanwhile.
            let _ = writeln!(std::io::stderr(), "{}: {:.1} s", record.name, record.secs);
        }
        results.cases.push(record);
        report::save(&results, directory)
    });
    let code = match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is_interrupted() || cancel.is_cancelled() => {
            results.interrupted = true;
            ExitCode::from(INTERRUPTED)
        }
        // The other experiments go on.
        Err(error) => {
            let error = format!("{:#}", anyhow::Error::from(error));
            failure::report(format_args!("{}: {error}", experiment.id));
            results.failures.push(Failure { strategy: experiment.id.clone(), error });
            ExitCode::FAILURE
        }
    };
    if results.has_any() || !results.failures.is_empty() {
        report::save(&results, directory)?;
    }
    let mut out = Output::open();
    if json {
        write!(out, "{}", report::json(&results)?)?;
    } else {
        summary(&mut out, &results, 0, directory)?;
    }
    out.finish()?;
    Ok(code)
}
