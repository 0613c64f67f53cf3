//! `idgen plan`: what it refuses before it connects.

use assert_cmd::Command;

fn idgen(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("idgen").unwrap().args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_wrong_url_or_target_is_refused_without_its_password() {
    let (code, _, err) =
        idgen(&["plan", "oracle://user:secret@host/x", "--table", "orders", "--to", "binary16"]);
    assert_eq!(code, 1);
    assert!(err.contains("mysql://") && !err.contains("secret"), "{err}");
    let (code, _, err) =
        idgen(&["plan", "postgres://host/x", "--table", "orders", "--to", "uuid", "--for", "gh-ost"]);
    assert_eq!(code, 1);
    assert!(err.contains("plan without it on PostgreSQL"), "{err}");
    let (code, _, err) =
        idgen(&["plan", "mysql://host/x", "--table", "orders", "--to", "binary16", "--map", "uuid_map"]);
    assert_eq!(code, 2);
    assert!(err.contains("--map does not apply to --to binary16"), "{err}");
    let (code, _, err) =
        idgen(&["plan", "mysql://host/x", "--table", "orders", "--to", "integer", "--measure"]);
    assert_eq!(code, 2);
    assert!(err.contains("--measure does not apply to --to integer"), "{err}");
    let (code, _, err) = idgen(&["plan", "mysql://host/x", "--table", "orders", "--to", "bytes"]);
    assert_eq!(code, 2);
    assert!(err.contains("binary16"), "{err}");
}

#[test]
fn the_help_has_examples() {
    let (code, out, _) = idgen(&["plan", "--help"]);
    assert_eq!(code, 0);
    assert!(
        out.contains("idgen plan --table orders --to binary16") && out.contains("IDGEN_PLAN_URL"),
        "{out}"
    );
}

#[test]
fn run_and_status_need_no_table_and_say_what_is_missing() {
    let (code, _, err) = idgen(&["plan", "--to", "uuid", "mysql://host/x"]);
    assert_eq!(code, 2);
    assert!(err.contains("--table"), "{err}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let (code, _, err) = idgen(&["plan", "run", path, "mysql://host/x"]);
    assert_eq!(code, 1);
    assert!(err.contains("plan.json, which `idgen plan --out FOLDER` writes"), "{err}");
    std::fs::write(folder.path().join("plan.json"), "{}").unwrap();
    let (code, _, err) = idgen(&["plan", "run", path, "mysql://host/x"]);
    assert_eq!(code, 1);
    assert!(err.contains("is not the plan of this version of idgen"), "{err}");
    let (code, _, err) = idgen(&["plan", "status", "sqlite:shop.db"]);
    assert_eq!(code, 1);
    assert!(err.contains("the URL must begin with mysql://"), "{err}");
    let (code, _, err) = idgen(&["plan", "--table", "orders", "status", "mysql://host/x"]);
    assert_eq!(code, 2, "{err}");
}
