//! The 16 bytes as they are, most significant first: MySQL's `UUID_TO_BIN(u)`, for `BINARY(16)`.
//!
//! The crate `uuid` has these conversions, [`Uuid::into_bytes`] and [`Uuid::from_bytes`], so this module has only the
//! check of the length, which other formats of 16 bytes use too.

use crate::error::{Error, Problem, Result};
use uuid::Uuid;

/// The length in bytes.
pub(super) const LEN: usize = 16;

/// The id of a byte string.
///
/// # Errors
///
/// `is_parse` if it is not 16 bytes long.
pub(super) fn decode(bytes: &[u8]) -> Result<Uuid> {
    array("a binary UUID", bytes).map(Uuid::from_bytes)
}

pub(super) fn array(form: &'static str, bytes: &[u8]) -> Result<[u8; LEN]> {
    let wrong = Problem::Length { expected: "16 bytes", found: bytes.len() };
    bytes.try_into().map_err(|_| Error::parse(form, bytes, wrong))
}
