//! Ids as the memory of their bytes, for code that moves them there directly.

use uuid::Uuid;

/// The bytes of an id.
#[inline(always)]
pub(crate) fn bytes_of(id: &mut Uuid) -> &mut [u8; 16] {
    // SAFETY: a `Uuid` is a transparent wrapper of its 16 bytes, of which any are valid.
    unsafe { &mut *core::ptr::from_mut(id).cast() }
}

/// The id with these bytes, which passed through a vector.
///
/// A `Result` holds an id at an odd address, where the pointer of an error overlaps it. The compiler splits an array at the
/// pointer's ends and copies four pieces, but it keeps a vector whole. This saves a sixth of the time of a decoded id.
#[inline(always)]
pub(crate) fn id_in_one_piece(bytes: [u8; 16]) -> Uuid {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    {
        use core::arch::x86_64::{__m128i, _mm_loadu_si128};

        // SAFETY: the program is compiled for processors with SSE2, and the load needs no alignment.
        let vector = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        // SAFETY: both have 16 bytes, of which any are valid.
        unsafe { core::mem::transmute::<__m128i, Uuid>(vector) }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    Uuid::from_bytes(bytes)
}

/// Writes pairs of ids whose second halves count up by `step` from `low`, each combined with eight random bytes of those
/// bits that `mask` has. All numbers are as in memory. Returns how many ids it wrote, and the next `low`.
///
/// In 16-byte registers, which every x86-64 processor has, so that one instruction stores an id. Compiled for wider ones,
/// the loop over numbers would scatter ids to memory, which takes half as long again.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
pub(crate) fn count_up_pairs(
    ids: &mut [Uuid],
    random: &[u8],
    top: u64,
    low: u64,
    step: u64,
    mask: u64,
) -> (usize, u64) {
    use crate::chunks::{chunks, chunks_mut};
    use core::arch::x86_64::{
        __m128i, _mm_add_epi64, _mm_and_si128, _mm_loadu_si128, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi64x, _mm_storeu_si128, _mm_unpackhi_epi64, _mm_unpacklo_epi64,
    };

    let (pairs, _) = chunks_mut::<_, 2>(ids);
    let (random, _) = chunks::<_, 16>(random);
    let count = pairs.len().min(random.len());
    #[allow(unused_unsafe, reason = "compilers before 1.87 call it unsafe")]
    // SAFETY: the program is compiled for processors with SSE2; loads and stores need no alignment, and each accesses the
    // 16 bytes of its reference.
    unsafe {
        let (top, mask) = (_mm_set1_epi64x(top as i64), _mm_set1_epi64x(mask as i64));
        let mut lows = _mm_set_epi64x(low.wrapping_add(step) as i64, low as i64);
        let steps = _mm_set1_epi64x(step.wrapping_mul(2) as i64);
        for (pair, random) in pairs.zip(random) {
            let random = _mm_loadu_si128(random.as_ptr().cast::<__m128i>());
            let ends = _mm_or_si128(_mm_and_si128(random, mask), lows);
            let [first, second] = pair;
            _mm_storeu_si128(bytes_of(first).as_mut_ptr().cast(), _mm_unpacklo_epi64(top, ends));
            _mm_storeu_si128(bytes_of(second).as_mut_ptr().cast(), _mm_unpackhi_epi64(top, ends));
            lows = _mm_add_epi64(lows, steps);
        }
    }
    (2 * count, low.wrapping_add(step.wrapping_mul(2 * count as u64)))
}
