//! A schema with much around the keys. Its dump before and after the plan differs only in the type of the keys.

use std::collections::BTreeSet;

use idgen_migrate::plan::Target;

use crate::psql::{Files, database, program, text};

const RICH: &str = include_str!("rich.sql");

/// The statements of a dump without data, with the columns of a table in the order of their names.
pub fn dump(url: &str) -> BTreeSet<String> {
    let output = program("pg_dump").args(["--schema-only", "--dbname", url]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    // The lines that psql needs have a key that is new each time.
    let lines = text.lines().filter(|line| !line.starts_with("--") && !line.starts_with('\\'));
    let text = lines.collect::<Vec<_>>().join("\n");
    text.split(";\n").map(in_order).filter(|statement| !statement.is_empty()).collect()
}

fn in_order(statement: &str) -> String {
    let mut lines: Vec<&str> = statement.lines().map(|line| line.trim().trim_end_matches(',')).collect();
    lines.retain(|line| !line.is_empty());
    if lines.first().is_some_and(|line| line.contains("TABLE ") && line.starts_with("CREATE")) {
        lines[1..].sort_unstable();
    }
    lines.join("\n")
}

/// Converts a dump with the old keys to one with the new keys.
fn with_uuids(statement: &str) -> String {
    let lines = statement.lines().map(|line| {
        let is_key = ["id ", "\"the Boss\" ", "customer ", "favourite ", "replaces "]
            .iter()
            .any(|name| line.starts_with(name));
        if !is_key || !statement.contains("TABLE ") {
            return line.to_owned();
        }
        let line = line.strip_suffix(" text").map_or(line.to_owned(), |name| format!("{name} uuid"));
        line.replace("character(36)", "uuid")
            .replace("character varying(36)", "uuid")
            .replace(" text ", " uuid ")
            .replace(" COLLATE pg_catalog.\"C\"", "")
            .replace("DEFAULT (gen_random_uuid())::text", "DEFAULT gen_random_uuid()")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_rich_schema_differs_only_in_the_type_of_its_keys() {
    let (scratch, mut connection) = database(RICH).await;
    let before = dump(scratch.url());
    let files = Files::to(Target::Uuid, scratch.url(), "customers").await;
    assert_eq!(files.plan.tables.len(), 5, "{:?}", files.plan.tables);
    let (finish, rest) = files.names.split_last().unwrap();
    files.run_all(rest);
    files.go_back(rest);
    same(&dump(scratch.url()), &before);
    files.run_all(rest);
    files.run(finish);
    let expected: BTreeSet<String> = before.iter().map(|statement| with_uuids(statement)).collect();
    assert_ne!(expected, before);
    same(&dump(scratch.url()), &expected);
    // A dump does not show which rows there are.
    let rows = "SELECT string_agg(c.name || ' ' || o.note, ',') FROM customers AS c JOIN sales.\"Orders\" AS o ON o.customer = c.id";
    assert_eq!(text(&mut connection, rows).await, "a first");
}

pub fn same(found: &BTreeSet<String>, expected: &BTreeSet<String>) {
    let (new, gone): (Vec<_>, Vec<_>) =
        (found.difference(expected).collect(), expected.difference(found).collect());
    assert!(new.is_empty() && gone.is_empty(), "new: {new:#?}\ngone: {gone:#?}");
}
