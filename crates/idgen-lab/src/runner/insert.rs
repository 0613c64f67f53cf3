//! Inserts the rows of a run.
//!
//! One client by the simulated clock inserts in rounds: its ids are made, then inserted, and the next round follows. The
//! order of the rows is that of their ids, so nothing depends on when they were made. Several clients, and a client that
//! keeps a pace, work as services do; see [`clients`]. By the simulated clock, the inserts of several clients follow each
//! other as a stated delay says; see [`delayed`].

use std::time::Instant;

use idgen::source::{Entropy, FixedEntropy};
use idgen_record::{Clients, Window, Workload};

use super::check::Rows;
use super::observer::Observer;
use super::{clients, delayed};
use crate::Result;
use crate::cancel::Cancel;
use crate::engine::{Batch, Counters, Table};
use crate::measure;
use crate::strategy::{Ids, Strategy};

/// What the inserts of a run gave, apart from the rows.
pub struct Inserts {
    pub windows: Vec<Window>,
    /// From the first reading of the counters to the last, without the creation of the tables.
    pub counters: Counters,
    /// How the clients worked, apart from the order of the rows.
    pub clients: Clients,
}

/// The course of a run, window by window.
pub struct Course {
    start: Counters,
    before: Counters,
    windows: Vec<Window>,
    /// Rows in the table, and those of the window that has begun, with its seconds.
    rows_end: u64,
    rows: u64,
    secs: f64,
}

impl Course {
    /// On a table that holds this many rows.
    pub fn begin(table: &mut dyn Table, existing: u64) -> Result<Self> {
        let start = table.counters()?;
        Ok(Course { start, before: start, windows: Vec::new(), rows_end: existing, rows: 0, secs: 0.0 })
    }

    /// This many rows were inserted, which took the database this many seconds.
    pub fn add(&mut self, rows: u64, secs: f64) {
        self.rows_end += rows;
        self.rows += rows;
        self.secs += secs;
    }

    /// Ends the window.
    pub fn close(&mut self, table: &mut dyn Table) -> Result<()> {
        let after = table.counters()?;
        let counted = after.since(&self.before);
        self.windows.push(measure::window(&counted, table.lap(), self.rows_end, self.rows, self.secs));
        (self.before, self.rows, self.secs) = (after, 0, 0.0);
        Ok(())
    }

    /// The whole run.
    pub fn end(self) -> Inserts {
        let counters = self.before.since(&self.start);
        Inserts { windows: self.windows, counters, clients: Clients::default() }
    }
}

/// Inserts all rows, and keeps them in the order in which they were acknowledged. Only the database's work is timed, and
/// the pauses between the statements of a paced load.
pub fn insert(
    table: &mut dyn Table,
    strategy: &Strategy,
    workload: &Workload,
    cancel: &Cancel,
    observer: &mut dyn Observer,
    inserted: &mut Rows,
) -> Result<Inserts> {
    if workload.delay_ms.is_some() {
        return delayed::insert(table, strategy, workload, cancel, observer, inserted);
    }
    if workload.writers > 1 || workload.paced {
        return clients::insert(table, strategy, workload, cancel, observer, inserted);
    }
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
        let acknowledged = table.insert(&batch)?;
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
