//! Compares the model of several clients with loads that none of its constants was derived from:
//! docs/results/hold-out-order and docs/results/hold-out-stalls.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

use std::path::Path;

use idgen_lab::forecast::{Clients, Delay, Load, Model, Options, predict};
use idgen_lab::strategy;
use idgen_record::{Database, Results, Run, Workload};

/// The file that `idgen lab advise` reads: one line per run.
const KEPT: &str = include_str!("../src/advise/hold_out_clients.tsv");

/// The predicted page fill at the end, in per cent. The model gets what was known before the run, the rate that was reached, and
/// how long ids waited until they were inserted.
fn predicted(database: Database, workload: &Workload, run: &Run) -> f64 {
    let strategy = strategy::find(&run.strategy.name).unwrap();
    // One client inserts in the order of its ids.
    let recorded = run.clients.filter(|_| workload.writers > 1);
    let clients = recorded.and_then(|clients| {
        let (statement_rows, delay) = (workload.statement_rows.into(), Delay::Recorded(clients.insert?));
        Some(Clients { statement_rows, delay, span: clients.span.map(Delay::Recorded) })
    });
    let model = Model::of(database).unwrap();
    // The length of the payload takes a byte of the row on InnoDB.
    let row_bytes = workload.payload_bytes + u32::from(database.clusters_rows());
    let usual = Load::new(workload.rows, (model.settings)(Options::default()));
    let rate = run.totals.rows_per_sec;
    let load = Load { row_bytes, rate, writers: workload.writers.into(), clients, ..usual };
    100.0 * predict(strategy, &load).unwrap().tree.fill.mean
}

/// The line of a run.
fn judged(recorded: &Results, run: &Run, database: Database) -> String {
    let load = &recorded.workload;
    assert!(recorded.failures.is_empty() && !recorded.interrupted, "{}", recorded.command);
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
}

/// Predicts each run again, and compares it with the line that is kept.
fn judge(database: Database) {
    let server = database.id();
    let mut lines = Vec::new();
    for set in ["hold-out-order", "hold-out-stalls"] {
        let file = format!("../../docs/results/{set}/{server}.jsonl.gz");
        let recorded = idgen_report::open_lines(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
        for recorded in &recorded {
            lines.extend(recorded.runs.iter().map(|run| judged(recorded, run, database)));
        }
    }
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

/// The table of docs/choosing.md has the lowest and the highest page fill of the three rates of each load.
#[test]
fn the_page_has_the_page_fill_of_each_load_of_the_first_set() {
    let page = include_str!("../../../docs/choosing.md");
    let range = |server: &str, clients: &str, rows: &str| {
        let fields = KEPT.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let of = fields.filter(|line| (line[0], line[2], line[3]) == (server, clients, rows));
        let fills: Vec<f64> = of.map(|line| line[8].parse::<f64>().unwrap().round()).collect();
        assert_eq!(fills.len(), 3, "{server}, {clients} clients, {rows} rows");
        let (lowest, highest) =
            fills.iter().fold((100.0, 0.0), |(a, b): (f64, f64), &x| (a.min(x), b.max(x)));
        if lowest == highest { format!("{lowest}") } else { format!("{lowest} to {highest}") }
    };
    for clients in ["4", "8", "20", "64"] {
        for rows in ["1", "10", "100"] {
            let fills = ["mysql", "mariadb", "postgres"].map(|server| range(server, clients, rows));
            let line = format!("| {clients} | {rows} | {} |", fills.join(" | "));
            assert!(page.contains(&line), "docs/choosing.md should have {line}");
        }
    }
    for (rows, innodb) in [("1", "91"), ("10", "92"), ("100", "92")] {
        let fills = ["mysql", "mariadb", "postgres"].map(|server| range(server, "1", rows));
        assert_eq!(fills, [innodb, innodb, "90"], "one client, {rows} rows");
    }
}
