//! What the lab asks of a database, and the databases that answer.

mod counted;
mod file;
mod host;
mod latencies;
mod mysql;
mod postgres;
mod sqlite;
mod start;
mod step;
mod timed;

use std::collections::BTreeMap;

use idgen_record::{CaseRecord, EngineInfo, Latency, Role, Workload};

use crate::cancel::Cancel;
use crate::experiment::{Loads, Scale, Statements};
use crate::key::Key;
use crate::strategy::Strategy;
use crate::{Error, Result};

pub use counted::{Contents, Counters, FilePages, Leaf, Seen, Tree};
pub use mysql::Mysql;
pub use postgres::Postgres;
pub use sqlite::Sqlite;
pub use start::{can_limit_iops, connect, database_at, start};
pub use step::{OnDone, Outcome, Step};
pub use timed::ORDER_SEED;

/// A database in which tables can be made and measured.
pub trait Engine {
    /// Which database this is.
    fn info(&self) -> EngineInfo;

    /// The settings that matter, as the database reported them at its start; none for one that has them per table.
    fn settings(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Takes the flag that cancels its work. Where statements may take long, they are then cancelled and fail with
    /// `is_interrupted`, and a server of the lab's own is stopped.
    fn watch(&mut self, _cancel: &Cancel) {}

    /// Refuses a strategy or a load that this database cannot do, before anything is made.
    fn check(&self, strategy: &Strategy, workload: &Workload) -> Result<()>;

    /// Bytes of the page cache that a run of this load has: what it asks for is not always what it gets.
    ///
    /// # Errors
    /// Where the database does not tell.
    fn cache_bytes(&self, workload: &Workload) -> Result<u64>;

    /// Gives the next run a state of the database that no run before it has touched, where the lab can: a server of the
    /// lab's own is started anew, and [`watch`](Self::watch) has to be called again. [`isolation`](Self::isolation) tells
    /// what comes of it.
    ///
    /// # Errors
    /// No server can be started.
    fn renew(&mut self, _: &Workload) -> Result<()> {
        Ok(())
    }

    /// What a run shares with the runs before it, as a clause.
    fn isolation(&self) -> &'static str {
        "each run with new tables on the same server"
    }

    /// Makes the empty tables of a strategy. They vanish when the handle is dropped.
    fn create(&mut self, strategy: &Strategy, workload: &Workload) -> Result<Box<dyn Table>>;

    /// Runs and checks each case of an experiment that times statements, in rounds, and gives its record to `done` after
    /// each run.
    ///
    /// # Errors
    /// This database times no statements, refuses one, fails a check, or its file cannot be surveyed; the errors of
    /// `done`; `is_interrupted` where the user cancelled: at once, also in the middle of a statement.
    fn time(&mut self, experiment: &Statements, _: &Cancel, _: &mut Done<'_>) -> Result<()> {
        Err(cannot(&self.info(), &experiment.id))
    }

    /// Runs and checks each load of an experiment in which several clients load tables, and gives each record to
    /// `done`.
    ///
    /// # Errors
    /// As [`time`](Self::time), and where the definition makes no load, or a table holds other than the rows that were
    /// inserted.
    fn load(&mut self, experiment: &Loads, _: Scale, _: &Cancel, _: &mut Done<'_>) -> Result<()> {
        Err(cannot(&self.info(), &experiment.id))
    }
}

/// Takes each record of an experiment of cases when it is finished, or one run further than before.
pub type Done<'a> = dyn FnMut(CaseRecord) -> Result<()> + 'a;

fn cannot(engine: &EngineInfo, experiment: &str) -> Error {
    Error::config(format!("{} cannot run {experiment}: choose mysql or mariadb", engine.name))
}

/// The tables of one run.
pub trait Table {
    /// The settings that matter, as the database itself reports them.
    fn settings(&mut self) -> Result<BTreeMap<String, String>>;

    /// Inserts and commits the rows of each writer, all writers at the same time. Gives every row back, in
    /// the order in which the database acknowledged them: with one writer, the order given.
    fn insert(&mut self, batches: &[Batch<'_>]) -> Result<Vec<Inserted>>;

    /// Inserts and commits rows that are in the table before the run, in statements of [`LOAD_ROWS`], whatever the size of
    /// those of the run, and gives them back in the order given.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    fn load(&mut self, rows: &Batch<'_>) -> Result<Vec<Inserted>> {
        self.insert(&[*rows])
    }

    /// What was inserted so far is not part of the run: its latencies are forgotten.
    ///
    /// # Errors
    /// Where the database cannot be made ready.
    fn begin(&mut self) -> Result<()> {
        Ok(())
    }

    /// Carries out operations one after another and gives the outcome of each to `done`. On a server each is a transaction
    /// of its own; SQLite commits them together.
    ///
    /// # Errors
    /// The database refuses one, or finds another number of rows than the one of that key; the errors of `done`;
    /// `is_interrupted` where the user cancelled.
    fn operate(&mut self, _: &[Step<'_>], _: &mut OnDone<'_>) -> Result<()> {
        Err(Error::config("these tables take inserts alone: leave out --mix"))
    }

    /// Has the database remove what deleted and changed rows left behind, until the first tree holds so many rows: InnoDB does
    /// so in the background, PostgreSQL when it is told to.
    ///
    /// # Errors
    /// The database refuses, or does not come to an end; `is_interrupted` where the user cancelled.
    fn settle(&mut self, _rows: u64) -> Result<()> {
        Ok(())
    }

    /// What the database has counted since the tables were made.
    fn counters(&mut self) -> Result<Counters>;

    /// Has every changed page written and counts what that took: pages that the inserts changed are written later where
    /// a database writes them late. `None` where all are written already, or where the database cannot be told to.
    ///
    /// # Errors
    /// The database refuses, or does not come to an end; `is_interrupted` where the user cancelled.
    fn flush(&mut self) -> Result<Option<Counters>> {
        Ok(None)
    }

    /// How long each statement took since this was last asked. `None` where there are none to time: a call into
    /// a library is no round trip, and timing each would cost as much as the insert.
    fn lap(&mut self) -> Option<Latency> {
        None
    }

    /// The same of all laps together.
    fn latency(&self) -> Option<Latency> {
        None
    }

    /// What is known of the pages where the trees themselves are out of reach; `None` where
    /// [`Table::trees`] gives them.
    fn seen(&mut self) -> Result<Option<Seen>> {
        Ok(None)
    }

    /// Bytes of the heaps, in which rows lie in the order in which they came; `None` where rows lie in the trees.
    ///
    /// # Errors
    /// Where the database does not tell.
    fn heap_bytes(&mut self) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Bytes of secondary indexes and of further tables; `None` where there can be none.
    ///
    /// # Errors
    /// Where the database does not tell.
    fn other_bytes(&mut self) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Bytes that the server has allocated to the tables: whole extents, the free pages in them included. `None` where the
    /// database does not tell them apart from the pages in use.
    ///
    /// # Errors
    /// Where the database does not answer.
    fn allocated_bytes(&mut self) -> Result<Option<u64>> {
        Ok(None)
    }

    /// The trees as they lie on disk, the one with the rows first.
    fn trees(&mut self) -> Result<Vec<Tree>>;

    /// Gives each key of a tree to `visit`, in the order of the tree: for [`Role::Pairs`] the UUIDs, for
    /// [`Role::Map`] the UUIDs, or the integers where the index is one of hashes.
    fn keys(&mut self, role: Role, visit: &mut dyn FnMut(Key) -> Result<()>) -> Result<()>;

    /// What the rows contain beyond their keys, for the check after the run.
    fn contents(&mut self) -> Result<Contents>;
}

/// Rows in a statement that loads rows which are there before a run. MariaDB makes a temporary table of a list of 1,000.
pub const LOAD_ROWS: usize = 500;

/// A row that the database acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The key that it was inserted with.
    pub key: Key,
    /// The integer that the database or a map gave it, where one of them did.
    pub number: Option<u64>,
}

/// Rows that one writer inserts, one statement after another.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The number of the first row, from 0.
    pub first: u64,
    /// The keys.
    pub keys: &'a [Key],
    /// The payloads, one after another, all of one length.
    pub payloads: &'a [u8],
}

/// A row that is inserted: its number, its key and its payload.
pub type Numbered<'a> = (u64, Key, &'a [u8]);

impl<'a> Batch<'a> {
    /// Each key with its payload and the number of its row.
    pub fn rows(&self) -> impl Iterator<Item = Numbered<'a>> {
        let width = self.payloads.len().checked_div(self.keys.len()).unwrap_or(0);
        let first = self.first;
        let payloads = self.payloads;
        self.keys
            .iter()
            .enumerate()
            .map(move |(i, key)| (first + i as u64, *key, &payloads[i * width..(i + 1) * width]))
    }
}
