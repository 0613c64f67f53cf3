use super::*;
use crate::engine::Sqlite;
use crate::strategy::find;

/// Keeps what it is told, and cancels after a number of rows of the second strategy.
struct Watch {
    cancel: Cancel,
    cancel_in_second: bool,
    started: Vec<&'static str>,
    saved: Vec<usize>,
    failures: usize,
}

impl Observer for Watch {
    fn started(&mut self, strategy: &Strategy) {
        self.started.push(find(strategy.name).unwrap().name);
    }
    fn inserted(&mut self, rows: u64) {
        if self.cancel_in_second && self.started.len() == 2 && rows >= 2_000 {
            self.cancel.cancel();
        }
    }
    fn recorded(&mut self, results: &Results) -> Result<()> {
        self.saved.push(results.runs.len());
        Ok(())
    }
    fn failed(&mut self, _: &Failure) {
        self.failures += 1;
    }
}

fn runs(names: &[&str], rows: u64, payload_bytes: u32, cancel_in_second: bool) -> (Results, Watch) {
    let mut engine = Sqlite::new().unwrap();
    let workload = Workload { payload_bytes, ..Workload::of_rows(rows).unwrap() };
    let mut results = measure::begin("?", "test", engine.info(), workload);
    let strategies: Vec<_> = names.iter().map(|name| find(name).unwrap()).collect();
    let cancel = Cancel::new();
    let mut watch =
        Watch { cancel: cancel.clone(), cancel_in_second, started: vec![], saved: vec![], failures: 0 };
    run(&mut engine, &strategies, &mut results, &cancel, &mut watch).unwrap();
    (results, watch)
}

#[test]
fn cancelling_keeps_what_was_finished() {
    let (results, watch) = runs(&["v7-binary", "v4-binary", "v6-binary"], 5_000, 100, true);
    assert!(results.interrupted);
    assert_eq!(results.runs.len(), 1);
    assert_eq!(watch.started, ["v7-binary", "v4-binary"]);
    assert_eq!(watch.saved, [1, 1]);
}

#[test]
fn a_failure_is_noted_and_the_next_goes_on() {
    // Rows wider than a page go to overflow pages, which the lab does not measure.
    let (results, watch) = runs(&["v7-binary", "auto-increment"], 1_000, 20_000, false);
    assert_eq!((results.runs.len(), watch.failures, watch.saved.as_slice()), (0, 2, &[0, 0][..]));
    assert!(results.failures[0].error.contains("smaller payload"), "{}", results.failures[0].error);
}
