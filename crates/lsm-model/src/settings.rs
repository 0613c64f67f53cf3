//! The settings of an LSM tree, with the defaults of those who make them.

use serde::Serialize;

use crate::error::{Error, Result};

/// The settings of a column family that decide what compactions do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Settings {
    /// Bytes of a memtable (`write_buffer_size`).
    pub memtable_bytes: u64,
    /// Bytes that the first level below level 0 may hold (`max_bytes_for_level_base`).
    pub level_base_bytes: u64,
    /// Bytes of a file of these levels (`target_file_size_base`), before compression.
    pub file_bytes: u64,
    /// By how much a level may be larger than the one above it (`max_bytes_for_level_multiplier`).
    pub multiplier: u64,
    /// Files of level 0 that start a compaction (`level0_file_num_compaction_trigger`).
    pub level0_files: usize,
    /// Levels fill from the last one up, so that each holds a tenth of the one below it
    /// (`level_compaction_dynamic_level_bytes`); otherwise from the first one down.
    pub from_last_level: bool,
    /// What compactions do besides.
    pub release: Release,
    /// The share of its size that a compressed file has; 1 without compression.
    pub compressed_share: f64,
}

/// The releases of RocksDB whose compactions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Release {
    /// Up to 7.7, and in MyRocks: files end at their size, and one file is moved at a time.
    Plain,
    /// Later ones: files end at the borders of the files below, and several files are moved at once.
    Aligned,
}

impl Settings {
    /// The defaults of RocksDB since version 8.4, without compression.
    pub fn rocksdb() -> Settings {
        Settings {
            memtable_bytes: 64 << 20,
            level_base_bytes: 256 << 20,
            file_bytes: 64 << 20,
            multiplier: 10,
            level0_files: 4,
            from_last_level: true,
            release: Release::Aligned,
            compressed_share: 1.0,
        }
    }

    /// The defaults of MyRocks in MariaDB 10.11 to 12, which contain RocksDB 6.29, without compression.
    pub fn myrocks() -> Settings {
        Settings { from_last_level: false, release: Release::Plain, ..Settings::rocksdb() }
    }

    /// The same settings with these bytes in a memtable and in the first level. Files have the size of the memtable.
    pub fn sized(self, memtable_bytes: u64, level_base_bytes: u64) -> Settings {
        Settings { memtable_bytes, file_bytes: memtable_bytes, level_base_bytes, ..self }
    }

    /// The same tree with rows that are this many times fewer: each file holds fewer rows, and there are as many files.
    ///
    /// ```
    /// use lsm_model::Settings;
    ///
    /// let smaller = Settings::rocksdb().scaled(4);
    /// assert_eq!((smaller.memtable_bytes, smaller.level_base_bytes), (16 << 20, 64 << 20));
    /// ```
    pub fn scaled(&self, times: u64) -> Settings {
        Settings {
            memtable_bytes: self.memtable_bytes / times,
            level_base_bytes: self.level_base_bytes / times,
            file_bytes: self.file_bytes / times,
            ..self.clone()
        }
    }

    /// Checks that a tree can have these settings.
    ///
    /// # Errors
    /// A size is too small or too large, or the share of compression is not from 0.01 to 1.
    pub(crate) fn check(&self) -> Result<()> {
        let sizes = [
            ("the size of the memtable", self.memtable_bytes),
            ("the size of the first level", self.level_base_bytes),
            ("the size of a file", self.file_bytes),
        ];
        for (name, bytes) in sizes {
            if !(LEAST_BYTES..=MOST_BYTES).contains(&bytes) {
                return Err(Error::setting(name, bytes, format!("{LEAST_BYTES} to {MOST_BYTES} bytes")));
            }
        }
        if !(2..=1_000).contains(&self.multiplier) {
            return Err(Error::setting("the multiplier of the levels", self.multiplier, "2 to 1,000"));
        }
        if !(1..=1_000).contains(&self.level0_files) {
            let files = self.level0_files as u64;
            return Err(Error::setting("the number of files of level 0", files, "1 to 1,000"));
        }
        if !(0.01..=1.0).contains(&self.compressed_share) {
            let percent = (self.compressed_share * 100.0) as u64;
            return Err(Error::setting("the size of a compressed file in %", percent, "1 to 100"));
        }
        Ok(())
    }
}

/// A memtable of fewer bytes has too few rows for a prediction.
const LEAST_BYTES: u64 = 64 << 10;
const MOST_BYTES: u64 = 1 << 40;
