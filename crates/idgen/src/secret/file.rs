//! Reads key files, which hold a secret alone and nothing that an editor added to it.
//!
//! Every byte string is a valid secret. So a file that an editor changed, or another file, would silently be another key.
//! Content that a person cannot have meant is refused.

use crate::error::{Error, Result};

/// The first line of a file with a ring of keys.
pub(crate) const RING: &str = "idgen seal ring";

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The secret in the content of a key file: all bytes except one line end (LF or CRLF) at the end.
///
/// # Errors
/// If the file is not that of one secret. No error shows a part of the content.
pub(crate) fn secret(content: &[u8]) -> Result<&[u8]> {
    check_encoding(content)?;
    if is_like_ring(content) {
        return Err(refused("a ring of keys", "name a file with one key here; a ring is for sealed ids"));
    }
    let secret = without_line_end(content);
    check_secret(secret)?;
    Ok(secret)
}

/// The lines of a ring after the first, with their numbers: without empty lines and comments.
///
/// # Errors
/// If the content is not a ring.
#[cfg(all(feature = "seal", feature = "alloc"))]
pub(crate) fn ring_lines(content: &[u8]) -> Result<impl Iterator<Item = (usize, &[u8])>> {
    check_encoding(content)?;
    let mut lines =
        content.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).zip(1..);
    match lines.next() {
        Some((first, _)) if first == RING.as_bytes() => {}
        _ if is_like_ring(content) => {
            return Err(refused(
                "a ring whose first line is not \"idgen seal ring\"",
                "begin the file with this line",
            ));
        }
        _ => return Err(refused("not a ring", "write \"idgen seal ring\" into the first line")),
    }
    Ok(lines
        .map(|(line, number)| (number, line))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with(b"#")))
}

/// Refuses a secret that looks like a mistake.
///
/// # Errors
/// If all bytes are the same, or if it is text with line ends, other control characters, or spaces around it.
pub(crate) fn check_secret(secret: &[u8]) -> Result<()> {
    if secret.len() > 1 && secret.iter().all(|byte| *byte == secret[0]) {
        return Err(refused("one byte, repeated", "use random bytes"));
    }
    // Random bytes are practically never text.
    let Some(text) = core::str::from_utf8(secret).ok().filter(|text| is_text(text)) else { return Ok(()) };
    if text.contains(['\n', '\r']) {
        return Err(refused("text of several lines, or with more than one line end", "keep one line"));
    }
    if text.trim() != text {
        return Err(refused("text that begins or ends with a space", "remove it"));
    }
    Ok(())
}

/// Refuses bytes that are the content of a key file, and not its secret: they would silently be another key than the one that
/// [`secret`] reads from the same file. Random bytes are not text.
///
/// # Errors
/// If it is text that ends with a line end, or if no key file may hold it. One byte, repeated, is no file.
pub(crate) fn check_no_file(bytes: &[u8]) -> Result<()> {
    check_encoding(bytes)?;
    if is_like_ring(bytes) {
        return Err(refused("a ring of keys", "read it as a ring"));
    }
    let line = without_line_end(bytes);
    match check_secret(bytes) {
        Err(_) if bytes.iter().all(|byte| *byte == bytes[0]) => Ok(()),
        Err(_) if line != bytes && check_secret(line).is_ok() => Err(Error::config(
            "a secret must not be",
            "the content of a key file, with its line end",
            "remove the line end, or use from_file where it exists",
        )),
        checked => checked,
    }
}

/// True if there is no control character except line ends and tabs.
fn is_text(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

/// Refuses what an editor saved in another encoding than UTF-8, or with a mark.
fn check_encoding(content: &[u8]) -> Result<()> {
    let has_mark =
        content.strip_prefix(BYTE_ORDER_MARK).is_some_and(|rest| core::str::from_utf8(rest).is_ok());
    if has_mark {
        return Err(refused("text behind a byte order mark", "save it as UTF-8 without a byte order mark"));
    }
    if is_utf_16(content) {
        return Err(refused("text in UTF-16", "save it as UTF-8"));
    }
    Ok(())
}

/// True if every other byte is zero, as in UTF-16 text of Latin letters, with or without a mark.
fn is_utf_16(content: &[u8]) -> bool {
    let marked = content.strip_prefix(b"\xFF\xFE").or_else(|| content.strip_prefix(b"\xFE\xFF"));
    let content = marked.unwrap_or(content);
    let zeros = |from: usize| content.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let units = content.len() / 2;
    units >= 4 && (even >= units && odd == 0 || odd >= units && even == 0)
}

/// True if a line is the first line of a ring, whatever its case and the spaces around it.
pub(crate) fn is_like_ring(content: &[u8]) -> bool {
    let mut lines = content.split(|byte| matches!(byte, b'\n' | b'\r'));
    lines.any(|line| line.trim_ascii().eq_ignore_ascii_case(RING.as_bytes()))
}

fn without_line_end(content: &[u8]) -> &[u8] {
    content.strip_suffix(b"\r\n").or_else(|| content.strip_suffix(b"\n")).unwrap_or(content)
}

/// The content is not shown, because it may be a secret.
#[cold]
fn refused(what: &'static str, advice: &'static str) -> Error {
    Error::config("a key file must not hold", what, advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec::Vec;

    const KEY: &[u8] = b"0123456789abcdef";

    fn utf_16(text: &str, big: bool, mark: bool) -> Vec<u8> {
        let text = if mark { std::format!("\u{feff}{text}") } else { text.into() };
        text.encode_utf16()
            .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect()
    }

    #[test]
    fn one_line_end_is_not_part_of_the_secret() {
        for end in ["", "\n", "\r\n"] {
            assert_eq!(secret(&[KEY, end.as_bytes()].concat()).unwrap(), KEY);
        }
        // Raw bytes, also with zeros, line ends and marks among them.
        for raw in [
            &b"\xff\xfe\x81\x00\n\n\x93\xd5\x00\x01abcdefgh"[..],
            b"\xef\xbb\xbf\xff\xfe\x81\x00abcdefghijkl",
            b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f",
        ] {
            assert_eq!(secret(raw).unwrap(), raw);
        }
        assert_eq!(secret("ein Schlüssel mit Umlauten".as_bytes()).unwrap().len(), 27);
    }

    #[test]
    fn what_an_editor_or_another_file_may_hold_is_refused() {
        let text = "0123456789abcdef";
        for (content, says) in [
            ("\u{feff}0123456789abcdef".as_bytes().to_vec(), "a byte order mark"),
            (utf_16(text, false, true), "UTF-16"),
            (utf_16(text, true, true), "UTF-16"),
            (utf_16(text, false, false), "UTF-16"),
            (utf_16("idgen seal ring\nbegin 0123456789abcdef\n", true, true), "UTF-16"),
            (b"0123456789abcdef\n\n".to_vec(), "more than one line end"),
            (b"0123456789abcdef\r\n\r\n".to_vec(), "more than one line end"),
            (b"0123456789abcdef\r".to_vec(), "more than one line end"),
            (b"\n0123456789abcdef".to_vec(), "more than one line end"),
            (b"0123456789abcdef\nfedcba9876543210\n".to_vec(), "several lines"),
            (b"0123456789abcdef ".to_vec(), "a space"),
            (b" 0123456789abcdef\n".to_vec(), "a space"),
            (b"0123456789abcdef\t\n".to_vec(), "a space"),
            ([0; 32].to_vec(), "one byte, repeated"),
            (b"aaaaaaaaaaaaaaaaaaaaaa\n".to_vec(), "one byte, repeated"),
            (b"idgen seal ring\nbegin 0123456789abcdef\n".to_vec(), "a ring of keys"),
            (b"# a comment\nIdgen Seal Ring\nbegin 0123456789abcdef\n".to_vec(), "a ring of keys"),
        ] {
            let error = secret(&content).unwrap_err();
            let shown = error.to_string();
            assert!(error.is_config() && shown.contains(says) && !shown.contains("0123"), "{shown}");
        }
    }

    #[cfg(feature = "seal")]
    #[test]
    fn a_ring_begins_with_its_line() {
        let numbers = |content: &[u8]| {
            ring_lines(content).map(|lines| lines.map(|(number, _)| number).collect::<Vec<_>>())
        };
        assert_eq!(numbers(b"idgen seal ring\r\n# of the shop\n\nbegin x\r\ny\n").unwrap(), [4, 5]);
        for (content, says) in [
            (&b"Idgen seal ring\nbegin x\n"[..], "begin the file with this line"),
            (b"\nidgen seal ring\nbegin x\n", "begin the file with this line"),
            (b"# keys\nidgen seal ring\nbegin x\n", "begin the file with this line"),
            (b"idgen seal ring \nbegin x\n", "begin the file with this line"),
            (b"idgen seal ring\rbegin x\r", "begin the file with this line"),
            (b"0123456789abcdef\n", "not a ring"),
            (b"", "not a ring"),
            (b"\xef\xbb\xbfidgen seal ring\nbegin x\n", "a byte order mark"),
        ] {
            let error = numbers(content).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
