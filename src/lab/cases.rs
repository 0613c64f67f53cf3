//! Runs an experiment that consists of cases: shows and saves each, and prints a summary in the end.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use idgen_lab::runner::Cancel;
use idgen_record::{Failure, Results, Run};
use idgen_report as report;

use super::signals::INTERRUPTED;
use super::summary::summary;
use crate::failure;
use crate::output::Output;

/// The destination of the results of an experiment.
pub struct Recorder<'a> {
    /// The name of the experiment.
    pub id: &'a str,
    pub directory: &'a Path,
    /// True if the results are printed as JSON.
    pub json: bool,
    pub cancel: &'a Cancel,
    /// The names of the cases in the order of the report; nothing where they come in that order.
    pub order: Vec<String>,
}

/// Takes the record of each case that is finished, or one run further than before.
pub type Done<'a> = dyn FnMut(Run) -> idgen_lab::Result<()> + 'a;

impl Recorder<'_> {
    /// Adds a record, in place of the one with fewer runs of the same case, and keeps the order.
    fn keep(&self, runs: &mut Vec<Run>, record: Run) {
        match runs.iter_mut().find(|run| run.strategy.name == record.strategy.name) {
            Some(run) => *run = record,
            None => runs.push(record),
        }
        runs.sort_by_key(|run| self.order.iter().position(|known| *known == run.strategy.name));
    }

    /// Does the work, and saves the results after each case.
    pub fn record(
        &self,
        mut results: Results,
        work: impl FnOnce(&mut Done<'_>) -> idgen_lab::Result<()>,
    ) -> anyhow::Result<ExitCode> {
        let watched = std::io::stderr().is_terminal();
        let ended = work(&mut |record| {
            if watched {
                // The terminal may have been closed.
                let _ = writeln!(
                    std::io::stderr(),
                    "{}: {:.3} s",
                    record.strategy.name,
                    record.each().last().map_or(0.0, |run| run.totals.secs)
                );
            }
            self.keep(&mut results.runs, record);
            report::save(&results, self.directory).map_err(idgen_lab::Error::not_saved)
        });
        let code = match ended {
            Ok(()) => ExitCode::SUCCESS,
            // A failure after Ctrl-C was caused by it, such as a copy that the terminal ended.
            Err(error) if error.is_interrupted() || self.cancel.is_cancelled() => {
                results.interrupted = true;
                ExitCode::from(INTERRUPTED)
            }
            // The other experiments continue.
            Err(error) => {
                let error = format!("{:#}", anyhow::Error::from(error));
                failure::report(format_args!("{}: {error}", self.id));
                results.failures.push(Failure { strategy: self.id.to_owned(), error });
                ExitCode::FAILURE
            }
        };
        if results.has_any() || !results.failures.is_empty() {
            report::save(&results, self.directory)?;
        }
        let mut out = Output::open();
        if self.json {
            write!(out, "{}", report::json(&results)?)?;
        } else {
            summary(&mut out, &results, 0, self.directory)?;
        }
        out.finish()?;
        Ok(code)
    }
}
