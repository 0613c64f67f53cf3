//! Slices as arrays, as `as_chunks` of the standard library gives them since Rust 1.88.
//!
//! The build script sets `idgen_simd` only for compilers that have it, and the loops of the fast codecs need it: other
//! code takes up to 16 instructions more for each id.

/// The arrays of `N` that a slice consists of, and what is left at its end.
#[cfg(idgen_simd)]
#[allow(clippy::incompatible_msrv, reason = "the build script asks the compiler for its version")]
#[inline(always)]
pub(crate) fn chunks<T, const N: usize>(slice: &[T]) -> (impl ExactSizeIterator<Item = &[T; N]>, &[T]) {
    let (whole, rest) = slice.as_chunks();
    (whole.iter(), rest)
}

/// Splits a mutable slice into arrays of `N`, and what is left at its end.
#[cfg(idgen_simd)]
#[allow(clippy::incompatible_msrv, reason = "the build script asks the compiler for its version")]
#[inline(always)]
pub(crate) fn chunks_mut<T, const N: usize>(
    slice: &mut [T],
) -> (impl ExactSizeIterator<Item = &mut [T; N]>, &mut [T]) {
    let (whole, rest) = slice.as_chunks_mut();
    (whole.iter_mut(), rest)
}

/// The arrays of `N` that a slice consists of, and what is left at its end.
#[cfg(not(idgen_simd))]
#[inline(always)]
pub(crate) fn chunks<T, const N: usize>(slice: &[T]) -> (impl ExactSizeIterator<Item = &[T; N]>, &[T]) {
    let (whole, rest) = slice.split_at(slice.len() / N * N);
    (whole.chunks_exact(N).map(|chunk| chunk.try_into().expect("N long")), rest)
}

/// Splits a mutable slice into arrays of `N`, and what is left at its end.
#[cfg(not(idgen_simd))]
#[inline(always)]
pub(crate) fn chunks_mut<T, const N: usize>(
    slice: &mut [T],
) -> (impl ExactSizeIterator<Item = &mut [T; N]>, &mut [T]) {
    let (whole, rest) = slice.split_at_mut(slice.len() / N * N);
    (whole.chunks_exact_mut(N).map(|chunk| chunk.try_into().expect("N long")), rest)
}
