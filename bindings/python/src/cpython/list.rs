//! Lists of a known length.

use pyo3::ffi;
use pyo3::prelude::*;

/// A new `list` of the results of `make` for each item.
#[inline]
pub(crate) fn new_list<'py, T>(
    py: Python<'py>,
    items: &[T],
    mut make: impl FnMut(&T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: attached (`py`). Each place is filled once, with a reference that is given away. A list
    // with empty places may be dropped, as happens where `make` fails.
    unsafe {
        let list = Bound::from_owned_ptr_or_err(py, ffi::PyList_New(items.len() as ffi::Py_ssize_t))?;
        for (at, item) in items.iter().enumerate() {
            ffi::PyList_SET_ITEM(list.as_ptr(), at as ffi::Py_ssize_t, make(item)?.into_ptr());
        }
        Ok(list)
    }
}
