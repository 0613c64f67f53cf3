//! The 16 bytes as they are, most significant first: MySQL's `UUID_TO_BIN(u)`, for `BINARY(16)`.

use crate::error::{Error, Problem, Result};
use uuid::Uuid;

/// The length in bytes.
pub const LEN: usize = 16;

/// The 16 bytes of an id (RFC 9562 section 4: network byte order).
///
/// ```
/// use idgen::codec::{binary, hyphenated};
///
/// let id = hyphenated::decode("6ccd780c-baba-1026-9564-5b8c656024db")?;
/// assert_eq!(binary::to_bytes(&id)[..3], [0x6c, 0xcd, 0x78]);
/// assert_eq!(binary::from_bytes(binary::to_bytes(&id)), id);
/// # Ok::<(), idgen::Error>(())
/// ```
pub const fn to_bytes(uuid: &Uuid) -> [u8; LEN] {
    *uuid.as_bytes()
}

/// The id of 16 bytes. Any bytes are an id.
pub const fn from_bytes(bytes: [u8; LEN]) -> Uuid {
    Uuid::from_bytes(bytes)
}

/// The id of a byte string.
///
/// # Errors
///
/// `is_parse` if it is not 16 bytes long.
pub fn decode(bytes: impl AsRef<[u8]>) -> Result<Uuid> {
    array("a binary UUID", bytes.as_ref()).map(from_bytes)
}

pub(super) fn array(form: &'static str, bytes: &[u8]) -> Result<[u8; LEN]> {
    let wrong = Problem::Length { expected: "16 bytes", found: bytes.len() };
    bytes.try_into().map_err(|_| Error::parse(form, bytes, wrong))
}
