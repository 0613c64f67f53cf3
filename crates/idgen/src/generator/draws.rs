//! Randomness for many ids at a time.

use uuid::Uuid;

use crate::error::Result;
use crate::source::Entropy;

/// Calls `make` with each id's place, its index, and `N` random bytes of its own.
#[inline]
pub(super) fn with_draws<const N: usize>(
    entropy: &mut impl Entropy,
    ids: &mut [Uuid],
    make: impl Fn(&mut Uuid, usize, [u8; N]),
) -> Result<()> {
    // Large pieces are cheap to draw; a few ids are not worth the clearing of their memory.
    if ids.len() <= 32 {
        in_pieces::<N, 32>(entropy, ids, make)
    } else {
        in_pieces::<N, 256>(entropy, ids, make)
    }
}

#[inline]
fn in_pieces<const N: usize, const PIECE: usize>(
    entropy: &mut impl Entropy,
    ids: &mut [Uuid],
    make: impl Fn(&mut Uuid, usize, [u8; N]),
) -> Result<()> {
    let mut draws = [[0; N]; PIECE];
    for (ids, first) in ids.chunks_mut(PIECE).zip((0..).step_by(PIECE)) {
        let draws = &mut draws[..ids.len()];
        entropy.fill(draws.as_flattened_mut())?;
        for ((id, draw), index) in ids.iter_mut().zip(draws).zip(first..) {
            make(id, index, *draw);
        }
    }
    Ok(())
}
