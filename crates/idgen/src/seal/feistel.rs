//! The rounds of FF1 with radix 2, over blocks of two halves with `HALF` bits each.
//!
//! Sealed ids have halves of 61 bits. The number is a parameter so that tests can permute all values of small halves with the
//! same code.

use aes::cipher::{BlockCipherEncBackend, BlockCipherEncClosure, BlockSizeUser, ParBlocks};

pub(super) const ROUNDS: u8 = 10;

/// The direction of the rounds.
#[derive(Clone, Copy)]
pub(super) enum Way {
    Seal,
    Open,
}

/// The rounds over the free bits of ids. As a closure of the cipher they all run where its instructions were chosen,
/// so the key schedule is loaded once and no block goes through a call.
pub(super) struct Feistel<'a, const HALF: u32> {
    pub(super) start: u128,
    pub(super) ids: &'a mut [u128],
    pub(super) way: Way,
}

impl<const HALF: u32> BlockSizeUser for Feistel<'_, HALF> {
    type BlockSize = <aes::Aes256Enc as BlockSizeUser>::BlockSize;
}

impl<const HALF: u32> BlockCipherEncClosure for Feistel<'_, HALF> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = Self::BlockSize>>(self, backend: &B) {
        let mut blocks = ParBlocks::<B>::default();
        let at_once = blocks.len();
        for ids in self.ids.chunks_mut(at_once) {
            if ids.len() > 1 && ids.len() >= at_once / 16 {
                self.way.rounds(|round| {
                    for (block, bits) in blocks.iter_mut().zip(&*ids) {
                        *block = self.way.block::<HALF>(self.start, round, *bits);
                    }
                    backend.encrypt_par_blocks_inplace(&mut blocks);
                    for (block, bits) in blocks.iter().zip(&mut *ids) {
                        *bits = self.way.step::<HALF>(*bits, block);
                    }
                });
                continue;
            }
            for bits in ids {
                self.way.rounds(|round| {
                    let mut block = self.way.block::<HALF>(self.start, round, *bits);
                    backend.encrypt_block_inplace(&mut block);
                    *bits = self.way.step::<HALF>(*bits, &block);
                });
            }
        }
    }
}

impl Way {
    #[inline(always)]
    fn rounds(self, mut each: impl FnMut(u8)) {
        for number in 0..ROUNDS {
            each(match self {
                Way::Seal => number,
                Way::Open => ROUNDS - 1 - number,
            });
        }
    }

    /// Steps 6.i and 6.ii of algorithm 7: the second block of a round, in which what became of the first is chained.
    #[inline(always)]
    fn block<const HALF: u32>(self, start: u128, round: u8, bits: u128) -> aes::Block {
        let (a, b) = halves::<HALF>(bits);
        let half = match self {
            Way::Seal => b,
            Way::Open => a,
        };
        (start ^ u128::from(round) << 64 ^ u128::from(half)).to_be_bytes().into()
    }

    /// Steps 6.iv to 6.ix: the number in the encrypted block is added to one half, or subtracted, and the halves change
    /// places. The number has 12 bytes; the first four are multiples of 2^64.
    #[inline(always)]
    fn step<const HALF: u32>(self, bits: u128, block: &aes::Block) -> u128 {
        let number = (u128::from_be_bytes(block.0) >> 32) as u64;
        let (a, b) = halves::<HALF>(bits);
        let (a, b) = match self {
            Way::Seal => (b, a.wrapping_add(number) & mask::<HALF>()),
            Way::Open => (b.wrapping_sub(number) & mask::<HALF>(), a),
        };
        u128::from(a) << HALF | u128::from(b)
    }
}

#[inline(always)]
fn halves<const HALF: u32>(bits: u128) -> (u64, u64) {
    ((bits >> HALF) as u64, bits as u64 & mask::<HALF>())
}

/// The bits of a half.
#[inline(always)]
const fn mask<const HALF: u32>() -> u64 {
    (1 << HALF) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use aes::cipher::{BlockCipherEncrypt, KeyInit};
    use std::vec;
    use std::vec::Vec;

    /// Permutes values of `2 * HALF` bits, `at_once` of them at a time.
    fn permute<const HALF: u32>(key: u8, values: &mut [u128], way: Way, at_once: usize) {
        let cipher = aes::Aes256Enc::new(&[key; 32].into());
        let start = (u128::MAX / 3) << 8 | u128::from(key);
        for ids in values.chunks_mut(at_once) {
            cipher.encrypt_with_backend(Feistel::<HALF> { start, ids, way });
        }
    }

    /// All values of the domain are sealed to different values of it, one by one and at once, and each is opened again.
    fn check<const HALF: u32>(key: u8) {
        let all: Vec<u128> = (0..1 << (2 * HALF)).collect();
        let mut sealed = all.clone();
        permute::<HALF>(key, &mut sealed, Way::Seal, 64);
        let mut found = vec![false; all.len()];
        for value in &sealed {
            let place = &mut found[usize::try_from(*value).unwrap()];
            assert!(!std::mem::replace(place, true), "{value} stands for two values of {HALF} bits");
        }
        let mut singly = all.clone();
        permute::<HALF>(key, &mut singly, Way::Seal, 1);
        assert_eq!(singly, sealed);
        permute::<HALF>(key, &mut sealed, Way::Open, 64);
        permute::<HALF>(key, &mut singly, Way::Open, 1);
        assert!(sealed == all && singly == all, "{HALF}");
    }

    /// Sealing is a bijection, proved by exhaustion for halves of 1 to 8 bits: all values, with several keys.
    ///
    /// The induction is over the rounds, and holds for halves of any width: a round adds a number that depends on the other half alone, and
    /// the inverse round subtracts the number that it computes from the same half. So a round has an inverse, and so have ten
    /// rounds. The exhaustion shows that this code does it. What stays sampled is the width of 61 bits, where random blocks are compared
    /// with the crate `fpe`.
    #[test]
    fn sealing_is_a_bijection_on_small_halves() {
        for key in 0..4 {
            check::<1>(key);
            check::<2>(key);
            check::<3>(key);
            check::<4>(key);
            check::<5>(key);
            check::<6>(key);
            check::<7>(key);
            check::<8>(key);
        }
    }
}
