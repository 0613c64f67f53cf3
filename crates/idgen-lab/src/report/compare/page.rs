//! The comparison as a page: charts, one for each figure, and the tables behind them.

use askama::Template;

use super::{Compared, Pair, Side};
use crate::report::charts::{Bar, Scale, bars};
use crate::report::drawings::Drawing;
use crate::report::grids::Grid;
use crate::report::numbers::{figure_text, ratio};
use crate::report::published::figure;
use crate::{Error, Result};
use idgen_record::Family;

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

/// What is drawn; the tables have all.
const DRAWN: [(&str, Scale); 6] = [
    ("distinct_leaves_per_1k", Scale::Log),
    ("reads_per_1k", Scale::Log),
    ("writes_per_1k", Scale::Log),
    ("last_rows_per_sec", Scale::Log),
    ("fill_mean", Scale::UpTo(100.0)),
    ("bytes_per_row", Scale::Linear),
];

/// The comparison as one HTML file with everything in it.
///
/// # Errors
/// Where a chart cannot be drawn.
pub fn comparison_html(compared: &Compared) -> Result<String> {
    let mut drawings = Vec::new();
    let drawn: &[_] = if compared.strategies.is_empty() { &[] } else { &DRAWN };
    for (name, scale) in drawn {
        drawings.extend(drawing(compared, name, *scale)?);
    }
    let lines = compared.differences.iter().map(|line| {
        let cells = vec![line.what.clone(), line.a.clone(), line.b.clone()];
        (line.area.title().to_owned(), cells)
    });
    let head = vec!["differs in", "", "A", "B"];
    let differences = Grid { id: "differences", head, rows: lines.collect(), texts: 3 };
    let cases = compared.cases.iter().flat_map(|pair| {
        pair.figures.iter().map(|found| {
            let name = found.name.replace('_', " ");
            (pair.title.clone(), vec![name, figure_text(found.a), figure_text(found.b), ratio(found.ratio)])
        })
    });
    let cases =
        Grid { id: "cases", head: vec!["case", "figure", "A", "B", "B/A"], rows: cases.collect(), texts: 1 };
    let page = Page {
        compared,
        sides: [("A", &compared.a), ("B", &compared.b)],
        only: [("A", &compared.only_in_a), ("B", &compared.only_in_b)],
        drawings,
        differences: some(differences),
        grids: super::MEASURES.iter().filter_map(|name| grid(&compared.strategies, name)).collect(),
        cases: some(cases),
    };
    page.render().map_err(|error| Error::output("cannot write the comparison", error))
}

fn some(grid: Grid) -> Option<Grid> {
    (!grid.rows.is_empty()).then_some(grid)
}

/// The bar is B, the mark across it A.
fn drawing(compared: &Compared, name: &'static str, scale: Scale) -> Result<Option<Drawing>> {
    let Some(figure) = figure(name) else { return Ok(None) };
    let rows: Vec<_> = compared
        .strategies
        .iter()
        .filter_map(|pair| {
            let found = pair.figures.iter().find(|found| found.name == name)?;
            // A share is drawn in percent.
            let unit = if name == "fill_mean" { 100.0 } else { 1.0 };
            Some(Bar {
                label: pair.title.clone(),
                family: crate::strategy::find(&pair.name).map_or(Family::Integer, |known| known.family()),
                value: found.b * unit,
                written: ratio(found.ratio),
                mark: Some(found.a * unit),
            })
        })
        .collect();
    if rows.is_empty() {
        return Ok(None);
    }
    Ok(Some(Drawing {
        name: name.into(),
        heading: figure.title.into(),
        beside: String::new(),
        caption: "The bar is B, and the vertical mark is A; the number is B divided by A.",
        chart: bars(&format!("{}: B divided by A", figure.title), &rows, scale)?,
    }))
}

/// The table of one figure, with its heading.
fn grid(pairs: &[Pair], name: &'static str) -> Option<(String, Grid)> {
    let figure = figure(name)?;
    let rows = pairs.iter().filter_map(|pair| {
        let found = pair.figures.iter().find(|found| found.name == name)?;
        let cells = vec![figure.write(found.a), figure.write(found.b), ratio(found.ratio)];
        Some((pair.title.clone(), cells))
    });
    let grid =
        some(Grid { id: name, head: vec!["strategy", "A", "B", "B/A"], rows: rows.collect(), texts: 0 })?;
    Some((figure.title.into(), grid))
}
