//! Which format a text is in, and the formats' names.

use std::string::ToString;

use super::{edge_ids, naive, text_formats};
use crate::Error;
use crate::codec::Format;

#[test]
fn detection_finds_the_format_that_wrote_a_text() {
    for id in edge_ids() {
        for format in text_formats() {
            let text = naive(format, &id);
            let (found, read) = Format::decode_any(&text).unwrap();
            let clash = match format {
                // Without - and _ both alphabets write the same text.
                Format::Base64Url if !text.contains(['-', '_']) => Format::Base64,
                Format::Int if text.len() == 32 => continue,
                Format::Int if text.len() == 26 && text.as_bytes()[0] <= b'7' => continue,
                same => same,
            };
            assert_eq!((found, read), (clash, id), "{text}");
        }
    }
}

#[test]
fn ambiguous_texts_have_a_documented_format_or_an_error() {
    let detect = |text: &str| Format::detect(text);
    assert_eq!(detect("12345678901234567890123456789012"), Ok(Format::Simple));
    assert_eq!(detect("12345678901234567890123456"), Ok(Format::Base32));
    assert_eq!(detect("82345678901234567890123456"), Ok(Format::Int));
    assert_eq!(detect("1234567890123456789012"), Ok(Format::Int));
    assert_eq!(detect("123456789012345678901234567890123456"), Ok(Format::Int));
    assert_eq!(detect("0"), Ok(Format::Int));
    let message = |text: &str| detect(text).unwrap_err().to_string();
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

#[test]
fn format_names_are_read_back() {
    for &format in Format::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    let error: Error = "Base64".parse::<Format>().unwrap_err();
    assert!(error.is_config() && error.to_string().contains("\"Base64\": use hyphenated, simple"));
}
