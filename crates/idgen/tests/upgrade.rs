//! State files of version 0.1, as `tests/fixtures` keeps them: no id that they cover is made again.
//!
//! The file was written once, by [`write`], and is never written again: a later version must read it as it is.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs;
use std::path::PathBuf;

use common::{COUNTING, generator};
use idgen::generator::{DeviceShort, Generate, MysqlShort};
use idgen::source::{ClockPolicy, FileState, FixedClock, FixedEntropy};
use idgen::{ShortId, Timestamp};
use serde_json::{Value, json};

const NOON: Timestamp = Timestamp::from_unix_secs(1_795_262_400);
/// The 64-bit kinds, which the other tests of states do not have in their list.
const SHORT: [&str; 2] = ["short", "mysql-short"];

/// The state of a generator that was killed after some ids, and these ids.
fn write() -> Value {
    let kinds = COUNTING.iter().map(|(kind, _)| *kind).chain(SHORT);
    kinds
        .map(|kind| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("ids.state");
            let mut ids = open(kind, FileState::open(&path).unwrap());
            let made: Vec<String> = (0..8).map(|_| format!("{:x}", ids())).collect();
            // A killed process leaves the file in this state: nothing is saved at the end.
            std::mem::forget(ids);
            json!({ "kind": kind, "ids": made, "state": fs::read_to_string(path).unwrap() })
        })
        .collect()
}

/// Makes ids as the numbers that their bytes are, so that all kinds can be compared.
fn open(kind: &str, state: FileState) -> Box<dyn FnMut() -> u128> {
    let (clock, entropy) = (FixedClock::new(NOON), FixedEntropy::new(1));
    let number = |id: ShortId| u128::from(id.get());
    match kind {
        "short" => {
            let mut ids = DeviceShort::new(clock, entropy).unwrap().with_state(state).unwrap();
            Box::new(move || number(ids.next_id().unwrap()))
        }
        "mysql-short" => {
            let mut ids = MysqlShort::new(&clock, 7).unwrap().with_state(state).unwrap();
            Box::new(move || number(ids.next_id().unwrap()))
        }
        kind => {
            let mut ids = generator(kind, clock, entropy, ClockPolicy::DEFAULT, state).unwrap();
            Box::new(move || ids.next_id().unwrap().as_u128())
        }
    }
}

#[test]
fn states_of_version_0_1_go_on() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/0.1/states.json");
    if std::env::var_os("IDGEN_WRITE_FIXTURES").is_some() && !file.exists() {
        fs::write(&file, format!("{:#}\n", write())).unwrap();
    }
    let stored: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(stored.len(), COUNTING.len() + SHORT.len());
    for entry in &stored {
        let kind = entry["kind"].as_str().unwrap();
        let numbers = entry["ids"].as_array().unwrap().iter();
        let made: Vec<u128> =
            numbers.map(|id| u128::from_str_radix(id.as_str().unwrap(), 16).unwrap()).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ids.state");
        fs::write(&path, entry["state"].as_str().unwrap()).unwrap();
        let mut ids = open(kind, FileState::open(&path).unwrap());
        let next: Vec<u128> = (0..8).map(|_| ids()).collect();
        assert!(next.iter().all(|id| !made.contains(id)), "{kind}: {next:x?}");
        // The ids of version 1 do not sort by time, and a counter of 16 bits begins again at its end.
        if !kind.starts_with("v1") && kind != "short" {
            let all = [made, next].concat();
            assert!(all.is_sorted_by(|a, b| a < b), "{kind}: {all:x?}");
        }
    }
}
