//! Crockford's base 32, the text of a ULID, 26 characters: `3CSNW0SENT20K9AS2VHHJP096V`.
//!
//! Source: the ULID specification, and Douglas Crockford, "Base 32". The text is written in uppercase and read in either
//! case, because Crockford's decoding ignores the case. His substitutions (I and L for 1, O for 0), hyphens and check
//! symbols are refused, because two texts would then mean one id. 26 digits hold 130 bits, so the first digit is at most
//! 7. The texts sort like the bytes.

use crate::codec::alphabet::CROCKFORD;
use crate::codec::arch::{self, Level};
use crate::codec::batch;
use crate::error::{Error, Problem, Result};
use uuid::Uuid;

/// The length of the text in bytes.
pub const LEN: usize = 26;

const FORM: &str = "a base32 UUID or ULID";

/// Encodes into the caller's buffer.
///
/// ```
/// use idgen::codec::base32;
///
/// let id = base32::decode("01ARZ3NDEKTSV4RRFFQ69G5FAV")?; // the example of the ULID specification
/// assert_eq!(id.to_string(), "01563e3a-b5d3-d676-4c61-efb99302bd5b");
/// assert_eq!(base32::encode(&id, &mut [0; base32::LEN]), "01ARZ3NDEKTSV4RRFFQ69G5FAV");
/// # Ok::<(), idgen::Error>(())
/// ```
#[inline]
pub fn encode<'b>(uuid: &Uuid, buf: &'b mut [u8; LEN]) -> &'b mut str {
    arch::base32_encode(Level::best(), uuid.as_bytes(), buf)
}

/// Decodes 26 digits of either case.
///
/// # Errors
///
/// `is_parse` for any other length, for I, L, O, U and everything else that is not a digit, and for a
/// first digit above 7. `offset` is that of the first bad character.
///
/// ```
/// let error = idgen::codec::base32::decode("81ARZ3NDEKTSV4RRFFQ69G5FAV").unwrap_err();
/// assert_eq!(error.offset(), Some(0));
/// ```
#[inline]
pub fn decode(text: impl AsRef<[u8]>) -> Result<Uuid> {
    let text = text.as_ref();
    let mut bytes = [0; 16];
    match text.try_into() {
        Ok(block) if arch::base32_decode(Level::best(), block, &mut bytes) => Ok(arch::id(bytes)),
        _ => Err(diagnose(text, 0)),
    }
}

/// Encodes into a new `String`.
#[cfg(feature = "alloc")]
pub fn to_string(uuid: &Uuid) -> alloc::string::String {
    alloc::string::String::from(&*encode(uuid, &mut [0; LEN]))
}

batch::batch_forms!(base32_encode_batch, base32_decode_into, base32_decode_batch);

#[cold]
fn diagnose(text: &[u8], base: usize) -> Error {
    let problem = if text.len() != LEN {
        Some(Problem::Length { expected: "26 characters", found: text.len() })
    } else if let Some(at) = CROCKFORD.first_invalid(text) {
        let expected = "a Crockford base32 digit (0-9 and A-Z but I L O U)";
        Some(Problem::Byte { found: text[at], offset: base + at, expected })
    } else {
        let expected = "0 to 7 (a greater first digit exceeds 128 bits)";
        (CROCKFORD.value(text[0]) > 7).then_some(Problem::Byte { found: text[0], offset: base, expected })
    };
    Error::parse(FORM, text, problem.unwrap_or(Problem::Unrecognized))
}
