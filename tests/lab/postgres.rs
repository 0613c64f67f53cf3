//! The lab on PostgreSQL, at a small size: a server of its own, and one given by URL to users who may do more or less.
//!
//! The runner verifies rows and keys of every run that it gives; what is judged here does not depend on the machine.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use idgen_lab::engine::{Engine, Postgres};
use idgen_lab::measure;
use idgen_lab::runner::{Cancel, Observer, run};
use idgen_lab::strategy::{self, Strategy};
use idgen_record::{Database, Failure, Results, Role, RunRecord, Window, Workload};
use idgen_server::{Flavor, Server, Settings};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, Row};

/// No multiple of the statement or of the round: the last of each are short.
const ROWS: u64 = 10_050;

struct Quiet;

impl Observer for Quiet {
    fn failed(&mut self, failure: &Failure) {
        panic!("{}: {}", failure.strategy, failure.error);
    }
}

fn load(writers: u32, payload_bytes: u32) -> Workload {
    let load = Workload::of_rows(ROWS).unwrap().with_writers(writers).unwrap();
    Workload { statement_rows: 100, commit_rows: 500, payload_bytes, cache_bytes: Some(16 << 20), ..load }
}

fn results(engine: &mut Postgres, strategies: &[&Strategy], load: Workload) -> Results {
    let mut results = measure::begin("?", "test", engine.info(), load);
    run(engine, strategies, &mut results, &Cancel::new(), &mut Quiet).unwrap();
    assert_eq!(results.runs.len(), strategies.len());
    println!("{}", idgen_report::table(&results));
    results
}

fn find(names: &[&str]) -> Vec<&'static Strategy> {
    names.iter().map(|name| strategy::find(name).unwrap()).collect()
}

/// Every strategy, by one writer, key columns alone: the order of the keys decides the pages, by PostgreSQL's rule.
fn alone(engine: &mut Postgres) {
    let possible: Vec<_> =
        strategy::ALL.iter().filter(|strategy| strategy.check(Database::Postgres).is_ok()).collect();
    assert!(possible.len() > 15, "{}", possible.len());
    let results = results(engine, &possible, load(1, 0));
    let rows = |name: &str| results.run(name).unwrap().tree(Role::Rows).unwrap().clone();
    for name in
        ["auto-increment", "v1-swapped", "v6-binary", "v7-binary", "v7-server", "ulid-text26", "mapped"]
    {
        let tree = rows(name);
        // The last page is whatever is left over.
        assert!(tree.fill_mean > 0.87 && tree.fill_p10 > 0.89, "{name}: {tree:?}");
        assert!(tree.distinct_leaves_per_1k < 8.0, "{name}: {tree:?}");
    }
    // 16 bytes take 20 in a leaf with their header and pointer, a bigint 20, bytea 28 with its length.
    assert_eq!(rows("auto-increment").leaf_pages, 28);
    assert_eq!(rows("v7-binary").leaf_pages, 39);
    for name in ["v4-text36", "v4-base64", "v4-bytea", "v4-binary", "v4-server"] {
        let tree = rows(name);
        assert!(tree.distinct_leaves_per_1k > 40.0, "{name}: {tree:?}");
        assert!((0.6..0.8).contains(&tree.fill_mean), "{name}: {tree:?}");
    }
    assert!(rows("v4-text36").bytes > rows("v4-base64").bytes);
    assert!(rows("v4-base64").bytes > rows("v4-binary").bytes);
    assert!(rows("v4-bytea").bytes > rows("v4-binary").bytes);
    // An ascending tail fills pages that are not the last of the index by half.
    for name in ["minute-ascending", "minute-bigints"] {
        assert!(rows(name).fill_mean < 0.65, "{name}: {:?}", rows(name));
    }
    let mapped = results.run("mapped").unwrap();
    assert!(mapped.tree(Role::Map).unwrap().distinct_leaves_per_1k > 40.0);
    results.runs.iter().for_each(judge);
}

/// What holds for every run.
fn judge(run: &RunRecord) {
    let name = &run.strategy.name;
    let totals = &run.totals;
    let sum = |figure: fn(&Window) -> Option<f64>| -> f64 {
        run.windows.iter().map(|window| figure(window).unwrap() * window.rows as f64).sum()
    };
    let rows = totals.rows as f64;
    for (what, windows, total) in [
        ("log", sum(|window| window.redo_bytes_per_row), totals.redo_bytes_per_row),
        ("images", sum(|window| window.page_images_per_1k), totals.page_images_per_1k),
        ("splits", sum(|window| window.splits_per_1k), totals.splits_per_1k),
        ("created", sum(|window| window.created_per_1k), totals.created_per_1k),
    ] {
        let total = total.unwrap() * rows;
        assert!((windows - total).abs() <= total * 1e-6 + 1e-6, "{name}: {what} {windows} of {total}");
    }
    // Each page but the first of a tree was made by a split, or is a new root.
    let pages: u64 = run.trees.iter().map(|tree| tree.leaf_pages + tree.inner_pages).sum();
    let splits = totals.splits_per_1k.unwrap() * rows / 1_000.0;
    let trees = run.trees.len() as f64;
    assert!(
        (pages as f64 - 4.0 * trees..=pages as f64).contains(&splits),
        "{name}: {splits} splits, {pages} pages"
    );
    // The heap is apart from the indexes, and what is left is theirs.
    let trees: u64 = run.trees.iter().map(|tree| tree.bytes).sum();
    let heap = totals.heap_bytes_per_row.unwrap();
    assert!(heap > 28.0, "{name}: {heap}");
    assert!((totals.bytes_per_row - heap - trees as f64 / rows).abs() < 1e-6, "{name}");
    let latency = run.latency.unwrap();
    assert!(latency.p50_micros > 0 && latency.p50_micros <= latency.max_micros, "{name}: {latency:?}");
    for tree in &run.trees {
        let file = tree.file.as_ref().unwrap();
        assert_eq!(
            file.pages,
            1 + tree.leaf_pages + tree.inner_pages,
            "{name}: the first describes the index"
        );
        assert!(file.fill.starts_with('-') && file.log_bytes > 0, "{name}: {file:?}");
    }
}

/// Three writers at once, with payload: every row is there.
fn together(engine: &mut Postgres) {
    let names = [
        "auto-increment",
        "v4-server",
        "v7-server",
        "v7-binary",
        "minute-ascending",
        "minute-bigints",
        "device",
        "mapped",
    ];
    let results = results(engine, &find(&names), load(3, 40));
    for run in &results.runs {
        assert_eq!(run.totals.rows, ROWS, "{}", run.strategy.name);
    }
}

/// The shorter the distance between checkpoints, the more pages are logged as a whole, if keys are random.
fn checkpoints(engine: &mut Postgres) {
    let names = ["v4-binary", "v7-binary"];
    let at = |engine: &mut Postgres, secs| {
        let load = Workload { checkpoint_secs: Some(secs), ..load(1, 0) };
        let expected = load.checkpoint_rows().to_string();
        let results = results(engine, &find(&names), load);
        assert!(results.runs.iter().all(|run| run.settings["checkpoint_rows"] == expected));
        names.map(|name| results.run(name).unwrap().totals)
    };
    // 40 minutes: a checkpoint for 500 rows, and none.
    let [random_often, ordered_often] = at(engine, 120);
    let [random, ordered] = at(engine, 86_400);
    let images = |totals: idgen_record::Totals| totals.page_images_per_1k.unwrap();
    assert!(images(random_often) > 45.0, "{random_often:?}");
    assert!(images(random_often) > 6.0 * images(ordered_often), "{ordered_often:?}");
    assert!(images(random_often) > 20.0 * images(random), "{random:?}");
    let log = |totals: idgen_record::Totals| totals.redo_bytes_per_row.unwrap();
    assert!(log(random_often) > 2.5 * log(random), "{random_often:?} {random:?}");
    assert!(log(ordered_often) < 2.0 * log(ordered), "{ordered_often:?} {ordered:?}");
    assert!(random_often.writes_per_1k > 2.0 * ordered_often.writes_per_1k);
}

/// Transactions that look for their keys first: writers of ascending keys read and change the same page.
fn serializable(engine: &mut Postgres) {
    let load = Workload { serializable: true, statement_rows: 1, commit_rows: 50, ..load(8, 0) };
    let load = Workload { rows: 4_000, ..load };
    let results = results(engine, &find(&["v7-binary", "minute-bigints", "v4-text36"]), load.clone());
    for run in &results.runs {
        assert_eq!(run.totals.rows, 4_000, "{}", run.strategy.name);
        let failures = run.totals.serialization_failures_per_1k.unwrap();
        let sum: f64 = run
            .windows
            .iter()
            .map(|window| window.serialization_failures_per_1k.unwrap() * window.rows as f64)
            .sum();
        assert!((sum - failures * 4_000.0).abs() < 1e-6, "{}", run.strategy.name);
    }
    let ordered = results.run("v7-binary").unwrap().totals;
    assert!(ordered.serialization_failures_per_1k > Some(0.0), "{ordered:?}");
    for name in ["auto-increment", "v7-server", "mapped"] {
        assert!(engine.check(strategy::find(name).unwrap(), &load).unwrap_err().is_config(), "{name}");
    }
}

/// Small buffers: random keys read pages again.
fn small_buffers() {
    let small = Workload { cache_bytes: Some(1), ..load(1, 100) };
    let small = Workload { rows: 120_000, commit_rows: 10_000, statement_rows: 1_000, ..small };
    let mut engine = Postgres::start(&small).unwrap();
    assert_eq!(engine.cache_bytes(&small).unwrap(), 8 << 20);
    let results = results(&mut engine, &find(&["v4-text36", "v7-binary"]), small);
    let totals = |name: &str| results.run(name).unwrap().totals;
    let (random, ordered) = (totals("v4-text36"), totals("v7-binary"));
    assert!(random.last_reads_per_1k > 20.0, "{random:?}");
    assert!(ordered.reads_per_1k < 5.0, "{ordered:?}");
    assert!(random.hit_rate.unwrap() < ordered.hit_rate.unwrap());
}

#[test]
fn a_server_of_its_own_runs_every_strategy_and_counts() {
    let mut engine = Postgres::start(&load(1, 0)).unwrap();
    assert!(engine.info().missing.is_empty(), "{:?}", engine.info().missing);
    alone(&mut engine);
    together(&mut engine);
    checkpoints(&mut engine);
    serializable(&mut engine);
    drop(engine);
    small_buffers();
}

const PASSWORD: &str = "Qx7-not-to-be-shown";

/// A server with a database that is none of the lab's business, and a user.
struct Given {
    server: Server,
    url: String,
}

impl Given {
    fn new() -> Given {
        let server = Server::start(Flavor::Postgres, &Settings::new().option("fsync", "off")).unwrap();
        let address = server.url().rsplit_once('@').unwrap().1;
        let given = Given { url: format!("postgres://lab:{PASSWORD}@{address}"), server };
        given.sql(&format!("CREATE ROLE lab LOGIN CREATEDB PASSWORD '{PASSWORD}'"));
        given
    }

    /// The first column of what the administrator is told.
    fn sql(&self, statement: &str) -> Vec<String> {
        self.sql_in(self.server.url(), statement)
    }

    fn sql_in(&self, url: &str, statement: &str) -> Vec<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut connection = PgConnection::connect(url).await.unwrap();
            let rows = connection.fetch_all(AssertSqlSafe(statement.to_owned())).await.unwrap();
            rows.iter().map(|row| row.try_get_unchecked(0).unwrap()).collect()
        })
    }

    fn databases(&self) -> Vec<String> {
        self.sql("SELECT datname::text FROM pg_database WHERE datname LIKE 'idgen%'")
    }

    fn lab(&self, out: &Path, load: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("idgen"));
        command.env("IDGEN_LAB_ENGINE", &self.url).arg("lab").args(load).arg("--out").arg(out);
        command
    }

    /// Runs to the end; nothing of it shows the password, and nothing stays.
    fn run(&self) -> (Results, String) {
        let directory = tempfile::tempdir().unwrap();
        let load = ["--rows", "20000", "--strategies", "v4-binary,v7-binary,mapped"];
        let output = self.lab(directory.path(), &load).output().unwrap();
        let text = std::fs::read_to_string(directory.path().join("results.json")).unwrap_or_default();
        let all = said(&output) + &text;
        assert!(!all.contains(PASSWORD), "{all}");
        assert_eq!(output.status.code(), Some(0), "{all}");
        assert_eq!(self.databases(), [""; 0]);
        let results = idgen_report::read(&text).unwrap();
        for run in &results.runs {
            assert_eq!(run.totals.rows, 20_000);
            assert!(run.totals.heap_bytes_per_row.is_some() && run.totals.page_images_per_1k.is_some());
            assert!(!run.settings.contains_key("checkpoint_rows"), "the lab makes none there");
        }
        assert_eq!(results.runs.len(), 3);
        let said = results.engine.missing.join("\n");
        assert!(said.contains("No fixed distance between checkpoints"), "{said}");
        (results, said)
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The same server for users who may do more and more.
#[test]
fn a_given_server_shows_what_the_user_may_see() {
    let given = Given::new();
    // A user who may only make databases.
    let (results, missing) = given.run();
    for what in [
        "No leaf pages per 1,000 inserts, tenth percentile of the page fill, and maps of pages: only a superuser may \
         create the extension pageinspect",
        "No page fill: only a superuser may create the extension pgstattuple; CREATE EXTENSION in the database template1 \
         puts it into every new database, and GRANT pg_stat_scan_tables TO that user",
        "No page splits: only a superuser may create the extension pg_walinspect",
    ] {
        assert!(missing.contains(what), "{missing}");
    }
    for run in &results.runs {
        let totals = run.totals;
        assert!(totals.fill_mean.is_nan() && totals.distinct_leaves_per_1k.is_nan() && run.trees.is_empty());
        assert!(totals.splits_per_1k.is_none() && totals.redo_bytes_per_row.unwrap() > 100.0);
    }
    assert!(results.run("mapped").unwrap().totals.map_bytes_per_row.unwrap() > 28.0);

    // What is in template1 is in the lab's database, too; the functions need a role of their own.
    let template = given.server.url().replace("/postgres?", "/template1?");
    for extension in ["pageinspect", "pgstattuple", "pg_walinspect"] {
        given.sql_in(&template, &format!("CREATE EXTENSION {extension}"));
    }
    let (_, missing) = given.run();
    for what in [
        "maps of pages: only a superuser may call the functions of pageinspect",
        "No page fill: the user may not call the functions of pgstattuple, which GRANT pg_stat_scan_tables TO",
        "No page splits: the user may not call the functions of pg_walinspect, which GRANT pg_read_server_files TO",
    ] {
        assert!(missing.contains(what), "{missing}");
    }
    given.sql("GRANT pg_stat_scan_tables, pg_read_server_files TO lab");
    let (results, missing) = given.run();
    assert!(!missing.contains("No page fill") && !missing.contains("No page splits"), "{missing}");
    let totals = |name: &str| results.run(name).unwrap().totals;
    let (random, ordered) = (totals("v4-binary"), totals("v7-binary"));
    assert!((0.55..0.8).contains(&random.fill_mean) && random.fill_p10.is_nan(), "{random:?}");
    assert!(ordered.fill_mean > 0.87, "{ordered:?}");
    assert!(random.splits_per_1k > ordered.splits_per_1k && ordered.splits_per_1k > Some(1.0));

    given.sql("ALTER ROLE lab SUPERUSER");
    let (results, missing) = given.run();
    assert_eq!(missing.lines().count(), 1, "{missing}");
    assert!(results.run("v4-binary").unwrap().totals.distinct_leaves_per_1k > 40.0);
}

/// Ctrl-C, and addresses and options that are wrong.
#[cfg(unix)]
#[test]
fn a_given_server_is_left_as_it_was() {
    let given = Given::new();
    let directory = tempfile::tempdir().unwrap();
    let mut command = given.lab(directory.path(), &["--rows", "50000000", "--strategies", "v4-text36"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    while given.databases().is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(60), "no database was made");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    assert!(!said(&output).contains("left at") && !said(&output).contains(PASSWORD), "{}", said(&output));
    assert_eq!(given.databases(), [""; 0]);

    for (load, code, says) in [
        (
            &["--strategies", "v7-uuid"][..],
            2,
            "PostgreSQL cannot run v7-uuid: 16 bytes are of the type uuid there",
        ),
        (&["--strategies", "mapped-dedup"], 2, "take mapped"),
        (&["--strategies", "no-primary-key"], 2, "rows lie in a heap"),
        (&["--strategies", "uuid-short"], 2, "no function that makes these ids: take device"),
        (&["--pool", "1G"], 2, "keeps its own buffer pool"),
        (&["--checkpoint", "60"], 2, "only on a PostgreSQL server of its own"),
        (&["run", "partitions", "--scale", "ci"], 2, "needs a MySQL or MariaDB server"),
    ] {
        let output = given.lab(directory.path(), load).output().unwrap();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(says) && !said.contains(PASSWORD), "{said}");
    }
    assert_eq!(given.databases(), [""; 0]);

    given.sql("ALTER ROLE lab NOCREATEDB");
    let output = given.lab(directory.path(), &["--rows", "1000"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("the user needs the attribute CREATEDB"), "{}", said(&output));
}

/// The experiment of the log, at its smallest scale.
#[test]
fn the_log_of_each_key() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("idgen"));
    command.args([
        "lab",
        "run",
        "wal-volume",
        "--engine=postgres",
        "--scale=ci",
        "--checkpoint=60",
        "--repeat=1",
        "--strategies=auto-increment,v7-binary,minute-random,v4-binary",
    ]);
    let output = command.arg("--out").arg(directory.path()).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let results = idgen_report::open(&directory.path().join("wal-volume")).unwrap();
    assert_eq!(results.workload.checkpoint_secs, Some(60));
    assert!(results.command.contains("--scale ci --checkpoint 60"), "{}", results.command);
    let log = |name: &str| results.run(name).unwrap().totals.redo_bytes_per_row.unwrap();
    for name in ["v7-binary", "minute-random"] {
        assert!(log("v4-binary") > 2.0 * log(name), "{name}: {} and {}", log(name), log("v4-binary"));
    }
    assert!(log("auto-increment") < log("v7-binary"));
}

/// From the command line: what is recorded is what the server had.
#[test]
fn the_record_says_how_the_server_was_set() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("idgen"));
    command.args([
        "lab",
        "--engine=postgres",
        "--rows=4000",
        "--strategies=v7-binary,v4-server",
        "--writers=2",
    ]);
    let output = command.arg("--checkpoint=60").arg("--out").arg(directory.path()).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let results = idgen_report::open(directory.path()).unwrap();
    let settings = &results.runs[0].settings;
    assert_eq!(results.workload.cache_bytes, Some(8 << 20));
    assert_eq!(results.workload.checkpoint_secs, Some(60));
    for (name, value) in [("shared_buffers", "8MB"), ("checkpoint_rows", "100"), ("full_page_writes", "on")] {
        assert_eq!(settings[name], value, "{settings:?}");
    }
    assert!(settings["table"].contains("id uuid, payload bytea"), "{}", settings["table"]);
    assert!(
        results.command.contains("--engine postgres --writers 2 --rows 4000 --checkpoint 60"),
        "{}",
        results.command
    );
    let page = std::fs::read_to_string(directory.path().join("report.md")).unwrap();
    for said in [
        "one after each 100 rows, which are 60 s of simulated time",
        "full-page images per 1k | requests",
        "bytes per row of the heap | bytes per row of the indexes",
    ] {
        assert!(page.contains(said), "{said} is not in {page}");
    }
}
