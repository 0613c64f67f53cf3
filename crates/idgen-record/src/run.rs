//! One run of one strategy: its course, its totals, its trees.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Clients, Column, Family, IdKind, Operations, Repeat, Role, TreeFigures, Window, known};

/// One finished and verified run. Of repeated runs, it is the middle one, with the figures of all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// What was compared.
    pub strategy: StrategyRecord,
    /// The settings that matter, as the database reported them.
    pub settings: BTreeMap<String, String>,
    /// The course of the run.
    pub windows: Vec<Window>,
    /// The whole run.
    pub totals: Totals,
    /// How long its statements took, on a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// How its clients worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<Clients>,
    /// How long its operations took, where it did more than insert.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<Operations>,
    /// Each tree, the one with the rows first.
    pub trees: Vec<TreeFigures>,
    /// All runs in the order in which they were made, where there was more than one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<Repeat>,
}

/// A strategy, as a record describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrategyRecord {
    /// Its name on the command line.
    pub name: String,
    /// A title of a few words.
    pub title: String,
    /// A description of one line.
    pub explains: String,
    /// Where its ids come from.
    pub ids: IdKind,
    /// What its column holds.
    pub column: Column,
    /// The family of its ids.
    pub family: Family,
}

/// The figures of a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Rows that the table held afterwards. A run with another number than was inserted is not recorded.
    pub rows: u64,
    /// Seconds that the database took.
    pub secs: f64,
    /// Inserted rows per second, over the run. Not a number where the run did more than insert.
    #[serde(with = "known")]
    pub rows_per_sec: f64,
    /// The same in the last tenth of the run, when the table has outgrown the cache. Not a number where the run did more than insert.
    #[serde(with = "known")]
    pub last_rows_per_sec: f64,
    /// Pages read into the cache per 1,000 inserts. Not a number where the run did more than insert.
    #[serde(with = "known")]
    pub reads_per_1k: f64,
    /// The same in the last tenth of the run. Not a number where a record does not contain it.
    #[serde(default = "unknown", with = "known")]
    pub last_reads_per_1k: f64,
    /// Page requests that waited for such a read, per 1,000 inserts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_reads_per_1k: Option<f64>,
    /// Pages written to the file per 1,000 inserts. Not a number where the run did more than insert.
    #[serde(with = "known")]
    pub writes_per_1k: f64,
    /// The same in the last tenth of the run. Not a number where a record does not contain it.
    #[serde(default = "unknown", with = "known")]
    pub last_writes_per_1k: f64,
    /// Pages written after the last insert until no changed page was left, per 1,000 inserts of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flushed_per_1k: Option<f64>,
    /// Pages read from the tables' own files, per 1,000 inserts. The other pages read are the server's own: undo logs, the
    /// dictionary, statistics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_reads_per_1k: Option<f64>,
    /// Pages written to the tables' own files until no changed page was left, per 1,000 inserts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_writes_per_1k: Option<f64>,
    /// Pages read from the tables' own files per 1,000 inserts in the last tenth of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_table_reads_per_1k: Option<f64>,
    /// Pages written to them in the last tenth of the run, without the flush.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_table_writes_per_1k: Option<f64>,
    /// Pages written to the doublewrite buffer during the inserts, per 1,000: in addition to the pages written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doublewrites_per_1k: Option<f64>,
    /// Bytes written to the binary log per row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binlog_bytes_per_row: Option<f64>,
    /// Of the pages written, the ones written before the commit because the cache was full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spills_per_1k: Option<f64>,
    /// New pages per 1,000 inserts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_per_1k: Option<f64>,
    /// Page splits per 1,000 inserts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub splits_per_1k: Option<f64>,
    /// Bytes written to the log per row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redo_bytes_per_row: Option<f64>,
    /// Pages that were written to the log as a whole, at their first change after a checkpoint, per 1,000 inserts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_images_per_1k: Option<f64>,
    /// Transactions that the server could not serialize and that were repeated, per 1,000 inserts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serialization_failures_per_1k: Option<f64>,
    /// Page requests answered by the cache, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hit_rate: Option<f64>,
    /// Different leaf pages that 1,000 consecutive inserts went to, on average; all trees together. Not a
    /// number where the pages are out of reach, as on a server given by URL: `null` in JSON, `–` in reports.
    #[serde(with = "known")]
    pub distinct_leaves_per_1k: f64,
    /// Bytes in use of a leaf page, from 0 to 1: the mean over all trees. Not a number where unknown.
    #[serde(with = "known")]
    pub fill_mean: f64,
    /// The tenth percentile of the page fill of leaf pages. Not a number where unknown.
    #[serde(with = "known")]
    pub fill_p10: f64,
    /// Bytes of all pages of all trees, and of the heap where there is one, by row of the table. Not a number where the
    /// database shows only what it has allocated.
    #[serde(with = "known")]
    pub bytes_per_row: f64,
    /// Bytes that the server has allocated to the tables, by row: whole extents, the free pages in them included, so more
    /// than the pages of the trees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocated_bytes_per_row: Option<f64>,
    /// Of those, the ones of the heap, in which the rows lie in the order in which they came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap_bytes_per_row: Option<f64>,
    /// Of those, the ones of the map from UUID to integer, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map_bytes_per_row: Option<f64>,
    /// Of those, the ones of secondary indexes and of further tables, where the user's own tables have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_bytes_per_row: Option<f64>,
}

impl Totals {
    /// Only the figures of the rows and their pages, without those per insert: for a run that did more than insert.
    #[must_use]
    pub fn without_inserts(self) -> Self {
        Totals {
            rows: self.rows,
            secs: self.secs,
            rows_per_sec: f64::NAN,
            last_rows_per_sec: f64::NAN,
            reads_per_1k: f64::NAN,
            last_reads_per_1k: f64::NAN,
            writes_per_1k: f64::NAN,
            last_writes_per_1k: f64::NAN,
            distinct_leaves_per_1k: self.distinct_leaves_per_1k,
            fill_mean: self.fill_mean,
            fill_p10: self.fill_p10,
            bytes_per_row: self.bytes_per_row,
            allocated_bytes_per_row: self.allocated_bytes_per_row,
            heap_bytes_per_row: self.heap_bytes_per_row,
            map_bytes_per_row: self.map_bytes_per_row,
            other_bytes_per_row: self.other_bytes_per_row,
            ..Totals::default()
        }
    }
}

fn unknown() -> f64 {
    f64::NAN
}

/// How long statements took, in microseconds: each holds one or more rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latency {
    /// The median.
    pub p50_micros: u64,
    /// The 95th percentile.
    pub p95_micros: u64,
    /// The 99th percentile.
    pub p99_micros: u64,
    /// The longest.
    pub max_micros: u64,
}

impl RunRecord {
    /// Converts an older record to the current format. Figures of the last tenth of the run that it lacks are computed from
    /// the windows, if there are any. Its bytes per row of a server that did not show its pages are the allocated ones.
    pub fn complete(&mut self) {
        let tail = &self.windows[self.windows.len() - self.windows.len().div_ceil(10)..];
        let rows = tail.iter().map(|window| window.rows).sum::<u64>() as f64;
        let mean = |of: fn(&Window) -> f64| {
            tail.iter().map(|window| of(window) * window.rows as f64).sum::<f64>() / rows
        };
        let complete = |figure: &mut f64, of| {
            if figure.is_nan() {
                *figure = mean(of);
            }
        };
        complete(&mut self.totals.last_reads_per_1k, |window| window.reads_per_1k);
        complete(&mut self.totals.last_writes_per_1k, |window| window.writes_per_1k);
        let Totals { bytes_per_row, heap_bytes_per_row, allocated_bytes_per_row, .. } = self.totals;
        if self.trees.is_empty() && heap_bytes_per_row.or(allocated_bytes_per_row).is_none() {
            self.totals.bytes_per_row = f64::NAN;
            self.totals.allocated_bytes_per_row = Some(bytes_per_row).filter(|bytes| bytes.is_finite());
            self.totals.map_bytes_per_row = None;
        }
    }

    /// The figures of the tree with this role.
    pub fn tree(&self, role: Role) -> Option<&TreeFigures> {
        self.trees.iter().find(|tree| tree.role == role)
    }
}
