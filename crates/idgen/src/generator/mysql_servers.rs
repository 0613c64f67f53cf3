//! The lines of all 256 server ids, for the one-line function.

use core::sync::atomic::Ordering::Release;

use crate::atomic::AtomicU64;
use crate::error::Result;
use crate::generator::mysql_short::{WHAT, fill, first_number, out_of_range};
use crate::shared::server::{attempt, take};
use crate::shared::server_start::{is_unstarted, start, unstarted};
use crate::short_id::ShortId;
use crate::source::Clock;
use crate::source::fork::{ForkMark, SharedWords};

/// A [`MysqlShort`](super::MysqlShort) for each server id, which starts with its first id.
///
/// All of them count in one piece of memory that exists from the beginning. So parent and children share the counter of a
/// server even if its first id is generated after the fork.
pub(crate) struct MysqlServers<C> {
    clock: C,
    /// The next number of each server, or what [`unstarted`] says, [`APART`] words from each other.
    next: SharedWords<{ 256 * APART }>,
    mark: ForkMark,
}

/// Two words in one cache line would make the threads of one server wait for those of the other. A line has 64 bytes on most
/// processors.
const APART: usize = 8;

impl<C: Clock> MysqlServers<C> {
    pub(crate) fn new(clock: C) -> Result<Self> {
        let servers = MysqlServers { clock, next: SharedWords::zeros()?, mark: ForkMark::now() };
        for server_id in 0..=u8::MAX {
            servers.word(server_id).store(unstarted(server_id), Release);
        }
        Ok(servers)
    }

    #[inline]
    fn word(&self, server_id: u8) -> &AtomicU64 {
        &self.next.all()[usize::from(server_id) * APART]
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
        let next = self.word(server_id);
        // The word is not read before, because nothing overlaps with a locked instruction: another load would add its
        // whole latency.
        match attempt(next, server_id, count) {
            Some(first) => Ok(first),
            None => self.take_slowly(next, server_id, count),
        }
    }

    /// Starts the server's line, unless it has started and is at its end.
    #[cold]
    fn take_slowly(&self, next: &AtomicU64, server_id: u8, count: u64) -> Result<u64> {
        if is_unstarted(next, server_id) {
            start(next, server_id, first_number(self.clock.now(), server_id)?);
        }
        take(next, server_id, count).ok_or_else(|| out_of_range(self.clock.now()))
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
    fn at_its_end_a_server_does_not_start_again() {
        let clock = FixedClock::new(Timestamp::from_unix_secs(1_000));
        let servers = MysqlServers::new(&clock).unwrap();
        // The first number of 0x80 follows the last number of 0x7f.
        for server_id in [0, 0x3f, 0x40, 0x7f, 0x80, 0xbf, 0xff] {
            servers.make(server_id).unwrap();
            servers.word(server_id).store(u64::from(server_id) << 56 | u64::MAX >> 8, Release);
            for _ in 0..3 {
                assert!(
                    servers.make(server_id).is_err_and(|error| error.is_time_out_of_range()),
                    "{server_id}"
                );
            }
            let mut ids = [ShortId::default(); 9];
            assert!(servers.make_many(server_id, &mut ids).is_err());
        }
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
