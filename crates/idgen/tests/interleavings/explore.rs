//! Executes a scenario in all orders of its steps.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use crate::atomic::{self, Fault};

/// Collects the promises that an order of steps breaks.
#[derive(Clone, Default)]
pub(crate) struct Broken(Arc<Mutex<BTreeSet<&'static str>>>);

impl Broken {
    /// Records the promise unless it holds. The scenario continues: a panic would end the search.
    pub(crate) fn unless(&self, holds: bool, promise: &'static str) {
        if !holds {
            self.0.lock().unwrap().insert(promise);
        }
    }
}

/// Returns the promises that break in any order of the steps.
pub(crate) fn explore(scenario: impl Fn(&Broken) + Send + Sync + 'static) -> Vec<&'static str> {
    run(loom::model::Builder::new(), scenario)
}

/// The orders in which a fault is searched.
const MANY: usize = 5_000;

/// Returns the promises that break in many of the orders of the steps, with a fault in the atomics.
pub(crate) fn explore_many(
    fault: Option<Fault>,
    scenario: impl Fn(&Broken) + Send + Sync + 'static,
) -> Vec<&'static str> {
    let mut builder = loom::model::Builder::new();
    builder.max_permutations = Some(MANY);
    atomic::with(fault, || run(builder, scenario))
}

fn run(
    builder: loom::model::Builder,
    scenario: impl Fn(&Broken) + Send + Sync + 'static,
) -> Vec<&'static str> {
    let broken = Broken::default();
    let found = broken.clone();
    builder.check(move || scenario(&broken));
    found.0.lock().unwrap().iter().copied().collect()
}

/// Returns what two threads return that run at the same time.
pub(crate) fn together<T: 'static>(
    one: impl FnOnce() -> T + 'static,
    two: impl FnOnce() -> T + 'static,
) -> [T; 2] {
    let other = loom::thread::spawn(one);
    let second = two();
    [other.join().unwrap(), second]
}

/// True if no value is in the list twice.
pub(crate) fn all_differ<T: Ord>(values: &[T]) -> bool {
    values.iter().collect::<BTreeSet<_>>().len() == values.len()
}
