//! Inserts the rows of a run.
//!
//! One client by the simulated clock inserts in rounds: its ids are made, then inserted, and the next round follows. The
//! order of the rows is that of their ids, so nothing depends on when they were made. Several clients, and a client that
//! keeps a pace, work as services do; see [`clients`]. By the simulated clock, the inserts of several clients follow each
//! other as a stated delay says; see [`delayed`].

use std::time::Instant;

use idgen::source::{Entropy, FixedEntropy};

use super::course::{Context, Course, Inserts};
use super::{clients, delayed};
use crate::Result;
use crate::engine::Batch;
use crate::strategy::Ids;

/// Inserts all rows, and keeps them in the order in which they were acknowledged. Only the database's work is timed, and
/// the pauses between the statements of a paced load.
pub fn insert(context: Context<'_>) -> Result<Inserts> {
    if context.workload.delay_ms.is_some() {
        return delayed::insert(context);
    }
    if context.workload.writers > 1 || context.workload.paced {
        return clients::insert(context);
    }
    let Context { table, strategy, workload, cancel, observer, rows: inserted } = context;
    let mut ids = Ids::new(strategy, workload)?;
    let (mut keys, mut payloads) = (Vec::new(), Vec::new());
    let mut payload_source = FixedEntropy::new(!workload.seed);
    let existing = workload.existing_rows();
    let mut course = Course::begin(table, existing)?;
    let (mut done, mut rounds) = (0, 0);
    while done < workload.rows {
        cancel.check()?;
        let rows = workload.round_rows().min(workload.rows - done);
        keys.clear();
        for _ in 0..rows {
            keys.push(ids.next_key()?);
        }
        payloads.resize(rows as usize * workload.payload_bytes as usize, 0);
        payload_source.fill(&mut payloads)?;
        let batch = Batch { first: existing + done, keys: &keys, payloads: &payloads };

        let clock = Instant::now();
        let acknowledged = table.insert(0, &batch)?;
        course.add(rows, clock.elapsed().as_secs_f64());

        inserted.extend(&acknowledged);
        done += rows;
        rounds += 1;
        if rounds % workload.rounds_per_window() == 0 || done == workload.rows {
            course.close(table)?;
        }
        observer.inserted(done);
    }
    Ok(course.end())
}
