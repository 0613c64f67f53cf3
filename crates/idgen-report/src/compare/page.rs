//! The comparison as a page: a chart for each figure, and the tables of their values.

use askama::Template;

use super::{Compared, Pair, Ratio, Shown, Side};
use crate::charts::drawings::Drawing;
use crate::charts::{Bar, bars};
use crate::error::{Error, Result};
use crate::figures::grid::Grid;
use crate::figures::numbers::{probability, write_sample};
use idgen_record::{Better, Metric};

#[derive(Template)]
#[template(path = "compare.html")]
struct Page<'a> {
    compared: &'a Compared,
    sides: [(&'static str, &'a Side); 2],
    only: [(&'static str, &'a [String]); 2],
    drawings: Vec<Drawing>,
    differences: Option<Grid>,
    grids: Vec<(String, Grid)>,
}

/// The comparison as one self-contained HTML file.
///
/// # Errors
/// Where a chart cannot be drawn.
pub fn comparison_html(compared: &Compared) -> Result<String> {
    let mut drawings = Vec::new();
    let all = compared.shown();
    for shown in all.iter().filter(|shown| shown.name == shown.metric.name) {
        drawings.extend(drawing(compared, shown.metric)?);
    }
    let lines = compared.differences.iter().map(|line| {
        let cells = vec![line.what.clone(), line.a.clone(), line.b.clone()];
        (line.area.title().to_owned(), cells)
    });
    let differences = Grid::of("differences", ["differs in", "", "A", "B"], lines);
    let page = Page {
        compared,
        sides: [("A", &compared.a), ("B", &compared.b)],
        only: [("A", &compared.only_in_a), ("B", &compared.only_in_b)],
        drawings,
        differences: differences.map(|grid| Grid { texts: vec![0, 1, 2], ..grid }),
        grids: all.iter().filter_map(|shown| grid(&compared.strategies, shown)).collect(),
    };
    page.render().map_err(|error| Error::caused("cannot write the comparison", error))
}

/// The bar is B, and the mark across it is A. `None` for a metric that is not drawn or that no strategy has.
fn drawing(compared: &Compared, metric: &'static Metric) -> Result<Option<Drawing>> {
    let Some(axis) = metric.axis else { return Ok(None) };
    let rows: Vec<_> = compared
        .strategies
        .iter()
        .filter_map(|pair| {
            let found = pair.figure(metric.name)?;
            Some(Bar {
                label: pair.title.clone(),
                family: pair.family,
                value: found.b,
                written: found.verdict("no diff."),
                mark: Some(found.a),
                points: if found.b_runs.len() > 1 { found.b_runs.clone() } else { Vec::new() },
            })
        })
        .collect();
    if rows.is_empty() {
        return Ok(None);
    }
    Ok(Some(Drawing {
        name: metric.name.into(),
        heading: metric.title.into(),
        beside: String::new(),
        caption: match metric.better {
            Better::Lower => {
                "The bar is B, and the vertical mark is A; the number is B divided by A. Lower is better."
            }
            Better::Higher => {
                "The bar is B, and the vertical mark is A; the number is B divided by A. Higher is better."
            }
            Better::Neither => "The bar is B, and the vertical mark is A; the number is B divided by A.",
        },
        chart: bars(&format!("{}: B divided by A", metric.title), &rows, axis)?,
    }))
}

fn verdict(found: &Ratio) -> String {
    found.verdict("no difference")
}

/// The probability of the rank test; empty for single runs.
fn likely(found: &Ratio) -> String {
    found.p.map_or_else(String::new, |p| probability(p).trim_start_matches("= ").to_owned())
}

/// The table of one figure, with its heading.
fn grid(pairs: &[Pair], shown: &Shown) -> Option<(String, Grid)> {
    let found = |pair: &Pair| pair.figure(&shown.name).is_some_and(|found| found.p.is_some());
    let repeated = pairs.iter().any(found);
    let rows = pairs.iter().filter_map(|pair| {
        let found = pair.figure(&shown.name)?;
        let [a, b] = found.samples().map(|sample| write_sample(shown.metric, sample.as_ref()));
        let mut cells = vec![a, b, verdict(found)];
        cells.extend(repeated.then(|| likely(found)));
        Some((pair.title.clone(), cells))
    });
    let mut head = vec!["strategy", "A", "B", "B/A"];
    head.extend(repeated.then_some("p"));
    Some((shown.title.clone(), Grid::of(shown.name.replace(' ', "-"), head, rows)?))
}
