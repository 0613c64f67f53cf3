//! An external server, and users of different privileges.

use std::process::Stdio;
use std::time::{Duration, Instant};

use idgen_record::{Database, Results};

use crate::common::{External, PASSWORD, lab, said, send, skew_is_measured, until};

/// The extensions that show pages and page splits.
const EXTENSIONS: [&str; 3] = ["pageinspect", "pgstattuple", "pg_walinspect"];

/// Runs to the end, and checks that nothing shows the password and that no database is left.
fn run(external: &External) -> (Results, String) {
    let directory = tempfile::tempdir().unwrap();
    let load = ["--writers", "1", "--rows", "20000", "--strategies", "v4-binary,v7-binary,mapped"];
    let output = external.lab(directory.path(), &load).output().unwrap();
    let text = std::fs::read_to_string(directory.path().join("results.json")).unwrap_or_default();
    let all = said(&output) + &text;
    assert!(!all.contains(PASSWORD), "{all}");
    assert_eq!(output.status.code(), Some(0), "{all}");
    assert_eq!(external.schemas(), [""; 0]);
    let results = idgen_report::read(&text).unwrap();
    for run in &results.runs {
        assert_eq!(run.totals.rows, 20_000);
        assert!(run.totals.heap_bytes_per_row.is_some() && run.totals.page_images_per_1k.is_some());
        assert!(!run.settings.contains_key("checkpoint_rows"), "the lab makes none there");
    }
    assert_eq!(results.runs.len(), 3);
    let said = results.engine.missing.join("\n");
    assert!(said.contains("No fixed distance between checkpoints"), "{said}");
    (results, said)
}
/// Tests one server for a user who gets more privileges step by step.
#[test]
fn an_external_server_shows_what_the_user_may_see() {
    let external = External::new(Database::Postgres);
    skew_is_measured(&external.url, PASSWORD);
    // A user who may only create databases.
    let (results, missing) = run(&external);
    for what in [
        "No leaf pages per 1,000 inserts, tenth percentile of the page fill, and maps of pages: only a superuser may \
         create the extension pageinspect",
        "No page fill: only a superuser may create the extension pgstattuple; CREATE EXTENSION in the database template1 \
         puts it into every new database, and GRANT pg_stat_scan_tables TO that user",
        "No page splits: only a superuser may create the extension pg_walinspect",
    ] {
        assert!(missing.contains(what), "{missing}");
    }
    for run in &results.runs {
        let totals = run.totals;
        assert!(totals.fill_mean.is_nan() && totals.distinct_leaves_per_1k.is_nan() && run.trees.is_empty());
        assert!(totals.splits_per_1k.is_none() && totals.redo_bytes_per_row.unwrap() > 100.0);
    }
    assert!(results.run("mapped").unwrap().totals.map_bytes_per_row.unwrap() > 28.0);

    // An extension in template1 is also in the lab's database. Its functions require a role of their own.
    let template = external.server.url().replace("/postgres?", "/template1?");
    for extension in EXTENSIONS {
        external.try_sql(&template, &format!("CREATE EXTENSION {extension}")).unwrap();
    }
    let (_, missing) = run(&external);
    for what in [
        "maps of pages: only a superuser may call the functions of pageinspect",
        "No page fill: the user may not call the functions of pgstattuple, which GRANT pg_stat_scan_tables TO",
        "No page splits: the user may not call the functions of pg_walinspect, which GRANT pg_read_server_files TO",
    ] {
        assert!(missing.contains(what), "{missing}");
    }
    external.sql("GRANT pg_stat_scan_tables, pg_read_server_files TO lab");
    let (results, missing) = run(&external);
    assert!(!missing.contains("No page fill") && !missing.contains("No page splits"), "{missing}");
    let totals = |name: &str| results.run(name).unwrap().totals;
    let (random, ordered) = (totals("v4-binary"), totals("v7-binary"));
    assert!((0.55..0.8).contains(&random.fill_mean) && random.fill_p10.is_nan(), "{random:?}");
    assert!(ordered.fill_mean > 0.87, "{ordered:?}");
    assert!(random.splits_per_1k > ordered.splits_per_1k && ordered.splits_per_1k > Some(1.0));

    external.sql("ALTER ROLE lab SUPERUSER");
    let (results, missing) = run(&external);
    assert_eq!(missing.lines().count(), 1, "{missing}");
    assert!(results.run("v4-binary").unwrap().totals.distinct_leaves_per_1k > 40.0);

    // A server whose installation does not have the extensions.
    for extension in EXTENSIONS {
        external.try_sql(&template, &format!("DROP EXTENSION {extension}")).unwrap();
    }
    external.sql("ALTER SYSTEM SET extension_control_path = '/nowhere'");
    external.sql("SELECT pg_reload_conf()::text");
    let is_read = || external.sql("SHOW extension_control_path") == ["/nowhere"];
    until("the setting was not read", || is_read().then_some(()));
    let (results, missing) = run(&external);
    for (what, extension) in [
        ("leaf pages per 1,000 inserts, tenth percentile of the page fill, and maps of pages", "pageinspect"),
        ("page fill", "pgstattuple"),
        ("page splits", "pg_walinspect"),
    ] {
        let said = format!(
            "No {what}: the server does not have the extension {extension}, which the package postgresql-contrib"
        );
        assert!(missing.contains(&said), "{missing}");
    }
    let totals = results.run("v4-binary").unwrap().totals;
    assert!(totals.fill_mean.is_nan() && totals.splits_per_1k.is_none(), "{totals:?}");
    assert!(totals.heap_bytes_per_row.is_some() && totals.redo_bytes_per_row.unwrap() > 100.0);
}

/// Ctrl-C, wrong addresses and wrong options.
#[cfg(unix)]
#[test]
fn an_external_server_is_left_as_it_was() {
    let external = External::new(Database::Postgres);
    let directory = tempfile::tempdir().unwrap();
    let mut command = external
        .lab(directory.path(), &["--writers", "1", "--rows", "50000000", "--strategies", "v4-text36"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("no database was made", || external.schemas().pop());
    std::thread::sleep(Duration::from_millis(500));
    send("-INT", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    assert!(!said(&output).contains("left at") && !said(&output).contains(PASSWORD), "{}", said(&output));
    assert_eq!(external.schemas(), [""; 0]);

    for (load, code, says) in [
        (
            &["--strategies", "v7-uuid"][..],
            2,
            "PostgreSQL cannot run v7-uuid: it already stores 16 bytes in its type uuid",
        ),
        (&["--strategies", "mapped-dedup"], 2, "choose mapped"),
        (&["--strategies", "no-primary-key"], 2, "its rows are in a heap"),
        (&["--strategies", "uuid-short"], 2, "no function that makes these ids: choose device"),
        (&["--pool", "1G"], 2, "keeps its own buffer pool"),
        (&["--checkpoint", "60"], 2, "only on a PostgreSQL server of its own"),
        (&["run", "partitions", "--scale", "ci"], 2, "needs a MySQL or MariaDB server"),
    ] {
        let output = external.lab(directory.path(), load).output().unwrap();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(says) && !said.contains(PASSWORD), "{said}");
    }
    assert_eq!(external.schemas(), [""; 0]);

    external.sql("ALTER ROLE lab NOCREATEDB");
    let output = external.lab(directory.path(), &["--rows", "1000"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("the user needs the attribute CREATEDB"), "{}", said(&output));
    assert!(!said(&output).contains("line"), "{}", said(&output));

    // A URL of the other protocol, and one whose user has no database of its own.
    let address = external.url.split_once('@').unwrap().1.split('/').next().unwrap();
    for (url, says) in [
        (format!("mysql://lab:{PASSWORD}@{address}"), "PostgreSQL answers at 127.0.0.1:"),
        (
            format!("postgres://lab:{PASSWORD}@{address}"),
            "\"lab\" does not exist. A URL without a database means",
        ),
        (format!("postgres://lab:wrong-one@{address}/postgres"), "password authentication failed"),
    ] {
        let began = Instant::now();
        let output = lab().args(["--rows", "1000", "--engine", &url]).output().unwrap();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(says) && !said.contains(PASSWORD) && !said.contains("wrong-one"), "{said}");
        // The driver adds the line of the server's source.
        assert!(!said.contains("line"), "{said}");
        // Nothing is retried: a server that starts may take three minutes to accept a connection.
        assert!(began.elapsed() < Duration::from_secs(150), "{:?}", began.elapsed());
    }
}
