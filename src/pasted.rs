//! Reads ids as people paste them: with the quotation marks of a CSV file or of SQL, the padding of base64, or as the
//! hexadecimal literals of servers. The library takes only the formats themselves, and so does `--strict`.

use std::cell::Cell;

use idgen::Uuid;
use idgen::codec::{Format, literal};

use crate::failure::note;

/// The option of commands that read ids for people.
#[derive(clap::Args)]
pub struct Strictness {
    /// Refuse what is not exactly a format: hexadecimal literals of servers, and, which otherwise give a note, padded
    /// base64 and quotation marks around an id.
    #[arg(long)]
    strict: bool,
}

/// Detects formats, and counts what was taken off the texts for that.
pub struct Pasted {
    strict: bool,
    quoted: Cell<u64>,
    padded: Cell<u64>,
}

impl Strictness {
    pub fn pasted(&self) -> Pasted {
        Pasted { strict: self.strict, quoted: Cell::new(0), padded: Cell::new(0) }
    }
}

impl Pasted {
    /// The format of a text and its id. A hexadecimal literal counts as simple.
    ///
    /// # Errors
    /// The text is in no format, also without what surrounds it. The error is about the whole text.
    pub fn detect(&self, text: &[u8]) -> idgen::Result<(Format, Uuid)> {
        if self.strict {
            return Format::decode_any(text);
        }
        let exact = detect(text);
        if exact.is_ok() {
            return exact;
        }
        let unquoted = unquoted(text);
        let inner = unquoted.unwrap_or(text);
        let (read, is_padded) = match unpadded(inner) {
            Some(read) => (Some(read), true),
            None => (unquoted.and_then(|inner| detect(inner).ok()), false),
        };
        if let Some(read) = read {
            self.quoted.update(|count| count + u64::from(unquoted.is_some()));
            self.padded.update(|count| count + u64::from(is_padded));
            return Ok(read);
        }
        exact
    }

    /// Says on standard error what was accepted.
    pub fn note(&self) {
        for (count, what) in [
            (self.quoted.get(), "without the quotation marks around them"),
            (self.padded.get(), "as base64 without the padding at its end"),
        ] {
            if count > 0 {
                note(format_args!("{count} of the ids were read {what}; with --strict they are refused"));
            }
        }
    }
}

fn detect(text: &[u8]) -> idgen::Result<(Format, Uuid)> {
    literal::decode(text).map(|id| (Format::Simple, id)).or_else(|_| Format::decode_any(text))
}

/// The text between two equal quotation marks.
fn unquoted(text: &[u8]) -> Option<&[u8]> {
    match text {
        [first @ (b'"' | b'\'' | b'`'), inner @ .., last] if first == last => Some(inner),
        _ => None,
    }
}

/// Decodes padded base64 or base64url: 22 characters and `==`, as MySQL's `TO_BASE64()` writes 16 bytes.
fn unpadded(text: &[u8]) -> Option<(Format, Uuid)> {
    let digits = text.strip_suffix(b"==").filter(|digits| digits.len() == 22)?;
    [Format::Base64, Format::Base64Url]
        .into_iter()
        .find_map(|format| format.decode(digits).ok().map(|id| (format, id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(strict: bool, text: &str) -> Option<(Format, Uuid)> {
        Strictness { strict }.pasted().detect(text.as_bytes()).ok()
    }

    #[test]
    fn only_whole_pairs_and_exact_padding_are_taken_off() {
        let id = idgen::v4();
        let hyphenated = id.to_string();
        let mut buffer = [0; Format::MAX_LEN];
        let base64 = String::from_utf8(Format::Base64.encode(&id, &mut buffer).to_vec()).unwrap();
        for text in [
            format!("\"{hyphenated}\""),
            format!("'{hyphenated}'"),
            format!("`{hyphenated}`"),
            format!("{base64}=="),
            format!("'{base64}=='"),
            format!("\"0x{}\"", id.simple()),
        ] {
            assert_eq!(read(false, &text).map(|(_, id)| id), Some(id), "{text}");
            assert_eq!(read(true, &text), None, "{text}");
        }
        for text in [
            format!("\"{hyphenated}"),
            format!("{hyphenated}\""),
            format!("\"{hyphenated}'"),
            format!("\"\"{hyphenated}\"\""),
            format!("{base64}="),
            format!("{base64}==="),
            format!("{}==", &base64[1..]),
            format!("{hyphenated}=="),
            "\"".to_owned(),
            "\"\"".to_owned(),
            "==".to_owned(),
        ] {
            assert_eq!(read(false, &text), None, "{text}");
        }
        assert_eq!(read(true, &hyphenated), Some((Format::Hyphenated, id)));
    }
}
