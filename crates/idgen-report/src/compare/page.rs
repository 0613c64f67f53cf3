//! The comparison as a page: a chart for each figure, and the tables of their values.

use askama::Template;

use super::{Compared, Pair, Ratio, Side};
use crate::charts::drawings::Drawing;
use crate::charts::{Bar, Scale, bars};
use crate::error::{Error, Result};
use crate::figures::grid::Grid;
use crate::figures::numbers::{figure_text, probability, write_sample};
use idgen_record::{Better, Family, Metric};

#[derive(Template)]
#[template(path = "compare.html")]
struct Page<'a> {
    compared: &'a Compared,
    sides: [(&'static str, &'a Side); 2],
    only: [(&'static str, &'a [String]); 2],
    drawings: Vec<Drawing>,
    differences: Option<Grid>,
    grids: Vec<(String, Grid)>,
    cases: Option<Grid>,
}

/// The comparison as one self-contained HTML file.
///
/// # Errors
/// Where a chart cannot be drawn.
pub fn comparison_html(compared: &Compared) -> Result<String> {
    let mut drawings = Vec::new();
    let metrics = compared.metrics();
    for metric in metrics.iter().copied() {
        drawings.extend(drawing(compared, metric)?);
    }
    let lines = compared.differences.iter().map(|line| {
        let cells = vec![line.what.clone(), line.a.clone(), line.b.clone()];
        (line.area.title().to_owned(), cells)
    });
    let head = vec!["differs in", "", "A", "B"];
    let differences = Grid { id: "differences", head, rows: lines.collect(), texts: vec![0, 1, 2] };
    let cases = compared.cases.iter().flat_map(|pair| {
        pair.figures.iter().map(|found| {
            let name = found.name.replace('_', " ");
            let cells = vec![name, figure_text(found.a), figure_text(found.b), verdict(found), likely(found)];
            (pair.title.clone(), cells)
        })
    });
    let head = vec!["case", "figure", "A", "B", "B/A", "p"];
    let cases = Grid { id: "cases", head, rows: cases.collect(), texts: vec![0] };
    let page = Page {
        compared,
        sides: [("A", &compared.a), ("B", &compared.b)],
        only: [("A", &compared.only_in_a), ("B", &compared.only_in_b)],
        drawings,
        differences: some(differences),
        grids: metrics.into_iter().filter_map(|metric| grid(&compared.strategies, metric)).collect(),
        cases: some(cases),
    };
    page.render().map_err(|error| Error::caused("cannot write the comparison", error))
}

fn some(grid: Grid) -> Option<Grid> {
    (!grid.rows.is_empty()).then_some(grid)
}

/// The bar is B, and the mark across it is A. `None` for a metric that is not drawn or that no strategy has.
fn drawing(compared: &Compared, metric: &'static Metric) -> Result<Option<Drawing>> {
    let Some(axis) = metric.axis else { return Ok(None) };
    let scale = Scale::from(axis);
    let rows: Vec<_> = compared
        .strategies
        .iter()
        .filter_map(|pair| {
            let found = pair.figure(metric)?;
            Some(Bar {
                label: pair.title.clone(),
                family: pair.family.unwrap_or(Family::Integer),
                value: scale.of(found.b),
                written: found.verdict("no diff."),
                mark: Some(scale.of(found.a)),
                points: found
                    .b_runs
                    .iter()
                    .filter(|_| found.b_runs.len() > 1)
                    .map(|b| scale.of(*b))
                    .collect(),
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
        chart: bars(&format!("{}: B divided by A", metric.title), &rows, scale)?,
    }))
}

fn verdict(found: &Ratio) -> String {
    found.verdict("no difference")
}

/// The probability of the rank test; empty for single runs.
fn likely(found: &Ratio) -> String {
    found.p.map_or_else(String::new, |p| probability(p).trim_start_matches("= ").to_owned())
}

/// The table of one metric, with its heading.
fn grid(pairs: &[Pair], metric: &'static Metric) -> Option<(String, Grid)> {
    let repeated = pairs.iter().filter_map(|pair| pair.figure(metric)).any(|found| found.p.is_some());
    let rows = pairs.iter().filter_map(|pair| {
        let found = pair.figure(metric)?;
        let [a, b] = found.samples().map(|sample| write_sample(metric, sample.as_ref()));
        let mut cells = vec![a, b, verdict(found)];
        cells.extend(repeated.then(|| likely(found)));
        Some((pair.title.clone(), cells))
    });
    let mut head = vec!["strategy", "A", "B", "B/A"];
    head.extend(repeated.then_some("p"));
    let grid = some(Grid { id: metric.name, head, rows: rows.collect(), texts: Vec::new() })?;
    Some((metric.title.into(), grid))
}
