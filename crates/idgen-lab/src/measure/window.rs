//! The course of a run, stretch by stretch.

use serde::{Deserialize, Serialize};

use crate::engine::{Counters, Latency};

/// A stretch of the run. What is `None` the database does not tell, or the record is older than the figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Rows in the table at its end.
    pub rows_end: u64,
    /// Rows inserted in it.
    pub rows: u64,
    /// Seconds that the database took for them; making the ids is not counted.
    pub secs: f64,
    /// Inserted rows per second.
    pub rows_per_sec: f64,
    /// How long its statements took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// Pages read into the cache per 1,000 inserts.
    pub reads_per_1k: f64,
    /// Page requests per 1,000 inserts that had to wait for such a read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_reads_per_1k: Option<f64>,
    /// Pages written to the file per 1,000 inserts.
    pub writes_per_1k: f64,
    /// New pages per 1,000 inserts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_per_1k: Option<f64>,
    /// Pages divided to make room, per 1,000 inserts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub splits_per_1k: Option<f64>,
    /// Bytes written to the log per row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redo_bytes_per_row: Option<f64>,
    /// Page requests answered by the cache, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hit_rate: Option<f64>,
}

impl Window {
    /// From what was counted in it, and how long it and its statements took.
    pub fn of(counted: &Counters, latency: Option<Latency>, rows_end: u64, rows: u64, secs: f64) -> Self {
        let per_1k = |count: u64| count as f64 * 1_000.0 / rows as f64;
        Window {
            rows_end,
            rows,
            secs,
            rows_per_sec: rows as f64 / secs.max(1e-9),
            latency,
            reads_per_1k: per_1k(counted.pages_read),
            disk_reads_per_1k: counted.disk_reads.map(per_1k),
            writes_per_1k: per_1k(counted.pages_written),
            created_per_1k: counted.pages_created.map(per_1k),
            splits_per_1k: counted.page_splits.map(per_1k),
            redo_bytes_per_row: counted.redo_bytes.map(|bytes| bytes as f64 / rows as f64),
            hit_rate: counted.hit_rate(),
        }
    }
}
