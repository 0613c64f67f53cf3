//! `results.csv`: one row per run, and `windows.csv`: one per stretch of a run. Full precision, for spreadsheets
//! and scripts; what is not known is empty.

use serde::Serialize;

use super::cases::{CaseFigure, case_figures};
use crate::{Error, Result};
use idgen_record::{Latency, Results, Role, RunRecord, Window};

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
    last_reads_per_1k: f64,
    disk_reads_per_1k: Option<f64>,
    writes_per_1k: f64,
    last_writes_per_1k: f64,
    created_per_1k: Option<f64>,
    splits_per_1k: Option<f64>,
    redo_bytes_per_row: Option<f64>,
    hit_rate: Option<f64>,
    p50_micros: Option<u64>,
    p95_micros: Option<u64>,
    p99_micros: Option<u64>,
    max_micros: Option<u64>,
    distinct_leaves_per_1k: Option<f64>,
    fill_mean: Option<f64>,
    fill_p10: Option<f64>,
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

#[derive(Serialize)]
struct WindowLine<'a> {
    strategy: &'a str,
    rows_end: u64,
    rows: u64,
    secs: f64,
    rows_per_sec: f64,
    p50_micros: Option<u64>,
    p95_micros: Option<u64>,
    p99_micros: Option<u64>,
    max_micros: Option<u64>,
    reads_per_1k: f64,
    disk_reads_per_1k: Option<f64>,
    writes_per_1k: f64,
    created_per_1k: Option<f64>,
    splits_per_1k: Option<f64>,
    redo_bytes_per_row: Option<f64>,
    hit_rate: Option<f64>,
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
    // Runs and cases have columns of their own; an experiment has one or the other.
    match results.runs.as_slice() {
        [] => lines(case_figures(results).iter().map(|figure| case_line(results, figure))),
        runs => lines(runs.iter().map(|run| line(results, run))),
    }
}

/// The course of each run as CSV with a header; nothing where no rows were inserted by windows.
///
/// # Errors
/// As [`csv`].
pub fn windows(results: &Results) -> Result<String> {
    lines(results.runs.iter().flat_map(|run| run.windows.iter().map(|window| window_line(run, window))))
}

fn lines(lines: impl Iterator<Item: Serialize>) -> Result<String> {
    let failed = |error| Error::output("cannot write the results as CSV", error);
    let mut writer = csv::Writer::from_writer(Vec::new());
    for line in lines {
        writer.serialize(line).map_err(failed)?;
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
    let [p50_micros, p95_micros, p99_micros, max_micros] = micros(run.latency);
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
        last_reads_per_1k: totals.last_reads_per_1k,
        disk_reads_per_1k: totals.disk_reads_per_1k,
        writes_per_1k: totals.writes_per_1k,
        last_writes_per_1k: totals.last_writes_per_1k,
        created_per_1k: totals.created_per_1k,
        splits_per_1k: totals.splits_per_1k,
        redo_bytes_per_row: totals.redo_bytes_per_row,
        hit_rate: totals.hit_rate,
        p50_micros,
        p95_micros,
        p99_micros,
        max_micros,
        distinct_leaves_per_1k: known(totals.distinct_leaves_per_1k),
        fill_mean: known(totals.fill_mean),
        fill_p10: known(totals.fill_p10),
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

fn window_line<'a>(run: &'a RunRecord, window: &Window) -> WindowLine<'a> {
    let [p50_micros, p95_micros, p99_micros, max_micros] = micros(window.latency);
    WindowLine {
        strategy: &run.strategy.name,
        rows_end: window.rows_end,
        rows: window.rows,
        secs: window.secs,
        rows_per_sec: window.rows_per_sec,
        p50_micros,
        p95_micros,
        p99_micros,
        max_micros,
        reads_per_1k: window.reads_per_1k,
        disk_reads_per_1k: window.disk_reads_per_1k,
        writes_per_1k: window.writes_per_1k,
        created_per_1k: window.created_per_1k,
        splits_per_1k: window.splits_per_1k,
        redo_bytes_per_row: window.redo_bytes_per_row,
        hit_rate: window.hit_rate,
    }
}

/// Empty where a database does not tell.
fn known(figure: f64) -> Option<f64> {
    figure.is_finite().then_some(figure)
}

/// The columns of a latency, empty where nothing was timed.
fn micros(latency: Option<Latency>) -> [Option<u64>; 4] {
    let columns = |of: Latency| [of.p50_micros, of.p95_micros, of.p99_micros, of.max_micros].map(Some);
    latency.map_or([None; 4], columns)
}

/// Of all trees together; nothing where no tree is known.
fn histogram(run: &RunRecord) -> String {
    let classes = run.trees.iter().map(|tree| tree.fill_histogram.len()).max().unwrap_or(0);
    let pages =
        |class: usize| -> u64 { run.trees.iter().filter_map(|tree| tree.fill_histogram.get(class)).sum() };
    (0..classes).map(|class| pages(class).to_string()).collect::<Vec<_>>().join(";")
}
