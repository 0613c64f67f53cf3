//! The 16 bytes of Microsoft's GUIDs, whose first three fields have their least significant byte first: the result of
//! .NET's `Guid.ToByteArray()`, and what SQL Server stores for a `uniqueidentifier`.
//!
//! Programs that take these bytes for those of RFC 9562 read another UUID, and the time of version 7 is not in front.
//! Source: the documentation of `Guid.ToByteArray()`. SQL Server does not compare these bytes from left to right: see
//! [`order::sql_server`](super::order::sql_server).

use crate::codec::binary;
use crate::error::Result;
use uuid::Uuid;

/// The bytes of `Guid.ToByteArray()`.
///
/// ```
/// use idgen::codec::{guid, hyphenated};
///
/// let id = hyphenated::decode("00112233-4455-6677-8899-aabbccddeeff")?;
/// let bytes = guid::to_bytes(&id);
/// assert_eq!(u128::from_be_bytes(bytes), 0x33221100_5544_7766_8899_AABBCCDDEEFF);
/// assert_eq!(guid::from_bytes(bytes), id);
/// # Ok::<(), idgen::Error>(())
/// ```
#[inline]
pub const fn to_bytes(uuid: &Uuid) -> [u8; 16] {
    uuid.to_bytes_le()
}

/// The id of 16 bytes from `Guid.ToByteArray()`: .NET's `new Guid(bytes)`. Any bytes are an id.
#[inline]
pub const fn from_bytes(bytes: [u8; 16]) -> Uuid {
    Uuid::from_bytes_le(bytes)
}

/// The id of a byte string from `Guid.ToByteArray()`.
///
/// # Errors
///
/// `is_parse` if it is not 16 bytes long.
pub fn decode(bytes: impl AsRef<[u8]>) -> Result<Uuid> {
    binary::array("the bytes of a GUID", bytes.as_ref()).map(from_bytes)
}
