//! Ids as the memory of their bytes, for code that moves them there directly.

use uuid::Uuid;

/// The bytes of an id.
#[inline(always)]
pub(crate) fn bytes_of(id: &mut Uuid) -> &mut [u8; 16] {
    // SAFETY: a `Uuid` is a transparent wrapper of its 16 bytes, of which any are valid.
    unsafe { &mut *core::ptr::from_mut(id).cast() }
}

/// The bytes of many ids, one after another.
#[inline(always)]
pub(crate) fn bytes_of_all(ids: &mut [Uuid]) -> &mut [u8] {
    // SAFETY: as above, and the slice is borrowed for as long as its bytes.
    unsafe { core::slice::from_raw_parts_mut(ids.as_mut_ptr().cast(), size_of_val(ids)) }
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
