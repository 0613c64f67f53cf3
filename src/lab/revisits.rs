//! `idgen lab run` and `idgen lab simulate` of an experiment that visits buckets again and again.

use std::path::Path;
use std::process::ExitCode;

use idgen_lab::experiment::{Revisits, Scale};
use idgen_lab::forecast;
use idgen_lab::measure;
use idgen_lab::runner::{self, Cancel};
use idgen_lab::session::Started;
use idgen_lab::strategy::Strategy;
use idgen_record::Workload;
use idgen_report as report;

use super::cases::Recorder;
use super::options::CommonArgs;
use super::signals;

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
    let Started { mut engine, workload, .. } = common.start(first(experiment, scale)?)?;
    let results = measure::begin(&experiment.question, command, engine.info(), workload);
    let recorder = Recorder { id: &experiment.id, directory: out, json: common.json, cancel, order: vec![] };
    recorder
        .record(results, |done| runner::revisit(&mut *engine, experiment, scale, strategies, cancel, done))
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
    let recorder = Recorder { id: &experiment.id, directory: &out, json, cancel: &cancel, order: vec![] };
    recorder.record(results, |done| forecast::revisit(experiment, scale, &strategies, &cancel, done))
}

/// The load that a server is set up for: all cells have the same page cache.
fn first(experiment: &Revisits, scale: Scale) -> anyhow::Result<Workload> {
    let loads = experiment.workloads(scale)?;
    loads.into_iter().next().ok_or_else(|| anyhow::anyhow!("the experiment {} has no cells", experiment.id))
}
