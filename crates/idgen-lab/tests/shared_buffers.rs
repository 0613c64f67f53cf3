//! Compares the model of PostgreSQL's shared buffers with loads that were written down before they were recorded:
//! docs/results/postgres-cache.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod sample;

use std::path::Path;

use idgen_lab::forecast::{Load, PostgresSettings, predict};
use idgen_lab::strategy;
use idgen_record::{IdKind, Results, thousands};
use sample::sample;

const SET: &str = include_str!("../../../docs/results/postgres-cache/set.tsv");
const PAGE: &str = include_str!("../../../docs/results/postgres-cache/README.md");
/// The goal of the page, in per cent.
const WITHIN: f64 = 15.0;
/// Pages per 1,000 inserts that are too few to compare in per cent.
const FEW: f64 = 3.0;
const WEEK_SECS: f64 = 7.0 * 86_400.0;

/// Pages read and written per 1,000 inserts in the second half of a run.
fn recorded(results: &Results) -> (f64, f64) {
    assert!(results.failures.is_empty() && !results.interrupted, "{}", results.command);
    let (mut rows, mut reads, mut writes) = (0.0, 0.0, 0.0);
    let windows = &results.runs[0].windows;
    for window in windows.iter().filter(|window| window.rows_end > results.workload.rows / 2) {
        rows += window.rows as f64;
        reads += window.reads_per_1k * window.rows as f64;
        writes += window.writes_per_1k * window.rows as f64;
    }
    (reads / rows, writes / rows)
}

/// The same, as the model predicts it.
fn predicted(results: &Results, is_lab: bool) -> (f64, f64) {
    let (workload, run) = (&results.workload, &results.runs[0]);
    let pool_bytes = workload.cache_bytes.unwrap();
    let strategy = strategy::find(&run.strategy.name).unwrap();
    let prefix_secs = f64::from(workload.interval_secs.unwrap_or(60));
    let load = if is_lab {
        // The clock of the inserts is that of the checkpoints, which write everything at once; nothing else depends on time.
        let checkpoint_secs = workload.checkpoint_secs.unwrap();
        let rate = workload.checkpoint_rows() as f64 / f64::from(checkpoint_secs);
        let weeks = workload.rows as f64 / f64::from(workload.intervals) / WEEK_SECS;
        let id_rate = (strategy.ids == IdKind::Week).then_some(weeks);
        let settings = PostgresSettings {
            checkpoint_secs,
            checkpoint_target: 0.0,
            background_pages: 0,
            pool_bytes,
            ..PostgresSettings::default()
        };
        Load { rate, id_rate, ..Load::new(workload.rows, settings) }
    } else {
        // The model has minutes, and the run had shorter intervals.
        let rate = workload.rate.unwrap();
        let settings = PostgresSettings { checkpoint_secs: 30, pool_bytes, ..PostgresSettings::default() };
        Load { rate, id_rate: Some(rate * prefix_secs / 60.0), ..Load::new(workload.rows, settings) }
    };
    predict(strategy, &Load { row_bytes: workload.payload_bytes, ..load }).unwrap().late_pages()
}

/// The line of a load in the table of the page.
fn line(results: &Results, server: &str) -> String {
    let ((reads, writes), (read, written)) = (recorded(results), predicted(results, server == "lab"));
    let workload = &results.workload;
    format!(
        "| {server} | {} | {} | {} | {} | {reads:.1} | {read:.1} | {} | {writes:.1} | {written:.1} | {} |",
        results.runs[0].strategy.name,
        workload.cache_bytes.unwrap() >> 20,
        workload.payload_bytes,
        thousands(workload.rows),
        error(read, reads),
        error(written, writes),
    )
}

/// The error in per cent, or in pages where there are few.
fn error(predicted: f64, recorded: f64) -> String {
    if predicted.max(recorded) < FEW {
        return format!("{:+.1} pages", predicted - recorded);
    }
    format!("{:+.1} %", 100.0 * (predicted / recorded - 1.0))
}

#[test]
fn dev() {
    let Ok(files) = std::env::var("DEV_FILES") else { return };
    for file in files.split(',') {
        let results = idgen_report::open(Path::new(file)).unwrap();
        let is_lab = results.workload.checkpoint_secs.is_some();
        println!("{}", line(&results, if is_lab { "lab" } else { "default" }));
    }
}
