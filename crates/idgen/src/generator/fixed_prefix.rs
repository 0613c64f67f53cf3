//! Ids with a prefix of the caller's choice.

use core::fmt;

use uuid::Uuid;

use crate::error::{Error, Result};
use crate::generator::counted::Counted;
use crate::generator::unit::HighFractions;
use crate::generator::{Bits, Generate, NextBits, from_bits};
use crate::kind::Kind;
use crate::source::{Clock, ClockPolicy, Entropy, NoState, State};
#[cfg(feature = "std")]
use crate::source::{Csprng, SystemClock};
use crate::tail;

/// A prefix of 1 to 32 bits.
///
/// ```
/// use idgen::generator::PrefixBits;
///
/// assert_eq!("ffffffff".parse::<PrefixBits>()?, PrefixBits::ONES);
/// assert_eq!("0b101".parse::<PrefixBits>()?, PrefixBits::new(0b101, 3)?);
/// assert_eq!(PrefixBits::new(0xf8, 8)?.to_string(), "f8");
/// assert_eq!(PrefixBits::new(0b101, 3)?.to_string(), "0b101");
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PrefixBits {
    value: u32,
    bits: u8,
}

impl PrefixBits {
    /// Thirty-two ones, the right edge of an index. One random key of 2^32 begins with them.
    pub const ONES: PrefixBits = PrefixBits { value: u32::MAX, bits: 32 };

    /// The lowest `bits` bits of `value`.
    ///
    /// # Errors
    /// If `bits` is not 1 to 32, or the value needs more bits.
    pub fn new(value: u32, bits: u8) -> Result<Self> {
        if !(1..=32).contains(&bits) {
            return Err(Error::config("a fixed prefix cannot have this many bits:", bits, "use 1 to 32"));
        }
        if u64::from(value) >> bits != 0 {
            return Err(Error::config(
                "the value does not fit the prefix:",
                format_args!("{value:#06x} of {bits} bits"),
                "use a smaller value or more bits",
            ));
        }
        Ok(PrefixBits { value, bits })
    }

    /// True if the milliseconds fit before the variant, so that the layout is [`tail::wide`] and not [`tail::long`].
    const fn is_short(self) -> bool {
        self.bits <= 16
    }

    /// The bits that all ids with the prefix share: see [`tail::base`].
    const fn base(self) -> u64 {
        tail::base(0, 0, 0) | (self.value as u64) << (64 - self.bits)
    }

    /// The last millisecond that fits behind the prefix.
    pub(crate) const fn last_ms(self) -> i64 {
        if self.is_short() { (1 << (60 - self.bits)) - 1 } else { tail::long::last_ms(self.bits) }
    }

    /// The smallest id of a millisecond with the prefix, and the largest of another one.
    pub(crate) fn bounds(self, first_ms: i64, last_ms: i64) -> (Uuid, Uuid) {
        match self.is_short() {
            true => tail::wide::bounds(self.base(), first_ms, last_ms),
            false => tail::long::bounds(self.base(), first_ms, last_ms),
        }
    }
}

impl core::str::FromStr for PrefixBits {
    type Err = Error;

    /// Reads 1 to 8 hexadecimal digits, or `0b` and 1 to 32 binary digits.
    fn from_str(text: &str) -> Result<Self> {
        let (digits, radix, each) = match text.strip_prefix("0b") {
            Some(digits) => (digits, 2, 1),
            None => (text, 16, 4),
        };
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u32::from_str_radix(digits, radix) {
            Ok(value) if is_plain && digits.len() * each <= 32 => {
                PrefixBits::new(value, (digits.len() * each) as u8)
            }
            _ => Err(Error::config(
                "not a fixed prefix:",
                text,
                "write 1 to 8 hexadecimal digits, such as ffffffff, or 0b and 1 to 32 binary digits",
            )),
        }
    }
}

impl fmt::Display for PrefixBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bits % 4 {
            0 => write!(f, "{:0width$x}", self.value, width = usize::from(self.bits / 4)),
            _ => write!(f, "0b{:0width$b}", self.value, width = usize::from(self.bits)),
        }
    }
}

/// Generates UUIDs of version 8 with a fixed prefix and an ascending tail, for tables that already hold random
/// keys: with the prefix [`PrefixBits::ONES`], new rows go to the right edge of the index.
///
/// With a prefix of `n` bits, 17 to 32, the layout is
/// `prefix n | time 48-n | version 4 | time 12 | variant 2 | one 1 | time 26 | counter 11 | random 24`. The time has Unix
/// milliseconds and 12 bits of their fraction, as in [`Prefixed`](super::Prefixed). Behind 32 bits, it ends in 2109. With
/// at most 16 bits, the layout is that of `Prefixed` with a sequential prefix:
/// `prefix n | unix milliseconds 48-n | version 4 | milliseconds 12 | variant 2 | fraction 12 | counter 18 | random 32`.
/// Behind 16 bits, the time ends in 2527. Ids ascend strictly within a generator.
///
/// The longer the prefix, the fewer random keys begin with it: of 2^32 random keys, one has 32 ones, and one of
/// 65,536 has 16. On PostgreSQL, some twenty such keys are enough to leave the pages of new rows half full. So 16 ones serve for
/// a table with up to about a million random keys, and 32 ones with up to 80 billion. Against this, long prefixes leave
/// fewer random bits: with 24, an id is not hard to guess if the time of its generation is known to the microsecond.
///
/// PostgreSQL splits a page in the middle unless it is the last page of the index. So ascending keys among random ones
/// leave pages half full, whereas at the right edge they fill the pages.
///
/// ```
/// use idgen::Timestamp;
/// use idgen::generator::{FixedPrefix, Generate, PrefixBits};
/// use idgen::source::{FixedClock, FixedEntropy};
///
/// let clock = FixedClock::new(Timestamp::from_unix_secs(1_800_000_000));
/// let mut ids = FixedPrefix::new(clock, FixedEntropy::new(1), PrefixBits::ONES);
/// let (a, b) = (ids.next_id()?, ids.next_id()?);
/// assert!(a.to_string().starts_with("ffffffff-") && a < b);
/// # Ok::<(), idgen::Error>(())
/// ```
pub struct FixedPrefix<C, E, S: State = NoState> {
    inner: Counted<HighFractions, C, E, S>,
    prefix: PrefixBits,
}

#[cfg(feature = "std")]
impl FixedPrefix<SystemClock, Csprng> {
    /// A generator with the system's clock and randomness.
    ///
    /// # Errors
    /// If the system provides no randomness.
    pub fn system(prefix: PrefixBits) -> Result<Self> {
        Ok(Self::new(SystemClock, Csprng::new()?, prefix))
    }
}

impl<C: Clock, E: Entropy> FixedPrefix<C, E> {
    /// A generator with this clock, randomness and prefix.
    pub fn new(clock: C, entropy: E, prefix: PrefixBits) -> Self {
        let inner = Counted::new(Kind::FixedPrefix, prefix.last_ms(), clock, entropy);
        FixedPrefix { inner, prefix }
    }

    /// Continues where an earlier run stopped, so that the order holds over restarts too.
    ///
    /// # Errors
    /// If the state cannot be read, or belongs to another kind.
    pub fn with_state<T: State>(self, state: T) -> Result<FixedPrefix<C, E, T>> {
        Ok(FixedPrefix { inner: self.inner.with_state(state)?, prefix: self.prefix })
    }
}

impl<C: Clock, E: Entropy, S: State> FixedPrefix<C, E, S> {
    /// Replaces the default policy for a clock that is behind.
    #[must_use]
    pub fn with_policy(mut self, policy: ClockPolicy) -> Self {
        self.inner.set_policy(policy);
        self
    }
}

impl<C: Clock, E: Entropy, S: State> NextBits for FixedPrefix<C, E, S> {
    #[inline(always)]
    fn next_bits(&mut self) -> Result<Bits> {
        let base = self.prefix.base();
        match self.prefix.is_short() {
            true => self.inner.next_bits::<{ tail::wide::RANDOM }>(
                tail::wide::COUNTER,
                |time| tail::wide::head(base, time, 0),
                tail::wide::with_counter,
            ),
            false => self.inner.next_bits::<{ tail::long::RANDOM }>(
                tail::long::COUNTER,
                |time| tail::long::head(base, time),
                tail::long::with_counter,
            ),
        }
    }
}

impl<C: Clock, E: Entropy, S: State> Generate for FixedPrefix<C, E, S> {
    type Id = Uuid;

    #[inline]
    fn next_id(&mut self) -> Result<Uuid> {
        self.next_bits().map(from_bits)
    }

    fn fill(&mut self, ids: &mut [Uuid]) -> Result<()> {
        let base = self.prefix.base();
        match self.prefix.is_short() {
            true => self.inner.fill::<{ tail::wide::RANDOM }>(
                ids,
                tail::wide::COUNTER,
                |time| tail::wide::head(base, time, 0),
                tail::wide::with_counter,
            ),
            false => self.inner.fill::<{ tail::long::RANDOM }>(
                ids,
                tail::long::COUNTER,
                |time| tail::long::head(base, time),
                tail::long::with_counter,
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::unit::Unit;
    use crate::source::{FixedClock, FixedEntropy};
    use crate::timestamp::Timestamp;
    use core::time::Duration;
    use std::string::ToString;

    /// The time of an id, read bit by bit.
    fn time_of(id: Uuid, bits: u32) -> Timestamp {
        let bit = |at: u32| id.as_u128() >> (127 - at) & 1;
        let until = if bits <= 16 { 78 } else { 93 };
        let one = if bits <= 16 { 128 } else { 66 };
        let time = (bits..until).filter(|at| !(48..52).contains(at) && !(64..66).contains(at) && *at != one);
        Unit::HighFraction.at(time.fold(0, |time, at| time << 1 | bit(at) as i64))
    }

    #[test]
    fn every_width_holds_its_prefix_and_the_time() {
        for bits in 1..=32u8 {
            for value in [0, 1, u32::MAX >> (32 - bits)] {
                let prefix = PrefixBits::new(value, bits).unwrap();
                assert_eq!(prefix.to_string().parse::<PrefixBits>().unwrap(), prefix);
                let clock = FixedClock::new(Timestamp::from_unix_millis(1_795_262_400_123));
                let mut ids = FixedPrefix::new(&clock, FixedEntropy::new(1), prefix);
                let mut last = Uuid::nil();
                for _ in 0..100 {
                    clock.advance(Duration::from_nanos(7_300));
                    let id = ids.next_id().unwrap();
                    assert_eq!((id.as_u128() >> (128 - u32::from(bits))) as u32, value, "{prefix}");
                    assert!(last < id && id.as_bytes()[8] != 0x80 && id.get_version_num() == 8);
                    assert_eq!(id.get_variant(), uuid::Variant::RFC4122);
                    let off = clock.now().since(time_of(id, bits.into()));
                    assert!(off < Duration::from_nanos(300), "{prefix} {off:?}");
                    let (first, end) = prefix.bounds(clock.now().unix_millis(), clock.now().unix_millis());
                    assert!(first <= id && id <= end, "{prefix}");
                    let (later, _) = prefix.bounds(clock.now().unix_millis() + 1, i64::MAX >> 22);
                    assert!(end < later, "{prefix}");
                    last = id;
                }
            }
        }
    }

    #[test]
    fn new_ids_follow_those_of_shorter_prefixes_of_ones() {
        let clock = FixedClock::new(Timestamp::from_unix_millis(1_795_262_400_123));
        let mut last = Uuid::nil();
        for bits in [16, 24, 32] {
            let prefix = PrefixBits::new(u32::MAX >> (32 - bits), bits).unwrap();
            let id = FixedPrefix::new(&clock, FixedEntropy::new(1), prefix).next_id().unwrap();
            assert!(last < id);
            last = id;
        }
    }

    #[test]
    fn bad_prefixes_and_times_are_refused() {
        for wrong in ["", "g", "+f", "0b", "0b2", "123456789", "0b000000000000000000000000000000001"] {
            let error = wrong.parse::<PrefixBits>().unwrap_err();
            assert!(error.is_config(), "{wrong}");
        }
        for (value, bits) in [(0, 0), (1, 33), (4, 2)] {
            assert!(PrefixBits::new(value, bits).unwrap_err().is_config());
        }
        for (prefix, last_ms) in [("ffff", (1 << 44) - 1), ("ffffffff", (1 << 42) - 1)] {
            let made = |ticks| {
                let clock = FixedClock::new(Timestamp::from_unix_ticks(ticks));
                FixedPrefix::new(clock, FixedEntropy::new(1), prefix.parse().unwrap()).next_id()
            };
            assert!(made(last_ms * 10_000 + 9_999).is_ok());
            for ticks in [-1, (last_ms + 1) * 10_000] {
                assert!(made(ticks).unwrap_err().is_time_out_of_range());
            }
        }
    }
}
