//! Slices as arrays, as `as_chunks` of the standard library gives them since Rust 1.88.

/// The arrays of `N` that a slice consists of, and what is left at its end.
#[inline(always)]
pub(crate) fn chunks<T, const N: usize>(slice: &[T]) -> (impl ExactSizeIterator<Item = &[T; N]>, &[T]) {
    let (whole, rest) = slice.split_at(slice.len() / N * N);
    (whole.chunks_exact(N).map(|chunk| chunk.try_into().expect("N long")), rest)
}

/// The same, mutable.
#[inline(always)]
pub(crate) fn chunks_mut<T, const N: usize>(
    slice: &mut [T],
) -> (impl ExactSizeIterator<Item = &mut [T; N]>, &mut [T]) {
    let (whole, rest) = slice.split_at_mut(slice.len() / N * N);
    (whole.chunks_exact_mut(N).map(|chunk| chunk.try_into().expect("N long")), rest)
}
