//! The model: a tree and a pool that keys are inserted into, and whose figures are read in windows.

use crate::any_tree::AnyTree;
use crate::distinct::Distinct;
use crate::error::{Error, Result};
use crate::innodb::InnoDb;
use crate::pool::Pool;
use crate::ranges::Ranges;
use crate::rule::SplitRule;
use crate::server::Server;
use crate::shape::Shape;
use crate::state::TreeState;
use crate::tree::Trace as _;
use crate::window::{Reading, UNIT, Window};

/// The load and the server to model.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The rows and pages.
    pub shape: Shape,
    /// The server's settings.
    pub server: Server,
    /// Inserts a second. Slower inserts leave the page cleaner more time for each.
    pub rate: f64,
    /// Inserts in a transaction. Each transaction also changes pages of a rollback segment.
    pub commit_rows: u64,
}

impl Setup {
    /// Checks that a server could have this setup, as [`Model::new`] does, but without allocating memory.
    ///
    /// ```
    /// use btree_model::{Server, Setup, Shape};
    ///
    /// let shape = Shape::clustered(16_384, 16, 0)?;
    /// let setup = Setup { shape, server: Server::mysql(128 << 20), rate: 0.0, commit_rows: 1 };
    /// assert!(setup.check().unwrap_err().to_string().contains("the rate is 0"));
    /// # Ok::<(), btree_model::Error>(())
    /// ```
    ///
    /// # Errors
    /// A server cannot have this pool, rate or setting.
    pub fn check(&self) -> Result<()> {
        if !(self.rate.is_finite() && self.rate >= LEAST_RATE) {
            return Err(Error::setting("the rate", self.rate, "at least 0.001 inserts a second"));
        }
        if self.commit_rows == 0 {
            return Err(Error::setting("the number of rows in a transaction", 0, "at least one"));
        }
        self.server.frames(self.shape.page_size()).map(drop)
    }
}

/// An insert in a quarter of an hour: between two of them, the model lives through each second.
const LEAST_RATE: f64 = 0.001;

/// A table under inserts.
#[derive(Debug)]
pub struct Model<R = InnoDb> {
    shape: Shape,
    rule: R,
    rows: u64,
    ranges: Ranges,
    /// The ranges to follow from a number of rows on.
    later: Option<(u64, Ranges, Pool)>,
    tree: AnyTree<R>,
    pool: Pool,
    leaves: Distinct,
    /// The counts of the whole table before the model followed only a sample, and (`sample`) the values of
    /// the sample's counters at that moment.
    whole: Reading,
    sample: Reading,
    /// The reading at which the window began.
    since: Reading,
}

impl Model {
    /// Rows that [`Model::sampled`] inserts before it follows only a sample.
    pub const WHOLE_ROWS: u64 = 8_000_000;

    /// Bytes of memory for each row that is followed, by the length of its key in bytes.
    pub const fn bytes_per_row(key_bytes: u32) -> u64 {
        if key_bytes <= 16 { 30 } else { 70 }
    }

    /// An empty table on a server with an empty pool. It stores every key, and [`Model::bytes_per_row`] tells how much memory
    /// that takes: 10^7 rows fit easily.
    ///
    /// # Errors
    /// A server cannot have this pool, rate or setting.
    pub fn new(setup: &Setup) -> Result<Model> {
        Model::sampled(setup, Ranges::all())
    }

    /// An empty table as [`Model::new`] makes it, which after the first eight million rows follows only the keys in `ranges`, on
    /// their share of the server. The figures are for the whole table.
    ///
    /// The first rows are all followed because random keys fill pages in waves: all pages split at about the
    /// same time, and a smaller table would be in another phase of the wave.
    ///
    /// # Errors
    /// The errors of [`Model::new`]; also if the share of the pool is too small for a prediction.
    pub fn sampled(setup: &Setup, ranges: Ranges) -> Result<Model> {
        Model::with_rule(InnoDb, setup, ranges)
    }
}

impl<R: SplitRule> Model<R> {
    /// A table whose pages are split by another rule than InnoDB's. [`Ranges::all`] follows every key; other ranges follow a
    /// sample, as [`Model::sampled`] does.
    ///
    /// # Errors
    /// The errors of [`Model::sampled`].
    pub fn with_rule(rule: R, setup: &Setup, ranges: Ranges) -> Result<Self> {
        Model::sampled_after(Model::<InnoDb>::WHOLE_ROWS, rule, setup, ranges)
    }

    fn sampled_after(rows: u64, rule: R, setup: &Setup, ranges: Ranges) -> Result<Self> {
        setup.check()?;
        let shape = setup.shape;
        let pool = |server: &Server, commit_rows| {
            Pool::new(server, shape.page_size(), setup.rate, shape.record_bytes(), commit_rows)
        };
        let later = match ranges.parts() {
            1 => None,
            // The pool counts all inserts, so a share of the transactions is one in `parts`.
            parts => {
                let commit_rows = setup.commit_rows.saturating_mul(parts.into());
                Some((rows, ranges, pool(&setup.server.share(parts), commit_rows)?))
            }
        };
        let mut pool = pool(&setup.server, setup.commit_rows)?;
        pool.create(0);
        Ok(Model {
            shape,
            rule,
            rows: 0,
            ranges: Ranges::all(),
            later,
            tree: AnyTree::new(shape, rule),
            pool,
            leaves: Distinct::default(),
            whole: Reading::default(),
            sample: Reading::default(),
            since: Reading::default(),
        })
    }

    /// Continues with a sample of the keys.
    fn follow_less(&mut self, ranges: Ranges, mut pool: Pool) {
        self.whole = self.reading();
        pool.adopt(0..self.tree.retain(&ranges));
        (self.pool, self.ranges, self.leaves) = (pool, ranges, Distinct::default());
        self.sample = self.counted();
    }

    /// Inserts a row with this key: its bytes as an index compares them. Rows of one table have keys of
    /// one type, so the first key decides between short and long ones.
    ///
    /// # Errors
    /// The key is longer than [`crate::MAX_KEY_BYTES`], or it is longer than 16 bytes and the first key was
    /// not.
    pub fn insert(&mut self, key: &[u8]) -> Result<()> {
        if let Some((_, ranges, pool)) = self.later.take_if(|(rows, ..)| self.rows >= *rows) {
            self.follow_less(ranges, pool);
        }
        self.rows += 1;
        self.pool.tick();
        if !self.ranges.take(key) {
            return Ok(());
        }
        self.pool.log_row();
        let leaf = self.tree.insert(self.shape, self.rule, key, &mut self.pool)?;
        self.leaves.see(leaf, (self.rows - 1) / UNIT);
        Ok(())
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Rows inserted.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// A number that identifies the leaf that holds `key`, or would hold it. Keys on one page have the same number.
    ///
    /// # Errors
    /// The errors of [`Model::insert`].
    pub fn leaf_of(&self, key: &[u8]) -> Result<u32> {
        self.tree.leaf_of(key)
    }

    fn reading(&self) -> Reading {
        self.counted().grown(&self.sample, self.ranges.parts(), &self.whole)
    }

    /// The counters of the keys that are followed.
    fn counted(&self) -> Reading {
        Reading {
            rows: self.rows,
            splits: self.tree.splits(),
            counters: self.pool.counters,
            distinct: self.leaves.count,
        }
    }

    /// The figures since the last call, or since the beginning.
    pub fn window(&mut self) -> Window {
        let now = self.reading();
        let before = std::mem::replace(&mut self.since, now);
        Window::between(&before, &now)
    }

    /// The figures of the tree. Reads every leaf.
    pub fn tree(&self) -> TreeState {
        self.tree.state(self.shape, self.rows, self.ranges.parts())
    }
}

#[cfg(test)]
mod tests;
