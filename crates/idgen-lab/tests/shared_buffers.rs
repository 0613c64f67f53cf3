//! Compares the model of PostgreSQL's shared buffers with loads that were written down before they were recorded:
//! docs/results/postgres-cache.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod sample;

use std::path::Path;

use idgen_lab::forecast::{Load, PostgresSettings, predict};
use idgen_lab::strategy;
use idgen_record::{Results, thousands};
use sample::sample;

const SET: &str = include_str!("../../../docs/results/postgres-cache/set.tsv");
const PAGE: &str = include_str!("../../../docs/results/postgres-cache/README.md");
/// The goal of the page, in per cent.
const WITHIN: f64 = 15.0;
/// Pages per 1,000 inserts that are too few to compare in per cent.
const FEW: f64 = 3.0;
/// Seconds between two checkpoints of the servers with default settings.
const CHECKPOINT_SECS: u32 = 30;

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

/// The prediction of the model for these pages.
fn predicted(results: &Results, is_lab: bool) -> (f64, f64) {
    let (workload, run) = (&results.workload, &results.runs[0]);
    let pool_bytes = workload.cache_bytes.unwrap();
    let usual = PostgresSettings { pool_bytes, ..PostgresSettings::default() };
    let load = if is_lab {
        // The clock of the inserts is that of the checkpoints, which write everything at once; nothing else depends on time.
        let checkpoint_secs = workload.checkpoint_secs.unwrap();
        let rate = workload.checkpoint_rows() as f64 / f64::from(checkpoint_secs);
        let settings =
            PostgresSettings { checkpoint_secs, checkpoint_target: 0.0, background_pages: 0, ..usual };
        Load { rate, ..Load::new(workload.rows, settings) }
    } else {
        // The model has minutes, and the run had shorter intervals.
        let (rate, secs) = (workload.rate.unwrap(), f64::from(workload.interval_secs.unwrap()));
        let settings = PostgresSettings { checkpoint_secs: CHECKPOINT_SECS, ..usual };
        Load { rate, id_rate: Some(rate * secs / 60.0), ..Load::new(workload.rows, settings) }
    };
    // A prefix of two random bytes stays as long for a week here as one of a minute: the model has no rate so slow that a week has
    // 400 rows.
    let name = run.strategy.name.replace("week-binary", "minute-random");
    let load = Load { row_bytes: workload.payload_bytes, ..load };
    predict(strategy::find(&name).unwrap(), &load).unwrap().late_pages()
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

/// The error of both figures in per cent: of pages read and of pages written.
fn errors(line: &str) -> [Option<f64>; 2] {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    [8, 11].map(|place| cells[place].strip_suffix(" %").map(|number| number.parse::<f64>().unwrap().abs()))
}

/// The records of a server, and the lines of the set that they belong to.
fn records(server: &str) -> Vec<Results> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results/postgres-cache");
    let all: Vec<Results> = idgen_report::open_lines(&folder.join(format!("{server}.jsonl.gz"))).unwrap();
    let planned: Vec<Vec<&str>> = SET.lines().map(|line| line.split('\t').collect()).collect();
    let planned: Vec<_> = planned.iter().filter(|fields| fields[0] == server).collect();
    assert_eq!(all.len(), planned.len());
    for (results, fields) in all.iter().zip(planned) {
        let (load, run) = (&results.workload, &results.runs[0]);
        let recorded = [
            run.strategy.name.clone(),
            (load.cache_bytes.unwrap() >> 20).to_string(),
            load.payload_bytes.to_string(),
            load.rows.to_string(),
        ];
        assert_eq!(recorded[..], fields[1..5]);
        assert_eq!((load.writers, load.statement_rows.to_string().as_str()), (1, fields[7]));
    }
    all
}

/// Judges one of three loads, and all of them in `make soak`.
fn judge(server: &str) {
    let lines: Vec<String> = sample(3, 0, records(server)).map(|results| line(&results, server)).collect();
    let wrong: Vec<&String> = lines.iter().filter(|line| !PAGE.lines().any(|known| known == *line)).collect();
    assert!(wrong.is_empty(), "docs/results/postgres-cache/README.md should have these lines:\n{wrong:#?}");
}

#[test]
fn servers_of_the_lab_are_predicted_as_the_page_says() {
    judge("lab");
}

#[test]
fn servers_with_default_settings_are_predicted_as_the_page_says() {
    judge("default");
}

/// The sentences of the pages, and of advice, are those of the table.
#[test]
fn the_pages_say_how_far_the_model_is_off() {
    let is_line = |line: &&str| line.starts_with("| lab |") || line.starts_with("| default |");
    let lines: Vec<_> = PAGE.lines().filter(is_line).map(errors).collect();
    assert_eq!(lines.len(), SET.lines().count() - 1);
    let [read, written] = [0, 1].map(|place| {
        let all: Vec<f64> = lines.iter().filter_map(|line| line[place]).collect();
        let within = all.iter().filter(|error| **error <= WITHIN).count();
        (within, all.len(), all.iter().copied().fold(0.0, f64::max))
    });
    let sentence = format!(
        "{} of {} loads that read three pages or more per 1,000 inserts are within 15 % of the pages read, and the largest error is \
         {:.1} %; {} of {} loads are within 15 % of the pages written, and the largest error is {:.1} %",
        read.0, read.1, read.2, written.0, written.1, written.2
    );
    for page in [PAGE, include_str!("../../../docs/lab.md"), include_str!("../src/advise/postgres.rs")] {
        let page = page.replace("\\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(&sentence), "the pages should say: {sentence}");
    }
}
