//! Floor 3: the generators, one a file. Each is a value built from its sources.

mod device_short;
mod draws;
mod fixed_prefix;
mod gregorian;
mod line;
mod monotonic;
#[cfg(feature = "std")]
mod mysql_servers;
mod mysql_short;
mod padded;
#[cfg(feature = "prefixed")]
mod prefixed;
mod reserve;
mod ulid;
mod unix_ms;
mod v1_v6;
mod v4;
mod v7;

pub use device_short::DeviceShort;
pub use fixed_prefix::{FixedPrefix, PrefixBits};
#[cfg(feature = "std")]
pub(crate) use mysql_servers::MysqlServers;
pub use mysql_short::MysqlShort;
#[cfg(feature = "prefixed")]
pub use prefixed::{Prefixed, Tail};
pub use ulid::Ulid;
pub use v1_v6::{V1, V6};
pub use v4::V4;
pub use v7::V7;

use uuid::Uuid;

use crate::error::Result;

/// Makes ids.
///
/// No id comes twice from one generator, nor from its copies in forked children. Where a kind is
/// ordered, each id is greater than all before it (ascending tails: than all of its bucket), unless the
/// policy says to start over after a step back of the clock
/// ([`WhenBehind::Restart`](crate::source::WhenBehind::Restart)).
///
/// For random ids and tails in forked children this rests on the [`Entropy`](crate::source::Entropy): those
/// of this crate, but for the fixed one, notice a fork; one of your own must do so too.
pub trait Generate {
    /// [`Uuid`] or [`ShortId`](crate::ShortId).
    type Id;

    /// The next id.
    ///
    /// # Errors
    /// Where the clock is out of range or too far behind (see [`ClockPolicy`](crate::source::ClockPolicy)),
    /// where the system gives no randomness, where the state cannot be saved, or in a forked child that
    /// cannot tell itself from its parent. No id is made then.
    fn next_id(&mut self) -> Result<Self::Id>;

    /// Fills a slice with new ids, in order: faster than one at a time, as the clock is read once.
    ///
    /// # Errors
    /// As [`next_id`](Self::next_id); the slice then holds no new id.
    fn fill(&mut self, ids: &mut [Self::Id]) -> Result<()>;
}

/// A UUID as the number whose memory is its bytes.
///
/// What makes an id passes it on as a `Result` of this, not of a `Uuid`: that one has its 16 bytes at
/// an odd address, where the compiler puts them together piece by piece, for longer than the rest takes.
pub(crate) type Bits = u128;

/// The face of the UUID generators towards the one-line functions.
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

/// Runs a filling loop; where it fails, wipes what it wrote, so that nobody takes part of it for ids.
fn all_or_nothing<T: Default>(ids: &mut [T], fill: impl FnOnce(&mut [T]) -> Result<()>) -> Result<()> {
    fill(ids).inspect_err(|_| ids.iter_mut().for_each(|id| *id = T::default()))
}
