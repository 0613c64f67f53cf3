//! Kernels without a call: single hexadecimal texts, as inline assembly.
//!
//! The compiler inlines the other kernels only into functions that are compiled for their instructions. A single id
//! then takes a call and its return, which on Zen 4 are 5 of 7 cycles, and one or two more where the linker happens to
//! place the two functions badly. Assembly becomes a part of any function.
//!
//! The results are in registers, and the compiler stores them. When the assembly stored them through a pointer, a load of
//! the same place on the stack by its offset took up to 17 ns on Zen 4.
//!
//! The assembly leaves the upper halves of the registers 0 to 15 as code without AVX expects them, so it needs no
//! `vzeroupper`: it uses these registers with 128 bits only, and wider ones above 15, which code without AVX-512 does not
//! have.

use core::arch::x86_64::{__m128i, _mm_cvtsi128_si32, _mm_storeu_si128};

pub(crate) mod avx2;
pub(crate) mod vbmi;

const HEX_DIGITS: [u8; 16] = *b"0123456789abcdef";

#[inline(always)]
fn store(out: &mut [u8], value: __m128i) {
    let out: &mut [u8; 16] = out.try_into().expect("16 bytes");
    // SAFETY: the reference is to 16 writable bytes, and the program is compiled for SSE2; the store needs no alignment.
    unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), value) }
}

/// Stores the first 4 bytes.
#[inline(always)]
fn store_end(out: &mut [u8], value: __m128i) {
    // SAFETY: the program is compiled for SSE2.
    out.copy_from_slice(&unsafe { _mm_cvtsi128_si32(value) }.to_ne_bytes());
}
