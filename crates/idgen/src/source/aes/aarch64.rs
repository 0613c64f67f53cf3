//! One block in a register of 64-bit ARM.

use core::arch::aarch64::*;

pub(super) type Block = uint8x16_t;

pub(super) fn has_single() -> bool {
    std::arch::is_aarch64_feature_detected!("aes")
}

/// The first 16 bytes.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn load(bytes: &[u8]) -> Block {
    let bytes: &[u8; 16] = bytes.first_chunk().expect("16 bytes");
    // SAFETY: 16 readable bytes.
    unsafe { vld1q_u8(bytes.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn store(out: &mut [u8; 16], block: Block) {
    // SAFETY: 16 writable bytes.
    unsafe { vst1q_u8(out.as_mut_ptr(), block) }
}

/// A number in all four words.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn word(number: u32) -> Block {
    vreinterpretq_u8_u32(vdupq_n_u32(number))
}

/// What one block is ahead of the one before.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn counter_step() -> Block {
    vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(1), vcreate_u64(0)))
}

#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn xor(a: Block, b: Block) -> Block {
    veorq_u8(a, b)
}

/// The sums of both halves.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn add(a: Block, b: Block) -> Block {
    vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)))
}

/// The instruction adds its key first, and a round adds it last.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn round(block: Block, key: Block) -> Block {
    veorq_u8(vaesmcq_u8(vaeseq_u8(block, vdupq_n_u8(0))), key)
}

#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn last_round(block: Block, key: Block) -> Block {
    veorq_u8(vaeseq_u8(block, vdupq_n_u8(0)), key)
}

/// The last word in all four places.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn last_word(block: Block) -> Block {
    vreinterpretq_u8_u32(vdupq_laneq_u32::<3>(vreinterpretq_u32_u8(block)))
}

/// `RotWord` of the last word in all four places.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn rotated_last_word(block: Block) -> Block {
    vqtbl1q_u8(block, vreinterpretq_u8_u32(vdupq_n_u32(0x0C0F_0E0D)))
}

/// Each word in the place of the next one.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn shifted_by_one(block: Block) -> Block {
    vextq_u8::<12>(vdupq_n_u8(0), block)
}

/// Each word in the place of the one after the next.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn shifted_by_two(block: Block) -> Block {
    vextq_u8::<8>(vdupq_n_u8(0), block)
}
