//! The model as one thing: a tree and a pool, fed with keys, read out in windows.

use serde::Serialize;

use super::error::Result;
use super::key::{Key, Wide};
use super::pool::{Counters, Pool};
use super::ranges::Ranges;
use super::server::Server;
use super::shape::Shape;
use super::tree::{Trace, Tree};
use crate::innodb::Distribution;

/// What an insert logs beside its row: undo, page headers, the transaction's end.
const REDO_BESIDE_ROW: u32 = 200;
/// Rows that are followed whole before a sample is.
const WHOLE_ROWS: u64 = 8_000_000;
/// Inserts in the unit of every figure.
const UNIT: u64 = 1_000;

/// What to model.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The rows and pages.
    pub shape: Shape,
    /// The server's settings.
    pub server: Server,
    /// Inserts a second. Slower inserts leave the page cleaner more time for each.
    pub rate: f64,
}

/// A stretch of inserts in figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Window {
    /// Rows in the table at its end.
    pub rows: u64,
    /// Inserts in it.
    pub inserts: u64,
    /// Pages read per 1,000 inserts.
    pub reads_per_1k: f64,
    /// Pages written per 1,000 inserts, the doublewrite buffer's copies not counted.
    pub writes_per_1k: f64,
    /// Pages made per 1,000 inserts.
    pub created_per_1k: f64,
    /// Page splits per 1,000 inserts, on all levels.
    pub splits_per_1k: f64,
    /// Different leaves that took a record, per 1,000 inserts: the mean over thousands that end in it.
    pub distinct_leaves_per_1k: f64,
}

/// The tree as it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreeState {
    /// Rows in it.
    pub rows: u64,
    /// Leaf pages.
    pub leaf_pages: u64,
    /// Pages above the leaves.
    pub inner_pages: u64,
    /// Bytes of pages on all levels, per row.
    pub page_bytes_per_row: f64,
    /// The share of each leaf that records take, as the page reader measures it.
    pub fill: Distribution,
}

/// A table under inserts.
#[derive(Debug)]
pub struct Model {
    shape: Shape,
    rows: u64,
    ranges: Ranges,
    /// What to follow once there are so many rows.
    later: Option<(u64, Ranges, Pool)>,
    tree: AnyTree,
    pool: Pool,
    leaves: Distinct,
    since: Since,
}

/// A tree of short keys or of long ones.
#[derive(Debug)]
enum AnyTree {
    Short(Tree<u128>),
    Long(Tree<Wide>),
}

/// Counts different leaves in each thousand inserts.
#[derive(Debug, Default)]
struct Distinct {
    /// The thousand in which each page was last seen, from 1.
    seen: Vec<u32>,
    distinct: u64,
}

/// Where the window began.
#[derive(Debug, Default)]
struct Since {
    rows: u64,
    splits: u64,
    counters: Counters,
    distinct: u64,
    thousands: u64,
}

impl<K: Key> Tree<K> {
    /// Keeps the leaves of these ranges; gives the number of pages.
    fn retain_in(&mut self, ranges: &Ranges) -> u32 {
        self.retain(|first| ranges.take_head(first.head()));
        self.pages() as u32
    }
}

impl Trace for Pool {
    fn touch(&mut self, page: u32) {
        Pool::touch(self, page);
    }

    fn change(&mut self, page: u32) {
        Pool::change(self, page);
    }

    fn create(&mut self, page: u32) {
        Pool::create(self, page);
    }
}

impl Model {
    /// An empty table on a server with an empty pool. Keeps every key: about 30 bytes a row for keys of
    /// up to 16 bytes, 70 for longer ones, so 10^7 rows are no trouble.
    ///
    /// # Errors
    /// When the pool, the rate or a setting is none that a server could have.
    pub fn new(setup: &Setup) -> Result<Model> {
        Model::sampled(setup, Ranges::all())
    }

    /// The same, but after the first eight million rows only the keys that `ranges` take are followed,
    /// on their share of the server. The figures are for the whole table.
    ///
    /// The beginning is followed whole because random keys fill pages in waves: all split at about the
    /// same time, and a table that begins small would be in another phase.
    ///
    /// # Errors
    /// As [`Model::new`], and when a share of the pool is too small to tell anything.
    pub fn sampled(setup: &Setup, ranges: Ranges) -> Result<Model> {
        Model::sampled_after(WHOLE_ROWS, setup, ranges)
    }

    fn sampled_after(rows: u64, setup: &Setup, ranges: Ranges) -> Result<Model> {
        if !(setup.rate.is_finite() && setup.rate >= 1.0) {
            return Err(super::error::Error::setting("the rate", setup.rate, "at least one insert a second"));
        }
        let shape = setup.shape;
        let redo = shape.record_bytes().saturating_add(REDO_BESIDE_ROW);
        let pool = |server: &Server| Pool::new(server, shape.page_size(), setup.rate, redo);
        let later = match ranges.parts() {
            1 => None,
            parts => Some((rows, ranges, pool(&setup.server.share(parts))?)),
        };
        let mut pool = pool(&setup.server)?;
        pool.create(0);
        Ok(Model {
            shape,
            rows: 0,
            ranges: Ranges::all(),
            later,
            tree: AnyTree::Short(Tree::new(shape)),
            pool,
            leaves: Distinct::default(),
            since: Since::default(),
        })
    }

    /// Goes on with a sample of the keys. A window begins here.
    fn follow_less(&mut self, ranges: Ranges, mut pool: Pool) {
        let pages = match &mut self.tree {
            AnyTree::Short(tree) => tree.retain_in(&ranges),
            AnyTree::Long(tree) => tree.retain_in(&ranges),
        };
        pool.adopt(0..pages);
        (self.pool, self.ranges, self.leaves) = (pool, ranges, Distinct::default());
        self.since = self.mark();
    }

    /// Inserts a row with this key: its bytes as an index compares them. Rows of one table have keys of
    /// one type, so the first key decides between short and long ones.
    ///
    /// # Errors
    /// When the key is longer than [`super::MAX_KEY_BYTES`], or longer than 16 bytes though the first
    /// was not.
    pub fn insert(&mut self, key: &[u8]) -> Result<()> {
        if let Some((_, ranges, pool)) = self.later.take_if(|(rows, ..)| self.rows >= *rows) {
            self.follow_less(ranges, pool);
        }
        self.rows += 1;
        self.pool.tick();
        if !self.ranges.take(key) {
            return Ok(());
        }
        if let AnyTree::Short(tree) = &self.tree
            && tree.rows == 0
            && key.len() > 16
        {
            self.tree = AnyTree::Long(Tree::new(self.shape));
        }
        let leaf = match &mut self.tree {
            AnyTree::Short(tree) => tree.insert(u128::read(key)?, &mut self.pool)?,
            AnyTree::Long(tree) => tree.insert(Wide::read(key)?, &mut self.pool)?,
        };
        self.leaves.see(leaf, (self.rows - 1) / UNIT);
        Ok(())
    }

    /// Rows inserted.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    fn splits(&self) -> u64 {
        match &self.tree {
            AnyTree::Short(tree) => tree.splits,
            AnyTree::Long(tree) => tree.splits,
        }
    }

    /// The leaf that holds `key`, or would hold it: a number that is the same for keys on one page.
    ///
    /// # Errors
    /// As [`Model::insert`].
    pub fn leaf_of(&self, key: &[u8]) -> Result<u32> {
        Ok(match &self.tree {
            AnyTree::Short(tree) => tree.leaf_of(u128::read(key)?),
            AnyTree::Long(tree) => tree.leaf_of(Wide::read(key)?),
        })
    }

    fn mark(&self) -> Since {
        Since {
            rows: self.rows,
            splits: self.splits(),
            counters: self.pool.counters,
            distinct: self.leaves.distinct,
            thousands: self.rows.div_ceil(UNIT),
        }
    }

    /// What happened since the last call, or since the beginning.
    pub fn window(&mut self) -> Window {
        let now = self.mark();
        let before = std::mem::replace(&mut self.since, now);
        let now = &self.since;
        let inserts = now.rows - before.rows;
        let unit = (UNIT * u64::from(self.ranges.parts())) as f64;
        let per_1k = |count: u64| if inserts == 0 { 0.0 } else { count as f64 * unit / inserts as f64 };
        let thousands = (now.thousands - before.thousands).max(1) as f64;
        Window {
            rows: now.rows,
            inserts,
            reads_per_1k: per_1k(now.counters.read - before.counters.read),
            writes_per_1k: per_1k(now.counters.written - before.counters.written),
            created_per_1k: per_1k(now.counters.created - before.counters.created),
            splits_per_1k: per_1k(now.splits - before.splits),
            distinct_leaves_per_1k: (now.distinct - before.distinct) as f64 * f64::from(self.ranges.parts())
                / thousands,
        }
    }

    /// The tree as it stands. Looks at every leaf.
    pub fn tree(&self) -> TreeState {
        match &self.tree {
            AnyTree::Short(tree) => self.state(tree),
            AnyTree::Long(tree) => self.state(tree),
        }
    }

    fn state<K: Key>(&self, tree: &Tree<K>) -> TreeState {
        let fills: Vec<f64> = tree.leaves().map(|leaf| self.shape.fill(leaf.len())).collect();
        let leaf_pages = fills.len() as u64;
        let pages = tree.pages() as u64;
        let parts = u64::from(self.ranges.parts());
        let bytes = (pages * parts * u64::from(self.shape.page_size())) as f64;
        TreeState {
            rows: self.rows,
            leaf_pages: leaf_pages * parts,
            inner_pages: (pages - leaf_pages) * parts,
            page_bytes_per_row: if self.rows == 0 { 0.0 } else { bytes / self.rows as f64 },
            fill: Distribution::of(fills),
        }
    }
}

impl Distinct {
    fn see(&mut self, leaf: u32, thousand: u64) {
        if self.seen.len() <= leaf as usize {
            self.seen.resize(leaf as usize + 1, 0);
        }
        let stamp = (thousand + 1) as u32;
        if std::mem::replace(&mut self.seen[leaf as usize], stamp) != stamp {
            self.distinct += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SplitMix64: even, quick and the same everywhere.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }
    }

    fn setup() -> Setup {
        let shape = Shape::clustered(16_384, 16, 0).unwrap();
        let server = Server { free_pages: 64, other_pages: 0, ..Server::mysql(8 << 20) };
        Setup { shape, server, rate: 5_000.0 }
    }

    /// Keys whose first two bytes are random, and stay so for `bucket` keys.
    fn bucketed(row: u64, bucket: u64, ascending: bool, random: &mut Random) -> [u8; 16] {
        let prefix = Random(row / bucket * 977).next() >> 48;
        let tail = if ascending { row } else { random.next() >> 16 };
        let mut key = [0; 16];
        key[..8].copy_from_slice(&(prefix << 48 | tail >> 16).to_be_bytes());
        key[8..].copy_from_slice(&(tail << 48).to_be_bytes());
        key
    }

    /// A quarter of the keys on a quarter of the pool foretells the figures of the whole.
    #[test]
    fn a_sample_foretells_the_whole() {
        for (bucket, ascending) in [(1, false), (20_000, false), (600, false), (20_000, true)] {
            let mut thin = Random(7);
            let learned = (0..400_000).map(|row| bucketed(row, bucket, ascending, &mut thin)).step_by(20);
            let ranges = Ranges::learn(learned, 4);
            let setup = Setup { server: Server { pool_bytes: 16 << 20, ..setup().server }, ..setup() };
            let mut whole = Model::new(&setup).unwrap();
            let mut sample = Model::sampled_after(100_000, &setup, ranges).unwrap();
            let mut random = Random(7);
            for row in 0..400_000 {
                if row == 200_000 {
                    whole.window();
                    sample.window();
                }
                let key = bucketed(row, bucket, ascending, &mut random);
                whole.insert(&key).unwrap();
                sample.insert(&key).unwrap();
            }
            let what = format!("buckets of {bucket}, ascending {ascending}");
            let (a, b) = (whole.tree(), sample.tree());
            assert!((a.fill.mean - b.fill.mean).abs() < 0.015, "{what}: {} {}", a.fill.mean, b.fill.mean);
            let (a, b) = (whole.window(), sample.window());
            let near = |a: f64, b: f64| (a - b).abs() <= 0.10 * a.max(b) + 1.0;
            assert!(near(a.reads_per_1k, b.reads_per_1k), "{what}: {a:?} {b:?}");
            assert!(near(a.writes_per_1k, b.writes_per_1k), "{what}: {a:?} {b:?}");
            assert!(near(a.distinct_leaves_per_1k, b.distinct_leaves_per_1k), "{what}: {a:?} {b:?}");
        }
    }

    #[test]
    fn a_table_that_fits_the_pool_is_never_read() {
        let mut model = Model::new(&setup()).unwrap();
        let mut random = Random(1);
        for row in 0..50_000 {
            model.insert(&bucketed(row, 1, false, &mut random)).unwrap();
        }
        let window = model.window();
        assert_eq!((window.reads_per_1k, window.inserts, window.rows), (0.0, 50_000, 50_000));
        let tree = model.tree();
        assert!(window.created_per_1k * 50.0 >= (tree.leaf_pages + tree.inner_pages) as f64 - 1.0);
        assert_eq!(model.window().inserts, 0, "a window begins where the last one ended");
    }

    #[test]
    fn long_keys_grow_the_same_tree_as_their_binary_form() {
        let shape = Shape::clustered(16_384, 16, 20).unwrap();
        let mut binary = Model::new(&Setup { shape, ..setup() }).unwrap();
        let mut text = Model::new(&Setup { shape, ..setup() }).unwrap();
        let mut random = Random(3);
        for row in 0..60_000 {
            let key = bucketed(row, 1, false, &mut random);
            binary.insert(&key).unwrap();
            let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
            text.insert(hex.as_bytes()).unwrap();
        }
        assert_eq!(binary.tree(), text.tree());
        assert_eq!(binary.leaf_of(&[0; 16]).unwrap(), text.leaf_of(&[b'0'; 32]).unwrap());
        assert!(text.insert(&[b'0'; 41]).unwrap_err().is_key());
    }

    #[test]
    fn settings_that_no_server_has_are_refused() {
        for rate in [0.0, f64::NAN, f64::INFINITY] {
            assert!(Model::new(&Setup { rate, ..setup() }).unwrap_err().is_config());
        }
        let tiny = Setup { server: Server::mysql(1 << 20), ..setup() };
        assert!(Model::new(&tiny).unwrap_err().to_string().contains("buffer pool"));
    }
}
