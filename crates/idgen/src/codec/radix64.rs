//! The common part of the three formats of 22 characters: only their alphabets differ.

use crate::codec::alphabet::{Alphabet, INVALID};
use crate::error::{Error, Problem};

/// 22 characters of 6 bits are 132 bits: the last one carries 2 bits of the id and 4 of padding.
pub(crate) const LEN: usize = 22;

#[cold]
pub(crate) fn diagnose(
    form: &'static str,
    alphabet: &Alphabet<64>,
    expected: &'static str,
    text: &[u8],
    base: usize,
) -> Error {
    let problem = if text.len() != LEN {
        Some(Problem::Length { expected: "22 characters, without padding", found: text.len() })
    } else if let Some(at) = alphabet.first_invalid(text) {
        Some(Problem::Byte { found: text[at], offset: base + at, expected })
    } else {
        trailing_bits(alphabet, text[LEN - 1]).then_some(Problem::TrailingBits { offset: base + LEN - 1 })
    };
    Error::parse(form, text, problem.unwrap_or(Problem::Unrecognized))
}

fn trailing_bits(alphabet: &Alphabet<64>, last: u8) -> bool {
    alphabet.value(last) & (INVALID | 0x0F) != 0
}

/// A format of 22 characters: everything but its documentation and its alphabet.
macro_rules! radix64_form {
    ($form:literal, $alphabet:path, $expected:literal) => {
        use uuid::Uuid;
        use $crate::codec::arch::{self, Level};
        use $crate::codec::{batch, radix64};
        use $crate::error::{Error, Result};

        /// The length of the text in bytes.
        pub const LEN: usize = radix64::LEN;

        const FORM: &str = $form;

        /// Encodes into the caller's buffer.
        #[inline]
        pub fn encode<'b>(uuid: &Uuid, buf: &'b mut [u8; LEN]) -> &'b mut str {
            arch::base64_encode(Level::best(), &$alphabet, uuid.as_bytes(), buf)
        }

        /// Decodes 22 characters.
        ///
        /// # Errors
        ///
        /// `is_parse` for any other length or character, and if the last character carries bits
        /// beyond the 128: two texts would mean one id. `offset` is that of the first bad character.
        #[inline]
        pub fn decode(text: impl AsRef<[u8]>) -> Result<Uuid> {
            let text = text.as_ref();
            let mut bytes = [0; 16];
            match text.try_into() {
                Ok(block) if arch::base64_decode(Level::best(), &$alphabet, block, &mut bytes) => {
                    Ok(arch::id(bytes))
                }
                _ => Err(diagnose(text, 0)),
            }
        }

        /// Encodes into a new `String`.
        #[cfg(feature = "alloc")]
        pub fn to_string(uuid: &Uuid) -> alloc::string::String {
            alloc::string::String::from(&*encode(uuid, &mut [0; LEN]))
        }

        batch::batch_forms!(base64_encode_batch, base64_decode_into, base64_decode_batch, $alphabet);

        #[cold]
        fn diagnose(text: &[u8], base: usize) -> Error {
            radix64::diagnose(FORM, &$alphabet, $expected, text, base)
        }
    };
}
pub(crate) use radix64_form;
