//! Randomness for many ids at a time.

use uuid::Uuid;

use crate::chunks::{chunks, chunks_mut};
use crate::error::Result;
use crate::fields::{self, Head};
use crate::source::{Entropy, MakeIds};

/// Makes each id from 128 random bits.
#[cfg(feature = "prefixed")]
#[inline]
pub(super) fn random(
    entropy: &mut impl Entropy,
    ids: &mut [Uuid],
    make: impl Fn(u128) -> Uuid,
) -> Result<()> {
    entropy.make_ids::<16>(ids, &Random(make))
}

#[cfg(feature = "prefixed")]
struct Random<F>(F);

#[cfg(feature = "prefixed")]
impl<F: Fn(u128) -> Uuid> MakeIds for Random<F> {
    #[inline(always)]
    fn make(&self, _: usize, ids: &mut [Uuid], bytes: &[u8]) {
        let (draws, _) = chunks::<_, 16>(bytes);
        ids.iter_mut().zip(draws).for_each(|(id, draw)| *id = self.0(u128::from_ne_bytes(*draw)));
    }
}

/// Makes ids of which only version and variant are not random.
#[inline]
pub(super) fn versioned<const VERSION: u8>(entropy: &mut impl Entropy, ids: &mut [Uuid]) -> Result<()> {
    entropy.make_ids::<16>(ids, &Versioned::<VERSION>)
}

struct Versioned<const VERSION: u8>;

impl<const VERSION: u8> Versioned<VERSION> {
    /// The bits of version and variant.
    const SET: [u8; 64] = four_times(fields::stamped(0, VERSION));
    /// The random bits, and some of those.
    const KEEP: [u8; 64] = four_times(fields::stamped(u128::MAX, VERSION));
}

const fn four_times(id: Uuid) -> [u8; 64] {
    let (mut all, mut i) = ([0; 64], 0);
    while i < 64 {
        all[i] = id.as_bytes()[i % 16];
        i += 1;
    }
    all
}

impl<const VERSION: u8> MakeIds for Versioned<VERSION> {
    #[inline(always)]
    fn make(&self, _: usize, ids: &mut [Uuid], bytes: &[u8]) {
        // Four ids fit the widest registers.
        let (fours, rest) = chunks_mut::<_, 4>(ids);
        let (draws, rest_draws) = chunks::<_, 64>(bytes);
        for (four, draws) in fours.zip(draws) {
            let mut made = [0; 64];
            for (i, byte) in made.iter_mut().enumerate() {
                *byte = draws[i] & Self::KEEP[i] | Self::SET[i];
            }
            let (made, _) = chunks::<_, 16>(&made);
            four.iter_mut().zip(made).for_each(|(id, made)| *id = Uuid::from_bytes(*made));
        }
        let (draws, _) = chunks::<_, 16>(rest_draws);
        rest.iter_mut()
            .zip(draws)
            .for_each(|(id, draw)| *id = fields::random(u128::from_ne_bytes(*draw), VERSION));
    }
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
    entropy.make_ids::<8>(ids, &Counting::<_, RANDOM> { first, head })
}

struct Counting<F, const RANDOM: u32> {
    first: u32,
    head: F,
}

impl<F: Fn(u32) -> Head, const RANDOM: u32> MakeIds for Counting<F, RANDOM> {
    #[inline(always)]
    fn make(&self, index: usize, mut ids: &mut [Uuid], mut draws: &[u8]) {
        // Over this many ids, the counter changes in one byte alone.
        let stretch = 1 << (8 - RANDOM % 8);
        let mut counter = self.first + index as u32;
        while !ids.is_empty() {
            let count = ids.len().min((stretch - counter % stretch) as usize);
            let (now, later) = ids.split_at_mut(count);
            let (draws_now, draws_later) = draws.split_at(count * 8);
            (self.head)(counter).count_up::<RANDOM>(now, draws_now);
            (ids, draws) = (later, draws_later);
            counter += count as u32;
        }
    }
}
