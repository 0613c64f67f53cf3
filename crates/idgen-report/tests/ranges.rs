//! The chart of docs/ranges.md: which share of the inserts the hottest server of HBase got, over the run.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

use std::path::Path;

use idgen_report::{Upward, over};

const SET: &str = include_str!("../../../docs/results/ranges/set.tsv");
const HBASE: &str = include_str!("../../../docs/results/ranges/hbase.jsonl");
/// Parts of a run that are a point together.
const PARTS: usize = 5;
/// The loads of the chart, by their lines in the set, and their names.
const DRAWN: [(usize, &str); 4] = [
    (1, "version 7, 4 writers"),
    (7, "minute-ascending, 3 writers"),
    (6, "minute-random, 5 writers"),
    (4, "version 4, 6 writers"),
];

/// The share of the hottest server after each tenth of a run, as the mean of all runs of a load. The places are percents of its rows.
fn shares(line: usize) -> Vec<(f64, f64)> {
    let load = format!("load-{line}");
    let runs: Vec<serde_json::Value> = HBASE
        .lines()
        .map(|one| serde_json::from_str(one).unwrap())
        .filter(|run: &serde_json::Value| run["load"] == load)
        .collect();
    assert!(!runs.is_empty(), "{load}");
    let numbers = |of: &serde_json::Value| {
        of.as_array().unwrap().iter().map(|one| one.as_u64().unwrap()).collect::<Vec<_>>()
    };
    let share = |run: &serde_json::Value, part: usize| {
        let servers = numbers(&run["servers"][part]);
        servers.iter().max().copied().unwrap() as f64 / servers.iter().sum::<u64>() as f64
    };
    let parts = runs[0]["rows"].as_array().unwrap().len();
    let mean = |part: usize| {
        let all = runs.iter().flat_map(|run| (part..part + PARTS).map(|one| share(run, one)));
        all.sum::<f64>() / (runs.len() * PARTS) as f64
    };
    (0..parts).step_by(PARTS).map(|part| (100.0 * (part + PARTS) as f64 / parts as f64, mean(part))).collect()
}

/// `IDGEN_WRITE=1` draws it again.
#[test]
fn the_chart_of_servers_is_that_of_the_recorded_runs() {
    let fields = |line: usize| SET.lines().nth(line).unwrap().split('\t').collect::<Vec<_>>();
    let strategies = DRAWN.map(|(line, _)| fields(line)[0]);
    assert_eq!(strategies, ["v7-binary", "minute-ascending", "minute-random", "v4-binary"]);
    for (line, name) in DRAWN {
        assert!(name.contains(&format!("{} writers", fields(line)[2])), "{name}");
    }
    let lines = DRAWN.map(|(line, name)| (name.to_owned(), shares(line)));
    let title = "Inserts per server over the run: the share of the hottest of three servers of HBase";
    let drawn = over(title, "% of the rows", Upward::Shares { even: 1.0 / 3.0 }, &lines).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results/ranges/charts/servers.svg");
    if std::env::var_os("IDGEN_WRITE").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &drawn).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == drawn,
        "docs/results/ranges/charts/servers.svg is another chart: draw it with IDGEN_WRITE=1"
    );
}
