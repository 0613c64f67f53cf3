//! Versions 3, 5 and 8, which follow from what is given.

use std::ffi::c_char;

use md5::Md5;
use sha1::{Digest, Sha1};
use uuid::Builder;

use crate::error::IdgenError;
use crate::{boundary, input};

/// Makes the UUID of version 5 of a name: the SHA-1 of the 16 bytes of a namespace and the `length` bytes of `name`, which need no NUL at
/// their end. The same name in the same namespace always has the same id. The namespaces of RFC 9562, section 6.6, are
/// 6ba7b810-9dad-11d1-80b4-00c04fd430c8 for names of DNS, 6ba7b811-… for URLs, 6ba7b812-… for OIDs and 6ba7b814-… for X.500.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_v5(
    namespace_id: *const u8,
    name: *const c_char,
    length: usize,
    id: *mut u8,
    error: *mut IdgenError,
) -> i32 {
    // SAFETY: the caller promises what is needed here.
    unsafe {
        named(namespace_id, name, length, id, error, |hashed| {
            let [head @ .., _, _, _, _]: [u8; 20] = Sha1::digest(hashed).into();
            Builder::from_sha1_bytes(head)
        })
    }
}

/// Makes the UUID of version 3 of a name, with MD5 in place of SHA-1. Prefer version 5, unless others have ids of version 3.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_v3(
    namespace_id: *const u8,
    name: *const c_char,
    length: usize,
    id: *mut u8,
    error: *mut IdgenError,
) -> i32 {
    // SAFETY: as for version 5.
    unsafe {
        named(namespace_id, name, length, id, error, |hashed| {
            Builder::from_md5_bytes(Md5::digest(hashed).into())
        })
    }
}

/// Makes the UUID of version 8 of 16 bytes of your own, of which version and variant replace six bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_v8(bytes: *const u8, id: *mut u8, error: *mut IdgenError) -> i32 {
    boundary::status(error, || {
        // SAFETY: the caller promises 16 bytes.
        let bytes = unsafe { input::id("bytes", bytes) }?.into_bytes();
        // SAFETY: the caller promises memory for the id.
        unsafe { input::ids("id", id, 1) }?[0] = Builder::from_custom_bytes(bytes).into_uuid();
        Ok(())
    })
}

/// Writes the id that `make` makes of the namespace followed by the name: versions 3 and 5 hash both as one (RFC 9562, sections 5.3 and 5.5).
///
/// # Safety
/// If they are neither null nor misaligned, the pointers are those of 16 and of `length` bytes, which do not change during the call, and of
/// memory for the id and the error.
unsafe fn named(
    namespace_id: *const u8,
    name: *const c_char,
    length: usize,
    id: *mut u8,
    error: *mut IdgenError,
    make: impl FnOnce(&[u8]) -> Builder,
) -> i32 {
    boundary::status(error, || {
        // SAFETY: the caller promises it.
        unsafe {
            let namespace = input::id("namespace_id", namespace_id)?;
            let name = input::slice("name", name.cast::<u8>(), length)?;
            let made = make(&[namespace.as_bytes().as_slice(), name].concat());
            input::ids("id", id, 1)?[0] = made.into_uuid();
        }
        Ok(())
    })
}
