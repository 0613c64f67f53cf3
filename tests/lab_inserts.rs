//! Inserts into real servers, judged by counts that don't depend on the machine.
//!
//! 200,000 rows a strategy, in a container where there is one, else in a private process. The bounds come
//! from runs on MySQL 9.7 and MariaDB 10.11; the page size is InnoDB's 16 KiB on both.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use idgen_lab::Workload;
use idgen_lab::engine::{Engine, Mysql, Role};
use idgen_lab::measure::{Failure, Results};
use idgen_lab::runner::{Cancel, Observer, run};
use idgen_lab::strategy;
use idgen_server::Flavor;

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

struct Quiet;

impl Observer for Quiet {
    fn failed(&mut self, failure: &Failure) {
        panic!("{}: {}", failure.strategy, failure.error);
    }
}

/// Runs the strategies; the runner has verified rows and keys of every run that it gives.
fn measured(flavor: Flavor) -> Results {
    // A pool that the random table (42 MB) exceeds three times; in a smaller one the server's own pages
    // push each other out.
    let workload =
        Workload { statement_rows: 100, cache_bytes: Some(12 << 20), ..Workload::of_rows(200_000).unwrap() };
    let mut engine = Mysql::start(flavor, &workload).unwrap();
    let mut results = Results::new("?", "test", engine.info(), workload);
    let strategies: Vec<_> = STRATEGIES.iter().map(|name| strategy::find(name).unwrap()).collect();
    run(&mut engine, &strategies, &mut results, &Cancel::new(), &mut Quiet).unwrap();
    assert_eq!(results.runs.len(), STRATEGIES.len());
    println!("{}", idgen_lab::report::table(&results));
    results
}

fn judge(results: &Results) {
    let totals = |name: &str| results.run(name).unwrap().totals;
    let splits = |name: &str| totals(name).splits_per_1k.unwrap();

    // Ascending keys fill page after page and never need one again. What is read is the server's own:
    // 20 to 60 pages per 1,000 inserts in so small a pool.
    for name in ["auto-increment", "v1-swapped", "v7-binary", "minute-ascending"] {
        let t = totals(name);
        assert!(t.distinct_leaves_per_1k < 12.0, "{name}: {} leaves", t.distinct_leaves_per_1k);
        assert!(t.fill_mean >= 0.88, "{name}: fill {}", t.fill_mean);
        assert!(t.reads_per_1k < 100.0, "{name}: {} reads", t.reads_per_1k);
        assert!(splits(name) < 12.0, "{name}: {} splits", splits(name));
    }
    // Random keys need any page at any time: the pool is smaller than the table, so they are read again.
    let random = totals("v4-binary");
    assert!(random.distinct_leaves_per_1k > 500.0, "{} leaves", random.distinct_leaves_per_1k);
    assert!((0.55..0.75).contains(&random.fill_mean), "fill {}", random.fill_mean);
    assert!(random.last_reads_per_1k > 300.0, "{} reads", random.last_reads_per_1k);
    assert!(random.last_writes_per_1k > 300.0, "{} writes", random.last_writes_per_1k);

    // A hashed prefix saves the reads, but with a random tail not the space.
    let prefixed = totals("minute-random");
    assert!(prefixed.reads_per_1k < 100.0, "{} reads", prefixed.reads_per_1k);
    assert!((0.5..0.75).contains(&prefixed.fill_mean), "fill {}", prefixed.fill_mean);
    assert!(totals("device").reads_per_1k < 100.0);

    // The order of the strategies.
    for pair in ["auto-increment", "minute-ascending", "minute-random", "v4-binary"].windows(2) {
        let (a, b) = (totals(pair[0]).distinct_leaves_per_1k, totals(pair[1]).distinct_leaves_per_1k);
        assert!(a < b, "{}: {a}, {}: {b}", pair[0], pair[1]);
    }
    assert!(splits("v4-binary") > splits("v7-binary"));

    // The map takes the disorder away from the rows.
    let mapped = results.run("mapped").unwrap();
    assert!(mapped.tree(Role::Rows).unwrap().distinct_leaves_per_1k < 12.0);
    assert!(mapped.tree(Role::Map).unwrap().distinct_leaves_per_1k > 100.0);
}

#[test]
fn mysql_finds_what_the_order_of_keys_costs() {
    judge(&measured(Flavor::MySql));
}

#[test]
fn mariadb_finds_what_the_order_of_keys_costs() {
    judge(&measured(Flavor::MariaDb));
}
