//! AVX2, of which these kernels use registers of 128 bits and instructions with three operands.
//!
//! The digits are read after Geoff Langdale and Wojciech Muła, "SIMD-ized faster parse of hex": each character becomes
//! a number of which 0 to 9 are right if it is a decimal digit, and another of which 10 to 15 are right if it is a letter.
//! A wrong number is at least 16, so the smaller of the two is the value.

use core::arch::asm;
use core::arch::x86_64::__m128i;

use super::{HEX_DIGITS, store, store_end};
pub(crate) use crate::codec::arch::x86_64::avx2::{
    base32_decode, base32_encode, base64_decode, base64_encode,
};
use crate::codec::arch::x86_64::vbmi::HYPHEN_PLACES;

const HYPHEN: u8 = b'-';
/// `pshufb` writes zero where the index has this bit.
const NONE: u8 = 0x80;

/// The constants of the encoders, as the assembly reads them.
#[repr(C, align(64))]
struct Encoder([[u8; 16]; 6]);

const ENCODER: Encoder = Encoder([
    [0x0F; 16],
    HEX_DIGITS,
    // Characters 0 to 15 from the digits 0 to 15, and characters 16 to 31 from the digits 14 to 29.
    [0, 1, 2, 3, 4, 5, 6, 7, NONE, 8, 9, 10, 11, NONE, 12, 13],
    [0, 0, 0, 0, 0, 0, 0, 0, HYPHEN, 0, 0, 0, 0, HYPHEN, 0, 0],
    [0, 1, NONE, 2, 3, 4, 5, NONE, 6, 7, 8, 9, 10, 11, 12, 13],
    [0, 0, HYPHEN, 0, 0, 0, 0, HYPHEN, 0, 0, 0, 0, 0, 0, 0, 0],
]);

/// The constants of the decoders.
#[repr(C, align(64))]
struct Decoder([[u8; 16]; 11]);

const DECODER: Decoder = Decoder([
    // '0' to '9' become 0xF6 to 0xFF, then 0xF0 to 0xF9, and no other character does.
    [0xFF - b'9'; 16],
    [6; 16],
    [0xF0; 16],
    // Letters in lower case, then from 0 on, then from 10 on.
    [0x20; 16],
    [b'a'; 16],
    [10; 16],
    // An addend that makes numbers above 15 negative.
    [0x70; 16],
    [16, 1, 16, 1, 16, 1, 16, 1, 16, 1, 16, 1, 16, 1, 16, 1],
    HYPHEN_PLACES,
    // Digits 0 to 13 from the first character on, and digits 16 to 30 from character 19 on.
    [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, NONE, NONE],
    [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, NONE],
]);

/// Assembly that puts the 32 digits of an id into `xmm0` and `xmm2`, and then does what `$then` says. Gives `xmm0` to `xmm2`.
macro_rules! encode {
    ($id:ident, [$($then:literal,)*]) => {{
        let (first, second, third): (__m128i, __m128i, __m128i);
        asm!(
            "vmovq xmm0, {low}",
            "vmovq xmm1, {high}",
            "vpunpcklqdq xmm0, xmm0, xmm1",
            "vpsrlw xmm1, xmm0, 4",
            "vpand xmm0, xmm0, [{plan}]",
            "vpand xmm1, xmm1, [{plan}]",
            "vmovdqa xmm2, [{plan} + 16]",
            "vpshufb xmm0, xmm2, xmm0",
            "vpshufb xmm1, xmm2, xmm1",
            "vpunpckhbw xmm2, xmm1, xmm0",
            "vpunpcklbw xmm0, xmm1, xmm0",
            $($then,)*
            low = in(reg) $id as u64,
            high = in(reg) ($id >> 64) as u64,
            plan = in(reg) &ENCODER,
            lateout("xmm0") first,
            lateout("xmm1") second,
            lateout("xmm2") third,
            options(pure, readonly, nostack, preserves_flags),
        );
        [first, second, third]
    }};
}

/// # Safety
/// The processor must have AVX2.
#[inline(always)]
pub(crate) unsafe fn simple_encode(id: u128, out: &mut [u8; 32]) {
    // SAFETY: by the contract of the function. Only the plan is read.
    let [first, _, second] = unsafe { encode!(id, []) };
    store(&mut out[..16], first);
    store(&mut out[16..], second);
}

/// # Safety
/// As [`simple_encode`].
#[inline(always)]
pub(crate) unsafe fn hyphenated_encode(id: u128, out: &mut [u8; 36]) {
    // SAFETY: by the contract of the function. Only the plan is read.
    let [first, second, last] = unsafe {
        encode!(
            id,
            [
                "vpalignr xmm1, xmm2, xmm0, 14",
                "vpshufb xmm0, xmm0, [{plan} + 32]",
                "vpor xmm0, xmm0, [{plan} + 48]",
                "vpshufb xmm1, xmm1, [{plan} + 64]",
                "vpor xmm1, xmm1, [{plan} + 80]",
                "vpsrldq xmm2, xmm2, 12",
            ]
        )
    };
    store(&mut out[..16], first);
    store(&mut out[16..32], second);
    store_end(&mut out[32..], last);
}

/// Assembly that does what `$load` says, to get the digits into `xmm0` and `xmm1`, and gives their bytes. The register
/// `invalid` is not zero if one of them is no digit; `$then` may add to it.
macro_rules! decode {
    ($text:ident, $id:ident, [$($load:literal,)+], [$($then:literal,)*]) => {{
        let (invalid, bytes): (u32, __m128i);
        asm!(
            $($load,)+
            "vmovdqa xmm4, [{plan}]",
            "vmovdqa xmm5, [{plan} + 16]",
            "vpaddb xmm2, xmm0, xmm4",
            "vpaddb xmm3, xmm1, xmm4",
            "vmovdqa xmm4, [{plan} + 32]",
            "vpsubusb xmm2, xmm2, xmm5",
            "vpsubusb xmm3, xmm3, xmm5",
            "vmovdqa xmm5, [{plan} + 48]",
            "vpsubb xmm2, xmm2, xmm4",
            "vpsubb xmm3, xmm3, xmm4",
            "vmovdqa xmm4, [{plan} + 64]",
            "vpor xmm0, xmm0, xmm5",
            "vpor xmm1, xmm1, xmm5",
            "vmovdqa xmm5, [{plan} + 80]",
            "vpsubb xmm0, xmm0, xmm4",
            "vpsubb xmm1, xmm1, xmm4",
            "vmovdqa xmm4, [{plan} + 112]",
            "vpaddusb xmm0, xmm0, xmm5",
            "vpaddusb xmm1, xmm1, xmm5",
            "vpminub xmm0, xmm0, xmm2",
            "vpminub xmm1, xmm1, xmm3",
            "vpmaxub xmm2, xmm0, xmm1",
            "vpaddusb xmm2, xmm2, [{plan} + 96]",
            "vpmovmskb {invalid:e}, xmm2",
            "vpmaddubsw xmm0, xmm0, xmm4",
            "vpmaddubsw xmm1, xmm1, xmm4",
            "vpackuswb xmm0, xmm0, xmm1",
            $($then,)*
            text = in(reg) $text.as_ptr(),
            plan = in(reg) &DECODER,
            invalid = out(reg) invalid,
            hyphens = out(reg) _,
            lateout("xmm0") bytes,
            out("xmm1") _,
            out("xmm2") _,
            out("xmm3") _,
            out("xmm4") _,
            out("xmm5") _,
            options(pure, readonly, nostack),
        );
        store($id, bytes);
        invalid == 0
    }};
}

/// # Safety
/// As [`simple_encode`].
#[inline(always)]
pub(crate) unsafe fn simple_decode(text: &[u8; 32], id: &mut [u8; 16]) -> bool {
    // SAFETY: by the contract of the function. The 32 bytes of `text` and the plan are read; the loads need no alignment.
    unsafe {
        decode!(text, id, ["vmovdqu xmm0, [{text}]", "vmovdqu xmm1, [{text} + 16]",], ["/* {hyphens} */",])
    }
}

/// # Safety
/// As [`simple_encode`].
#[inline(always)]
pub(crate) unsafe fn hyphenated_decode(text: &[u8; 36], id: &mut [u8; 16]) -> bool {
    // SAFETY: by the contract of the function. Of `text`, the bytes 0 to 15, 16 and 17, 19 to 34, 35, and 8 to 23 are read,
    // and the plan; the loads need no alignment.
    unsafe {
        decode!(
            text,
            id,
            [
                "vmovdqu xmm2, [{text} + 8]",
                "vpshufb xmm2, xmm2, [{plan} + 128]",
                "vmovd {hyphens:e}, xmm2",
                "vmovdqu xmm0, [{text}]",
                "vpshufb xmm0, xmm0, [{plan} + 144]",
                "vpinsrw xmm0, xmm0, word ptr [{text} + 16], 7",
                "vmovdqu xmm1, [{text} + 19]",
                "vpshufb xmm1, xmm1, [{plan} + 160]",
                "vpinsrb xmm1, xmm1, byte ptr [{text} + 35], 15",
            ],
            ["xor {hyphens:e}, 0x2d2d2d2d", "or {invalid:e}, {hyphens:e}",]
        )
    }
}
