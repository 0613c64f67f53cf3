//! Generators that tests simulate, with a clock and randomness that are given.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "helpers of tests fail by panicking, and each test uses some of them"
)]

use std::path::{Path, PathBuf};

use idgen::{Timestamp, Uuid};
use idgen_check::{Checker, Options, Reading, Report, Status, Verdict};

/// 2026-11-21T12:00:00Z.
pub const NOON_MS: u64 = 1_795_262_400_000;

/// Options of a check an hour after noon, so that tests do not depend on today's date.
pub fn options() -> Options {
    Options { now: Some(Timestamp::from_unix_millis(NOON_MS as i64 + 3_600_000)), ..Options::default() }
}

/// Version 7 from its fields: `tail` has 74 bits.
pub fn v7(ms: u64, tail: u128) -> Uuid {
    let (high, low) = (tail >> 62 & 0xFFF, tail & ((1 << 62) - 1));
    Uuid::from_u128(u128::from(ms) << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low)
}

/// The lower 74 bits of a random number.
pub fn tail(random: &mut fastrand::Rng) -> u128 {
    random.u128(..) >> 54
}

/// The report about streams of these ids.
pub fn check(streams: &[&[Uuid]]) -> Report {
    let mut checker = Checker::new(options());
    for (number, ids) in streams.iter().enumerate() {
        let stream = checker.stream(&format!("stream {number}"));
        for batch in ids.chunks(1_000) {
            checker.push(stream, Reading::Uuid, batch, None).unwrap();
        }
    }
    checker.finish().unwrap()
}

/// The verdict of a rule that applies to one kind.
pub fn verdict(report: &Report, rule: &str) -> Verdict {
    let verdicts: Vec<_> = report.verdicts_of(rule).collect();
    assert_eq!(verdicts.len(), 1, "{rule}: {report}");
    verdicts[0].clone()
}

/// Asserts that a rule has this status, and that what was found contains a text.
#[track_caller]
pub fn assert_found(report: &Report, rule: &str, status: Status, part: &str) {
    let verdict = verdict(report, rule);
    assert!(verdict.status == status && verdict.found.contains(part), "{rule}: {verdict:?}\n{report}");
}

/// Asserts that no rule but these fails or warns.
#[track_caller]
pub fn assert_only(report: &Report, rules: &[&str]) {
    for verdict in report.verdicts.iter().filter(|verdict| verdict.status >= Status::Warns) {
        assert!(rules.contains(&verdict.rule), "{verdict:?}\n{report}");
    }
}

/// The report about ids that were made just now.
pub fn check_now(ids: &[Uuid]) -> Report {
    let mut checker = Checker::new(Options::default());
    let stream = checker.stream("ids");
    checker.push(stream, Reading::Uuid, ids, None).unwrap();
    checker.finish().unwrap()
}

/// The ids of a file of `tests/sources`, or of the folder IDGEN_SOURCES.
pub fn ids(file: &str) -> Vec<u128> {
    let recorded = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources");
    let folder = std::env::var_os("IDGEN_SOURCES").map_or_else(recorded, PathBuf::from);
    let path = folder.join(file).with_extension("txt");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| Uuid::parse_str(line).unwrap().as_u128()).collect()
}
