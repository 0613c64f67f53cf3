//! AES-256 in counter mode (FIPS 197; NIST SP 800-38A section 6.5), with the AES instructions of the processor.
//!
//! The processor computes the rounds. What is here is the key schedule and the loop over the counters: written by hand
//! because the crate `aes` brings six more, and because a program that is compiled in several codegen units, as by
//! default, calls a function of it for each load of a block. Every length and instruction set is tested against that
//! crate, and the schedule against FIPS 197.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use zeroize::Zeroize;

use super::keystream::KEY_LEN;
use crate::chunks::chunks_mut;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64::*;
#[cfg(target_arch = "x86_64")]
use x86_64::*;

const ROUNDS: usize = 14;

/// AES instructions that this processor has. A value proves that, because only [`Aes::best`] and [`Aes::available`]
/// create values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Aes(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    /// One block in each instruction.
    Single,
    /// Four blocks in each instruction.
    #[cfg(target_arch = "x86_64")]
    Wide,
}

impl Aes {
    /// The fastest ones.
    pub(super) fn best() -> Option<Aes> {
        #[cfg(target_arch = "x86_64")]
        if has_single()
            && std::arch::is_x86_feature_detected!("vaes")
            && std::arch::is_x86_feature_detected!("avx512f")
        {
            return Some(Aes(Set::Wide));
        }
        has_single().then_some(Aes(Set::Single))
    }

    /// All that this processor has.
    #[cfg(test)]
    pub(super) fn available() -> impl Iterator<Item = Aes> {
        let best = Aes::best();
        best.into_iter().chain(best.filter(|best| best.0 != Set::Single).map(|_| Aes(Set::Single)))
    }

    /// Fills the bytes with the blocks of the counters 0, 1, 2 … in little-endian order.
    pub(super) fn fill(self, key: &[u8; KEY_LEN], bytes: &mut [u8]) {
        match self.0 {
            // SAFETY: a value is only made for what the processor has.
            Set::Single => unsafe { single::fill(key, bytes) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Set::Wide => unsafe { wide::fill(key, bytes) },
        }
    }
}

/// The key expansion (FIPS 197 section 5.2).
///
/// `aesenclast` of a register with the same word in all columns is `SubWord` of that word and the addition of a
/// constant, because `ShiftRows` then changes nothing. It takes less time than `aeskeygenassist`.
macro_rules! key_schedule {
    (#[$features:meta]) => {
        #[inline]
        #[$features]
        fn round_keys(key: &[u8; KEY_LEN]) -> [Block; ROUNDS + 1] {
            let mut keys = [word(0); ROUNDS + 1];
            let (first, second) = key.split_at(16);
            (keys[0], keys[1]) = (load(first), load(second));
            let mut constant = 1;
            let mut at = 2;
            while at <= ROUNDS {
                let substituted = if at % 2 == 0 {
                    let added = word(constant);
                    constant *= 2;
                    last_round(rotated_last_word(keys[at - 1]), added)
                } else {
                    last_round(last_word(keys[at - 1]), word(0))
                };
                // Each word is the sum of those before it.
                let mut sum = keys[at - 2];
                sum = xor(sum, shifted_by_one(sum));
                sum = xor(sum, shifted_by_two(sum));
                keys[at] = xor(sum, substituted);
                at += 1;
            }
            keys
        }
    };
}

/// Counter mode with registers of one width. Eight of them at once, because a round takes several cycles, but the next
/// can start in each.
macro_rules! counter_mode {
    ($name:ident, #[$features:meta], $block:ty, $len:literal, $keys:ident => $wide_keys:expr, $first:expr, $step:expr,
     $xor:ident, $add:ident, $round:ident, $last_round:ident, $store:ident) => {
        mod $name {
            use super::*;

            const GROUP: usize = 8 * $len;

            #[$features]
            pub(super) fn fill(key: &[u8; KEY_LEN], bytes: &mut [u8]) {
                let mut $keys = round_keys(key);
                let keys: [$block; ROUNDS + 1] = $wide_keys;
                let mut counters = $first;
                let (groups, rest) = chunks_mut::<_, GROUP>(bytes);
                for group in groups {
                    counters = fill_group(&keys, counters, group);
                }
                if !rest.is_empty() {
                    let mut group = [0; GROUP];
                    fill_group(&keys, counters, &mut group);
                    rest.copy_from_slice(&group[..rest.len()]);
                    group.zeroize();
                }
                $keys.zeroize();
            }

            /// Returns the counters that follow.
            #[inline]
            #[$features]
            fn fill_group(
                keys: &[$block; ROUNDS + 1],
                mut counters: $block,
                out: &mut [u8; GROUP],
            ) -> $block {
                let step = $step;
                let mut blocks = [counters; 8];
                for block in &mut blocks {
                    *block = $xor(counters, keys[0]);
                    counters = $add(counters, step);
                }
                for key in &keys[1..ROUNDS] {
                    for block in &mut blocks {
                        *block = $round(*block, *key);
                    }
                }
                for (block, out) in blocks.iter().zip(chunks_mut::<_, $len>(out).0) {
                    $store(out, $last_round(*block, keys[ROUNDS]));
                }
                counters
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
key_schedule!(#[target_feature(enable = "aes,ssse3")]);
#[cfg(target_arch = "aarch64")]
key_schedule!(#[target_feature(enable = "neon,aes")]);

#[cfg(target_arch = "x86_64")]
counter_mode!(
    single, #[target_feature(enable = "aes,ssse3")], Block, 16, keys => keys,
    word(0), counter_step(), xor, add, round, last_round, store
);
#[cfg(target_arch = "aarch64")]
counter_mode!(
    single, #[target_feature(enable = "neon,aes")], Block, 16, keys => keys,
    word(0), counter_step(), xor, add, round, last_round, store
);
#[cfg(target_arch = "x86_64")]
counter_mode!(
    wide, #[target_feature(enable = "aes,ssse3,avx512f,vaes")], __m512i, 64,
    keys => {
        let mut wide = [_mm512_setzero_si512(); ROUNDS + 1];
        for (wide, key) in wide.iter_mut().zip(&keys) {
            *wide = _mm512_broadcast_i32x4(*key);
        }
        wide
    },
    _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0), _mm512_set_epi64(0, 4, 0, 4, 0, 4, 0, 4),
    _mm512_xor_si512, _mm512_add_epi64, _mm512_aesenc_epi128, _mm512_aesenclast_epi128, store_wide
);

#[cfg(test)]
mod tests {
    use super::*;
    use ::aes::cipher::{BlockCipherEncrypt, KeyInit};
    use proptest::prelude::*;
    use std::vec;
    use std::vec::Vec;

    /// The naive implementation: the crate's cipher, one block after the other.
    fn naive(key: &[u8; KEY_LEN], len: usize) -> Vec<u8> {
        let cipher = ::aes::Aes256Enc::new(&(*key).into());
        let block = |counter: u128| {
            let mut block = counter.to_le_bytes().into();
            cipher.encrypt_block(&mut block);
            <[u8; 16]>::from(block)
        };
        (0..).flat_map(block).take(len).collect()
    }

    /// FIPS 197, appendix A.3: the first and last words of the expansion of a 256-bit key.
    #[test]
    fn the_key_schedule_is_that_of_the_standard() {
        if Aes::best().is_none() {
            return;
        }
        let key = 0x603deb10_15ca71be_2b73aef0_857d7781_u128.to_be_bytes();
        let rest = 0x1f352c07_3b6108d7_2d9810a3_0914dff4_u128.to_be_bytes();
        let key: [u8; KEY_LEN] = [key, rest].concat().try_into().unwrap();
        // SAFETY: there is a best one, so that the processor has both features.
        let keys = unsafe { round_keys(&key) };
        // SAFETY: both are 16 bytes of any value.
        let words =
            keys.map(|key| u128::from_be_bytes(unsafe { core::mem::transmute::<Block, [u8; 16]>(key) }));
        assert_eq!(words[2], 0x9ba35411_8e6925af_a51a8b5f_2067fcde);
        assert_eq!(words[3], 0xa8b09c1a_93d194cd_be49846e_b75d5b9a);
        assert_eq!(words[14], 0xfe4890d1_e6188d0b_046df344_706c631e);
    }

    #[test]
    fn every_length_is_that_of_the_naive_implementation() {
        for aes in Aes::available() {
            for len in (0..=1_100).chain([4_095, 4_096, 8_191, 8_192]) {
                let mut bytes = vec![0xAA; len];
                aes.fill(&[5; KEY_LEN], &mut bytes);
                assert_eq!(bytes, naive(&[5; KEY_LEN], len), "{aes:?} {len}");
            }
        }
    }

    proptest! {
        #[test]
        fn every_key_gives_the_naive_stream(key: [u8; KEY_LEN], len in 0usize..2_000) {
            for aes in Aes::available() {
                let mut bytes = vec![0; len];
                aes.fill(&key, &mut bytes);
                prop_assert_eq!(bytes, naive(&key, len));
            }
        }
    }
}
