//! The id as one unsigned integer of 128 bits, in decimal text of up to 39 digits.
//!
//! For systems that have big integers but no UUIDs, such as `DECIMAL(39)` columns.

use crate::codec::{arch, decimal};
use crate::error::Result;
use uuid::Uuid;

/// The greatest length of the text in bytes.
pub const MAX_LEN: usize = decimal::MAX_LEN;

/// Encodes into the caller's buffer, and returns the part with the digits.
///
/// ```
/// use idgen::codec::int;
///
/// let id = int::decode("144623479298450090607906173242916742363")?;
/// assert_eq!(id.to_string(), "6ccd780c-baba-1026-9564-5b8c656024db");
/// assert_eq!(int::encode(&id, &mut [0; int::MAX_LEN]), "144623479298450090607906173242916742363");
/// # Ok::<(), idgen::Error>(())
/// ```
pub fn encode<'b>(uuid: &Uuid, buf: &'b mut [u8; MAX_LEN]) -> &'b mut str {
    arch::ascii_mut(decimal::encode(uuid.as_u128(), buf))
}

/// Decodes a decimal number: digits only, without a sign and without leading zeros.
///
/// # Errors
///
/// `is_parse` for anything else, and for a number of more than 128 bits.
pub fn decode(text: impl AsRef<[u8]>) -> Result<Uuid> {
    decimal::decode("a UUID as integer", 128, text.as_ref()).map(Uuid::from_u128)
}

/// Encodes into a new `String`.
#[cfg(feature = "alloc")]
pub fn to_string(uuid: &Uuid) -> alloc::string::String {
    alloc::string::String::from(&*encode(uuid, &mut [0; MAX_LEN]))
}
