//! `idgen lab clean` on an external server: it removes what a killed run left, and nothing else.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use idgen_record::Database;

use crate::common::{External, PASSWORD, lab, said, send, until};

/// Starts a run that does not end by itself, and waits until it has made a schema. Returns its name.
fn begin(external: &External, out: &Path) -> (Child, String) {
    let before = external.schemas();
    let load = ["--writers", "1", "--rows", "50000000", "--strategies", "v4-text36"];
    let child = external.lab(out, &load).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let name = until("no schema was made", || {
        let name = external.schemas().into_iter().find(|name| !before.contains(name));
        name.filter(|name| is_in_use(external, name))
    });
    (child, name)
}

/// PostgreSQL makes a database before a session can be in it.
fn is_in_use(external: &External, name: &str) -> bool {
    let sessions = format!("SELECT pid::text FROM pg_stat_activity WHERE datname = '{name}'");
    external.server.database() != Database::Postgres || !external.sql(&sessions).is_empty()
}

/// Runs `lab clean`, and returns its output.
fn clean(external: &External, options: &[&str]) -> String {
    let output = lab().arg("clean").args(options).env("IDGEN_LAB_ENGINE", &external.url).output().unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(!said.contains(PASSWORD), "{said}");
    said
}

fn only_killed_runs_are_cleaned_up(database: Database) {
    let external = External::new(database);
    let folder = tempfile::tempdir().unwrap();
    assert!(clean(&external, &[]).contains("runs have left nothing"));

    // Somebody else's, one of them in the form of our names.
    let foreign = ["idgen_0123456789abcdef0123456789abcdef", "idgen_orders"];
    for name in foreign {
        external.sql(&format!("CREATE DATABASE {name}"));
    }
    let (mut killed, left) = begin(&external, &folder.path().join("killed"));
    let (running, used) = begin(&external, &folder.path().join("running"));
    let said = clean(&external, &["--dry-run"]);
    for name in [&left, &used] {
        assert!(said.contains(&format!("{name}: kept, a program uses it")), "{said}");
    }
    killed.kill().unwrap();
    killed.wait().unwrap();

    // The server ends the sessions of a killed client when it next reads from them.
    let begin = Instant::now();
    loop {
        let said = clean(&external, &["--dry-run"]);
        if said.contains(&format!("{left}: would be removed")) {
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(300), "{said}");
    }
    assert_eq!(external.schemas().len(), 4, "a dry run removes nothing");

    let short = ["--writers", "1", "--rows", "1000", "--strategies", "v7-binary", "--repeat", "1"];
    let output = external.lab(&folder.path().join("short"), &short).output().unwrap();
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{notes}");
    assert!(
        notes.contains(&format!("killed have left {left} at")) && notes.contains("idgen lab clean"),
        "{notes}"
    );
    assert!(!notes.contains(&used) && !notes.contains(PASSWORD), "{notes}");

    let said = clean(&external, &[]);
    assert!(said.contains(&format!("{left}: removed")), "{said}");
    assert!(said.contains(&format!("{used}: kept, a program uses it")), "{said}");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for name in foreign {
        assert!(said.contains(&format!("{name}: kept, because its name does not show")), "{said}");
    }
    let mut expected = vec![foreign[0].to_owned(), foreign[1].to_owned(), used.clone()];
    expected.sort();
    let mut found = external.schemas();
    found.sort();
    assert_eq!(found, expected);

    // The library refuses them, too, whatever its caller asks for.
    for name in foreign {
        assert!(external.server.remove_leftover(name).is_err());
    }
    assert!(!external.server.remove_leftover(&used).unwrap());

    // The run that went on was not disturbed.
    send("-INT", &running);
    let output = running.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!external.schemas().contains(&used));
}

#[test]
fn mysql_keeps_nothing_of_killed_runs() {
    only_killed_runs_are_cleaned_up(Database::MySql);
}

#[test]
fn mariadb_keeps_nothing_of_killed_runs() {
    only_killed_runs_are_cleaned_up(Database::MariaDb);
}

#[test]
fn postgres_keeps_nothing_of_killed_runs() {
    only_killed_runs_are_cleaned_up(Database::Postgres);
}

#[test]
fn only_a_server_can_be_cleaned_up() {
    let output = lab().args(["clean", "sqlite"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("needs the URL of a server"), "{}", said(&output));
}
