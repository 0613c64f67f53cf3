//! Computes the figures of each window of a run.

use idgen_record::{Latency, Window};

use crate::engine::Counters;

/// The figures of a window: what was counted in it, and how long it and its statements took.
pub fn window(counted: &Counters, latency: Option<Latency>, rows_end: u64, rows: u64, secs: f64) -> Window {
    let per_1k = |count: u64| count as f64 * 1_000.0 / rows as f64;
    Window {
        rows_end,
        rows,
        secs,
        rows_per_sec: rows as f64 / secs.max(1e-9),
        latency,
        reads_per_1k: per_1k(counted.pages_read),
        disk_reads_per_1k: counted.disk_reads.map(per_1k),
        writes_per_1k: counted.pages_written.map_or(f64::NAN, per_1k),
        table_reads_per_1k: counted.table_pages.map(|pages| per_1k(pages.read)),
        table_writes_per_1k: counted.table_pages.map(|pages| per_1k(pages.written)),
        created_per_1k: counted.pages_created.map(per_1k),
        splits_per_1k: counted.page_splits.map(per_1k),
        redo_bytes_per_row: counted.redo_bytes.map(|bytes| bytes as f64 / rows as f64),
        page_images_per_1k: counted.page_images.map(per_1k),
        serialization_failures_per_1k: counted.serialization_failures.map(per_1k),
        hit_rate: counted.hit_rate(),
    }
}
