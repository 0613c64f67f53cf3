//! The course of a run, window by window.

use serde::{Deserialize, Serialize};

use crate::known;
use crate::totals::Latency;

/// Consecutive inserts of a run. A figure is `None` where the database does not provide it, or where the record is older
/// than the figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Rows in the table at the end of the window.
    pub rows_end: u64,
    /// Rows inserted in the window.
    pub rows: u64,
    /// Seconds that the database took for them. Generating the ids is not counted.
    pub secs: f64,
    /// Inserted rows per second.
    pub rows_per_sec: f64,
    /// The duration of its statements; `None` where they were not timed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// Pages read into the cache per 1,000 inserts.
    pub reads_per_1k: f64,
    /// Page requests that waited for such a read, per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_reads_per_1k: Option<f64>,
    /// Pages written to the file per 1,000 inserts. Not a number where unknown.
    #[serde(with = "known")]
    pub writes_per_1k: f64,
    /// Pages read from the tables' own files per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_reads_per_1k: Option<f64>,
    /// Pages written to the tables' own files per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_writes_per_1k: Option<f64>,
    /// New pages per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_per_1k: Option<f64>,
    /// Page splits per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub splits_per_1k: Option<f64>,
    /// Bytes written to the log per row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redo_bytes_per_row: Option<f64>,
    /// Full-page images in the log, per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_images_per_1k: Option<f64>,
    /// Transactions that the server could not serialize and that were repeated, per 1,000 inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serialization_failures_per_1k: Option<f64>,
    /// Page requests answered by the cache, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_rate: Option<f64>,
}
