//! Writing into the memory of another object: a `bytearray`, an array, a `mmap`.

use pyo3::ffi;
use pyo3::prelude::*;

/// Calls `write` with the bytes of a writable buffer, detached from the interpreter.
///
/// The buffer's owner can neither move nor free the memory meanwhile. Another thread that writes to the
/// same array at the same time gets what it deserves, as with `socket.recv_into`.
///
/// # Errors
/// `TypeError` or `BufferError` where the object has no contiguous, writable buffer.
pub(crate) fn fill_buffer<T: Send>(
    object: &Bound<'_, PyAny>,
    write: impl FnOnce(&mut [u8]) -> T + Send,
) -> PyResult<T> {
    let py = object.py();
    let mut view = Box::new(ffi::Py_buffer::new());
    // SAFETY: attached, as a `Bound` shows; the view has a fixed place until it is released.
    if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, ffi::PyBUF_CONTIG) } != 0 {
        return Err(PyErr::fetch(py));
    }
    let held = Held(view);
    let bytes = match held.0.len {
        0 => &mut [],
        // SAFETY: a view of the kind PyBUF_CONTIG is `len` contiguous, writable bytes, which the owner
        // keeps where they are until the view is released; `held` outlives the slice.
        len => unsafe { std::slice::from_raw_parts_mut(held.0.buf.cast::<u8>(), len as usize) },
    };
    Ok(py.detach(|| write(bytes)))
}

struct Held(Box<ffi::Py_buffer>);

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: made by `PyObject_GetBuffer`, released once, and `fill_buffer` is attached again then.
        unsafe { ffi::PyBuffer_Release(&raw mut *self.0) };
    }
}
