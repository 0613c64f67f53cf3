//! The published figures beside the measured ones.

use super::numbers::{percent, rate};
use crate::measure::{Results, Totals};

/// A figure that can be published: its title, where a run has it, and how it is written.
pub struct Figure {
    /// For people.
    pub title: &'static str,
    of: fn(&Totals) -> Option<f64>,
    write: fn(f64) -> String,
}

/// The figure of this name, a field of [`Totals`].
pub fn figure(name: &str) -> Option<Figure> {
    let figure = |title, of, write| Some(Figure { title, of, write });
    match name {
        "last_reads_per_1k" => figure(
            "pages read per 1k, at the end",
            |t: &Totals| Some(t.last_reads_per_1k),
            rate as fn(f64) -> String,
        ),
        "last_writes_per_1k" => {
            figure("pages written per 1k, at the end", |t: &Totals| Some(t.last_writes_per_1k), rate)
        }
        "distinct_leaves_per_1k" => {
            figure("leaf pages per 1k", |t: &Totals| Some(t.distinct_leaves_per_1k), rate)
        }
        "splits_per_1k" => figure("page splits per 1k", |t: &Totals| t.splits_per_1k, |n| format!("{n:.2}")),
        "fill_mean" => figure("fill %, mean", |t: &Totals| Some(t.fill_mean), percent),
        "bytes_per_row" => figure("bytes per row", |t: &Totals| Some(t.bytes_per_row), |n| format!("{n:.1}")),
        "map_bytes_per_row" => {
            figure("bytes per row of the map", |t: &Totals| t.map_bytes_per_row, |n| format!("{n:.1}"))
        }
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
            let measured = (figure.of)(&totals).filter(|figure| figure.is_finite());
            let Some(measured) = measured else { continue };
            let difference = match *value {
                0.0 => String::new(),
                value => format!("{:+.0} %", (measured / value - 1.0) * 100.0),
            };
            lines.push(Comparison {
                strategy: run.strategy.title.clone(),
                setting: published.setting.clone(),
                figure: figure.title,
                published: (figure.write)(*value),
                measured: (figure.write)(measured),
                difference,
            });
        }
    }
    lines
}
