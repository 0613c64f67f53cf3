//! `results.csv`: one row per run, full precision, for spreadsheets and scripts.

use serde::Serialize;

use super::cases::{CaseFigure, case_figures};
use crate::engine::Role;
use crate::measure::{Results, RunRecord, known};
use crate::{Error, Result};

#[derive(Serialize)]
struct Line<'a> {
    engine: &'a str,
    engine_version: &'a str,
    strategy: &'a str,
    title: &'a str,
    rows: u64,
    secs: f64,
    rows_per_sec: f64,
    last_rows_per_sec: f64,
    reads_per_1k: f64,
    writes_per_1k: f64,
    #[serde(serialize_with = "known::serialize")]
    distinct_leaves_per_1k: f64,
    #[serde(serialize_with = "known::serialize")]
    fill_mean: f64,
    #[serde(serialize_with = "known::serialize")]
    fill_p10: f64,
    bytes_per_row: f64,
    leaf_pages: u64,
    inner_pages: u64,
    /// Leaf pages by fill, below 5 %, below 10 % and so on, with semicolons between them.
    fill_histogram: String,
    /// When the leaf pages of the rows were changed, where their file is read: see `FileMaps`.
    recent_leaves: Option<f64>,
    age_p10: Option<f64>,
    age_median: Option<f64>,
    age_p90: Option<f64>,
}

/// One figure a line: experiments of statements differ in what they count.
#[derive(Serialize)]
struct CaseLine<'a> {
    engine: &'a str,
    engine_version: &'a str,
    case: &'a str,
    clients: Option<u32>,
    statement_rows: Option<u32>,
    index: &'a str,
    figure: &'a str,
    value: f64,
}

/// The results as CSV with a header (RFC 4180).
///
/// # Errors
/// None that a record could cause; those of the writer are passed on.
pub fn csv(results: &Results) -> Result<String> {
    let failed = |error| Error::output("cannot write the results as CSV", error);
    let mut writer = csv::Writer::from_writer(Vec::new());
    for figure in case_figures(results) {
        writer.serialize(case_line(results, &figure)).map_err(failed)?;
    }
    for run in &results.runs {
        writer.serialize(line(results, run)).map_err(failed)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| Error::output("cannot write the results as CSV", error.into_error()))?;
    String::from_utf8(bytes).map_err(|error| Error::output("cannot write the results as CSV", error))
}

fn case_line<'a>(results: &'a Results, figure: &CaseFigure<'a>) -> CaseLine<'a> {
    let load = figure.case.load.as_ref();
    CaseLine {
        engine: &results.engine.name,
        engine_version: &results.engine.version,
        case: &figure.case.name,
        clients: load.map(|load| load.clients),
        statement_rows: load.map(|load| load.statement_rows),
        index: figure.index,
        figure: figure.name,
        value: figure.value,
    }
}

fn line<'a>(results: &'a Results, run: &'a RunRecord) -> Line<'a> {
    let totals = &run.totals;
    let file = run.tree(Role::Rows).and_then(|tree| tree.file.as_ref());
    Line {
        engine: &results.engine.name,
        engine_version: &results.engine.version,
        strategy: &run.strategy.name,
        title: &run.strategy.title,
        rows: totals.rows,
        secs: totals.secs,
        rows_per_sec: totals.rows_per_sec,
        last_rows_per_sec: totals.last_rows_per_sec,
        reads_per_1k: totals.reads_per_1k,
        writes_per_1k: totals.writes_per_1k,
        distinct_leaves_per_1k: totals.distinct_leaves_per_1k,
        fill_mean: totals.fill_mean,
        fill_p10: totals.fill_p10,
        bytes_per_row: totals.bytes_per_row,
        leaf_pages: run.trees.iter().map(|tree| tree.leaf_pages).sum(),
        inner_pages: run.trees.iter().map(|tree| tree.inner_pages).sum(),
        fill_histogram: histogram(run),
        recent_leaves: file.map(|file| file.recent_leaves),
        age_p10: file.and_then(|file| file.p10_age),
        age_median: file.map(|file| file.median_age),
        age_p90: file.and_then(|file| file.p90_age),
    }
}

/// Of all trees together; nothing where no tree is known.
fn histogram(run: &RunRecord) -> String {
    let classes = run.trees.iter().map(|tree| tree.fill_histogram.len()).max().unwrap_or(0);
    let pages =
        |class: usize| -> u64 { run.trees.iter().filter_map(|tree| tree.fill_histogram.get(class)).sum() };
    (0..classes).map(|class| pages(class).to_string()).collect::<Vec<_>>().join(";")
}
