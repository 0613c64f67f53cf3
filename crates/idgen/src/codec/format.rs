//! The list of formats, for programs that choose one at run time.

use core::fmt;
use core::str::FromStr;

use crate::Uuid;
use crate::codec::alphabet::{BASE64, BASE64_URL, ORDERED_64};
use crate::codec::{
    base32, base32hex, base32human, base64, base64url, batch, binary, braced, hyphenated, int, literal,
    ordered64, simple, swapped, urn,
};
use crate::error::{Error, Problem, Result};

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
    /// 45 characters: [`urn`].
    Urn,
    /// 38 characters: [`braced`].
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
    /// 16 bytes: [`binary`].
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
        match self {
            Format::Hyphenated => "hyphenated",
            Format::Simple => "simple",
            Format::Urn => "urn",
            Format::Braced => "braced",
            Format::Base64 => "base64",
            Format::Base64Url => "base64url",
            Format::Ordered64 => "ordered64",
            Format::Base32 => "base32",
            Format::Base32Hex => "base32hex",
            Format::Base32Human => "base32human",
            Format::Swapped => "swapped",
            Format::Int => "int",
            Format::Binary => "binary",
        }
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
        match self {
            Format::Hyphenated => "36 characters, the usual text of a UUID",
            Format::Simple => "32 hexadecimal digits",
            Format::Urn => "urn:uuid: and the usual text",
            Format::Braced => "the usual text in braces",
            Format::Base64 => "22 characters, as MySQL's TO_BASE64() without padding",
            Format::Base64Url => "22 characters that are safe in a URL",
            Format::Ordered64 => "22 characters that sort like the id, also called base64sort",
            Format::Base32 => "26 characters, the text of a ULID",
            Format::Base32Hex => "26 characters of RFC 4648, as PostgreSQL's encode() without padding",
            Format::Base32Human => "26 characters of the draft Base32 for Humans",
            Format::Swapped => "16 raw bytes of MySQL's UUID_TO_BIN(id, 1), without separators",
            Format::Int => "a decimal number",
            Format::Binary => "16 raw bytes, without separators",
        }
    }

    /// Whether the form is ASCII text; the two others are 16 arbitrary bytes.
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
            Format::Binary => store(buf, binary::to_bytes(uuid)),
        }
    }

    /// Encodes many ids: text formats as lines that end with a line feed, the two binary formats one after another.
    /// Returns the part of `out` that was written.
    ///
    /// The most common formats choose the instruction set once for the batch.
    ///
    /// # Errors
    ///
    /// `is_config` if `out` is shorter than [`Format::MAX_LINE`] bytes for each id.
    ///
    /// ```
    /// use idgen::codec::Format;
    ///
    /// let ids = [idgen::Uuid::nil(), idgen::Uuid::max()];
    /// let out = &mut [0; 2 * Format::MAX_LINE];
    /// assert_eq!(Format::Int.encode_lines(&ids, out)?, b"0\n340282366920938463463374607431768211455\n");
    /// assert_eq!(Format::Binary.encode_lines(&ids, out)?.len(), 32);
    /// # Ok::<(), idgen::Error>(())
    /// ```
    pub fn encode_lines<'b>(self, uuids: &[Uuid], out: &'b mut [u8]) -> Result<&'b [u8]> {
        let out = batch::output(out, uuids.len(), Format::MAX_LINE)?;
        match self {
            Format::Hyphenated => hyphenated::encode_lines(uuids, out).map(|text| text.as_bytes()),
            Format::Simple => simple::encode_lines(uuids, out).map(|text| text.as_bytes()),
            Format::Base64 => base64::encode_lines(uuids, out).map(|text| text.as_bytes()),
            Format::Base64Url => base64url::encode_lines(uuids, out).map(|text| text.as_bytes()),
            Format::Ordered64 => ordered64::encode_lines(uuids, out).map(|text| text.as_bytes()),
            Format::Base32 => base32::encode_lines(uuids, out).map(|text| text.as_bytes()),
            Format::Urn
            | Format::Braced
            | Format::Base32Hex
            | Format::Base32Human
            | Format::Int
            | Format::Binary
            | Format::Swapped => {
                let mut buf = [0; Format::MAX_LEN];
                let mut len = 0;
                let mut put = |bytes: &[u8]| {
                    out[len..len + bytes.len()].copy_from_slice(bytes);
                    len += bytes.len();
                };
                for uuid in uuids {
                    put(self.encode(uuid, &mut buf));
                    if self.is_text() {
                        put(b"\n");
                    }
                }
                Ok(&out[..len])
            }
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

    /// Detects the format of a text; see [`Format::decode_any`].
    ///
    /// # Errors
    ///
    /// As for [`Format::decode_any`].
    pub fn detect(text: impl AsRef<[u8]>) -> Result<Format> {
        Format::decode_any(text).map(|(format, _)| format)
    }

    /// Decodes a text whose format is not known. The format is detected by length, then by characters:
    ///
    /// - 22 characters are one of the three base64 formats. The standard and the URL-safe text of an id end with
    ///   A, Q, g or w, and the ordered text ends with -, F, V or k, so they cannot be confused. If a text is valid
    ///   in both of the former, it means the same id in both, and is treated as standard.
    /// - 26 characters are base32, and 32 hexadecimal digits are the simple format, even if all of them are decimal
    ///   digits: real ids are practically never integers that short. The other two formats of 26 characters have
    ///   to be named.
    /// - Any other decimal number is an integer, except where it has the length of another format but not its range: 26
    ///   digits that begin with 8 or 9 (a ULID would begin with 7 at most), and 22 digits (a base64 text would end with
    ///   a letter). Such a text is ambiguous, and refused.
    ///
    /// # Errors
    ///
    /// `is_parse` if no format could have written it, or if its only possible format refuses it as
    /// not canonical. 16 bytes that are not a decimal number could be plain or swapped: the error names both. The error
    /// also names padded base64, quoted texts and the [hexadecimal literals](crate::codec::literal) of servers.
    ///
    /// ```
    /// use idgen::codec::Format;
    ///
    /// assert_eq!(Format::detect("01ARZ3NDEKTSV4RRFFQ69G5FAV")?, Format::Base32);
    /// assert_eq!(Format::detect("144623479298450090607906173242916742363")?, Format::Int);
    /// assert_eq!(Format::detect("QBps2Aeu31PKO4iBOL-Zqk")?, Format::Ordered64);
    /// assert!(Format::detect("no id").unwrap_err().is_parse());
    /// # Ok::<(), idgen::Error>(())
    /// ```
    pub fn decode_any(text: impl AsRef<[u8]>) -> Result<(Format, Uuid)> {
        let text = text.as_ref();
        let number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        let ambiguous = |candidates| Err(Error::parse(ANY, text, Problem::Ambiguous { candidates }));
        let format = match text.len() {
            simple::LEN => Format::Simple,
            base32::LEN if number && text[0] > b'7' => {
                return ambiguous(
                    "a ULID beyond its range, whose first digit is at most 7, or a decimal number (int)",
                );
            }
            base64::LEN if number => {
                return ambiguous("base64 with bits beyond the id, or a decimal number (int)");
            }
            base32::LEN => Format::Base32,
            _ if number => Format::Int,
            hyphenated::LEN => Format::Hyphenated,
            urn::LEN => Format::Urn,
            base64::LEN => detect_radix64(text),
            binary::LEN => return ambiguous("binary or swapped"),
            _ if looks_like(text).is_some() => {
                return Err(Error::parse(ANY, text, looks_like(text).unwrap_or(Problem::Unrecognized)));
            }
            braced::LEN if text.is_ascii() => Format::Braced,
            found => {
                let problem = match text.iter().position(|byte| !byte.is_ascii()) {
                    // Its bytes are more than its characters, so the length would not help. Word processors write such
                    // hyphens and quotation marks.
                    Some(offset) => {
                        Problem::Byte { found: text[offset], offset, expected: "only ASCII characters" }
                    }
                    None => {
                        let expected = "22, 26, 32, 36, 38 or 45 characters, or a decimal number";
                        Problem::Length { expected, found }
                    }
                };
                return Err(Error::parse(ANY, text, problem));
            }
        };
        format.decode(text).map(|uuid| (format, uuid))
    }

    /// Decodes a text that can only be a UUID: hyphenated, simple, braced, a URN, or a hexadecimal
    /// [literal](crate::codec::literal).
    ///
    /// The other formats stand for 128 bits too, but so does nearly every number and every 22 characters. Where a UUID is
    /// expected, such a text is more likely a mistake.
    ///
    /// ```
    /// use idgen::codec::Format;
    ///
    /// let id = Format::decode_uuid("6ccd780cbaba102695645b8c656024db")?;
    /// assert_eq!(Format::decode_uuid("{6ccd780c-baba-1026-9564-5b8c656024db}")?, id);
    /// for text in ["42", "bM14DLq6ECaVZFuMZWAk2w", "3CSNW0SENT20K9AS2VHHJP096V"] {
    ///     assert!(Format::decode_any(text).is_ok());
    ///     assert!(Format::decode_uuid(text).unwrap_err().is_parse());
    /// }
    /// # Ok::<(), idgen::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `is_parse` for every other text. If it is an id in another format, the error names that format.
    pub fn decode_uuid(text: impl AsRef<[u8]>) -> Result<Uuid> {
        let text = text.as_ref();
        if literal::is_one(text) {
            return literal::decode(text);
        }
        let like = match Format::decode_any(text)? {
            (Format::Hyphenated | Format::Simple | Format::Urn | Format::Braced, id) => return Ok(id),
            (Format::Int, _) => "a decimal number (int)",
            (Format::Base32, _) => "a ULID (base32)",
            (Format::Base32Hex, _) => "base32hex",
            (Format::Base32Human, _) => "base32human",
            (Format::Base64, _) => "base64",
            (Format::Base64Url, _) => "base64url",
            (Format::Ordered64, _) => "ordered64",
            // Raw bytes are never detected.
            (Format::Swapped | Format::Binary, _) => "raw bytes",
        };
        let advice = "write the UUID with hexadecimal digits, or name the format";
        Err(Error::parse("a UUID", text, Problem::Looks { like, advice }))
    }
}

/// What a text is that is not in any format, but whose writer is known.
fn looks_like(text: &[u8]) -> Option<Problem> {
    let looks = |like, advice| Some(Problem::Looks { like, advice });
    match text {
        [quote @ (b'"' | b'\''), .., last] if quote == last => {
            looks("a quoted text, such as a field of a CSV file", "remove the quotation marks")
        }
        _ if text.len() == base64::LEN + 2 && text.ends_with(b"==") => {
            looks("padded base64, as MySQL's TO_BASE64() writes it", "remove the padding, == at the end")
        }
        _ if literal::is_one(text) => looks(
            "a hexadecimal literal, as servers print it",
            "keep only its 32 digits, or read it with codec::literal",
        ),
        _ => None,
    }
}

const ANY: &str = "an id of a known format";

/// Which of the three formats of 22 characters; if none fits, the one whose error message helps most.
fn detect_radix64(text: &[u8]) -> Format {
    let fits = |format: Format| format.decode(text).is_ok();
    let all = [Format::Base64, Format::Base64Url, Format::Ordered64];
    if let Some(format) = all.into_iter().find(|&format| fits(format)) {
        return format;
    }
    let knows = [BASE64.first_invalid(text), BASE64_URL.first_invalid(text), ORDERED_64.first_invalid(text)];
    all.into_iter().zip(knows).find(|(_, fault)| fault.is_none()).map_or(Format::Base64, |(format, _)| format)
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
