//! `--measure`: rows are copied on trial, and nothing of it stays.

use std::fs;

use idgen_server::{Database, Server};
use serde_json::Value;

use crate::world::{Session, World};

/// Queries for the identity of every table in the schema: a table that was made anew gives another row.
const TABLES_MYSQL: &str = "SELECT CONCAT_WS(' ', TABLE_NAME, CREATE_TIME) FROM information_schema.TABLES \
    WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1";
const TABLES_POSTGRES: &str = "SELECT concat_ws(' ', oid::regclass::text, relfilenode, xmin) FROM pg_class \
    WHERE relname IN ('p', 'c', 'p_pkey', 'c_pkey') OR relname LIKE 'idgen%' ORDER BY 1";

pub fn copies_rows_on_trial(server: &Server) {
    let world = World::new(server);
    let tables = |mut session: Session| session.texts(world.of(TABLES_POSTGRES, TABLES_MYSQL));
    let before = world.session(tables);
    assert!(!before.is_empty());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("measured");
    let targets: &[&str] = match server.database() {
        Database::Postgres => &["uuid"],
        Database::MariaDb => &["uuid", "binary16", "swapped"],
        _ => &["binary16", "swapped"],
    };
    for to in targets {
        let out = out.join(to);
        let out = out.to_str().unwrap();
        let said = world.idgen(&["plan", "--table", "p", "--to", to, "--measure", "--out", out]);
        assert_eq!(said.code, 0, "{to}: {}", said.err);
        assert!(said.out.contains("Rows were copied on trial into temporary tables"), "{to}: {}", said.out);
        let plan: Value = serde_json::from_slice(&fs::read(format!("{out}/plan.json")).unwrap()).unwrap();
        let steps = plan["steps"].as_array().unwrap();
        let copies = steps.iter().filter(|step| {
            let name = step["name"].as_str().unwrap();
            name == "backfill" || name.starts_with("copy-")
        });
        let said: Vec<_> = copies.map(|step| step["duration"].as_str().unwrap()).collect();
        // Eight rows of each table; PostgreSQL copies both tables in one step.
        let (count, rows) = if server.database() == Database::Postgres { (1, 16) } else { (2, 8) };
        assert_eq!(said.len(), count, "{plan}");
        for text in said {
            assert!(text.starts_with(&format!("about a second alone: {rows} rows took")), "{to}: {text}");
        }
    }
    assert_eq!(world.session(tables), before);
    assert!(world.status().is_empty());
}
