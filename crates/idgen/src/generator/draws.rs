//! Randomness for many ids at a time.

use uuid::Uuid;

use crate::error::Result;
use crate::fields::Head;
use crate::source::Entropy;

/// Makes each id from 128 random bits, which are drawn into the place of the id.
#[inline]
pub(super) fn random(
    entropy: &mut impl Entropy,
    ids: &mut [Uuid],
    make: impl Fn(u128) -> Uuid,
) -> Result<()> {
    fill_with_random(entropy, ids)?;
    for id in ids {
        *id = make(u128::from_ne_bytes(*id.as_bytes()));
    }
    Ok(())
}

#[cfg(feature = "fast")]
fn fill_with_random(entropy: &mut impl Entropy, ids: &mut [Uuid]) -> Result<()> {
    entropy.fill(crate::place::bytes_of_all(ids))
}

#[cfg(not(feature = "fast"))]
fn fill_with_random(entropy: &mut impl Entropy, ids: &mut [Uuid]) -> Result<()> {
    with_draws(entropy, ids, |_, ids, draws| {
        for (id, draw) in ids.iter_mut().zip(draws) {
            *id = Uuid::from_bytes(*draw);
        }
    })
}

/// Makes ids that count up from `first`, each with `RANDOM` random bits at its end; `head` gives what
/// stands before them. The counter's last bits stand directly above the random ones.
#[inline]
pub(super) fn counting<const RANDOM: u32>(
    entropy: &mut impl Entropy,
    ids: &mut [Uuid],
    first: u32,
    head: impl Fn(u32) -> Head,
) -> Result<()> {
    // Over so many ids the counter changes in one byte alone.
    let stretch = 1 << (8 - RANDOM % 8);
    with_draws(entropy, ids, |index, mut ids, mut draws: &[_]| {
        let mut counter = first + index as u32;
        while !ids.is_empty() {
            let count = ids.len().min((stretch - counter % stretch) as usize);
            let (now, later) = ids.split_at_mut(count);
            let (draws_now, draws_later) = draws.split_at(count);
            head(counter).count_up::<RANDOM>(now, draws_now);
            (ids, draws) = (later, draws_later);
            counter += count as u32;
        }
    })
}

/// Calls `make` with the index of some ids, their places, and `N` random bytes for each.
#[inline]
fn with_draws<const N: usize>(
    entropy: &mut impl Entropy,
    ids: &mut [Uuid],
    make: impl Fn(usize, &mut [Uuid], &[[u8; N]]),
) -> Result<()> {
    // Large pieces are cheap to draw. For a few ids, clearing the memory would take longer.
    if ids.len() <= 64 {
        in_pieces::<N, 64>(entropy, ids, make)
    } else if N <= 8 {
        in_pieces::<N, 1024>(entropy, ids, make)
    } else {
        in_pieces::<N, 512>(entropy, ids, make)
    }
}

#[inline]
fn in_pieces<const N: usize, const PIECE: usize>(
    entropy: &mut impl Entropy,
    ids: &mut [Uuid],
    make: impl Fn(usize, &mut [Uuid], &[[u8; N]]),
) -> Result<()> {
    let mut draws = [[0; N]; PIECE];
    for (ids, index) in ids.chunks_mut(PIECE).zip((0..).step_by(PIECE)) {
        let draws = &mut draws[..ids.len()];
        entropy.fill(draws.as_flattened_mut())?;
        make(index, ids, draws);
    }
    Ok(())
}
