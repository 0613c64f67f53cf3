//! The tables and statements of docs/lab.md, on each engine at a small size.
//!
//! The runner verifies the keys of every run that it gives.

use idgen_lab::engine;
use idgen_lab::measure;
use idgen_lab::own::with_secondary_indexes;
use idgen_lab::runner::{Cancel, Observer, run};
use idgen_record::{Database, Failure, OwnTable, Results, Role, Workload};

use crate::common::find;

/// Not a multiple of the rows per statement or per round, so the last statement and the last round are short.
const ROWS: u64 = 3_050;

#[derive(Default)]
struct Failures(Vec<String>);

impl Observer for Failures {
    fn failed(&mut self, failure: &Failure) {
        self.0.push(failure.error.clone());
    }
}

/// The two blocks of SQL that docs/lab.md shows.
fn documented() -> OwnTable {
    let text = include_str!("../../docs/lab.md");
    let blocks: Vec<&str> =
        text.split("```sql\n").skip(1).map(|block| block.split("```").next().unwrap()).collect();
    let [schema, insert] = blocks.as_slice() else {
        panic!("docs/lab.md has {} blocks of SQL", blocks.len())
    };
    OwnTable { schema: (*schema).into(), insert: (*insert).into() }
}

/// Runs several tables of the user, one after another, on one server.
fn measured(database: Database, tables: &[(OwnTable, &[&str])]) -> Vec<(Results, Vec<String>)> {
    let load =
        Workload { statement_rows: 7, cache_bytes: Some(16 << 20), ..Workload::of_rows(ROWS).unwrap() };
    let mut engine = engine::start(database, &load).unwrap();
    let mut all = Vec::new();
    for (own, names) in tables {
        let payload_bytes = idgen_lab::own::Own::read(own, database).unwrap().payload_bytes();
        let load = Workload { own: Some(own.clone()), payload_bytes, ..load.clone() };
        let mut results = measure::begin("?", "test", engine.info(), load);
        let mut failures = Failures::default();
        run(&mut *engine, &find(names), &mut results, &Cancel::new(), &mut failures).unwrap();
        all.push((results, failures.0));
    }
    all
}

fn own_tables(database: Database) {
    let own = |schema: &str, insert: &str| OwnTable { schema: schema.into(), insert: insert.into() };
    let composite = &["v4-binary", "v7-binary", "v4-text36"];
    let counted = if database == Database::Sqlite { "device" } else { "auto-increment" };
    let all = measured(
        database,
        &[
            (documented(), &["auto-increment", "v4-binary", "v7-binary", "v4-text36", "device"]),
            (with_secondary_indexes(2, 50, database), &["v4-binary", counted]),
            (
                own(
                    "CREATE TABLE t (n INTEGER PRIMARY KEY, id {key_type})",
                    "INSERT INTO t (id, n) VALUES ({key}, {row})",
                ),
                &["v7-binary"],
            ),
            (
                own(
                    "\nCREATE TABLE t (id {key_type} PRIMARY KEY, n NUMBR(((5))",
                    "INSERT INTO t (id) VALUES ({key})",
                ),
                &["v7-binary"],
            ),
            (
                own(COMPOSITE, "INSERT INTO items (tenant, id, note) VALUES ({row} % 10, {key}, {text:20})"),
                composite,
            ),
            (
                own(COMPOSITE, "INSERT INTO items (tenant, id, note) VALUES (3, {key}, {text:20})"),
                &["auto-increment"],
            ),
        ],
    );
    for (results, failures) in &all[..2] {
        assert_eq!(failures.as_slice(), [] as [&str; 0], "{database}");
        for run in &results.runs {
            let name = &run.strategy.name;
            assert_eq!(run.totals.rows, ROWS, "{name}");
            assert_eq!(run.tree(Role::Rows).unwrap().rows, ROWS, "{name}");
            // An index entry holds the value and a reference to the row.
            let others = run.totals.other_bytes_per_row.unwrap();
            assert!((12.0..300.0).contains(&others), "{name}: {others}");
            let known = run.totals.heap_bytes_per_row.unwrap_or(0.0) + others;
            let of_tree = run.tree(Role::Rows).unwrap().bytes as f64 / ROWS as f64;
            assert!((run.totals.bytes_per_row - known - of_tree).abs() < 1e-6, "{name}");
            assert!(run.settings["table"].contains("orders") || run.settings["table"].contains("lab_rows"));
        }
        // The table is created again for each strategy, with the type of its key.
        assert_eq!(results.runs.len(), if results.runs[0].strategy.name == "v4-binary" { 2 } else { 5 });
    }
    // If rows are stored in the tree of the key, each entry of a secondary index contains the key.
    let bytes = |name: &str| all[0].0.run(name).unwrap().totals.other_bytes_per_row.unwrap();
    if database.clusters_rows() && database != Database::Sqlite {
        assert!(
            bytes("v4-text36") > bytes("v4-binary") + 10.0,
            "{} {}",
            bytes("v4-text36"),
            bytes("v4-binary")
        );
    }
    let refused = |place: usize, says: &str| {
        let (results, failures) = &all[place];
        assert!(results.runs.is_empty() && failures.len() == 1 && failures[0].contains(says), "{failures:?}");
    };
    refused(2, "column id, which must be the primary key of t or one of its columns: its primary key is (n)");
    refused(3, "the statement in line 2 of the schema cannot be run");
    composite_keys(database, &all[4..]);
}

/// A key of two columns: the tree is sorted by the tenant first.
const COMPOSITE: &str = "CREATE TABLE items (tenant INTEGER NOT NULL, id {key_type}, note VARCHAR(20) NOT NULL, \
                         PRIMARY KEY (tenant, id))";

/// The rows of ten tenants come in turn, so a row of an ordered key arrives at the right edge of its tenant, and not at that
/// of the table.
fn composite_keys(database: Database, measured: &[(Results, Vec<String>)]) {
    let (results, failures) = &measured[0];
    assert_eq!(failures.as_slice(), [] as [&str; 0], "{database}");
    assert_eq!(results.runs.len(), 3);
    for run in &results.runs {
        let name = &run.strategy.name;
        assert_eq!((run.totals.rows, run.tree(Role::Rows).unwrap().rows), (ROWS, ROWS), "{database} {name}");
        assert!(run.settings["table"].contains("tenant"), "{}", run.settings["table"]);
        let edge = run.clients.unwrap().edge.unwrap();
        assert!(edge.p50_rows > ROWS / 10 && edge.at_edge < 0.2, "{database} {name}: {edge:?}");
    }
    // Only PostgreSQL counts in a column that is not the first of an index.
    let (results, failures) = &measured[1];
    if database == Database::Postgres {
        assert_eq!((results.runs.len(), failures.as_slice()), (1, &[] as &[String]));
    } else {
        let says = if database == Database::Sqlite {
            "does not count the keys of items"
        } else {
            "line 1 of the schema"
        };
        assert!(results.runs.is_empty() && failures[0].contains(says), "{failures:?}");
    }
}

#[test]
fn sqlite() {
    own_tables(Database::Sqlite);
}

#[test]
fn mysql() {
    own_tables(Database::MySql);
}

#[test]
fn mariadb() {
    own_tables(Database::MariaDb);
}

#[test]
fn postgres() {
    own_tables(Database::Postgres);
}
