//! Text files that a person wrote, whatever their editor added to them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};

/// A longer file is a mistake.
const LONGEST: u64 = 16 * 1024 * 1024;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Reads a text file without its byte order mark.
///
/// # Errors
/// If the file cannot be read, or is not text in UTF-8; the error names the file.
pub fn read(path: &Path) -> anyhow::Result<String> {
    let open = || -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = open().with_context(|| format!("cannot read {}", path.display()))?;
    text(bytes).with_context(|| format!("cannot read {}", path.display()))
}

fn text(bytes: Vec<u8>) -> anyhow::Result<String> {
    if bytes.len() as u64 > LONGEST {
        bail!("it is longer than {LONGEST} bytes: name a file of text");
    }
    if is_utf_16(&bytes) {
        bail!("it is text in UTF-16: save it as UTF-8");
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        anyhow::anyhow!("it is not text in UTF-8, from offset {} on", error.utf8_error().valid_up_to())
    })?;
    Ok(match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(text) => text.to_owned(),
        None => text,
    })
}

/// Returns whether bytes begin as text in UTF-16 does: with its byte order mark, or with a letter and a zero.
pub fn is_utf_16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..])
        || matches!(bytes, [0, 1..=0x7F, 0, 1..=0x7F, ..] | [1..=0x7F, 0, 1..=0x7F, 0, ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_removed_and_other_encodings_are_refused() {
        for content in ["CREATE TABLE t", "\u{feff}CREATE TABLE t"] {
            assert_eq!(text(content.into()).unwrap(), "CREATE TABLE t");
        }
        for mark in ["", "\u{feff}"] {
            let units: Vec<u16> = format!("{mark}CREATE TABLE t").encode_utf16().collect();
            for bytes in [
                units.iter().flat_map(|u| u.to_le_bytes()).collect::<Vec<_>>(),
                units.iter().flat_map(|u| u.to_be_bytes()).collect(),
            ] {
                assert!(text(bytes).unwrap_err().to_string().contains("UTF-16: save it as UTF-8"));
            }
        }
        assert!(text(b"CREATE \xe9".to_vec()).unwrap_err().to_string().contains("from offset 7 on"));
    }
}
