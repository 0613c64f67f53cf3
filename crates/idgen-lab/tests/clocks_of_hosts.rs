//! Compares the model, and the pages that show them, with runs of hosts whose clocks differ: docs/results/clocks-of-hosts. The
//! clients of these runs are not the lab's.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

use idgen_lab::forecast::{Clients, Delay, Load, Model, Options, predict};
use idgen_lab::strategy;
use idgen_record::{Database, Latency, Skew, thousands};

const RECORDED: &str = include_str!("../../../docs/results/clocks-of-hosts/runs.tsv");
const RECORD_PAGE: &str = include_str!("../../../docs/results/clocks-of-hosts/README.md");
const PAGE: &str = include_str!("../../../docs/choosing.md");
/// The differences of the clocks, in milliseconds.
const APART: [&str; 5] = ["0", "0.5", "2", "10", "100"];
const SERVERS: [&str; 3] = ["mysql", "mariadb", "postgres"];

/// A line of the record.
struct Run {
    server: &'static str,
    hosts: u32,
    statement_rows: u64,
    rate: u64,
    apart: &'static str,
    kind: &'static str,
    rows: u64,
    reached: f64,
    fill: f64,
    insert: Latency,
    span: Latency,
}

fn runs() -> Vec<Run> {
    RECORDED.lines().skip(1).map(run).collect()
}

fn run(line: &'static str) -> Run {
    let [server, hosts, statement_rows, rate, apart, kind, _, rows, reached, fill, _, insert, span] =
        line.split('\t').collect::<Vec<_>>()[..]
    else {
        panic!("{line}")
    };
    let percentiles = |text: &str| {
        let all: Vec<u64> = text.split(',').map(|micros| micros.parse().unwrap()).collect();
        let [p50_micros, p95_micros, p99_micros, max_micros] = all[..] else { panic!("{line}") };
        Latency { p50_micros, p95_micros, p99_micros, max_micros }
    };
    let run = Run {
        server,
        hosts: hosts.parse().unwrap(),
        statement_rows: statement_rows.parse().unwrap(),
        rate: rate.parse().unwrap(),
        apart,
        kind,
        rows: rows.parse().unwrap(),
        reached: reached.parse().unwrap(),
        fill: fill.parse().unwrap(),
        insert: percentiles(insert),
        span: percentiles(span),
    };
    let off = run.reached / run.rate as f64 - 1.0;
    assert!(off.abs() < 0.05, "{line}: {off}");
    run
}

/// The page fill that the model predicts, in per cent. It gets the rate that was reached, and how long ids waited.
fn predicted(run: &Run) -> f64 {
    let database = SERVERS.iter().position(|name| *name == run.server).unwrap();
    let model = Model::of([Database::MySql, Database::MariaDb, Database::Postgres][database]).unwrap();
    let usual = Load::new(run.rows, (model.settings)(Options::default()));
    let span = (run.statement_rows > 1).then_some(Delay::Recorded(run.span));
    let clients = Clients { statement_rows: run.statement_rows, delay: Delay::Recorded(run.insert), span };
    // Evenly spread over the difference, the clock of the last host ahead of all others.
    let most: f64 = run.apart.parse().unwrap();
    let ahead = |host| most * f64::from(host) / f64::from(run.hosts - 1);
    let load = Load {
        // The length of the payload takes a byte of the row on InnoDB.
        row_bytes: 100 + u32::from(model.database.clusters_rows()),
        rate: run.reached,
        writers: run.hosts.into(),
        clients: Some(clients),
        skew: Some(Skew::Each((0..run.hosts).map(ahead).collect())),
        ..usual
    };
    let strategy = strategy::find(&format!("{}-binary", run.kind)).unwrap();
    100.0 * predict(strategy, &load).unwrap().tree.fill.mean
}

/// Writes the errors of the model as the sentence of the page.
fn in_words(errors: &[f64]) -> String {
    let within = errors.iter().filter(|error| error.abs() <= 3.0).count();
    let mean = errors.iter().map(|error| error.abs()).sum::<f64>() / errors.len() as f64;
    let most = errors.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap();
    format!(
        "{within} of {} runs are within 3 points, the mean error is {mean:.1} points, and the largest {most:+.1}",
        errors.len()
    )
}

#[test]
fn the_model_is_off_by_what_the_page_of_the_record_says() {
    let runs = runs();
    let mut lines = Vec::new();
    // The errors on InnoDB with single rows, on InnoDB with statements of several rows, and on PostgreSQL.
    let mut errors = [const { Vec::new() }; 3];
    for run in runs.iter().filter(|run| matches!(run.kind, "v7" | "v4")) {
        let model = predicted(run);
        let error = model - run.fill;
        errors[if run.server == "postgres" { 2 } else { usize::from(run.statement_rows > 1) }].push(error);
        lines.push(format!(
            "| {} | {} | {} | {} | {:.0} | {} | {} | {:.1} | {model:.1} | {error:+.1} |",
            run.server,
            run.hosts,
            run.statement_rows,
            thousands(run.rate),
            run.reached,
            run.kind,
            run.apart,
            run.fill,
        ));
    }
    let within = |errors: &[f64]| {
        format!("{} of {}", errors.iter().filter(|error| error.abs() <= 3.0).count(), errors.len())
    };
    let line = format!(
        "The model is within 3 points in {} runs on MySQL and MariaDB with single rows, and in {} with ten rows in a statement",
        within(&errors[0]),
        within(&errors[1])
    );
    assert!(PAGE.replace('\n', " ").contains(&line), "docs/choosing.md should say: {line}");
    let [single, several, postgres] = errors.map(|errors| in_words(&errors));
    let said = [
        format!("InnoDB, single rows: {single}."),
        format!("InnoDB, ten rows in a statement: {several}."),
        format!("PostgreSQL: {postgres}."),
    ];
    let missing: Vec<_> = lines.iter().chain(&said).filter(|line| !RECORD_PAGE.contains(*line)).collect();
    assert!(
        missing.is_empty(),
        "README.md should have these lines:\n{}\n{}",
        lines.join("\n"),
        said.join("\n")
    );
}

/// Hosts, rows in a statement, and rows per second of all hosts.
type Of = (u32, u64, u64);

const LOADS: [Of; 8] = [
    (4, 1, 200),
    (4, 1, 1_000),
    (4, 1, 5_000),
    (16, 1, 200),
    (16, 1, 1_000),
    (16, 1, 5_000),
    (4, 10, 1_000),
    (16, 10, 5_000),
];

/// The measured page fill of a load, in whole per cent. A load that was measured twice has its second line.
fn fill(runs: &[Run], server: &str, load: Of, kind: &str, apart: &str) -> u32 {
    let of = |run: &&Run| {
        let found = (run.hosts, run.statement_rows, run.rate);
        (run.server, found, run.kind, run.apart) == (server, load, kind, apart)
    };
    let fills: Vec<f64> = runs.iter().filter(of).map(|run| run.fill).collect();
    let fill = fills.last().unwrap_or_else(|| panic!("{server} {load:?} {kind} {apart}"));
    fill.round() as u32
}

/// Asserts that docs/choosing.md has these lines.
fn on_the_page(lines: &[String]) {
    let missing = lines.iter().filter(|line| !PAGE.contains(*line)).count();
    assert_eq!(missing, 0, "docs/choosing.md should have these lines:\n{}", lines.join("\n"));
}

#[test]
fn the_table_of_clocks_is_what_was_measured() {
    let runs = runs();
    let mut lines = Vec::new();
    for load in LOADS {
        let of = |kind: &str, apart: &str| {
            let [mysql, mariadb] = INNODB.map(|server| fill(&runs, server, load, kind, apart));
            format!("{mysql}, {mariadb}")
        };
        let all: Vec<String> = APART.iter().map(|apart| of("v7", apart)).chain([of("v4", "0")]).collect();
        let (hosts, rows, rate) = load;
        lines.push(format!("| {hosts} | {rows} | {} | {} |", thousands(rate), all.join(" | ")));
    }
    on_the_page(&lines);
}

/// The lowest and the highest page fill of these loads, each on all of these servers.
fn range(runs: &[Run], servers: &[&str], kind: &str, loads: &[Of], apart: &[&str]) -> String {
    let mut fills = Vec::new();
    for server in servers {
        for load in loads {
            fills.extend(apart.iter().map(|apart| fill(runs, server, *load, kind, apart)));
        }
    }
    format!("{} to {} %", fills.iter().min().unwrap(), fills.iter().max().unwrap())
}

/// Loads of which all remedies were measured.
const REMEDIED: [Of; 3] = [(4, 1, 1_000), (16, 1, 1_000), (16, 1, 5_000)];
const INNODB: [&str; 2] = ["mysql", "mariadb"];

#[test]
fn the_sentence_about_postgres_is_what_was_measured() {
    let runs = runs();
    let (fast, slow): (Vec<Of>, Vec<Of>) = LOADS.into_iter().partition(|load| load.2 == 5_000);
    let of = |kind, loads: &[Of], apart: &[&str]| range(&runs, &["postgres"], kind, loads, apart);
    let (most, slowly) = (of("v7", &fast, &["100"]), of("v7", &slow, &APART));
    let near = of("v7", &fast, &APART[..4]);
    let line = format!(
        "up to 1,000 rows per second, version 7 filled {slowly}; with 5,000, {near} up to 10 ms, and {most} with 100 ms. Version 4 \
         filled {}.",
        of("v4", &LOADS, &["0"])
    );
    assert!(PAGE.replace('\n', " ").contains(&line), "docs/choosing.md should say: {line}");
}

#[test]
fn the_table_of_remedies_is_what_was_measured() {
    let runs = runs();
    let mut lines = Vec::new();
    for load in REMEDIED {
        for (server, name) in SERVERS.iter().zip(["MySQL", "MariaDB", "PostgreSQL"]) {
            let both = |kind: &str| {
                let [ten, hundred] = ["10", "100"].map(|apart| fill(&runs, server, load, kind, apart));
                format!("{ten}, {hundred}")
            };
            let (v7, named, inserter) = (both("v7"), both("named"), both("inserter"));
            let counted = fill(&runs, server, load, "server", "0");
            let rate = thousands(load.2);
            lines.push(format!("| {} | {rate} | {name} | {v7} | {named} | {inserter} | {counted} |", load.0));
        }
    }
    let [one, two, three] = REMEDIED.map(|load| fill(&runs, "mariadb11", load, "server-v7", "0"));
    lines.push(format!("`UUID_v7()` of MariaDB 11.8 filled {one}, {two} and {three} % with these loads"));
    on_the_page(&lines);
}

#[test]
fn rows_of_other_pages_are_what_was_measured() {
    let runs = runs();
    let of = |kind, loads: &[Of]| range(&runs, &INNODB, kind, loads, &["10", "100"]);
    let row = format!(
        "on InnoDB {} with differences of 10 and 100 ms, where `v7` fills {}; on PostgreSQL `v7` fills {} up to 10 ms",
        of("named", &REMEDIED),
        of("v7", &REMEDIED),
        range(&runs, &["postgres"], "v7", &LOADS, &APART[..4])
    );
    assert!(include_str!("../../../docs/which-key.md").contains(&row), "docs/which-key.md should say: {row}");
    let fast: Vec<Of> = LOADS.into_iter().filter(|load| load.2 >= 1_000).collect();
    let line = format!("{} at 1,000 rows per second and more", of("v7", &fast));
    assert!(include_str!("../../../README.md").contains(&line), "README.md should say: {line}");
}
