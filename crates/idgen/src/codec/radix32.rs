//! The common part of the formats of 26 characters that have their padding at the end, as RFC 4648 has it: only their
//! alphabets differ. A ULID's text, [`base32`](super::base32), has its padding at the beginning.

use crate::codec::alphabet::{Alphabet, INVALID};
use crate::error::{Error, Problem, Result};
use uuid::Uuid;

/// 26 characters of 5 bits are 130 bits: the last one carries 3 bits of the id and 2 of padding.
pub(crate) const LEN: usize = 26;

const PADDING: u32 = 2;

pub(crate) fn encode<'b>(alphabet: &Alphabet<32>, uuid: &Uuid, buf: &'b mut [u8; LEN]) -> &'b mut str {
    let mut rest = uuid.as_u128();
    for slot in buf.iter_mut() {
        // The first digit has the top 5 bits; the zeros that follow the id are the padding.
        *slot = alphabet.digit((rest >> 123) as u64);
        rest <<= 5;
    }
    super::arch::ascii_mut(buf)
}

pub(crate) fn decode(
    form: &'static str,
    alphabet: &Alphabet<32>,
    expected: &'static str,
    text: &[u8],
) -> Result<Uuid> {
    let Ok(block) = <&[u8; LEN]>::try_from(text) else {
        let problem = Problem::Length { expected: "26 characters, without padding", found: text.len() };
        return Err(Error::parse(form, text, problem));
    };
    let (mut bits, mut invalid) = (0_u128, 0);
    let [head @ .., last] = block;
    for &character in head {
        let value = alphabet.value(character);
        invalid |= value;
        bits = bits << 5 | u128::from(value & 0x1F);
    }
    let end = alphabet.value(*last);
    bits = bits << (5 - PADDING) | u128::from((end & 0x1F) >> PADDING);
    let trailing = end & ((1 << PADDING) - 1);
    if (invalid | end) & INVALID == 0 && trailing == 0 {
        return Ok(Uuid::from_u128(bits));
    }
    let problem = match alphabet.first_invalid(text) {
        Some(at) => Problem::Byte { found: text[at], offset: at, expected },
        None => Problem::TrailingBits { offset: LEN - 1 },
    };
    Err(Error::parse(form, text, problem))
}

/// A format of 26 characters: everything but its documentation and its alphabet.
macro_rules! radix32_form {
    ($form:literal, $alphabet:path, $expected:literal) => {
        use uuid::Uuid;
        use $crate::codec::radix32;
        use $crate::error::Result;

        /// The length of the text in bytes.
        pub const LEN: usize = radix32::LEN;

        /// Encodes into the caller's buffer.
        pub fn encode<'b>(uuid: &Uuid, buf: &'b mut [u8; LEN]) -> &'b mut str {
            radix32::encode(&$alphabet, uuid, buf)
        }

        /// Decodes 26 characters of either case.
        ///
        /// # Errors
        ///
        /// `is_parse` for any other length or character, and if the last character carries bits beyond the 128: two
        /// texts would mean one id. `offset` is that of the first bad character.
        pub fn decode(text: impl AsRef<[u8]>) -> Result<Uuid> {
            radix32::decode($form, &$alphabet, $expected, text.as_ref())
        }

        /// Encodes into a new `String`.
        #[cfg(feature = "alloc")]
        pub fn to_string(uuid: &Uuid) -> alloc::string::String {
            alloc::string::String::from(&*encode(uuid, &mut [0; LEN]))
        }
    };
}
pub(crate) use radix32_form;
