//! `results.csv` has one row per run, with what experiments count or show of each index in columns of their
//! own, and `windows.csv` one per window of a run. Numbers have full precision, for spreadsheets and scripts;
//! unknown figures are empty.

use idgen_record::{Figures, METRICS, Metric, Results, Run, TreeFigures, Value};
use serde::Serialize;

use crate::error::{Error, Result};

/// A cell; serde writes numbers with all of their digits.
#[derive(Serialize)]
#[serde(untagged)]
enum Cell<'a> {
    Text(&'a str),
    Owned(String),
    Count(u64),
    Number(f64),
    Empty,
}

impl From<Option<Value>> for Cell<'_> {
    fn from(value: Option<Value>) -> Self {
        match value {
            Some(Value::Count(count)) => Cell::Count(count),
            Some(Value::Number(number)) => Cell::Number(number),
            None => Cell::Empty,
        }
    }
}

/// The columns before the metrics of a run.
const RUN: [&str; 4] = ["engine", "engine_version", "strategy", "title"];
/// The leaf pages of a run by fill: below 5 %, below 10 % and so on, with semicolons between them.
const HISTOGRAM: &str = "fill_histogram";
/// The number of a run of its strategy, from 1, and its seed.
const NUMBER: &str = "run";
const SEED: &str = "seed";
/// The columns before the metrics of a window.
const WINDOW: [&str; 2] = ["strategy", "rows_end"];
/// The size of a load, where an experiment compares several.
const LOAD: [&str; 2] = ["clients", "statement_rows"];

/// The results as CSV with a header (RFC 4180).
///
/// # Errors
/// No record causes an error; errors of the CSV writer are passed on.
pub fn csv(results: &Results) -> Result<String> {
    let loads: &[&str] = if results.runs.iter().any(|run| run.load.is_some()) { &LOAD } else { &[] };
    let mut details: Vec<String> = Vec::new();
    for detail in results.runs.iter().flat_map(Run::details) {
        if !details.contains(&detail.name) {
            details.push(detail.name);
        }
    }
    let metrics = METRICS.iter().map(|metric| metric.name);
    let end = [HISTOGRAM, NUMBER, SEED].into_iter().chain(loads.iter().copied());
    let head = RUN.into_iter().chain(metrics).chain(end).chain(details.iter().map(String::as_str)).collect();
    let each = results.runs.iter().flat_map(|run| (1..).zip(run.each()).map(move |one| (run, one)));
    lines(
        head,
        each.map(|(run, (number, one))| {
            let mut line = run_line(results, run, number, &one);
            let load = run.load.map(|load| [load.clients, load.statement_rows]);
            let load = |at: usize| load.map(|load| Value::Count(load[at].into())).into();
            line.extend((0..loads.len()).map(load));
            let found = run.details();
            let value = |name: &String| found.iter().find(|detail| detail.name == *name);
            line.extend(
                details.iter().map(|name| value(name).map(|detail| Value::Number(detail.value)).into()),
            );
            line
        }),
    )
}

/// The course of each run as CSV with a header; an empty text where runs have no windows.
///
/// # Errors
/// The errors of [`csv`].
pub fn windows(results: &Results) -> Result<String> {
    let metrics = Metric::of_windows().map(|metric| metric.name);
    let head = WINDOW.into_iter().chain(metrics).chain([NUMBER]).collect();
    let each = results.runs.iter().flat_map(|run| (1..).zip(run.each()).map(move |one| (run, one)));
    let windows = each.flat_map(|(run, (number, one))| {
        let windows = one.windows.iter();
        windows.map(move |window| (run, number, window))
    });
    lines(
        head,
        windows.map(|(run, number, window)| {
            let start = [Cell::Text(&run.strategy.name), Cell::Count(window.rows_end)];
            let metrics = Metric::of_windows().map(|metric| metric.in_window(window).into());
            start.into_iter().chain(metrics).chain([Cell::Count(number)]).collect()
        }),
    )
}

/// The lines below their header; an empty text where there are none.
fn lines<'a>(head: Vec<&str>, lines: impl Iterator<Item = Vec<Cell<'a>>>) -> Result<String> {
    let failed = |error| Error::caused("cannot write the results as CSV", error);
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    for (number, line) in lines.enumerate() {
        if number == 0 {
            writer.serialize(&head).map_err(failed)?;
        }
        writer.serialize(line).map_err(failed)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| Error::caused("cannot write the results as CSV", error.into_error()))?;
    String::from_utf8(bytes).map_err(|error| Error::caused("cannot write the results as CSV", error))
}

fn run_line<'a>(results: &'a Results, run: &'a Run, number: u64, one: &Figures<'_>) -> Vec<Cell<'a>> {
    let start = [&results.engine.name, &results.engine.version, &run.strategy.name, &run.strategy.title].map(
        |text| {
            let text: &str = text;
            Cell::Text(text)
        },
    );
    let metrics = METRICS.iter().map(|metric| metric.value(one).into());
    let end = [
        Cell::Owned(histogram(one.trees)),
        Cell::Count(number),
        Cell::Count(one.seed.unwrap_or(results.workload.seed)),
    ];
    start.into_iter().chain(metrics).chain(end).collect()
}

/// The figures of all trees together; empty where no tree is known.
fn histogram(trees: &[TreeFigures]) -> String {
    let classes = trees.iter().map(|tree| tree.fill_histogram.len()).max().unwrap_or(0);
    let pages =
        |class: usize| -> u64 { trees.iter().filter_map(|tree| tree.fill_histogram.get(class)).sum() };
    (0..classes).map(|class| pages(class).to_string()).collect::<Vec<_>>().join(";")
}
