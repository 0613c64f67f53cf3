//! Prints a forecast for people.

use std::fmt;

use super::{Clients, Delay, Forecast, Load};
use crate::table::table;
use btree_model::Figures;
use idgen_record::thousands;

impl fmt::Display for Forecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (load, tree) = (&self.load, &self.tree);
        writeln!(f, "{}: {} rows of {} bytes", self.strategy, thousands(tree.rows), self.record_bytes)?;
        let writers = match load.writers {
            1 => "one writer".to_owned(),
            count => format!("{count} writers"),
        };
        let settings = load.server.modeled().describe(load);
        writeln!(f, "{} inserts per second by {writers}, {settings}", load.rate)?;
        clients(f, load)?;
        if let Some(skew) = &load.skew {
            writeln!(f, "on hosts with {}", skew.text())?;
        }
        if let Some(id_rate) = load.id_rate {
            writeln!(f, "{id_rate} ids per second by their own clock")?;
        }
        if let Some(tenants) = load.tenants {
            writeln!(
                f,
                "with a primary key (tenant, id), of {} tenants at random",
                thousands(tenants.into())
            )?;
        }
        if let Some((strategy, rows)) = load.existing {
            writeln!(f, "into a table that holds {} rows of {}", thousands(rows), strategy.name)?;
        }
        if self.parts > 1 {
            writeln!(f, "Computed from a sample: one of {} parts of the keys.", self.parts)?;
        }
        writeln!(f, "{}", windows(&self.windows))?;
        let (fill, p10) = (100.0 * tree.fill.mean, 100.0 * tree.fill.p10);
        let pages = thousands(tree.leaf_pages);
        let per_row = tree.page_bytes_per_row;
        match self.heap_bytes_per_row {
            None => writeln!(
                f,
                "At the end: {pages} leaf pages, {fill:.1} % full (10th percentile {p10:.1} %), {per_row:.1} bytes of pages per \
                 row."
            ),
            Some(heap) => writeln!(
                f,
                "At the end: {pages} leaf pages of the index, {fill:.1} % full (10th percentile {p10:.1} %); {per_row:.1} bytes \
                 of index and {heap:.1} bytes of heap per row."
            ),
        }
    }
}

/// Writes how the writers insert, and the rate that they reach if they cannot keep the one that was asked
/// for.
fn clients(f: &mut fmt::Formatter<'_>, load: &Load) -> fmt::Result {
    let Some(Clients { statement_rows, delay, .. }) = load.clients else { return Ok(()) };
    let each = if statement_rows == 1 { "one row".to_owned() } else { format!("{statement_rows} rows") };
    match delay {
        Delay::MeanMillis(mean) => {
            writeln!(f, "{each} in a statement, inserted {mean} ms after its ids are made, on average")?;
        }
        Delay::Recorded(latency) => writeln!(
            f,
            "{each} in a statement, inserted within {} ms after its ids are made in half of the cases, and within {} ms in 95 %",
            latency.p50_micros as f64 / 1_000.0,
            latency.p95_micros as f64 / 1_000.0
        )?,
    }
    let reached = load.reached_rate();
    if reached < load.rate {
        writeln!(
            f,
            "With this delay, the writers insert at most {} rows per second.",
            thousands(reached as u64)
        )?;
    }
    Ok(())
}

/// A figure per 1,000 inserts, with a decimal below 100: the model is off by some percent.
fn per_1k(value: f64) -> String {
    if value < 99.95 { format!("{value:.1}") } else { thousands(value.round() as u64) }
}

/// The table of the parts of a run: what the pool did, and what was logged if there is a log.
fn windows(windows: &[Figures]) -> String {
    let row = |window: &Figures| {
        let [read, written] = [window.pool.reads_per_1k, window.pool.writes_per_1k].map(per_1k);
        let splits = format!("{:.2}", window.splits_per_1k);
        [thousands(window.rows), read, written, splits, per_1k(window.distinct_leaves_per_1k)]
    };
    let head = ["rows", "pages read\nper 1k", "pages written\nper 1k", "splits\nper 1k", "leaves\nper 1k"];
    if windows.iter().all(|window| window.log.is_none()) {
        return table(head, 0, windows.iter().map(row));
    }
    let rows = windows.iter().map(|window| {
        let [rows, read, written, splits, leaves] = row(window);
        let log = window.log.map(|log| [format!("{:.0}", log.log_bytes_per_row), per_1k(log.images_per_1k)]);
        let [bytes, images] = log.unwrap_or_default();
        [rows, read, written, splits, leaves, bytes, images]
    });
    let [first, read, written, splits, leaves] = head;
    table([first, read, written, splits, leaves, "log bytes\nper row", "images\nper 1k"], 0, rows)
}
