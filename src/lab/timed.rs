//! `idgen lab run` of an experiment that runs statements on a server.

use std::path::Path;
use std::process::ExitCode;

use idgen_lab::engine;
use idgen_lab::experiment::{Loads, Scale, Statements};
use idgen_lab::measure;
use idgen_lab::runner::Cancel;
use idgen_record::{Database, Protocol, Workload};
use idgen_report as report;

use super::cases::Recorder;
use super::options::CommonArgs;

/// The buffer pool, in bytes, as in the published runs.
const POOL: u64 = 128 << 20;

/// An experiment that runs statements.
pub enum Timed {
    /// The statements of one connection, one per case.
    Statements(Statements),
    /// Several clients load tables.
    Loads(Loads, Scale),
}

/// Runs its cases, and saves the results after each.
pub fn run(
    experiment: &Timed,
    database: Database,
    command: &str,
    directory: &Path,
    common: &CommonArgs,
    cancel: &Cancel,
) -> anyhow::Result<ExitCode> {
    let (id, question) = match experiment {
        Timed::Statements(found) => (&found.id, &found.question),
        Timed::Loads(found, _) => (&found.id, &found.question),
    };
    let _prepared = report::prepare(directory)?;
    let workload = Workload { cache_bytes: Some(POOL), ..Workload::of_rows(Workload::MIN_ROWS)? };
    let mut engine = engine::start(database, &workload)?;
    let mut results = measure::begin(question, command, engine.info(), workload);
    results.settings = engine.settings();
    results.published = match experiment {
        Timed::Statements(found) => found.published(),
        Timed::Loads(found, scale) => found.published(*scale)?,
    };
    let (runs, isolation, order) = match experiment {
        Timed::Statements(found) => {
            let order = found.cases.iter().map(|case| case.name.clone()).collect();
            (found.runs, "all on one server and connection", order)
        }
        Timed::Loads(found, scale) => {
            let runs = found.at(*scale)?.iter().flatten().map(|load| load.runs).max().unwrap_or(1);
            (runs, "all on one server, each client on a connection of its own", vec![])
        }
    };
    if !matches!(experiment, Timed::Statements(found) if found.is_in_steps()) {
        results.protocol = Some(Protocol {
            repeats: runs,
            order_seed: engine::ORDER_SEED,
            order: Vec::new(),
            isolation: isolation.into(),
        });
    }
    let recorder = Recorder { id, directory, json: common.json, cancel, order };
    recorder.record(results, |done| match experiment {
        Timed::Statements(found) => engine.time(found, cancel, done),
        Timed::Loads(found, scale) => engine.load(found, *scale, cancel, done),
    })
}
