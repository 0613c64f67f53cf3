//! AVX-512 VBMI: all digits in one register.

use core::arch::asm;
use core::arch::x86_64::__m128i;

use super::{HEX_DIGITS, store, store_end};
use crate::codec::arch::x86_64::vbmi::{DECODER, HYPHENS};
pub(crate) use crate::codec::arch::x86_64::vbmi::{
    base32_decode, base32_encode, base64_decode, base64_encode,
};

/// The constants of the encoders, as [`digits`] and the assembly read them.
#[repr(C, align(64))]
struct Encoder {
    /// The bytes of the id in the order of the digits, each 4 of them twice, for the 8 digits in each 64 bits.
    bytes: [u8; 32],
    /// The bit of its 64 bits at which each digit begins.
    shifts: [u8; 32],
    /// Masks that keep the digit of each byte.
    low_bits: [u8; 32],
    /// The 16 digits, twice.
    digits: [u8; 32],
    /// The source of each of the first 32 characters: 32 is the hyphen.
    characters: [u8; 32],
    hyphens: [u8; 32],
}

/// Returns an encoder with digit number `first` at the beginning, and the others behind it in a
/// circle.
const fn encoder(first: u8) -> Encoder {
    let mut plan = Encoder {
        bytes: [0; 32],
        shifts: [0; 32],
        low_bits: [0x0F; 32],
        digits: [0; 32],
        characters: [32; 32],
        hyphens: [b'-'; 32],
    };
    let (mut at, mut digit) = (0, 0);
    while at < 32 {
        let place = at as u8;
        plan.bytes[at] = (first / 2 + place / 8 * 4 + place % 4) % 16;
        // The high half of a byte comes first.
        plan.shifts[at] = place % 8 / 2 * 8 + 4 * (1 - place % 2);
        plan.digits[at] = HEX_DIGITS[at % 16];
        if HYPHENS >> at & 1 == 0 {
            plan.characters[at] = (digit + 32 - first) % 32;
            digit += 1;
        }
        at += 1;
    }
    plan
}

const SIMPLE: Encoder = encoder(0);
/// The last 4 digits come first, because a register's first 32 bits are the cheapest to store.
const HYPHENATED: Encoder = encoder(28);

/// Assembly that puts the 32 digits of an id into `ymm16`, and then does what `$then` says.
macro_rules! digits {
    ($id:ident, $plan:ident, [$($then:literal,)+] $($register:ident)+) => {
        asm!(
            "vmovq xmm16, {low}",
            "vmovq xmm17, {high}",
            "vpunpcklqdq xmm16, xmm16, xmm17",
            "vmovdqa32 ymm17, [{plan}]",
            "vpermb ymm16, ymm17, ymm16",
            "vmovdqa32 ymm17, [{plan} + 32]",
            "vpmultishiftqb ymm16, ymm17, ymm16",
            "vpandd ymm16, ymm16, [{plan} + 64]",
            "vmovdqa32 ymm17, [{plan} + 96]",
            "vpshufb ymm16, ymm17, ymm16",
            $($then,)+
            low = in(reg) $id as u64,
            high = in(reg) ($id >> 64) as u64,
            plan = in(reg) &$plan,
            $($register = lateout(xmm_reg) $register,)+
            out("xmm16") _,
            out("xmm17") _,
            options(pure, readonly, nostack, preserves_flags),
        )
    };
}

/// # Safety
/// The processor must have AVX-512 F, BW, VL and VBMI.
#[inline(always)]
pub(crate) unsafe fn simple_encode(id: u128, out: &mut [u8; 32]) {
    let (first, second);
    // SAFETY: by the contract of the function. Only the plan is read.
    unsafe {
        digits!(id, SIMPLE, ["vmovdqa32 {first}, xmm16", "vextracti32x4 {second}, ymm16, 1",] first second);
    }
    store(&mut out[..16], first);
    store(&mut out[16..], second);
}

/// # Safety
/// As [`simple_encode`].
#[inline(always)]
pub(crate) unsafe fn hyphenated_encode(id: u128, out: &mut [u8; 36]) {
    let (first, second, last);
    // SAFETY: by the contract of the function. Only the plan is read.
    unsafe {
        digits!(
            id,
            HYPHENATED,
            [
                "vmovdqa32 {last}, xmm16",
                "vmovdqa32 ymm17, [{plan} + 128]",
                "vpermi2b ymm17, ymm16, [{plan} + 160]",
                "vmovdqa32 {first}, xmm17",
                "vextracti32x4 {second}, ymm17, 1",
            ] first second last
        );
    }
    store(&mut out[..16], first);
    store(&mut out[16..32], second);
    store_end(&mut out[32..], last);
}

/// # Safety
/// As [`simple_encode`].
#[inline(always)]
pub(crate) unsafe fn simple_decode(text: &[u8; 32], id: &mut [u8; 16]) -> bool {
    let (invalid, bytes): (u32, __m128i);
    // SAFETY: by the contract of the function. The 32 bytes of `text` and the plan are read; the load needs no alignment.
    unsafe {
        asm!(
            "vmovdqu32 ymm17, [{text}]",
            "vpermb zmm16, zmm17, [{plan}]",
            "vpxord ymm16, ymm16, ymm17",
            "vptestmb k1, ymm16, [{plan} + 64]",
            "vpmaddubsw ymm16, ymm16, [{plan} + 96]",
            "vpmovwb {bytes}, ymm16",
            "kmovd {invalid:e}, k1",
            text = in(reg) text.as_ptr(),
            plan = in(reg) &DECODER,
            bytes = lateout(xmm_reg) bytes,
            invalid = out(reg) invalid,
            out("xmm16") _,
            out("xmm17") _,
            out("k1") _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    store(id, bytes);
    invalid == 0
}

/// # Safety
/// As [`simple_encode`].
#[inline(always)]
pub(crate) unsafe fn hyphenated_decode(text: &[u8; 36], id: &mut [u8; 16]) -> bool {
    let (invalid, bytes): (u32, __m128i);
    // SAFETY: by the contract of the function. Of `text`, the bytes 0 to 31, 8 to 23 and 20 to 35 are read, and the plan; the
    // loads need no alignment.
    unsafe {
        asm!(
            "vmovdqu32 xmm18, [{text} + 8]",
            "vpshufb xmm18, xmm18, [{plan} + 160]",
            "vmovd {hyphens:e}, xmm18",
            "vmovdqu32 xmm16, [{text} + 20]",
            "vmovdqa32 ymm17, [{plan} + 128]",
            "vpermi2b ymm17, ymm16, [{text}]",
            "vpermb zmm16, zmm17, [{plan}]",
            "vpxord ymm16, ymm16, ymm17",
            "vptestmb k1, ymm16, [{plan} + 64]",
            "vpmaddubsw ymm16, ymm16, [{plan} + 96]",
            "vpmovwb {bytes}, ymm16",
            "xor {hyphens:e}, 0x2d2d2d2d",
            "kmovd {invalid:e}, k1",
            "or {invalid:e}, {hyphens:e}",
            text = in(reg) text.as_ptr(),
            plan = in(reg) &DECODER,
            hyphens = out(reg) _,
            bytes = lateout(xmm_reg) bytes,
            invalid = out(reg) invalid,
            out("xmm16") _,
            out("xmm17") _,
            out("xmm18") _,
            out("k1") _,
            options(pure, readonly, nostack),
        );
    }
    store(id, bytes);
    invalid == 0
}
