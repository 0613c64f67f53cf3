//! Tests which texts each decoder accepts, by exhaustion and induction.
//!
//! A table says for each place of a text which bytes are accepted there; it names the characters, and uses nothing of the
//! codecs. **By exhaustion:** at each place of several valid texts, each of the 256 bytes is accepted exactly if the table has
//! it, and all other lengths up to 64 are refused. An accepted text encodes to itself, apart from the case that the format
//! ignores. **The induction:** whether a byte is accepted at a place does not depend on the bytes at the other places. That is tested
//! for all pairs of places, each of the 256 bytes at one of them, and six bytes at the other. If it holds for pairs, and a decoder
//! combines its places with AND, as all of them do, it holds for all texts. So each id has exactly one text, and no text makes a decoder
//! panic. **Sampled:** the valid texts to start from, the six bytes, and that no decoder compares three places at once.

use std::format;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use uuid::Uuid;

use super::{check_decode_into, encoded, is_canonical, text_formats};
use crate::codec::{Format, decimal, guid, java_legacy, literal};

const HEX: &str = "0123456789abcdefABCDEF";
const CROCKFORD: &str = "0123456789abcdefghjkmnpqrstvwxyzABCDEFGHJKMNPQRSTVWXYZ";
const BASE32_HEX: &str = "0123456789abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUV";
const ALPHANUMERIC: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// 2^128.
pub(super) const LIMIT: &str = "340282366920938463463374607431768211456";

/// The characters that each place accepts.
type Table = Vec<String>;

fn places(count: usize, characters: &str) -> Table {
    vec![characters.into(); count]
}

/// The last character holds bits of padding, which are zero, or the first one holds bits beyond the id.
fn with(mut table: Table, place: usize, characters: &str) -> Table {
    table[place] = characters.into();
    table
}

/// The table of a text format, or none for decimal numbers, whose places depend on each other.
pub(super) fn table(format: Format) -> Option<Table> {
    let radix64 = |two: &str, last: &str| with(places(22, &format!("{ALPHANUMERIC}{two}")), 21, last);
    Some(match format {
        Format::Simple => places(32, HEX),
        Format::Hyphenated => [8, 13, 18, 23].iter().fold(places(36, HEX), |table, at| with(table, *at, "-")),
        Format::Urn => {
            let prefix = ["uU", "rR", "nN", ":", "uU", "uU", "iI", "dD", ":"];
            prefix.into_iter().map(String::from).chain(table(Format::Hyphenated)?).collect()
        }
        Format::Braced => [places(1, "{"), table(Format::Hyphenated)?, places(1, "}")].concat(),
        Format::Base64 => radix64("+/", "AQgw"),
        Format::Base64Url => radix64("-_", "AQgw"),
        Format::Ordered64 => radix64("-_", "-FVk"),
        Format::Base32 => with(places(26, CROCKFORD), 0, "01234567"),
        Format::Base32Hex => with(places(26, BASE32_HEX), 25, "048cgkosCGKOS"),
        Format::Base32Human => with(places(26, CROCKFORD), 25, "048cgmrwCGMRW"),
        Format::Int | Format::Binary | Format::Swapped => return None,
    })
}

/// True if the table has the byte at this place.
fn has(table: &[String], place: usize, byte: u8) -> bool {
    table[place].as_bytes().contains(&byte)
}

/// True if the table has each byte of the text at its place.
pub(super) fn accepts(table: &[String], text: &[u8]) -> bool {
    table.len() == text.len() && text.iter().enumerate().all(|(place, byte)| has(table, place, *byte))
}

/// Two ids of equal bits, and two of all digits. Miri, which takes a thousand times longer, has one of each.
pub(super) fn ids() -> impl Iterator<Item = Uuid> {
    [0, 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210, u128::MAX, 0x6ccd_780c_baba_1026_9564_5b8c_6560_24db]
        .map(Uuid::from_u128)
        .into_iter()
        .take(if cfg!(miri) { 2 } else { 4 })
}

/// The places of a text, or each thirteenth one under Miri.
fn all_places(text: &[u8]) -> impl Iterator<Item = usize> + use<> {
    (0..text.len()).step_by(if cfg!(miri) { 13 } else { 1 })
}

/// All lengths up to 64, or some under Miri, 36 among them.
pub(super) fn lengths() -> impl Iterator<Item = usize> {
    (0..=64).step_by(if cfg!(miri) { 9 } else { 1 })
}

/// All 256 bytes, or six of them under Miri.
pub(in crate::codec) fn bytes() -> impl Iterator<Item = u8> {
    (0..=255).step_by(if cfg!(miri) { 51 } else { 1 })
}

/// Puts each byte at each place of the text.
pub(super) fn each_byte(good: &[u8], mut check: impl FnMut(&[u8], usize)) {
    for place in all_places(good) {
        for byte in bytes() {
            let mut text = good.to_vec();
            text[place] = byte;
            check(&text, place);
        }
    }
}

/// Puts each byte at each place, and six others at each other place: two that most formats accept, and four that few do.
pub(super) fn each_pair(good: &[u8], mut check: impl FnMut(&[u8])) {
    let mut text = good.to_vec();
    for one in all_places(good) {
        for two in all_places(good).filter(|two| *two != one) {
            for byte in bytes() {
                for other in *b"0Aw-\0\xff" {
                    (text[one], text[two]) = (byte, other);
                    check(&text);
                }
            }
            text[two] = good[two];
        }
        text[one] = good[one];
    }
}

#[test]
fn each_place_accepts_the_characters_of_its_table() {
    for format in text_formats() {
        let Some(table) = table(format) else { continue };
        for id in ids() {
            each_byte(&encoded(format, &id), |text, place| {
                check_decode_into(format, text);
                match format.decode(text) {
                    Ok(read) => {
                        assert!(has(&table, place, text[place]), "{format}: {text:?}");
                        assert!(is_canonical(format, text, &read), "{format}: {text:?}");
                    }
                    Err(error) => {
                        assert!(!has(&table, place, text[place]), "{format}: {text:?}");
                        assert!(error.is_parse() && error.offset() == Some(place), "{format}: {error}");
                        assert!(!error.to_string().contains("no format of this library"));
                    }
                }
            });
        }
    }
}

#[test]
fn no_place_depends_on_another_one() {
    for format in text_formats() {
        let Some(table) = table(format) else { continue };
        let id = ids().last().unwrap();
        each_pair(&encoded(format, &id), |text| {
            assert_eq!(format.decode(text).is_ok(), accepts(&table, text), "{format}: {text:?}");
        });
    }
}

/// Every length up to 64, of each of the 256 bytes, and of valid texts that are cut or continued.
#[test]
fn other_lengths_are_refused() {
    for &format in Format::ALL {
        let (table, good) = (table(format), encoded(format, &ids().last().unwrap()));
        for len in lengths() {
            for byte in bytes() {
                let one_byte = vec![byte; len];
                let mut continued = good[..good.len().min(len)].to_vec();
                continued.resize(len, byte);
                for text in [one_byte, continued] {
                    let accepted = match (format, &table) {
                        (_, Some(table)) if len == table.len() => accepts(table, &text),
                        (_, Some(_)) => false,
                        (Format::Int, _) => is_number(&text, LIMIT),
                        _ => len == 16,
                    };
                    assert_eq!(format.decode(&text).is_ok(), accepted, "{format}: {text:?}");
                }
            }
        }
    }
    for len in 0..=64 {
        assert_eq!(guid::decode(vec![0xff; len]).is_ok(), len == 16);
        assert_eq!(java_legacy::decode(vec![0xff; len]).is_ok(), len == 16);
    }
}

/// True for digits without a leading zero, of a number that is less than the limit: it has fewer digits, or smaller ones.
pub(super) fn is_number(text: &[u8], limit: &str) -> bool {
    !text.is_empty()
        && text.iter().all(u8::is_ascii_digit)
        && (text[0] != b'0' || text.len() == 1)
        && (text.len(), text) < (limit.len(), limit.as_bytes())
}

/// Decimal numbers, of 128 and of 64 bits. By exhaustion: each byte at each place of numbers of each length, and each digit
/// after each prefix of the limit, followed by the smallest and the largest rest. The induction: two numbers of one length
/// are in the order of the first digits in which they differ.
#[test]
fn decimal_numbers_are_accepted_below_their_limit() {
    for (bits, limit) in [(128, LIMIT), (64, "18446744073709551616")] {
        let check = |text: &[u8]| {
            let read = decimal::decode("a number", bits, text);
            assert_eq!(read.is_ok(), is_number(text, limit), "{text:?}");
            if let Ok(number) = read {
                assert_eq!(format!("{number}").as_bytes(), text);
            }
        };
        for len in (1..=limit.len() + 1).step_by(if cfg!(miri) { 7 } else { 1 }) {
            each_byte(&vec![b'1'; len], |text, place| {
                check(text);
                if !text[place].is_ascii_digit() {
                    let error = decimal::decode("a number", bits, text).unwrap_err();
                    assert_eq!(error.offset(), Some(place), "{error}");
                }
            });
        }
        for place in 0..limit.len() {
            for (digit, rest) in (b'0'..=b'9').flat_map(|digit| [(digit, b'0'), (digit, b'9')]) {
                let mut text = limit.as_bytes()[..place].to_vec();
                text.push(digit);
                text.resize(limit.len(), rest);
                check(&text);
            }
        }
    }
}

/// Each byte of the forms of 16 bytes has one place, and all bytes are accepted there.
#[test]
fn bytes_have_one_place_each() {
    let forms: [fn([u8; 16]) -> [u8; 16]; 4] = [
        |bytes| guid::to_bytes(&guid::from_bytes(bytes)),
        |bytes| java_legacy::to_bytes(&java_legacy::from_bytes(bytes)),
        |bytes| encoded(Format::Swapped, &Format::Swapped.decode(bytes).unwrap()).try_into().unwrap(),
        |bytes| encoded(Format::Binary, &Format::Binary.decode(bytes).unwrap()).try_into().unwrap(),
    ];
    for there_and_back in forms {
        each_byte(&[0; 16], |bytes, _| {
            let bytes = bytes.try_into().unwrap();
            assert_eq!(there_and_back(bytes), bytes);
        });
    }
}

#[test]
fn each_place_of_a_literal_accepts_its_characters() {
    let tables = [
        ("0x6CCD780CBABA102695645B8C656024DB", [places(1, "0"), places(1, "xX"), places(32, HEX)].concat()),
        (r"\x6ccd780cbaba102695645b8c656024db", [places(1, "\\"), places(1, "x"), places(32, HEX)].concat()),
        (
            "X'6ccd780cbaba102695645b8c656024db'",
            [places(1, "xX"), places(1, "'"), places(32, HEX), places(1, "'")].concat(),
        ),
    ];
    for (good, table) in &tables {
        let check = |text: &[u8]| {
            let accepted = tables.iter().any(|(_, table)| accepts(table, text));
            assert_eq!(literal::decode(text).is_ok(), accepted, "{text:?}");
        };
        assert!(accepts(table, good.as_bytes()));
        each_byte(good.as_bytes(), |text, _| check(text));
        (0..=64).for_each(|len| check(&good.repeat(2).as_bytes()[..len]));
    }
}
