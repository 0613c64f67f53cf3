//! TypeID: the type of an id and its 26 digits, as in `user_01h455vb4pex5vsknk084sn02q`.
//!
//! Source: the TypeID specification, version 0.3.0. The *prefix* names the type: up to 63 characters `a` to `z` and `_`, which
//! does not begin or end with `_`. An underscore separates it from the digits, unless it is empty. The digits are those of
//! [`base32`] in lower case, and only lower case is read, so an id has one text. The specification is about version
//! 7; as its own examples do, these functions take every 128-bit id.
//!
//! [`Typed`](crate::Typed) is the type for a struct of your own, whose prefix is known when it is compiled.

use crate::codec::alphabet::{CROCKFORD, INVALID};
use crate::codec::base32;
use crate::error::{Error, Excerpt, Kind, Problem, Result};
use uuid::Uuid;

/// The greatest length of a prefix in bytes.
pub const MAX_PREFIX_LEN: usize = 63;

/// The greatest length of the text in bytes.
pub const MAX_LEN: usize = MAX_PREFIX_LEN + 1 + base32::LEN;

const FORM: &str = "a typed id";
const LETTERS: &str = "a letter from a to z, or _ between such letters";

/// Checks a prefix, which may be empty.
///
/// ```
/// use idgen::codec::typed;
///
/// assert!(typed::check_prefix("order_line").is_ok());
/// assert_eq!(typed::check_prefix("user2").unwrap_err().offset(), Some(4));
/// ```
///
/// # Errors
/// `is_parse` if it is no prefix. `offset` is that of the first wrong character.
pub fn check_prefix(prefix: &str) -> Result<()> {
    match prefix_fault(prefix.as_bytes()) {
        None => Ok(()),
        Some(fault) => {
            Err(Error::parse("a prefix of typed ids", prefix.as_bytes(), fault_of(prefix.as_bytes(), fault)))
        }
    }
}

fn fault_of(prefix: &[u8], offset: usize) -> Problem {
    match offset {
        MAX_PREFIX_LEN => {
            Problem::Length { expected: "a prefix of at most 63 characters", found: prefix.len() }
        }
        _ => Problem::Byte { found: prefix[offset], offset, expected: LETTERS },
    }
}

/// The offset of the first wrong byte of a prefix; 63 if it is too long.
pub(crate) const fn prefix_fault(prefix: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < prefix.len() {
        let is_inside = at > 0 && at + 1 < prefix.len();
        if at == MAX_PREFIX_LEN || !(prefix[at].is_ascii_lowercase() || prefix[at] == b'_' && is_inside) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Encodes into the caller's buffer, and returns the part that was written.
///
/// ```
/// use idgen::codec::{hyphenated, typed};
///
/// let id = hyphenated::decode("01890a5d-ac96-774b-bcce-b302099a8057")?; // an example of the specification
/// let mut buffer = [0; typed::MAX_LEN];
/// assert_eq!(typed::encode("prefix", &id, &mut buffer)?, "prefix_01h455vb4pex5vsknk084sn02q");
/// assert_eq!(typed::encode("", &id, &mut buffer)?, "01h455vb4pex5vsknk084sn02q");
/// # Ok::<(), idgen::Error>(())
/// ```
///
/// # Errors
/// `is_parse` if the prefix is none: see [`check_prefix`].
pub fn encode<'b>(prefix: &str, uuid: &Uuid, buf: &'b mut [u8; MAX_LEN]) -> Result<&'b mut str> {
    check_prefix(prefix)?;
    Ok(encode_checked(prefix, uuid, buf))
}

/// Encodes with a prefix that is known to be one.
pub(crate) fn encode_checked<'b>(prefix: &str, uuid: &Uuid, buf: &'b mut [u8; MAX_LEN]) -> &'b mut str {
    let mut at = prefix.len();
    buf[..at].copy_from_slice(prefix.as_bytes());
    if at > 0 {
        buf[at] = b'_';
        at += 1;
    }
    let digits = buf[at..].first_chunk_mut().expect("there is space behind the longest prefix");
    base32::encode(uuid, digits).make_ascii_lowercase();
    super::arch::ascii_mut(&mut buf[..at + base32::LEN])
}

/// Decodes a text: its prefix, which may be empty, and its id.
///
/// ```
/// use idgen::codec::typed;
///
/// let (prefix, id) = typed::decode("user_01h455vb4pex5vsknk084sn02q")?;
/// assert_eq!((prefix, id.get_version_num()), ("user", 7));
/// let error = typed::decode("user_01H455VB4PEX5VSKNK084SN02Q").unwrap_err();
/// assert_eq!(error.offset(), Some(7)); // the H
/// # Ok::<(), idgen::Error>(())
/// ```
///
/// # Errors
/// `is_parse` for everything that [`encode`] does not write. `offset` is that of the first wrong character.
pub fn decode(text: &(impl AsRef<[u8]> + ?Sized)) -> Result<(&str, Uuid)> {
    let text = text.as_ref();
    let fail = |problem| Err(Error::parse(FORM, text, problem));
    let separator = text.iter().rposition(|byte| *byte == b'_');
    let (prefix, at) = separator.map_or((&[][..], 0), |at| (&text[..at], at + 1));
    if let Some(offset) = prefix_fault(prefix) {
        return fail(fault_of(prefix, offset));
    }
    if separator == Some(0) {
        let expected = "a prefix before the underscore, or only 26 digits";
        return fail(Problem::Byte { found: b'_', offset: 0, expected });
    }
    let digits = &text[at..];
    let is_digit = |byte: u8| !byte.is_ascii_uppercase() && CROCKFORD.value(byte) & INVALID == 0;
    if let Some(offset) = digits.iter().position(|byte| !is_digit(*byte)) {
        let expected = "a base32 digit in lower case (0-9 and a-z but i l o u)";
        return fail(Problem::Byte { found: digits[offset], offset: at + offset, expected });
    }
    if digits.len() != base32::LEN {
        let expected = "26 digits after the prefix and an underscore";
        return fail(Problem::Length { expected, found: digits.len() });
    }
    if digits[0] > b'7' {
        let expected = "0 to 7 (a greater first digit exceeds 128 bits)";
        return fail(Problem::Byte { found: digits[0], offset: at, expected });
    }
    let id = base32::decode(digits)?;
    // Its bytes are letters and underscores.
    Ok((core::str::from_utf8(prefix).unwrap_or_default(), id))
}

/// Decodes a text that must have this prefix.
///
/// ```
/// use idgen::codec::typed;
///
/// assert!(typed::decode_as("user", "user_01h455vb4pex5vsknk084sn02q").is_ok());
/// let error = typed::decode_as("order", "user_01h455vb4pex5vsknk084sn02q").unwrap_err();
/// assert!(error.is_parse() && error.to_string().contains("not an id with the prefix \"order\""));
/// ```
///
/// # Errors
/// As for [`decode`]; and `is_parse` if the prefix is another one.
pub fn decode_as(prefix: &str, text: &(impl AsRef<[u8]> + ?Sized)) -> Result<Uuid> {
    match decode(text)? {
        (found, id) if found == prefix => Ok(id),
        _ => Err(Error::new(Kind::Prefix {
            expected: Excerpt::of(prefix),
            input: Excerpt::of_bytes(text.as_ref()),
        })),
    }
}

/// Encodes into a new `String`.
///
/// # Errors
/// As for [`encode`].
#[cfg(feature = "alloc")]
pub fn to_string(prefix: &str, uuid: &Uuid) -> Result<alloc::string::String> {
    encode(prefix, uuid, &mut [0; MAX_LEN]).map(|text| alloc::string::String::from(&*text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::tests::exhaustive::bytes;
    use proptest::prelude::*;
    use std::string::ToString;

    fn vectors() -> serde_json::Value {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/typeid.json");
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    fn field<'v>(vector: &'v serde_json::Value, name: &str) -> &'v str {
        vector[name].as_str().unwrap()
    }

    #[test]
    fn published_cases_pass() {
        let vectors = vectors();
        let valid = vectors["valid"].as_array().unwrap();
        for case in valid {
            let (text, id) = (field(case, "typeid"), field(case, "uuid").parse().unwrap());
            assert_eq!(decode(text), Ok((field(case, "prefix"), id)), "{case}");
            assert_eq!(to_string(field(case, "prefix"), &id).as_deref(), Ok(text));
        }
        let invalid = vectors["invalid"].as_array().unwrap();
        for case in invalid {
            assert!(decode(field(case, "typeid")).unwrap_err().is_parse(), "{case}");
        }
        assert_eq!((valid.len(), invalid.len()), (9, 19));
    }

    #[test]
    fn errors_name_the_character_and_its_place() {
        for (text, offset, says) in [
            ("User_01h455vb4pex5vsknk084sn02q", Some(0), "found 'U' at offset 0"),
            ("us er_01h455vb4pex5vsknk084sn02q", Some(2), "a letter from a to z, or _ between"),
            ("user__01h455vb4pex5vsknk084sn02q", Some(4), "'_' at offset 4"),
            ("_01h455vb4pex5vsknk084sn02q", Some(0), "a prefix before the underscore"),
            ("user_01h455vb4pexivsknk084sn02q", Some(17), "(0-9 and a-z but i l o u), found 'i'"),
            ("user_91h455vb4pex5vsknk084sn02q", Some(5), "0 to 7"),
            (
                "user_01h455vb4pex5vsknk084sn02",
                None,
                "26 digits after the prefix and an underscore, found 25",
            ),
            ("user-01h455vb4pex5vsknk084sn02q", Some(0), "found 'u'"),
            ("user_", None, "found 0"),
            ("", None, "found 0"),
        ] {
            let error = decode(text).unwrap_err();
            assert_eq!(error.offset(), offset, "{error}");
            assert!(error.to_string().contains(says), "{error}");
        }
        let long = "a".repeat(64);
        assert!(check_prefix(&long).unwrap_err().to_string().contains("at most 63 characters, found 64"));
        assert!(check_prefix(&long[1..]).is_ok() && check_prefix("").is_ok() && check_prefix("_").is_err());
    }

    /// The text that a byte at a place leads to, as the specification says it: letters and underscores, which neither begin nor
    /// end the prefix, then the separator, then 26 digits.
    fn is_written(text: &[u8], prefix: usize) -> bool {
        let separator = usize::from(prefix > 0);
        text.len() == prefix + separator + 26
            && text.iter().enumerate().all(|(at, byte)| match at.checked_sub(prefix + separator) {
                Some(0) => (b'0'..=b'7').contains(byte),
                Some(_) => b"0123456789abcdefghjkmnpqrstvwxyz".contains(byte),
                None if at == prefix => *byte == b'_',
                None => byte.is_ascii_lowercase() || *byte == b'_' && at > 0 && at + 1 < prefix,
            })
    }

    /// Tests by exhaustion: each byte at each place of texts with a prefix of each length, all lengths of digits up to
    /// 64, and pairs of underscores. The induction is that of the tests of other formats: no place depends on another
    /// one, except that the last underscore ends the prefix.
    #[test]
    fn only_what_is_written_is_read() {
        let check = |text: &[u8], prefix| {
            let read = decode(text);
            assert_eq!(read.is_ok(), is_written(text, prefix), "{text:?}");
            if let Ok((prefix, id)) = read {
                assert_eq!(to_string(prefix, &id).unwrap().as_bytes(), text);
            }
        };
        for prefix in (0..=MAX_PREFIX_LEN).step_by(if cfg!(miri) { 21 } else { 1 }) {
            let good = to_string(&"a".repeat(prefix), &Uuid::from_u128(u128::MAX / 5)).unwrap().into_bytes();
            for place in 0..good.len() {
                for byte in bytes() {
                    let mut text = good.clone();
                    text[place] = byte;
                    check(&text, prefix);
                    if place > 0 && place < prefix {
                        text[place - 1] = b'_';
                        check(&text, prefix);
                    }
                }
            }
        }
        for (prefix, start) in [(0, ""), (4, "user_")] {
            (0..=64).for_each(|digits| check((start.to_string() + &"0".repeat(digits)).as_bytes(), prefix));
        }
        let too_long = "a".repeat(64) + "_" + &"0".repeat(26);
        assert!(decode(&too_long).is_err());
    }

    proptest! {
        #[test]
        fn texts_round_trip_and_sort_like_ids(prefix in "([a-z]([a-z_]{0,61}[a-z])?)?", a: u128, b: u128) {
            let text = |bits| to_string(&prefix, &Uuid::from_u128(bits)).unwrap();
            let (one, two) = (text(a), text(b));
            prop_assert_eq!(decode(&one), Ok((&*prefix, Uuid::from_u128(a))));
            prop_assert_eq!(one.cmp(&two), a.cmp(&b));
        }
    }
}
