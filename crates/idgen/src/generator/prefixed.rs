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
use crate::timestamp::Timestamp;

static SHAPE: Shape = Shape {
    kind: Kind::Prefixed,
    unit: Unit::Milli,
    range: 0..=(1 << 48) - 1,
    range_text: "1970-01-01 to 10889-08-02",
};

const COUNTER_BITS: u32 = 28;
/// A new millisecond starts in the lower half, which leaves at least 134 million ids for it.
const SEED_MASK: u64 = (1 << (COUNTER_BITS - 1)) - 1;

/// What follows the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// 106 random bits. During an interval only the bucket's leaf pages are touched, but they fill to
    /// two thirds only, as with version 4. The version field says 4, as the reference formula does, or 8.
    Random {
        /// 4 or 8.
        version: u8,
    },
    /// Milliseconds since the bucket began, then a counter, then random bits, in version 8: strictly
    /// ascending within the bucket, so that pages fill as with `AUTO_INCREMENT`. It shows the order of
    /// the ids of one bucket, but not the calendar, where the prefix is keyed.
    Ascending,
}

/// Makes prefixed ids.
///
/// With a [`Tail::Random`]: `prefix 16 | random 32 | version 4 | random 12 | variant 2 | random 62`.
/// With a [`Tail::Ascending`] (RFC 9562 section 5.8, version 8): `prefix 16 | milliseconds since the
/// bucket began 32 | version 4 | counter 12 | variant 2 | pad 6 | counter 16 | random 40`. The counter
/// of 28 bits starts at random in each millisecond; the pad is drawn with it and never zero, as MariaDB's
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
    tail: Tail,
    /// The bucket of the last id, as computing a prefix costs a hash.
    current: Current,
    pad: u8,
}

/// A bucket with its prefix.
#[derive(Clone, Copy)]
struct Current {
    bucket: Bucket,
    prefix: u16,
    /// Where the bucket begins, which ascending tails count from.
    start_ms: i64,
}

impl Current {
    /// Holds no moment.
    const NONE: Current = {
        let start = Timestamp::from_unix_ticks(0);
        Current { bucket: Bucket { number: 0, start, end: start }, prefix: 0, start_ms: 0 }
    };
}

impl<C: Clock, E: Entropy> Prefixed<C, E> {
    /// From a clock, randomness, and the choice of prefix, interval and tail.
    ///
    /// # Errors
    /// Where the combination makes no sense: `md5-week` with an interval other than the week, a bit
    /// width outside 1 to 16, a version other than 4 and 8, or an ascending tail with an interval of more
    /// than 49 days (2^32 ms).
    pub fn new(clock: C, entropy: E, prefix: Prefix, interval: Interval, tail: Tail) -> Result<Self> {
        prefix.check(interval)?;
        match tail {
            Tail::Random { version } if version != 4 && version != 8 => {
                return Err(Error::config("a random tail cannot have the version", version, "take 4 or 8"));
            }
            Tail::Ascending if interval.longest().as_millis() > 1 << 32 => {
                return Err(Error::config(
                    "an ascending tail cannot count the milliseconds of",
                    interval,
                    "take an interval of at most 49 days",
                ));
            }
            _ => {}
        }
        let monotonic = Monotonic::new(&SHAPE, clock, NoState)?;
        Ok(Prefixed { monotonic, entropy, prefix, interval, tail, current: Current::NONE, pad: 0 })
    }

    /// Goes on where an earlier run stopped: the order within the bucket holds over the restart too.
    ///
    /// # Errors
    /// Where the state cannot be read, or belongs to another kind; or where the tail is random, which has
    /// nothing to remember.
    pub fn with_state<T: State>(self, state: T) -> Result<Prefixed<C, E, T>> {
        if let (true, Tail::Random { version }) = (state.is_kept(), self.tail) {
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
            tail: self.tail,
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
        if !(self.current.bucket.start <= at && at < self.current.bucket.end) {
            self.enter_bucket(at);
        }
        self.current
    }

    #[cold]
    fn enter_bucket(&mut self, at: Timestamp) {
        let (bucket, prefix) = self.prefix.at(self.interval, at);
        self.current = Current { bucket, prefix, start_ms: bucket.start.unix_millis() };
    }

    /// A run of ascending ids, and the bits that all of it share: prefix, offset, pad.
    #[inline]
    fn next_run(&mut self, want: usize) -> Result<(Run, Head)> {
        let (entropy, mut pad) = (&mut self.entropy, self.pad);
        let run = self.monotonic.next_run(want, |_| {
            let draw = entropy.next_u64()?;
            // 1 to 63; one value comes twice as often, which harms nothing.
            pad = ((draw >> 32) as u8 & 0x3F).max(1);
            Ok(Counters { first: (draw & SEED_MASK) as u32, limit: 1 << COUNTER_BITS })
        })?;
        // Only now: a millisecond that could not be saved has not begun, and the last one keeps its pad.
        self.pad = pad;
        let at = Timestamp::from_unix_millis(run.time);
        let Current { prefix, start_ms, .. } = self.current(at);
        let offset = (run.time - start_ms) as u32;
        let top = u64::from(prefix) << 48 | u64::from(offset) << 16 | 0x8000;
        let low = u64::from(0x80 | self.pad) << 56;
        Ok((run, Head { top, low }))
    }

    /// The prefix of the clock's time: buckets last for seconds at least.
    #[inline]
    fn prefix_now(&mut self) -> u16 {
        self.current(self.monotonic.coarse_now()).prefix
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

/// The random bits at the end of an ascending tail.
const RANDOM: u32 = 40;

/// The counter's top 12 bits into the top half of what a run shares, the other 16 above the random bits.
#[inline]
fn with_counter(shared: Head, counter: u32) -> Head {
    Head {
        top: shared.top | u64::from(counter >> 16),
        low: shared.low | u64::from(counter & 0xFFFF) << RANDOM,
    }
}

impl<C: Clock, E: Entropy, S: State> NextBits for Prefixed<C, E, S> {
    #[inline]
    fn next_bits(&mut self) -> Result<Bits> {
        match self.tail {
            Tail::Random { version } => {
                let bits = self.entropy.next_u128()?;
                Ok(random_id(self.prefix_now(), bits, version))
            }
            Tail::Ascending => {
                let (run, shared) = self.next_run(1)?;
                let random = self.entropy.next_u64()?;
                Ok(to_bits(with_counter(shared, run.counter).with_random::<RANDOM>(random)))
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
        match self.tail {
            Tail::Random { version } => all_or_nothing(ids, |ids| {
                let prefix = self.prefix_now();
                random(&mut self.entropy, ids, |bits| from_bits(random_id(prefix, bits, version)))
            }),
            Tail::Ascending => all_or_nothing(ids, |mut ids| {
                while !ids.is_empty() {
                    let (run, shared) = self.next_run(ids.len())?;
                    let (now, later) = ids.split_at_mut(run.count);
                    counting::<RANDOM>(&mut self.entropy, now, run.counter, |counter| {
                        with_counter(shared, counter)
                    })?;
                    ids = later;
                }
                Ok(())
            }),
        }
    }
}
