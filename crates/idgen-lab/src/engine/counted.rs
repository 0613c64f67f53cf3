//! The counters of a database, and the contents of its pages and rows.

use idgen_record::{FileMaps, Role};

use crate::Result;
use crate::own::Own;

/// Cumulative counts since the tables were made. `None` means that this database does not report the count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Pages read from the file into the cache.
    pub pages_read: u64,
    /// Page requests that had to wait for such a read. With read-ahead there are fewer of them than pages read.
    pub disk_reads: Option<u64>,
    /// Pages written from the cache to the file.
    pub pages_written: Option<u64>,
    /// Pages among those written that were written before the commit because the cache was full.
    pub pages_spilled: Option<u64>,
    /// New pages.
    pub pages_created: Option<u64>,
    /// Pages that were split to make room.
    pub page_splits: Option<u64>,
    /// Bytes written to the log.
    pub redo_bytes: Option<u64>,
    /// Pages that were written to the log as a whole (full-page images).
    pub page_images: Option<u64>,
    /// Transactions that failed because they could not be serialized.
    pub serialization_failures: Option<u64>,
    /// Page requests that the cache answered.
    pub cache_hits: Option<u64>,
    /// Pages written a second time, to the doublewrite buffer; `pages_written` does not include them.
    pub pages_doublewritten: Option<u64>,
    /// Bytes written to the binary log.
    pub binlog_bytes: Option<u64>,
    /// The counts of an LSM tree; `None` for a B-tree.
    pub lsm: Option<LsmCounters>,
    /// The pages read and written that belong to the files of these tables. The others are the server's own: undo logs,
    /// the dictionary, statistics.
    pub table_pages: Option<FilePages>,
}

/// The counts of an LSM tree, which flushes memtables to files and merges the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LsmCounters {
    /// Bytes that flushes of memtables wrote.
    pub flushed_bytes: u64,
    /// Bytes that compactions wrote.
    pub compacted_bytes: u64,
    /// Filters that were asked for a key.
    pub filters: u64,
    /// Filters among those that did not exclude a key that was not in their file.
    pub false_positives: u64,
    /// Bytes of files that moved to another level without being written.
    pub moved_bytes: u64,
    /// Microseconds for which inserts were made to wait for flushes and compactions, all clients together.
    pub stall_micros: u64,
}

impl LsmCounters {
    fn since(self, earlier: LsmCounters) -> LsmCounters {
        self.with(earlier, u64::saturating_sub)
    }

    /// The sums of both counts.
    pub fn and(self, later: LsmCounters) -> LsmCounters {
        self.with(later, |one, other| one + other)
    }

    fn with(self, other: LsmCounters, of: impl Fn(u64, u64) -> u64) -> LsmCounters {
        LsmCounters {
            flushed_bytes: of(self.flushed_bytes, other.flushed_bytes),
            compacted_bytes: of(self.compacted_bytes, other.compacted_bytes),
            filters: of(self.filters, other.filters),
            false_positives: of(self.false_positives, other.false_positives),
            moved_bytes: of(self.moved_bytes, other.moved_bytes),
            stall_micros: of(self.stall_micros, other.stall_micros),
        }
    }
}

/// Pages that were read from files, and pages that were written to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilePages {
    /// Pages read.
    pub read: u64,
    /// Pages written.
    pub written: u64,
}

impl Counters {
    /// The difference to earlier counts.
    pub fn since(&self, earlier: &Counters) -> Counters {
        let both = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        Counters {
            pages_read: self.pages_read.saturating_sub(earlier.pages_read),
            disk_reads: both(self.disk_reads, earlier.disk_reads),
            pages_written: both(self.pages_written, earlier.pages_written),
            pages_spilled: both(self.pages_spilled, earlier.pages_spilled),
            pages_created: both(self.pages_created, earlier.pages_created),
            page_splits: both(self.page_splits, earlier.page_splits),
            redo_bytes: both(self.redo_bytes, earlier.redo_bytes),
            page_images: both(self.page_images, earlier.page_images),
            serialization_failures: both(self.serialization_failures, earlier.serialization_failures),
            cache_hits: both(self.cache_hits, earlier.cache_hits),
            pages_doublewritten: both(self.pages_doublewritten, earlier.pages_doublewritten),
            binlog_bytes: both(self.binlog_bytes, earlier.binlog_bytes),
            lsm: self.lsm.zip(earlier.lsm).map(|(now, then)| now.since(then)),
            table_pages: self.table_pages.zip(earlier.table_pages).map(|(now, then)| FilePages {
                read: now.read.saturating_sub(then.read),
                written: now.written.saturating_sub(then.written),
            }),
        }
    }

    /// The share of page requests that the cache answered, from 0 to 1.
    pub fn hit_rate(&self) -> Option<f64> {
        let hits = self.cache_hits?;
        let requests = hits + self.disk_reads.unwrap_or(self.pages_read);
        Some(hits as f64 / requests.max(1) as f64)
    }
}

/// A B-tree as it lies on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// The purpose of the tree.
    pub role: Role,
    /// The size of a page in bytes.
    pub page_bytes: u32,
    /// The leaf pages, in the order of the keys.
    pub leaves: Vec<Leaf>,
    /// Pages above the leaves.
    pub inner_pages: u64,
    /// Rows that lie in the inner page between two neighboring leaves: 0 in a B+tree, 1 in a B-tree.
    pub rows_between_leaves: u64,
    /// Maps of the pages in the file of the table; `None` if the engine does not read the file.
    pub file: Option<FileMaps>,
}

impl Tree {
    /// The page fill of each leaf page, from 0 to 1.
    pub fn fills(&self) -> impl Iterator<Item = f64> {
        self.leaves.iter().map(|leaf| f64::from(leaf.used_bytes) / f64::from(self.page_bytes))
    }

    /// Rows in the tree.
    pub fn rows(&self) -> u64 {
        let gaps = self.leaves.len().saturating_sub(1) as u64;
        self.leaves.iter().map(|leaf| leaf.rows).sum::<u64>() + gaps * self.rows_between_leaves
    }
}

/// The figures of pages that cannot be read themselves, as far as the database shows them.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The existing trees, the tree with the rows first.
    pub roles: Vec<Role>,
    /// The page fill of the pages that the database shows, from 0 to 1; empty if it shows none.
    pub fills: Vec<f64>,
    /// The mean fill of all leaf pages, if the database reports nothing else.
    pub mean_fill: Option<f64>,
    /// Bytes of the pages of all trees, without heaps; `None` if the database reports only the bytes that it has
    /// allocated.
    pub bytes: Option<u64>,
    /// The part of those bytes that belongs to the map.
    pub map_bytes: Option<u64>,
}

/// A leaf page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Rows on it.
    pub rows: u64,
    /// Bytes in use, out of [`Tree::page_bytes`].
    pub used_bytes: u32,
}

/// The contents of the rows beyond their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Rows in the table.
    pub rows: u64,
    /// Bytes of all payloads.
    pub payload_bytes: u64,
    /// Rows that the second table should refer to, but does not. 0 if there is no second table.
    pub unmapped: u64,
}

impl Contents {
    /// The contents of tables of the user's own, given how many rows the table of each statement held before and holds
    /// now.
    ///
    /// # Errors
    /// The tables did not gain the same rows.
    pub(in crate::engine) fn of_own(own: &Own, before: &[u64], now: &[u64]) -> Result<Contents> {
        let rows = own.rows_of(before, now)?;
        // The database would have refused a value of another length.
        Ok(Contents { rows, payload_bytes: rows * u64::from(own.payload_bytes()), unmapped: 0 })
    }
}
