//! Versions 3, 5 and 8, which follow from what is given.

use std::ffi::c_char;

use md5::Md5;
use sha1::{Digest, Sha1};
use uuid::Builder;

use crate::boundary::Checked;
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
    boundary::status(error, || {
        // SAFETY: the caller promises 16 bytes, `length` bytes, and memory for the id.
        let digest: [u8; 20] = Sha1::digest(unsafe { hashed(namespace_id, name, length) }?).into();
        let [head @ .., _, _, _, _] = digest;
        // SAFETY: as above.
        unsafe { input::ids("id", id, 1) }?[0] = Builder::from_sha1_bytes(head).into_uuid();
        Ok(())
    })
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
    boundary::status(error, || {
        // SAFETY: as for version 5.
        let digest = Md5::digest(unsafe { hashed(namespace_id, name, length) }?).into();
        // SAFETY: as above.
        unsafe { input::ids("id", id, 1) }?[0] = Builder::from_md5_bytes(digest).into_uuid();
        Ok(())
    })
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

/// What is hashed.
///
/// # Safety
/// If they are neither null nor misaligned, the pointers are those of 16 and of `length` bytes, which do not change during the call.
unsafe fn hashed(namespace_id: *const u8, name: *const c_char, length: usize) -> Checked<Vec<u8>> {
    // SAFETY: the caller promises it.
    let (namespace, name) = unsafe {
        (input::id("namespace_id", namespace_id)?, input::slice("name", name.cast::<u8>(), length)?)
    };
    Ok([namespace.as_bytes().as_slice(), name].concat())
}
