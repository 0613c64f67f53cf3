//! Keyed prefixes without a generator, for those who look for the rows of a time.

use std::ffi::c_char;

use idgen::PrefixKey;

use crate::error::{Failure, IDGEN_CONFIG, IdgenError};
use crate::{boundary, input};

/// The key of keyed prefixes.
pub struct IdgenPrefixKey(PrefixKey);

/// Creates a key from a secret of at least 16 bytes, which is copied, and from the name of a writer, or NULL for none. Free it with
/// idgen_prefix_key_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_prefix_key_new(
    secret: *const u8,
    secret_length: usize,
    writer: *const c_char,
    error: *mut IdgenError,
) -> *mut IdgenPrefixKey {
    boundary::object(error, || {
        // SAFETY: the caller promises the bytes and the text.
        let (secret, writer) =
            unsafe { (input::slice("secret", secret, secret_length)?, input::text("writer", writer)?) };
        let key = PrefixKey::new(secret)?;
        Ok(IdgenPrefixKey(match writer {
            Some(name) => key.for_writer(name),
            None => key,
        }))
    })
}

/// Frees a key, and wipes its secret; NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_prefix_key_free(key: *mut IdgenPrefixKey) {
    // SAFETY: the caller promises that this is the last use.
    unsafe { boundary::free(key) }
}

/// Writes the prefix of the interval with this number since 1970.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_prefix_key_prefix(
    key: *const IdgenPrefixKey,
    interval_number: i64,
    prefix: *mut u16,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        input::can_put("prefix", prefix)?;
        // SAFETY: the caller promises a living object, and memory for the prefix.
        unsafe {
            let key = input::object("key", key)?;
            input::put("prefix", prefix, key.0.prefix(interval_number))
        }
    })
}

/// Writes the tag of the writer after a prefix. Returns IDGEN_CONFIG if the writer has no name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_prefix_key_writer_tag(
    key: *const IdgenPrefixKey,
    prefix: u16,
    tag: *mut u16,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        // SAFETY: the caller promises a living object, and memory for the tag.
        unsafe {
            let key = input::object("key", key)?;
            let found = key.0.writer_tag(prefix);
            let none = || {
                Failure::Own(
                    IDGEN_CONFIG,
                    "the writer of this key has no name: create one with a name".into(),
                )
            };
            input::put("tag", tag, found.ok_or_else(none)?)
        }
    })
}
