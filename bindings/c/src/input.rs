//! Reads pointers that a caller passes.

use std::ffi::{CStr, c_char};

use idgen::Uuid;

use crate::boundary::Checked;
use crate::error::Failure;

fn null(name: &str) -> Failure {
    Failure::argument(format!("{name} is NULL: pass a pointer"))
}

/// Fails if a pointer cannot be that of `count` values.
fn check<T>(name: &str, pointer: *const T, count: usize) -> Checked<()> {
    if pointer.is_null() {
        return Err(null(name));
    }
    if !pointer.is_aligned() {
        return Err(Failure::argument(format!(
            "{name} is not aligned for its type: pass a pointer of that type"
        )));
    }
    match count.checked_mul(size_of::<T>()) {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(()),
        _ => Err(Failure::argument(format!("{name} cannot have {count} values: pass their number"))),
    }
}

/// An object or a struct.
///
/// # Safety
/// If it is neither null nor misaligned, the pointer is that of a value that lives and does not change during the call.
pub(crate) unsafe fn object<'a, T>(name: &str, pointer: *const T) -> Checked<&'a T> {
    check(name, pointer, 1)?;
    // SAFETY: it is neither null nor misaligned, and the caller promises the rest.
    Ok(unsafe { &*pointer })
}

/// Bytes or numbers to read. Null is allowed if there are none.
///
/// # Safety
/// If it is neither null nor misaligned, the pointer is that of so many values, which do not change during the call.
pub(crate) unsafe fn slice<'a, T>(name: &str, pointer: *const T, count: usize) -> Checked<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    check(name, pointer, count)?;
    // SAFETY: it is neither null, misaligned nor too long, and the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// The same to write.
///
/// # Safety
/// As [`slice`], and nothing else reads or writes them during the call.
pub(crate) unsafe fn slice_mut<'a, T>(name: &str, pointer: *mut T, count: usize) -> Checked<&'a mut [T]> {
    if count == 0 {
        return Ok(&mut []);
    }
    check(name, pointer, count)?;
    // SAFETY: as in `slice`.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, count) })
}

/// Ids of 16 bytes each.
///
/// # Safety
/// As [`slice_mut`], for 16 bytes each.
pub(crate) unsafe fn ids<'a>(name: &str, pointer: *mut u8, count: usize) -> Checked<&'a mut [Uuid]> {
    // SAFETY: a Uuid is 16 bytes without alignment, and any bytes are one.
    unsafe { slice_mut(name, pointer.cast::<Uuid>(), count) }
}

/// One id to read.
///
/// # Safety
/// As [`slice`], for 16 bytes.
pub(crate) unsafe fn id(name: &str, pointer: *const u8) -> Checked<Uuid> {
    // SAFETY: as in `ids`.
    unsafe { object(name, pointer.cast::<Uuid>()) }.copied()
}

/// Writes a result. The memory need not be initialized.
///
/// # Safety
/// If it is neither null nor misaligned, the pointer is that of memory for such a value.
pub(crate) unsafe fn put<T>(name: &str, pointer: *mut T, value: T) -> Checked<()> {
    check(name, pointer, 1)?;
    // SAFETY: as in `object`; a write does not read or drop what was there.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Fails before the work if [`put`] would fail after it.
pub(crate) fn can_put<T>(name: &str, pointer: *mut T) -> Checked<()> {
    check(name, pointer, 1)
}

/// A text with a NUL at its end; `None` if the pointer is null.
///
/// # Safety
/// If it is not null, the pointer is that of bytes which end with a NUL and do not change during the call.
pub(crate) unsafe fn text<'a>(name: &str, pointer: *const c_char) -> Checked<Option<&'a str>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller promises it.
    let bytes = unsafe { CStr::from_ptr(pointer) }.to_bytes();
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => Err(Failure::argument(format!(
            "{name} is not UTF-8 at offset {}, in \"{}\": pass UTF-8",
            error.valid_up_to(),
            bytes.escape_ascii()
        ))),
    }
}

/// The same where the text is required.
///
/// # Safety
/// As [`text`].
pub(crate) unsafe fn required<'a>(name: &str, pointer: *const c_char) -> Checked<&'a str> {
    // SAFETY: the caller promises the same.
    unsafe { text(name, pointer) }?.ok_or_else(|| null(name))
}
