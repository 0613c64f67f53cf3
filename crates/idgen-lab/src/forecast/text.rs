//! Prints a forecast for people.

use std::fmt;

use super::{Forecast, Load, PostgresForecast, SqliteForecast};
use crate::strategy::Strategy;
use crate::table::table;
use btree_model::Window;
use idgen_record::thousands;

impl fmt::Display for Forecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} rows of {} bytes", self.strategy, thousands(self.tree.rows), self.record_bytes)?;
        let Load { rate, id_rate, writers, commit_rows, ref server, .. } = self.load;
        let writers = count_of_writers(writers);
        write!(
            f,
            "{rate} inserts per second by {writers}, {commit_rows} in a transaction, a pool of {} MiB",
            server.pool_bytes >> 20
        )?;
        match server.device_iops {
            Some(iops) => writeln!(f, ", {iops} page reads and writes per second")?,
            None => writeln!(f)?,
        }
        if let Some(id_rate) = id_rate {
            writeln!(f, "{id_rate} ids per second by their own clock")?;
        }
        existing(f, self.load.existing)?;
        if self.parts > 1 {
            writeln!(f, "Computed from a sample: one of {} parts of the keys.", self.parts)?;
        }
        writeln!(f, "{}", windows(&self.windows))?;
        writeln!(
            f,
            "At the end: {} leaf pages, {:.1} % full (10th percentile {:.1} %), {:.1} bytes of pages per row.",
            thousands(self.tree.leaf_pages),
            100.0 * self.tree.fill.mean,
            100.0 * self.tree.fill.p10,
            self.tree.page_bytes_per_row
        )
    }
}

impl fmt::Display for PostgresForecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let load = &self.load;
        writeln!(
            f,
            "{}: {} rows with {} bytes beside the key",
            self.strategy,
            thousands(load.rows),
            load.row_bytes
        )?;
        let writers = count_of_writers(load.writers);
        writeln!(
            f,
            "{} inserts per second by {writers}, a checkpoint every {} s",
            load.rate, load.checkpoint_secs
        )?;
        existing(f, load.existing)?;
        let head = ["rows", "log bytes\nper row", "images\nper 1k", "splits\nper 1k", "leaves\nper 1k"];
        let rows = self.stretches.iter().map(|stretch| {
            [
                thousands(stretch.rows),
                format!("{:.0}", stretch.log_bytes_per_row),
                per_1k(stretch.images_per_1k),
                format!("{:.2}", stretch.splits_per_1k),
                per_1k(stretch.leaves_per_1k),
            ]
        });
        let table = table(head, 0, rows);
        writeln!(f, "{table}")?;
        writeln!(
            f,
            "At the end: {} leaf pages of the index, {:.1} % full (10th percentile {:.1} %); {:.1} bytes of index and {:.1} \
             bytes of heap per row.",
            thousands(self.index.leaf_pages),
            100.0 * self.index.fill.mean,
            100.0 * self.index.fill.p10,
            self.index.page_bytes_per_row,
            self.heap_bytes_per_row
        )
    }
}

impl fmt::Display for SqliteForecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let load = &self.load;
        writeln!(f, "{}: {} rows of {} bytes", self.strategy, thousands(load.rows), self.record_bytes)?;
        let writers = count_of_writers(load.writers);
        writeln!(
            f,
            "{} inserts per second with ids of {writers}, {} in a transaction, pages of {} bytes, a cache of {} KiB",
            load.rate,
            load.commit_rows,
            load.page_bytes,
            load.cache_bytes >> 10
        )?;
        existing(f, load.existing)?;
        writeln!(f, "{}", windows(&self.windows))?;
        writeln!(
            f,
            "At the end: {} leaf pages, {:.1} % full (10th percentile {:.1} %), {:.1} bytes of pages per row.",
            thousands(self.tree.leaf_pages),
            100.0 * self.tree.fill.mean,
            100.0 * self.tree.fill.p10,
            self.tree.page_bytes_per_row
        )
    }
}

/// A figure per 1,000 inserts, with a decimal below 100: the model is off by some percent.
fn per_1k(value: f64) -> String {
    if value < 99.95 { format!("{value:.1}") } else { thousands(value.round() as u64) }
}

/// The table of the parts of a run.
fn windows(windows: &[Window]) -> impl fmt::Display {
    let head = ["rows", "pages read\nper 1k", "pages written\nper 1k", "splits\nper 1k", "leaves\nper 1k"];
    let rows = windows.iter().map(|window| {
        [
            thousands(window.rows),
            per_1k(window.reads_per_1k),
            per_1k(window.writes_per_1k),
            format!("{:.2}", window.splits_per_1k),
            per_1k(window.distinct_leaves_per_1k),
        ]
    });
    table(head, 0, rows)
}

/// What the table holds before.
fn existing(f: &mut fmt::Formatter<'_>, existing: Option<(&Strategy, u64)>) -> fmt::Result {
    match existing {
        Some((strategy, rows)) => {
            writeln!(f, "into a table that holds {} rows of {}", thousands(rows), strategy.name)
        }
        None => Ok(()),
    }
}

fn count_of_writers(writers: u64) -> String {
    if writers == 1 { "one writer".to_owned() } else { format!("{writers} writers") }
}
