//! What the tests of the lab share.

use std::process::{Command, Output};

use idgen_lab::engine::Engine;
use idgen_lab::measure;
use idgen_lab::runner::{Cancel, Observer, run};
use idgen_lab::strategy::{self, Strategy};
use idgen_record::{Failure, Results, Workload};

/// Not a multiple of the rows per statement or per round, so the last statement and the last round are short.
pub const ROWS: u64 = 10_050;

/// The load of [`ROWS`] rows.
pub fn load(writers: u32, payload_bytes: u32) -> Workload {
    let load = Workload::of_rows(ROWS).unwrap().with_writers(writers).unwrap();
    Workload { statement_rows: 100, commit_rows: 500, payload_bytes, cache_bytes: Some(16 << 20), ..load }
}

/// Panics if a strategy failed.
pub struct Quiet;

impl Observer for Quiet {
    fn failed(&mut self, failure: &Failure) {
        panic!("{}: {}", failure.strategy, failure.error);
    }
}

/// Runs the strategies; the runner verifies rows and keys of every run that it gives.
pub fn results(engine: &mut dyn Engine, strategies: &[&Strategy], load: Workload) -> Results {
    let mut results = measure::begin("?", "test", engine.info(), load);
    run(engine, strategies, &mut results, &Cancel::new(), &mut Quiet).unwrap();
    assert_eq!(results.runs.len(), strategies.len());
    println!("{}", idgen_report::table(&results));
    results
}

/// The strategies of these names.
pub fn find(names: &[&str]) -> Vec<&'static Strategy> {
    names.iter().map(|name| strategy::find(name).unwrap()).collect()
}

/// `idgen lab`, without arguments.
pub fn lab() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("idgen"));
    command.arg("lab");
    command
}

/// Everything that a command wrote.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
