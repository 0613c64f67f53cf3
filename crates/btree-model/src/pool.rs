//! The buffer pool: which pages are in memory, and which of them must be written (`buf0lru.cc`,
//! `buf0flu.cc`).
//!
//! The list of pages has a young part and an old part. A page that is read is put at the head of the old part; if it
//! is used again after a second, it moves to the head of the list. Pages are evicted from the end. A page cleaner keeps
//! some pages free and writes others before they are evicted. Free pages hold nothing, so under a slow load a pool of
//! 8,192 pages holds as much as one of 7,200 without a page cleaner, and a pool of 2,048 pages as much as one of 1,000
//! or less.
//!
//! Pages for other things than the table compete with those of the table: a pool that is large enough keeps them, a
//! small one evicts them and reads them again.

use crate::error::Result;
use crate::flush::Flusher;
use crate::list::{Links, List, NONE};
use crate::others::Others;
use crate::server::Server;
use crate::tree::Trace;

/// The number of pages by which the old part may differ from its share (`BUF_LRU_OLD_TOLERANCE`).
const OLD_TOLERANCE: usize = 20;
/// The list has no old part if it has fewer pages than this (`BUF_LRU_OLD_MIN_LEN`).
const OLD_MIN_LEN: usize = 512;
/// Pages at the end among which an insert without a free page looks for one that need not be written
/// (`BUF_LRU_SEARCH_SCAN_THRESHOLD`).
const SEARCHED: usize = 100;

/// The number of the first page for other things than the table.
const FIRST_OTHER: u32 = 1 << 31;

/// A frame: the place of one page.
#[derive(Clone, Copy, Debug)]
struct Frame {
    page: u32,
    old: bool,
    dirty: bool,
    /// The insert that read or created the page.
    since: u64,
    /// The number of pages that the pool had evicted when this one last moved to the head.
    freed_then: u64,
    /// The bytes that had been logged when it was first changed since it was written.
    dirty_since: u64,
}

/// Pages that a pool has read, written and created so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) read: u64,
    pub(crate) written: u64,
    pub(crate) created: u64,
}

/// A buffer pool under one table's load.
#[derive(Debug)]
pub(crate) struct Pool {
    frames: Vec<Frame>,
    free: Vec<u32>,
    frame_of: Vec<u32>,
    frame_of_other: Vec<u32>,
    others: Others,
    lru: Links,
    young: List,
    old: List,
    flush_links: Links,
    /// Dirty pages. The head is the page that became dirty last.
    dirty: List,
    freed: u64,
    /// Inserts so far.
    now: u64,
    /// Bytes of redo log so far.
    logged: u64,
    row_log_bytes: u64,
    record_bytes: u64,
    next_second: f64,
    inserts_per_sec: f64,
    old_inserts: u64,
    old_pct: usize,
    keep_free: usize,
    free_low: usize,
    least: usize,
    flusher: Flusher,
    device_iops: Option<u64>,
    /// All reads and writes, also those of the pages for other things.
    transfers: u64,
    /// The value of `transfers` when the page cleaner last woke.
    transfers_then: u64,
    pub(crate) counters: Counters,
}

impl Pool {
    /// A pool without pages of the table. `rate` is inserts a second, `record_bytes` the bytes of a row as stored,
    /// `commit_rows` the inserts of a transaction.
    pub(crate) fn new(
        server: &Server,
        page_size: u32,
        rate: f64,
        record_bytes: u32,
        commit_rows: u64,
    ) -> Result<Pool> {
        let frames = server.frames(page_size)?;
        let reserves = server.reserves(frames);
        let other_pages = reserves.others;
        let empty = Frame { page: NONE, old: false, dirty: false, since: 0, freed_then: 0, dirty_since: 0 };
        let mut pool = Pool {
            frames: vec![empty; frames as usize],
            free: (0..frames).rev().collect(),
            frame_of: Vec::new(),
            frame_of_other: vec![NONE; other_pages as usize],
            others: Others::new(server, other_pages, commit_rows),
            lru: Links::new(frames as usize),
            young: List::new(),
            old: List::new(),
            flush_links: Links::new(frames as usize),
            dirty: List::new(),
            freed: 0,
            now: 0,
            logged: 0,
            row_log_bytes: u64::from(record_bytes)
                + u64::from(server.redo_beside_row)
                + server.redo_per_commit / commit_rows,
            record_bytes: record_bytes.into(),
            next_second: rate,
            inserts_per_sec: rate,
            old_inserts: (rate * f64::from(server.old_ms) / 1_000.0) as u64,
            old_pct: server.old_pct as usize,
            keep_free: reserves.free as usize,
            free_low: reserves.free_low as usize,
            least: server.least_pages as usize,
            flusher: Flusher::new(server),
            device_iops: server.device_iops.map(u64::from),
            transfers: 0,
            transfers_then: 0,
            counters: Counters::default(),
        };
        // A server that starts reads or creates them first.
        for page in 0..other_pages {
            let frame = pool.take_free();
            pool.settle(frame, FIRST_OTHER + page, false);
        }
        Ok(pool)
    }

    /// Advances the time by one insert. The page cleaner wakes every second, and also when so few pages are free that the
    /// server calls it.
    pub(crate) fn tick(&mut self) {
        self.now += 1;
        for page in self.others.next_pages() {
            self.touch(FIRST_OTHER + page);
            self.change(FIRST_OTHER + page);
        }
        if self.free.len() < self.free_low {
            self.free_pages();
        }
        while self.now as f64 >= self.next_second {
            self.next_second += self.inserts_per_sec;
            self.clean();
        }
        self.make_room_in_log();
    }

    /// Writes the pages whose oldest changes the redo log has no room for. The server does not wait for the next second
    /// then, and `innodb_io_capacity_max` is no limit (`log_request_sync_flush` in `log0chkp.cc`).
    fn make_room_in_log(&mut self) {
        let oldest = self.logged.saturating_sub(self.flusher.redo_room());
        while let Some(frame) = self.dirty.tail() {
            if self.frames[frame as usize].dirty_since >= oldest {
                break;
            }
            self.write(frame);
        }
    }

    /// Logs the insert of a row.
    pub(crate) fn log_row(&mut self) {
        self.logged += self.row_log_bytes;
    }

    /// Puts clean pages of an existing table into the pool. The last ones stay longest.
    pub(crate) fn adopt(&mut self, pages: std::ops::Range<u32>) {
        for page in pages {
            let frame = self.take_free();
            self.settle(frame, page, false);
        }
    }

    fn settle(&mut self, frame: u32, page: u32, old: bool) {
        self.set_frame_of(page, frame);
        self.frames[frame as usize] =
            Frame { page, old, dirty: false, since: self.now, freed_then: self.freed, dirty_since: 0 };
        let list = if old { &mut self.old } else { &mut self.young };
        list.push_head(&mut self.lru, frame);
        self.balance();
    }

    /// `buf_page_peek_if_too_old`: moves a page to the head, unless it is near the head already.
    fn use_again(&mut self, frame: u32) {
        if self.freed == 0 {
            return;
        }
        let entry = &mut self.frames[frame as usize];
        let forward = if entry.old {
            self.now - entry.since >= self.old_inserts
        } else {
            let near = self.frames.len() * (100 - self.old_pct) / 400;
            self.freed - self.frames[frame as usize].freed_then >= near as u64
        };
        if !forward {
            return;
        }
        let entry = &mut self.frames[frame as usize];
        let list = if entry.old { &mut self.old } else { &mut self.young };
        entry.old = false;
        entry.freed_then = self.freed;
        list.remove(&mut self.lru, frame);
        self.young.push_head(&mut self.lru, frame);
        self.balance();
    }

    /// `buf_LRU_old_adjust_len`: moves the border between young and old.
    fn balance(&mut self) {
        let len = self.young.len + self.old.len;
        if len < OLD_MIN_LEN {
            return;
        }
        let wanted = len * self.old_pct / 100;
        while self.old.len + OLD_TOLERANCE < wanted {
            let Some(frame) = self.young.tail() else { break };
            self.young.remove(&mut self.lru, frame);
            self.old.push_head(&mut self.lru, frame);
            self.frames[frame as usize].old = true;
        }
        while self.old.len > wanted + OLD_TOLERANCE {
            let Some(frame) = self.old.head() else { break };
            self.old.remove(&mut self.lru, frame);
            self.young.push_tail(&mut self.lru, frame);
            self.frames[frame as usize].old = false;
        }
    }

    /// A free page. Where the page cleaner left none, the insert evicts a page itself: a clean page near the end if there is
    /// one, otherwise the last page, which it writes. Then it also wakes the page cleaner, which frees pages without waiting
    /// for the next second (`buf_LRU_get_free_block`).
    fn take_free(&mut self) -> u32 {
        loop {
            if let Some(frame) = self.free.pop() {
                return frame;
            }
            let clean = std::iter::successors(self.last(), |&frame| self.lru.before(frame))
                .take(SEARCHED)
                .find(|&frame| !self.frames[frame as usize].dirty);
            match clean {
                Some(frame) => self.let_go(frame),
                // The insert writes the last page itself, and wakes the page cleaner.
                None => {
                    self.evict();
                    self.free_pages();
                }
            }
        }
    }

    /// The page that is evicted next.
    fn last(&self) -> Option<u32> {
        self.old.tail().or_else(|| self.young.tail())
    }

    /// Evicts the last page.
    fn evict(&mut self) {
        if let Some(frame) = self.last() {
            self.let_go(frame);
        }
    }

    /// Evicts a page, and writes it first if it is dirty.
    fn let_go(&mut self, frame: u32) {
        self.write(frame);
        let entry = self.frames[frame as usize];
        let list = if entry.old { &mut self.old } else { &mut self.young };
        list.remove(&mut self.lru, frame);
        self.set_frame_of(entry.page, NONE);
        self.freed += 1;
        self.free.push(frame);
        self.balance();
    }

    fn write(&mut self, frame: u32) {
        let entry = &mut self.frames[frame as usize];
        if entry.dirty {
            entry.dirty = false;
            self.dirty.remove(&mut self.flush_links, frame);
            self.counters.written += u64::from(entry.page < FIRST_OTHER);
            self.transfers += 1;
        }
    }

    /// The frame that holds the page, or [`NONE`].
    fn frame_of(&self, page: u32) -> u32 {
        let (frames, at) = match page.checked_sub(FIRST_OTHER) {
            None => (&self.frame_of, page),
            Some(other) => (&self.frame_of_other, other),
        };
        frames.get(at as usize).copied().unwrap_or(NONE)
    }

    fn set_frame_of(&mut self, page: u32, frame: u32) {
        let (frames, at) = match page.checked_sub(FIRST_OTHER) {
            None => (&mut self.frame_of, page as usize),
            Some(other) => (&mut self.frame_of_other, other as usize),
        };
        if frames.len() <= at {
            frames.resize(at + 1, NONE);
        }
        frames[at] = frame;
    }

    /// Frees as many pages from the end of the list as the server wants, but leaves the list its minimum length.
    fn free_pages(&mut self) {
        while self.free.len() < self.keep_free && self.young.len + self.old.len > self.least {
            self.evict();
        }
    }

    /// Works as the page cleaner does each second: frees pages, then writes those that have been dirty for
    /// longest.
    fn clean(&mut self) {
        self.free_pages();
        let oldest = self.dirty.tail().map_or(self.logged, |frame| self.frames[frame as usize].dirty_since);
        let logged_per_sec = self.logged as f64 / self.now as f64 * self.inserts_per_sec;
        let horizon = oldest + self.flusher.look_ahead(logged_per_sec);
        let due = std::iter::successors(self.dirty.tail(), |&frame| self.flush_links.before(frame))
            .take_while(|&frame| self.frames[frame as usize].dirty_since < horizon)
            .take(self.flusher.most_due())
            .count();
        let dirty_pct = 100.0 * self.dirty.len as f64 / self.frames.len() as f64;
        let wanted = self.flusher.pages_to_write(dirty_pct, self.logged - oldest, due);
        for _ in 0..wanted.min(self.device_has_left()) {
            let Some(frame) = self.dirty.tail() else { break };
            self.write(frame);
        }
        self.transfers_then = self.transfers;
    }

    /// The reads and writes that the device has left in the second that ends.
    fn device_has_left(&self) -> usize {
        let Some(iops) = self.device_iops else { return usize::MAX };
        iops.saturating_sub(self.transfers - self.transfers_then) as usize
    }
}

impl Trace for Pool {
    /// Accesses a page, and reads it first if it is not in the pool.
    fn touch(&mut self, page: u32) {
        match self.frame_of(page) {
            NONE => {
                self.counters.read += u64::from(page < FIRST_OTHER);
                self.transfers += 1;
                let frame = self.take_free();
                self.settle(frame, page, self.young.len + self.old.len >= OLD_MIN_LEN);
            }
            frame => self.use_again(frame),
        }
    }

    /// Changes a page that was accessed before.
    fn change(&mut self, page: u32) {
        // In a small pool, the pages that a split has read since may have evicted it.
        if self.frame_of(page) == NONE {
            self.touch(page);
        }
        let frame = self.frame_of(page);
        let entry = &mut self.frames[frame as usize];
        if !entry.dirty {
            entry.dirty = true;
            entry.dirty_since = self.logged;
            self.dirty.push_head(&mut self.flush_links, frame);
        }
    }

    /// Creates a page, which need not be read.
    fn create(&mut self, page: u32) {
        self.counters.created += 1;
        let frame = self.take_free();
        self.settle(frame, page, false);
        self.change(page);
    }

    fn moved(&mut self, records: usize) {
        self.logged += self.record_bytes * records as u64;
    }
}
