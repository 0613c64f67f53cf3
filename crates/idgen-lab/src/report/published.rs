//! The published figures beside the measured ones.

use super::numbers::{grouped, percent, rate};
use crate::measure::{Results, Totals};

/// A figure of a run that can be set beside another: its title, where a run has it, how it is written.
pub struct Figure {
    /// For people.
    pub title: &'static str,
    /// The same for the head of a narrow column, in lines.
    pub head: &'static str,
    of: fn(&Totals) -> Option<f64>,
    write: fn(f64) -> String,
}

impl Figure {
    /// What it is in a run; not every database tells each.
    pub fn value(&self, totals: &Totals) -> Option<f64> {
        (self.of)(totals).filter(|figure| figure.is_finite())
    }

    /// As people read it.
    pub fn write(&self, value: f64) -> String {
        (self.write)(value)
    }
}

/// The figure of this name, a field of [`Totals`].
pub fn figure(name: &str) -> Option<Figure> {
    type Of = fn(&Totals) -> Option<f64>;
    type Write = fn(f64) -> String;
    let figure = |title, head, of: Of, write: Write| Some(Figure { title, head, of, write });
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
            let Some(measured) = figure.value(&totals) else { continue };
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
