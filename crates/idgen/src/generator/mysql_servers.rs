//! The lines of all 256 server ids, for the one-line function.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire};

use crate::error::Result;
use crate::generator::mysql_short::{WHAT, fill, first_number, out_of_range, take};
use crate::short_id::ShortId;
use crate::source::Clock;
use crate::source::fork::{ForkMark, SharedWords};

/// As a [`MysqlShort`](super::MysqlShort) for each server id, that starts with the first id it is asked for.
///
/// All of them count in one piece of memory that is there from the beginning, so that also the children
/// that ask for a server's first id after the fork share its line.
pub(crate) struct MysqlServers<C> {
    clock: C,
    /// The next number of each server; 0 of one that has not started.
    next: SharedWords<256>,
    mark: ForkMark,
}

impl<C: Clock> MysqlServers<C> {
    pub(crate) fn new(clock: C) -> Result<Self> {
        Ok(MysqlServers { clock, next: SharedWords::zeros()?, mark: ForkMark::now() })
    }

    #[inline]
    pub(crate) fn make(&self, server_id: u8) -> Result<ShortId> {
        Ok(ShortId::new(self.take(server_id, 1)?))
    }

    pub(crate) fn make_many(&self, server_id: u8, ids: &mut [ShortId]) -> Result<()> {
        fill(ids, |count| self.take(server_id, count))
    }

    /// Takes `count` numbers; gives the first.
    #[inline]
    fn take(&self, server_id: u8, count: u64) -> Result<u64> {
        self.mark.check_words(WHAT)?;
        let next = &self.next.all()[usize::from(server_id)];
        if next.load(Acquire) == 0 {
            self.start(next, server_id)?;
        }
        take(next, server_id, count).ok_or_else(|| out_of_range(self.clock.now()))
    }

    #[cold]
    fn start(&self, next: &AtomicU64, server_id: u8) -> Result<()> {
        let first = first_number(self.clock.now(), server_id)?;
        // Where another thread or process was faster, its start counts.
        let _ = next.compare_exchange(0, first, AcqRel, Acquire);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FixedClock;
    use crate::timestamp::Timestamp;

    #[test]
    fn each_server_starts_with_its_first_id() {
        let clock = FixedClock::new(Timestamp::from_unix_secs(1_000));
        let servers = MysqlServers::new(&clock).unwrap();
        let start = |server_id: u64, secs: u64| server_id << 56 | secs << 24;
        servers.make_many(3, &mut []).unwrap();
        clock.set(Timestamp::from_unix_secs(2_000));
        assert_eq!(servers.make(3).unwrap().get(), start(3, 2_000));
        clock.set(Timestamp::from_unix_secs(3_000));
        assert_eq!(servers.make(255).unwrap().get(), start(255, 3_000));
        let mut ids = [ShortId::default(); 2];
        servers.make_many(3, &mut ids).unwrap();
        assert_eq!(ids.map(ShortId::get), [1, 2].map(|counter| start(3, 2_000) + counter));
        assert_eq!(servers.make(3).unwrap().get(), start(3, 2_000) + 3);
    }

    #[test]
    fn a_clock_out_of_range_starts_nothing() {
        let clock = FixedClock::new(Timestamp::from_unix_secs(-1));
        let servers = MysqlServers::new(&clock).unwrap();
        assert!(servers.make(0).is_err_and(|error| error.is_time_out_of_range()));
        clock.set(Timestamp::from_unix_secs(5));
        assert_eq!(servers.make(0).unwrap().get(), 5 << 24);
    }
}
