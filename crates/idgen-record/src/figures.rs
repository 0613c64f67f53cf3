//! One run of a record, as metrics read it.

use crate::clients::Clients;
use crate::mix::Operations;
use crate::repeat::Repeat;
use crate::run::Run;
use crate::totals::{Latency, Totals};
use crate::tree::TreeFigures;
use crate::window::Window;

/// The input of a metric: the figures of one run of a record, at its end or at a number of rows.
#[derive(Clone, Copy, Debug)]
pub struct Figures<'a> {
    /// The seed of the run; `None` where it is that of the workload.
    pub seed: Option<u64>,
    /// The totals.
    pub totals: Totals,
    /// The duration of statements; `None` where they were not timed.
    pub latency: Option<Latency>,
    /// The figures of the clients; `None` where they are not known.
    pub clients: Option<Clients>,
    /// Pages, durations and counts of operations; `None` where the run only inserted.
    pub operations: Option<&'a Operations>,
    /// The trees.
    pub trees: &'a [TreeFigures],
    /// The windows of the run, in order; empty where its course was not recorded.
    pub windows: &'a [Window],
}

impl Figures<'_> {
    /// Pages of the trees except for the first page of each, per 1,000 rows. They come from page splits and from the growing
    /// height of the trees. `None` where no tree is known, or where the trees held rows before the run.
    ///
    /// The server's counter of splits differs from this where it also counts the server's own trees, or splits that kept no
    /// page.
    pub(crate) fn tree_splits_per_1k(&self) -> Option<f64> {
        let pages: u64 =
            self.trees.iter().map(|tree| (tree.leaf_pages + tree.inner_pages).saturating_sub(1)).sum();
        let new = !self.trees.is_empty() && self.trees.iter().all(|tree| tree.rows <= self.totals.rows);
        new.then_some(pages as f64 * 1_000.0 / self.totals.rows.max(1) as f64)
    }

    /// Returns these figures with those of the end (`last_…`) replaced by the figures of the window in which
    /// the table reached this many rows. If the run has fewer rows, nothing is replaced.
    #[must_use]
    pub fn at(self, rows: u64) -> Self {
        let Some(window) = self.windows.iter().find(|window| window.rows_end >= rows) else { return self };
        let totals = Totals {
            last_rows_per_sec: window.rows_per_sec,
            last_reads_per_1k: window.reads_per_1k,
            last_writes_per_1k: window.writes_per_1k,
            last_table_reads_per_1k: window.table_reads_per_1k,
            last_table_writes_per_1k: window.table_writes_per_1k,
            ..self.totals
        };
        Figures { totals, ..self }
    }
}

impl Run {
    /// The source of metrics: of repeated runs, the one in the middle.
    pub fn figures(&self) -> Figures<'_> {
        Figures {
            seed: None,
            totals: self.totals,
            latency: self.latency,
            clients: self.clients,
            operations: self.operations.as_ref(),
            trees: &self.trees,
            windows: &self.windows,
        }
    }

    /// Each run, in the order in which they were made.
    pub fn each(&self) -> Vec<Figures<'_>> {
        match self.repeats.as_slice() {
            [] => vec![self.figures()],
            repeats => repeats.iter().map(Repeat::figures).collect(),
        }
    }
}

impl Repeat {
    fn figures(&self) -> Figures<'_> {
        Figures {
            seed: Some(self.seed),
            totals: self.totals,
            latency: self.latency,
            clients: self.clients,
            operations: self.operations.as_ref(),
            trees: &self.trees,
            windows: &self.windows,
        }
    }
}
