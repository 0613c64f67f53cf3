//! UUID versions 1 and 6: the same sequence of values, with the fields in two orders.

use uuid::Uuid;

use crate::error::Result;
use crate::fields;
use crate::generator::gregorian::Gregorian;
use crate::generator::{Bits, Generate, NextBits, all_or_nothing, from_bits, to_bits};
use crate::kind::Kind;
use crate::node::Node;
use crate::source::{Clock, ClockPolicy, Entropy, NoState, State};
#[cfg(feature = "std")]
use crate::source::{Csprng, SystemClock};

macro_rules! gregorian {
    ($($(#[$doc:meta])* $version:ident, $fields:path;)+) => {$(
        $(#[$doc])*
        pub struct $version<C, E, S: State = NoState> {
            inner: Gregorian<C, E, S>,
        }

        #[cfg(feature = "std")]
        impl $version<SystemClock, Csprng> {
            /// A generator with the system's clock and randomness.
            ///
            /// # Errors
            /// If the system provides no randomness.
            pub fn system() -> Result<Self> {
                Ok(Self::new(SystemClock, Csprng::new()?))
            }
        }

        impl<C: Clock, E: Entropy> $version<C, E> {
            /// A generator with this clock and randomness.
            pub fn new(clock: C, entropy: E) -> Self {
                $version { inner: Gregorian::new(Kind::$version, clock, entropy) }
            }

            /// Continues where an earlier run stopped, and repeats none of its ids, even within the same tick.
            ///
            /// # Errors
            /// If the state cannot be read, or belongs to another kind.
            pub fn with_state<T: State>(self, state: T) -> Result<$version<C, E, T>> {
                Ok($version { inner: self.inner.with_state(state)? })
            }
        }

        impl<C: Clock, E: Entropy, S: State> $version<C, E, S> {
            /// Uses this node, which other generators may share. Each id then takes a tick of its own: above ten
            /// million ids per second, the time runs ahead of the clock.
            ///
            /// Each copy in a forked child, and each restart after the clock stepped back, takes another clock
            /// sequence. There are 16,384: after as many forks and restarts since the first id, further ones get a
            /// permanent error ([`is_exhausted`](crate::Error::is_exhausted)). A random node has no such limit.
            #[must_use]
            pub fn with_node(mut self, node: Node) -> Self {
                self.inner.set_node(node);
                self
            }

            /// Replaces the default policy for a clock that is behind.
            #[must_use]
            pub fn with_policy(mut self, policy: ClockPolicy) -> Self {
                self.inner.set_policy(policy);
                self
            }
        }

        impl<C: Clock, E: Entropy, S: State> NextBits for $version<C, E, S> {
            #[inline(always)]
            fn next_bits(&mut self) -> Result<Bits> {
                let mut bits = 0;
                self.inner.next(1, |ticks, low| bits = to_bits($fields(ticks, low)))?;
                Ok(bits)
            }
        }

        impl<C: Clock, E: Entropy, S: State> Generate for $version<C, E, S> {
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
                            *slot = $fields(ticks, low);
                        }
                    })
                })
            }
        }
    )+};
}

gregorian! {
    /// Generates UUIDs of version 1: Gregorian time with its low bits first, clock sequence, node: RFC 9562 section
    /// 5.1.
    ///
    /// Their order is not the order of time: prefer [`V6`], or store them with their time fields swapped
    /// ([`codec::swapped`](crate::codec::swapped)).
    ///
    /// The node is random, with the multicast bit set, unless [`with_node`](Self::with_node) names one.
    ///
    /// ```
    /// use idgen::{Timestamp, generator::{Generate, V1}, source::{FixedClock, FixedEntropy}};
    ///
    /// let clock = FixedClock::new(Timestamp::from_unix_secs(1_645_557_742));
    /// let mut ids = V1::new(clock, FixedEntropy::new(1)).with_node("9f6bdeced846".parse()?);
    /// let (a, b) = (ids.next_id()?, ids.next_id()?);
    /// assert!(a != b && b.get_version_num() == 1);
    /// # Ok::<(), idgen::Error>(())
    /// ```
    V1, fields::v1;
    /// Generates UUIDs of version 6: the fields of version 1 with the high bits of the time first, so that ids
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
    V6, fields::v6;
}
