//! Kinds that have characters of their own: KSUID, xid, cuid, cuid2, TSID and TypeID.

use idgen::codec::Format;

use crate::survey::judge::kinds::Kind;
use crate::survey::judge::parsed::Parsed;

/// The alphabet of base32 of Crockford, in lowercase.
const CROCKFORD: &[u8] = b"0123456789abcdefghjkmnpqrstvwxyz";
const BASE62: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The second from which KSUIDs count.
const KSUID_EPOCH: i64 = 1_400_000_000;
/// The millisecond from which TSIDs count: 2020-01-01.
const TSID_EPOCH: i64 = 1_577_836_800_000;

/// The kind whose characters a text has. Its values must then follow the kind in their times, as the column shows.
pub(super) fn of_text(text: &str) -> Option<Parsed> {
    let pattern = |kind, time, each| Some(Parsed::Pattern { kind, time, each });
    if !text.is_ascii() {
        return None;
    }
    match text.len() {
        13 => {
            let number = number(&text.to_ascii_lowercase(), CROCKFORD)?;
            // 13 characters have 65 bits.
            let bits = u64::try_from(number).ok()?;
            let has_one_case = text.bytes().any(|byte| byte.is_ascii_lowercase())
                != text.bytes().any(|byte| byte.is_ascii_uppercase());
            has_one_case.then_some(())?;
            pattern(Kind::Tsid, Some((bits >> 22) as i64 + TSID_EPOCH), 0.5)
        }
        20 => {
            let number = number(text, &b"0123456789abcdefghijklmnopqrstuv"[..])?;
            // 20 characters have 100 bits, of which the last four are not used.
            (number & 15 == 0).then_some(())?;
            pattern(Kind::Xid, Some((number >> 68) as i64 * 1_000), 1.0 / 16.0)
        }
        24 if is_base36(text) && text.as_bytes()[0].is_ascii_lowercase() => {
            pattern(Kind::Cuid2, None, 26.0 / 36.0)
        }
        25 if is_base36(text) && text.starts_with('c') => {
            pattern(Kind::Cuid, i64::from_str_radix(&text[1..9], 36).ok(), 1.0 / 36.0)
        }
        27 if text.bytes().all(|byte| BASE62.contains(&byte)) => {
            // 27 characters have more than 160 bits; the upper 32 of these are the seconds.
            let mut words = [0_u64; 5];
            for byte in text.bytes() {
                let mut carry = BASE62.iter().position(|&of| of == byte)? as u64;
                for word in words.iter_mut().rev() {
                    carry += *word * 62;
                    *word = carry & 0xffff_ffff;
                    carry >>= 32;
                }
                (carry == 0).then_some(())?;
            }
            pattern(Kind::Ksuid, Some((words[0] as i64 + KSUID_EPOCH) * 1_000), 0.59)
        }
        _ => {
            let (word, suffix) = text.rsplit_once('_')?;
            let is_word = !word.is_empty()
                && word.len() <= 63
                && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            let is_lower = suffix.bytes().all(|byte| CROCKFORD.contains(&byte));
            (is_word && is_lower && suffix.len() == 26).then_some(())?;
            let (format, id) = Format::decode_any(suffix).ok()?;
            (format == Format::Base32).then_some(())?;
            let time = (id.get_version_num() == 7 && id.as_bytes()[8] >> 6 == 2)
                .then_some((id.as_u128() >> 80) as i64);
            // An eighth of 64 for the bits of version 7.
            pattern(Kind::TypeId, time, if time.is_some() { 0.25 / 64.0 } else { 0.25 })
        }
    }
}

/// The bytes of a KSUID.
pub(super) fn of_bytes(bytes: &[u8]) -> Option<Parsed> {
    let head = bytes.first_chunk::<4>().filter(|_| bytes.len() == 20)?;
    let seconds = i64::from(u32::from_be_bytes(*head)) + KSUID_EPOCH;
    Some(Parsed::Pattern { kind: Kind::Ksuid, time: Some(seconds * 1_000), each: 1.0 })
}

fn is_base36(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// The number whose digits these are, of at most 25 characters.
fn number(text: &str, alphabet: &[u8]) -> Option<u128> {
    let bits = alphabet.len().ilog2();
    text.bytes().try_fold(0_u128, |number, byte| {
        let digit = alphabet.iter().position(|&of| of == byte)?;
        Some(number << bits | digit as u128)
    })
}
