//! Compares the model of several clients with loads that none of its constants was derived from:
//! docs/results/hold-out-order and docs/results/hold-out-stalls.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

use std::path::{Path, PathBuf};

use idgen_lab::forecast::{Clients, Delay, Load, Model, Options, predict};
use idgen_lab::strategy;
use idgen_record::{Database, RunRecord, Workload};

/// What `idgen lab advise` reads: one line per run.
const KEPT: &str = include_str!("../src/advise/hold_out_clients.tsv");

/// The predicted page fill at the end, in per cent. The model gets what was known before the run, the rate that was reached, and
/// how long ids waited until they were inserted.
fn predicted(database: Database, workload: &Workload, run: &RunRecord) -> f64 {
    let strategy = strategy::find(&run.strategy.name).unwrap();
    // One client inserts in the order of its ids.
    let recorded = run.clients.filter(|_| workload.writers > 1);
    let clients = recorded.and_then(|clients| {
        let (statement_rows, delay) = (workload.statement_rows.into(), Delay::Recorded(clients.insert?));
        Some(Clients { statement_rows, delay, span: clients.span.map(Delay::Recorded) })
    });
    let model = Model::of(database).unwrap();
    // On InnoDB, the length of the payload takes a byte of the row.
    let row_bytes = workload.payload_bytes + u32::from(model.has_pool);
    let usual = Load::new(workload.rows, (model.settings)(Options::default()));
    let rate = run.totals.rows_per_sec;
    let load = Load { row_bytes, rate, writers: workload.writers.into(), clients, ..usual };
    100.0 * predict(strategy, &load).unwrap().tree.fill.mean
}

/// A line for each run of a file.
fn judged(file: &Path, database: Database) -> Vec<String> {
    let recorded = idgen_report::open(file).unwrap();
    let load = &recorded.workload;
    assert!(recorded.failures.is_empty() && !recorded.interrupted, "{}", file.display());
    let line = |run: &RunRecord| {
        let delay = run.clients.and_then(|clients| clients.insert);
        let (p50, p95) = delay.map_or((0, 0), |delay| (delay.p50_micros, delay.p95_micros));
        let (measured, model) = (100.0 * run.totals.fill_mean, predicted(database, load, run));
        format!(
            "{}\t{}\t{}\t{}\t{}\t{:.0}\t{}\t{}\t{measured:.1}\t{model:.1}\t{:+.1}",
            database.id(),
            run.strategy.name,
            load.writers,
            load.statement_rows,
            load.rate.unwrap_or_default(),
            run.totals.rows_per_sec,
            p50,
            p95,
            model - measured
        )
    };
    recorded.runs.iter().map(line).collect()
}

/// Predicts each run again, and compares it with the line that is kept.
fn judge(database: Database) {
    let server = database.id();
    let mut lines = Vec::new();
    for set in ["hold-out-order", "hold-out-stalls"] {
        let directory: PathBuf =
            [env!("CARGO_MANIFEST_DIR"), "../../docs/results", set, server].iter().collect();
        for file in idgen_report::below(&directory).unwrap() {
            lines.extend(judged(&file, database));
        }
    }
    assert!(!lines.is_empty(), "{server}");
    let kept: Vec<&str> = KEPT.lines().filter(|line| line.starts_with(server)).collect();
    assert!(kept == lines, "src/advise/hold_out_clients.tsv should hold these lines:\n{}", lines.join("\n"));
}

#[test]
fn the_hold_out_set_of_clients_is_predicted_as_the_page_says_on_mysql() {
    judge(Database::MySql);
}

#[test]
fn the_hold_out_set_of_clients_is_predicted_as_the_page_says_on_mariadb() {
    judge(Database::MariaDb);
}

#[test]
fn the_hold_out_set_of_clients_is_predicted_as_the_page_says_on_postgres() {
    judge(Database::Postgres);
}
