//! The usual text of a UUID, 36 characters: `6ccd780c-baba-1026-9564-5b8c656024db`.
//!
//! It is written in lowercase and read in either case, as RFC 9562 section 4 requires. MySQL's `UUID()` and
//! `BIN_TO_UUID()` return it.

use crate::codec::arch::{self, Level};
use crate::codec::{batch, hex};
use crate::error::{Error, Problem, Result};
use uuid::Uuid;

/// The length of the text in bytes.
pub const LEN: usize = 36;

const FORM: &str = "a hyphenated UUID";

/// Encodes into the caller's buffer.
///
/// ```
/// use idgen::codec::hyphenated;
///
/// let id = hyphenated::decode("6CCD780C-BABA-1026-9564-5B8C656024DB")?;
/// assert_eq!(hyphenated::encode(&id, &mut [0; hyphenated::LEN]), "6ccd780c-baba-1026-9564-5b8c656024db");
/// # Ok::<(), idgen::Error>(())
/// ```
#[inline]
pub fn encode<'b>(uuid: &Uuid, buf: &'b mut [u8; LEN]) -> &'b mut str {
    arch::hyphenated_encode(Level::best(), uuid.as_bytes(), buf)
}

/// Decodes 8-4-4-4-12 digits of either case.
///
/// # Errors
///
/// `is_parse` for any other length or character; `offset` is that of the first bad one.
///
/// ```
/// let error = idgen::codec::hyphenated::decode("6ccd780c_baba-1026-9564-5b8c656024db").unwrap_err();
/// assert_eq!(error.offset(), Some(8));
/// assert!(error.to_string().contains("expected a hyphen, found '_'"));
/// ```
#[inline]
pub fn decode(text: impl AsRef<[u8]>) -> Result<Uuid> {
    let text = text.as_ref();
    let mut bytes = [0; 16];
    match text.try_into() {
        Ok(block) if arch::hyphenated_decode(Level::best(), block, &mut bytes) => Ok(arch::id(bytes)),
        _ => Err(diagnose(text, 0)),
    }
}

/// Encodes into a new `String`.
#[cfg(feature = "alloc")]
pub fn to_string(uuid: &Uuid) -> alloc::string::String {
    alloc::string::String::from(&*encode(uuid, &mut [0; LEN]))
}

batch::batch_forms!(hyphenated_encode_batch, hyphenated_decode_into, hyphenated_decode_batch);

#[cold]
fn diagnose(text: &[u8], base: usize) -> Error {
    let length = Problem::Length { expected: "36 characters", found: text.len() };
    let problem = if text.len() == LEN { hex::hyphenated_fault(text, base) } else { Some(length) };
    Error::parse(FORM, text, problem.unwrap_or(Problem::Unrecognized))
}
