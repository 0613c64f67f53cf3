use super::*;
use crate::engine::Sqlite;
use crate::measure;
use crate::strategy::find;
use idgen_record::{Metric, Protocol};

/// Keeps the events that it receives, and cancels after a certain number of rows of the second strategy.
#[derive(Default)]
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

fn runs(
    names: &[&str],
    [rows, payload_bytes]: [u32; 2],
    protocol: Option<Protocol>,
    cancel_in_second: bool,
) -> (Results, Watch) {
    let mut engine = Sqlite::new().unwrap();
    let workload = Workload { payload_bytes, ..Workload::of_rows(rows.into()).unwrap() };
    let mut results = measure::begin("?", "test", engine.info(), workload);
    results.protocol = protocol;
    let strategies: Vec<_> = names.iter().map(|name| find(name).unwrap()).collect();
    let cancel = Cancel::new();
    let mut watch = Watch { cancel: cancel.clone(), cancel_in_second, ..Watch::default() };
    run(&mut engine, &strategies, &mut results, &cancel, &mut watch).unwrap();
    (results, watch)
}

#[test]
fn cancelling_keeps_the_finished_runs() {
    let (results, watch) = runs(&["v7-binary", "v4-binary", "v6-binary"], [5_000, 100], None, true);
    assert!(results.interrupted);
    assert_eq!(results.runs.len(), 1);
    assert_eq!(watch.started, ["v7-binary", "v4-binary"]);
    assert_eq!(watch.saved, [1, 1]);
}

#[test]
fn a_failure_is_recorded_and_the_next_strategy_runs() {
    // Rows wider than a page go to overflow pages, which the lab does not measure.
    let (results, watch) = runs(&["v7-binary", "auto-increment"], [1_000, 20_000], None, false);
    assert_eq!((results.runs.len(), watch.failures, watch.saved.as_slice()), (0, 2, &[0, 0][..]));
    assert!(results.failures[0].error.contains("smaller payload"), "{}", results.failures[0].error);
}

fn protocol(repeats: u32) -> Protocol {
    Protocol { repeats, order_seed: 1, order: vec![], isolation: "each run with a new file".into() }
}

fn repeated(names: &[&str], repeats: u32) -> Results {
    let (results, watch) = runs(names, [3_000, 100], Some(protocol(repeats)), false);
    assert_eq!(results.protocol.as_ref().unwrap().order, watch.started);
    results
}

#[test]
fn runs_are_repeated_in_rounds_of_random_order_and_each_is_recorded() {
    let names = ["v7-binary", "v4-binary", "auto-increment"];
    let results = repeated(&names, 4);
    let order = results.protocol.as_ref().unwrap().order.clone();
    assert_eq!(order.len(), 12);
    for round in order.chunks(3) {
        assert!(names.iter().all(|name| round.iter().any(|ran| ran == name)), "{order:?}");
    }
    assert!(order.chunks(3).any(|round| round != &order[..3]), "{order:?}");
    // The records come in the order given, whatever order they ran in.
    assert!(results.runs.iter().map(|run| run.strategy.name.as_str()).eq(names));
    for run in &results.runs {
        let seeds: Vec<_> = run.repeats.iter().map(|repeat| repeat.seed).collect();
        assert_eq!(seeds, [2_026, 2_027, 2_028, 2_029]);
        assert!(
            run.repeats.iter().any(|repeat| repeat.totals == run.totals),
            "the record is one of its runs"
        );
    }
    let fill = Metric::named("fill_mean").unwrap().sample(&results.runs[1]).unwrap();
    assert!(fill.runs() == 4 && fill.range() > 0.0, "random keys differ from run to run: {fill:?}");

    // A single run gives an ordinary record.
    let single = repeated(&names, 1);
    assert!(single.runs.iter().all(|run| run.repeats.is_empty() && run.run_count() == 1));
}

#[test]
fn a_strategy_that_failed_does_not_run_again() {
    let (results, watch) = runs(&["v7-binary"], [1_000, 20_000], Some(protocol(3)), false);
    assert_eq!((watch.started.len(), watch.failures, results.runs.len()), (1, 1, 0));
}
