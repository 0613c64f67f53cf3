//! Ids with a prefix of the caller's choice.

use core::fmt;

use uuid::Uuid;

use crate::error::{Error, Result};
use crate::generator::padded::Padded;
use crate::generator::{Bits, Generate, NextBits, from_bits};
use crate::kind::Kind;
use crate::source::{Clock, ClockPolicy, Entropy, NoState, State};
#[cfg(feature = "std")]
use crate::source::{Csprng, SystemClock};
use crate::tail;

/// A prefix of 1 to 16 bits.
///
/// ```
/// use idgen::generator::PrefixBits;
///
/// assert_eq!("ffff".parse::<PrefixBits>()?, PrefixBits::ONES);
/// assert_eq!("0b101".parse::<PrefixBits>()?, PrefixBits::new(0b101, 3)?);
/// assert_eq!(PrefixBits::new(0xf8, 8)?.to_string(), "f8");
/// assert_eq!(PrefixBits::new(0b101, 3)?.to_string(), "0b101");
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PrefixBits {
    value: u16,
    bits: u8,
}

impl PrefixBits {
    /// Sixteen ones, the right edge of an index.
    pub const ONES: PrefixBits = PrefixBits { value: u16::MAX, bits: 16 };

    /// The lowest `bits` bits of `value`.
    ///
    /// # Errors
    /// If `bits` is not 1 to 16, or the value needs more bits.
    pub fn new(value: u16, bits: u8) -> Result<Self> {
        if !(1..=16).contains(&bits) {
            return Err(Error::config("a fixed prefix cannot have this many bits:", bits, "use 1 to 16"));
        }
        if u32::from(value) >> bits != 0 {
            return Err(Error::config(
                "the value does not fit the prefix:",
                format_args!("{value:#06x} of {bits} bits"),
                "use a smaller value or more bits",
            ));
        }
        Ok(PrefixBits { value, bits })
    }

    /// What all ids with the prefix share: see [`tail::base`].
    pub(crate) const fn base(self) -> u64 {
        tail::base(self.value << (16 - self.bits), 0, 0)
    }

    /// The last millisecond that fits behind the prefix.
    pub(crate) const fn last_ms(self) -> i64 {
        (1 << (60 - self.bits)) - 1
    }
}

impl core::str::FromStr for PrefixBits {
    type Err = Error;

    /// Reads 1 to 4 hexadecimal digits, or `0b` and 1 to 16 binary digits.
    fn from_str(text: &str) -> Result<Self> {
        let (digits, radix, each) = match text.strip_prefix("0b") {
            Some(digits) => (digits, 2, 1),
            None => (text, 16, 4),
        };
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u16::from_str_radix(digits, radix) {
            Ok(value) if is_plain && digits.len() * each <= 16 => {
                PrefixBits::new(value, (digits.len() * each) as u8)
            }
            _ => Err(Error::config(
                "not a fixed prefix:",
                text,
                "write 1 to 4 hexadecimal digits, such as ffff, or 0b and 1 to 16 binary digits",
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
/// With a prefix of `n` bits, the layout is that of [`Prefixed`](super::Prefixed) with a sequential prefix:
/// `prefix n | unix milliseconds 48-n | version 4 | milliseconds 12 | variant 2 | pad 6 | counter 28 | random 28`.
/// A prefix of 16 bits leaves room for times until the year 2527, and a shorter one for later times. Ids ascend strictly
/// within a generator.
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
/// assert!(a.to_string().starts_with("ffff") && a < b);
/// # Ok::<(), idgen::Error>(())
/// ```
pub struct FixedPrefix<C, E, S: State = NoState> {
    inner: Padded<C, E, S>,
    base: u64,
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
        let inner = Padded::new(Kind::FixedPrefix, prefix.last_ms(), clock, entropy);
        FixedPrefix { inner, base: prefix.base() }
    }

    /// Continues where an earlier run stopped, so that the order holds over restarts too.
    ///
    /// # Errors
    /// If the state cannot be read, or belongs to another kind.
    pub fn with_state<T: State>(self, state: T) -> Result<FixedPrefix<C, E, T>> {
        Ok(FixedPrefix { inner: self.inner.with_state(state)?, base: self.base })
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
        let base = self.base;
        self.inner.next_bits::<{ tail::wide::RANDOM }>(
            |ms, pad| tail::wide::head(base, ms, pad),
            tail::wide::with_counter,
        )
    }
}

impl<C: Clock, E: Entropy, S: State> Generate for FixedPrefix<C, E, S> {
    type Id = Uuid;

    #[inline]
    fn next_id(&mut self) -> Result<Uuid> {
        self.next_bits().map(from_bits)
    }

    fn fill(&mut self, ids: &mut [Uuid]) -> Result<()> {
        let base = self.base;
        self.inner.fill::<{ tail::wide::RANDOM }>(
            ids,
            |ms, pad| tail::wide::head(base, ms, pad),
            tail::wide::with_counter,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{FixedClock, FixedEntropy};
    use crate::timestamp::Timestamp;
    use core::time::Duration;
    use std::string::ToString;

    #[test]
    fn every_width_holds_its_prefix_and_the_time() {
        for bits in 1..=16u8 {
            for value in [0, 1, u16::MAX >> (16 - bits)] {
                let prefix = PrefixBits::new(value, bits).unwrap();
                assert_eq!(prefix.to_string().parse::<PrefixBits>().unwrap(), prefix);
                let clock = FixedClock::new(Timestamp::from_unix_millis(1_795_262_400_123));
                let mut ids = FixedPrefix::new(&clock, FixedEntropy::new(1), prefix);
                let mut last = Uuid::nil();
                for _ in 0..100 {
                    clock.advance(Duration::from_millis(1));
                    let id = ids.next_id().unwrap();
                    assert_eq!((id.as_u128() >> (128 - u32::from(bits))) as u16, value, "{prefix}");
                    assert!(last < id && id.as_bytes()[8] != 0x80 && id.get_version_num() == 8);
                    let mask = u64::MAX >> bits;
                    let (top, _) = id.as_u64_pair();
                    let ms = (top & mask) >> 16 << 12 | top & 0xFFF;
                    assert_eq!(Timestamp::from_unix_millis(ms as i64), clock.now(), "{prefix}");
                    last = id;
                }
            }
        }
    }

    #[test]
    fn bad_prefixes_and_times_are_refused() {
        for wrong in ["", "g", "+f", "0b", "0b2", "12345", "0b00000000000000001"] {
            let error = wrong.parse::<PrefixBits>().unwrap_err();
            assert!(error.is_config(), "{wrong}");
        }
        for (value, bits) in [(0, 0), (1, 17), (4, 2)] {
            assert!(PrefixBits::new(value, bits).unwrap_err().is_config());
        }
        for ms in [-1, 1 << 44] {
            let clock = FixedClock::new(Timestamp::from_unix_millis(ms));
            let mut ids = FixedPrefix::new(clock, FixedEntropy::new(1), PrefixBits::ONES);
            assert!(ids.next_id().unwrap_err().is_time_out_of_range());
        }
    }
}
