//! A progress bar on the terminal; silent where standard error is none.

use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};

use crate::Result;
use crate::measure::{Failure, Results};
use crate::report;
use crate::runner::Observer;
use crate::strategy::Strategy;

/// Shows how the runs go on, and saves the results after each.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    strategies: usize,
    begun: usize,
    directory: PathBuf,
}

impl Progress {
    /// For so many strategies of so many rows each, saving into this directory.
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
        report::save(results, &self.directory)
    }

    fn failed(&mut self, failure: &Failure) {
        self.bar.suspend(|| eprintln!("{} failed: {}", failure.strategy, failure.error));
    }
}
