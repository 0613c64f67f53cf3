//! Sources of randomness.

use uuid::Uuid;

use crate::error::Result;

/// A source of random bytes. It must return other bytes in a forked child than in its parent; otherwise ids are
/// repeated.
pub trait Entropy {
    /// Fills the slice; on an error its content is unspecified.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()>;

    /// Sixteen random bytes as a number, in the byte order of the processor: `to_le` makes the same number of the same bytes on
    /// all processors.
    #[inline]
    fn next_u128(&mut self) -> Result<u128> {
        let mut bytes = [0; 16];
        self.fill(&mut bytes)?;
        Ok(u128::from_ne_bytes(bytes))
    }

    /// Eight random bytes as a number, in the byte order of the processor, as [`next_u128`](Entropy::next_u128).
    #[inline]
    fn next_u64(&mut self) -> Result<u64> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }

    /// Makes ids from `N` random bytes each, which is 8 or 16. For the generators of this library: its own sources make the
    /// ids while the bytes are in registers.
    #[doc(hidden)]
    #[inline]
    fn make_ids<const N: usize>(&mut self, ids: &mut [Uuid], make: &impl MakeIds) -> Result<()>
    where
        Self: Sized,
    {
        make_from_draws::<N>(self, ids, make)
    }
}

/// Makes ids from random bytes. A method that is always inlined uses the instructions of the code that makes the bytes.
#[doc(hidden)]
pub trait MakeIds {
    /// `index` is that of the first id among all that are made, and `bytes` are as many for each id.
    fn make(&self, index: usize, ids: &mut [Uuid], bytes: &[u8]);
}

/// Draws the bytes, then makes the ids.
#[inline]
pub(super) fn make_from_draws<const N: usize>(
    entropy: &mut impl Entropy,
    ids: &mut [Uuid],
    make: &impl MakeIds,
) -> Result<()> {
    // Large pieces are cheap to draw. For a few ids, clearing the memory would take longer.
    if ids.len() <= 64 {
        in_pieces::<N, 64>(entropy, ids, make)
    } else {
        in_pieces::<N, 512>(entropy, ids, make)
    }
}

#[inline]
fn in_pieces<const N: usize, const PIECE: usize>(
    entropy: &mut impl Entropy,
    ids: &mut [Uuid],
    make: &impl MakeIds,
) -> Result<()> {
    let mut draws = [[0; N]; PIECE];
    for (ids, index) in ids.chunks_mut(PIECE).zip((0..).step_by(PIECE)) {
        let draws = draws[..ids.len()].as_flattened_mut();
        entropy.fill(draws)?;
        make.make(index, ids, draws);
    }
    Ok(())
}

impl<T: Entropy + ?Sized> Entropy for &mut T {
    #[inline]
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        (**self).fill(bytes)
    }

    #[inline]
    fn next_u128(&mut self) -> Result<u128> {
        (**self).next_u128()
    }

    #[inline]
    fn next_u64(&mut self) -> Result<u64> {
        (**self).next_u64()
    }
}

#[cfg(feature = "alloc")]
impl<T: Entropy + ?Sized> Entropy for alloc::boxed::Box<T> {
    #[inline]
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        (**self).fill(bytes)
    }

    #[inline]
    fn next_u128(&mut self) -> Result<u128> {
        (**self).next_u128()
    }

    #[inline]
    fn next_u64(&mut self) -> Result<u64> {
        (**self).next_u64()
    }
}
