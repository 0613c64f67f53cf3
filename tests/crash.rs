//! Runs of the command that are killed in the middle: a state file keeps the next run apart.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const RUNS: usize = 12;

/// Starts an endless run, takes `count` of its ids, and kills it without warning (SIGKILL on Unix).
fn killed_run(kind: &str, state: &std::path::Path, count: usize) -> Vec<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_idgen"))
        .args(["new", kind, "-n", "1000000000000", "--state"])
        .arg(state)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let ids = lines.take(count).collect::<Result<Vec<_>, _>>().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(ids.len(), count, "{kind} ended early");
    ids
}

#[test]
fn a_killed_run_is_never_repeated() {
    for (kind, ascending) in [("v1", false), ("v6", true), ("v7", true), ("ulid", true), ("short", false)] {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("ids.state");
        let mut all = Vec::new();
        for run in 0..RUNS {
            all.extend(killed_run(kind, &state, 1 + run * 37));
        }
        let different: HashSet<&String> = all.iter().collect();
        assert_eq!(different.len(), all.len(), "{kind} repeats an id after a kill");
        assert!(!ascending || all.is_sorted(), "{kind} is out of order after a kill");
    }
}
