//! Parses a value by itself, before the rest of its column is considered.

use idgen::Uuid;
use idgen::codec::Format;

use crate::survey::judge::parsed::{Case, PADDED, Parsed, Spelling};
use crate::survey::judge::patterns;
use crate::survey::read::sample::Value;

pub(crate) fn parse(value: &Value) -> Parsed {
    match value {
        Value::Null => Parsed::Text,
        Value::Int(number) => Parsed::Integer(*number),
        Value::Text(text) => parse_text(text),
        Value::Bytes(bytes) => match <[u8; 16]>::try_from(&bytes[..]) {
            Ok(bytes) => Parsed::Wide { id: Uuid::from_bytes(bytes), spelling: None },
            Err(_) if bytes.len() == 12 => object(bytes, None),
            // Texts in a column of bytes, which may be padded with zeros.
            Err(_) => match str::from_utf8(bytes).map(|text| text.trim_end_matches('\0')) {
                Ok(text)
                    if text.len() >= 20 && text.is_ascii() && !text.contains(|c: char| c.is_control()) =>
                {
                    parse_text(text)
                }
                _ => patterns::of_bytes(bytes).unwrap_or(Parsed::Bytes),
            },
        },
    }
}

fn object(bytes: &[u8], spelling: Option<Spelling>) -> Parsed {
    let number = bytes.iter().fold(0_u128, |number, &byte| number << 8 | u128::from(byte));
    Parsed::Object { seconds: (number >> 64) as u32, id: number, spelling }
}

/// The case of the letters of a text.
pub(crate) fn case_of(text: &str) -> Case {
    let (lower, upper) =
        (text.bytes().any(|b| b.is_ascii_lowercase()), text.bytes().any(|b| b.is_ascii_uppercase()));
    match (lower, upper) {
        (false, false) => Case::None,
        (true, false) => Case::Lower,
        (false, true) => Case::Upper,
        (true, true) => Case::Mixed,
    }
}

fn parse_text(text: &str) -> Parsed {
    let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if matches!(text.len(), 40 | 64) && is_hexadecimal {
        return Parsed::Digest;
    }
    if text.len() == 24 && is_hexadecimal {
        let digit = |byte: u8| (byte as char).to_digit(16).unwrap_or(0) as u8;
        let bytes: Vec<u8> =
            text.as_bytes().chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect();
        return object(&bytes, Some(Spelling { format: "hexadecimal", case: case_of(text) }));
    }
    let decoded = match text.strip_suffix("==").filter(|bare| bare.len() == 22) {
        Some(bare) => match Format::decode_any(bare) {
            Ok((Format::Base64 | Format::Base64Url, id)) => {
                return Parsed::Wide { id, spelling: Some(Spelling { format: PADDED, case: Case::None }) };
            }
            _ => return Parsed::Text,
        },
        None => Format::decode_any(text),
    };
    match decoded {
        // Leading zeros and 128 bits are no integers that a program counts.
        Ok((Format::Int, id)) => match i128::try_from(id.as_u128()) {
            Ok(number) if number <= i128::from(u64::MAX) => Parsed::Integer(number),
            _ => Parsed::Text,
        },
        Ok((format, id)) => {
            let case = match format {
                Format::Base64 | Format::Base64Url | Format::Ordered64 => Case::None,
                // The letters of `urn:uuid:` say nothing about the digits.
                Format::Urn => Case::None,
                _ => case_of(text),
            };
            // A text of base64 without + and / is also one of base64url.
            let format = if format == Format::Base64Url { Format::Base64 } else { format };
            Parsed::Wide { id, spelling: Some(Spelling { format: format.name(), case }) }
        }
        Err(_) => patterns::of_text(text).unwrap_or(Parsed::Text),
    }
}
