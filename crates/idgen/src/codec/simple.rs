//! 32 hexadecimal digits without hyphens: `6ccd780cbaba102695645b8c656024db`.
//!
//! It is written in lowercase and read in either case. MySQL's `HEX()` of a `BINARY(16)` column returns it in uppercase.

use crate::codec::arch::{self, Level};
use crate::codec::{batch, hex};
use crate::error::{Error, Problem, Result};
use uuid::Uuid;

/// The length of the text in bytes.
pub const LEN: usize = 32;

const FORM: &str = "a simple UUID";

/// Encodes into the caller's buffer.
///
/// ```
/// use idgen::codec::simple;
///
/// let id = simple::decode("6CCD780CBABA102695645B8C656024DB")?;
/// assert_eq!(simple::encode(&id, &mut [0; simple::LEN]), "6ccd780cbaba102695645b8c656024db");
/// # Ok::<(), idgen::Error>(())
/// ```
#[inline]
pub fn encode<'b>(uuid: &Uuid, buf: &'b mut [u8; LEN]) -> &'b mut str {
    arch::simple_encode(Level::best(), uuid.as_bytes(), buf)
}

/// Decodes 32 digits of either case.
///
/// # Errors
///
/// `is_parse` for any other length or character; `offset` is that of the first bad one.
#[inline]
pub fn decode(text: impl AsRef<[u8]>) -> Result<Uuid> {
    let text = text.as_ref();
    let mut bytes = [0; 16];
    match text.try_into() {
        Ok(block) if arch::simple_decode(Level::best(), block, &mut bytes) => Ok(arch::id(bytes)),
        _ => Err(diagnose(text, 0)),
    }
}

/// Encodes into a new `String`.
#[cfg(feature = "alloc")]
pub fn to_string(uuid: &Uuid) -> alloc::string::String {
    alloc::string::String::from(&*encode(uuid, &mut [0; LEN]))
}

batch::batch_forms!(simple_encode_batch, simple_decode_into, simple_decode_batch);

#[cold]
fn diagnose(text: &[u8], base: usize) -> Error {
    let length = Problem::Length { expected: "32 hexadecimal digits", found: text.len() };
    let problem = if text.len() == LEN { hex::simple_fault(text, base) } else { Some(length) };
    Error::parse(FORM, text, problem.unwrap_or(Problem::Unrecognized))
}
