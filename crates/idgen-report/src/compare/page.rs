//! The comparison as a page: a chart for each figure, and the tables of their values.

use super::{Compared, Pair, Ratio, Shown};
use crate::charts::drawings::Drawing;
use crate::charts::{Bar, bars};
use crate::error::Result;
use crate::figures::grid::Grid;
use crate::figures::numbers::{probability, write_sample};
use crate::formats::blocks::{Block, Page, Span};
use idgen_record::{Better, Metric};

/// The comparison as a page.
///
/// # Errors
/// A chart cannot be drawn.
pub fn comparison_page(compared: &Compared) -> Result<Page> {
    let [a, b] = [("A", &compared.a), ("B", &compared.b)];
    let sides = [a, b].into_iter().flat_map(|(name, side)| {
        let engine = format!("{name}: {} {}", side.engine.name, side.engine.version);
        let ran = format!("{}, {}", side.started, side.name);
        [(engine, ran.into()), (format!("{name}: command"), Span::Code(side.command.clone()))]
    });
    let mut head = vec![Block::words(sides), Block::Quote(vec![Block::text(compared.conclusion.as_str())])];
    head.extend(compared.cautions.iter().map(|caution| Block::problem(caution.as_str())));
    let (mut drawings, mut body) = (Vec::new(), Vec::new());
    let all = compared.shown();
    for shown in all.iter().filter(|shown| shown.name == shown.metric.name) {
        drawings.extend(drawing(compared, shown.metric)?);
    }
    if let Some(charts) = Block::charts(drawings) {
        body.extend([Block::heading("charts", "B beside A"), charts]);
    }
    let lines = compared.differences.iter().map(|line| {
        let cells = vec![line.what.clone(), line.a.clone(), line.b.clone()];
        (line.area.title().to_owned(), cells)
    });
    let differences = Grid::of("differences", ["differs in", "", "A", "B"], lines);
    body.push(Block::heading("differences", "Differences between the runs"));
    body.push(differences.map_or_else(
        || Block::text("Both have the same engine, version, workload, settings and machine."),
        |grid| Block::Table(Grid { texts: vec![0, 1, 2], ..grid }),
    ));
    for (title, grid) in all.iter().filter_map(|shown| grid(&compared.strategies, shown)) {
        body.extend([Block::heading(grid.id.clone(), title), Block::Table(grid)]);
    }
    for (name, only) in [("A", &compared.only_in_a), ("B", &compared.only_in_b)] {
        body.extend((!only.is_empty()).then(|| Block::text(format!("Only in {name}: {}.", only.join("; ")))));
    }
    let same = compared.a.question == compared.b.question;
    Ok(Page {
        title: format!("{} and {}", compared.a.name, compared.b.name),
        heading: if same { compared.a.question.clone() } else { "Two runs side by side".to_owned() },
        skip: "differences".into(),
        head,
        body,
    })
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
    let caption = match metric.better {
        Better::Lower => {
            "The bar is B, and the vertical mark is A; the number is B divided by A. Lower is better."
        }
        Better::Higher => {
            "The bar is B, and the vertical mark is A; the number is B divided by A. Higher is better."
        }
        Better::Neither => "The bar is B, and the vertical mark is A; the number is B divided by A.",
    };
    let chart = bars(&format!("{}: B divided by A", metric.title), &rows, axis)?;
    Ok(Some(Drawing::of(metric.name, metric.title, caption, chart)))
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
