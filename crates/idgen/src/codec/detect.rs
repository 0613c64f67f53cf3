//! Texts whose format is not known.

use crate::codec::alphabet::{BASE64, BASE64_URL, ORDERED_64};
use crate::codec::format::Format;
use crate::codec::{base32, base64, binary, braced, hyphenated, literal, simple, urn};
use crate::error::{Error, Problem, Result};
use uuid::Uuid;

impl Format {
    /// Decodes a text whose format is not known. The format is detected by length, then by characters:
    ///
    /// - 22 characters are one of the three base64 formats. The standard and the URL-safe text of an id end with
    ///   A, Q, g or w, and the ordered text ends with -, F, V or k, so they cannot be confused. If a text is valid
    ///   in both of the former, it means the same id in both, and is treated as standard.
    /// - 26 characters are base32, and 32 hexadecimal digits are the simple format, even if all of them are decimal
    ///   digits: one random UUID in three million has no letter, and real ids are never integers that short. The other
    ///   two formats of 26 characters have to be named.
    /// - A decimal number is an integer, except where it could be a text of another format, or one that lost characters:
    ///   22, 26, 31 and 33 to 36 digits are ambiguous, and refused. 26 digits that begin with 0 are base32, because integers
    ///   have no leading zeros.
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
    /// assert_eq!(Format::decode_any("01ARZ3NDEKTSV4RRFFQ69G5FAV")?.0, Format::Base32);
    /// assert_eq!(Format::decode_any("144623479298450090607906173242916742363")?.0, Format::Int);
    /// assert_eq!(Format::decode_any("QBps2Aeu31PKO4iBOL-Zqk")?.0, Format::Ordered64);
    /// assert!(Format::decode_any("no id").unwrap_err().is_parse());
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
            base32::LEN if number && text[0] > b'0' => {
                return ambiguous("a ULID (base32) without a letter, or a decimal number (int)");
            }
            base64::LEN if number => {
                return ambiguous("base64 with bits beyond the id, or a decimal number (int)");
            }
            31..=hyphenated::LEN if number && text[0] > b'0' => {
                return ambiguous(
                    "hexadecimal digits of a UUID with one missing or too many, or a decimal number (int)",
                );
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
    /// The other formats encode 128 bits too, but so does nearly every number and every 22 characters. Where a UUID is
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

/// Names the known writer of a text that is in no format.
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

/// Returns one of the three formats of 22 characters; if none fits, the one whose error message helps most.
fn detect_radix64(text: &[u8]) -> Format {
    let fits = |format: Format| format.decode(text).is_ok();
    let all = [Format::Base64, Format::Base64Url, Format::Ordered64];
    if let Some(format) = all.into_iter().find(|&format| fits(format)) {
        return format;
    }
    let knows = [BASE64.first_invalid(text), BASE64_URL.first_invalid(text), ORDERED_64.first_invalid(text)];
    all.into_iter().zip(knows).find(|(_, fault)| fault.is_none()).map_or(Format::Base64, |(format, _)| format)
}
