//! Instruction sets of x86-64. SSE2 is the portable path's baseline; SSSE3 (2006) brings the byte
//! shuffle, AVX2 (2013) two of them at once, AVX-512 VBMI (2018) a byte permutation over 64 bytes and a
//! bit-field extractor.

pub(super) mod avx2;
#[cfg(all(target_feature = "sse2", not(miri)))]
pub(super) mod inline;
/// Targets without SSE registers, such as those for operating system kernels, have nothing to inline, and Miri executes no
/// assembly.
#[cfg(not(all(target_feature = "sse2", not(miri))))]
pub(super) mod inline {
    pub(crate) use super::{avx2, vbmi};
}
pub(super) mod ssse3;
pub(super) mod vbmi;
