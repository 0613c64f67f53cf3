//! 64-bit ids as MySQL's `UUID_SHORT()` makes them.

use core::sync::atomic::Ordering::AcqRel;

use crate::error::{Error, Result};
use crate::generator::Generate;
use crate::generator::reserve::Reserve;
use crate::kind::Kind;
use crate::shared::server::{end_of, take};
use crate::short_id::{MysqlShortFields, ShortId};
use crate::source::{Clock, NoState, State};
use crate::timestamp::Timestamp;

/// Generates 64-bit ids as a MySQL server with this id does that starts now:
/// `(server_id & 255) << 56 | startup_secs << 24`, then one more each time.
///
/// Two generators with one server id repeat each other's ids if they start in the same second, or if one generates more
/// than 16,777,216 ids a second over its whole run. With a state, a restarted generator repeats no id.
///
/// Source: MySQL Reference Manual, section Miscellaneous Functions, `UUID_SHORT()`.
///
/// ```
/// use idgen::{ShortId, Timestamp, generator::{Generate, MysqlShort}, source::FixedClock};
///
/// let startup = FixedClock::new(Timestamp::from_unix_secs(1_795_245_659));
/// let mut ids = MysqlShort::new(&startup, 1)?;
/// assert_eq!(ids.next_id()?, ShortId::new(1 << 56 | 1_795_245_659 << 24));
/// # Ok::<(), idgen::Error>(())
/// ```
pub struct MysqlShort<S: State = NoState> {
    server_id: u8,
    startup: Timestamp,
    reserve: Reserve<S>,
}

/// Ids that a state reserves at a time.
const BLOCK: u64 = 4_096;

impl MysqlShort {
    /// Starts now, with the low byte of the server's id. The clock is read this once.
    ///
    /// # Errors
    /// If the clock is before 1970 or after 2106-02-07, or the system refuses a page of memory.
    pub fn new(clock: impl Clock, server_id: u8) -> Result<Self> {
        let startup = clock.now();
        let reserve = Reserve::restore(Kind::MysqlShort, NoState, first_number(startup, server_id)?)?;
        Ok(MysqlShort { server_id, startup, reserve })
    }

    /// Continues after the ids of an earlier run, even within the same second.
    ///
    /// # Errors
    /// If the state cannot be read, belongs to another kind, or to another server id.
    pub fn with_state<T: State>(self, state: T) -> Result<MysqlShort<T>> {
        let MysqlShort { server_id, startup, reserve } = self;
        let restored = Reserve::restore(Kind::MysqlShort, state, 0)?;
        let saved = restored.last();
        if saved != 0 && saved >> 56 != u64::from(server_id) {
            return Err(Error::config(
                "the state belongs to the server id",
                saved >> 56,
                "give each server id a state of its own",
            ));
        }
        restored.word().fetch_max(reserve.last(), AcqRel);
        Ok(MysqlShort { server_id, startup, reserve: restored })
    }

    /// The next id, for a generator that threads share.
    ///
    /// # Errors
    /// As [`Generate::next_id`].
    #[inline]
    pub fn make(&self) -> Result<ShortId> {
        Ok(ShortId::new(self.take(1)?))
    }

    /// Fills a slice, for a generator that threads share.
    ///
    /// # Errors
    /// As [`Generate::fill`].
    pub fn make_many(&self, ids: &mut [ShortId]) -> Result<()> {
        fill(ids, |count| self.take(count))
    }
}

impl<S: State> MysqlShort<S> {
    /// Takes `count` numbers; gives the first.
    #[inline]
    fn take(&self, count: u64) -> Result<u64> {
        self.reserve.check_fork()?;
        self.reserve.mark().check_words(WHAT)?;
        take(self.reserve.word(), self.server_id, count).ok_or_else(|| out_of_range(self.startup))
    }

    fn take_covered(&mut self, count: u64) -> Result<u64> {
        let first = self.take(count)?;
        let (next, end) = (first + count, end_of(self.server_id));
        self.reserve.cover(next, || next.saturating_add(BLOCK).min(end))?;
        Ok(first)
    }
}

/// The first number of a server that starts at this time.
pub(super) fn first_number(startup: Timestamp, server_id: u8) -> Result<u64> {
    let startup_secs = u32::try_from(startup.unix_secs()).map_err(|_| out_of_range(startup))?;
    Ok(ShortId::from(MysqlShortFields { server_id, startup_secs, counter: 0 }).get())
}

/// The name, in an error, of what a forked child must not use unless it shares its parent's word.
pub(super) const WHAT: &str = "a generator of UUID_SHORT() ids";

#[cold]
pub(super) fn out_of_range(time: Timestamp) -> Error {
    let last = Timestamp::from_unix_secs(u32::MAX.into());
    Error::out_of_range("mysql-short", time, Timestamp::UNIX_EPOCH, last)
}

impl<S: State> Generate for MysqlShort<S> {
    type Id = ShortId;

    #[inline]
    fn next_id(&mut self) -> Result<ShortId> {
        Ok(ShortId::new(self.take_covered(1)?))
    }

    fn fill(&mut self, ids: &mut [ShortId]) -> Result<()> {
        fill(ids, |count| self.take_covered(count))
    }
}

/// Numbers a slice from the first number that `take` gives. If it fails, nothing was written.
pub(super) fn fill(ids: &mut [ShortId], take: impl FnOnce(u64) -> Result<u64>) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let first = take(ids.len() as u64)?;
    (first..).zip(ids).for_each(|(number, id)| *id = ShortId::new(number));
    Ok(())
}
