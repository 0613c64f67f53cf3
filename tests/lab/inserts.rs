//! Inserts into real servers. The tests check counts, which do not depend on the machine.
//!
//! 200,000 rows a strategy, in a container where there is one, else in a private process. The bounds come
//! from runs on MySQL 9.7 and MariaDB 10.11; the page size is InnoDB's 16 KiB on both.

use idgen_lab::engine::Mysql;
use idgen_record::{Database, Results, Role, Run, Workload};

use crate::common::{adds_up, find, results};

const STRATEGIES: [&str; 8] = [
    "auto-increment",
    "v4-binary",
    "v1-swapped",
    "v7-binary",
    "minute-random",
    "minute-ascending",
    "device",
    "mapped",
];

/// Runs the strategies; the runner has verified rows and keys of every run that it gives.
fn measured(database: Database, names: &[&str], payload_bytes: u32) -> Results {
    // The random table (42 MB) is three times as large as this pool. In a smaller pool, the server's own pages displace
    // each other.
    let workload = Workload {
        statement_rows: 100,
        cache_bytes: Some(12 << 20),
        payload_bytes,
        ..Workload::of_rows(200_000).unwrap()
    };
    let mut engine = Mysql::start(database, &workload).unwrap();
    results(&mut engine, &find(names), workload)
}

fn judge(results: &Results) {
    let totals = |name: &str| results.run(name).unwrap().totals;
    let splits = |name: &str| totals(name).splits_per_1k.unwrap();

    // Ascending keys fill one page after another and never need a page again. The pages read are the server's own: 20
    // to 60 per 1,000 inserts with so small a pool.
    for name in ["auto-increment", "v1-swapped", "v7-binary", "minute-ascending"] {
        let t = totals(name);
        assert!(t.distinct_leaves_per_1k < 12.0, "{name}: {} leaves", t.distinct_leaves_per_1k);
        assert!(t.fill_mean >= 0.88, "{name}: fill {}", t.fill_mean);
        assert!(t.reads_per_1k < 100.0, "{name}: {} reads", t.reads_per_1k);
        assert!(splits(name) < 12.0, "{name}: {} splits", splits(name));
    }
    // Random keys may need any page at any time. The pool is smaller than the table, so pages are read again.
    let random = totals("v4-binary");
    assert!(random.distinct_leaves_per_1k > 500.0, "{} leaves", random.distinct_leaves_per_1k);
    assert!((0.55..0.75).contains(&random.fill_mean), "fill {}", random.fill_mean);
    assert!(random.last_reads_per_1k > 300.0, "{} reads", random.last_reads_per_1k);
    assert!(random.last_writes_per_1k > 300.0, "{} writes", random.last_writes_per_1k);

    // A hashed prefix avoids the reads; with a random tail it does not save space.
    let prefixed = totals("minute-random");
    assert!(prefixed.reads_per_1k < 100.0, "{} reads", prefixed.reads_per_1k);
    assert!((0.5..0.75).contains(&prefixed.fill_mean), "fill {}", prefixed.fill_mean);
    assert!(totals("device").reads_per_1k < 100.0);

    // The order of the strategies, one line for each step; within a step they differ little.
    let steps: [&[&str]; 5] = [
        &["auto-increment"],
        &["v1-swapped", "v7-binary", "minute-ascending"],
        &["device"],
        &["minute-random"],
        &["v4-binary"],
    ];
    for step in steps.windows(2) {
        for (&better, &worse) in step[0].iter().flat_map(|a| step[1].iter().map(move |b| (a, b))) {
            let (a, b) = (totals(better).distinct_leaves_per_1k, totals(worse).distinct_leaves_per_1k);
            assert!(a < b, "{better}: {a}, {worse}: {b}");
        }
    }
    assert!(splits("v4-binary") > splits("v7-binary"));

    results.runs.iter().for_each(judge_course);

    // With a map, the rows have ascending integer keys.
    let mapped = results.run("mapped").unwrap();
    assert!(mapped.tree(Role::Rows).unwrap().distinct_leaves_per_1k < 12.0);
    assert!(mapped.tree(Role::Map).unwrap().distinct_leaves_per_1k > 100.0);
}

/// The windows of a run add up to its totals.
fn judge_course(run: &Run) {
    let name = &run.strategy.name;
    adds_up(run, "redo", |window| window.redo_bytes_per_row, run.totals.redo_bytes_per_row);
    adds_up(run, "created", |window| window.created_per_1k, run.totals.created_per_1k);
    adds_up(run, "disk reads", |window| window.disk_reads_per_1k, run.totals.disk_reads_per_1k);
    let latencies: Vec<_> = run.windows.iter().map(|window| window.latency.unwrap()).collect();
    let longest = latencies.iter().map(|latency| latency.max_micros).max();
    assert_eq!(longest, run.latency.map(|latency| latency.max_micros), "{name}");
    for latency in latencies {
        let ordered = [latency.p50_micros, latency.p95_micros, latency.p99_micros, latency.max_micros];
        assert!(latency.p50_micros > 0 && ordered.is_sorted(), "{name}: {latency:?}");
    }
    assert!(run.windows.iter().all(|window| (0.0..=1.0).contains(&window.hit_rate.unwrap())), "{name}");
}

/// Rows that consist of their key only, as in the reference table: 57 bytes each if keys are random.
fn judge_keys_alone(database: Database) {
    let results = measured(database, &["v4-binary", "minute-ascending", "v7-binary"], 0);
    let totals = |name: &str| results.run(name).unwrap().totals;
    let random = totals("v4-binary").distinct_leaves_per_1k;
    assert!(random > 50.0, "{random} leaves");
    // Each of the 40 buckets has eleven pages, and its last page is not full.
    for (name, fill) in [("minute-ascending", 0.87), ("v7-binary", 0.88)] {
        let t = totals(name);
        assert!(t.distinct_leaves_per_1k < 6.0, "{name}: {} leaves", t.distinct_leaves_per_1k);
        assert!(t.fill_mean >= fill, "{name}: fill {}", t.fill_mean);
    }
}

#[test]
fn mysql_counts_the_cost_of_key_order_without_payload() {
    judge_keys_alone(Database::MySql);
}

#[test]
fn mariadb_counts_the_cost_of_key_order_without_payload() {
    judge_keys_alone(Database::MariaDb);
}

#[test]
fn mysql_counts_the_cost_of_key_order() {
    judge(&measured(Database::MySql, &STRATEGIES, 100));
}

#[test]
fn mariadb_counts_the_cost_of_key_order() {
    judge(&measured(Database::MariaDb, &STRATEGIES, 100));
}
