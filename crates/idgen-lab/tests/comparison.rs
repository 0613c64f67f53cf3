//! Runs all strategies on SQLite and checks what every machine must find: counts, not seconds.
//!
//! These tests are a program of their own: the bundled SQLite shares its page cache among all connections of a process,
//! so another test's connection would change the counts.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use idgen_lab::Result;
use idgen_lab::engine::{Engine, Sqlite};
use idgen_lab::measure;
use idgen_lab::runner::{Cancel, Observer, run};
use idgen_lab::strategy::{ALL, find};
use idgen_record::{Database, Failure, Protocol, Results, Role, Workload};

/// Keeps the number of runs at each call to save them.
struct Saved(Vec<usize>);

impl Observer for Saved {
    fn recorded(&mut self, results: &Results) -> Result<()> {
        self.0.push(results.runs.len());
        Ok(())
    }
    fn failed(&mut self, failure: &Failure) {
        panic!("{}: {}", failure.strategy, failure.error);
    }
}

#[test]
fn every_strategy_is_recorded_and_the_order_of_keys_shows() {
    let mut engine = Sqlite::new().unwrap();
    let workload = Workload::of_rows(20_500).unwrap();
    let mut results = measure::begin("?", "test", engine.info(), workload);
    let mut saved = Saved(Vec::new());
    let strategies: Vec<_> = ALL.iter().filter(|strategy| strategy.check(Database::Sqlite).is_ok()).collect();
    assert_eq!(strategies.len(), 22);
    run(&mut engine, &strategies, &mut results, &Cancel::new(), &mut saved).unwrap();
    assert_eq!(saved.0, (1..=strategies.len()).collect::<Vec<_>>());
    assert_eq!((results.failures.len(), results.interrupted), (0, false));
    for run in &results.runs {
        let name = &run.strategy.name;
        assert_eq!(run.totals.rows, 20_500, "{name}");
        assert_eq!(run.windows.last().unwrap().rows_end, 20_500, "{name}");
        assert_eq!(run.windows.iter().map(|window| window.rows).sum::<u64>(), 20_500, "{name}");
        // A row that lies in the page above the leaves counts for no leaf.
        assert!((0.5..=1.0).contains(&run.totals.fill_mean), "{name}: {}", run.totals.fill_mean);
        assert!(run.totals.bytes_per_row > 108.0, "{name}");
    }
    // Every machine must find these, because they are counts and not seconds.
    let leaves = |name: &str| results.run(name).unwrap().totals.distinct_leaves_per_1k;
    let reads = |name: &str| results.run(name).unwrap().totals.reads_per_1k;
    for ascending in [
        "auto-increment",
        "no-primary-key",
        "v1-swapped",
        "v6-binary",
        "v7-binary",
        "v7-text36",
        "fixed-text36",
        "ulid-text26",
        "minute-ascending",
        "minute-sequence",
        "minute-writers",
    ] {
        assert!(leaves(ascending) < 12.0, "{ascending}: {}", leaves(ascending));
        assert!(reads(ascending) < 5.0, "{ascending}: {}", reads(ascending));
    }
    for random in ["v4-text36", "v4-base64", "v4-binary"] {
        assert!(leaves(random) > 120.0, "{random}: {}", leaves(random));
        assert!(reads(random) > 500.0, "{random}: {}", reads(random));
    }
    let mapped = results.run("mapped").unwrap();
    assert!(mapped.tree(Role::Rows).unwrap().distinct_leaves_per_1k < 12.0);
    assert!(mapped.tree(Role::Map).unwrap().distinct_leaves_per_1k > 25.0);
    the_order_of_runs_changes_no_count();
}

/// Runs random keys first, then last. Each run has a database of its own, so earlier runs change no count.
fn the_order_of_runs_changes_no_count() {
    let repeated = |order_seed| {
        let mut engine = Sqlite::new().unwrap();
        let mut results = measure::begin("?", "test", engine.info(), Workload::of_rows(20_000).unwrap());
        results.protocol = Some(Protocol {
            repeats: 2,
            order_seed,
            order: Vec::new(),
            isolation: engine.isolation().into(),
        });
        let strategies = ["v4-binary", "v7-binary"].map(|name| find(name).unwrap());
        run(&mut engine, &strategies, &mut results, &Cancel::new(), &mut Saved(Vec::new())).unwrap();
        results
    };
    let counts = |results: &Results| -> Vec<_> {
        let repeats = results.runs.iter().flat_map(|run| &run.repeats);
        repeats.map(|repeat| (repeat.seed, repeat.totals.reads_per_1k, repeat.totals.writes_per_1k)).collect()
    };
    let first = |results: &Results| results.protocol.as_ref().unwrap().order[0].clone();
    let one = repeated(1);
    let other = (2..20).map(repeated).find(|other| first(other) != first(&one)).unwrap();
    assert_eq!(counts(&one).len(), 4);
    assert_eq!(counts(&one), counts(&other));
}
