//! The command line on a server of the lab's own: the record has the settings that the server had.

use crate::common::{lab, said};

/// The experiment of the log, at its smallest scale.
#[test]
fn random_keys_write_more_log() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = lab();
    command.args([
        "run",
        "wal-volume",
        "--engine=postgres",
        "--scale=ci",
        "--checkpoint=60",
        "--repeat=1",
        "--strategies=auto-increment,v7-binary,minute-random,v4-binary",
    ]);
    let output = command.arg("--out").arg(directory.path()).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let results = idgen_report::open(&directory.path().join("wal-volume")).unwrap();
    assert_eq!(results.workload.checkpoint_secs, Some(60));
    assert!(results.command.contains("--scale ci --checkpoint 60"), "{}", results.command);
    let log = |name: &str| results.run(name).unwrap().totals.redo_bytes_per_row.unwrap();
    for name in ["v7-binary", "minute-random"] {
        assert!(log("v4-binary") > 2.0 * log(name), "{name}: {} and {}", log(name), log("v4-binary"));
    }
    assert!(log("auto-increment") < log("v7-binary"));
}

/// Options of the command line reach the server, and the record has the values that the server reports.
#[test]
fn the_record_has_the_settings_of_the_server() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = lab();
    command.args(["--engine=postgres", "--rows=4000", "--strategies=v7-binary,v4-server", "--writers=2"]);
    let output = command.arg("--checkpoint=60").arg("--out").arg(directory.path()).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let results = idgen_report::open(directory.path()).unwrap();
    let settings = &results.runs[0].settings;
    assert_eq!(results.workload.cache_bytes, Some(8 << 20));
    assert_eq!(results.workload.checkpoint_secs, Some(60));
    for (name, value) in [("shared_buffers", "8MB"), ("checkpoint_rows", "100"), ("full_page_writes", "on")] {
        assert_eq!(settings[name], value, "{settings:?}");
    }
    assert!(settings["table"].contains("id uuid, payload bytea"), "{}", settings["table"]);
    assert!(
        results.command.contains("--engine postgres --writers 2 --rows 4000 --checkpoint 60"),
        "{}",
        results.command
    );
    let page = std::fs::read_to_string(directory.path().join("report.md")).unwrap();
    for said in [
        "one after each 100 rows, which are 60 s of simulated time",
        "full-page images per 1k | requests",
        "bytes per row of the heap | bytes per row of the indexes",
    ] {
        assert!(page.contains(said), "{said} is not in {page}");
    }
}
