//! The text of Microsoft's GUIDs, 38 characters: `{6ccd780c-baba-1026-9564-5b8c656024db}`.
//!
//! The digits are written in lowercase and read in either case.

use crate::codec::arch::{self, Level};
use crate::codec::{hex, hyphenated};
use crate::error::{Error, Problem, Result};
use uuid::Uuid;

/// The length of the text in bytes.
pub(crate) const LEN: usize = hyphenated::LEN + 2;

/// Encodes into the caller's buffer.
pub(crate) fn encode<'b>(uuid: &Uuid, buf: &'b mut [u8; LEN]) -> &'b mut str {
    let [open, text @ .., close] = buf;
    (*open, *close) = (b'{', b'}');
    arch::hyphenated_encode(Level::best(), uuid.as_bytes(), text);
    arch::ascii_mut(buf)
}

/// Decodes 8-4-4-4-12 digits of either case between braces.
///
/// # Errors
///
/// `is_parse` for any other length or character; `offset` is that of the first bad one.
pub(crate) fn decode(text: &[u8]) -> Result<Uuid> {
    let block = match text {
        [b'{', inner @ .., b'}'] => inner.try_into().ok(),
        _ => None,
    };
    let mut bytes = [0; 16];
    match block {
        Some(block) if arch::hyphenated_decode(Level::best(), block, &mut bytes) => Ok(arch::id(bytes)),
        _ => Err(diagnose(text)),
    }
}

#[cold]
fn diagnose(text: &[u8]) -> Error {
    let problem = match text {
        [open, inner @ .., close] if text.len() == LEN => {
            hex::fixed_fault(&[*open], b"{", 0, "an opening brace")
                .or_else(|| hex::hyphenated_fault(inner, 1))
                .or_else(|| hex::fixed_fault(&[*close], b"}", LEN - 1, "a closing brace"))
        }
        _ => Some(Problem::Length { expected: "38 characters", found: text.len() }),
    };
    Error::parse("a braced UUID", text, problem.unwrap_or(Problem::Unrecognized))
}
