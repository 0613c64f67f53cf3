//! ULID.

use uuid::Uuid;

use crate::error::Result;
use crate::fields::{Counter, Head, LAST_UNIX_MS};
use crate::generator::counted::Counted;
use crate::generator::unit::Millis;
use crate::generator::{Bits, Generate, NextBits, from_bits};
use crate::kind::Kind;
use crate::source::{Clock, ClockPolicy, Entropy, NoState, State};
#[cfg(feature = "std")]
use crate::source::{Csprng, SystemClock};

/// Generates ULIDs: 48 bits of Unix milliseconds and 80 more, here a counter of 26 bits from a random
/// start and 54 random bits. Ids ascend strictly within a generator. They have no version and no variant: write
/// them as text with [`codec::base32`](crate::codec::base32).
///
/// Source: the ULID specification (github.com/ulid/spec). It adds one within the millisecond; the new random bits of
/// each id make the next id hard to guess. Unlike [version 7](crate::generator::V7), a ULID holds no fraction of the
/// millisecond, because the specification calls all 80 bits random. So the ULIDs that several generators make in one
/// millisecond have no order. Version 7 in [`codec::base32`](crate::codec::base32) has the length and the order of a ULID,
/// and the fraction.
///
/// ```
/// use idgen::{Timestamp, generator::{Generate, Ulid}, source::{FixedClock, FixedEntropy}};
///
/// let clock = FixedClock::new(Timestamp::from_unix_millis(1_469_918_176_385));
/// let id = Ulid::new(clock, FixedEntropy::new(1)).next_id()?;
/// assert!(idgen::codec::base32::to_string(&id).starts_with("01ARYZ6S41"));
/// # Ok::<(), idgen::Error>(())
/// ```
pub struct Ulid<C, E, S: State = NoState> {
    inner: Counted<Millis, C, E, S>,
}

#[cfg(feature = "std")]
impl Ulid<SystemClock, Csprng> {
    /// A generator with the system's clock and randomness.
    ///
    /// # Errors
    /// If the system provides no randomness.
    pub fn system() -> Result<Self> {
        Ok(Self::new(SystemClock, Csprng::new()?))
    }
}

impl<C: Clock, E: Entropy> Ulid<C, E> {
    /// A generator with this clock and randomness.
    pub fn new(clock: C, entropy: E) -> Self {
        Ulid { inner: Counted::new(Kind::Ulid, LAST_UNIX_MS, clock, entropy) }
    }

    /// Continues where an earlier run stopped, so that the order holds over the restart too.
    ///
    /// # Errors
    /// If the state cannot be read, or belongs to another kind.
    pub fn with_state<T: State>(self, state: T) -> Result<Ulid<C, E, T>> {
        Ok(Ulid { inner: self.inner.with_state(state)? })
    }
}

impl<C: Clock, E: Entropy, S: State> Ulid<C, E, S> {
    /// Replaces the default policy for a clock that is behind.
    #[must_use]
    pub fn with_policy(mut self, policy: ClockPolicy) -> Self {
        self.inner.set_policy(policy);
        self
    }
}

/// The random bits at the end.
pub(super) const RANDOM: u32 = 54;

/// A millisecond has at least 33 million ids.
pub(super) const COUNTER: Counter = Counter { bits: 26, least: 0 };

/// 48 bits of time.
#[inline]
pub(super) fn head(ms: i64) -> Head {
    Head { top: (ms as u64) << 16, low: 0 }
}

/// 16 + 10 bits of counter.
#[inline]
pub(super) fn with_counter(shared: Head, counter: u32) -> Head {
    Head { top: shared.top | u64::from(counter >> 10), low: u64::from(counter & 0x3FF) << RANDOM }
}

impl<C: Clock, E: Entropy, S: State> NextBits for Ulid<C, E, S> {
    #[inline(always)]
    fn next_bits(&mut self) -> Result<Bits> {
        self.inner.next_bits::<RANDOM>(COUNTER, head, with_counter)
    }
}

impl<C: Clock, E: Entropy, S: State> Generate for Ulid<C, E, S> {
    type Id = Uuid;

    #[inline]
    fn next_id(&mut self) -> Result<Uuid> {
        self.next_bits().map(from_bits)
    }

    fn fill(&mut self, ids: &mut [Uuid]) -> Result<()> {
        self.inner.fill::<RANDOM>(ids, COUNTER, head, with_counter)
    }
}
