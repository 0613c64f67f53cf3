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
