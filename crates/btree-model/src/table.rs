//! The interface of every model: a table under inserts, whose figures are read in windows.

use serde::Serialize;

use crate::error::Result;
use crate::rule::SplitRule;
use crate::run::Model;
use crate::sqlite::SqliteTable;
use crate::state::TreeState;
use crate::window::Window;

/// A table under inserts, as one engine keeps it.
///
/// ```
/// use btree_model::{PostgresTable, SharedBuffers, SqliteShape, SqliteTable, Table};
///
/// let sqlite = SqliteTable::new(SqliteShape::rowid(4_096, &[100])?, 500)?;
/// let postgres = PostgresTable::new(8, None, 109, &SharedBuffers::new(16 << 20), 1_000.0)?;
/// for mut table in [Box::new(sqlite) as Box<dyn Table>, Box::new(postgres)] {
///     for key in 0..10_000_u64 {
///         table.insert(&key.to_be_bytes())?;
///     }
///     table.commit();
///     let figures = table.figures();
///     assert_eq!((figures.rows, table.tree().rows), (10_000, 10_000));
///     assert_eq!(figures.pool.reads_per_1k, 0.0, "ascending keys read nothing");
/// }
/// # Ok::<(), btree_model::Error>(())
/// ```
pub trait Table {
    /// Inserts a row with this key, its bytes as the engine compares them.
    ///
    /// # Errors
    /// The errors of [`Model::insert`].
    fn insert(&mut self, key: &[u8]) -> Result<()>;

    /// Ends a transaction, if the model has to be told.
    fn commit(&mut self) {}

    /// Begins a checkpoint, if the model has a log. The next one begins after this many inserts; 0 if it is not known when, so that this
    /// one does all its work at once.
    fn checkpoint(&mut self, _next_after: u64) {}

    /// The figures since the last call, or since the beginning.
    fn figures(&mut self) -> Figures;

    /// The tree that the key orders: the table itself, or its index if the rows lie in a heap. Reads every leaf.
    fn tree(&self) -> TreeState;

    /// Bytes of the last row as stored, including its key and its header.
    fn record_bytes(&self) -> u32;

    /// Bytes of heap pages per row, if the rows lie in a heap.
    fn heap_bytes_per_row(&self) -> Option<f64> {
        None
    }
}

/// The figures of consecutive inserts, of those kinds that a model has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Rows in the table at the end.
    pub rows: u64,
    /// Inserts.
    pub inserts: u64,
    /// Page splits per 1,000 inserts, on all levels.
    pub splits_per_1k: f64,
    /// Different leaves that got a record, per 1,000 inserts.
    pub distinct_leaves_per_1k: f64,
    /// Pages that the buffer pool or the page cache read and wrote.
    #[serde(flatten)]
    pub pool: PoolFigures,
    /// Bytes and page images that were added to the write-ahead log; none for a model without one.
    #[serde(flatten)]
    pub log: Option<LogFigures>,
}

/// Pages that a buffer pool or page cache read, wrote and created.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PoolFigures {
    /// Pages read per 1,000 inserts.
    pub reads_per_1k: f64,
    /// Pages written per 1,000 inserts, the doublewrite buffer's copies not counted.
    pub writes_per_1k: f64,
    /// Pages created per 1,000 inserts.
    pub created_per_1k: f64,
}

/// The bytes and page images that inserts add to a write-ahead log.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LogFigures {
    /// Bytes of the log per row, for the heap and the index; records of transactions are not included.
    pub log_bytes_per_row: f64,
    /// The part of the bytes of the log that belongs to the index.
    pub index_log_bytes_per_row: f64,
    /// Pages of the index that were logged as a whole, per 1,000 inserts.
    pub images_per_1k: f64,
}

impl From<Window> for Figures {
    fn from(window: Window) -> Figures {
        let Window { rows, inserts, splits_per_1k, distinct_leaves_per_1k, .. } = window;
        let Window { reads_per_1k, writes_per_1k, created_per_1k, .. } = window;
        let pool = PoolFigures { reads_per_1k, writes_per_1k, created_per_1k };
        Figures { rows, inserts, splits_per_1k, distinct_leaves_per_1k, pool, log: None }
    }
}

impl<R: SplitRule> Table for Model<R> {
    fn insert(&mut self, key: &[u8]) -> Result<()> {
        Model::insert(self, key)
    }

    fn figures(&mut self) -> Figures {
        self.window().into()
    }

    fn tree(&self) -> TreeState {
        Model::tree(self)
    }

    fn record_bytes(&self) -> u32 {
        self.shape().record_bytes()
    }
}

impl Table for SqliteTable {
    fn insert(&mut self, key: &[u8]) -> Result<()> {
        SqliteTable::insert(self, key)
    }

    fn commit(&mut self) {
        SqliteTable::commit(self);
    }

    fn figures(&mut self) -> Figures {
        self.window().into()
    }

    fn tree(&self) -> TreeState {
        SqliteTable::tree(self)
    }

    fn record_bytes(&self) -> u32 {
        self.last_cell_bytes()
    }
}
