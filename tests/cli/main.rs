//! The `idgen` binary, run as a user runs it.
#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod advice;
mod bounds;
mod check;
mod compare;
mod convert;
mod forecast;
mod help;
mod inspect;
mod keys;
mod lab;
mod lsm;
mod made;
mod misuse;
mod odds;
mod own;
mod plan;
mod ranges;
mod state;
mod streams;
mod survey;
mod times;
mod typed;

use ::idgen::Kind;
use assert_cmd::Command;

/// The binary.
fn idgen(args: &[&str]) -> Command {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("idgen");
    command.args(args);
    command
}

/// The standard output of a run that must succeed and write nothing to standard error.
fn output(args: &[&str], input: impl Into<Vec<u8>>) -> Vec<u8> {
    let done = idgen(args).write_stdin(input).assert().success();
    let done = done.get_output();
    assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{args:?}");
    done.stdout.clone()
}

/// The standard output of a run that must succeed, and its standard error.
fn noted(args: &[&str], input: impl Into<Vec<u8>>) -> (Vec<u8>, String) {
    let done = idgen(args).write_stdin(input).assert().success();
    let done = done.get_output();
    (done.stdout.clone(), String::from_utf8(done.stderr.clone()).unwrap())
}

/// The standard output of a run in this format, in which ids of this kind have a note if it is `swapped`.
fn output_in(format: &str, kind: &str, args: &[&str], input: impl Into<Vec<u8>>) -> Vec<u8> {
    let (out, note) = noted(args, input);
    // The bits of all ULIDs of a run can look like version 1 by chance.
    let has_note = format == "swapped" && kind != "v1" && !(kind == "ulid" && note.is_empty());
    assert_eq!(note.contains("swapping orders only ids of version 1"), has_note, "{args:?}: {note}");
    // One of 300 random ids has at most 36 decimal digits.
    let is_short = format == "int" && note.contains("of the texts can be read only if their format is named");
    assert!(has_note || is_short || note.is_empty(), "{args:?}: {note}");
    out
}

/// Runs the command without input, and returns its output in lines.
fn lines(args: &[&str]) -> Vec<String> {
    lines_of(output(args, ""))
}

fn lines_of(text: Vec<u8>) -> Vec<String> {
    let text = String::from_utf8(text).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "{text:?}");
    text.lines().map(String::from).collect()
}

/// Exit code, and standard error.
fn failure(args: &[&str], input: &str) -> (i32, String) {
    let done = idgen(args).write_stdin(input).assert().failure();
    let done = done.get_output();
    (done.status.code().unwrap(), String::from_utf8(done.stderr.clone()).unwrap())
}

/// A file of golden values.
fn vectors(name: &str) -> serde_json::Value {
    let path = format!("{}/tests/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The kinds for which something holds.
fn kinds(holds: impl Fn(Kind) -> bool) -> impl Iterator<Item = &'static str> {
    Kind::ALL.iter().copied().filter(move |kind| holds(*kind)).map(Kind::name)
}

fn uuid_kinds() -> impl Iterator<Item = &'static str> {
    kinds(|kind| kind.bits() == 128)
}

const FORMATS: [&str; 11] = [
    "hyphenated",
    "simple",
    "urn",
    "braced",
    "base64",
    "base64url",
    "ordered64",
    "base32",
    "int",
    "swapped",
    "binary",
];

/// Returns whether the format is raw bytes.
fn is_raw(format: &str) -> bool {
    matches!(format, "swapped" | "binary")
}
