//! A server of the lab's own: every strategy, several writers, checkpoints, serializable transactions, small buffers.
//!
//! The tests check counts, which do not depend on the machine.

use idgen_lab::engine::{Engine, Postgres};
use idgen_lab::forecast::{Load, PostgresSettings, predict};
use idgen_lab::strategy;
use idgen_record::{Database, Role, Run, Totals, Workload};

use crate::common::{ROWS, adds_up, find, load, results};

/// Runs every strategy with one writer and key columns only, so that the order of the keys determines the pages by
/// PostgreSQL's split rule.
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
        // The last page holds the remaining rows, however few.
        assert!(tree.fill_mean > 0.87 && tree.fill_p10 > 0.89, "{name}: {tree:?}");
        assert!(tree.distinct_leaves_per_1k < 8.0, "{name}: {tree:?}");
    }
    // In a leaf, with header and line pointer, a key of 16 bytes takes 20, a bigint takes 20 as well, and bytea takes
    // 28 with its length.
    assert_eq!(rows("auto-increment").leaf_pages, 28);
    assert_eq!(rows("v7-binary").leaf_pages, 39);
    for name in ["v4-text36", "v4-base64", "v4-bytea", "v4-binary"] {
        let tree = rows(name);
        assert!(tree.distinct_leaves_per_1k > 40.0, "{name}: {tree:?}");
        assert!((0.6..0.8).contains(&tree.fill_mean), "{name}: {tree:?}");
    }
    // The server's keys have no seed. In 80 runs, leaves were 0.71 full, with a standard deviation of 0.04: all pages of so small
    // an index split at about the same time. Of ascending keys, they are 0.9 full.
    let tree = rows("v4-server");
    assert!(tree.distinct_leaves_per_1k > 36.0 && (0.5..0.9).contains(&tree.fill_mean), "{tree:?}");
    assert!(rows("v4-text36").bytes > rows("v4-base64").bytes);
    assert!(rows("v4-base64").bytes > rows("v4-binary").bytes);
    assert!(rows("v4-bytea").bytes > rows("v4-binary").bytes);
    // An ascending tail splits pages in half, unless they are the last of the index.
    for name in ["minute-ascending", "minute-bigints"] {
        assert!(rows(name).fill_mean < 0.65, "{name}: {:?}", rows(name));
    }
    let mapped = results.run("mapped").unwrap();
    assert!(mapped.tree(Role::Map).unwrap().distinct_leaves_per_1k > 40.0);
    results.runs.iter().for_each(judge);
}

/// Checks what holds for every run.
fn judge(run: &Run) {
    let name = &run.strategy.name;
    let totals = &run.totals;
    let rows = totals.rows as f64;
    adds_up(run, "log", |window| window.redo_bytes_per_row, totals.redo_bytes_per_row);
    adds_up(run, "images", |window| window.page_images_per_1k, totals.page_images_per_1k);
    adds_up(run, "splits", |window| window.splits_per_1k, totals.splits_per_1k);
    adds_up(run, "created", |window| window.created_per_1k, totals.created_per_1k);
    // Every page of a tree except the first was made by a split, or is a new root.
    let pages: u64 = run.trees.iter().map(|tree| tree.leaf_pages + tree.inner_pages).sum();
    let splits = totals.splits_per_1k.unwrap() * rows / 1_000.0;
    let trees = run.trees.len() as f64;
    assert!(
        (pages as f64 - 4.0 * trees..=pages as f64).contains(&splits),
        "{name}: {splits} splits, {pages} pages"
    );
    // The heap and the indexes together are all bytes of a row.
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

/// With random keys, more pages are logged as a whole if checkpoints come more often.
fn checkpoints(engine: &mut Postgres) {
    let names = ["v4-binary", "v7-binary"];
    let at = |engine: &mut Postgres, secs| {
        let load = Workload { checkpoint_secs: Some(secs), ..load(1, 0) };
        let expected = load.checkpoint_rows().to_string();
        let results = results(engine, &find(&names), load);
        assert!(results.runs.iter().all(|run| run.settings["checkpoint_rows"] == expected));
        names.map(|name| results.run(name).unwrap().totals)
    };
    // The run spans 40 minutes: first with a checkpoint every 500 rows, then without any.
    let [random_often, ordered_often] = at(engine, 120);
    let [random, ordered] = at(engine, 86_400);
    let images = |totals: Totals| totals.page_images_per_1k.unwrap();
    assert!(images(random_often) > 45.0, "{random_often:?}");
    assert!(images(random_often) > 6.0 * images(ordered_often), "{ordered_often:?}");
    assert!(images(random_often) > 20.0 * images(random), "{random:?}");
    let log = |totals: Totals| totals.redo_bytes_per_row.unwrap();
    assert!(log(random_often) > 2.5 * log(random), "{random_often:?} {random:?}");
    assert!(log(ordered_often) < 2.0 * log(ordered), "{ordered_often:?} {ordered:?}");
    assert!(random_often.writes_per_1k > 2.0 * ordered_often.writes_per_1k);
}

/// Transactions look for their keys first. Writers of ascending keys read and change the same page.
fn serializable(engine: &mut Postgres) {
    let load = Workload { serializable: true, statement_rows: 1, commit_rows: 50, ..load(8, 0) };
    let load = Workload { rows: 4_000, ..load };
    let results = results(engine, &find(&["v7-binary", "minute-bigints", "v4-text36"]), load.clone());
    for run in &results.runs {
        assert_eq!(run.totals.rows, 4_000, "{}", run.strategy.name);
        let failures = run.totals.serialization_failures_per_1k;
        adds_up(run, "failures", |window| window.serialization_failures_per_1k, failures);
    }
    let ordered = results.run("v7-binary").unwrap().totals;
    assert!(ordered.serialization_failures_per_1k > Some(0.0), "{ordered:?}");
    for name in ["auto-increment", "v7-server", "mapped"] {
        assert!(engine.check(strategy::find(name).unwrap(), &load).unwrap_err().is_config(), "{name}");
    }
}

/// Pages read and written per 1,000 inserts in the second half of a run, counted and as the model predicts them.
fn late_pages(run: &Run, load: &Workload, pool_bytes: u64) -> [(f64, f64); 2] {
    let windows = run.windows.iter().filter(|window| window.rows_end > load.rows / 2);
    let (rows, reads, writes) = windows.fold((0.0, 0.0, 0.0), |(all, reads, writes), window| {
        let rows = window.rows as f64;
        (all + rows, reads + window.reads_per_1k * rows, writes + window.writes_per_1k * rows)
    });
    // The lab's checkpoints come after a number of rows and write everything at once, and its background writer is off.
    let settings = PostgresSettings {
        pool_bytes,
        checkpoint_target: 0.0,
        background_pages: 0,
        ..PostgresSettings::default()
    };
    let rate = load.checkpoint_rows() as f64 / f64::from(settings.checkpoint_secs);
    let planned = Load { rate, row_bytes: load.payload_bytes, ..Load::new(load.rows, settings) };
    let strategy = strategy::find(&run.strategy.name).unwrap();
    [(reads / rows, writes / rows), predict(strategy, &planned).unwrap().late_pages()]
}

/// With small buffers, random keys read pages again, as the model predicts.
fn small_buffers() {
    let small = Workload { cache_bytes: Some(1), ..load(1, 100) };
    let small = Workload { rows: 200_000, commit_rows: 10_000, statement_rows: 1_000, ..small };
    let mut engine = Postgres::start(&small).unwrap();
    let pool_bytes = engine.cache_bytes(&small).unwrap();
    assert_eq!(pool_bytes, 8 << 20);
    let results = results(&mut engine, &find(&["v4-text36", "v7-binary"]), small.clone());
    for run in &results.runs {
        let [counted, predicted] = late_pages(run, &small, pool_bytes);
        let near = |counted: f64, predicted: f64| (counted - predicted).abs() <= (0.15 * counted).max(3.0);
        let is_near = near(counted.0, predicted.0) && near(counted.1, predicted.1);
        assert!(is_near, "{}: {counted:?}, predicted {predicted:?}", run.strategy.name);
    }
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
