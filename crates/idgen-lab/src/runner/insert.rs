//! Inserts the rows of a run.
//!
//! Several writers insert in rounds: all of them insert their next rows at the same time, and the next round begins
//! when the last writer is done. The order of the rows is the order in which the server acknowledged them. Two
//! statements that ran at the same time may have been carried out in the other order, which moves a row by no more than
//! the rows that the other writers were inserting at that time.

use std::time::{Duration, Instant};

use idgen::Timestamp;
use idgen::source::{Entropy, FixedEntropy};
use idgen_record::{Window, Workload};

use super::check::Rows;
use super::observer::Observer;
use crate::Result;
use crate::cancel::Cancel;
use crate::engine::{Batch, Counters, Table};
use crate::key::Key;
use crate::measure;
use crate::strategy::{Ids, Strategy};
use crate::workload::Arrivals;

/// The rows that one writer has prepared for a round.
struct Writer {
    ids: Ids,
    keys: Vec<Key>,
    payloads: Vec<u8>,
}

/// Inserts all rows, and keeps them in the order in which they were acknowledged. Only the database's work is timed.
/// Returns the windows, and the counts of all windows together: from the first reading of the counters to the last,
/// without the creation of the tables.
pub fn insert(
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
