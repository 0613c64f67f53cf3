//! What each function does first and last: catches panics, and turns results into statuses and pointers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Failure, IDGEN_BUG, IDGEN_OK, IdgenError};

pub(crate) type Checked<T> = Result<T, Failure>;

fn caught<T>(body: impl FnOnce() -> Checked<T>) -> Checked<T> {
    // The objects that a body changes are behind a lock, which a panic poisons.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(Failure::Own(IDGEN_BUG, format!("a bug in idgen, please report it: {words}")))
    })
}

/// Runs the body of a function that returns a status.
pub(crate) fn status(error: *mut IdgenError, body: impl FnOnce() -> Checked<()>) -> i32 {
    match caught(body) {
        Ok(()) => IDGEN_OK,
        Err(failure) => {
            failure.write_to(error);
            failure.status()
        }
    }
}

/// Runs the body of a function that creates an object.
pub(crate) fn object<T>(error: *mut IdgenError, body: impl FnOnce() -> Checked<T>) -> *mut T {
    match caught(body) {
        Ok(value) => Box::into_raw(Box::new(value)),
        Err(failure) => {
            failure.write_to(error);
            std::ptr::null_mut()
        }
    }
}

/// Ends an object; null is no object.
///
/// # Safety
/// `object` returned the pointer, and it was not freed yet.
pub(crate) unsafe fn free<T>(object: *mut T) {
    if !object.is_null() {
        // SAFETY: the caller promises that the pointer came from `Box::into_raw` and is used for the last time.
        let object = unsafe { Box::from_raw(object) };
        // What a panic in a destructor leaves behind is lost, but no caller of C sees it.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(object)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::MaybeUninit;

    #[test]
    fn a_panic_becomes_a_status() {
        let mut error = MaybeUninit::<IdgenError>::zeroed();
        assert_eq!(status(error.as_mut_ptr(), || panic!("number {}", 7)), IDGEN_BUG);
        // SAFETY: all bytes were zero, and a failure writes the rest.
        let error = unsafe { error.assume_init() };
        let length = error.message_length as usize;
        let message: Vec<u8> = error.message[..length].iter().map(|&byte| byte as u8).collect();
        assert!(message.ends_with(b"number 7"));
        assert_eq!((error.status, error.offset, error.message[length]), (IDGEN_BUG, -1, 0));
        assert!(object::<u8>(std::ptr::null_mut(), || panic!("no message")).is_null());
    }

    #[test]
    fn a_long_message_is_cut_after_a_whole_character() {
        let mut error = MaybeUninit::<IdgenError>::zeroed();
        let long = "ü".repeat(2_000);
        status(error.as_mut_ptr(), || Err(Failure::argument(format!("{long}!"))));
        // SAFETY: as above.
        let error = unsafe { error.assume_init() };
        assert_eq!((error.message_length, error.message[1_022]), (1_022, 0));
    }
}
