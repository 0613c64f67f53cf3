//! Records of timed statements, of loads and of files.

use idgen_record::{
    EngineInfo, Load, Published, Results, Role, Run, StrategyRecord, Tolerance, Totals, TreeFigures, Workload,
};

use super::begun;

/// An experiment with these runs.
pub(crate) fn timed(runs: Vec<Run>) -> Results {
    let engine = EngineInfo {
        name: "Base".into(),
        version: "1".into(),
        setup: "as it is".into(),
        missing: Vec::new(),
    };
    let settings = [("innodb_page_size".into(), "16384".into())].into();
    Results { runs, settings, ..begun("?", "test", engine, Workload::of_rows(1_000).unwrap()) }
}

/// A statement that took this many seconds in each run.
pub(crate) fn statement(name: &str, secs: &[f64]) -> Run {
    repeated(name, secs, |secs| Totals::of(0, secs))
}

/// A load of 100 rows.
pub(crate) fn load(title: &str, secs: &[f64], clients: u32, statement_rows: u32) -> Run {
    let totals = |secs| Totals { rows_per_sec: 100.0 / secs, ..Totals::of(100, secs) };
    let load = Load { clients, statement_rows };
    let mut run = Run { load: Some(load), ..repeated(title, secs, totals) };
    run.strategy.name = load.name_of(title);
    run
}

fn repeated(name: &str, secs: &[f64], totals: impl Fn(f64) -> Totals) -> Run {
    let strategy =
        StrategyRecord { name: name.into(), title: name.into(), explains: "DO 1".into(), key: None };
    let runs = secs.iter().map(|secs| (2_026, Run::of(strategy.clone(), totals(*secs))));
    Run::of_repeats(runs.collect()).unwrap()
}

/// Returns this run, with a table of 10,000 rows and two indexes found after it.
pub(crate) fn with_file(mut run: Run, bytes_per_row: f64, key_bytes_per_row: Option<f64>) -> Run {
    let tree = |name: &str, role, fill_mean| TreeFigures {
        fill_mean,
        fill_p10: 0.5,
        ..TreeFigures::index(name, role, 10_000, [2_000, 3], (bytes_per_row * 5_000.0) as u64)
    };
    run.trees = vec![tree("PRIMARY", Role::Rows, 0.7), tree("a", Role::Secondary, 0.6)];
    run.totals = Totals {
        rows: 10_000,
        fill_mean: 0.7,
        fill_p10: 0.5,
        bytes_per_row,
        allocated_bytes_per_row: Some(bytes_per_row),
        key_bytes_per_row,
        ..run.totals
    };
    run
}

/// Makes a published record of one figure.
pub(crate) fn published(run: &str, name: &str, value: f64, tolerance: Option<Tolerance>) -> Published {
    Published::of(run, [(name, Some(value), tolerance)]).unwrap()
}
