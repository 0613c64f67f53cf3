//! Computes the number of dirty pages that the page cleaner writes in a second, in addition to the pages that
//! it evicts (`page_cleaner_flush_pages_recommendation` in `buf0flu.cc`).

use crate::server::Server;

/// Seconds over which the page cleaner smooths its own rate (`innodb_flushing_avg_loops`).
const AVERAGED_SECS: u32 = 30;
/// The redo log's usable part: the rest is its safety margin.
const REDO_USABLE: f64 = 0.8;
/// Seconds of redo whose pages are due to be written (`buf_flush_lsn_scan_factor`).
const DUE_SECS: f64 = 3.0;

/// The page cleaner's arithmetic, and what it averages over the last half minute.
#[derive(Debug)]
pub(crate) struct Flusher {
    io_capacity: f64,
    io_capacity_max: f64,
    dirty_low_pct: f64,
    dirty_max_pct: f64,
    redo_low_pct: f64,
    redo_room: f64,
    average: f64,
    recent: f64,
    secs: u32,
}

impl Flusher {
    pub(crate) fn new(server: &Server) -> Flusher {
        Flusher {
            io_capacity: server.io_capacity.into(),
            io_capacity_max: server.io_capacity_max.into(),
            dirty_low_pct: server.dirty_low_pct,
            dirty_max_pct: server.dirty_max_pct,
            redo_low_pct: server.redo_low_pct,
            redo_room: server.redo_bytes as f64 * REDO_USABLE,
            average: 0.0,
            recent: 0.0,
            secs: 0,
        }
    }

    /// Bytes of redo behind the oldest dirty page within which pages count as due.
    pub(crate) fn look_ahead(&self, logged_per_sec: f64) -> u64 {
        (DUE_SECS * logged_per_sec) as u64
    }

    /// Bytes that the redo log has room for.
    pub(crate) fn redo_room(&self) -> u64 {
        self.redo_room as u64
    }

    /// The server counts at most this many due pages.
    pub(crate) fn most_due(&self) -> usize {
        (2.0 * self.io_capacity_max) as usize
    }

    /// Pages to write in this second. `age` is the bytes of redo since the oldest dirty page became dirty.
    pub(crate) fn pages_to_write(&mut self, dirty_pct: f64, age: u64, due: usize) -> usize {
        // With a low-water mark of 0, no page is written early until there are too many dirty pages.
        let for_dirty = match self.dirty_low_pct {
            0.0 if dirty_pct >= self.dirty_max_pct => 100.0,
            0.0 => 0.0,
            low if dirty_pct >= low => dirty_pct * 100.0 / (self.dirty_max_pct + 1.0),
            _ => 0.0,
        };
        let age_pct = 100.0 * age as f64 / self.redo_room;
        let for_redo = if age_pct >= self.redo_low_pct {
            self.io_capacity_max / self.io_capacity * age_pct.powf(1.5) / 7.5
        } else {
            0.0
        };
        let pct = for_dirty.max(for_redo);
        let wanted = (pct * self.io_capacity / 100.0 + self.average + due as f64 / DUE_SECS) / 3.0;
        let pages = if pct > 0.0 { wanted.min(self.io_capacity_max) } else { 0.0 };
        self.remember(pages);
        pages as usize
    }

    fn remember(&mut self, pages: f64) {
        self.recent += pages;
        self.secs += 1;
        if self.secs == AVERAGED_SECS {
            self.average = (self.average + self.recent / f64::from(AVERAGED_SECS)) / 2.0;
            (self.recent, self.secs) = (0.0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_grows_with_dirt_and_age_and_stays_within_capacity() {
        let mut server = Server::mysql(128 << 20);
        (server.io_capacity, server.io_capacity_max) = (100, 500);
        let pages = |dirty, age: u64| Flusher::new(&server).pages_to_write(dirty, age * 250, 0);
        assert_eq!(pages(5.0, 0), 0);
        assert!(pages(45.0, 0) < pages(90.0, 0));
        assert!(pages(90.0, 0) < pages(90.0, 300_000));
        assert_eq!(pages(90.0, 2_000_000), 500);

        // This server has no low-water mark, and a larger log.
        (server.dirty_low_pct, server.dirty_max_pct, server.redo_low_pct) = (0.0, 75.0, 70.0);
        let pages = |dirty, age: u64| Flusher::new(&server).pages_to_write(dirty, age * 250, 0);
        assert_eq!((pages(74.0, 200_000), pages(75.0, 200_000)), (0, 33));
        assert_eq!(pages(74.0, 2_000_000), 500);
    }
}
