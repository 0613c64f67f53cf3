//! Runs strategies one after another, in rounds: insert, read the counters, read the pages, verify, record.
//!
//! Several writers insert in rounds: all of them insert their next rows at the same time, and the next round begins
//! when the last writer is done. The order of the rows is the order in which the server acknowledged them. Two
//! statements that ran at the same time may have been carried out in the other order, which moves a row by no more than
//! the rows that the other writers were inserting at that time.

mod check;
mod existing;
mod mixed;
mod revisits;
mod rounds;

use std::time::{Duration, Instant};

use idgen::Timestamp;
use idgen::source::{Entropy, FixedEntropy};

pub use crate::cancel::Cancel;
use crate::engine::{Batch, Counters, Engine, Table};
use crate::key::Key;
use crate::measure::{self, Counted};
use crate::strategy::{Ids, Strategy};
use crate::workload::Arrivals;
use crate::{Error, Result};
use check::Rows;
pub use existing::check as check_existing;
use idgen_record::{Failure, Results, RunRecord, Totals, Window, Workload};
pub use mixed::check as check_mix;
pub(crate) use revisits::each_cell;
pub use revisits::revisit;
use rounds::Rounds;

/// Receives the progress of the runs. By default it ignores everything except failures.
pub trait Observer {
    /// The run of a strategy begins.
    fn started(&mut self, _strategy: &Strategy) {}
    /// This many of its rows are inserted.
    fn inserted(&mut self, _rows: u64) {}
    /// All rows are inserted; they are being checked, and the pages are read.
    fn verifying(&mut self) {}
    /// A run is finished and recorded. These are all results so far, so they can be saved here.
    ///
    /// # Errors
    /// The results cannot be saved. The runs end with this error.
    fn recorded(&mut self, _results: &Results) -> Result<()> {
        Ok(())
    }
    /// A run failed; the next one begins.
    fn failed(&mut self, failure: &Failure);
}

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

/// Runs one strategy, verifies it and records it.
///
/// # Errors
/// The errors of the engine and of the check after the run; `is_interrupted` if the user cancelled.
pub fn run_one(
    engine: &mut dyn Engine,
    strategy: &Strategy,
    workload: &Workload,
    cancel: &Cancel,
    observer: &mut dyn Observer,
) -> Result<RunRecord> {
    let mut table = engine.create(strategy, workload)?;
    let mut rows = Rows::with_room(workload.rows_at_end())?;
    let mut sums = Vec::new();
    existing::load(&mut *table, strategy, workload, cancel, &mut rows, &mut |payload| {
        if workload.mix.is_some() {
            sums.push(crc32fast::hash(payload));
        }
    })?;
    if workload.existing_rows() > 0 {
        // Written now, so that the pages of these rows are not counted with those of the run.
        table.flush()?;
    }
    let (windows, counted, mixed) = match workload.mix {
        None => {
            let (windows, counters) = insert(&mut *table, strategy, workload, cancel, observer, &mut rows)?;
            (windows, Counted { inserts: counters, flush: table.flush()? }, None)
        }
        Some(mix) => {
            let load = (workload, mix);
            let done = mixed::operate(&mut *table, strategy, load, cancel, observer, &mut rows, sums)?;
            let secs = done.operations.secs;
            let window = measure::window(&done.counted.inserts, None, rows.len() as u64, done.inserted, secs);
            (vec![window], done.counted, Some(done))
        }
    };
    let existing = mixed.as_ref().map_or(workload.existing_rows(), |done| done.existing);
    let all = rows.len() as u64;

    observer.verifying();
    measure::contents(table.contents()?, all, workload.payload_bytes)?;
    let mut figures = Vec::new();
    let totals = match table.seen()? {
        Some(seen) => {
            for role in &seen.roles {
                cancel.check()?;
                check::keys(&mut *table, *role, strategy, &rows)?;
            }
            measure::totals_seen(&windows, &counted, &seen, existing)
        }
        None => {
            let trees = table.trees()?;
            for tree in &trees {
                cancel.check()?;
                let ranks = check::tree(&mut *table, tree, strategy, &rows)?;
                figures.push(measure::tree_figures(tree, &ranks, existing));
            }
            measure::totals(&windows, &counted, &trees, &figures, existing)
        }
    };
    let totals = match table.heap_bytes()? {
        Some(bytes) => measure::with_heap(totals, bytes, existing),
        None => totals,
    };
    let totals = match table.other_bytes()? {
        Some(bytes) => measure::with_others(totals, bytes, existing),
        None => totals,
    };
    let allocated_bytes_per_row = table.allocated_bytes()?.map(|bytes| bytes as f64 / all as f64);
    let totals = Totals { allocated_bytes_per_row, ..totals };
    let is_mixed = mixed.is_some();
    Ok(RunRecord {
        strategy: strategy.into(),
        settings: table.settings()?,
        // In a mixed load, pages read and written per insert have no meaning.
        totals: if is_mixed { totals.without_inserts() } else { totals },
        latency: table.latency().filter(|_| !is_mixed),
        operations: mixed.map(|done| done.operations),
        windows: if is_mixed { Vec::new() } else { windows },
        trees: figures,
        repeats: Vec::new(),
    })
}

/// The rows that one writer has prepared for a round.
struct Writer {
    ids: Ids,
    keys: Vec<Key>,
    payloads: Vec<u8>,
}

/// Inserts all rows, and keeps them in the order in which they were acknowledged. Only the database's work is timed.
/// Returns the windows, and the counts of all windows together: from the first reading of the counters to the last,
/// without the creation of the tables.
fn insert(
    table: &mut dyn Table,
    strategy: &Strategy,
    workload: &Workload,
    cancel: &Cancel,
    observer: &mut dyn Observer,
    inserted: &mut Rows,
) -> Result<(Vec<Window>, Counters)> {
    let mut writers = (0..workload.writers)
        .map(|writer| {
            Ok(Writer { ids: Ids::of_writer(strategy, workload, writer)?, keys: vec![], payloads: vec![] })
        })
        .collect::<Result<Vec<_>>>()?;
    let mut payload_source = FixedEntropy::new(!workload.seed);
    let existing = workload.existing_rows();
    let mut windows = Vec::new();
    let start = table.counters()?;
    let mut before = start;
    let (mut window_rows, mut window_secs, mut rounds) = (0, 0.0, 0);
    let mut done = 0;
    // The clock of the ids, so that a row is inserted at the time its id was made.
    let mut pace = workload
        .rate
        .filter(|_| workload.paced)
        .map(|rate| Arrivals::new(Timestamp::from_unix_secs(workload.start_unix_secs), rate, workload.seed));
    let began = Instant::now();
    while done < workload.rows {
        cancel.check()?;
        let rows = workload.round_rows().min(workload.rows - done);
        if let Some(pace) = &mut pace {
            // A round begins at the arrival of its first row.
            pace.next_moment()?;
            wait_until(began + Duration::from_secs_f64(pace.elapsed_secs()), cancel)?;
            for _ in 1..rows {
                pace.next_moment()?;
            }
        }
        let mut first = existing + done;
        let mut batches = Vec::with_capacity(writers.len());
        for (writer, left) in writers.iter_mut().zip((1..=u64::from(workload.writers)).rev()) {
            let share = (existing + done + rows - first).div_ceil(left);
            writer.keys.clear();
            for _ in 0..share {
                writer.keys.push(writer.ids.next_key()?);
            }
            writer.payloads.resize(share as usize * workload.payload_bytes as usize, 0);
            payload_source.fill(&mut writer.payloads)?;
            batches.push(Batch { first, keys: &writer.keys, payloads: &writer.payloads });
            first += share;
        }

        let clock = Instant::now();
        let acknowledged = table.insert(&batches)?;
        window_secs += clock.elapsed().as_secs_f64();

        inserted.extend(&acknowledged);
        done += rows;
        window_rows += rows;
        rounds += 1;
        if rounds == workload.rounds_per_window() || done == workload.rows {
            let after = table.counters()?;
            let counted = after.since(&before);
            windows.push(measure::window(&counted, table.lap(), existing + done, window_rows, window_secs));
            (before, window_rows, window_secs, rounds) = (after, 0, 0.0, 0);
        }
        observer.inserted(done);
    }
    Ok((windows, before.since(&start)))
}

/// Sleeps until this moment, or until the user cancels.
fn wait_until(moment: Instant, cancel: &Cancel) -> Result<()> {
    /// A cancellation is noticed within this time.
    const STEP: Duration = Duration::from_millis(50);
    loop {
        let left = moment.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(STEP));
        cancel.check()?;
    }
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
