//! Each run of a record, and what a metric is in all of them.

use crate::metrics::{Figures, Metric};
use crate::repeat::Repeat;
use crate::run::RunRecord;
use crate::sample::Sample;
use crate::totals::Totals;
use crate::tree::TreeFigures;
use crate::window::Window;

impl Repeat {
    fn of(run: &RunRecord, seed: u64) -> Self {
        let trees = run.trees.iter().map(|tree| TreeFigures { file: None, ..tree.clone() }).collect();
        Repeat {
            seed,
            totals: run.totals,
            latency: run.latency,
            clients: run.clients,
            operations: run.operations.clone(),
            windows: run.windows.clone(),
            trees,
        }
    }

    fn as_run(&self) -> OneRun<'_> {
        let figures = Figures {
            totals: self.totals,
            latency: self.latency,
            clients: self.clients,
            operations: self.operations.as_ref(),
            trees: &self.trees,
        };
        OneRun { seed: Some(self.seed), figures, windows: &self.windows }
    }
}

/// One run of a record.
#[derive(Clone, Copy, Debug)]
pub struct OneRun<'a> {
    /// Its seed; `None` where it is that of the workload.
    pub seed: Option<u64>,
    /// The source of its metrics.
    pub figures: Figures<'a>,
    /// Its course.
    pub windows: &'a [Window],
}

impl<'a> OneRun<'a> {
    /// The source of its metrics, with the figures of the end taken from the window in which the table reached this many
    /// rows. Where the run has fewer rows, they are those of its own end.
    #[must_use]
    pub fn at(self, rows: u64) -> Figures<'a> {
        match self.windows.iter().find(|window| window.rows_end >= rows) {
            None => self.figures,
            Some(window) => {
                let totals = Totals {
                    last_rows_per_sec: window.rows_per_sec,
                    last_reads_per_1k: window.reads_per_1k,
                    last_writes_per_1k: window.writes_per_1k,
                    last_table_reads_per_1k: window.table_reads_per_1k,
                    last_table_writes_per_1k: window.table_writes_per_1k,
                    ..self.figures.totals
                };
                Figures { totals, ..self.figures }
            }
        }
    }
}

impl RunRecord {
    /// The record of runs of one strategy, each with its seed: it is that of the middle one by the pages read and
    /// written at the end, and holds the figures of all. `None` where there are none.
    pub fn of_repeats(mut runs: Vec<(u64, RunRecord)>) -> Option<RunRecord> {
        let repeats: Vec<_> = runs.iter().map(|(seed, run)| Repeat::of(run, *seed)).collect();
        let pages = |run: &RunRecord| match &run.operations {
            Some(operations) => [operations.reads_per_1k, operations.writes_per_1k],
            None => [run.totals.last_reads_per_1k, run.totals.last_writes_per_1k],
        };
        // Where writes are not known, the reads decide.
        let pages = |run: &RunRecord| pages(run).into_iter().filter(|pages| pages.is_finite()).sum::<f64>();
        // The sort is stable, so equal runs keep their order.
        runs.sort_by(|(_, a), (_, b)| pages(a).total_cmp(&pages(b)));
        let middle = runs.len().checked_sub(1)? / 2;
        let (_, shown) = runs.swap_remove(middle);
        Some(RunRecord { repeats: if repeats.len() > 1 { repeats } else { Vec::new() }, ..shown })
    }

    /// The number of runs.
    pub fn run_count(&self) -> usize {
        self.repeats.len().max(1)
    }

    /// Each run, in the order in which they were made.
    pub fn each(&self) -> Vec<OneRun<'_>> {
        match self.repeats.as_slice() {
            [] => vec![OneRun { seed: None, figures: self.figures(), windows: &self.windows }],
            repeats => repeats.iter().map(Repeat::as_run).collect(),
        }
    }
}

impl Metric {
    /// Its value in each run of a record; `None` where one of them does not have it.
    pub fn sample(&self, run: &RunRecord) -> Option<Sample> {
        self.sample_of(run, |run| run.figures)
    }

    /// The same, with the figures of the end taken from the window in which the table reached this many rows.
    pub fn sample_at(&self, run: &RunRecord, rows: u64) -> Option<Sample> {
        self.sample_of(run, |run| run.at(rows))
    }

    fn sample_of<'a>(
        &self,
        run: &'a RunRecord,
        figures: impl Fn(OneRun<'a>) -> Figures<'a>,
    ) -> Option<Sample> {
        Sample::of(run.each().into_iter().map(|run| self.number(&figures(run))).collect::<Option<_>>()?)
    }
}
