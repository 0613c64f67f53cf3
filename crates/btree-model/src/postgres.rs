//! An index of PostgreSQL under inserts: its pages, and what they add to the write-ahead log.

mod background;
mod checkpoint;
mod clock;
mod shared_buffers;
mod table;

use serde::Serialize;

pub use shared_buffers::SharedBuffers;
pub use table::PostgresTable;

use crate::any_tree::AnyTree;
use crate::distinct::Distinct;
use crate::error::Result;
use crate::nbtree::Nbtree;
use crate::nbtree_page::{PAGE_BYTES, ROOM};
use crate::shape::Shape;
use crate::state::TreeState;
use crate::tree::Trace;
use crate::window::UNIT;

/// A B-tree index and the log of its pages. The rest of a row's log, its heap and its transaction, does not depend on the
/// key: see [`PostgresIndex::log`].
///
/// With `full_page_writes` on, as it is by default, the first change of a page after a checkpoint logs the page as a
/// whole, without the free space in its middle. Where keys are random, these images are nearly all of the log, and the
/// distance between checkpoints decides how many there are.
///
/// ```
/// use btree_model::{Nbtree, PostgresIndex, Shape};
///
/// let mut index = PostgresIndex::new(Nbtree::default(), Shape::nbtree(8)?);
/// for key in 0..100_000_u64 {
///     index.insert(&key.to_be_bytes())?;
/// }
/// index.checkpoint();
/// index.log();
/// index.insert(&100_000_u64.to_be_bytes())?;
/// // The first change of the page after the checkpoint logs the whole page.
/// assert_eq!(index.log().full_page_images, 1);
/// # Ok::<(), btree_model::Error>(())
/// ```
#[derive(Debug)]
pub struct PostgresIndex {
    rule: Nbtree,
    shape: Shape,
    tree: AnyTree<Nbtree>,
    rows: u64,
    leaves: Distinct,
    pages: Pages,
    log: Log,
}

/// The bytes that the index has added to the log since the last call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Log {
    /// Rows inserted.
    pub inserts: u64,
    /// Bytes of all records and images.
    pub bytes: u64,
    /// Full-page images.
    pub full_page_images: u64,
    /// Bytes of the full-page images.
    pub image_bytes: u64,
    /// Page splits.
    pub splits: u64,
    /// Different leaves that got a key, counted in each 1,000 of the table's rows.
    pub distinct_leaves: u64,
}

/// The pages that an insert changes, and the checkpoint after which each was last changed.
#[derive(Debug, Default)]
struct Pages {
    /// The checkpoint after which a page was changed last, by its number; 0 for never.
    changed: Vec<u32>,
    checkpoint: u32,
    /// The pages that this insert changed for the first time after the checkpoint.
    first: Vec<u32>,
    /// The pages that this insert made.
    made: Vec<u32>,
}

impl Pages {
    fn mark(&mut self, page: u32) -> bool {
        let page = page as usize;
        if self.changed.len() <= page {
            self.changed.resize(page + 1, 0);
        }
        std::mem::replace(&mut self.changed[page], self.checkpoint) != self.checkpoint
    }

    fn change(&mut self, page: u32) {
        if self.mark(page) {
            self.first.push(page);
        }
    }

    /// A new page is logged by the record of the split that makes it.
    fn create(&mut self, page: u32) {
        self.mark(page);
        self.made.push(page);
    }
}

/// Pages that nobody counts.
struct NoMemory;

impl Trace for NoMemory {
    fn touch(&mut self, _: u32) {}
    fn change(&mut self, _: u32) {}
    fn create(&mut self, _: u32) {}
}

/// Tells the log and the shared buffers of each page.
struct Both<'a, M> {
    log: &'a mut Pages,
    memory: &'a mut M,
}

impl<M: Trace> Trace for Both<'_, M> {
    fn touch(&mut self, page: u32) {
        self.memory.touch(page);
    }

    fn change(&mut self, page: u32) {
        self.log.change(page);
        self.memory.change(page);
    }

    fn create(&mut self, page: u32) {
        self.log.create(page);
        self.memory.create(page);
    }
}

/// The header of a log record, with the header of its data (`XLogRecord`, `XLogRecordDataHeaderShort`).
const RECORD: u64 = 24 + 2;
/// Bytes of a record about a page that it changes: the file and the block (`XLogRecordBlockHeader`,
/// `RelFileLocator`).
const BLOCK: u64 = 4 + 12 + 4;
/// Bytes about a page in the same file as the one before it.
const NEXT_BLOCK: u64 = 4 + 4;
/// Bytes before an image (`XLogRecordBlockImageHeader`).
const IMAGE: u64 = 5;

impl PostgresIndex {
    /// An empty index.
    pub fn new(rule: Nbtree, shape: Shape) -> Self {
        PostgresIndex {
            rule,
            shape,
            tree: AnyTree::new(shape, rule),
            rows: 0,
            leaves: Distinct::default(),
            pages: Pages { checkpoint: 1, ..Pages::default() },
            log: Log::default(),
        }
    }

    /// Inserts a row with this key, its bytes as the index compares them.
    ///
    /// # Errors
    /// The errors of [`crate::Model::insert`].
    pub fn insert(&mut self, key: &[u8]) -> Result<()> {
        self.insert_in(key, &mut NoMemory)
    }

    /// Like [`PostgresIndex::insert`], and tells the shared buffers of each page.
    fn insert_in(&mut self, key: &[u8], memory: &mut impl Trace) -> Result<()> {
        let splits = self.tree.splits();
        let trace = &mut Both { log: &mut self.pages, memory };
        let leaf = self.tree.insert(self.shape, self.rule, key, trace)?;
        self.leaves.see(leaf, self.rows / UNIT);
        self.rows += 1;
        self.log.inserts += 1;
        self.log.splits += self.tree.splits() - splits;
        self.log_insert();
        Ok(())
    }

    /// A checkpoint: the next change of every page logs the whole page.
    pub fn checkpoint(&mut self) {
        self.pages.checkpoint += 1;
    }

    /// Rows inserted.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The figures of the tree.
    pub fn tree(&self) -> TreeState {
        self.tree.state(self.shape, self.rows, 1)
    }

    /// Returns what the index added to the log since the last call. The heap adds about 60 bytes and the row's data for each row,
    /// and a transaction of one row about 40.
    pub fn log(&mut self) -> Log {
        let distinct = self.leaves.count;
        self.leaves.count = 0;
        Log { distinct_leaves: distinct, ..std::mem::take(&mut self.log) }
    }

    /// The records of one insert (`_bt_insertonpg`, `_bt_split`).
    fn log_insert(&mut self) {
        let tuple = u64::from(self.shape.record_bytes()) - 4;
        // The record, its block, the place on the page, the tuple.
        let mut bytes = aligned(RECORD + BLOCK + 2 + tuple);
        for &page in &self.pages.made {
            let (level, records) = self.tree.records_on(page);
            // The tuples of the new page, the high key of the old one, and the blocks of both and of the next page.
            let moved = self.tuples(level, records);
            bytes += aligned(RECORD + 10 + BLOCK + 2 * NEXT_BLOCK + moved + tuple);
            // The pointer in the page above.
            bytes += aligned(RECORD + BLOCK + 2 + tuple + NEXT_BLOCK);
        }
        for &page in &self.pages.first {
            let (level, records) = self.tree.records_on(page);
            let image = u64::from(PAGE_BYTES - ROOM) + self.tuples(level, records) + 4 * (records as u64 + 1);
            self.log.full_page_images += 1;
            self.log.image_bytes += image;
            bytes += image + IMAGE;
        }
        self.log.bytes += bytes;
        self.pages.made.clear();
        self.pages.first.clear();
    }

    /// Bytes of the tuples of a page, including its high key.
    fn tuples(&self, level: u8, records: usize) -> u64 {
        let tuple = u64::from(self.shape.record_bytes()) - 4;
        let keyless = if level > 0 { tuple - 8 } else { 0 };
        ((records as u64 + 1) * tuple).saturating_sub(keyless)
    }
}

/// Log records begin at multiples of eight bytes.
fn aligned(bytes: u64) -> u64 {
    bytes.next_multiple_of(8)
}
