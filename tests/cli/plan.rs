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
