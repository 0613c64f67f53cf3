//! Text and bytes of a known length, written in place.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A new `str` of exactly `N` characters, all of which `write` must write, in ASCII.
#[inline]
pub(crate) fn new_text<const N: usize>(
    py: Python<'_>,
    write: impl FnOnce(&mut [u8; N]) -> &mut str,
) -> PyResult<Bound<'_, PyAny>> {
    let mut text = [0; N];
    write(&mut text);
    debug_assert!(text.is_ascii());
    from_ascii(py, &text)
}

/// A new `str` of some ASCII bytes.
#[inline]
pub(crate) fn ascii<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyString::new(py, text).into_any())
}

#[inline]
fn from_ascii<'py, const N: usize>(py: Python<'py>, text: &[u8; N]) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: attached (`py`). A string that was made for characters up to 127 is compact and holds one byte for each,
    // then a zero that `PyUnicode_New` has written.
    unsafe {
        let object = Bound::from_owned_ptr_or_err(py, ffi::PyUnicode_New(N as ffi::Py_ssize_t, 127))?;
        let place = ffi::PyUnicode_1BYTE_DATA(object.as_ptr());
        std::ptr::copy_nonoverlapping(text.as_ptr(), place, N);
        Ok(object)
    }
}
