//! Ids as the memory of their bytes, for code that writes them there directly.

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
