//! `results.csv` has one row per run, and `windows.csv` one per window of a run. Numbers have full precision, for
//! spreadsheets and scripts; unknown figures are empty.

use idgen_record::{METRICS, Metric, OneRun, Results, RunRecord, TreeFigures, Value};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::figures::case_figures::{CaseFigure, case_figures};

/// One cell; serde writes numbers with all of their digits.
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
/// The columns of a case, with one figure per line, because experiments count different things.
const CASE: [&str; 8] =
    ["engine", "engine_version", "case", "clients", "statement_rows", "index", "figure", "value"];

/// The results as CSV with a header (RFC 4180).
///
/// # Errors
/// No record causes an error; errors of the CSV writer are passed on.
pub fn csv(results: &Results) -> Result<String> {
    // Runs and cases have columns of their own; an experiment has one or the other.
    match results.runs.as_slice() {
        [] => lines(CASE.to_vec(), case_figures(results).iter().map(|figure| case_line(results, figure))),
        runs => {
            let metrics = METRICS.iter().map(|metric| metric.name);
            let head = RUN.into_iter().chain(metrics).chain([HISTOGRAM, NUMBER, SEED]).collect();
            let each = runs.iter().flat_map(|run| (1..).zip(run.each()).map(move |one| (run, one)));
            lines(head, each.map(|(run, (number, one))| run_line(results, run, number, &one)))
        }
    }
}

/// The course of each run as CSV with a header; `None` where runs have no windows.
///
/// # Errors
/// As [`csv`].
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

/// The lines below their header; `None` where there are none.
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

fn case_line<'a>(results: &'a Results, figure: &CaseFigure<'a>) -> Vec<Cell<'a>> {
    let load = figure.case.load.as_ref();
    let of_load = |count: Option<u32>| count.map(|count| Value::Count(count.into())).into();
    vec![
        Cell::Text(&results.engine.name),
        Cell::Text(&results.engine.version),
        Cell::Text(&figure.case.name),
        of_load(load.map(|load| load.clients)),
        of_load(load.map(|load| load.statement_rows)),
        Cell::Text(figure.index),
        Cell::Text(figure.name),
        Cell::Number(figure.value),
    ]
}

fn run_line<'a>(results: &'a Results, run: &'a RunRecord, number: u64, one: &OneRun<'_>) -> Vec<Cell<'a>> {
    let start = [&results.engine.name, &results.engine.version, &run.strategy.name, &run.strategy.title].map(
        |text| {
            let text: &str = text;
            Cell::Text(text)
        },
    );
    let metrics = METRICS.iter().map(|metric| metric.value(&one.figures).into());
    let end = [
        Cell::Owned(histogram(one.figures.trees)),
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
