//! One block in a register of x86-64.

use core::arch::x86_64::*;

pub(super) type Block = __m128i;

pub(super) fn has_single() -> bool {
    std::arch::is_x86_feature_detected!("aes") && std::arch::is_x86_feature_detected!("ssse3")
}

/// The first 16 bytes.
#[inline]
#[target_feature(enable = "aes,ssse3")]
pub(super) fn load(bytes: &[u8]) -> Block {
    let bytes: &[u8; 16] = bytes.first_chunk().expect("16 bytes");
    // SAFETY: 16 readable bytes; the load needs no alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "aes,ssse3")]
pub(super) fn store(out: &mut [u8; 16], block: Block) {
    // SAFETY: 16 writable bytes; the store needs no alignment.
    unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), block) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store_wide(out: &mut [u8; 64], blocks: __m512i) {
    // SAFETY: 64 writable bytes; the store needs no alignment.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), blocks) }
}

/// A number in all four words.
#[inline]
#[target_feature(enable = "aes,ssse3")]
pub(super) fn word(number: i32) -> Block {
    _mm_set1_epi32(number)
}

/// What one block is ahead of the one before.
#[inline]
#[target_feature(enable = "aes,ssse3")]
pub(super) fn counter_step() -> Block {
    _mm_set_epi64x(0, 1)
}

#[inline]
#[target_feature(enable = "aes,ssse3")]
pub(super) fn xor(a: Block, b: Block) -> Block {
    _mm_xor_si128(a, b)
}

/// The sums of both halves.
#[inline]
#[target_feature(enable = "aes,ssse3")]
pub(super) fn add(a: Block, b: Block) -> Block {
    _mm_add_epi64(a, b)
}

#[inline]
#[target_feature(enable = "aes,ssse3")]
pub(super) fn round(block: Block, key: Block) -> Block {
    _mm_aesenc_si128(block, key)
}

#[inline]
#[target_feature(enable = "aes,ssse3")]
pub(super) fn last_round(block: Block, key: Block) -> Block {
    _mm_aesenclast_si128(block, key)
}

/// The last word in all four places.
#[inline]
#[target_feature(enable = "aes,ssse3")]
pub(super) fn last_word(block: Block) -> Block {
    _mm_shuffle_epi32::<0xFF>(block)
}

/// `RotWord` of the last word in all four places.
#[inline]
#[target_feature(enable = "aes,ssse3")]
pub(super) fn rotated_last_word(block: Block) -> Block {
    _mm_shuffle_epi8(block, _mm_set1_epi32(0x0C0F_0E0D))
}

/// Each word in the place of the next one.
#[inline]
#[target_feature(enable = "aes,ssse3")]
pub(super) fn shifted_by_one(block: Block) -> Block {
    _mm_slli_si128::<4>(block)
}

/// Each word in the place of the one after the next.
#[inline]
#[target_feature(enable = "aes,ssse3")]
pub(super) fn shifted_by_two(block: Block) -> Block {
    _mm_slli_si128::<8>(block)
}
