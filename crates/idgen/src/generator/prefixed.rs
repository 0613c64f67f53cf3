//! Prefixed ids: a prefix that stays put for an interval, and a tail.

use uuid::Uuid;

use crate::error::{Error, Result};
use crate::fields::{self, Head};
use crate::generator::draws::{counting, random};
use crate::generator::monotonic::{Counters, Monotonic, Run, Shape, Unit};
use crate::generator::{Bits, Generate, NextBits, all_or_nothing, from_bits, to_bits};
use crate::interval::{Bucket, Interval};
use crate::kind::Kind;
use crate::prefix::Prefix;
use crate::source::{Clock, ClockPolicy, Entropy, NoState, State};
use crate::tail::{self, COUNTER_BITS};
use crate::timestamp::Timestamp;

/// A new millisecond starts in the lower half, which leaves at least 134 million ids for it.
const SEED_MASK: u64 = (1 << (COUNTER_BITS - 1)) - 1;

/// What follows the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tail {
    /// 106 random bits. During an interval only the bucket's leaf pages are touched, but they fill to
    /// two thirds only, as with version 4. The version field
    /// is 4, as in the MySQL formula.
    RandomV4,
    /// The same with the version field 8.
    RandomV8,
    /// Version 8, strictly ascending within the bucket over all its visits: later ids of a bucket always
    /// follow the earlier ones, so that InnoDB's pages fill as with `AUTO_INCREMENT`.
    ///
    /// Behind a sequential or md5-week prefix, which do not hide the time, the tail begins with the absolute
    /// time. Behind a keyed prefix it begins with the round of 65,536 intervals and the offset in the
    /// interval: an id then shows which round it belongs to (45 days for minutes, 7.5 years for hours, 179
    /// years for days), when within its interval it was made, and the order of the ids of one bucket.
    /// Which interval of the round it is stays hidden without the key.
    Ascending,
}

/// Makes prefixed ids.
///
/// With a random tail: `prefix 16 | random 32 | version 4 | random 12 | variant 2 | random 62`.
///
/// With a [`Tail::Ascending`] (RFC 9562 section 5.8, version 8), behind a keyed prefix:
/// `prefix 16 | round and offset 32 | version 4 | counter 12 | variant 2 | pad 6 | counter 16 | random 40`. The
/// offset in the interval, in milliseconds, takes as many of the 32 bits as the interval needs (16 for a
/// minute, 22 for an hour, 27 for a day, 30 for a week, 32 for a month), the round has the others.
///
/// Behind the other prefixes: `prefix 16 | unix milliseconds 32 | version 4 | milliseconds 12 | variant 2 |
/// pad 6 | counter 28 | random 28`.
///
/// The counter starts at random in each millisecond; the pad is drawn with it and is never zero, as MariaDB's
/// UUID column refuses a byte 8 of 0x80 in version 8.
///
/// ```
/// use idgen::generator::{Generate, Prefixed, Tail};
/// use idgen::source::{FixedClock, FixedEntropy};
/// use idgen::{Interval, Prefix, PrefixKey, Timestamp};
///
/// let clock = FixedClock::new(Timestamp::from_unix_secs(1_800_000_000));
/// let prefix = Prefix::Keyed(PrefixKey::new(b"sixteen bytes or more")?);
/// let mut ids = Prefixed::new(&clock, FixedEntropy::new(1), prefix, Interval::Day, Tail::Ascending)?;
/// let (a, b) = (ids.next_id()?, ids.next_id()?);
/// assert_eq!(a.as_bytes()[..2], b.as_bytes()[..2]);
/// assert!(a < b);
/// # Ok::<(), idgen::Error>(())
/// ```
pub struct Prefixed<C, E, S: State = NoState> {
    monotonic: Monotonic<C, S>,
    entropy: E,
    prefix: Prefix,
    interval: Interval,
    layout: Layout,
    /// The bucket of the last id, as a keyed prefix takes long to compute.
    current: Current,
    pad: u8,
}

/// The layout of the tail, which follows from the kinds of tail and prefix.
#[derive(Clone, Copy)]
enum Layout {
    Random { version: u8 },
    Time,
    Keyed { offset_bits: u32 },
}

/// A bucket with the bits that its ids share.
#[derive(Clone, Copy)]
struct Current {
    start: Timestamp,
    end: Timestamp,
    /// Where the bucket begins, which offsets count from.
    start_ms: i64,
    /// The prefix in the top 16 bits, the round, the version: see [`tail::base`].
    base: u64,
}

impl Current {
    /// Holds no moment.
    const NONE: Current =
        Current { start: Timestamp::UNIX_EPOCH, end: Timestamp::UNIX_EPOCH, start_ms: 0, base: 0 };
}

impl<C: Clock, E: Entropy> Prefixed<C, E> {
    /// From a clock, randomness, and the choice of prefix, interval and tail.
    ///
    /// # Errors
    /// Where the combination makes no sense: `md5-week` with an interval other than the week, a bit
    /// width outside 1 to 16, or an ascending tail behind a keyed prefix with an
    /// interval of more than 49 days (2^32 ms); or where an ascending tail cannot hold the clock's time: before 1970,
    /// after 2527, or with a keyed prefix after its last round, in the year 6461 or later.
    pub fn new(clock: C, entropy: E, prefix: Prefix, interval: Interval, tail: Tail) -> Result<Self> {
        prefix.check(interval)?;
        let (layout, last) = match (tail, &prefix) {
            (Tail::RandomV4, _) => (Layout::Random { version: 4 }, i64::MAX),
            (Tail::RandomV8, _) => (Layout::Random { version: 8 }, i64::MAX),
            (Tail::Ascending, Prefix::Keyed(_)) => {
                let offset_bits = tail::keyed::offset_bits(interval)?;
                (Layout::Keyed { offset_bits }, tail::keyed::last_ms(interval, offset_bits))
            }
            (Tail::Ascending, Prefix::Sequential { .. } | Prefix::Md5Week { .. }) => {
                (Layout::Time, tail::LAST_TIME_MS)
            }
        };
        let shape = Shape { kind: Kind::Prefixed, unit: Unit::Milli, first: 0, last };
        let monotonic = Monotonic::new(shape, clock, NoState)?;
        if tail == Tail::Ascending {
            monotonic.check_clock()?;
        }
        Ok(Prefixed { monotonic, entropy, prefix, interval, layout, current: Current::NONE, pad: 0 })
    }

    /// Goes on where an earlier run stopped: the order within the bucket holds over the restart too.
    ///
    /// # Errors
    /// Where the state cannot be read, or belongs to another kind; or where the tail is random, which has
    /// nothing to remember.
    pub fn with_state<T: State>(self, state: T) -> Result<Prefixed<C, E, T>> {
        if let (true, Layout::Random { version }) = (state.is_kept(), self.layout) {
            return Err(Error::config(
                "no state serves a random tail of version",
                version,
                "take an ascending tail, or no state",
            ));
        }
        Ok(Prefixed {
            monotonic: self.monotonic.with_state(state)?,
            entropy: self.entropy,
            prefix: self.prefix,
            interval: self.interval,
            layout: self.layout,
            current: Current::NONE,
            pad: 0,
        })
    }
}

impl<C: Clock, E: Entropy, S: State> Prefixed<C, E, S> {
    /// Replaces the default policy for a clock that stands behind. Random tails need none: they follow
    /// the clock.
    #[must_use]
    pub fn with_policy(mut self, policy: ClockPolicy) -> Self {
        self.monotonic.set_policy(policy);
        self
    }

    #[inline]
    fn current(&mut self, at: Timestamp) -> Current {
        if !(self.current.start <= at && at < self.current.end) {
            self.enter_bucket(at);
        }
        self.current
    }

    #[cold]
    fn enter_bucket(&mut self, at: Timestamp) {
        let (Bucket { number, start, end }, prefix) = self.prefix.at(self.interval, at);
        let base = match self.layout {
            Layout::Keyed { offset_bits } => tail::base(prefix, number as u64 >> 16, offset_bits),
            Layout::Random { .. } | Layout::Time => tail::base(prefix, 0, 0),
        };
        self.current = Current { start, end, start_ms: start.unix_millis(), base };
    }

    /// A run of ascending ids, and the bits that all of it share, made by `head` from those of the bucket,
    /// the time and the pad.
    #[inline]
    fn next_run(&mut self, want: usize, head: impl Fn(&Current, i64, u8) -> Head) -> Result<(Run, Head)> {
        let (entropy, mut pad) = (&mut self.entropy, self.pad);
        let run = self.monotonic.next_run(want, |_| {
            let draw = entropy.next_u64()?;
            // 1 to 63; one value comes twice as often, which harms nothing.
            pad = ((draw >> 32) as u8 & 0x3F).max(1);
            Ok(Counters { first: (draw & SEED_MASK) as u32, limit: 1 << COUNTER_BITS })
        })?;
        // Only now: a millisecond that could not be saved has not begun, and the last one keeps its pad.
        self.pad = pad;
        let current = self.current(Timestamp::from_unix_millis(run.time));
        let shared = head(&current, run.time, pad);
        Ok((run, shared))
    }

    #[inline]
    fn next_ascending<const RANDOM: u32>(
        &mut self,
        head: impl Fn(&Current, i64, u8) -> Head,
        with_counter: impl Fn(Head, u32) -> Head,
    ) -> Result<Bits> {
        let (run, shared) = self.next_run(1, head)?;
        let random = self.entropy.next_u64()?;
        Ok(to_bits(with_counter(shared, run.counter).with_random::<RANDOM>(random)))
    }

    #[inline]
    fn fill_ascending<const RANDOM: u32>(
        &mut self,
        ids: &mut [Uuid],
        head: impl Fn(&Current, i64, u8) -> Head,
        with_counter: impl Fn(Head, u32) -> Head,
    ) -> Result<()> {
        all_or_nothing(ids, |mut ids| {
            while !ids.is_empty() {
                let (run, shared) = self.next_run(ids.len(), &head)?;
                let (now, later) = ids.split_at_mut(run.count);
                counting::<RANDOM>(&mut self.entropy, now, run.counter, |counter| {
                    with_counter(shared, counter)
                })?;
                ids = later;
            }
            Ok(())
        })
    }

    /// The prefix of the clock's time: buckets last for seconds at least.
    #[inline]
    fn prefix_now(&mut self) -> u16 {
        (self.current(self.monotonic.coarse_now()).base >> 48) as u16
    }
}

/// In the order of memory, as the bytes of random bits need no swapping.
const BEHIND_PREFIX: Bits = (u128::MAX >> 16).to_be();
const BYTE_8: Bits = (0x3Fu128 << 56).to_be();

#[inline]
fn random_id(prefix: u16, random: Bits, version: u8) -> Bits {
    let tail = to_bits(fields::random(random, version)) & BEHIND_PREFIX;
    let bits = tail | (u128::from(prefix) << 112).to_be();
    if version == 8 && bits & BYTE_8 == 0 {
        // Byte 8 would be 0x80, which MariaDB's UUID column refuses in version 8.
        return bits | (1u128 << 56).to_be();
    }
    bits
}

#[inline]
fn keyed_head(current: &Current, ms: i64, pad: u8) -> Head {
    tail::keyed::head(current.base, ms - current.start_ms, pad)
}

#[inline]
fn time_head(current: &Current, ms: i64, pad: u8) -> Head {
    tail::time::head(current.base, ms, pad)
}

impl<C: Clock, E: Entropy, S: State> NextBits for Prefixed<C, E, S> {
    #[inline]
    fn next_bits(&mut self) -> Result<Bits> {
        match self.layout {
            Layout::Random { version } => {
                let bits = self.entropy.next_u128()?;
                Ok(random_id(self.prefix_now(), bits, version))
            }
            Layout::Time => {
                self.next_ascending::<{ tail::time::RANDOM }>(time_head, tail::time::with_counter)
            }
            Layout::Keyed { .. } => {
                self.next_ascending::<{ tail::keyed::RANDOM }>(keyed_head, tail::keyed::with_counter)
            }
        }
    }
}

impl<C: Clock, E: Entropy, S: State> Generate for Prefixed<C, E, S> {
    type Id = Uuid;

    #[inline]
    fn next_id(&mut self) -> Result<Uuid> {
        self.next_bits().map(from_bits)
    }

    fn fill(&mut self, ids: &mut [Uuid]) -> Result<()> {
        match self.layout {
            Layout::Random { version } => all_or_nothing(ids, |ids| {
                let prefix = self.prefix_now();
                random(&mut self.entropy, ids, |bits| from_bits(random_id(prefix, bits, version)))
            }),
            Layout::Time => {
                self.fill_ascending::<{ tail::time::RANDOM }>(ids, time_head, tail::time::with_counter)
            }
            Layout::Keyed { .. } => {
                self.fill_ascending::<{ tail::keyed::RANDOM }>(ids, keyed_head, tail::keyed::with_counter)
            }
        }
    }
}
