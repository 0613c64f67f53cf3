//! The interface of all generators.

use uuid::Uuid;

use crate::error::Result;

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
pub(crate) fn all_or_nothing<T: Default>(
    ids: &mut [T],
    fill: impl FnOnce(&mut [T]) -> Result<()>,
) -> Result<()> {
    fill(ids).inspect_err(|_| ids.iter_mut().for_each(|id| *id = T::default()))
}
