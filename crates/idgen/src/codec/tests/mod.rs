//! Each form against its naive twin.

use std::format;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::alphabet::{Alphabet, BASE32_HEX, BASE64, BASE64_URL, CROCKFORD, ORDERED_64};
use super::{Format, base32, base64, base64url, hyphenated, ordered64, simple};
use uuid::Uuid;

mod detect;
pub(super) mod exhaustive;
mod kernels;

/// The naive twins: what each text form is, in one line.
fn naive(format: Format, id: &Uuid) -> String {
    let n = id.as_u128();
    let radix64 = |alphabet: &Alphabet<64>| {
        let digit = |i: u32| if i == 21 { n << 4 } else { n >> (122 - 6 * i) } as usize % 64;
        (0..22).map(|i| char::from(alphabet.digits[digit(i)])).collect()
    };
    match format {
        Format::Simple => format!("{n:032x}"),
        Format::Hyphenated => {
            let mut text = format!("{n:032x}");
            [20, 16, 12, 8].into_iter().for_each(|at| text.insert(at, '-'));
            text
        }
        Format::Urn => format!("urn:uuid:{}", naive(Format::Hyphenated, id)),
        Format::Braced => format!("{{{}}}", naive(Format::Hyphenated, id)),
        Format::Base64 => radix64(&BASE64),
        Format::Base64Url => radix64(&BASE64_URL),
        Format::Ordered64 => radix64(&ORDERED_64),
        Format::Base32 => {
            (0..26).map(|i| char::from(CROCKFORD.digits[(n >> (125 - 5 * i)) as usize % 32])).collect()
        }
        Format::Base32Hex | Format::Base32Human => {
            let alphabet = if format == Format::Base32Hex { &BASE32_HEX } else { &CROCKFORD };
            let digit = |i: u32| if i == 25 { n << 2 } else { n >> (123 - 5 * i) } as usize % 32;
            (0..26).map(|i| char::from(alphabet.digits[digit(i)])).collect()
        }
        Format::Int => format!("{n}"),
        Format::Binary | Format::Swapped => unreachable!("not a text"),
    }
}

fn text_formats() -> impl Iterator<Item = Format> {
    Format::ALL.iter().copied().filter(|format| format.is_text())
}

fn encoded(format: Format, id: &Uuid) -> Vec<u8> {
    format.encode(id, &mut [0; Format::MAX_LEN]).to_vec()
}

/// True if a text is canonical, apart from the case in formats that ignore it.
fn is_canonical(format: Format, text: &[u8], id: &Uuid) -> bool {
    let (wanted, found) = (naive(format, id), text);
    match format {
        Format::Hyphenated | Format::Simple | Format::Base32 | Format::Base32Hex | Format::Base32Human => {
            wanted.as_bytes().eq_ignore_ascii_case(found)
        }
        Format::Urn | Format::Braced => wanted.as_bytes().eq_ignore_ascii_case(found),
        _ => wanted.as_bytes() == found,
    }
}

/// Ids that reach every digit at every place, and the ends; each twelfth of them under Miri.
fn edge_ids() -> Vec<Uuid> {
    let mut ids: Vec<Uuid> = (0..=255).map(|byte| Uuid::from_bytes([byte; 16])).collect();
    ids.extend((0..128).map(|bit| Uuid::from_u128(1 << bit)));
    ids.extend((0..128).map(|bit| Uuid::from_u128(!(1 << bit))));
    ids.extend(
        (0..64u128).map(|n| Uuid::from_u128(n.wrapping_mul(0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3211))),
    );
    ids.into_iter().step_by(if cfg!(miri) { 12 } else { 1 }).collect()
}

#[test]
fn every_format_writes_what_its_naive_twin_writes_and_reads_it_back() {
    for id in edge_ids() {
        for &format in Format::ALL {
            let text = encoded(format, &id);
            if format.is_text() {
                assert_eq!(text, naive(format, &id).as_bytes());
            }
            assert_eq!(format.decode(&text), Ok(id), "{format}");
            check_decode_into(format, &text);
            check_decode_into(format, &text[1..]);
        }
    }
}

/// Checks that `decode_into` gives what `decode` gives.
fn check_decode_into(format: Format, text: &[u8]) {
    let mut id = Uuid::max();
    let read = match format {
        Format::Hyphenated => hyphenated::decode_into(text, &mut id),
        Format::Simple => simple::decode_into(text, &mut id),
        Format::Base64 => base64::decode_into(text, &mut id),
        Format::Base64Url => base64url::decode_into(text, &mut id),
        Format::Ordered64 => ordered64::decode_into(text, &mut id),
        Format::Base32 => base32::decode_into(text, &mut id),
        _ => return,
    };
    assert_eq!(read.map(|()| id), format.decode(text), "{format}: {text:?}");
    assert!(format.decode(text).is_ok() || id.is_nil(), "{format}: {text:?}");
}

#[test]
fn a_wrong_length_is_an_error_that_shows_it() {
    let id = Uuid::from_u128(u128::MAX);
    for &format in Format::ALL {
        let mut long = encoded(format, &id);
        let short = long[..long.len() - 1].to_vec();
        long.push(b'0');
        for text in [vec![], short, long] {
            match format.decode(&text) {
                // A shorter number is another id.
                Ok(_) => assert_eq!((format, text.len()), (Format::Int, 38)),
                Err(error) => {
                    let message = error.to_string();
                    let length = format!("found {}", text.len());
                    assert!(message.contains(&length) || message.contains("128 bits"), "{message}");
                }
            }
        }
    }
}

#[cfg(feature = "alloc")]
#[test]
fn the_allocating_forms_write_the_same() {
    use super::*;

    let id = Uuid::from_u128(0x919108f7_52d1_4320_9bac_f847db4148a8);
    // The crate `uuid` writes the other two.
    let written: [fn(&Uuid) -> String; 11] = [
        hyphenated::to_string,
        simple::to_string,
        |id| id.urn().to_string(),
        |id| id.braced().to_string(),
        base64::to_string,
        base64url::to_string,
        ordered64::to_string,
        base32::to_string,
        base32hex::to_string,
        base32human::to_string,
        int::to_string,
    ];
    for (format, to_string) in text_formats().zip(written) {
        assert_eq!(to_string(&id), naive(format, &id));
    }
}

proptest! {
    #[test]
    fn random_ids_round_trip_in_every_format(number: u128) {
        let id = Uuid::from_u128(number);
        for format in text_formats() {
            prop_assert_eq!(encoded(format, &id), naive(format, &id).into_bytes());
            prop_assert_eq!(format.decode(naive(format, &id)), Ok(id));
        }
        for format in [Format::Hyphenated, Format::Simple, Format::Urn, Format::Braced] {
            let upper = naive(format, &id).to_uppercase();
            prop_assert_eq!(format.decode(upper), Ok(id));
        }
        prop_assert_eq!(Format::Base32.decode(naive(Format::Base32, &id).to_lowercase()), Ok(id));
    }

    #[test]
    fn sortable_texts_sort_like_the_bytes(mut numbers: Vec<u128>) {
        numbers.sort_unstable();
        for format in [Format::Hyphenated, Format::Simple, Format::Urn, Format::Braced, Format::Ordered64, Format::Base32] {
            let texts: Vec<_> = numbers.iter().map(|&n| encoded(format, &Uuid::from_u128(n))).collect();
            prop_assert!(texts.is_sorted(), "{}", format);
        }
    }

    #[test]
    fn swapping_is_moving_the_time_fields(number: u128) {
        let id = Uuid::from_u128(number);
        let text = naive(Format::Simple, &id);
        let swapped = format!("{}{}{}{}", &text[12..16], &text[8..12], &text[..8], &text[16..]);
        prop_assert_eq!(&encoded(Format::Swapped, &id), &u128::from_str_radix(&swapped, 16).unwrap().to_be_bytes());
        let mut many = [*id.as_bytes(); 3];
        super::swapped::encode_in_place(&mut many);
        prop_assert_eq!(many, [super::swapped::to_bytes(&id); 3]);
        super::swapped::decode_in_place(&mut many);
        prop_assert_eq!(many, [*id.as_bytes(); 3]);
    }
}
