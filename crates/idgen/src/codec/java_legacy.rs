//! The 16 bytes with each half in the reverse order: what MongoDB's driver for Java wrote before the subtype 4 (subtype 3, `JAVA_LEGACY`), and
//! what ClickHouse has for a `UUID` in its formats RowBinary and Native, and in its files.
//!
//! Both are two integers of 64 bits, the least significant byte first. Programs that take these bytes for those of RFC 9562 read another UUID, and
//! the time of version 7 is not in front. Sources: `UuidRepresentation.JAVA_LEGACY` of MongoDB's drivers; the documentation of ClickHouse's
//! RowBinary. MongoDB's legacy bytes of .NET are those of [`guid`](super::guid), and those of Python are in the usual order.

use crate::codec::binary;
use crate::error::Result;
use uuid::Uuid;

/// The bytes with both halves reversed.
///
/// ```
/// use idgen::codec::{hyphenated, java_legacy};
///
/// let id = hyphenated::decode("00112233-4455-6677-8899-aabbccddeeff")?;
/// let bytes = java_legacy::to_bytes(&id);
/// assert_eq!(u128::from_be_bytes(bytes), 0x7766554433221100_FFEEDDCCBBAA9988);
/// assert_eq!(java_legacy::from_bytes(bytes), id);
/// # Ok::<(), idgen::Error>(())
/// ```
#[inline]
pub const fn to_bytes(uuid: &Uuid) -> [u8; 16] {
    uuid.as_u128().rotate_left(64).to_le_bytes()
}

/// The id of 16 bytes with both halves reversed. Any bytes are an id.
#[inline]
pub const fn from_bytes(bytes: [u8; 16]) -> Uuid {
    Uuid::from_u128(u128::from_le_bytes(bytes).rotate_left(64))
}

/// The id of a byte string with both halves reversed.
///
/// # Errors
///
/// `is_parse` if it is not 16 bytes long.
pub fn decode(bytes: impl AsRef<[u8]>) -> Result<Uuid> {
    binary::array("the legacy bytes of Java or ClickHouse", bytes.as_ref()).map(from_bytes)
}
