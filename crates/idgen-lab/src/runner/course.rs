//! A run and its course: what is inserted where, and what each window of it took.

use idgen_record::{Clients, Window, Workload};

use super::check::Rows;
use super::observer::Observer;
use crate::Result;
use crate::cancel::Cancel;
use crate::engine::{Counters, Table};
use crate::measure;
use crate::strategy::Strategy;

/// A run whose table exists.
pub struct Context<'a> {
    pub table: &'a mut dyn Table,
    pub strategy: &'a Strategy,
    pub workload: &'a Workload,
    pub cancel: &'a Cancel,
    pub observer: &'a mut dyn Observer,
    /// The rows in the table, in the order in which they were acknowledged. The run adds its own.
    pub rows: &'a mut Rows,
}

/// The figures of the inserts of a run, apart from the rows.
pub struct Inserts {
    pub windows: Vec<Window>,
    /// The counters from their first reading to the last, without the creation of the tables.
    pub counters: Counters,
    /// The figures of the clients, apart from the order of the rows.
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
    /// Begins the course of a run on a table that holds this many rows.
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
