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

/// A variable that is not set must not pass as an empty database that has no dangers.
#[test]
fn an_empty_url_is_a_wrong_command_line() {
    for url in ["", " ", "sqlite:", "sqlite::memory:"] {
        let (code, _, err) = idgen(&["survey", url, "--fail-on", "danger"]);
        assert!(code == 2 && err.contains("the URL "), "{url}: {err}");
    }
    for (variable, arguments) in [
        ("IDGEN_SURVEY_URL", &["survey", "--fail-on", "danger"][..]),
        ("IDGEN_PLAN_URL", &["plan", "status", "folder"]),
        ("IDGEN_PLAN_URL", &["plan", "run", "folder"]),
        ("IDGEN_MAP_URL", &["map", "stats"]),
        ("IDGEN_LAB_ENGINE", &["lab", "skew"]),
        ("IDGEN_LAB_ENGINE", &["lab", "clean"]),
    ] {
        let output = Command::cargo_bin("idgen").unwrap().args(arguments).env(variable, "").output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && err.contains("the URL is empty"), "{arguments:?}: {err}");
    }
}

/// A database with a table of random texts, whose name is markup, and one of the same ids as bytes.
fn shop(folder: &std::path::Path) -> String {
    let path = folder.join("shop.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    let ids = |table: &str, of: &str| {
        format!(
            "CREATE TABLE \"{table}\" (id {of} PRIMARY KEY);
             WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 12000),
             h(t) AS (SELECT hex(randomblob(16)) FROM s)
             INSERT INTO \"{table}\" SELECT "
        )
    };
    let text = "lower(substr(t,1,8)||'-'||substr(t,9,4)||'-4'||substr(t,14,3)||'-a'||substr(t,18,3)||'-'||substr(t,21)) FROM h;";
    let bytes = "unhex(substr(t,1,12)||'4'||substr(t,14,3)||'a'||substr(t,18)) FROM h;";
    connection.execute_batch(&(ids(HOSTILE, "TEXT") + text + &ids("bytes", "BLOB") + bytes)).unwrap();
    format!("sqlite:{}", path.display())
}

const HOSTILE: &str = "<img src=x onerror=alert(1)>";

#[test]
fn the_model_says_what_other_keys_would_cost() {
    let folder = tempfile::tempdir().unwrap();
    let url = shop(folder.path());
    let (code, out, err) = idgen(&["survey", &url, "--json"]);
    assert_eq!(code, 0, "{err}");
    let survey: serde_json::Value = serde_json::from_str(&out).unwrap();
    let predictions = survey["predictions"].as_array().unwrap();
    assert_eq!(predictions.len(), 2, "{predictions:?}");
    for prediction in predictions {
        let figure = |change: &str, name: &str| {
            let changes = prediction["changes"].as_array().unwrap();
            let found = changes.iter().find(|one| one["change"] == change);
            found.unwrap_or_else(|| panic!("no {change}: {changes:?}"))[name].as_f64().unwrap()
        };
        // New ids at the right edge write fewer pages than random ones, in either column.
        assert!(figure("v7", "writes_per_1k") * 2.0 < figure("stay", "writes_per_1k"), "{prediction}");
        if prediction["table"] == HOSTILE {
            assert!(figure("bytes16", "bytes") * 1.5 < figure("stay", "bytes"), "{prediction}");
        }
    }
    let (_, out, _) = idgen(&["survey", &url, "--predict", "1"]);
    assert!(
        out.contains("Where the most pages are to be gained") && out.contains("1 smaller table:"),
        "{out}"
    );
    let (_, out, _) = idgen(&["survey", &url, "--predict", "0"]);
    assert!(!out.contains("Where the most pages are to be gained"), "{out}");
}

#[test]
fn a_page_has_everything_and_no_markup_of_names() {
    let folder = tempfile::tempdir().unwrap();
    let url = shop(folder.path());
    let file = folder.path().join("survey.html");
    let (code, out, err) = idgen(&["survey", &url, "--html", file.to_str().unwrap(), "--predict", "1"]);
    assert!(code == 0 && out.contains("Columns of ids"), "{err}");
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(!page.contains("<img") && page.contains("onerror=alert(1)"), "the name is a text");
    for part in [
        "Where the most pages are to be gained",
        "Columns of ids",
        "Bytes of keys",
        "PRAGMA query_only",
        "<svg",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let (code, _, err) =
        idgen(&["survey", &url, "--predict", "0", "--html", folder.path().to_str().unwrap()]);
    assert!(code == 1 && err.contains("cannot"), "{err}");
    // The database itself, or any other file that is no page.
    let database = folder.path().join("shop.db");
    let before = std::fs::read(&database).unwrap();
    let (code, out, err) = idgen(&["survey", &url, "--predict", "0", "--html", database.to_str().unwrap()]);
    assert!(code == 1 && out.is_empty() && err.contains("is there and is no page"), "{err}");
    assert!(std::fs::read(&database).unwrap() == before);
    let (code, _, err) = idgen(&["survey", &url, "--predict", "0", "--html", file.to_str().unwrap()]);
    assert_eq!(code, 0, "{err}");
}
