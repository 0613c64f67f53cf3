//! Loads, strategies and helpers that the tests of the lab share.

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

/// `idgen lab skew` measures a server on this machine, whose clock is that of the program, and shows no password.
pub fn skew_is_measured(url: &str, password: &str) {
    let skew = |url: &str| lab().arg("skew").env("IDGEN_LAB_ENGINE", url).output().unwrap();
    let output = skew(url);
    let all = said(&output);
    assert!(output.status.success() && output.stderr.is_empty() && !all.contains(password), "{all}");
    let shown = url.replace(password, "***");
    // The server reads the clock between the question and the answer, so the bounds contain zero.
    assert!(all.starts_with(&format!("{shown}: the clocks agree as far as can be measured")), "{all}");
    let output = skew(&url.replace(password, "another-password"));
    let all = said(&output);
    assert_eq!(output.status.code(), Some(1), "{all}");
    assert!(all.contains("cannot read the clock") && !all.contains("another-password"), "{all}");
}

/// Everything that a command wrote.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
