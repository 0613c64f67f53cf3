//! The charts of experiments that time statements or loads.

use super::{Drawing, of_metrics, one_bar};
use crate::charts::{Axes, Bar, Line, bars, lines};
use crate::error::Result;
use crate::figures::numbers::grouped;
use crate::figures::published::published_of;
use crate::figures::timed::{seconds, times_first};
use idgen_record::{Axis, Metric, Results, Run, TIMES_FIRST};

/// Draws the speed of loads, the sizes of files, or else the seconds.
pub fn timed(results: &Results) -> Result<Vec<Drawing>> {
    if results.runs.iter().any(|run| run.load.is_some()) {
        return loads(results);
    }
    let [_, sizes] = of_metrics(results)?;
    if sizes.is_empty() { bars_of_seconds(results) } else { Ok(sizes) }
}

/// Two charts for each number of rows in a statement: the measured speed, and the time as a multiple of the first case's.
fn loads(results: &Results) -> Result<Vec<Drawing>> {
    let mut sizes: Vec<u32> = Vec::new();
    for load in results.runs.iter().filter_map(|run| run.load) {
        if !sizes.contains(&load.statement_rows) {
            sizes.push(load.statement_rows);
        }
    }
    let mut drawings = Vec::new();
    for &size in &sizes {
        let beside = match size {
            1 => "one row per statement".to_owned(),
            rows => format!("{rows} rows per statement"),
        };
        let named = |name: &str, heading: &str, caption, chart| Drawing {
            name: if sizes.len() > 1 { format!("{name}-{size}") } else { name.into() },
            beside: format!("({beside})"),
            ..Drawing::of(name, heading, caption, chart)
        };
        let rate = |run: &Run| Some(run.totals.rows as f64 / seconds(run)?.median().max(1e-9));
        let axes = Axes { across: "clients", write: grouped, base: None };
        drawings.push(named(
            "rates",
            "Rows per second",
            "All clients together, as measured here. It depends on the machine and on its other work.",
            lines(
                &format!("Rows per second by clients, {beside}"),
                &axes,
                &by_case(results, size, rate, |_| None),
            )?,
        ));
        let times = |run: &Run| times_first(results, run);
        let published = |run: &Run| published_of(results, run, TIMES_FIRST);
        let axes = Axes { across: "clients", write: |times| format!("{times:.2}"), base: Some(1.0) };
        drawings.push(named(
            "times",
            "Seconds, times those of the first",
            "Compared with the first case with the same number of clients: below 1 is faster. Such a ratio can be compared with another \
             machine better than seconds do.",
            lines(
                &format!("Seconds by clients, times those of the first, {beside}"),
                &axes,
                &by_case(results, size, times, published),
            )?,
        ));
    }
    Ok(drawings)
}

/// A line for each case, over the number of clients.
fn by_case(
    results: &Results,
    statement_rows: u32,
    measured: impl Fn(&Run) -> Option<f64>,
    published: impl Fn(&Run) -> Option<f64>,
) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for run in &results.runs {
        let Some(load) = run.load.filter(|load| load.statement_rows == statement_rows) else { continue };
        let label = &run.strategy.title;
        let at = lines.iter().position(|line| line.label == *label).unwrap_or_else(|| {
            lines.push(Line { label: label.clone(), measured: Vec::new(), published: Vec::new() });
            lines.len() - 1
        });
        let clients = f64::from(load.clients);
        lines[at].measured.extend(measured(run).map(|value| (clients, value)));
        lines[at].published.extend(published(run).map(|value| (clients, value)));
    }
    lines
}

fn bars_of_seconds(results: &Results) -> Result<Vec<Drawing>> {
    let Some(secs) = Metric::named("secs").filter(|_| !results.runs.is_empty()) else {
        return Ok(Vec::new());
    };
    let published = |run: &Run| published_of(results, run, secs.name);
    let bar = |run: &Run| {
        let bar = one_bar(run, secs, None);
        Bar { written: format!("{:.3}", bar.value), mark: published(run), ..bar }
    };
    let rows: Vec<_> = results.runs.iter().map(bar).collect();
    let caption = match results.runs.iter().any(|run| published(run).is_some()) {
        true => {
            "The bar and its number were measured here; the vertical mark was published, for an older machine."
        }
        false => "As measured here. It depends on the machine and on its other work.",
    };
    Ok(vec![Drawing::of("seconds", "Seconds", caption, bars("Seconds", &rows, Axis::Linear)?)])
}
