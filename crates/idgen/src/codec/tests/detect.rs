//! Tests the detection of formats, and the formats' names.

use std::format;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;
use uuid::Uuid;

use super::exhaustive::{LIMIT, accepts, bytes, each_byte, ids, is_number, lengths, table};
use super::{edge_ids, encoded, naive, text_formats};
use crate::Error;
use crate::codec::{Format, literal};

#[test]
fn detection_finds_the_format_that_wrote_a_text() {
    for id in edge_ids() {
        // A text of 26 characters is one of base32, unless another format is named.
        let named = [Format::Base32Hex, Format::Base32Human];
        for format in text_formats().filter(|format| !named.contains(format)) {
            let text = naive(format, &id);
            // Digits that are as long as a text in another format, or nearly: see below.
            let is_number = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
            if is_number && [22, 26, 31, 32, 33, 34, 35, 36].contains(&text.len()) {
                continue;
            }
            let (found, read) = Format::decode_any(&text).unwrap();
            let clash = match format {
                // Without - and _ both alphabets write the same text.
                Format::Base64Url if !text.contains(['-', '_']) => Format::Base64,
                same => same,
            };
            assert_eq!((found, read), (clash, id), "{text}");
        }
    }
}

#[test]
fn ambiguous_texts_have_a_documented_format_or_an_error() {
    let detect = |text: &str| Format::decode_any(text).map(|(format, _)| format);
    assert_eq!(detect("12345678901234567890123456789012"), Ok(Format::Simple));
    assert_eq!(detect("02345678901234567890123456"), Ok(Format::Base32));
    assert_eq!(detect("1234567890123456789012345678901234567"), Ok(Format::Int));
    assert_eq!(detect("0"), Ok(Format::Int));
    let message = |text: &str| detect(text).unwrap_err().to_string();
    // The texts are as long as those of another format, in which they would be out of range: each of the two could be
    // meant.
    for text in ["80000000000000000000000000", "92345678901234567890123456"] {
        let error = message(text);
        assert!(error.contains("a ULID beyond its range") && error.contains("name the format"), "{error}");
        assert!(Format::Int.decode(text).is_ok() && Format::Base32.decode(text).is_err());
    }
    let error = message("12345678901234567890123456");
    assert!(error.contains("a ULID (base32) without a letter, or a decimal number (int): name"), "{error}");
    for digits in [31, 33, 34, 35, 36] {
        let error = message(&"1".repeat(digits));
        assert!(error.contains("hexadecimal digits of a UUID with one missing or too many, or"), "{error}");
        assert!(message(&format!("0{}", "1".repeat(digits - 1))).contains("leading zero"));
    }
    assert!(message("1234567890123456789012").contains("base64 with bits beyond the id, or a decimal"));
    assert!(message("\u{1}23456789012345\u{7f}").contains("binary or swapped"));
    assert!(message("").contains("or a decimal number, found 0"));
    assert!(message("00").contains("leading zero"));
    assert!(message("999999999999999999999999999999999999999").contains("128 bits"));
    // Not canonical in any alphabet: the error is that of the alphabet which has the characters.
    assert!(message("bM14DLq6ECaVZFuMZWA+2x").contains("a base64 UUID: the character at offset 21"));
    assert!(message("bM14DLq6ECaVZFuMZWA_2x").contains("a URL-safe base64 UUID: the character at offset 21"));
    assert!(message("bM14DLq6ECaVZFu*ZWA+2w").contains("offset 15"));
    // With a dash of a word processor, a UUID has as many bytes as a braced one, and the length says nothing.
    let dash = message("6ccd780c\u{2013}baba-1026-9564-5b8c656024db");
    assert!(dash.contains("expected only ASCII characters, found '\\xe2' at offset 8"), "{dash}");
    assert!(message("\u{201c}6ccd780cbaba\u{201d}").contains("at offset 0"));
}

proptest! {
    /// Short ids too: the integers of random ones have 38 digits, and no other format is that long.
    #[test]
    fn a_text_is_never_read_as_another_id(bits: u128, shift in 0_u32..128) {
        let id = Uuid::from_u128(bits >> shift);
        for format in text_formats() {
            let text = naive(format, &id);
            // These texts cannot be distinguished from the texts of base32 and simple: their formats have to be named.
            let has_name = matches!(format, Format::Base32Hex | Format::Base32Human)
                || format == Format::Int && text.len() == 32;
            if let Ok((found, read)) = Format::decode_any(&text) && !has_name {
                prop_assert_eq!(read, id, "{} as {}: {}", format, found, text);
            }
        }
    }
}

/// The format of a text, as the documentation of [`Format::decode_any`] says it.
fn detected(tables: &[(Format, Vec<String>)], text: &[u8]) -> Option<Format> {
    let digits = text.iter().all(u8::is_ascii_digit);
    let has_no_zero = text.first().is_some_and(|first| *first > b'0');
    let only = |format| {
        Some(format).filter(|_| tables.iter().any(|(of, table)| *of == format && accepts(table, text)))
    };
    match text.len() {
        26 | 31 | 33..=36 if digits && has_no_zero => None,
        22 if digits => None,
        22 => only(Format::Base64).or(only(Format::Base64Url)).or(only(Format::Ordered64)),
        26 => only(Format::Base32),
        32 => only(Format::Simple),
        36 if !digits => only(Format::Hyphenated),
        38 if !digits => only(Format::Braced),
        45 if !digits => only(Format::Urn),
        _ => is_number(text, LIMIT).then_some(Format::Int),
    }
}

/// Tests by exhaustion: each byte at each place of a text in each format, and all lengths up to 64 of each byte. The
/// induction is that of the formats, because detection looks at the length and at whether all bytes are digits, and
/// leaves the rest to them.
#[test]
fn a_text_has_the_format_that_its_documentation_says() {
    let tables: Vec<_> = text_formats().filter_map(|format| Some((format, table(format)?))).collect();
    let check = |text: &[u8]| {
        let found = Format::decode_any(text);
        assert_eq!(found.as_ref().ok().map(|(format, _)| *format), detected(&tables, text), "{text:?}");
        if let Ok((format, id)) = &found {
            assert_eq!(format.decode(text).as_ref(), Ok(id));
        }
        let digits = [Format::Hyphenated, Format::Simple, Format::Urn, Format::Braced];
        let is_uuid = detected(&tables, text).is_some_and(|format| digits.contains(&format));
        assert_eq!(Format::decode_uuid(text).is_ok(), is_uuid || literal::decode(text).is_ok(), "{text:?}");
    };
    for format in Format::ALL {
        for id in ids() {
            each_byte(&encoded(*format, &id), |text, _| check(text));
        }
    }
    lengths().for_each(|len| bytes().for_each(|byte| check(&vec![byte; len])));
}

#[test]
fn texts_of_other_programs_are_named() {
    let message = |text: &str| Format::decode_any(text).unwrap_err().to_string();
    for (text, says) in [
        ("bM14DLq6ECaVZFuMZWAk2w==", "padded base64, as MySQL's TO_BASE64() writes it: remove the padding"),
        ("\"6ccd780c-baba-1026-9564-5b8c656024db\"", "a quoted text, such as a field of a CSV file: remove"),
        ("'6ccd780cbaba102695645b8c656024db'", "a quoted text"),
        ("\"bM14DLq6ECaVZFuMZWAk2w\"", "a quoted text"),
        ("0x6CCD780CBABA102695645B8C656024DB", "a hexadecimal literal"),
        ("\\x6ccd780cbaba102695645b8c656024db", "a hexadecimal literal"),
        ("X'6CCD780CBABA102695645B8C656024DB'", "a hexadecimal literal"),
    ] {
        assert!(message(text).contains(says), "{}", message(text));
    }
}

#[test]
fn a_uuid_is_read_from_hexadecimal_digits_only() {
    let id = "6ccd780c-baba-1026-9564-5b8c656024db".parse().unwrap();
    for text in [
        "6ccd780c-baba-1026-9564-5b8c656024db",
        "6CCD780CBABA102695645B8C656024DB",
        "{6ccd780c-baba-1026-9564-5b8c656024db}",
        "urn:uuid:6ccd780c-baba-1026-9564-5b8c656024db",
        "URN:UUID:6CCD780C-BABA-1026-9564-5B8C656024DB",
        "Urn:Uuid:6ccd780c-baba-1026-9564-5b8c656024db",
        "0x6CCD780CBABA102695645B8C656024DB",
        "x'6ccd780cbaba102695645b8c656024db'",
    ] {
        assert_eq!(Format::decode_uuid(text), Ok(id), "{text}");
    }
    for (text, says) in [
        ("42", "a decimal number (int)"),
        ("0", "a decimal number (int)"),
        ("144623479298450090607906173242916742363", "a decimal number (int)"),
        ("bM14DLq6ECaVZFuMZWAk2w", "base64"),
        ("QBps2Aeu31PKO4iBOL-Zqk", "ordered64"),
        ("3CSNW0SENT20K9AS2VHHJP096V", "a ULID (base32)"),
        ("0x6CCD780CBABA102695645B8C656024DG", "'G'"),
        ("a user's name...", "binary or swapped"),
    ] {
        let error = Format::decode_uuid(text).unwrap_err();
        assert!(error.is_parse() && error.to_string().contains(says), "{text}: {error}");
    }
}

#[test]
fn format_names_are_read_back() {
    for &format in Format::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    let error: Error = "Base64".parse::<Format>().unwrap_err();
    assert!(error.is_config() && error.to_string().contains("\"Base64\": use hyphenated, simple"));
}
