//! `--state`, and clocks that are behind the last id.

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use ::idgen::{Kind, Setting};

use crate::{failure, kinds, lines, lines_of, noted};

#[test]
fn no_run_repeats_another_and_the_order_holds() {
    let folder = tempfile::tempdir().unwrap();
    for kind in Kind::ALL.iter().filter(|kind| kind.has(Setting::State)) {
        let file = folder.path().join(kind.name());
        let file = file.to_str().unwrap();
        // All runs have the same time, and the same node where there is one, so only the file keeps their ids
        // distinct.
        let mut args = vec!["new", kind.name(), "-n", "50", "--at", "2026-11-21T12:00:00Z", "--state", file];
        if kind.has(Setting::Node) {
            args.extend(["--node", "9f6bdeced846"]);
        }
        let ids: Vec<String> = (0..20).flat_map(|_| lines(&args)).collect();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 1_000, "{kind}");
        if kind.facts().is_ascending {
            assert!(ids.is_sorted(), "{kind}");
        }
    }
}

#[test]
fn a_file_in_use_is_refused_by_name_and_free_after_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("in-use.state");
    let file = file.to_str().unwrap();
    let mut first = Command::new(assert_cmd::cargo::cargo_bin!("idgen"))
        .args(["new", "v7", "-n", "100000000", "--state", file])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // It has begun, and it waits because nobody reads its whole output.
    let mut out = BufReader::new(first.stdout.take().unwrap());
    let mut last = String::new();
    out.read_line(&mut last).unwrap();

    let (code, error) = failure(&["new", "v7", "--state", file], "");
    assert_eq!(code, 1);
    assert!(error.contains("in-use.state") && error.contains("another generator"), "{error}");

    first.kill().unwrap();
    first.wait().unwrap();
    // The kill may have cut the last line.
    for line in out.lines().map(Result::unwrap).filter(|line| line.len() == 36) {
        last = line;
    }
    let next = lines(&["new", "v7", "--state", file]);
    assert!(*next[0] > *last.trim_end(), "{next:?} after {last}");
}

#[test]
fn a_file_that_is_not_a_state_is_refused_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s");
    let path = file.to_str().unwrap();
    lines(&["new", "v7", "--state", path]);
    let saved = std::fs::read(&file).unwrap();
    let (code, error) = failure(&["new", "v6", "--state", path], "");
    assert_eq!(code, 1);
    assert!(error.contains("v7") || error.contains("v6"), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), saved);

    std::fs::write(&file, "some notes\n").unwrap();
    let (code, error) = failure(&["new", "v7", "--state", path], "");
    assert_eq!(code, 1);
    assert!(error.contains("not a state file"), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), b"some notes\n");

    let missing = folder.path().join("no/such/folder/s");
    let (code, error) = failure(&["new", "v7", "--state", missing.to_str().unwrap()], "");
    assert_eq!(code, 1);
    assert!(error.contains("no/such/folder"), "{error}");
}

#[test]
fn a_clock_far_behind_is_an_error_or_a_wait() {
    let folder = tempfile::tempdir().unwrap();
    for kind in kinds(|kind| kind.has(Setting::Policy)) {
        let file = folder.path().join(kind);
        let file = file.to_str().unwrap();
        let late = lines(&["new", kind, "--at", "2026-11-21T12:00:00Z", "--state", file]);
        let early = ["new", kind, "--at", "2026-11-21T11:00:00Z", "--state", file];
        let (code, error) = failure(&early, "");
        assert_eq!(code, 1, "{kind}");
        assert!(error.contains("2026-11-21T11:00:00Z, but ids were already made"), "{kind}: {error}");
        assert!(error.contains("--when-behind"), "{kind}: {error}");

        let wait = ["--when-behind", "wait"];
        let (code, error) = failure(&[&early[..], &wait].concat(), "");
        assert!(code == 1 && error.contains("already made"), "{kind} waited for an hour: {error}");
        let soon = ["new", kind, "--at", "2026-11-21T11:59:10Z", "--state", file];
        assert_ne!(lines(&[&soon[..], &wait].concat()), late, "{kind}");
    }
}

/// One run read a clock of the year 2096. Nothing that the error advised got out of that.
#[test]
fn a_state_of_a_wrong_clock_can_be_set_back() {
    let folder = tempfile::tempdir().unwrap();
    for kind in kinds(|kind| kind.has(Setting::State)) {
        let file = folder.path().join(kind);
        let file = file.to_str().unwrap();
        let at = |moment: &'static str| ["new", kind, "--state", file, "--at", moment];
        let first = lines(&[&at("2026-11-21T12:00:00Z")[..], &["-n", "3"]].concat());
        lines(&at("2096-10-02T07:06:40Z"));
        let now = "2026-11-21T12:00:05Z";
        if kind != "mysql-short" {
            let (code, error) = failure(&at(now), "");
            assert_eq!(code, 1, "{kind}");
            let says =
                error.contains("--forget-state-beyond") && error.contains("restore the state of before");
            assert!(says && !error.contains("choose another clock policy"), "{kind}: {error}");
        }
        let back = [&at(now)[..], &["--forget-state-beyond", "2026-11-21T12:00:01Z"]].concat();
        let (out, note) = noted(&back, "");
        assert!(note.contains("ids were made until 2096-10-02T07:06:4"), "{kind}: {note}");
        let ids = lines_of(out);
        assert!(!first.contains(&ids[0]), "{kind}");
        if kind != "v1" && kind != "short" {
            assert!(first.last() < ids.last() || first[0].len() < ids[0].len(), "{kind}: {first:?} {ids:?}");
        }
        // From now on the file is as if nothing had happened, and a second time has no effect.
        assert_eq!(lines(&at("2026-11-21T12:00:20Z")).len(), 1, "{kind}");
        let later =
            [&at("2026-11-21T12:00:25Z")[..], &["--forget-state-beyond", "2026-11-21T12:00:21Z"]].concat();
        assert_eq!(lines(&later).len(), 1, "{kind}");
    }
}
