//! 64-bit ids.

use std::ffi::c_char;

use idgen::ShortId;

use crate::error::IdgenError;
use crate::{boundary, input};

/// Reads the decimal text of a 64-bit id: `length` bytes, which need no NUL at their end. Else it returns IDGEN_PARSE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_short_decode(
    text: *const c_char,
    length: usize,
    id: *mut u64,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        input::can_put("id", id)?;
        // SAFETY: the caller promises `length` bytes, and memory for the id.
        unsafe {
            let text = input::slice("text", text.cast::<u8>(), length)?;
            // What is not UTF-8 is no decimal text either, and the error shows it.
            let decoded: ShortId = String::from_utf8_lossy(text).parse()?;
            input::put("id", id, decoded.get())
        }
    })
}

/// Writes the fields of a 64-bit id: the seconds since 1970, the 16 bits of the node, and the counter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_short_fields(
    id: u64,
    unix_secs: *mut u32,
    node: *mut u16,
    counter: *mut u16,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        let fields = ShortId::new(id).device();
        // SAFETY: the caller promises memory for the fields.
        unsafe {
            input::put("unix_secs", unix_secs, fields.unix_secs)?;
            input::put("node", node, fields.node)?;
            input::put("counter", counter, fields.counter)
        }
    })
}
