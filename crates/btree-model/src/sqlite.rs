//! A table of SQLite under inserts: its pages, and those that its page cache reads and writes.

mod balance;
mod cache;
mod cells;
mod tree;

use cache::Cache;
pub use cells::SqliteShape;
use tree::SqliteTree;

use crate::distinct::Distinct;
use crate::error::{Error, Result};
use crate::key::{Key, Wide};
use crate::state::TreeState;
use crate::window::{Reading, UNIT, Window};

/// A table and its page cache, in rollback mode on one connection.
///
/// SQLite differs from InnoDB and PostgreSQL in three ways. Before it allocates a page, it moves rows to the two neighbors
/// of a full page (`balance_nonroot` in `btree.c`), so pages of random keys are more than nine tenths full. In a table
/// declared `WITHOUT ROWID`, pages above the leaves hold rows too. A page that a transaction changed several times is
/// written once, when it commits, unless the cache is too small for the pages of the transaction (`pcache1.c`).
///
/// ```
/// use btree_model::{SqliteShape, SqliteTable};
///
/// let mut table = SqliteTable::new(SqliteShape::rowid(4_096, &[100])?, 500)?;
/// for key in 0..10_000_u64 {
///     table.insert(&key.to_be_bytes())?;
/// }
/// table.commit();
/// // A row takes 109 bytes, so a page holds 37. Rows in the order of their keys are appended to the last page.
/// assert_eq!(table.tree().leaf_pages, 271);
/// # Ok::<(), btree_model::Error>(())
/// ```
#[derive(Debug)]
pub struct SqliteTable {
    shape: SqliteShape,
    tree: AnyTree,
    cache: Cache,
    leaves: Distinct,
    /// The last key as a number.
    last: u64,
    /// The reading at which the window began.
    since: Reading,
}

/// The tree of one table, whose keys are of one type.
#[derive(Debug)]
enum AnyTree {
    /// Keys of up to 16 bytes.
    Short(SqliteTree<u128>),
    /// Keys of up to 40.
    Long(SqliteTree<Wide>),
}

impl SqliteTable {
    /// The fewest pages of a cache with which the model was compared.
    pub const LEAST_CACHE_PAGES: u32 = 50;

    /// An empty table with an empty cache of this many pages (`PRAGMA cache_size`).
    ///
    /// # Errors
    /// The cache is smaller than [`SqliteTable::LEAST_CACHE_PAGES`].
    pub fn new(shape: SqliteShape, cache_pages: u32) -> Result<Self> {
        if cache_pages < Self::LEAST_CACHE_PAGES {
            return Err(Error::setting("the cache in pages", cache_pages, "50 or more"));
        }
        let mut cache = Cache::new(cache_pages);
        let tree = AnyTree::Short(SqliteTree::new(shape, &mut cache));
        Ok(SqliteTable {
            shape,
            tree,
            cache,
            leaves: Distinct::default(),
            last: 0,
            since: Reading::default(),
        })
    }

    /// Inserts a row with this key, its bytes as the table compares them: an integer is eight bytes, the highest first.
    ///
    /// # Errors
    /// The errors of [`crate::Model::insert`].
    pub fn insert(&mut self, key: &[u8]) -> Result<()> {
        let rows = self.rows();
        if rows == 0 && key.len() > 16 {
            self.tree = AnyTree::Long(SqliteTree::new(self.shape, &mut self.cache));
        }
        let leaf = match &mut self.tree {
            AnyTree::Short(tree) => tree.insert(u128::read(key)?, &mut self.cache)?,
            AnyTree::Long(tree) => tree.insert(Wide::read(key)?, &mut self.cache)?,
        };
        self.cache.release();
        self.leaves.see(leaf, rows / UNIT);
        self.last = key.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        Ok(())
    }

    /// Ends a transaction: every changed page is written.
    pub fn commit(&mut self) {
        self.cache.commit();
    }

    /// Bytes of the last row as stored.
    pub(crate) fn last_cell_bytes(&self) -> u32 {
        self.shape.cell_bytes(self.last)
    }

    /// Rows inserted.
    pub fn rows(&self) -> u64 {
        match &self.tree {
            AnyTree::Short(tree) => tree.rows,
            AnyTree::Long(tree) => tree.rows,
        }
    }

    /// The figures since the last call, or since the beginning. Pages count as written when their transaction ends, so the
    /// figures are exact between two commits.
    pub fn window(&mut self) -> Window {
        let splits = match &self.tree {
            AnyTree::Short(tree) => tree.splits,
            AnyTree::Long(tree) => tree.splits,
        };
        let now =
            Reading { rows: self.rows(), splits, counters: self.cache.counters, distinct: self.leaves.count };
        let before = std::mem::replace(&mut self.since, now);
        Window::between(&before, &now)
    }

    /// The figures of the tree. Reads every leaf.
    pub fn tree(&self) -> TreeState {
        match &self.tree {
            AnyTree::Short(tree) => tree.state(),
            AnyTree::Long(tree) => tree.state(),
        }
    }
}
