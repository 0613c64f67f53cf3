//! `idgen lab run` of an experiment that runs statements on a server.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use idgen_lab::engine;
use idgen_lab::experiment::{Loads, Scale, Statements};
use idgen_lab::measure;
use idgen_lab::report;
use idgen_lab::runner::Cancel;
use idgen_record::{CaseRecord, Database, Failure, Workload};

use super::engine::EngineName;
use super::run::{CommonArgs, summary};
use super::signals::INTERRUPTED;
use crate::failure;
use crate::output::Output;

/// The buffer pool, in bytes, as in the published runs.
const POOL: u64 = 128 << 20;

/// An experiment that runs statements.
pub enum Timed {
    /// One connection, and one statement per case.
    Statements(Statements),
    /// Several clients load tables.
    Loads(Loads, Scale),
}

/// The server that the lab starts for it.
///
/// # Errors
/// If another database was chosen.
pub fn database(id: &str, engine: &EngineName) -> anyhow::Result<Database> {
    engine.own_server().ok_or_else(|| {
        failure::usage(format_args!(
            "the experiment {id} needs a server that the lab starts itself, because it sets variables and reads files \
             of the server. It cannot run on {engine}: choose --engine mysql or mariadb"
        ))
    })
}

/// Runs its cases, and saves the results after each.
pub fn run(
    experiment: &Timed,
    command: &str,
    directory: &Path,
    common: &CommonArgs,
    cancel: &Cancel,
) -> anyhow::Result<ExitCode> {
    let (id, question, analysis) = match experiment {
        Timed::Statements(found) => (&found.id, &found.question, &found.analysis),
        Timed::Loads(found, _) => (&found.id, &found.question, &found.analysis),
    };
    let database = database(id, &common.engine)?;
    report::prepare(directory)?;
    let workload = Workload { cache_bytes: Some(POOL), ..Workload::of_rows(Workload::MIN_ROWS)? };
    let mut engine = engine::start(database, &workload)?;
    let mut results = measure::begin(question, command, engine.info(), workload);
    results.settings = engine.settings();
    results.analysis.clone_from(analysis);
    let watched = std::io::stderr().is_terminal();
    let mut done = |record: CaseRecord| {
        if watched {
            // The terminal may have been closed.
            let _ = writeln!(std::io::stderr(), "{}: {:.3} s", record.name, record.secs);
        }
        results.cases.push(record);
        report::save(&results, directory)
    };
    let ended = match experiment {
        Timed::Statements(found) => engine.time(found, cancel, &mut done),
        Timed::Loads(found, scale) => engine.load(found, *scale, cancel, &mut done),
    };
    let code = match ended {
        Ok(()) => ExitCode::SUCCESS,
        // A failure after Ctrl-C was caused by it, such as a copy that the terminal ended.
        Err(error) if error.is_interrupted() || cancel.is_cancelled() => {
            results.interrupted = true;
            ExitCode::from(INTERRUPTED)
        }
        // The other experiments continue.
        Err(error) => {
            let error = format!("{:#}", anyhow::Error::from(error));
            failure::report(format_args!("{id}: {error}"));
            results.failures.push(Failure { strategy: id.clone(), error });
            ExitCode::FAILURE
        }
    };
    if !results.cases.is_empty() || !results.failures.is_empty() {
        report::save(&results, directory)?;
    }
    let mut out = Output::open();
    if common.json {
        write!(out, "{}", report::json(&results)?)?;
    } else {
        summary(&mut out, &results, 0, directory)?;
    }
    out.finish()?;
    Ok(code)
}
