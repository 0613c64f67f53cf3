//! Writing into the memory of another object: a `bytearray`, an array, a `mmap`.

use std::sync::atomic::AtomicU64;

use pyo3::prelude::*;
use pyo3::{ffi, intern};

/// The memory of an object, which its owner can neither move nor free until this is dropped.
pub(crate) struct WritableBuffer<'py> {
    view: Box<ffi::Py_buffer>,
    _py: Python<'py>,
}

impl<'py> WritableBuffer<'py> {
    /// # Errors
    /// `TypeError` or `BufferError` if the object has no contiguous, writable buffer.
    pub(crate) fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let mut view = Box::new(ffi::Py_buffer::new());
        // SAFETY: attached, as a `Bound` shows; the view has a fixed place until it is released.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, ffi::PyBUF_CONTIG) } != 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(WritableBuffer { view, _py: py })
    }

    /// The length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.view.len as usize
    }

    /// The size of an element in bytes.
    pub(crate) fn item_size(&self) -> usize {
        self.view.itemsize as usize
    }

    /// Copies bytes to this offset.
    ///
    /// # Panics
    /// If they do not fit.
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) {
        assert!(offset <= self.len() && bytes.len() <= self.len() - offset, "beyond the end of the buffer");
        // SAFETY: a view of the kind PyBUF_CONTIG is `len` contiguous, writable bytes, which the owner keeps in place
        // until the view is released. The thread is attached, as the field `_py` shows, and no reference to the
        // bytes is made: other objects may share them.
        unsafe {
            let place = self.view.buf.cast::<u8>().add(offset);
            std::ptr::copy(bytes.as_ptr(), place, bytes.len());
        }
    }
}

impl Drop for WritableBuffer<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `PyObject_GetBuffer`, and released once, by an attached thread.
        unsafe { ffi::PyBuffer_Release(&raw mut *self.view) };
    }
}

/// A zero in memory that the children of later forks share, from Python's `mmap`. It is never freed.
///
/// # Errors
/// If the system refuses the memory.
pub(crate) fn shared_word(py: Python<'_>) -> PyResult<&'static AtomicU64> {
    let map = py.import("mmap")?.call_method1(intern!(py, "mmap"), (-1, size_of::<AtomicU64>()))?;
    let buffer = std::mem::ManuallyDrop::new(WritableBuffer::of(&map)?);
    assert!(buffer.len() >= size_of::<AtomicU64>(), "mmap gave less memory than requested");
    // SAFETY: a mapping begins at a page, so it is aligned. It lives as long as the process, because its buffer is never
    // released. No other code has the map, so all accesses are atomic.
    Ok(unsafe { AtomicU64::from_ptr(buffer.view.buf.cast()) })
}
