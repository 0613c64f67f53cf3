//! Compares the model of LSM trees with loads that were written down before they were recorded: docs/results/lsm.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod sample;

use std::path::Path;

use idgen_lab::forecast::{Clients, Delay};
use idgen_lab::lsm::{Engine, Load, predict};
use idgen_lab::strategy;
use idgen_record::{Metric, Results, Workload, thousands};
use sample::sample;
use serde::Deserialize;

const SET: &str = include_str!("../../../docs/results/lsm/set.tsv");
const ROCKSDB: &str = include_str!("../../../docs/results/lsm/rocksdb.jsonl");
const PAGE: &str = include_str!("../../../docs/results/lsm/README.md");
/// The goal of the page.
const WITHIN: f64 = 15.0;

/// The counters that docs/results/lsm/rocksdb.py prints.
#[derive(Deserialize)]
struct Counted {
    strategy: String,
    rows: u64,
    flushed_bytes: f64,
    compacted_bytes: f64,
    filters: f64,
}

/// A load of the set.
struct Planned {
    engine: &'static str,
    strategy: &'static str,
    numbers: [u64; 6],
    levels: &'static str,
}

impl Planned {
    fn of(line: &'static str) -> Planned {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |place: usize| fields[place].parse::<u64>().unwrap();
        Planned {
            engine: fields[0],
            strategy: fields[1],
            numbers: [2, 3, 4, 5, 6, 7].map(number),
            levels: fields[8],
        }
    }

    fn load(&self) -> Load {
        let [payload, memtable, base, rows, rate, compressed] = self.numbers;
        let engine = if self.engine == "rocksdb" { Engine::RocksDb } else { Engine::MyRocks };
        let usual = Load::new(rows, engine);
        let settings = lsm_model::Settings {
            from_last_level: usual.settings.from_last_level && self.levels != "fixed",
            compressed_share: compressed as f64 / 100.0,
            ..usual.settings.clone().sized(memtable << 10, base << 10)
        };
        // MyRocks stores the length of the payload.
        let row_bytes = payload as u32 + u32::from(engine == Engine::MyRocks);
        // The ids of the lab's own load come from several devices in turn; those of the script from one.
        let is_lab = engine == Engine::MyRocks && self.strategy == "device";
        let writers = if is_lab { Workload::of_rows(rows).unwrap().devices.into() } else { 1 };
        Load { row_bytes, rate: rate as f64, settings, writers, ..usual }
    }
}

/// The recorded write amplification, and filters asked per 1,000 inserts, of each load of the set.
fn recorded() -> Vec<(f64, f64)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results/lsm/myrocks.jsonl.gz");
    let mut myrocks: Vec<Results> = idgen_report::open_lines(&file).unwrap();
    let mut rocksdb: Vec<Counted> = ROCKSDB.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    myrocks.reverse();
    rocksdb.reverse();
    planned()
        .map(|one| {
            if one.engine == "rocksdb" {
                let counted = rocksdb.pop().unwrap();
                assert_eq!((counted.strategy.as_str(), counted.rows), (one.strategy, one.numbers[3]));
                let times = 1.0 + counted.compacted_bytes / counted.flushed_bytes;
                return (times, counted.filters * 1_000.0 / counted.rows as f64);
            }
            let results = myrocks.pop().unwrap();
            let run = &results.runs[0];
            assert_eq!((run.strategy.name.as_str(), results.workload.rows), (one.strategy, one.numbers[3]));
            (run.totals.write_amplification.unwrap(), run.totals.filters_per_1k.unwrap())
        })
        .collect()
}

fn planned() -> impl Iterator<Item = Planned> {
    SET.lines().skip(1).map(Planned::of)
}

/// Judges one of four loads, and all of them in `make soak`.
#[test]
fn the_hold_out_set_of_lsm_trees_is_predicted_as_the_page_says() {
    let mut wrong = Vec::new();
    for (one, (times, filters)) in sample(4, 1, planned().zip(recorded())) {
        let whole = predict(strategy::find(one.strategy).unwrap(), &one.load()).unwrap().whole;
        let [payload, memtable, base, rows, rate, compressed] = one.numbers;
        let settings = match (compressed, one.levels) {
            (100, "default") => String::new(),
            (100, levels) => format!("{levels} levels"),
            (percent, _) => format!("compressed to {percent} %"),
        };
        let line = format!(
            "| {} | {} | {payload} | {memtable} | {base} | {} | {} | {settings} | {times:.2} | {:.2} | {:+.1} | {} | {} |",
            one.engine,
            one.strategy,
            thousands(rows),
            thousands(rate),
            whole.write_amplification,
            100.0 * (whole.write_amplification / times - 1.0),
            thousands(filters.round() as u64),
            thousands(whole.filters_per_1k.round() as u64),
        );
        if !PAGE.lines().any(|known| known == line) {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "docs/results/lsm/README.md should have these lines:\n{}", wrong.join("\n"));
}

/// The sentences of the pages about the accuracy of the model are those of the table.
#[test]
fn the_pages_say_how_far_the_model_is_off() {
    let errors: Vec<f64> = PAGE
        .lines()
        .filter(|line| line.starts_with("| rocksdb |") || line.starts_with("| myrocks |"))
        .map(|line| line.split(" | ").nth(10).unwrap().parse::<f64>().unwrap().abs())
        .collect();
    assert_eq!(errors.len(), planned().count());
    let within = errors.iter().filter(|error| **error <= WITHIN).count();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let largest = errors.iter().copied().fold(0.0, f64::max);
    let sentence = format!(
        "{within} of {} loads are within 15 % of the write amplification; the mean error is {mean:.1} %, and the largest {largest:.1} %",
        errors.len()
    );
    for page in [PAGE, include_str!("../../../docs/lsm.md")] {
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(&sentence), "the pages should say: {sentence}");
    }
}

/// The records of one client and of eight, with what the model predicts for the median run.
fn recorded_with(writers: u32) -> Results {
    let name = if writers == 1 { "one" } else { "eight" };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results/lsm").join(name);
    let results = idgen_report::open(&folder).unwrap();
    assert_eq!((results.workload.writers, results.failures.len()), (writers, 0));
    results
}

#[test]
fn the_page_has_the_recorded_figures_and_the_model_s() {
    let page = include_str!("../../../docs/lsm.md");
    let both = [1, 8].map(recorded_with);
    let mut lines = Vec::new();
    for name in
        ["auto-increment", "v7-binary", "minute-writers", "minute-ascending", "minute-random", "v4-binary"]
    {
        let mut cells = vec![format!("| `{name}`")];
        for results in &both {
            let Some(run) = results.run(name) else {
                cells.extend(["–", "–", "–"].map(str::to_owned));
                continue;
            };
            assert_eq!(run.repeats.len(), 5, "{name}");
            let load = &results.workload;
            let cache = load.cache_bytes.unwrap();
            let usual = Load::new(load.rows, Engine::MyRocks);
            let settings = usual.settings.clone().sized(cache / 4, cache);
            // The minutes of the ids were simulated if the load has no rate.
            let id_rate = load.rate.is_none().then(|| load.rows as f64 / f64::from(load.intervals) / 60.0);
            let clients = run.clients.filter(|_| load.writers > 1).and_then(|clients| {
                let span = clients.span.map(Delay::Recorded);
                Some(Clients {
                    statement_rows: load.statement_rows.into(),
                    delay: Delay::Recorded(clients.insert?),
                    span,
                })
            });
            let planned = Load {
                row_bytes: load.payload_bytes + 1,
                rate: load.rate.unwrap_or(run.totals.rows_per_sec),
                id_rate,
                writers: load.writers.into(),
                settings,
                clients,
                ..usual
            };
            let whole = predict(strategy::find(name).unwrap(), &planned).unwrap().whole;
            let median = |name: &str| Metric::named(name).unwrap().sample(run).unwrap().median();
            cells.push(format!("{:.2}", median("write_amplification")));
            cells.push(format!("{:.2}", whole.write_amplification));
            cells.push(thousands(median("filters_per_1k").round() as u64));
        }
        lines.push(format!("{} |", cells.join(" | ")));
    }
    let wrong: Vec<&String> = lines.iter().filter(|line| !page.contains(*line)).collect();
    assert!(wrong.is_empty(), "docs/lsm.md should have these lines:\n{}", lines.join("\n"));
}

/// The table of RocksDB's default settings is what the model predicts for tables that fill these levels.
#[test]
fn the_page_has_the_predictions_for_the_defaults() {
    let page = include_str!("../../../docs/lsm.md");
    let tables = [(100_000_000, "100M"), (10_000_000, "10M"), (1_000_000_000, "1,000M")];
    for (rows, shown) in sample(3, 0, tables) {
        let advice = idgen_lab::lsm::advise(&Load::new(rows, Engine::RocksDb)).unwrap();
        let of = |name: &str| {
            let one = advice.candidates.iter().find(|one| one.strategy == name).unwrap();
            format!("{:.1}", one.write_amplification)
        };
        let line =
            format!("| {shown} | {} | {} | {} |", of("v7-binary"), of("minute-random"), of("v4-binary"));
        assert!(page.contains(&line), "docs/lsm.md should have {line}");
    }
}
