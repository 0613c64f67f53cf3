//! `idgen lab run` with --schema and --insert: a table of the user.

use crate::idgen;

/// The record contains the user's statement, and an error names the line of a wrong placeholder.
#[test]
fn tables_of_the_user_are_measured_and_recorded() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let schema = file("schema.sql", "CREATE TABLE t (id {key_type} PRIMARY KEY, note TEXT)");
    let insert = file("insert.sql", "INSERT INTO t (id, note) VALUES ({key}, {text:20})");
    let wrong = file("wrong.sql", "INSERT INTO t (id, note) VALUES ({key}, {txet:20})");
    let out = file("out", "");
    std::fs::remove_file(&out).unwrap();
    let run = |insert: &str| {
        let load = [
            "--rows",
            "2000",
            "--repeat",
            "1",
            "--strategies",
            "v4-binary,auto-increment",
            "--json",
            "--out",
            &out,
        ];
        let args = [&["lab", "run", "--schema", &schema, "--insert", insert][..], &load].concat();
        idgen(&args).assert()
    };
    let results: serde_json::Value =
        serde_json::from_slice(&run(&insert).success().get_output().stdout).unwrap();
    assert_eq!(results["workload"]["own"]["insert"], "INSERT INTO t (id, note) VALUES ({key}, {text:20})");
    assert_eq!(results["workload"]["payload_bytes"], 20);
    assert_eq!(results["runs"].as_array().unwrap().len(), 2);
    let command = results["command"].as_str().unwrap();
    assert!(command.contains(&format!(" --schema {schema} --insert {insert}")), "{command}");
    let refused = run(&wrong).code(2);
    let error = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(error.contains("insert statement, line 1: {txet:20} is not a placeholder"), "{error}");
    let missing = run("none.sql").code(1);
    let error = String::from_utf8_lossy(&missing.get_output().stderr).into_owned();
    assert!(error.contains("cannot read none.sql"), "{error}");
}
