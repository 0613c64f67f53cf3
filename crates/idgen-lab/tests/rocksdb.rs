//! RocksDB: the lab counts its compactions, and they are those that the model predicts. It takes the feature `rocksdb`.

#![cfg(feature = "rocksdb")]
#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

use idgen_lab::engine::start_rocksdb;
use idgen_lab::lsm::{Engine, Load, predict};
use idgen_lab::runner::{Cancel, Observer, run};
use idgen_lab::{measure, strategy};
use idgen_record::{Existing, Failure, IdKind, LsmOptions, Results, Run, Workload};

const ROWS: u64 = 100_000;
const CACHE: u64 = 2 << 20;
/// The largest error of the model on the hold-out set, in %: docs/results/lsm/README.md.
const WITHIN: f64 = 17.0;

struct Quiet;
impl Observer for Quiet {
    fn failed(&mut self, failure: &Failure) {
        panic!("{}: {}", failure.strategy, failure.error);
    }
}

fn recorded(names: &[&str], load: Workload) -> Results {
    let mut engine = start_rocksdb(&load).unwrap();
    assert_eq!((engine.info().name.as_str(), engine.info().database()), ("RocksDB", None));
    let mut results = measure::begin("a test", "a test", engine.info(), load);
    let compared: Vec<_> = names.iter().map(|name| strategy::find(name).unwrap()).collect();
    run(&mut *engine, &compared, &mut results, &Cancel::new(), &mut Quiet).unwrap();
    results
}

fn within_the_model(run: &Run, planned: &Load) {
    let name = &run.strategy.name;
    let whole = predict(strategy::find(name).unwrap(), planned).unwrap().whole;
    let times = run.totals.write_amplification.unwrap();
    let error = 100.0 * (whole.write_amplification / times - 1.0);
    assert!(error.abs() <= WITHIN, "{name}: {times}, {error} % {whole:?}");
}

fn load() -> Workload {
    Workload {
        cache_bytes: Some(CACHE),
        rate: Some(1_000.0),
        statement_rows: 10,
        ..Workload::of_rows(ROWS).unwrap()
    }
}

#[test]
fn compactions_are_counted_as_the_model_predicts_them() {
    let names = ["v7-binary", "minute-random", "v4-binary"];
    let recorded = recorded(&names, load());
    let usual = Load::new(ROWS, Engine::RocksDb);
    let settings = usual.settings.clone().sized(CACHE / 4, CACHE);
    let planned = Load { settings, ..usual };
    for name in names {
        let run = recorded.run(name).unwrap();
        within_the_model(run, &planned);
        let counted = run.totals;
        assert!(counted.fill_mean.is_nan() && counted.splits_per_1k.is_none(), "{name} has no pages");
        assert_eq!(
            counted.stall_secs_per_1m,
            Some(0.0),
            "{name}: compactions are done before the next row comes"
        );
    }
    let totals = |name: &str| recorded.run(name).unwrap().totals;
    assert_eq!(totals("v7-binary").write_amplification, Some(1.0));
    assert!(totals("v7-binary").moved_bytes_per_row > Some(80.0), "{:?}", totals("v7-binary"));
    assert!(totals("v4-binary").filters_per_1k > Some(1_500.0), "{:?}", totals("v4-binary"));
    let answer = idgen_report::answer(&recorded).unwrap();
    let lead = &answer.parts[0].lead;
    assert!(lead.contains("bytes per row to the files, and \u{201c}v4, binary 16\u{201d}"), "{lead}");
}

#[test]
fn several_clients_insert_at_the_same_time() {
    let several = Workload { rate: None, ..load() }.with_writers(4).unwrap();
    let results = recorded(&["v7-binary"], several);
    let run = results.run("v7-binary").unwrap();
    assert_eq!(run.totals.rows, ROWS);
    assert!(run.clients.is_some_and(|clients| clients.insert.is_some()), "{:?}", run.clients);
    assert!(run.latency.is_some());
}

#[test]
fn rows_that_were_there_before_are_not_counted() {
    let existing = Some(Existing { ids: Some(IdKind::V4), rows: 50_000 });
    let lsm = Some(LsmOptions { memtable_bytes: Some(256 << 10), ..LsmOptions::default() });
    let results = recorded(&["v7-binary"], Workload { existing, lsm, ..load() });
    let run = results.run("v7-binary").unwrap();
    assert_eq!(run.totals.rows, ROWS);
    assert_eq!(run.settings["write_buffer_size"], "262144");
    // The new keys lie between two of the old ones, so each file of them is merged with an old file.
    let usual = Load::new(ROWS, Engine::RocksDb);
    let settings = usual.settings.clone().sized(256 << 10, CACHE);
    let existing = Some((strategy::find("v4-binary").unwrap(), 50_000));
    within_the_model(run, &Load { settings, existing, ..usual });
}
