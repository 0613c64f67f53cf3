//! Keys of a tenant and an id: the model fills the pages of such a table as servers do.

use std::process::Command;

use idgen_record::Database;
use serde_json::Value;

use crate::common::{lab, said};

const SCHEMA: &str = "CREATE TABLE items (tenant INTEGER NOT NULL, id {key_type}, note VARCHAR(100) NOT NULL, \
                      PRIMARY KEY (tenant, id))";
const INSERT: &str = "INSERT INTO items (tenant, id, note) VALUES ({number} % 200, {key}, {text:100})";

fn json(command: &mut Command) -> Value {
    let output = command.arg("--json").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn tenants(database: Database) {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let mut run = lab();
    run.args([
        "run",
        "--rows",
        "60K",
        "--strategies",
        "v7-binary,v4-binary",
        "--writers",
        "1",
        "--repeat",
        "1",
    ]);
    run.args(["--statement-rows", "50", "--engine", database.id(), "--out"]).arg(folder.path().join("out"));
    run.arg("--schema").arg(file("schema.sql", SCHEMA)).arg("--insert").arg(file("insert.sql", INSERT));
    let measured = json(&mut run);
    let mut fills = Vec::new();
    for run in measured["runs"].as_array().unwrap() {
        let name = run["strategy"]["name"].as_str().unwrap();
        let load = ["--tenants", "200", "--rows", "60K", "--row-bytes", "101", "--engine", database.id()];
        let predicted = json(lab().args(["simulate", name]).args(load));
        let [found, model] = [&run["totals"]["fill_mean"], &predicted["tree"]["fill"]["mean"]]
            .map(|fill| fill.as_f64().unwrap());
        assert!((found - model).abs() < 0.03, "{database} {name}: {found} and {model}");
        fills.push(found);
    }
    // Each tenant's newest rows are in the middle of the table, and 300 rows of a tenant are few pages.
    assert!(fills.iter().all(|fill| (0.4..0.8).contains(fill)), "{database}: {fills:?}");
}

#[test]
fn mysql() {
    tenants(Database::MySql);
}

#[test]
fn postgres() {
    tenants(Database::Postgres);
}
