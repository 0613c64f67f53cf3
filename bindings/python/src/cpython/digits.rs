//! Integers of 128 bits from and to CPython's own digits.
//!
//! Up to 3.13, the digits lie behind the object's head, 30 bits in each (checked in
//! [`digits_are_known`]). From 3.14 on there is a public writer. On Windows, where the one symbol that
//! is needed cannot be linked against, and on other interpreters, PyO3 converts.

use pyo3::prelude::*;

/// A new `int`.
#[inline]
pub(crate) fn new_int(py: Python<'_>, number: u128) -> PyResult<Bound<'_, PyAny>> {
    imp::new_int(py, number)
}

/// The number of an `int`, if it fits 128 bits without a sign.
#[inline]
pub(super) fn read_int(int: &Bound<'_, PyAny>) -> PyResult<u128> {
    imp::read_int(int)
}

/// Whether the interpreter's digits have the layout that this file assumes.
pub(super) fn digits_are_known(py: Python<'_>) -> PyResult<bool> {
    let Some(bits) = imp::BITS_PER_DIGIT else { return Ok(true) };
    let info = py.import("sys")?.getattr("int_info")?;
    let layout: (u32, u32) =
        (info.getattr("bits_per_digit")?.extract()?, info.getattr("sizeof_digit")?.extract()?);
    Ok(layout == (bits, 4))
}

#[cfg(all(not(Py_3_14), unix))]
mod imp {
    use super::*;
    use pyo3::ffi;

    pub(super) const BITS_PER_DIGIT: Option<u32> = Some(BITS);
    const BITS: u32 = 30;
    const MASK: u128 = (1 << BITS) - 1;
    const MAX_DIGITS: usize = 5;

    /// `PyLongObject`, as far as 128 bits reach.
    #[repr(C)]
    struct Long {
        base: ffi::PyObject,
        /// Up to 3.11 the count of digits, negative for negative numbers; from 3.12 on the count times
        /// eight, and in the low bits 0 for positive, 1 for zero, 2 for negative.
        size: usize,
        /// As many as `size` says; the allocation ends there.
        digits: [u32; 0],
    }

    unsafe extern "C" {
        /// An integer with room for this many digits, not yet written. Exported by all of 3.10 to 3.13.
        fn _PyLong_New(digits: ffi::Py_ssize_t) -> *mut ffi::PyObject;
    }

    #[inline]
    pub(super) fn new_int(py: Python<'_>, number: u128) -> PyResult<Bound<'_, PyAny>> {
        let count = (128 - number.leading_zeros()).div_ceil(BITS) as usize;
        if count < 3 {
            // Small ones are shared objects, which only the interpreter may give.
            return Ok((number as u64).into_pyobject(py)?.into_any());
        }
        // SAFETY: attached (`py`). The object, if there is one, has `count` digits, of which each is
        // written before anybody else sees it, none above 30 bits and the last not zero.
        unsafe {
            let object = Bound::from_owned_ptr_or_err(py, _PyLong_New(count as ffi::Py_ssize_t))?;
            let digits = (&raw mut (*object.as_ptr().cast::<Long>()).digits).cast::<u32>();
            for at in 0..MAX_DIGITS {
                if at < count {
                    digits.add(at).write((number >> (at as u32 * BITS) & MASK) as u32);
                }
            }
            Ok(object)
        }
    }

    #[inline]
    pub(super) fn read_int(int: &Bound<'_, PyAny>) -> PyResult<u128> {
        // SAFETY: attached, as a `Bound` shows. The type is checked before the fields are read; an
        // integer never changes.
        unsafe {
            if ffi::PyLong_CheckExact(int.as_ptr()) != 0 {
                let long = int.as_ptr().cast::<Long>();
                let size = (*long).size;
                let (count, positive) =
                    if cfg!(Py_3_12) { (size >> 3, size & 3 == 0) } else { (size, size as isize > 0) };
                if positive && count <= MAX_DIGITS {
                    let digits = (&raw const (*long).digits).cast::<u32>();
                    let digit = |at: usize| if at < count { u128::from(*digits.add(at)) } else { 0 };
                    let top = digit(MAX_DIGITS - 1);
                    if top >> (128 - BITS * (MAX_DIGITS as u32 - 1)) == 0 {
                        return Ok((0..MAX_DIGITS).fold(0, |sum, at| sum | digit(at) << (at as u32 * BITS)));
                    }
                }
            }
        }
        int.extract()
    }
}

#[cfg(Py_3_14)]
mod imp {
    use super::*;
    use pyo3::ffi;
    use std::ffi::c_void;

    pub(super) const BITS_PER_DIGIT: Option<u32> = Some(BITS);
    const BITS: u32 = 30;
    const MASK: u128 = (1 << BITS) - 1;

    #[inline]
    pub(super) fn new_int(py: Python<'_>, number: u128) -> PyResult<Bound<'_, PyAny>> {
        let count = (128 - number.leading_zeros()).div_ceil(BITS) as usize;
        if count < 3 {
            return Ok((number as u64).into_pyobject(py)?.into_any());
        }
        // SAFETY: attached (`py`). The writer, if there is one, has room for `count` digits of 32 bits,
        // in the native layout that `digits_are_known` checked; each is written before it is finished.
        unsafe {
            let mut digits: *mut c_void = std::ptr::null_mut();
            let writer = ffi::PyLongWriter_Create(0, count as ffi::Py_ssize_t, &raw mut digits);
            if writer.is_null() {
                return Err(PyErr::fetch(py));
            }
            for at in 0..count {
                digits.cast::<u32>().add(at).write((number >> (at as u32 * BITS) & MASK) as u32);
            }
            Bound::from_owned_ptr_or_err(py, ffi::PyLongWriter_Finish(writer))
        }
    }

    #[inline]
    pub(super) fn read_int(int: &Bound<'_, PyAny>) -> PyResult<u128> {
        let mut bytes = [0; 16];
        let flags = ffi::Py_ASNATIVEBYTES_LITTLE_ENDIAN
            | ffi::Py_ASNATIVEBYTES_UNSIGNED_BUFFER
            | ffi::Py_ASNATIVEBYTES_REJECT_NEGATIVE;
        // SAFETY: attached, as a `Bound` shows; the buffer is as long as is said.
        let needed = unsafe {
            if ffi::PyLong_CheckExact(int.as_ptr()) == 0 {
                return int.extract();
            }
            ffi::PyLong_AsNativeBytes(int.as_ptr(), bytes.as_mut_ptr().cast(), 16, flags)
        };
        match needed {
            0..=16 => Ok(u128::from_le_bytes(bytes)),
            17.. => int.extract(),
            _ => Err(PyErr::fetch(int.py())),
        }
    }
}

#[cfg(all(not(Py_3_14), not(unix)))]
mod imp {
    use super::*;

    pub(super) const BITS_PER_DIGIT: Option<u32> = None;

    pub(super) fn new_int(py: Python<'_>, number: u128) -> PyResult<Bound<'_, PyAny>> {
        Ok(number.into_pyobject(py)?.into_any())
    }

    pub(super) fn read_int(int: &Bound<'_, PyAny>) -> PyResult<u128> {
        int.extract()
    }
}
