//! Every kernel of every path that this machine can run, and the batch forms.

use std::format;
use std::string::String;
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::exhaustive::{accepts, bytes, each_pair, table};
use super::{edge_ids, encoded, is_canonical, naive, text_formats};
use crate::codec::alphabet::{BASE64, BASE64_URL, ORDERED_64};
use crate::codec::arch::{self, Level};
use crate::codec::{Format, limit_instruction_set};
use uuid::Uuid;

/// There is a path below every limit, and a higher limit replaces a lower one.
#[test]
fn limited_paths_give_the_same_texts() {
    let id = Uuid::from_u128(0x919108f7_52d1_4320_9bac_f847db4148a8);
    for limit in [0, 1, 2, 3, 9] {
        limit_instruction_set(limit);
        assert!(Level::available().any(|level| level == Level::best()));
        assert_eq!(encoded(Format::Base32, &id), naive(Format::Base32, &id).into_bytes());
    }
    assert_eq!(Some(Level::best()), Level::available().last());
}

/// Compares every kernel of every path with the naive twin, in batches and one by one.
#[test]
fn every_path_of_this_machine_gives_the_same_texts() {
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
    encode: impl for<'t> Fn(Level, &[u8; 16], &'t mut [u8; N]) -> &'t mut str,
    decode: impl Fn(Level, &[u8; N], &mut [u8; 16]) -> bool,
) {
    check_round_trips(level, ids, format, &encode, &decode);
    // Every byte value at every place.
    let good = naive(format, &ids[ids.len() - 1]);
    for at in 0..N {
        for byte in bytes() {
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
    let table = table(format).unwrap();
    each_pair(good.as_bytes(), |text| {
        let is_read = decode(level, text.try_into().unwrap(), &mut [0; 16]);
        assert_eq!(is_read, accepts(&table, text), "{level:?} {format} {text:?}");
    });
}

fn check_round_trips<const N: usize>(
    level: Level,
    ids: &[Uuid],
    format: Format,
    encode: impl for<'t> Fn(Level, &[u8; 16], &'t mut [u8; N]) -> &'t mut str,
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
    let ids = edge_ids();
    // Miri takes a thousand times longer.
    let counts: &[usize] = if cfg!(miri) { &[0, 1, 4, 9] } else { &[0, 1, 2, 3, 4, 5, 7, 8, 9, 64, 65] };
    for level in Level::available() {
        for count in counts {
            let ids = &ids[ids.len() / 6..][..*count];
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
                    |level, ids, out, lines| arch::base64_encode_batch(level, alphabet, ids, out, lines),
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
    encode: impl for<'t> Fn(Level, &[Uuid], &'t mut [u8], bool) -> &'t mut str,
    decode: impl Fn(Level, &[u8], &mut [Uuid]) -> Result<(), usize>,
) {
    let texts: Vec<String> = ids.iter().map(|id| naive(format, id)).collect();
    let length = naive(format, &Uuid::nil()).len();
    for lines in [false, true] {
        // The bytes after the texts stay as they were.
        let len = ids.len() * (length + usize::from(lines));
        let mut out = vec![0xA5; len + 64];
        let wanted = texts.join(if lines { "\n" } else { "" }) + if lines && len > 0 { "\n" } else { "" };
        assert_eq!(encode(level, ids, &mut out, lines), wanted.as_str(), "{level:?} {format}");
        assert!(out[len..].iter().all(|&byte| byte == 0xA5), "{level:?} {format}");
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
fn batches_of_every_format_are_its_texts() {
    let ids = &edge_ids()[..3];
    for &format in Format::ALL {
        let wanted: Vec<u8> = ids.iter().flat_map(|id| encoded(format, id)).collect();
        let Some(len) = format.fixed_len() else {
            assert!(format.encode_batch(ids, &mut [0; 999]).unwrap_err().to_string().contains("\"int\""));
            assert!(format.decode_batch("123", &mut [Uuid::nil(); 9]).unwrap_err().is_config());
            continue;
        };
        assert_eq!(wanted.len(), 3 * len, "{format}");
        let mut out = vec![b'?'; 3 * len + 5];
        assert!(format.encode_batch(ids, &mut out[..3 * len - 1]).unwrap_err().is_config(), "{format}");
        assert_eq!(out, vec![b'?'; 3 * len + 5], "{format}");
        assert_eq!(format.encode_batch(ids, &mut out).unwrap(), wanted, "{format}");

        let mut read = [Uuid::nil(); 4];
        assert_eq!(format.decode_batch(&wanted, &mut read).unwrap(), ids, "{format}");
        let cut = format.decode_batch(&wanted[..3 * len - 1], &mut read).unwrap_err();
        assert!(cut.is_parse() && cut.to_string().contains(&format!("found {}", 3 * len - 1)), "{cut}");
        assert!(format.decode_batch(&wanted, &mut read[..2]).unwrap_err().is_config(), "{format}");
        // An empty batch has no length that could be wrong.
        assert_eq!(format.encode_batch(&[], &mut []).unwrap(), b"");
        assert!(format.decode_batch("", &mut []).unwrap().is_empty());
    }
}

#[test]
fn an_error_in_a_batch_points_into_the_batch() {
    let ids = &edge_ids()[..3];
    for format in text_formats() {
        let Some(len) = format.fixed_len() else { continue };
        let mut text = vec![0; 3 * len];
        format.encode_batch(ids, &mut text).unwrap();
        let at = len + len / 2;
        text[at] = b'~';
        let mut read = [Uuid::max(); 3];
        let error = format.decode_batch(&text, &mut read).unwrap_err();
        assert_eq!(error.offset(), Some(at), "{format}: {error}");
        assert!(error.to_string().contains("'~'"), "{format}: {error}");
        assert_eq!(read[0], ids[0], "{format}");
        // Bits beyond the id: in base32 the first character has room for them, in others the last one.
        let (at, byte) = if format == Format::Base32 { (len, b'Z') } else { (2 * len - 1, b'x') };
        let mut text = vec![0; 2 * len];
        format.encode_batch(&ids[..2], &mut text).unwrap();
        text[at] = byte;
        let error = format.decode_batch(&text, &mut read).unwrap_err();
        assert_eq!(error.offset(), Some(at), "{format}: {error}");
    }
}

#[test]
fn lines_of_every_format_are_its_texts() {
    let ids = edge_ids();
    for &format in Format::ALL {
        let mut expected = Vec::new();
        for id in &ids {
            expected.extend(encoded(format, id));
            expected.extend(format.is_text().then_some(b'\n'));
        }
        // A number has room for its greatest length.
        let len = format.fixed_len().unwrap_or(39) + usize::from(format.is_text());
        let out = &mut vec![b'?'; ids.len() * len];
        assert!(format.encode_lines(&ids, &mut out[1..]).unwrap_err().is_config(), "{format}");
        assert!(out.iter().all(|&byte| byte == b'?'), "{format}");
        assert_eq!(format.encode_lines(&ids, out).unwrap(), expected, "{format}");
        assert!(len <= Format::MAX_LINE);
    }
}

proptest! {
    #[test]
    fn random_ids_round_trip_on_every_path(number: u128) {
        let id = Uuid::from_u128(number);
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
}
