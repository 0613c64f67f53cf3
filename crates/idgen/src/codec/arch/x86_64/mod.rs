//! Instruction sets of x86-64. SSE2 is the portable path's baseline; SSSE3 (2006) brings the byte
//! shuffle, AVX2 (2013) two of them at once, AVX-512 VBMI (2018) a byte permutation over 64 bytes and a
//! bit-field extractor.

pub(super) mod avx2;
#[cfg(not(miri))]
pub(super) mod inline;
/// Miri executes no assembly.
#[cfg(miri)]
pub(super) mod inline {
    pub(in super::super) use super::{avx2, vbmi};
}
pub(super) mod ssse3;
pub(super) mod vbmi;
