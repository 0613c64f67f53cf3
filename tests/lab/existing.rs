//! New rows of another kind in a table that holds version 4 keys, on each engine at a small size.
//!
//! The runner verifies old and new rows of every run that it gives.

use idgen_lab::engine;
use idgen_record::{Database, Existing, IdKind, Results, Role, TreeFigures, Workload};

use crate::common::{find, results};

/// Not a multiple of the rows per statement or per round, so the last statement and the last round are short.
const OLD: u64 = 20_050;
const NEW: u64 = 20_150;

fn measured(database: Database, names: &[&str], ids: IdKind) -> Results {
    let load = Workload {
        statement_rows: 100,
        cache_bytes: Some(16 << 20),
        payload_bytes: 20,
        existing: Some(Existing { ids: Some(ids), rows: OLD }),
        ..Workload::of_rows(NEW).unwrap()
    };
    let mut engine = engine::start(database, &load).unwrap();
    let results = results(&mut *engine, &find(names), load);
    for run in &results.runs {
        let (first, last) = (run.windows.first().unwrap(), run.windows.last().unwrap());
        assert_eq!((run.totals.rows, last.rows_end), (NEW, OLD + NEW), "{}", run.strategy.name);
        assert!(first.rows_end > OLD && first.rows_end < OLD + 2_000, "{}", run.strategy.name);
        assert!(run.trees.iter().all(|tree| tree.rows == OLD + NEW), "{}", run.strategy.name);
        let bytes: u64 = run.trees.iter().map(|tree| tree.bytes).sum();
        let per_row = run.totals.bytes_per_row - run.totals.heap_bytes_per_row.unwrap_or(0.0);
        assert!((per_row - bytes as f64 / (OLD + NEW) as f64).abs() < 1e-6, "{}", run.strategy.name);
    }
    results
}

fn after_random(database: Database) {
    let results = measured(
        database,
        &["v4-binary", "v7-binary", "fixed-prefix", "minute-ascending", "v4-text36", "mapped"],
        IdKind::V4,
    );
    let rows = |name: &str| -> TreeFigures { results.run(name).unwrap().tree(Role::Rows).unwrap().clone() };
    let (v4, v7, fixed) = (rows("v4-binary"), rows("v7-binary"), rows("fixed-prefix"));
    assert!((0.5..0.95).contains(&v4.fill_of_new_rows.unwrap()), "{v4:?}");
    assert!((0.5..0.95).contains(&v7.fill_of_old_rows.unwrap()), "{v7:?}");
    assert!(fixed.fill_of_new_rows.unwrap() > 0.87, "{fixed:?}");
    // SQLite moves rows to neighboring pages before it splits a page, so random keys leave its pages as full as
    // ascending ones.
    let most = if database == Database::Sqlite { 1.05 } else { 1.0 };
    assert!(fixed.leaf_pages as f64 <= most * v4.leaf_pages as f64, "{fixed:?} {v4:?}");
    // Old rows are on other pages and are not counted; a thousand new rows fill only a few pages.
    assert!(fixed.distinct_leaves_per_1k < 9.0 && v4.distinct_leaves_per_1k > 40.0, "{fixed:?} {v4:?}");
    if database == Database::Postgres {
        assert!(v7.fill_of_new_rows.unwrap() < 0.6, "{v7:?}");
        assert!(v7.leaf_pages > v4.leaf_pages, "{v7:?} {v4:?}");
        assert!(rows("minute-ascending").fill_of_new_rows.unwrap() < 0.7);
    } else if database != Database::Sqlite {
        assert!(v7.fill_of_new_rows.unwrap() > 0.85, "{v7:?}");
        assert!(v7.leaf_pages < v4.leaf_pages, "{v7:?} {v4:?}");
    }
}

fn after_counted(database: Database) {
    let results = measured(database, &["auto-increment", "device"], IdKind::AutoIncrement);
    for run in &results.runs {
        let tree = run.tree(Role::Rows).unwrap();
        assert!(tree.distinct_leaves_per_1k < 9.0, "{tree:?}");
    }
}

#[test]
fn sqlite() {
    after_random(Database::Sqlite);
    after_counted(Database::Sqlite);
}

#[test]
fn mysql() {
    after_random(Database::MySql);
    after_counted(Database::MySql);
}

#[test]
fn mariadb() {
    after_random(Database::MariaDb);
    after_counted(Database::MariaDb);
}

#[test]
fn postgres() {
    after_random(Database::Postgres);
    after_counted(Database::Postgres);
}
