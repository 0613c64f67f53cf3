//! A table of PostgreSQL: its heap, whose size and log follow from the row, and the index of its key.

use super::PostgresIndex;
use crate::error::{Error, Result};
use crate::nbtree::Nbtree;
use crate::shape::Shape;
use crate::state::TreeState;
use crate::table::{Figures, LogFigures, Table};

/// Bytes of a log record for a heap row without its data, plus the header of a heap tuple.
const HEAP_RECORD: u64 = 60;
const TUPLE_HEADER: u64 = 24;
/// Bytes of a heap page for tuples and their line pointers.
const PAGE: u64 = 8_192;
const HEAP_ROOM: u64 = PAGE - 24;
const LINE_POINTER: u64 = 4;
/// Wider rows do not fit on a page as they are.
const MOST_DATA: u32 = 8_100;

/// A table under inserts. The index of its key is a [`PostgresIndex`].
///
/// ```
/// use btree_model::{PostgresTable, Table};
///
/// // A row with a `bigint` as its key and 100 bytes beside it.
/// let mut table = PostgresTable::new(8, None, 8 + 1 + 100)?;
/// table.insert(&1_u64.to_be_bytes())?;
/// assert_eq!(table.record_bytes(), 24 + 112);
/// assert!((table.heap_bytes_per_row().unwrap() - 141.2).abs() < 0.1);
/// # Ok::<(), btree_model::Error>(())
/// ```
#[derive(Debug)]
pub struct PostgresTable {
    index: PostgresIndex,
    /// Bytes of a row's values.
    data: u64,
}

impl PostgresTable {
    /// An empty table, whose key takes `key_bytes` in the index, with a first column of `first_column` bytes if it has two,
    /// and whose rows have values of `data_bytes`, the key included.
    ///
    /// # Errors
    /// A key or a row does not fit on a page.
    pub fn new(key_bytes: u32, first_column: Option<u32>, data_bytes: u32) -> Result<Self> {
        if data_bytes > MOST_DATA {
            return Err(Error::setting(
                "the length of a row's values",
                data_bytes,
                "at most 8100 bytes, which PostgreSQL keeps on a page as they are",
            ));
        }
        let rule = Nbtree { first_column, ..Nbtree::default() };
        Ok(PostgresTable {
            index: PostgresIndex::new(rule, Shape::nbtree(key_bytes)?),
            data: data_bytes.into(),
        })
    }

    fn tuple(&self) -> u64 {
        (TUPLE_HEADER + self.data).next_multiple_of(8)
    }
}

impl Table for PostgresTable {
    fn insert(&mut self, key: &[u8]) -> Result<()> {
        self.index.insert(key)
    }

    fn checkpoint(&mut self) {
        self.index.checkpoint();
    }

    fn figures(&mut self) -> Figures {
        let log = self.index.log();
        let per_row = |count: u64| count as f64 / log.inserts.max(1) as f64;
        Figures {
            rows: self.index.rows(),
            inserts: log.inserts,
            splits_per_1k: 1_000.0 * per_row(log.splits),
            distinct_leaves_per_1k: 1_000.0 * per_row(log.distinct_leaves),
            pool: None,
            log: Some(LogFigures {
                log_bytes_per_row: per_row(log.bytes) + (HEAP_RECORD + self.data) as f64,
                index_log_bytes_per_row: per_row(log.bytes),
                images_per_1k: 1_000.0 * per_row(log.full_page_images),
            }),
        }
    }

    fn tree(&self) -> TreeState {
        self.index.tree()
    }

    fn record_bytes(&self) -> u32 {
        self.tuple() as u32
    }

    fn heap_bytes_per_row(&self) -> Option<f64> {
        Some(PAGE as f64 / (HEAP_ROOM / (self.tuple() + LINE_POINTER)) as f64)
    }
}
