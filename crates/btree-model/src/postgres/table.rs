//! A table of PostgreSQL: its heap, whose size and log follow from the row, the index of its key, and the shared buffers that hold
//! pages of both.
//!
//! A row goes to the last page of the heap, and to a new one if it has no room (`RelationGetBufferForTuple` in `hio.c`); one client
//! adds one page at a time. The model leaves out the maps beside the heap, of which an insert uses a page only when it adds one to
//! the heap (free space), or changes one only after a vacuum (visibility), and the pages of the system catalogs, which a server reads
//! when it starts.

use super::PostgresIndex;
use super::clock::of_heap;
use super::shared_buffers::{Memory, SharedBuffers};
use crate::error::{Error, Result};
use crate::nbtree::Nbtree;
use crate::shape::Shape;
use crate::state::TreeState;
use crate::table::{Figures, LogFigures, PoolFigures, Table};
use crate::tree::Trace as _;
use crate::window::UNIT;

/// Bytes of a log record for a heap row without its data, plus the header of a heap tuple.
const HEAP_RECORD: u64 = 60;
const TUPLE_HEADER: u64 = 24;
/// Bytes of a heap page for tuples and their line pointers.
const PAGE: u64 = 8_192;
const HEAP_ROOM: u64 = PAGE - 24;
const LINE_POINTER: u64 = 4;
/// More pages have no number of their own.
const MOST_HEAP_PAGES: u32 = 1 << 30;
/// Wider rows do not fit on a page as they are.
const MOST_DATA: u32 = 8_100;

/// A table under inserts. The index of its key is a [`PostgresIndex`].
///
/// ```
/// use btree_model::{PostgresTable, SharedBuffers, Table};
///
/// // A row with a `bigint` as its key and 100 bytes beside it, at 1,000 inserts per second.
/// let buffers = SharedBuffers::new(128 << 20);
/// let mut table = PostgresTable::new(8, None, 8 + 1 + 100, &buffers, 1_000.0)?;
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
    memory: Memory,
    heap_pages: u32,
    /// Rows on the last page of the heap.
    rows_on_last: u64,
}

impl PostgresTable {
    /// An empty table, whose key takes `key_bytes` in the index, with a first column of `first_column` bytes if it has two,
    /// and whose rows have values of `data_bytes`, the key included. `rate` is inserts per second: slower inserts leave the
    /// background writer more time for each.
    ///
    /// # Errors
    /// A key or a row does not fit on a page, or a server cannot have these shared buffers or this rate.
    pub fn new(
        key_bytes: u32,
        first_column: Option<u32>,
        data_bytes: u32,
        buffers: &SharedBuffers,
        rate: f64,
    ) -> Result<Self> {
        if data_bytes > MOST_DATA {
            return Err(Error::setting(
                "the length of a row's values",
                data_bytes,
                "at most 8100 bytes, which PostgreSQL keeps on a page as they are",
            ));
        }
        let rule = Nbtree { first_column, ..Nbtree::default() };
        let index = PostgresIndex::new(rule, Shape::nbtree(key_bytes)?);
        let mut memory = Memory::new(buffers, rate)?;
        memory.buffers.create(0);
        Ok(PostgresTable { index, data: data_bytes.into(), memory, heap_pages: 0, rows_on_last: 0 })
    }

    /// Rows that fit on a page of the heap.
    fn rows_on_page(&self) -> u64 {
        HEAP_ROOM / (self.tuple() + LINE_POINTER)
    }

    /// Puts a row into the heap.
    fn insert_in_heap(&mut self) -> Result<()> {
        if self.heap_pages > 0 && self.rows_on_last < self.rows_on_page() {
            let last = of_heap(self.heap_pages - 1);
            self.memory.buffers.touch(last);
            self.memory.buffers.change(last);
            self.rows_on_last += 1;
            return Ok(());
        }
        if self.heap_pages >= MOST_HEAP_PAGES {
            return Err(Error::too_many_pages());
        }
        self.memory.buffers.create(of_heap(self.heap_pages));
        self.heap_pages += 1;
        self.rows_on_last = 1;
        Ok(())
    }

    fn tuple(&self) -> u64 {
        (TUPLE_HEADER + self.data).next_multiple_of(8)
    }
}

impl Table for PostgresTable {
    fn insert(&mut self, key: &[u8]) -> Result<()> {
        self.insert_in_heap()?;
        self.index.insert_in(key, &mut self.memory.buffers)?;
        self.memory.tick();
        Ok(())
    }

    fn checkpoint(&mut self, next_after: u64) {
        self.index.checkpoint();
        self.memory.begin_checkpoint(next_after);
    }

    fn figures(&mut self) -> Figures {
        let (log, pages) = (self.index.log(), self.memory.count());
        let per_row = |count: u64| count as f64 / log.inserts.max(1) as f64;
        let per_1k = |count: u64| UNIT as f64 * per_row(count);
        Figures {
            rows: self.index.rows(),
            inserts: log.inserts,
            splits_per_1k: per_1k(log.splits),
            distinct_leaves_per_1k: per_1k(log.distinct_leaves),
            pool: PoolFigures {
                reads_per_1k: per_1k(pages.read),
                writes_per_1k: per_1k(pages.written),
                created_per_1k: per_1k(pages.created),
            },
            log: Some(LogFigures {
                log_bytes_per_row: per_row(log.bytes) + (HEAP_RECORD + self.data) as f64,
                index_log_bytes_per_row: per_row(log.bytes),
                images_per_1k: per_1k(log.full_page_images),
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
        Some(PAGE as f64 / self.rows_on_page() as f64)
    }
}
