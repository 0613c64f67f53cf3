//! The figures of a whole run.

use serde::{Deserialize, Serialize};

use crate::known;

/// The figures of a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Rows that the table held afterwards; 0 for a timed statement whose table was not counted. A run with another number
    /// than was inserted is not recorded.
    pub rows: u64,
    /// Seconds that the database took.
    pub secs: f64,
    /// Inserted rows per second, over the run. Not a number where the run did more than insert.
    #[serde(with = "known")]
    pub rows_per_sec: f64,
    /// Inserted rows per second in the last tenth of the run, when the table has outgrown the cache. Not a
    /// number where the run did more than insert.
    #[serde(with = "known")]
    pub last_rows_per_sec: f64,
    /// Pages read into the cache per 1,000 inserts. Not a number where the run did more than insert.
    #[serde(with = "known")]
    pub reads_per_1k: f64,
    /// Pages read into the cache per 1,000 inserts in the last tenth of the run. Not a number where the run
    /// did more than insert.
    #[serde(with = "known")]
    pub last_reads_per_1k: f64,
    /// Page requests that waited for such a read, per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_reads_per_1k: Option<f64>,
    /// Pages written to the file per 1,000 inserts. Not a number where the run did more than insert.
    #[serde(with = "known")]
    pub writes_per_1k: f64,
    /// Pages written to the file per 1,000 inserts in the last tenth of the run. Not a number where the run
    /// did more than insert.
    #[serde(with = "known")]
    pub last_writes_per_1k: f64,
    /// Pages written after the last insert until no changed page was left, per 1,000 inserts of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flushed_per_1k: Option<f64>,
    /// Pages read from the tables' own files, per 1,000 inserts. The other pages read are the server's own: undo logs, the
    /// dictionary, statistics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_reads_per_1k: Option<f64>,
    /// Pages written to the tables' own files until no changed page was left, per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_writes_per_1k: Option<f64>,
    /// Pages read from the tables' own files per 1,000 inserts in the last tenth of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_table_reads_per_1k: Option<f64>,
    /// Pages written to them in the last tenth of the run, without the flush.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_table_writes_per_1k: Option<f64>,
    /// Pages written to the doublewrite buffer during the inserts, per 1,000: in addition to the pages written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doublewrites_per_1k: Option<f64>,
    /// Bytes written to the binary log per row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binlog_bytes_per_row: Option<f64>,
    /// Pages written before the commit because the cache was full, per 1,000 inserts: a part of the pages
    /// written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spills_per_1k: Option<f64>,
    /// New pages per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_per_1k: Option<f64>,
    /// Page splits per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub splits_per_1k: Option<f64>,
    /// Bytes written to the log per row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redo_bytes_per_row: Option<f64>,
    /// Pages that were written to the log as a whole, at their first change after a checkpoint, per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_images_per_1k: Option<f64>,
    /// Transactions that the server could not serialize and that were repeated, per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serialization_failures_per_1k: Option<f64>,
    /// Page requests answered by the cache, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_rate: Option<f64>,
    /// Bytes written to the files of an LSM tree per row: by flushes of memtables, and by compactions until none was left. The
    /// log is not included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_bytes_per_row: Option<f64>,
    /// Bytes written by flushes and compactions for each byte that flushes wrote: RocksDB's W-Amp. 1 if no
    /// compaction wrote a row again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_amplification: Option<f64>,
    /// Filters that an LSM tree asked, to find out whether a key was new, per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters_per_1k: Option<f64>,
    /// Filters among those that did not exclude a key that was not in their file, per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub false_positives_per_1k: Option<f64>,
    /// Bytes of files that moved to another level of an LSM tree without being written, per row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_bytes_per_row: Option<f64>,
    /// Seconds for which an LSM tree made inserts wait for flushes and compactions, per 1,000,000 inserts: all clients together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stall_secs_per_1m: Option<f64>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocated_bytes_per_row: Option<f64>,
    /// Bytes of the heap, in which the rows lie in the order in which they came, by row of the table: a part
    /// of `bytes_per_row`. `None` where the rows lie in a tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap_bytes_per_row: Option<f64>,
    /// Bytes of the map from UUID to integer, by row of the table: a part of `bytes_per_row`. `None` without
    /// a map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map_bytes_per_row: Option<f64>,
    /// Bytes of secondary indexes and of further tables of the user's schema, by row of the table: a part of
    /// `bytes_per_row`. `None` where it was not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_bytes_per_row: Option<f64>,
    /// Bytes of all copies of the key, by row, where the experiment is about them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_bytes_per_row: Option<f64>,
    /// The number that the check of a timed statement returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<u64>,
}

impl Totals {
    /// Only rows and seconds; nothing else is known.
    #[must_use]
    pub fn of(rows: u64, secs: f64) -> Self {
        const UNKNOWN: f64 = f64::NAN;
        Totals {
            rows,
            secs,
            rows_per_sec: UNKNOWN,
            last_rows_per_sec: UNKNOWN,
            reads_per_1k: UNKNOWN,
            last_reads_per_1k: UNKNOWN,
            writes_per_1k: UNKNOWN,
            last_writes_per_1k: UNKNOWN,
            distinct_leaves_per_1k: UNKNOWN,
            fill_mean: UNKNOWN,
            fill_p10: UNKNOWN,
            bytes_per_row: UNKNOWN,
            ..Totals::default()
        }
    }

    /// Only the figures of the rows and their pages, without those per insert: for a run that did more than insert.
    #[must_use]
    pub fn without_inserts(self) -> Self {
        Totals {
            distinct_leaves_per_1k: self.distinct_leaves_per_1k,
            fill_mean: self.fill_mean,
            fill_p10: self.fill_p10,
            bytes_per_row: self.bytes_per_row,
            allocated_bytes_per_row: self.allocated_bytes_per_row,
            heap_bytes_per_row: self.heap_bytes_per_row,
            map_bytes_per_row: self.map_bytes_per_row,
            other_bytes_per_row: self.other_bytes_per_row,
            ..Totals::of(self.rows, self.secs)
        }
    }
}

/// The duration of statements, each of one or more rows, in microseconds.
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
