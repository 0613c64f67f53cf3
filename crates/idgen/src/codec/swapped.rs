//! 16 bytes with the time fields of a version 1 UUID swapped: MySQL's `UUID_TO_BIN(u, 1)`.
//!
//! `time_high` and `time_mid` come before `time_low`, so that ids which are generated one after another are
//! neighbors in an index. Only for version 1: versions 6 and 7 are ordered already, and other versions gain
//! nothing. Source: MySQL Reference Manual, section
//! Miscellaneous Functions, `UUID_TO_BIN()`.

use crate::codec::binary;
use crate::error::Result;
use uuid::Uuid;

/// The bytes of `UUID_TO_BIN(u, 1)`.
///
/// ```
/// use idgen::codec::{hyphenated, swapped};
///
/// // The example of MySQL's manual.
/// let id = hyphenated::decode("6ccd780c-baba-1026-9564-5b8c656024db")?;
/// let bytes = swapped::to_bytes(&id);
/// assert_eq!(u128::from_be_bytes(bytes), 0x1026BABA6CCD780C95645B8C656024DB);
/// assert_eq!(swapped::from_bytes(bytes), id);
/// # Ok::<(), idgen::Error>(())
/// ```
#[inline]
pub const fn to_bytes(uuid: &Uuid) -> [u8; 16] {
    swap(uuid.as_bytes())
}

/// The id of 16 bytes from `UUID_TO_BIN(u, 1)`: MySQL's `BIN_TO_UUID(b, 1)`. Any bytes are an id.
///
/// For bytes whose number is not known, use [`Format::Swapped`](super::Format::Swapped), which checks it.
#[inline]
pub const fn from_bytes(bytes: [u8; 16]) -> Uuid {
    Uuid::from_bytes(unswap(&bytes))
}

/// The id of a byte string from `UUID_TO_BIN(u, 1)`.
///
/// # Errors
///
/// `is_parse` if it is not 16 bytes long.
pub(super) fn decode(bytes: &[u8]) -> Result<Uuid> {
    binary::array("a swapped binary UUID", bytes).map(from_bytes)
}

/// Converts the plain bytes of many ids to swapped ones, in place.
///
/// ```
/// use idgen::codec::swapped;
///
/// let mut ids = [*b"LLLLMMHHrest....", [7; 16]];
/// swapped::encode_in_place(&mut ids);
/// assert_eq!(&ids[0], b"HHMMLLLLrest....");
/// swapped::decode_in_place(&mut ids);
/// assert_eq!(&ids[0], b"LLLLMMHHrest....");
/// ```
pub fn encode_in_place(ids: &mut [[u8; 16]]) {
    for id in ids {
        *id = swap(id);
    }
}

/// Converts the swapped bytes of many ids to plain ones, in place.
pub fn decode_in_place(ids: &mut [[u8; 16]]) {
    for id in ids {
        *id = unswap(id);
    }
}

// The compiler turns a permutation with constant indices into one shuffle instruction, also in the loops above,
// so no hand-written fast path is needed.
#[inline(always)]
const fn swap(b: &[u8; 16]) -> [u8; 16] {
    [b[6], b[7], b[4], b[5], b[0], b[1], b[2], b[3], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]]
}

#[inline(always)]
const fn unswap(b: &[u8; 16]) -> [u8; 16] {
    [b[4], b[5], b[6], b[7], b[2], b[3], b[0], b[1], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]]
}
