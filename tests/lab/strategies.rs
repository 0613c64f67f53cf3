//! Strategies that need a server, and several writers, on real servers at a small size.
//!
//! The runner verifies rows and keys of every run. The tests here check the effects of key order by counts, which do
//! not depend on the machine.

use idgen_lab::engine::{Engine, Mysql};
use idgen_lab::measure;
use idgen_lab::runner::{Cancel, run};
use idgen_lab::strategy::{self, Strategy};
use idgen_record::{Database, Results, Role};
use idgen_report as report;

use crate::common::{Quiet, ROWS, find, lab, load, results, said};

/// The strategies that only a server supports, and a few others to compare them with.
fn servers_own(database: Database) -> Vec<&'static Strategy> {
    let servers_own = |strategy: &&Strategy| strategy.check(Database::Sqlite).is_err();
    let wanted = |strategy: &&Strategy| {
        servers_own(strategy)
            || ["v4-binary", "no-primary-key", "minute-sequence", "minute-writers"].contains(&strategy.name)
    };
    strategy::ALL.iter().filter(wanted).filter(|strategy| strategy.check(database).is_ok()).collect()
}

/// Tests one writer and key columns only, so that the order of the keys determines the pages.
fn alone(engine: &mut Mysql, database: Database) {
    let results = results(engine, &servers_own(database), load(1, 0));
    let rows = |name: &str| results.run(name).unwrap().tree(Role::Rows).unwrap().clone();
    let ascending = [
        "no-primary-key",
        "uuid-short",
        "uuid-swapped",
        "minute-sequence",
        "minute-writers",
        "mapped-ref-lock",
    ];
    for name in ascending.iter().chain(&["mapped-unique", "mapped-dedup", "mapped-ref-dedup"]) {
        let tree = rows(name);
        assert!(tree.distinct_leaves_per_1k < 8.0 && tree.fill_mean > 0.7, "{name}: {tree:?}");
    }
    let random = if database == Database::MariaDb {
        for name in ["v1-uuid", "v7-uuid"] {
            assert!(rows(name).distinct_leaves_per_1k < 8.0, "{name}: {:?}", rows(name));
        }
        &["v4-binary", "v4-varchar36", "v4-varbinary36", "v4-uuid"][..]
    } else {
        &["v4-binary", "v4-varchar36", "v4-varbinary36"]
    };
    for name in random {
        assert!(rows(name).distinct_leaves_per_1k > 20.0, "{name}: {:?}", rows(name));
    }
    for run in &results.runs {
        let (name, totals) = (&run.strategy.name, run.totals);
        // Each page of the trees is written at least once before the pool is clean, and the pages written to the
        // tables' files are a part of all pages written. Threads of InnoDB that write to one file at the same time lose
        // each other's count, because the Performance Schema adds without atomic operations (on a busy machine 21 of 29
        // pages were counted once): only the server's own counter is exact.
        let pages: u64 = run.trees.iter().map(|tree| tree.leaf_pages + tree.inner_pages).sum();
        let all = totals.writes_per_1k + totals.flushed_per_1k.unwrap();
        let written = all * ROWS as f64 / 1_000.0;
        assert!(written > pages as f64 - 0.5, "{name}: {written} of {pages} pages were written");
        assert!(totals.table_writes_per_1k.unwrap() > 0.0, "{name}: {totals:?}");
        assert!(totals.table_reads_per_1k.unwrap() <= totals.reads_per_1k, "{name}: {totals:?}");
        assert!(totals.table_writes_per_1k.unwrap() <= all + 0.5, "{name}: {totals:?}");
        assert!(totals.doublewrites_per_1k.is_some() && totals.binlog_bytes_per_row.is_some());
    }
    // On a busy machine the server may have written all changed pages of a table before its run ends, but not of each.
    assert!(results.runs.iter().any(|run| run.totals.flushed_per_1k.unwrap() > 0.0));
    // The trees of a map: the rows, the pairs in the order of the integers, and the index in the order of UUIDs or
    // hashes.
    for name in ["mapped-unique", "mapped-dedup", "mapped-ref-lock", "mapped-ref-dedup"] {
        let run = results.run(name).unwrap();
        let [pairs, index] = [Role::Pairs, Role::Map].map(|role| run.tree(role).unwrap());
        assert_eq!((pairs.rows, index.rows), (ROWS, ROWS), "{name}");
        assert!(pairs.distinct_leaves_per_1k < 10.0, "{name}: {pairs:?}");
        assert!(index.distinct_leaves_per_1k > pairs.distinct_leaves_per_1k, "{name}: {index:?}");
        let of_map = (pairs.bytes + index.bytes) as f64 / ROWS as f64;
        assert_eq!(run.totals.map_bytes_per_row, Some(of_map), "{name}");
    }
    let entry = |name: &str| results.run(name).unwrap().tree(Role::Map).unwrap().bytes;
    assert!(entry("mapped-dedup") < entry("mapped-unique"), "a hash is narrower than a UUID");
}

/// Three writers at the same time, with payload: every row is there, and each writer inserts into its own region.
fn together(engine: &mut Mysql) {
    let alone = results(engine, &find(&["minute-ascending"]), load(1, 40));
    let strategies = [
        "auto-increment",
        "no-primary-key",
        "uuid-short",
        "v7-binary",
        "minute-ascending",
        "minute-sequence",
        "minute-writers",
        "device",
        "mapped",
        "mapped-unique",
        "mapped-dedup",
        "mapped-ref-lock",
        "mapped-ref-dedup",
    ];
    let results = results(engine, &find(&strategies), load(3, 40));
    let leaves = |results: &Results, name: &str| results.run(name).unwrap().totals.distinct_leaves_per_1k;
    for run in &results.runs {
        assert_eq!(run.totals.rows, ROWS, "{}", run.strategy.name);
    }
    // Writers with different prefixes insert in three places at the same time; with a prefix for all, in one place.
    let (three, one) = (leaves(&results, "minute-ascending"), leaves(&alone, "minute-ascending"));
    assert!(three > one + 1.0, "{three} leaves with three writers, {one} with one");
    for name in ["minute-sequence", "auto-increment", "v7-binary", "no-primary-key"] {
        assert!(leaves(&results, name) < 16.0, "{name}: {}", leaves(&results, name));
    }
}

fn all(database: Database) {
    let mut engine = Mysql::start(database, &load(1, 0)).unwrap();
    alone(&mut engine, database);
    together(&mut engine);
}

/// A load this small asks for less memory than a server needs. The record and the report show what the server had.
fn recorded_as_it_was(engine: &str) {
    let directory = tempfile::tempdir().unwrap();
    let mut command = lab();
    command.args(["--engine", engine, "--rows=1000", "--strategies=v7-binary", "--writers=2"]);
    let done = command.arg("--out").arg(directory.path()).output().unwrap();
    assert!(done.status.success(), "{}", said(&done));
    let results = report::open(directory.path()).unwrap();
    let pool = &results.runs[0].settings["innodb_buffer_pool_size"];
    assert_eq!((results.workload.cache_bytes, pool.as_str()), (Some(8 << 20), "8388608"));
    let page = std::fs::read_to_string(directory.path().join("report.md")).unwrap();
    for said in
        ["; 100 per statement, each statement committed", "| Writers | 2 clients", "| Cache | 8.0 MiB"]
    {
        assert!(page.contains(said), "{said} is not in {page}");
    }
}

#[test]
fn mysql_settings_are_recorded_as_the_server_had_them() {
    recorded_as_it_was("mysql");
}

#[test]
fn mariadb_settings_are_recorded_as_the_server_had_them() {
    recorded_as_it_was("mariadb");
}

#[test]
fn mysql_runs_server_strategies_and_several_writers() {
    all(Database::MySql);
}

#[test]
fn mariadb_runs_server_strategies_and_several_writers() {
    all(Database::MariaDb);
}

#[test]
fn unsupported_strategies_are_refused_before_anything_runs() {
    let mut engine = Mysql::start(Database::MySql, &load(1, 0)).unwrap();
    let mut results = measure::begin("?", "test", engine.info(), load(1, 0));
    let strategies = find(&["v7-binary", "v7-uuid"]);
    let error = run(&mut engine, &strategies, &mut results, &Cancel::new(), &mut Quiet).unwrap_err();
    assert!(error.is_config() && error.to_string().contains("MySQL cannot run v7-uuid"), "{error}");
    assert!(results.runs.is_empty() && results.failures.is_empty());
}
