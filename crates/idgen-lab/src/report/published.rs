//! The published figures beside the measured ones.

use super::numbers::{grouped, percent, rate};
use idgen_record::{Latency, Results, Totals};

/// A figure of a run that can be set beside another: its title, where a run has it, how it is written.
pub struct Figure {
    /// For people.
    pub title: &'static str,
    /// The same for the head of a narrow column, in lines.
    pub head: &'static str,
    of: Of,
    write: fn(f64) -> String,
}

/// Where a run has a figure.
enum Of {
    Totals(fn(&Totals) -> Option<f64>),
    Latency(fn(&Latency) -> u64),
}

impl Figure {
    /// What it is in a run; not every database tells each.
    pub fn value(&self, totals: &Totals, latency: Option<&Latency>) -> Option<f64> {
        let value = match self.of {
            Of::Totals(of) => of(totals),
            Of::Latency(of) => latency.map(|latency| of(latency) as f64),
        };
        value.filter(|figure| figure.is_finite())
    }

    /// As people read it.
    pub fn write(&self, value: f64) -> String {
        (self.write)(value)
    }
}

/// The figure of this name, a field of [`Totals`] or of [`Latency`].
pub fn figure(name: &str) -> Option<Figure> {
    type OfTotals = fn(&Totals) -> Option<f64>;
    type OfLatency = fn(&Latency) -> u64;
    type Write = fn(f64) -> String;
    let figure =
        |title, head, of: OfTotals, write: Write| Some(Figure { title, head, of: Of::Totals(of), write });
    let millis = |title, head, of: OfLatency| {
        let write: Write = |micros| format!("{:.2}", micros / 1_000.0);
        Some(Figure { title, head, of: Of::Latency(of), write })
    };
    match name {
        "rows_per_sec" => figure("rows per second", "rows/s", |t| Some(t.rows_per_sec), grouped),
        "last_rows_per_sec" => {
            figure("rows per second, at the end", "rows/s\nat end", |t| Some(t.last_rows_per_sec), grouped)
        }
        "reads_per_1k" => figure("pages read per 1k", "read\nper 1k", |t| Some(t.reads_per_1k), rate),
        "last_reads_per_1k" => {
            figure("pages read per 1k, at the end", "read/1k\nat end", |t| Some(t.last_reads_per_1k), rate)
        }
        "writes_per_1k" => figure("pages written per 1k", "written\nper 1k", |t| Some(t.writes_per_1k), rate),
        "last_writes_per_1k" => figure(
            "pages written per 1k, at the end",
            "writ./1k\nat end",
            |t| Some(t.last_writes_per_1k),
            rate,
        ),
        "disk_reads_per_1k" => {
            figure("waits for the disk per 1k", "waits\nper 1k", |t| t.disk_reads_per_1k, rate)
        }
        "created_per_1k" => figure("pages created per 1k", "created\nper 1k", |t| t.created_per_1k, rate),
        "redo_bytes_per_row" => {
            figure("log bytes per row", "log B\nper row", |t| t.redo_bytes_per_row, grouped)
        }
        "hit_rate" => figure(
            "requests answered by the cache, %",
            "cache\nhits %",
            |t| t.hit_rate,
            |share| format!("{:.2}", share * 100.0),
        ),
        "p50_micros" => millis("milliseconds a statement, median", "ms\nmedian", |l| l.p50_micros),
        "p99_micros" => millis("milliseconds a statement, 99th percentile", "ms\np99", |l| l.p99_micros),
        "distinct_leaves_per_1k" => {
            figure("leaf pages per 1k", "leaves\nper 1k", |t| Some(t.distinct_leaves_per_1k), rate)
        }
        "splits_per_1k" => {
            figure("page splits per 1k", "splits\nper 1k", |t| t.splits_per_1k, |n| format!("{n:.2}"))
        }
        "fill_mean" => figure("fill %, mean", "fill %\nmean", |t| Some(t.fill_mean), percent),
        "fill_p10" => figure("fill %, tenth percentile", "fill %\np10", |t| Some(t.fill_p10), percent),
        "bytes_per_row" => {
            figure("bytes per row", "bytes\nper row", |t| Some(t.bytes_per_row), |n| format!("{n:.1}"))
        }
        "map_bytes_per_row" => figure(
            "bytes per row of the map",
            "map's B\nper row",
            |t| t.map_bytes_per_row,
            |n| format!("{n:.1}"),
        ),
        _ => None,
    }
}

/// One published figure and what was measured here.
pub struct Comparison {
    /// The title of the strategy measured.
    pub strategy: String,
    /// How the published run was.
    pub setting: String,
    /// Which figure.
    pub figure: &'static str,
    /// As published.
    pub published: String,
    /// As measured.
    pub measured: String,
    /// Measured less published, in percent of the published; nothing beside zero.
    pub difference: String,
}

/// Every published figure for which there is a run.
pub fn comparisons(results: &Results) -> Vec<Comparison> {
    let mut lines = Vec::new();
    for published in &results.published {
        let Some(run) = results.run(&published.strategy) else { continue };
        let totals = published.rows.map_or(run.totals, |rows| run.totals_at(rows));
        for (name, value) in &published.figures {
            let Some(figure) = figure(name) else { continue };
            let Some(measured) = figure.value(&totals, run.latency.as_ref()) else { continue };
            let difference = match *value {
                0.0 => String::new(),
                value => format!("{:+.0} %", (measured / value - 1.0) * 100.0),
            };
            lines.push(Comparison {
                strategy: run.strategy.title.clone(),
                setting: published.setting.clone(),
                figure: figure.title,
                published: figure.write(*value),
                measured: figure.write(measured),
                difference,
            });
        }
    }
    lines
}
