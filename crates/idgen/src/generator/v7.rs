//! UUID version 7.

use uuid::Uuid;

use crate::error::Result;
use crate::fields::{self, LAST_UNIX_MS, V7_COUNTER, V7_RANDOM};
use crate::generator::counted::Counted;
use crate::generator::unit::Fractions;
use crate::generator::{Bits, Generate, NextBits, from_bits};
use crate::kind::Kind;
use crate::source::{Clock, ClockPolicy, Entropy, NoState, State};
#[cfg(feature = "std")]
use crate::source::{Csprng, SystemClock};

/// Generates UUIDs of version 7. These are the bits of the 16 bytes, in network byte order:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |      milliseconds since 1970-01-01, upper 32 of 48 bits       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  milliseconds, lower 16 bits  |   7   |   fraction, 12 bits   |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// | 2 |     counter, 14 bits      |  random, upper 16 of 48 bits  |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                     random, lower 32 bits                     |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// The fraction counts 1/4,096 of a millisecond (244 ns), so that ids of several generators with one clock are in the order in
/// which they were generated. The counter starts at random in the lower half in each fraction, which leaves at least 8,192
/// ids for it; a larger batch continues in the following fractions. All ids of a call of [`fill`](Generate::fill) continue from
/// one reading of the clock, so that a batch stays together. Ids ascend strictly within a generator.
///
/// If the clock is coarser than the fraction ([`Clock::step`]), the bits below its step are random, and counted up.
///
/// Source: RFC 9562 sections 5.7 and 6.2 (methods 3 and 1).
///
/// ```
/// use idgen::{Timestamp, generator::{Generate, V7}, source::{FixedClock, FixedEntropy}};
///
/// let clock = FixedClock::new(Timestamp::from_unix_millis(1_645_557_742_000));
/// let mut ids = [idgen::Uuid::nil(); 1_000];
/// V7::new(clock, FixedEntropy::new(1)).fill(&mut ids)?;
/// assert!(ids.is_sorted_by(|a, b| a < b));
/// assert!(ids[999].to_string().starts_with("017f22e2-79b0-7"));
/// # Ok::<(), idgen::Error>(())
/// ```
pub struct V7<C, E, S: State = NoState> {
    inner: Counted<Fractions, C, E, S>,
}

#[cfg(feature = "std")]
impl V7<SystemClock, Csprng> {
    /// A generator with the system's clock and randomness.
    ///
    /// # Errors
    /// If the system provides no randomness.
    pub fn system() -> Result<Self> {
        Ok(Self::new(SystemClock, Csprng::new()?))
    }
}

impl<C: Clock, E: Entropy> V7<C, E> {
    /// A generator with this clock and randomness.
    pub fn new(clock: C, entropy: E) -> Self {
        V7 { inner: Counted::new(Kind::V7, LAST_UNIX_MS, clock, entropy) }
    }

    /// Continues where an earlier run stopped, so that the order holds over the restart too.
    ///
    /// # Errors
    /// If the state cannot be read, or belongs to another kind.
    pub fn with_state<T: State>(self, state: T) -> Result<V7<C, E, T>> {
        Ok(V7 { inner: self.inner.with_state(state)? })
    }
}

impl<C: Clock, E: Entropy, S: State> V7<C, E, S> {
    /// Replaces the default policy for a clock that is behind.
    #[must_use]
    pub fn with_policy(mut self, policy: ClockPolicy) -> Self {
        self.inner.set_policy(policy);
        self
    }
}

impl<C: Clock, E: Entropy, S: State> NextBits for V7<C, E, S> {
    #[inline(always)]
    fn next_bits(&mut self) -> Result<Bits> {
        self.inner.next_bits::<V7_RANDOM>(V7_COUNTER, fields::v7, fields::v7_with_counter)
    }
}

impl<C: Clock, E: Entropy, S: State> Generate for V7<C, E, S> {
    type Id = Uuid;

    #[inline]
    fn next_id(&mut self) -> Result<Uuid> {
        self.next_bits().map(from_bits)
    }

    fn fill(&mut self, ids: &mut [Uuid]) -> Result<()> {
        self.inner.fill::<V7_RANDOM>(ids, V7_COUNTER, fields::v7, fields::v7_with_counter)
    }
}
