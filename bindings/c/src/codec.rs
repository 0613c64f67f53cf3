//! Texts and other forms of ids.

use std::ffi::{CStr, c_char};

use idgen::codec::Format;

use crate::boundary::Checked;
use crate::error::{Failure, IDGEN_BUFFER, IDGEN_CONFIG, IdgenError};
use crate::{boundary, input};

/// 36 characters.
pub const IDGEN_HYPHENATED: i32 = 0;
/// 32 hexadecimal digits.
pub const IDGEN_SIMPLE: i32 = 1;
/// 45 characters: urn:uuid: and the hyphenated form.
pub const IDGEN_URN: i32 = 2;
/// 38 characters: the hyphenated form in braces.
pub const IDGEN_BRACED: i32 = 3;
/// 22 characters, MySQL's TO_BASE64().
pub const IDGEN_BASE64: i32 = 4;
/// 22 characters for URLs.
pub const IDGEN_BASE64URL: i32 = 5;
/// 22 characters that sort like the bytes.
pub const IDGEN_ORDERED64: i32 = 6;
/// 26 characters, the text of a ULID.
pub const IDGEN_BASE32: i32 = 7;
/// 26 characters of RFC 4648, padded at the end.
pub const IDGEN_BASE32HEX: i32 = 8;
/// 26 characters of Crockford's alphabet, padded at the end.
pub const IDGEN_BASE32HUMAN: i32 = 9;
/// 16 bytes of UUID_TO_BIN(u, 1).
pub const IDGEN_SWAPPED: i32 = 10;
/// Up to 39 decimal digits.
pub const IDGEN_INT: i32 = 11;
/// 16 bytes.
pub const IDGEN_BINARY: i32 = 12;

/// The size of a buffer that each form fits in bytes, with the NUL at its end.
pub const IDGEN_TEXT_SIZE: usize = 46;

/// Formats and their names, in the order of their numbers, which are part of the interface.
const FORMATS: [(Format, &CStr); 13] = [
    (Format::Hyphenated, c"hyphenated"),
    (Format::Simple, c"simple"),
    (Format::Urn, c"urn"),
    (Format::Braced, c"braced"),
    (Format::Base64, c"base64"),
    (Format::Base64Url, c"base64url"),
    (Format::Ordered64, c"ordered64"),
    (Format::Base32, c"base32"),
    (Format::Base32Hex, c"base32hex"),
    (Format::Base32Human, c"base32human"),
    (Format::Swapped, c"swapped"),
    (Format::Int, c"int"),
    (Format::Binary, c"binary"),
];

/// The number of a format.
pub(crate) fn number_of(format: Format) -> i32 {
    FORMATS.iter().position(|(known, _)| *known == format).map_or(-1, |number| number as i32)
}

fn entry(number: i32) -> Option<(Format, &'static CStr)> {
    usize::try_from(number).ok().and_then(|number| FORMATS.get(number)).copied()
}

fn format_of(number: i32) -> Checked<Format> {
    entry(number).map(|(format, _)| format).ok_or_else(|| {
        Failure::Own(
            IDGEN_CONFIG,
            format!("no format has the number {number}: pass one such as IDGEN_BASE64URL"),
        )
    })
}

fn too_short(capacity: usize, needed: usize) -> Failure {
    Failure::Own(IDGEN_BUFFER, format!("the buffer has {capacity} bytes, but {needed} are needed"))
}

/// Returns the name of a format, such as "base64url", or NULL if none has the number. The text is static: do not free it.
#[unsafe(no_mangle)]
pub extern "C" fn idgen_format_name(format: i32) -> *const c_char {
    entry(format).map_or(std::ptr::null(), |(_, name)| name.as_ptr())
}

/// Encodes an id of 16 bytes. `capacity` is the size of `text` in bytes; IDGEN_TEXT_SIZE is always enough. A text gets a NUL at its
/// end; IDGEN_BINARY and IDGEN_SWAPPED are 16 bytes without a NUL. The length without the NUL is written to `length`, unless it is NULL.
/// If the buffer is too short, it returns IDGEN_BUFFER and writes nothing but the length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_encode(
    format: i32,
    id: *const u8,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        let format = format_of(format)?;
        // SAFETY: the caller promises 16 bytes.
        let id = unsafe { input::id("id", id) }?;
        let mut buffer = [0; Format::MAX_LEN];
        let encoded = format.encode(&id, &mut buffer);
        if !length.is_null() {
            // SAFETY: the caller promises memory for the length.
            unsafe { input::put("length", length, encoded.len()) }?;
        }
        let needed = encoded.len() + usize::from(format.is_text());
        if capacity < needed {
            return Err(too_short(capacity, needed));
        }
        // SAFETY: the caller promises `capacity` bytes.
        let out = unsafe { input::slice_mut("text", text.cast::<u8>(), needed) }?;
        out[..encoded.len()].copy_from_slice(encoded);
        if format.is_text() {
            out[encoded.len()] = 0;
        }
        Ok(())
    })
}

/// Encodes `count` ids of 16 bytes each, with a line break after each text, and without one after 16 bytes. `capacity` must be at least
/// IDGEN_TEXT_SIZE * count bytes. The length of all lines is written to `length`; there is no NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_encode_lines(
    format: i32,
    ids: *const u8,
    count: usize,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        let format = format_of(format)?;
        input::can_put("length", length)?;
        let needed = count.saturating_mul(IDGEN_TEXT_SIZE);
        if capacity < needed {
            return Err(too_short(capacity, needed));
        }
        // SAFETY: the caller promises the ids, and `capacity` bytes.
        let (ids, out) = unsafe {
            (
                input::slice("ids", ids.cast::<idgen::Uuid>(), count)?,
                input::slice_mut("text", text.cast::<u8>(), needed)?,
            )
        };
        let written = format.encode_lines(ids, out)?.len();
        // SAFETY: as above.
        unsafe { input::put("length", length, written) }
    })
}

/// Decodes `length` bytes of `text`, which need no NUL at their end, into the 16 bytes of `id`. Only what idgen_encode writes is
/// accepted, apart from the case of hexadecimal and base32 digits; else it returns IDGEN_PARSE and leaves `id` as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_decode(
    format: i32,
    text: *const c_char,
    length: usize,
    id: *mut u8,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        let format = format_of(format)?;
        // SAFETY: the caller promises `length` bytes, and memory for the id.
        unsafe {
            let text = input::slice("text", text.cast::<u8>(), length)?;
            input::ids("id", id, 1)?[0] = format.decode(text)?;
        }
        Ok(())
    })
}

/// Detects the format of a text, and decodes it: writes the number of the format and the id. If more than one format could have written
/// the text, it returns IDGEN_PARSE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_detect(
    text: *const c_char,
    length: usize,
    format: *mut i32,
    id: *mut u8,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        input::can_put("format", format)?;
        // SAFETY: the caller promises `length` bytes, and memory for the results.
        unsafe {
            let text = input::slice("text", text.cast::<u8>(), length)?;
            let id = &mut input::ids("id", id, 1)?[0];
            let (found, decoded) = Format::decode_any(text)?;
            *id = decoded;
            input::put("format", format, number_of(found))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_has_its_number_and_its_name() {
        assert_eq!(IDGEN_TEXT_SIZE, Format::MAX_LINE);
        for format in Format::ALL {
            let number = number_of(*format);
            assert_eq!(format_of(number).ok(), Some(*format));
            // SAFETY: the names are static texts.
            let name = unsafe { CStr::from_ptr(idgen_format_name(number)) };
            assert_eq!(name.to_str(), Ok(format.name()));
        }
        assert!(idgen_format_name(13).is_null() && idgen_format_name(-1).is_null());
        assert!(format_of(13).is_err() && format_of(-1).is_err());
    }
}
