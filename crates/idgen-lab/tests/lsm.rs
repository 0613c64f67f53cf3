//! Compares the model of LSM trees with loads that were written down before they were recorded: docs/results/lsm.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod sample;

use std::path::Path;

use idgen_lab::forecast::{Clients, Delay};
use idgen_lab::lsm::{Engine, Load, predict};
use idgen_lab::strategy;
use idgen_record::{Metric, Results, Workload, thousands};
use sample::sample;

const SET: &str = include_str!("../../../docs/results/lsm/set.tsv");
const PAGE: &str = include_str!("../../../docs/results/lsm/README.md");
/// The goal of the page.
const WITHIN: f64 = 15.0;

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
        // The ids of the lab's own load come from several devices in turn.
        let devices = self.strategy == "device";
        let writers = if devices { Workload::of_rows(rows).unwrap().devices.into() } else { 1 };
        Load { row_bytes, rate: rate as f64, settings, writers, ..usual }
    }
}

/// The recorded write amplification, and filters asked per 1,000 inserts, of each load of the set.
fn recorded() -> Vec<(f64, f64)> {
    let records = ["myrocks", "rocksdb"].map(|engine| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results/lsm");
        idgen_report::open_lines(&folder.join(format!("{engine}.jsonl.gz"))).unwrap()
    });
    let records: Vec<Results> = records.into_iter().flatten().collect();
    assert_eq!(records.len(), planned().count());
    let of = |(one, results): (Planned, &Results)| {
        let (run, load) = (&results.runs[0], &results.workload);
        let [payload, memtable, base, rows, rate, compressed] = one.numbers;
        assert_eq!((run.strategy.name.as_str(), load.rows), (one.strategy, rows));
        assert_eq!((u64::from(load.payload_bytes), load.rate), (payload, Some(rate as f64)));
        assert_eq!(results.engine.name.to_lowercase(), one.engine);
        let given = load.lsm.unwrap_or_default();
        assert_eq!(given.sizes(load.cache_bytes.unwrap()), (memtable << 10, base << 10));
        assert_eq!((given.lz4, given.fixed_levels), (compressed < 100, one.levels == "fixed"));
        (run.totals.write_amplification.unwrap(), run.totals.filters_per_1k.unwrap())
    };
    planned().zip(&records).map(of).collect()
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
    // An error that is shown as the goal may be a little larger.
    let within = errors.iter().filter(|error| **error < WITHIN).count();
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

/// The records of this many clients.
fn recorded_with(engine: Engine, writers: u32) -> Results {
    let name = match (engine, writers) {
        (Engine::MyRocks, 1) => "one",
        (Engine::MyRocks, _) => "eight",
        (Engine::RocksDb, 1) => "rocksdb-one",
        (Engine::RocksDb, _) => "rocksdb-eight",
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results/lsm").join(name);
    let results = idgen_report::open(&folder).unwrap();
    assert_eq!((results.workload.writers, results.failures.len()), (writers, 0));
    assert_eq!(results.engine.name, engine.name());
    results
}

/// The four cells of a record: written and filters, each beside what the model predicts.
fn cells(engine: Engine, results: &Results, name: &str) -> [String; 4] {
    let Some(run) = results.run(name) else { return ["–"; 4].map(str::to_owned) };
    assert_eq!(run.repeats.len(), 5, "{name}");
    let load = &results.workload;
    let (memtable, base) = load.lsm.unwrap_or_default().sizes(load.cache_bytes.unwrap());
    let usual = Load::new(load.rows, engine);
    let settings = usual.settings.clone().sized(memtable, base);
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
        row_bytes: load.payload_bytes + u32::from(engine == Engine::MyRocks),
        rate: load.rate.unwrap_or(run.totals.rows_per_sec),
        id_rate,
        writers: load.writers.into(),
        settings,
        clients,
        ..usual
    };
    let whole = predict(strategy::find(name).unwrap(), &planned).unwrap().whole;
    let median = |name: &str| Metric::named(name).unwrap().sample(run).unwrap().median();
    [
        format!("{:.2}", median("write_amplification")),
        format!("{:.2}", whole.write_amplification),
        thousands(median("filters_per_1k").round() as u64),
        thousands(whole.filters_per_1k.round() as u64),
    ]
}

const NAMES: [&str; 6] =
    ["auto-increment", "v7-binary", "minute-writers", "minute-ascending", "minute-random", "v4-binary"];

#[test]
fn the_page_has_the_recorded_figures_and_the_model_s() {
    let page = include_str!("../../../docs/lsm.md");
    let mut lines = Vec::new();
    for engine in [Engine::MyRocks, Engine::RocksDb] {
        let both = [1, 8].map(|writers| recorded_with(engine, writers));
        for name in NAMES.into_iter().filter(|name| both.iter().any(|results| results.run(name).is_some())) {
            let cells: Vec<_> = both.iter().flat_map(|results| cells(engine, results, name)).collect();
            lines.push(format!("| `{name}` | {} |", cells.join(" | ")));
        }
    }
    let wrong: Vec<&String> = lines.iter().filter(|line| !page.contains(*line)).collect();
    assert!(wrong.is_empty(), "docs/lsm.md should have these lines:\n{}", lines.join("\n"));
    let number = |cell: &str| cell.replace(',', "").parse::<f64>().ok();
    let [one, eight] = [4, 8].map(|place| {
        let off = |line: &String| {
            let cells: Vec<&str> = line.trim_end_matches(" |").split(" | ").collect();
            Some(100.0 * (number(cells[place])? / number(cells[place - 1])? - 1.0).abs())
        };
        lines.iter().filter_map(off).fold(0.0, f64::max)
    });
    let sentence = format!(
        "The model's filters are off by up to {one:.0} % with one client, and by up to {eight:.0} % with eight."
    );
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&sentence), "docs/lsm.md should say: {sentence}");
    let runs = [1, 8].into_iter().flat_map(|writers| recorded_with(Engine::RocksDb, writers).runs);
    for totals in runs.map(|run| run.totals) {
        let in_vain = 100.0 * totals.false_positives_per_1k.unwrap() / totals.filters_per_1k.unwrap();
        assert_eq!(
            format!("{in_vain:.0}"),
            "1",
            "docs/lsm.md says that about 1 % of the filters answer in vain"
        );
    }
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

/// The words about pages in a B-tree would be wrong.
#[test]
fn reports_of_lsm_trees_speak_of_blocks_and_files() {
    let headings = |run: &str| -> Vec<String> {
        let path =
            [env!("CARGO_MANIFEST_DIR"), "../../docs/results", run].iter().collect::<std::path::PathBuf>();
        let page = idgen_report::report(&idgen_report::open(&path).unwrap()).unwrap().markdown();
        page.lines().filter_map(|line| line.strip_prefix("## ")).map(str::to_owned).collect()
    };
    for run in ["lsm/one", "lsm/rocksdb-one"] {
        let found = headings(run);
        assert_eq!(
            found[..3],
            ["Blocks read", "Blocks read over the run", "Bytes written, and size"],
            "{run}"
        );
        assert!(
            !found.iter().any(|heading| heading.starts_with("Pages") || heading.contains("Fill")),
            "{found:?}"
        );
    }
    let found = headings("2026-11-21/mysql/uuid-order");
    assert!(found.iter().any(|heading| heading == "Pages changed, read and written"), "{found:?}");
}
