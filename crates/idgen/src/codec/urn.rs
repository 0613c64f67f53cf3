//! A URN, 45 characters: `urn:uuid:6ccd780c-baba-1026-9564-5b8c656024db` (RFC 9562 section 4).
//!
//! It is written in lowercase. Prefix and digits are read in either case, because the scheme of a URN, its namespace
//! `uuid` and the digits of a UUID do not distinguish cases (RFC 8141 section 3.1, RFC 9562 section 4).

use crate::codec::arch::{self, Level};
use crate::codec::{hex, hyphenated};
use crate::error::{Error, Problem, Result};
use uuid::Uuid;

/// The length of the text in bytes.
pub(crate) const LEN: usize = PREFIX.len() + hyphenated::LEN;

const PREFIX: &[u8; 9] = b"urn:uuid:";

/// Encodes into the caller's buffer.
pub(crate) fn encode<'b>(uuid: &Uuid, buf: &'b mut [u8; LEN]) -> &'b mut str {
    let (prefix, text) = buf.split_at_mut(PREFIX.len());
    prefix.copy_from_slice(PREFIX);
    if let Some(text) = text.first_chunk_mut() {
        arch::hyphenated_encode(Level::best(), uuid.as_bytes(), text);
    }
    arch::ascii_mut(buf)
}

/// Decodes the prefix and 8-4-4-4-12 digits, all in either case.
///
/// # Errors
///
/// `is_parse` for any other length or character; `offset` is that of the first bad one.
pub(crate) fn decode(text: &[u8]) -> Result<Uuid> {
    let mut bytes = [0; 16];
    let behind =
        text.split_at_checked(PREFIX.len()).filter(|(prefix, _)| prefix.eq_ignore_ascii_case(PREFIX));
    match behind.map(|(_, digits)| digits.try_into()) {
        Some(Ok(block)) if arch::hyphenated_decode(Level::best(), block, &mut bytes) => Ok(arch::id(bytes)),
        _ => Err(diagnose(text)),
    }
}

#[cold]
fn diagnose(text: &[u8]) -> Error {
    let problem = if text.len() == LEN {
        let (prefix, rest) = text.split_at(PREFIX.len());
        hex::fixed_fault(prefix, PREFIX, 0, "the prefix urn:uuid:")
            .or_else(|| hex::hyphenated_fault(rest, PREFIX.len()))
    } else {
        Some(Problem::Length { expected: "45 characters", found: text.len() })
    };
    Error::parse("a UUID as URN", text, problem.unwrap_or(Problem::Unrecognized))
}
