//! Each form against its naive twin, on every path that this machine can run.

use std::format;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::alphabet::{Alphabet, BASE64, BASE64_URL, CROCKFORD, ORDERED_64};
use super::arch::{self, Level};
use super::{Format, base32, base64, hyphenated, simple};
use crate::{Error, ShortId, Uuid};

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
        Format::Int => format!("{n}"),
        Format::Binary | Format::Swapped => unreachable!("not a text"),
    }
}

fn text_formats() -> impl Iterator<Item = Format> {
    Format::ALL.into_iter().filter(|format| format.is_text())
}

fn encoded(format: Format, id: &Uuid) -> Vec<u8> {
    format.encode(id, &mut [0; Format::MAX_LEN]).to_vec()
}

/// Whether a text is canonical, but for the case where that does not count.
fn is_canonical(format: Format, text: &[u8], id: &Uuid) -> bool {
    let (wanted, found) = (naive(format, id), text);
    match format {
        Format::Hyphenated | Format::Simple | Format::Base32 => wanted.as_bytes().eq_ignore_ascii_case(found),
        // The prefix's case counts, the digits' does not.
        Format::Urn => found.starts_with(b"urn:uuid:") && wanted.as_bytes().eq_ignore_ascii_case(found),
        Format::Braced => wanted.as_bytes().eq_ignore_ascii_case(found),
        _ => wanted.as_bytes() == found,
    }
}

/// Ids that reach every digit at every place, and the ends.
fn edge_ids() -> Vec<Uuid> {
    let mut ids: Vec<Uuid> = (0..=255).map(|byte| Uuid::from_bytes([byte; 16])).collect();
    ids.extend((0..128).map(|bit| Uuid::from_u128(1 << bit)));
    ids.extend((0..128).map(|bit| Uuid::from_u128(!(1 << bit))));
    ids.extend(
        (0..64u128).map(|n| Uuid::from_u128(n.wrapping_mul(0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3211))),
    );
    ids
}

#[test]
fn every_format_writes_what_its_naive_twin_writes_and_reads_it_back() {
    for id in edge_ids() {
        for format in Format::ALL {
            let text = encoded(format, &id);
            if format.is_text() {
                assert_eq!(text, naive(format, &id).as_bytes());
            }
            assert_eq!(format.decode(&text), Ok(id), "{format}");
        }
    }
}

/// Puts every byte value at every place of a text: it is read where it is canonical, and else an
/// error that points to that place.
#[test]
fn one_wrong_byte_is_found_wherever_it_is() {
    for id in [0, u128::MAX, 0x6ccd_780c_baba_1026_9564_5b8c_6560_24db].map(Uuid::from_u128) {
        for format in text_formats() {
            let good = encoded(format, &id);
            for at in 0..good.len() {
                for byte in 0..=255 {
                    let mut text = good.clone();
                    text[at] = byte;
                    match format.decode(&text) {
                        Ok(read) => assert!(is_canonical(format, &text, &read), "{format}: {text:?}"),
                        Err(error) => {
                            assert!(error.is_parse());
                            let number = format == Format::Int && text.iter().all(u8::is_ascii_digit);
                            assert!(number || error.offset() == Some(at), "{format}: {error}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_flipped_bit_gives_another_id_or_an_error() {
    let id = Uuid::from_u128(0x919108f7_52d1_4320_9bac_f847db4148a8);
    for format in Format::ALL {
        let good = encoded(format, &id);
        for bit in 0..8 * good.len() {
            let mut text = good.clone();
            text[bit / 8] ^= 1 << (bit % 8);
            match format.decode(&text) {
                // The bit 0x20 is a letter's case.
                Ok(read) if read == id => assert!(is_canonical(format, &text, &id), "{format}"),
                Ok(read) => {
                    assert_eq!(encoded(format, &read).to_ascii_lowercase(), text.to_ascii_lowercase())
                }
                Err(error) => assert!(error.is_parse()),
            }
        }
    }
}

#[test]
fn a_wrong_length_is_an_error_that_shows_it() {
    let id = Uuid::from_u128(u128::MAX);
    for format in Format::ALL {
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

/// Whatever the limit, there is a path, and the limit is undone by a higher one.
#[test]
fn limited_paths_give_the_same() {
    let id = Uuid::from_u128(0x919108f7_52d1_4320_9bac_f847db4148a8);
    for limit in [0, 1, 2, 9] {
        super::limit_instruction_set(limit);
        assert!(Level::available().any(|level| level == Level::best()));
        assert_eq!(encoded(Format::Base32, &id), naive(Format::Base32, &id).into_bytes());
    }
    assert_eq!(Some(Level::best()), Level::available().last());
}

/// Every kernel of every path against the portable twin of the naive one, batch and single.
#[test]
fn every_path_of_this_machine_gives_the_same() {
    let ids = edge_ids();
    for level in Level::available() {
        check_kernels::<32>(level, &ids, Format::Simple, arch::simple_encode, arch::simple_decode);
        check_kernels::<36>(
            level,
            &ids,
            Format::Hyphenated,
            arch::hyphenated_encode,
            arch::hyphenated_decode,
        );
        check_kernels::<26>(level, &ids, Format::Base32, arch::base32_encode, arch::base32_decode);
        for (format, alphabet) in
            [(Format::Base64, &BASE64), (Format::Base64Url, &BASE64_URL), (Format::Ordered64, &ORDERED_64)]
        {
            check_kernels::<22>(
                level,
                &ids,
                format,
                |level, id, out| arch::base64_encode(level, alphabet, id, out),
                |level, text, id| arch::base64_decode(level, alphabet, text, id),
            );
        }
    }
}

fn check_kernels<const N: usize>(
    level: Level,
    ids: &[Uuid],
    format: Format,
    encode: impl Fn(Level, &[u8; 16], &mut [u8; N]),
    decode: impl Fn(Level, &[u8; N], &mut [u8; 16]) -> bool,
) {
    check_round_trips(level, ids, format, &encode, &decode);
    // Every byte value at every place.
    let good = naive(format, &ids[ids.len() - 1]);
    for at in 0..N {
        for byte in 0..=255 {
            let mut text: [u8; N] = good.as_bytes().try_into().unwrap();
            text[at] = byte;
            let mut read = [0; 16];
            if decode(level, &text, &mut read) {
                assert!(is_canonical(format, &text, &Uuid::from_bytes(read)), "{level:?} {format}");
            } else {
                assert!(format.decode(text).is_err(), "{level:?} {format}");
            }
        }
    }
}

fn check_round_trips<const N: usize>(
    level: Level,
    ids: &[Uuid],
    format: Format,
    encode: impl Fn(Level, &[u8; 16], &mut [u8; N]),
    decode: impl Fn(Level, &[u8; N], &mut [u8; 16]) -> bool,
) {
    for id in ids {
        // Guard bytes on both sides: a kernel must not write beyond its place.
        let mut out = vec![0xA5; N + 128];
        let text: &mut [u8; N] = (&mut out[64..64 + N]).try_into().unwrap();
        encode(level, id.as_bytes(), text);
        assert_eq!(text.as_slice(), naive(format, id).as_bytes(), "{level:?} {format}");
        let mut read = [0; 16];
        assert!(decode(level, text, &mut read), "{level:?} {format}");
        assert_eq!(read, *id.as_bytes(), "{level:?} {format}");
        assert!(out[..64].iter().chain(&out[64 + N..]).all(|&byte| byte == 0xA5), "{level:?} {format}");
    }
}

#[test]
fn batches_of_every_path_equal_single_ids() {
    for level in Level::available() {
        for count in [0, 1, 2, 3, 4, 5, 7, 8, 9, 64, 65] {
            let ids = &edge_ids()[100..100 + count];
            check_batch(level, ids, Format::Simple, arch::simple_encode_batch, arch::simple_decode_batch);
            check_batch(
                level,
                ids,
                Format::Hyphenated,
                arch::hyphenated_encode_batch,
                arch::hyphenated_decode_batch,
            );
            check_batch(level, ids, Format::Base32, arch::base32_encode_batch, arch::base32_decode_batch);
            for (format, alphabet) in [
                (Format::Base64, &BASE64),
                (Format::Base64Url, &BASE64_URL),
                (Format::Ordered64, &ORDERED_64),
            ] {
                check_batch(
                    level,
                    ids,
                    format,
                    |level, ids, out, stride| arch::base64_encode_batch(level, alphabet, ids, out, stride),
                    |level, text, out| arch::base64_decode_batch(level, alphabet, text, out),
                );
            }
        }
    }
}

fn check_batch(
    level: Level,
    ids: &[Uuid],
    format: Format,
    encode: impl Fn(Level, &[Uuid], &mut [u8], usize),
    decode: impl Fn(Level, &[u8], &mut [Uuid]) -> Result<(), usize>,
) {
    let texts: Vec<String> = ids.iter().map(|id| naive(format, id)).collect();
    let length = naive(format, &Uuid::nil()).len();
    // With no room and with room between the texts; what lies there stays.
    for gap in [0, 1, 40] {
        let mut out = vec![b'\n'; ids.len() * (length + gap)];
        encode(level, ids, &mut out, length + gap);
        let wanted: String = texts.iter().map(|text| format!("{text}{}", "\n".repeat(gap))).collect();
        assert_eq!(String::from_utf8(out).unwrap(), wanted, "{level:?} {format}");
    }
    let mut text = texts.concat().into_bytes();
    let mut read = vec![Uuid::nil(); ids.len()];
    assert_eq!(decode(level, &text, &mut read), Ok(()));
    assert_eq!(read, ids, "{level:?} {format}");
    for bad in 0..ids.len() {
        text[bad * length + length / 2] = b'!';
    }
    for bad in 0..ids.len() {
        assert_eq!(decode(level, &text, &mut read), Err(bad), "{level:?} {format}");
        text[bad * length..(bad + 1) * length].copy_from_slice(texts[bad].as_bytes());
    }
}

#[test]
fn public_batches_check_their_lengths_and_point_into_the_batch() {
    let ids = &edge_ids()[..3];
    let mut out = [b'?'; 3 * 37];
    assert!(hyphenated::encode_batch(ids, &mut out[..107]).unwrap_err().is_config());
    assert!(hyphenated::encode_lines(ids, &mut out[..110]).unwrap_err().is_config());
    assert_eq!(out, [b'?'; 111]);
    let lines: String = ids.iter().map(|id| format!("{}\n", naive(Format::Hyphenated, id))).collect();
    assert_eq!(hyphenated::encode_lines(ids, &mut out).unwrap(), &*lines);

    let mut text = [0; 3 * 26 + 5];
    let text = base32::encode_batch(ids, &mut text).unwrap();
    assert_eq!(text.len(), 78);
    let mut read = [Uuid::nil(); 4];
    assert_eq!(base32::decode_batch(&*text, &mut read).unwrap(), ids);
    assert!(base32::decode_batch(&text[..77], &mut read).unwrap_err().to_string().contains("found 77"));
    assert!(base32::decode_batch(&*text, &mut read[..2]).unwrap_err().is_config());
    let bad = text.replacen('4', "U", 1);
    let at = bad.find('U').unwrap();
    let error = base32::decode_batch(&bad, &mut read).unwrap_err();
    assert_eq!(error.offset(), Some(at));
    assert!(error.to_string().contains("'U'"));

    // A count whose length in bytes does not fit a usize cannot be built here; an empty batch can.
    assert_eq!(simple::encode_batch(&[], &mut []).unwrap(), "");
    assert!(base64::decode_batch("", &mut []).unwrap().is_empty());
}

#[test]
fn lines_of_every_format_are_its_texts() {
    let ids = edge_ids();
    let out = &mut vec![0; ids.len() * Format::MAX_LINE];
    for format in Format::ALL {
        let mut expected = Vec::new();
        for id in &ids {
            expected.extend(encoded(format, id));
            expected.extend(format.is_text().then_some(b'\n'));
        }
        assert_eq!(format.encode_lines(&ids, out).unwrap(), expected, "{format}");
        assert!(format.encode_lines(&ids, &mut out[1..]).unwrap_err().is_config(), "{format}");
    }
}

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
fn detection_settles_the_known_clashes_and_explains_the_rest() {
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
    // Not canonical in any alphabet: the complaint is that of the alphabet which has the characters.
    assert!(message("bM14DLq6ECaVZFuMZWA+2x").contains("a base64 UUID: the character at offset 21"));
    assert!(message("bM14DLq6ECaVZFuMZWA_2x").contains("a URL-safe base64 UUID: the character at offset 21"));
    assert!(message("bM14DLq6ECaVZFu*ZWA+2w").contains("offset 15"));
}

#[cfg(feature = "alloc")]
#[test]
fn the_allocating_forms_write_the_same() {
    use super::*;

    let id = Uuid::from_u128(0x919108f7_52d1_4320_9bac_f847db4148a8);
    let written: [fn(&Uuid) -> String; 9] = [
        hyphenated::to_string,
        simple::to_string,
        urn::to_string,
        braced::to_string,
        base64::to_string,
        base64url::to_string,
        ordered64::to_string,
        base32::to_string,
        int::to_string,
    ];
    for (format, to_string) in text_formats().zip(written) {
        assert_eq!(to_string(&id), naive(format, &id));
    }
}

#[test]
fn format_names_are_read_back() {
    for format in Format::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    let error: Error = "Base64".parse::<Format>().unwrap_err();
    assert!(error.is_config() && error.to_string().contains("\"Base64\": use hyphenated, simple"));
}

#[test]
fn short_ids_are_read_strictly() {
    for number in [0, 9, 10, 1 << 53, 1 << 63, u64::MAX] {
        assert_eq!(format!("{number}").parse(), Ok(ShortId::new(number)));
    }
    for (text, why) in [
        ("", "found 0"),
        ("+1", "'+' at offset 0"),
        ("-1", "'-' at offset 0"),
        ("01", "leading zero"),
        ("1 ", "' ' at offset 1"),
        ("0x1", "'x' at offset 1"),
        ("18446744073709551616", "64 bits"),
        ("340282366920938463463374607431768211456", "64 bits"),
    ] {
        let error = text.parse::<ShortId>().unwrap_err();
        assert!(error.is_parse() && error.to_string().contains(why), "{text}: {error}");
    }
}

proptest! {
    #[test]
    fn random_ids_round_trip_in_every_format_and_path(number: u128) {
        let id = Uuid::from_u128(number);
        for format in text_formats() {
            prop_assert_eq!(encoded(format, &id), naive(format, &id).into_bytes());
            prop_assert_eq!(format.decode(naive(format, &id)), Ok(id));
        }
        for format in [Format::Hyphenated, Format::Simple, Format::Urn, Format::Braced] {
            let upper = naive(format, &id).to_uppercase().replace("URN:UUID", "urn:uuid");
            prop_assert_eq!(format.decode(upper), Ok(id));
        }
        prop_assert_eq!(Format::Base32.decode(naive(Format::Base32, &id).to_lowercase()), Ok(id));
        for level in Level::available() {
            check_round_trips(level, &[id], Format::Simple, arch::simple_encode, arch::simple_decode);
            check_round_trips(level, &[id], Format::Hyphenated, arch::hyphenated_encode, arch::hyphenated_decode);
            check_round_trips(level, &[id], Format::Base32, arch::base32_encode, arch::base32_decode);
            check_round_trips(
                level,
                &[id],
                Format::Base64,
                |level, id, out| arch::base64_encode(level, &BASE64, id, out),
                |level, text, id| arch::base64_decode(level, &BASE64, text, id),
            );
        }
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
        let mut many = [super::binary::to_bytes(&id); 3];
        super::swapped::encode_in_place(&mut many);
        prop_assert_eq!(many, [super::swapped::to_bytes(&id); 3]);
        super::swapped::decode_in_place(&mut many);
        prop_assert_eq!(many, [*id.as_bytes(); 3]);
    }

    #[test]
    fn arbitrary_bytes_never_panic_and_what_is_read_is_canonical(input in prop::collection::vec(any::<u8>(), 0..50)) {
        check_input(&input)?;
    }

    #[test]
    fn arbitrary_plausible_text_never_panics(input in "[-0-9A-Za-z+/_{}:]{15,46}") {
        check_input(input.as_bytes())?;
    }
}

fn check_input(input: &[u8]) -> Result<(), TestCaseError> {
    for format in Format::ALL {
        match format.decode(input) {
            Ok(id) if format.is_text() => prop_assert!(is_canonical(format, input, &id)),
            Ok(id) => prop_assert_eq!(encoded(format, &id), input),
            Err(error) => {
                prop_assert!(error.is_parse());
                prop_assert!(error.offset().is_none_or(|at| at < input.len()));
                prop_assert!(!error.to_string().contains("no format of this library"));
            }
        }
    }
    if let Ok((format, id)) = Format::decode_any(input) {
        prop_assert_eq!(format.decode(input), Ok(id));
    }
    Ok(())
}
