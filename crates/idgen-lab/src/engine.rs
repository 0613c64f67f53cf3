//! The interface between the lab and a database, and the databases that implement it.

mod clients;
mod counted;
mod file;
mod host;
mod latencies;
mod mysql;
mod postgres;
#[cfg(feature = "rocksdb")]
mod rocksdb;
mod sqlite;
mod start;
mod step;
mod timed;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use idgen_record::{EngineInfo, Latency, Others, Role, Run, Workload};

use crate::cancel::Cancel;
use crate::experiment::{Loads, Scale, Statements};
use crate::key::Key;
use crate::strategy::Strategy;
use crate::{Error, Result};

#[doc(hidden)]
pub use clients::{Feed, Statement, Turn};
#[doc(hidden)]
pub use counted::{Contents, Counters, FilePages, Leaf, LsmCounters, Seen, Tree};
pub(crate) use latencies::Latencies;
pub use mysql::Mysql;
pub use postgres::Postgres;
#[cfg(feature = "rocksdb")]
pub use rocksdb::RocksDb;
pub use sqlite::Sqlite;
pub(crate) use start::{can_limit_iops, database_at, has_checkpoints, has_rocksdb, may_be};
pub use start::{connect, start, start_myrocks, start_rocksdb};
#[doc(hidden)]
pub use step::{Answer, MakeKey, Outcome, Step};
#[doc(hidden)]
pub use timed::ORDER_SEED;

/// A database in which tables can be made and measured: [`start`] and [`connect`] return one, and
/// [`runner::run`](crate::runner::run) makes and measures the tables. The tables themselves are no documented interface.
pub trait Engine {
    /// The name, the version and the setup of the database, and the figures that it does not provide.
    fn info(&self) -> EngineInfo;

    /// The settings that matter, as the database reported them at its start; empty for a database that has them per
    /// table.
    fn settings(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Stores the flag that cancels the engine's work. If statements may take long, they are then cancelled and fail
    /// with `is_interrupted`, and a server that the lab started is stopped.
    fn watch(&mut self, _cancel: &Cancel) {}

    /// Refuses a strategy or a load that this database does not support, before any table is made.
    fn check(&self, strategy: &Strategy, workload: &Workload) -> Result<()>;

    /// Bytes of the page cache that a run of this load gets. This is not always the size that the load asks for.
    ///
    /// # Errors
    /// The database does not report the size.
    fn cache_bytes(&self, workload: &Workload) -> Result<u64>;

    /// Resets the database, where the lab can, to a state that no earlier run has touched: a server that the lab
    /// started is replaced with a new one, and [`watch`](Self::watch) has to be called again.
    /// [`isolation`](Self::isolation) says how far the next run is isolated.
    ///
    /// # Errors
    /// The new server does not start.
    fn renew(&mut self, _: &Workload) -> Result<()> {
        Ok(())
    }

    /// A clause about the state that a run shares with the runs before it.
    fn isolation(&self) -> &'static str {
        "each run with new tables on the same server"
    }

    /// Makes the empty tables of a strategy. They are dropped with the handle.
    #[doc(hidden)]
    fn create(&mut self, strategy: &Strategy, workload: &Workload) -> Result<Box<dyn Table>>;

    /// Runs and checks each case of an experiment that times statements, in rounds, and passes the case's record to
    /// `done` after each run.
    ///
    /// # Errors
    /// The database does not support timed statements, refuses one, or fails a check; its file cannot be surveyed;
    /// `done` returns an error; or the user cancelled (`is_interrupted`), which also ends a statement that is running.
    fn time(&mut self, experiment: &Statements, _: &Cancel, _: &mut Done<'_>) -> Result<()> {
        Err(cannot(&self.info(), &experiment.id))
    }

    /// Runs and checks each load of an experiment in which several clients load tables, and passes each record to
    /// `done`.
    ///
    /// # Errors
    /// The errors of [`time`](Self::time); also if the definition makes no load, or if a table holds other rows than those
    /// that were inserted.
    fn load(&mut self, experiment: &Loads, _: Scale, _: &Cancel, _: &mut Done<'_>) -> Result<()> {
        Err(cannot(&self.info(), &experiment.id))
    }
}

/// Called with the record of a statement or load whenever a run was added to it.
pub type Done<'a> = dyn FnMut(Run) -> Result<()> + 'a;

fn cannot(engine: &EngineInfo, experiment: &str) -> Error {
    Error::config(format!("{} cannot run {experiment}: choose mysql or mariadb", engine.name))
}

/// The tables of one run.
#[doc(hidden)]
pub trait Table {
    /// The settings that matter, as the database itself reports them.
    fn settings(&mut self) -> Result<BTreeMap<String, String>>;

    /// Inserts and commits these rows by the client with this number, counted from 0, and returns them in the
    /// order given. A database without concurrent clients has one.
    fn insert(&mut self, client: usize, rows: &Batch<'_>) -> Result<Vec<Inserted>>;

    /// Lets all clients of the run insert at the same time, statement after statement, until the feed has nothing left for
    /// them. A database without concurrent clients has one.
    ///
    /// # Errors
    /// The database refuses a statement; the feed returns an error; or the user cancelled (`is_interrupted`).
    fn serve(&mut self, feed: &mut dyn Feed) -> Result<()> {
        /// The feed notices a cancellation when it is asked.
        const STEP: Duration = Duration::from_millis(50);
        loop {
            match feed.next(0)? {
                Turn::Insert(statement) => {
                    let rows = self.insert(0, &statement.batch())?;
                    feed.acknowledged(0, &statement, &rows)?;
                }
                Turn::Wait(moment) => {
                    std::thread::sleep(moment.saturating_duration_since(Instant::now()).min(STEP));
                }
                Turn::Done => return Ok(()),
            }
        }
    }

    /// Rows that a client inserts and commits at once: on servers those of a statement, otherwise those of a transaction.
    fn rows_at_once(&self, workload: &Workload) -> u64 {
        workload.commit_rows.into()
    }

    /// Makes a checkpoint if the lab makes them and one is due, and returns how many rows may be inserted before the next.
    ///
    /// # Errors
    /// The database refuses the checkpoint; `is_interrupted` if the user cancelled.
    fn rows_to_checkpoint(&mut self) -> Result<u64> {
        Ok(u64::MAX)
    }

    /// Inserts and commits rows that are to be in the table before the run, in statements of `LOAD_ROWS` rows,
    /// whatever the size of the run's statements. Returns them in the order given.
    ///
    /// # Errors
    /// The errors of [`insert`](Self::insert).
    fn load(&mut self, rows: &Batch<'_>) -> Result<Vec<Inserted>> {
        self.insert(0, rows)
    }

    /// Marks the beginning of the run: latencies of earlier inserts are discarded.
    ///
    /// # Errors
    /// The database cannot be prepared.
    fn begin(&mut self) -> Result<()> {
        Ok(())
    }

    /// Carries out the operations of each client one after another, all clients at the same time, and returns the
    /// answers to each client. On a server, each operation is a transaction of its own, and one that meets a deadlock or a
    /// lock timeout is repeated; SQLite has one client and commits its operations together. A client makes the key of a row
    /// immediately before it inserts the row.
    ///
    /// # Errors
    /// The database refuses an operation, or an operation finds more or fewer rows than the one with its key; or the user
    /// cancelled (`is_interrupted`).
    fn operate(&mut self, _: &[Vec<Step<'_>>], _: &mut MakeKey<'_>) -> Result<Vec<Vec<Answer>>> {
        Err(Error::config("these tables take inserts alone: leave out --mix"))
    }

    /// Waits until the database has removed what deletes and updates left behind, and the first tree holds exactly this
    /// many rows. InnoDB does so in the background, PostgreSQL when it is told to.
    ///
    /// # Errors
    /// The database refuses, or does not finish; `is_interrupted` if the user cancelled.
    fn settle(&mut self, _rows: u64) -> Result<()> {
        Ok(())
    }

    /// Reads the counters of the database since the tables were made.
    fn counters(&mut self) -> Result<Counters>;

    /// Measures by how many microseconds the server's clock is ahead of this machine's; 0 where the two are
    /// one.
    ///
    /// # Errors
    /// The server does not answer.
    fn clock_ahead(&mut self) -> Result<i64> {
        Ok(0)
    }

    /// Counts the writes of other clients to the server since the tables were made. `None` if there are no
    /// other clients, or if the database cannot tell their work from the lab's.
    ///
    /// # Errors
    /// The database does not report it.
    fn others(&mut self) -> Result<Option<Others>> {
        Ok(None)
    }

    /// Makes the database write all changed pages, and counts what that took: some databases write the pages that
    /// inserts changed much later. `None` if all are written already, or if the database has no command for it.
    ///
    /// # Errors
    /// The database refuses, or does not finish; `is_interrupted` if the user cancelled.
    fn flush(&mut self) -> Result<Option<Counters>> {
        Ok(None)
    }

    /// The durations of the statements since the last call. `None` if no statements are timed: a call into a
    /// library is no round trip, and timing it would cost as much as the insert itself.
    fn lap(&mut self) -> Option<Latency> {
        None
    }

    /// The durations of all statements of the run; `None` if no statements are timed.
    fn latency(&self) -> Option<Latency> {
        None
    }

    /// Reads what the database shows of the pages if the trees themselves cannot be read; `None` if
    /// [`Table::trees`] gives them.
    fn seen(&mut self) -> Result<Option<Seen>> {
        Ok(None)
    }

    /// Bytes of the heaps, in which rows lie in the order of their insertion; `None` if the rows are in the trees.
    ///
    /// # Errors
    /// The database does not report it.
    fn heap_bytes(&mut self) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Bytes of secondary indexes and additional tables; `None` if there cannot be any.
    ///
    /// # Errors
    /// The database does not report it.
    fn other_bytes(&mut self) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Bytes that the server has allocated to the tables: whole extents, including their free pages. `None` if the
    /// database does not distinguish them from the pages in use.
    ///
    /// # Errors
    /// The database does not answer.
    fn allocated_bytes(&mut self) -> Result<Option<u64>> {
        Ok(None)
    }

    /// The trees as they lie on disk, the tree with the rows first.
    fn trees(&mut self) -> Result<Vec<Tree>>;

    /// Returns whether the keys alone sort the tree of the rows: the user's own table may have other columns
    /// in its primary key.
    fn sorted_by_key(&self) -> bool {
        true
    }

    /// Passes each key of a tree to `visit`, in the order of the tree: for [`Role::Pairs`] the UUIDs; for [`Role::Map`]
    /// the UUIDs, or the integers if the index holds hashes.
    fn keys(&mut self, role: Role, visit: &mut dyn FnMut(Key) -> Result<()>) -> Result<()>;

    /// Counts rows, bytes of payloads and unmapped rows, for the check after the run.
    fn contents(&mut self) -> Result<Contents>;
}

/// Rows per statement when rows are loaded before a run. MariaDB makes a temporary table for a list of 1,000.
pub(crate) const LOAD_ROWS: usize = 500;

/// A row that the database acknowledged.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The key with which it was inserted.
    pub key: Key,
    /// The integer that the database or a map assigned to it, if any.
    pub number: Option<u64>,
}

/// The rows that one writer inserts, one statement after another.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The number of the first row, from 0.
    pub first: u64,
    /// The keys.
    pub keys: &'a [Key],
    /// The payloads, concatenated, all of the same length.
    pub payloads: &'a [u8],
}

/// A row to insert: its number, its key and its payload.
#[doc(hidden)]
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
