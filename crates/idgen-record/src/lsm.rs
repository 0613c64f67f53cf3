//! The settings of an LSM tree that a run asks for.

use serde::{Deserialize, Serialize};

/// The settings that were given; the cache of the load decides the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LsmOptions {
    /// Bytes of a memtable (`write_buffer_size`); files have the same size. A quarter of the cache if it is not given, as with
    /// RocksDB's defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memtable_bytes: Option<u64>,
    /// Bytes of the first level below level 0 (`max_bytes_for_level_base`). The size of the cache if it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level_base_bytes: Option<u64>,
    /// Files are compressed with LZ4. The second half of each payload is then zeros, because random bytes do not become
    /// smaller.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lz4: bool,
    /// Levels fill from the first one down (`level_compaction_dynamic_level_bytes=false`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed_levels: bool,
}

impl LsmOptions {
    /// The bytes of a memtable and of the first level, beside a cache of this size.
    ///
    /// ```
    /// use idgen_record::LsmOptions;
    ///
    /// assert_eq!(LsmOptions::default().sizes(8 << 20), (2 << 20, 8 << 20));
    /// let given = LsmOptions { memtable_bytes: Some(1 << 20), ..LsmOptions::default() };
    /// assert_eq!(given.sizes(8 << 20), (1 << 20, 8 << 20));
    /// ```
    pub fn sizes(&self, cache_bytes: u64) -> (u64, u64) {
        (self.memtable_bytes.unwrap_or(cache_bytes / 4), self.level_base_bytes.unwrap_or(cache_bytes))
    }
}
