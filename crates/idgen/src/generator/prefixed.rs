//! Prefixed ids: a prefix that stays the same for an interval, and a tail.

use uuid::Uuid;

use crate::error::{Error, Result};
use crate::fields;
use crate::generator::counted::Counted;
use crate::generator::draws::random;
use crate::generator::layout::{Current, Layout};
use crate::generator::unit::{HighFractions, Unit};
use crate::generator::{Bits, Generate, NextBits, all_or_nothing, from_bits, to_bits};
use crate::interval::Interval;
use crate::kind::Kind;
use crate::prefix::Prefix;
use crate::source::{Clock, ClockPolicy, Entropy, NoState, State};
use crate::tail;

/// The bits after the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tail {
    /// 106 random bits. During an interval only the bucket's leaf pages are touched, but they become only about two
    /// thirds full, as with version 4. The version field is 4, as in the MySQL formula.
    RandomV4,
    /// The random bits of [`RandomV4`](Self::RandomV4), with the version field 8.
    RandomV8,
    /// Version 8, strictly ascending within the bucket over all its visits: later ids of a bucket always
    /// follow the earlier ones, so that InnoDB's pages fill as with `AUTO_INCREMENT`.
    ///
    /// After a sequential or md5-week prefix, which do not hide the time, the tail begins with the absolute
    /// time. After a keyed prefix it begins with the round of 65,536 intervals and the offset in the interval.
    ///
    /// An id with a keyed prefix shows its round (45 days for minutes, 7.5 years for hours, 179 years for days), its
    /// time within its interval, and the order of the ids of one bucket. Without the key, it does not reveal which
    /// interval of the round it is from. If the writer has a name, its [tag](crate::PrefixKey::writer_tag) comes before
    /// the round. The ids of one bucket then show which of them come from one writer, and the rows of each writer lie
    /// together and in their order.
    Ascending,
}

/// Generates prefixed ids.
///
/// With a random tail: `prefix 16 | random 32 | version 4 | random 12 | variant 2 | random 62`.
///
/// With a [`Tail::Ascending`] (RFC 9562 section 5.8, version 8), the layout depends on the prefix:
///
/// - After a keyed prefix:
///   `prefix 16 | round and offset 32 | version 4 | fraction 12 | variant 2 | counter 22 | random 40`.
///   The offset in the interval, in milliseconds, takes as many of the 32 bits as the interval needs: 16 for a minute, 22
///   for an hour, 27 for a day, 30 for a week, 32 for a month. The round has the other bits.
/// - After the prefix of a named writer ([`PrefixKey::for_writer`](crate::PrefixKey::for_writer),
///   [`Prefix::SequentialOf`]), whose tag keeps its rows together in a bucket that several writers share:
///   `prefix 16 | tag 12, round and offset 20 | version 4 | offset 12 | variant 2 | fraction 12 | counter 18 | random 32`.
/// - After the other prefixes:
///   `prefix 16 | unix milliseconds 32 | version 4 | milliseconds 12 | variant 2 | fraction 12 | counter 18 | random 32`.
///
/// The fraction of the millisecond is 64 to 4,095, in steps of 1/4,032 (248 ns), so that ids of several generators with one
/// prefix and one clock are in the order in which they were generated. If the clock is coarser ([`Clock::step`]), the bits
/// below its step are random, and counted up. The counter starts at random in each fraction, in the lower half. With 18 bits, that
/// leaves at least 131,072 ids for it, and a larger batch continues in the following fractions. Byte 8 is never 0x80, which MariaDB's
/// UUID column refuses in version 8: the fraction is never below 64, and a counter of 22 bits never below 2^16.
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
    inner: Counted<HighFractions, C, E, S>,
    prefix: Prefix,
    interval: Interval,
    layout: Layout,
    /// The bucket of the last id, kept because a keyed prefix takes long to compute.
    current: Current,
}

impl<C: Clock, E: Entropy> Prefixed<C, E> {
    /// A generator with this clock and randomness, and with this prefix, interval and tail.
    ///
    /// # Errors
    /// - `is_config` for `md5-week` with an interval other than the week, and for a bit width outside 1 to 16.
    /// - `is_config` for an ascending tail after a keyed prefix with an interval of more than 49 days (2^32 ms).
    /// - `is_time_out_of_range` if an ascending tail cannot hold the clock's time: before 1970, after 2527, or with a
    ///   keyed prefix after its last round, in the year 6461 or later.
    pub fn new(clock: C, entropy: E, prefix: Prefix, interval: Interval, tail: Tail) -> Result<Self> {
        let (layout, last) = Layout::of(&prefix, interval, tail)?;
        let inner = Counted::new(Kind::Prefixed, last, clock, entropy);
        if tail == Tail::Ascending {
            inner.check_clock()?;
        }
        Ok(Prefixed { inner, prefix, interval, layout, current: Current::NONE })
    }

    /// Continues where an earlier run stopped, so that the order within the bucket holds over the restart too.
    ///
    /// # Errors
    /// - `is_state` if the state cannot be read, or belongs to another kind.
    /// - `is_config` for a random tail, which has nothing to save.
    pub fn with_state<T: State>(self, state: T) -> Result<Prefixed<C, E, T>> {
        if let (true, Layout::Random { version }) = (state.is_kept(), self.layout) {
            return Err(Error::config(
                "a state has no effect on a random tail of version",
                version,
                "choose an ascending tail, or no state",
            ));
        }
        Ok(Prefixed {
            inner: self.inner.with_state(state)?,
            prefix: self.prefix,
            interval: self.interval,
            layout: self.layout,
            current: Current::NONE,
        })
    }
}

impl<C: Clock, E: Entropy, S: State> Prefixed<C, E, S> {
    /// Replaces the default policy for a clock that is behind. It has no effect on random tails, whose prefix always
    /// follows the clock.
    #[must_use]
    pub fn with_policy(mut self, policy: ClockPolicy) -> Self {
        self.inner.set_policy(policy);
        self
    }

    /// The prefix of the clock's time: buckets last for seconds at least.
    #[inline]
    fn prefix_now(&mut self) -> u16 {
        self.current.at(self.inner.coarse_now(), &self.prefix, self.interval, self.layout).prefix()
    }
}

/// In the order of memory, because the bytes of random bits need no swapping.
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

impl<C: Clock, E: Entropy, S: State> NextBits for Prefixed<C, E, S> {
    #[inline]
    fn next_bits(&mut self) -> Result<Bits> {
        let Prefixed { inner, prefix, interval, layout, current } = self;
        let mut at = |time| *current.at(Unit::HighFraction.begin(time), prefix, *interval, *layout);
        match layout {
            Layout::Random { version } => {
                let (version, bits) = (*version, inner.entropy.next_u128()?);
                Ok(random_id(self.prefix_now(), bits, version))
            }
            Layout::Time | Layout::Named { .. } => inner.next_bits::<{ tail::wide::RANDOM }>(
                tail::wide::COUNTER,
                |time| at(time).wide_head(time),
                tail::wide::with_counter,
            ),
            Layout::Keyed { .. } => inner.next_bits::<{ tail::keyed::RANDOM }>(
                tail::keyed::COUNTER,
                |time| at(time).keyed_head(time),
                tail::keyed::with_counter,
            ),
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
        let Prefixed { inner, prefix, interval, layout, current } = self;
        let mut at = |time| *current.at(Unit::HighFraction.begin(time), prefix, *interval, *layout);
        match layout {
            Layout::Random { version } => {
                let version = *version;
                let prefix = self.prefix_now();
                all_or_nothing(ids, |ids| {
                    random(&mut self.inner.entropy, ids, |bits| from_bits(random_id(prefix, bits, version)))
                })
            }
            Layout::Time | Layout::Named { .. } => inner.fill::<{ tail::wide::RANDOM }>(
                ids,
                tail::wide::COUNTER,
                |time| at(time).wide_head(time),
                tail::wide::with_counter,
            ),
            Layout::Keyed { .. } => inner.fill::<{ tail::keyed::RANDOM }>(
                ids,
                tail::keyed::COUNTER,
                |time| at(time).keyed_head(time),
                tail::keyed::with_counter,
            ),
        }
    }
}
