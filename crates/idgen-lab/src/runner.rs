//! Runs strategies one after another, in rounds: insert, read the counters, read the pages, verify, record.

mod arrived;
mod check;
mod clients;
mod course;
mod delayed;
mod existing;
mod insert;
mod mixed;
mod observer;
mod rounds;
mod single;

use idgen_record::{Failure, Results, Workload};

pub use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::strategy::Strategy;
use crate::{Error, Result};
use check::Rows;
#[doc(hidden)]
pub use existing::check as check_existing;
#[doc(hidden)]
pub use mixed::check as check_mix;
pub use observer::Observer;
#[doc(hidden)]
use rounds::Rounds;
pub(crate) use single::run_one;

/// Runs these strategies and adds their records to `results`, in the order given.
///
/// If `results` has a protocol, the strategies run in as many rounds as it says, each round in a random order. Each run
/// has keys of its own and, if the engine supports it, a state of the database that no earlier run has touched. Without
/// a protocol, each strategy runs once, in the order given, one after another on the unchanged engine.
///
/// If a strategy fails, the failure is recorded and the others continue. If the user cancels, finished runs are kept
/// and `interrupted` is set.
///
/// # Errors
/// The engine does not support one of the strategies, memory is too small for the keys of this many rows, or the
/// observer returns an error. A run that fails is a [`Failure`] in the results.
pub fn run(
    engine: &mut dyn Engine,
    strategies: &[&Strategy],
    results: &mut Results,
    cancel: &Cancel,
    observer: &mut dyn Observer,
) -> Result<()> {
    let workload = results.workload.clone();
    // Allocated once before the first run: if memory is too small for one run, it is too small for all.
    drop(Rows::with_room(workload.rows_at_end())?);
    for strategy in strategies {
        engine.check(strategy, &workload)?;
        existing::check(strategy, &workload)?;
        mixed::check(strategy, &workload)?;
    }
    let mut rounds = Rounds::new(strategies, results.protocol.as_ref());
    let mut touched = false;
    while let Some((place, round)) = rounds.next()? {
        let strategy = strategies[place];
        observer.started(strategy);
        let seed = workload.seed.wrapping_add(u64::from(round));
        let load = Workload { seed, ..workload.clone() };
        let fresh = match touched && results.protocol.is_some() {
            true => cancel.check().and_then(|()| engine.renew(&load)),
            false => Ok(()),
        };
        engine.watch(cancel);
        touched = true;
        match fresh.and_then(|()| run_one(engine, strategy, &load, cancel, observer)) {
            Ok(record) => rounds.finished(place, seed, record),
            // After a Ctrl-C, any failure counts as caused by it, also a closed connection.
            Err(error) if error.is_interrupted() || cancel.is_cancelled() => results.interrupted = true,
            Err(error) => {
                let failure = Failure { strategy: strategy.name.into(), error: chain(&error) };
                observer.failed(&failure);
                results.failures.push(failure);
                rounds.failed(place);
            }
        }
        results.runs = rounds.records();
        if let Some(protocol) = &mut results.protocol
            && !results.interrupted
        {
            protocol.order.push(strategy.name.into());
        }
        observer.recorded(results)?;
        if results.interrupted {
            break;
        }
    }
    Ok(())
}

/// The message of an error and of its causes.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests;
