//! What an LSM tree has done.

use serde::Serialize;

/// The figures of all inserts so far, and of the tree as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Rows that were inserted.
    pub rows: u64,
    /// Bytes that flushes of memtables wrote, compressed.
    pub flushed_bytes: f64,
    /// Bytes that compactions wrote, compressed.
    pub compacted_bytes: f64,
    /// Bytes that were written to files for each byte that was flushed: RocksDB's W-Amp. 1 means that no compaction wrote a
    /// row again.
    pub write_amplification: f64,
    /// Files that moved to another level without being written.
    pub moved_files: u64,
    /// Filters that the checks for equal keys asked: for each row the files whose range contains the new key.
    pub filters: u64,
    /// Sorted runs at the end: files of level 0, and levels with files below it. A read of a range of keys merges as many.
    pub sorted_runs: u64,
    /// Bytes of all files at the end.
    pub file_bytes: f64,
}
