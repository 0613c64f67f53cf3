//! The tree: a memtable, level 0 and the levels below.

use crate::compact::{self, Done};
use crate::cut::Sizes;
use crate::error::{Error, Result};
use crate::figures::Figures;
use crate::file::{File, Key, RowBytes, bytes_of, leading};
use crate::level::Level;
use crate::settings::{Release, Settings};
use crate::targets::{LEVELS, Targets};

/// Bytes of a row in a memtable beyond its key and its other bytes: the node of the skip list, the number of the write and the
/// lengths. Measured with RocksDB 10 and MyRocks 10.11.
const MEMTABLE_OVERHEAD: f64 = 24.0;
/// A memtable grows by blocks of an eighth of its size, and of at most this many bytes (`arena_block_size`).
const MOST_BLOCK_BYTES: u64 = 1 << 20;
/// The share of the last block that stays empty, on average.
const EMPTY_SHARE: f64 = 0.35;
/// The same in a file, with the row's part of the index and of a filter of 10 bits a key.
const FILE_OVERHEAD: u32 = 11;
/// A memtable of fewer rows says nothing of real ones.
const LEAST_MEMTABLE_ROWS: u64 = 100;

/// An LSM tree under inserts.
#[derive(Clone, Debug)]
pub struct Tree {
    settings: Settings,
    memtable_rows: u64,
    sizes: Sizes,
    memtable: Vec<Key>,
    /// The files of level 0, the oldest first.
    level0: Vec<File>,
    /// The levels below, from level 1.
    levels: [Level; LEVELS - 1],
    rows: u64,
    flushed: f64,
    compacted: f64,
    moved: u64,
    filters: u64,
}

impl Tree {
    /// An empty tree for rows with keys of `key_bytes` and `other_bytes` besides.
    ///
    /// # Errors
    /// A size is too small or too large for an LSM tree, or a memtable has room for fewer than 100 such rows.
    pub fn new(settings: &Settings, key_bytes: u32, other_bytes: u32) -> Result<Tree> {
        settings.check()?;
        let payload = u64::from(key_bytes) + u64::from(other_bytes);
        let empty = (settings.memtable_bytes / 8).min(MOST_BLOCK_BYTES) as f64 * EMPTY_SHARE;
        let memtable_rows =
            ((settings.memtable_bytes as f64 - empty) / (payload as f64 + MEMTABLE_OVERHEAD)) as u64;
        if memtable_rows < LEAST_MEMTABLE_ROWS {
            let wanted = format!("room for at least {LEAST_MEMTABLE_ROWS} rows");
            return Err(Error::setting("the number of rows in a memtable", memtable_rows, wanted));
        }
        let whole = (payload + u64::from(FILE_OVERHEAD)) as f64;
        let row = RowBytes { whole, compressed: settings.compressed_share };
        let wanted = settings.file_bytes as f64;
        let most = if settings.release == Release::Aligned { 2.0 * wanted } else { wanted };
        Ok(Tree {
            settings: settings.clone(),
            memtable_rows,
            sizes: Sizes { wanted, most, row, release: settings.release },
            memtable: Vec::new(),
            level0: Vec::new(),
            levels: Default::default(),
            rows: 0,
            flushed: 0.0,
            compacted: 0.0,
            moved: 0,
            filters: 0,
        })
    }

    /// Inserts a row with this key: its bytes as the tree compares them, of which the first 16 count. The check for an equal
    /// key asks the filter of every file whose range contains it.
    pub fn insert(&mut self, key: &[u8]) {
        let key = leading(key);
        self.rows += 1;
        self.filters += self.asked(key);
        self.memtable.push(key);
        if self.memtable.len() as u64 >= self.memtable_rows {
            self.flush();
        }
    }

    /// The files whose filters are asked for a key.
    fn asked(&self, key: Key) -> u64 {
        // RocksDB compares no ranges while there are only so few files.
        if self.level0.len() <= 3 && self.levels.iter().all(|level| level.files().is_empty()) {
            return self.level0.len() as u64;
        }
        let level0 = self.level0.iter().filter(|file| file.covers(key)).count();
        (level0 + self.levels.iter().filter(|level| level.covers(key)).count()) as u64
    }

    fn flush(&mut self) {
        let mut keys = std::mem::take(&mut self.memtable);
        keys.sort_unstable();
        if let Some(file) = File::of(keys, self.sizes.row) {
            self.flushed += file.bytes();
            self.level0.push(file);
        }
        while self.compact() {}
    }

    /// Makes one compaction, of the level that is furthest above its limit; false if none is.
    fn compact(&mut self) -> bool {
        let targets = self.targets();
        let score = |level: usize| self.bytes(level) / targets.bytes[level];
        let level0 = self.level0.len() as f64 / self.settings.level0_files as f64;
        let scores = std::iter::once((0, level0)).chain((1..LEVELS - 1).map(|level| (level, score(level))));
        let due = scores.filter(|(_, score)| *score >= 1.0).max_by(|one, other| one.1.total_cmp(&other.1));
        let Some((level, _)) = due else { return false };
        let done = if level == 0 { self.compact_level0(targets.base) } else { self.compact_level(level) };
        self.compacted += done.written;
        self.moved += done.moved;
        true
    }

    fn compact_level0(&mut self, base: usize) -> Done {
        let sizes = self.sizes_of(base);
        let (into, below) = self.levels[base - 1..].split_at_mut(1);
        let below = below.first().map_or(&[][..], |level| level.files());
        compact::level0(&mut self.level0, &mut into[0], below, sizes)
    }

    fn compact_level(&mut self, level: usize) -> Done {
        let sizes = self.sizes_of(level + 1);
        let (from, rest) = self.levels[level - 1..].split_at_mut(1);
        let (into, below) = rest.split_at_mut(1);
        let below = below.first().map_or(&[][..], |level| level.files());
        compact::next(&mut from[0], &mut into[0], below, sizes)
    }

    /// The sizes of files in a level: only files with others below them may be larger than wanted.
    fn sizes_of(&self, level: usize) -> Sizes {
        let is_last = self.levels[level..].iter().all(|below| below.files().is_empty());
        if is_last { Sizes { most: self.sizes.wanted, ..self.sizes } } else { self.sizes }
    }

    fn targets(&self) -> Targets {
        let mut held = [0.0; LEVELS];
        (1..LEVELS).for_each(|level| held[level] = self.bytes(level));
        Targets::of(&self.settings, &held)
    }

    /// Bytes of a level below level 0.
    fn bytes(&self, level: usize) -> f64 {
        self.levels[level - 1].bytes()
    }

    /// The figures so far.
    pub fn figures(&self) -> Figures {
        let used = self.levels.iter().filter(|level| !level.files().is_empty());
        let written = self.flushed + self.compacted;
        Figures {
            rows: self.rows,
            flushed_bytes: self.flushed,
            compacted_bytes: self.compacted,
            write_amplification: if self.flushed > 0.0 { written / self.flushed } else { 1.0 },
            moved_files: self.moved,
            filters: self.filters,
            sorted_runs: (self.level0.len() + used.clone().count()) as u64,
            file_bytes: bytes_of(&self.level0) + used.map(Level::bytes).sum::<f64>(),
        }
    }
}

#[cfg(test)]
mod tests;
