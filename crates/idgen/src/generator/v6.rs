//! UUID version 6.

use uuid::Uuid;

use crate::error::Result;
use crate::fields;
use crate::generator::gregorian::{Gregorian, V6_SHAPE};
use crate::generator::{Bits, Generate, NextBits, all_or_nothing, from_bits, to_bits};
use crate::node::Node;
use crate::source::{Clock, ClockPolicy, Entropy, NoState, State};
#[cfg(feature = "std")]
use crate::source::{Csprng, SystemClock};

/// Makes UUIDs of version 6: the fields of version 1 with the time's high bits first, so that ids
/// sort by time: RFC 9562 section 5.6. Strictly ascending within a generator.
///
/// The node is random, with the multicast bit set, unless [`with_node`](Self::with_node) names one.
///
/// ```
/// use idgen::{Timestamp, generator::{Generate, V6}, source::{FixedClock, FixedEntropy}};
///
/// let clock = FixedClock::new(Timestamp::from_unix_secs(1_645_557_742));
/// let mut ids = V6::new(clock, FixedEntropy::new(1)).with_node("9f6bdeced846".parse()?);
/// let (a, b) = (ids.next_id()?, ids.next_id()?);
/// assert!(a < b && b.get_version_num() == 6);
/// # Ok::<(), idgen::Error>(())
/// ```
pub struct V6<C, E, S: State = NoState> {
    inner: Gregorian<C, E, S>,
}

#[cfg(feature = "std")]
impl V6<SystemClock, Csprng> {
    /// From the system's clock and randomness.
    ///
    /// # Errors
    /// Where the system gives no randomness.
    pub fn system() -> Result<Self> {
        Ok(Self::new(SystemClock, Csprng::new()?))
    }
}

impl<C: Clock, E: Entropy> V6<C, E> {
    /// From a clock and randomness.
    pub fn new(clock: C, entropy: E) -> Self {
        V6 { inner: Gregorian::new(V6_SHAPE, clock, entropy) }
    }

    /// Goes on where an earlier run stopped: no id of it comes again, even within the same tick.
    ///
    /// # Errors
    /// Where the state cannot be read, or belongs to another kind.
    pub fn with_state<T: State>(self, state: T) -> Result<V6<C, E, T>> {
        Ok(V6 { inner: self.inner.with_state(state)? })
    }
}

impl<C: Clock, E: Entropy, S: State> V6<C, E, S> {
    /// Uses this node, which other generators may share. Each id then takes a tick of its own: above
    /// ten million ids a second the time runs ahead of the clock.
    ///
    /// Copies in forked children, and new starts after a step back of the clock, take another clock sequence
    /// each. There are 16,384: when as many forks of the process and new starts have come after the first id,
    /// further ones get an error for good ([`is_exhausted`](crate::Error::is_exhausted)). A random node knows
    /// no such end.
    #[must_use]
    pub fn with_node(mut self, node: Node) -> Self {
        self.inner.set_node(node);
        self
    }

    /// Replaces the default policy for a clock that stands behind.
    #[must_use]
    pub fn with_policy(mut self, policy: ClockPolicy) -> Self {
        self.inner.set_policy(policy);
        self
    }
}

impl<C: Clock, E: Entropy, S: State> NextBits for V6<C, E, S> {
    #[inline]
    fn next_bits(&mut self) -> Result<Bits> {
        let mut bits = 0;
        self.inner.next(1, |ticks, low| bits = to_bits(fields::v6(ticks, low)))?;
        Ok(bits)
    }
}

impl<C: Clock, E: Entropy, S: State> Generate for V6<C, E, S> {
    type Id = Uuid;

    #[inline]
    fn next_id(&mut self) -> Result<Uuid> {
        self.next_bits().map(from_bits)
    }

    fn fill(&mut self, ids: &mut [Uuid]) -> Result<()> {
        all_or_nothing(ids, |ids| {
            let mut slots = ids.iter_mut();
            self.inner.next(slots.len(), |ticks, low| {
                if let Some(slot) = slots.next() {
                    *slot = fields::v6(ticks, low);
                }
            })
        })
    }
}
