//! Ids of version 4 that come from a source that was not made for security.

use idgen_migrate::survey::{Code, Level};

use crate::sqlite::{found, surveyed};

const SNIPPET: &str = include_str!("../../../idgen-check/tests/sources/node-snippet.txt");
const SECURE: &str = include_str!("../../../idgen-check/tests/sources/node-secure.txt");

fn ids(file: &str) -> Vec<&str> {
    file.lines().filter(|line| line.len() == 36).collect()
}

/// A table that counts its rows, beside its ids.
fn counted(ids: &[&str]) -> String {
    let rows: Vec<String> = ids.iter().enumerate().map(|(n, id)| format!("({}, '{id}')", n + 1)).collect();
    format!(
        "CREATE TABLE t (n INTEGER PRIMARY KEY, id TEXT UNIQUE); INSERT INTO t VALUES {};",
        rows.join(",")
    )
}

/// A table in the order of its ids, with the time at which each was made.
fn with_times(ids: &[&str]) -> String {
    let row = |(n, id): (usize, &&str)| format!("('{id}', '2026-11-01 10:{:02}:{:02}')", n / 60, n % 60);
    let rows: Vec<String> = ids.iter().enumerate().map(row).collect();
    format!(
        "CREATE TABLE t (id TEXT PRIMARY KEY, created_at DATETIME) WITHOUT ROWID; INSERT INTO t VALUES {};",
        rows.join(",")
    )
}

#[test]
fn a_source_is_recognized_by_the_order_of_the_rows() {
    let (snippet, secure) = (ids(SNIPPET), ids(SECURE));
    assert!(snippet.len() >= 10 && secure.len() >= 10);
    let table = [(Code::Predictable, Level::Danger)];
    for make in [counted, with_times] {
        assert_eq!(found(&make(&snippet)), table);
        assert_eq!(found(&make(&secure)), []);
    }
}

#[test]
fn the_next_id_is_not_shown_and_references_are_not_named_again() {
    let sql = counted(&ids(SNIPPET))
        + "CREATE TABLE c (n INTEGER PRIMARY KEY, t TEXT REFERENCES t (id));
        INSERT INTO c SELECT n, id FROM t;";
    let survey = surveyed(&sql);
    let [finding] = &survey.findings[..] else { panic!("{:?}", survey.findings) };
    assert_eq!((finding.table.as_str(), finding.column.as_deref()), ("t", Some("id")));
    assert!(finding.what.contains("come from Math.random() of V8"), "{}", finding.what);
    let json = serde_json::to_string(&survey).unwrap();
    assert!(!ids(SNIPPET).iter().any(|id| json.contains(id)), "{json}");
}
