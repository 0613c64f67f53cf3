//! `idgen survey`: output and exit codes, on SQLite.

use assert_cmd::Command;

fn idgen(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("idgen").unwrap().args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_exit_code_is_that_of_fail_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    // An empty file is an empty database.
    std::fs::write(&path, b"").unwrap();
    let url = format!("sqlite:{}", path.display());
    let (code, out, _) = idgen(&["survey", &url, "--fail-on", "warning", "--explain"]);
    assert_eq!(code, 0);
    assert!(out.contains("0 dangers, 0 warnings") && out.contains("PRAGMA query_only = on;"), "{out}");
    let (code, out, _) = idgen(&["survey", &url, "--json"]);
    assert!(code == 0 && out.starts_with("{\"format\":1,\"engine\":\"sqlite\""), "{out}");
    let (code, _, err) = idgen(&["survey", &url, "--table", "none"]);
    assert!(code == 1 && err.contains("there is no table none"), "{err}");
    let (code, _, err) = idgen(&["survey", "oracle://user:secret@host/x"]);
    assert!(code == 1 && err.contains("oracle://") && !err.contains("secret"), "{err}");
}

#[test]
fn the_question_to_advise_can_be_asked_as_it_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    let ids = |table: &str, of: &str| {
        format!(
            "CREATE TABLE {table} (id {of} PRIMARY KEY);
             WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 3000),
             h(t) AS (SELECT hex(randomblob(16)) FROM s)
             INSERT INTO {table} SELECT "
        )
    };
    let text = "lower(substr(t,1,8)||'-'||substr(t,9,4)||'-4'||substr(t,14,3)||'-a'||substr(t,18,3)||'-'||substr(t,21)) FROM h;";
    let bytes = "unhex(substr(t,1,12)||'4'||substr(t,14,3)||'a'||substr(t,18)) FROM h;";
    connection.execute_batch(&(ids("texts", "TEXT") + text + &ids("bytes", "BLOB") + bytes)).unwrap();
    drop(connection);
    let (code, out, _) = idgen(&["survey", &format!("sqlite:{}", path.display())]);
    assert_eq!(code, 0, "{out}");
    for strategy in ["v4-text36", "v4-binary"] {
        let command = out.lines().find(|line| line.contains("lab advise") && line.contains(strategy));
        let command = command.unwrap_or_else(|| panic!("no question about {strategy}: {out}"));
        let arguments: Vec<&str> = command.split_whitespace().skip(1).collect();
        let (code, _, err) = idgen(&arguments);
        assert_eq!(code, 0, "{command}: {err}");
    }
}
