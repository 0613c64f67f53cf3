//! Hexadecimal as servers and their clients print 16 bytes: `0x…`, `X'…'` and `\x…`.
//!
//! | text | who prints it |
//! |---|---|
//! | `0x6CCD780CBABA102695645B8C656024DB` | MySQL's and MariaDB's clients for `BINARY(16)`, and SQL Server |
//! | `X'6CCD780CBABA102695645B8C656024DB'` | dumps of MySQL and SQLite: a literal of standard SQL |
//! | `\x6ccd780cbaba102695645b8c656024db` | PostgreSQL, for `bytea` |
//!
//! These texts are only read. They are not among the [formats](crate::codec::Format), each of which has one text for an
//! id.

use crate::codec::simple;
use crate::error::{Error, Problem, Result};
use uuid::Uuid;

/// The 32 digits of such a text, if it has the form of one.
fn digits(text: &[u8]) -> Option<&[u8]> {
    let digits = match text {
        [b'0', b'x' | b'X', digits @ ..] | [b'\\', b'x', digits @ ..] => digits,
        [b'x' | b'X', b'\'', digits @ .., b'\''] => digits,
        _ => return None,
    };
    (digits.len() == simple::LEN).then_some(digits)
}

/// True if a text has the form of such a literal of 16 bytes; its digits may still be wrong.
pub(crate) fn is_one(text: &[u8]) -> bool {
    digits(text).is_some()
}

/// Decodes a literal with 32 digits of either case.
///
/// ```
/// use idgen::codec::literal;
///
/// let id = "6ccd780c-baba-1026-9564-5b8c656024db".parse().unwrap();
/// for text in ["0x6CCD780CBABA102695645B8C656024DB", r"\x6ccd780cbaba102695645b8c656024db",
///     "X'6CCD780CBABA102695645B8C656024DB'"] {
///     assert_eq!(literal::decode(text), Ok(id));
/// }
/// assert!(literal::decode("0x6CCD").unwrap_err().is_parse());
/// ```
///
/// # Errors
/// `is_parse` for everything else.
pub fn decode(text: impl AsRef<[u8]>) -> Result<Uuid> {
    let text = text.as_ref();
    match digits(text) {
        Some(digits) => simple::decode(digits),
        None => {
            let advice =
                "write 0x, or \\x, and 32 hexadecimal digits, or X'' with these digits between the quotes";
            Err(Error::parse("a hexadecimal literal", text, Problem::Looks { like: "another text", advice }))
        }
    }
}
