//! A progress bar on the terminal; nothing if standard error is not a terminal.

use std::io::{Write, stderr};
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};

use idgen_lab::runner::Observer;
use idgen_lab::strategy::Strategy;
use idgen_lab::{Error, Result};
use idgen_record::{Failure, Results};

/// Shows how the runs go on, and saves the results after each.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    strategies: usize,
    begun: usize,
    directory: PathBuf,
}

impl Progress {
    /// Begins the progress of this many strategies of this many rows each, saving into this directory.
    pub fn new(strategies: usize, rows: u64, directory: PathBuf) -> Self {
        let style =
            ProgressStyle::with_template("{prefix:>7} {msg:22} {bar:32} {percent:>3} %  {elapsed} so far")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(rows).with_style(style);
        Progress { bar, strategies, begun: 0, directory }
    }
}

impl Observer for Progress {
    fn started(&mut self, strategy: &Strategy) {
        self.begun += 1;
        self.bar.set_prefix(format!("{}/{}", self.begun, self.strategies));
        self.bar.set_message(strategy.title);
        self.bar.set_position(0);
    }

    fn inserted(&mut self, rows: u64) {
        self.bar.set_position(rows);
    }

    fn verifying(&mut self) {
        self.bar.set_message("checking the rows");
    }

    fn recorded(&mut self, results: &Results) -> Result<()> {
        if self.begun == self.strategies || results.interrupted {
            self.bar.finish_and_clear();
        }
        // Interrupted before anything was finished: the results of an earlier run stay.
        if results.runs.is_empty() && results.failures.is_empty() {
            return Ok(());
        }
        idgen_report::save(results, &self.directory).map_err(Error::not_saved)
    }

    fn failed(&mut self, failure: &Failure) {
        // A terminal may be closed meanwhile.
        let _ = self.bar.suspend(|| writeln!(stderr(), "{} failed: {}", failure.strategy, failure.error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use idgen_lab::measure;
    use idgen_record::{EngineInfo, Workload};

    #[test]
    fn an_interruption_before_the_first_result_keeps_those_of_the_run_before() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join(idgen_report::FILES[0]);
        std::fs::write(&file, "of the run before").unwrap();
        let engine = EngineInfo {
            name: "Base".into(),
            version: "1".into(),
            setup: "as it is".into(),
            missing: Vec::new(),
        };
        let mut results = measure::begin("?", "test", engine, Workload::of_rows(1_000).unwrap());
        let mut progress = Progress::new(2, 1_000, directory.path().to_owned());

        results.interrupted = true;
        progress.recorded(&results).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "of the run before");

        results.failures.push(Failure { strategy: "v4-binary".into(), error: "no".into() });
        progress.recorded(&results).unwrap();
        assert_ne!(std::fs::read_to_string(&file).unwrap(), "of the run before");
    }
}
