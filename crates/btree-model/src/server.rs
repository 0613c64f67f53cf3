//! The settings that decide how many pages a server reads and writes.

use serde::Serialize;

use crate::error::{Error, Result};

/// Pages of a pool that are not for the table.
pub(crate) struct Reserves {
    /// Those that hold other things.
    pub(crate) others: u32,
    /// Those that the page cleaner frees.
    pub(crate) free: u32,
    /// The page cleaner begins at once if fewer than these are free.
    pub(crate) free_low: u32,
}

/// A server's settings, as far as the model needs them. Start from those of a named server and change what differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Server {
    /// `innodb_buffer_pool_size`, in bytes.
    pub pool_bytes: u64,
    /// `innodb_lru_scan_depth`: pages that the page cleaner frees, for all pool instances together.
    pub free_pages: u32,
    /// The page cleaner begins at once, instead of at the next second, if fewer pages than this are free:
    /// half of the depth on MariaDB (`buf_pool_t::need_LRU_eviction`), 0 on MySQL. It also begins when an
    /// insert finds no page that it can evict without writing it.
    pub free_low_pages: u32,
    /// The page cleaner frees no pages when the pool has no more than this many in use (`BUF_LRU_MIN_LEN`).
    pub least_pages: u32,
    /// Pages that hold other things than the table, above all rollback segments and undo logs. In a pool of less than
    /// 32 MiB, they are at most as many as leave the same share of it to the table.
    pub other_pages: u32,
    /// The rollback segments, which transactions use in turn (`innodb_rollback_segments`, on MySQL of each undo tablespace).
    /// Each has its part of the other pages.
    pub rollback_segments: u32,
    /// `innodb_old_blocks_pct`: the part of the pool for pages that were used once.
    pub old_pct: u32,
    /// `innodb_old_blocks_time`, in milliseconds: a page that is used again after this time moves to the young part.
    pub old_ms: u32,
    /// `innodb_io_capacity`, in pages a second.
    pub io_capacity: u32,
    /// `innodb_io_capacity_max`, in pages a second.
    pub io_capacity_max: u32,
    /// `innodb_max_dirty_pages_pct_lwm`: below it, pages are not written early; 0 turns it off.
    pub dirty_low_pct: f64,
    /// `innodb_max_dirty_pages_pct`.
    pub dirty_max_pct: f64,
    /// `innodb_redo_log_capacity` (MySQL) or `innodb_log_file_size` (MariaDB), in bytes.
    pub redo_bytes: u64,
    /// Bytes that an insert logs beside its row: undo and page headers.
    pub redo_beside_row: u32,
    /// Bytes that a transaction logs beside those of its rows.
    pub redo_per_commit: u64,
    /// `innodb_adaptive_flushing_lwm`: while less than this part of the redo log is in use, no pages are written because of
    /// their age.
    pub redo_low_pct: f64,
    /// Reads and writes a second that the device allows, where the device limits the server. Pages are written early only
    /// with what other reads and writes leave.
    pub device_iops: Option<u32>,
}

impl Server {
    /// MySQL 8.4 to 9.7 with its default settings and this buffer pool.
    ///
    /// ```
    /// let server = btree_model::Server::mysql(128 << 20);
    /// assert_eq!((server.io_capacity, server.redo_bytes), (10_000, 100 << 20));
    /// ```
    pub fn mysql(pool_bytes: u64) -> Server {
        Server {
            pool_bytes,
            // There is one pool instance for each gibibyte, and more where there are processors for them.
            // Every server has at least one.
            free_pages: 1_024,
            free_low_pages: 0,
            least_pages: 256,
            // Counted in the pool of MySQL 9.7 after two million inserts, a row each: 624 pages of undo logs, 384 of
            // rollback segments and the like, which are in use all the time, and a few of the dictionary.
            other_pages: 1_040,
            rollback_segments: 256,
            old_pct: 37,
            old_ms: 1_000,
            io_capacity: 10_000,
            io_capacity_max: 20_000,
            dirty_low_pct: 10.0,
            dirty_max_pct: 90.0,
            redo_bytes: 100 << 20,
            // Version 7 keys as `BINARY(16)`, rows of 34 bytes: MySQL 9.7 logged 611 bytes a row with a row in each
            // transaction, and 77 with 100 rows. MariaDB 10.11 logged 196 and 72.
            redo_beside_row: 37,
            redo_per_commit: 540,
            redo_low_pct: 10.0,
            device_iops: None,
        }
    }

    /// MariaDB 10.11 with its default settings and this buffer pool, but `innodb_flush_neighbors` off: with it
    /// random keys write twice the pages. Its pool is one piece; its page cleaner begins when half of
    /// `innodb_lru_scan_depth` (1,536) is free and ends when all of it is. Pages for other things and bytes logged were
    /// counted as for MySQL: 128 pages of undo logs, 258 of rollback segments and the like.
    pub fn mariadb(pool_bytes: u64) -> Server {
        Server {
            free_pages: 1_536,
            free_low_pages: 768,
            other_pages: 416,
            rollback_segments: 128,
            redo_per_commit: 126,
            io_capacity: 200,
            io_capacity_max: 2_000,
            dirty_low_pct: 0.0,
            redo_bytes: 96 << 20,
            ..Server::mysql(pool_bytes)
        }
    }

    /// The numbers of pages of this server in a pool of this many pages. In a small pool, they are at most the shares that
    /// they have in the smallest one that was compared with recordings: a server with less memory does not keep all of its
    /// undo logs there, because they are purged and used again before they are evicted, and frees no more than it has.
    pub(crate) fn reserves(&self, frames: u32) -> Reserves {
        /// The pages of a pool of 32 MiB, of which MySQL uses this many for other things.
        const COMPARED: u64 = 2_048;
        const OTHERS: u64 = 1_040;
        /// MariaDB's depth of 1,536 pages, and half of it.
        const FREE: u64 = 1_536;
        let at_most = |pages: u32, of: u64| u64::from(pages).min(u64::from(frames) * of / COMPARED) as u32;
        Reserves {
            others: at_most(self.other_pages, OTHERS),
            free: at_most(self.free_pages, FREE),
            free_low: at_most(self.free_low_pages, FREE / 2),
        }
    }

    /// The part of the server that serves one of `parts` equal parts of the keys.
    pub(crate) fn share(&self, parts: u32) -> Server {
        let part = |whole: u32| (whole / parts).max(1);
        Server {
            pool_bytes: self.pool_bytes / u64::from(parts),
            other_pages: self.other_pages / parts,
            rollback_segments: part(self.rollback_segments),
            free_pages: self.free_pages / parts,
            free_low_pages: self.free_low_pages / parts,
            least_pages: self.least_pages / parts,
            io_capacity: part(self.io_capacity),
            io_capacity_max: part(self.io_capacity_max),
            redo_bytes: self.redo_bytes / u64::from(parts),
            // A part has one of so many rows of each transaction.
            redo_per_commit: self.redo_per_commit.saturating_mul(parts.into()),
            device_iops: self.device_iops.map(part),
            ..self.clone()
        }
    }

    /// The pool in pages.
    pub(crate) fn frames(&self, page_size: u32) -> Result<u32> {
        /// Room for the page cleaner's reserve of free pages and a tree of three levels.
        const LEAST: u64 = 64;
        let frames = self.pool_bytes / u64::from(page_size);
        if frames < LEAST {
            return Err(Error::pool_size(self.pool_bytes, frames, LEAST));
        }
        if self.rollback_segments == 0 {
            return Err(Error::setting("the number of rollback segments", 0, "at least one"));
        }
        if !(5..=95).contains(&self.old_pct) {
            return Err(Error::setting("the old blocks' part of the pool", self.old_pct, "5 to 95 per cent"));
        }
        if self.io_capacity == 0 || self.io_capacity_max < self.io_capacity {
            return Err(Error::setting(
                "io_capacity",
                self.io_capacity,
                "at least 1 and at most io_capacity_max",
            ));
        }
        u32::try_from(frames)
            .map_err(|_| Error::setting("the buffer pool", self.pool_bytes, "fewer than 2^32 pages"))
    }
}
