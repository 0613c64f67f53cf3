//! The list of formats, for programs that choose one at run time.

use core::fmt;
use core::str::FromStr;

use crate::codec::{
    base32, base32hex, base32human, base64, base64url, binary, braced, hyphenated, int, ordered64, simple,
    swapped, urn,
};
use crate::error::{Error, Result};
use uuid::Uuid;

/// A format in which an id is written.
///
/// ```
/// use idgen::codec::Format;
///
/// let (format, id) = Format::decode_any("bM14DLq6ECaVZFuMZWAk2w")?;
/// assert_eq!(format, Format::Base64);
/// let text = "{6ccd780c-baba-1026-9564-5b8c656024db}";
/// assert_eq!("braced".parse::<Format>()?.encode(&id, &mut [0; Format::MAX_LEN]), text.as_bytes());
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// 36 characters: [`hyphenated`].
    Hyphenated,
    /// 32 hexadecimal digits: [`simple`].
    Simple,
    /// 45 characters (RFC 9562 section 4): [`Uuid::urn`] writes it too.
    Urn,
    /// 38 characters, the text of Microsoft's GUIDs: [`Uuid::braced`] writes it too.
    Braced,
    /// 22 characters, MySQL's `TO_BASE64()`: [`base64`].
    Base64,
    /// 22 characters for URLs: [`base64url`].
    Base64Url,
    /// 22 characters that sort like the bytes: [`ordered64`].
    Ordered64,
    /// 26 characters, the text of a ULID: [`base32`].
    Base32,
    /// 26 characters of RFC 4648, padded at the end: [`base32hex`].
    Base32Hex,
    /// 26 characters of Crockford's alphabet, padded at the end: [`base32human`].
    Base32Human,
    /// 16 bytes of `UUID_TO_BIN(u, 1)`: [`swapped`].
    Swapped,
    /// Up to 39 decimal digits: [`int`].
    Int,
    /// 16 bytes: [`Uuid::into_bytes`].
    Binary,
}

impl Format {
    /// The length of the longest form in bytes.
    pub const MAX_LEN: usize = urn::LEN;

    /// The length of the longest line of [`Format::encode_lines`] in bytes.
    pub const MAX_LINE: usize = Format::MAX_LEN + 1;

    /// All formats.
    pub const ALL: &'static [Format] = &[
        Format::Hyphenated,
        Format::Simple,
        Format::Urn,
        Format::Braced,
        Format::Base64,
        Format::Base64Url,
        Format::Ordered64,
        Format::Base32,
        Format::Base32Hex,
        Format::Base32Human,
        Format::Swapped,
        Format::Int,
        Format::Binary,
    ];

    /// The name, as [`FromStr`] reads it.
    pub const fn name(self) -> &'static str {
        self.words().0
    }

    /// Another name that [`FromStr`] reads, if there is one: `base64sort` for the format that idgen calls `ordered64`.
    ///
    /// ```
    /// use idgen::codec::Format;
    ///
    /// assert_eq!("base64sort".parse::<Format>()?, Format::Ordered64);
    /// assert_eq!(Format::Ordered64.alias(), Some("base64sort"));
    /// # Ok::<(), idgen::Error>(())
    /// ```
    pub const fn alias(self) -> Option<&'static str> {
        match self {
            Format::Ordered64 => Some("base64sort"),
            _ => None,
        }
    }

    /// A phrase that describes the format.
    pub const fn about(self) -> &'static str {
        self.words().1
    }

    /// The name, and the phrase.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Format::Hyphenated => ("hyphenated", "36 characters, the usual text of a UUID"),
            Format::Simple => ("simple", "32 hexadecimal digits"),
            Format::Urn => ("urn", "urn:uuid: and the usual text"),
            Format::Braced => ("braced", "the usual text in braces"),
            Format::Base64 => ("base64", "22 characters, as MySQL's TO_BASE64() without padding"),
            Format::Base64Url => ("base64url", "22 characters that are safe in a URL"),
            Format::Ordered64 => ("ordered64", "22 characters that sort like the id, also called base64sort"),
            Format::Base32 => ("base32", "26 characters, the text of a ULID"),
            Format::Base32Hex => {
                ("base32hex", "26 characters of RFC 4648, as PostgreSQL's encode() without padding")
            }
            Format::Base32Human => ("base32human", "26 characters of the draft Base32 for Humans"),
            Format::Swapped => ("swapped", "16 raw bytes of MySQL's UUID_TO_BIN(id, 1), without separators"),
            Format::Int => ("int", "a decimal number"),
            Format::Binary => ("binary", "16 raw bytes, without separators"),
        }
    }

    /// The length of every id in this format, in bytes; `None` for decimal numbers, which have 1 to 39 digits.
    ///
    /// ```
    /// use idgen::codec::Format;
    ///
    /// assert_eq!((Format::Base64.fixed_len(), Format::Int.fixed_len()), (Some(22), None));
    /// ```
    pub const fn fixed_len(self) -> Option<usize> {
        match self {
            Format::Hyphenated => Some(hyphenated::LEN),
            Format::Simple => Some(simple::LEN),
            Format::Urn => Some(urn::LEN),
            Format::Braced => Some(braced::LEN),
            Format::Base64 => Some(base64::LEN),
            Format::Base64Url => Some(base64url::LEN),
            Format::Ordered64 => Some(ordered64::LEN),
            Format::Base32 => Some(base32::LEN),
            Format::Base32Hex => Some(base32hex::LEN),
            Format::Base32Human => Some(base32human::LEN),
            Format::Int => None,
            Format::Binary | Format::Swapped => Some(binary::LEN),
        }
    }

    /// True if the form is ASCII text; the two others are 16 arbitrary bytes.
    pub const fn is_text(self) -> bool {
        !matches!(self, Format::Swapped | Format::Binary)
    }

    /// Encodes into the caller's buffer, and returns the part that was written.
    ///
    /// ```
    /// use idgen::codec::Format;
    ///
    /// let mut buffer = [0; Format::MAX_LEN];
    /// assert_eq!(Format::Base64.encode(&idgen::Uuid::nil(), &mut buffer), [b'A'; 22]);
    /// assert_eq!(Format::Binary.encode(&idgen::Uuid::max(), &mut buffer), [0xff; 16]);
    /// ```
    pub fn encode<'b>(self, uuid: &Uuid, buf: &'b mut [u8; Format::MAX_LEN]) -> &'b [u8] {
        match self {
            Format::Hyphenated => hyphenated::encode(uuid, front(buf)).as_bytes(),
            Format::Simple => simple::encode(uuid, front(buf)).as_bytes(),
            Format::Urn => urn::encode(uuid, buf).as_bytes(),
            Format::Braced => braced::encode(uuid, front(buf)).as_bytes(),
            Format::Base64 => base64::encode(uuid, front(buf)).as_bytes(),
            Format::Base64Url => base64url::encode(uuid, front(buf)).as_bytes(),
            Format::Ordered64 => ordered64::encode(uuid, front(buf)).as_bytes(),
            Format::Base32 => base32::encode(uuid, front(buf)).as_bytes(),
            Format::Base32Hex => base32hex::encode(uuid, front(buf)).as_bytes(),
            Format::Base32Human => base32human::encode(uuid, front(buf)).as_bytes(),
            Format::Int => int::encode(uuid, front(buf)).as_bytes(),
            Format::Swapped => store(buf, swapped::to_bytes(uuid)),
            Format::Binary => store(buf, *uuid.as_bytes()),
        }
    }

    /// Decodes a text, or the bytes, of this format.
    ///
    /// # Errors
    ///
    /// `is_parse` if it is not exactly what [`Format::encode`] writes, apart from the case of
    /// hexadecimal and base32 digits.
    ///
    /// ```
    /// use idgen::codec::Format;
    ///
    /// assert_eq!(Format::Int.decode("7")?, idgen::Uuid::from_u128(7));
    /// assert!(Format::Int.decode("007").unwrap_err().is_parse());
    /// # Ok::<(), idgen::Error>(())
    /// ```
    pub fn decode(self, input: impl AsRef<[u8]>) -> Result<Uuid> {
        let input = input.as_ref();
        match self {
            Format::Hyphenated => hyphenated::decode(input),
            Format::Simple => simple::decode(input),
            Format::Urn => urn::decode(input),
            Format::Braced => braced::decode(input),
            Format::Base64 => base64::decode(input),
            Format::Base64Url => base64url::decode(input),
            Format::Ordered64 => ordered64::decode(input),
            Format::Base32 => base32::decode(input),
            Format::Base32Hex => base32hex::decode(input),
            Format::Base32Human => base32human::decode(input),
            Format::Swapped => swapped::decode(input),
            Format::Int => int::decode(input),
            Format::Binary => binary::decode(input),
        }
    }
}

/// The first `N` bytes of a buffer that is at least as long.
fn front<const N: usize>(buf: &mut [u8; Format::MAX_LEN]) -> &mut [u8; N] {
    const { assert!(N <= Format::MAX_LEN) };
    buf.first_chunk_mut().expect("no form is longer than MAX_LEN")
}

fn store(buf: &mut [u8; Format::MAX_LEN], bytes: [u8; 16]) -> &[u8] {
    let out = front(buf);
    *out = bytes;
    out
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    /// # Errors
    ///
    /// `is_config` for an unknown name; the message lists the known ones.
    fn from_str(name: &str) -> Result<Self> {
        Format::ALL.iter().copied().find(|format| format.name() == name || format.alias() == Some(name)).ok_or_else(|| {
            Error::config(
                "unknown format",
                name,
                "use hyphenated, simple, urn, braced, base64, base64url, ordered64 (or base64sort), base32, \
                 base32hex, base32human, swapped, int \
                 or binary",
            )
        })
    }
}
