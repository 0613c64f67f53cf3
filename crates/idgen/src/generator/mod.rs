//! Layer 3: the generators, one a file. Each is a value built from its sources.

#[cfg(all(feature = "prefixed", feature = "alloc"))]
mod any;
mod counted;
mod device_lease;
mod device_short;
mod draws;
mod fixed_prefix;
mod gregorian;
#[cfg(feature = "prefixed")]
pub(crate) mod layout;
mod line;
mod monotonic;
#[cfg(feature = "std")]
mod mysql_servers;
mod mysql_short;
#[cfg(test)]
mod order;
#[cfg(feature = "prefixed")]
mod prefixed;
mod reserve;
#[cfg(feature = "std")]
mod rows;
mod ulid;
pub(crate) mod unit;
mod v1_v6;
mod v4;
mod v7;

#[cfg(all(feature = "prefixed", feature = "alloc"))]
#[doc(hidden)]
pub use any::{AnyGenerator, GenerateShort, LayoutSettings, Settings};
pub use device_lease::DeviceLease;
pub use device_short::DeviceShort;
pub use fixed_prefix::{FixedPrefix, PrefixBits};
#[cfg(feature = "std")]
pub(crate) use mysql_servers::MysqlServers;
pub use mysql_short::MysqlShort;
#[cfg(feature = "prefixed")]
pub use prefixed::{Prefixed, Tail};
#[cfg(feature = "std")]
pub use rows::ids_for_rows;
pub use ulid::Ulid;
pub use v1_v6::{V1, V6};
pub use v4::V4;
pub use v7::V7;

use uuid::Uuid;

use crate::error::Result;
use crate::source::State;

/// Generates ids.
///
/// A generator never repeats an id, and neither do its copies in forked children. If a kind is ordered, each id is
/// greater than all earlier ids, or with an ascending tail, than all earlier ids of its bucket. An exception is a
/// policy that restarts after the clock stepped back
/// ([`WhenBehind::Restart`](crate::source::WhenBehind::Restart)).
///
/// In forked children, random ids and tails depend on the [`Entropy`](crate::source::Entropy). Those of this crate
/// detect a fork, except the fixed one; an `Entropy` of your own must do so too.
pub trait Generate {
    /// [`Uuid`] or [`ShortId`](crate::ShortId).
    type Id;

    /// The next id.
    ///
    /// # Errors
    /// - `is_time_out_of_range`: the kind cannot hold the clock's time.
    /// - `is_clock_behind`: the clock is too far behind (see [`ClockPolicy`](crate::source::ClockPolicy)).
    /// - `is_exhausted`: all ids of a second, or all clock sequences of a fixed node, are used.
    /// - `is_entropy`: the system provides no randomness.
    /// - `is_state`: the state cannot be saved.
    /// - `is_outside_lease`: the number of the device is not leased for the clock's time.
    /// - `is_forked`: this is a forked child, and the generator cannot distinguish it from its parent.
    ///
    /// No id is generated then.
    fn next_id(&mut self) -> Result<Self::Id>;

    /// Fills a slice with new ids, in order. This is faster than one at a time, because the clock is read once.
    ///
    /// # Errors
    /// As [`next_id`](Self::next_id); the slice then holds no new id.
    fn fill(&mut self, ids: &mut [Self::Id]) -> Result<()>;

    /// An iterator over new ids, or over the errors of [`next_id`](Self::next_id). It never ends.
    ///
    /// ```
    /// use idgen::{Uuid, generator::{Generate, V7}};
    ///
    /// let mut generator = V7::system()?;
    /// let ids: Vec<Uuid> = (&mut generator).ids().take(3).collect::<Result<_, _>>()?;
    /// assert!(ids[0] < ids[2] && ids[2] < generator.next_id()?);
    /// # Ok::<(), idgen::Error>(())
    /// ```
    fn ids(self) -> Ids<Self>
    where
        Self: Sized,
    {
        Ids(self)
    }
}

/// The iterator of [`Generate::ids`].
#[derive(Clone, Debug)]
pub struct Ids<G>(G);

impl<G: Generate> Iterator for Ids<G> {
    type Item = Result<G::Id>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.0.next_id())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::MAX, None)
    }
}

impl<T: Generate + ?Sized> Generate for &mut T {
    type Id = T::Id;

    fn next_id(&mut self) -> Result<Self::Id> {
        (**self).next_id()
    }

    fn fill(&mut self, ids: &mut [Self::Id]) -> Result<()> {
        (**self).fill(ids)
    }
}

/// Generators show only their name, because their content is secret or of no use.
macro_rules! debug_by_name {
    ($([$($generics:tt)*] $name:ident $parameters:ty;)+) => {$(
        impl<$($generics)*> core::fmt::Debug for $parameters {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )+};
}

debug_by_name! {
    [C, E, S: State] V1 V1<C, E, S>;
    [E] V4 V4<E>;
    [C, E, S: State] V6 V6<C, E, S>;
    [C, E, S: State] V7 V7<C, E, S>;
    [C, E, S: State] Ulid Ulid<C, E, S>;
    [C, E, S: State] FixedPrefix FixedPrefix<C, E, S>;
    [C, S: State] DeviceShort DeviceShort<C, S>;
    [S: State] MysqlShort MysqlShort<S>;
}
#[cfg(feature = "prefixed")]
debug_by_name! {
    [C, E, S: State] Prefixed Prefixed<C, E, S>;
}

/// A UUID as the number whose memory is its bytes.
///
/// Generators return a `Result` of this number instead of a `Uuid`. A `Result<Uuid>` has its 16 bytes at an odd address,
/// where the compiler assembles them piece by piece, which takes longer than the rest.
pub(crate) type Bits = u128;

/// The interface of the UUID generators for the one-line functions.
pub(crate) trait NextBits {
    /// The next id.
    fn next_bits(&mut self) -> Result<Bits>;
}

#[inline(always)]
pub(crate) fn to_bits(id: Uuid) -> Bits {
    Bits::from_ne_bytes(id.into_bytes())
}

#[inline(always)]
pub(crate) fn from_bits(bits: Bits) -> Uuid {
    Uuid::from_bytes(bits.to_ne_bytes())
}

#[cfg(feature = "alloc")]
impl<T: Generate + ?Sized> Generate for alloc::boxed::Box<T> {
    type Id = T::Id;

    fn next_id(&mut self) -> Result<Self::Id> {
        (**self).next_id()
    }

    fn fill(&mut self, ids: &mut [Self::Id]) -> Result<()> {
        (**self).fill(ids)
    }
}

/// Runs a loop that fills a slice. If it fails, wipes what it wrote, so that no part of it is mistaken for ids.
fn all_or_nothing<T: Default>(ids: &mut [T], fill: impl FnOnce(&mut [T]) -> Result<()>) -> Result<()> {
    fill(ids).inspect_err(|_| ids.iter_mut().for_each(|id| *id = T::default()))
}
