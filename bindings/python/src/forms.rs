//! The forms in which Python gets an id.

use idgen::codec::{base64, hyphenated};
use idgen::{ShortId, Uuid};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::cpython::{Safety, ascii, new_int, new_text, new_uuid};

/// The type of object that stands for a 128-bit id.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    Uuid,
    Str,
    Bytes,
    Int,
    Base64,
    /// Many ids in one `bytes` object, 16 bytes each.
    Buffer,
}

impl Form {
    /// By the name that the batch functions take.
    pub(crate) fn named(name: &str) -> PyResult<Self> {
        Ok(match name {
            "uuid" => Form::Uuid,
            "str" => Form::Str,
            "bytes" => Form::Bytes,
            "int" => Form::Int,
            "base64" => Form::Base64,
            "buffer" => Form::Buffer,
            _ => {
                let known = "use uuid, str, bytes, int, base64 or buffer";
                return Err(PyValueError::new_err(format!(
                    "no form of an id has the name {name:?}: {known}"
                )));
            }
        })
    }

    #[inline]
    pub(crate) fn make<'py>(self, py: Python<'py>, id: &Uuid, safety: Safety) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Form::Uuid => new_uuid(py, *id, safety),
            Form::Str => new_text(py, |text| hyphenated::encode(id, text)),
            Form::Bytes | Form::Buffer => Ok(PyBytes::new(py, id.as_bytes()).into_any()),
            Form::Int => new_int(py, id.as_u128()),
            Form::Base64 => new_text(py, |text| base64::encode(id, text)),
        }
    }

    /// The same for a 64-bit id: a number, its decimal text, or 8 bytes.
    #[inline]
    pub(crate) fn make_short<'py>(self, py: Python<'py>, id: ShortId) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Form::Int => Ok(id.get().into_pyobject(py)?.into_any()),
            Form::Str => ascii(py, &id.to_string()),
            Form::Bytes | Form::Buffer => Ok(PyBytes::new(py, &id.get().to_be_bytes()).into_any()),
            Form::Uuid | Form::Base64 => {
                Err(PyValueError::new_err("a 64-bit id has no such form: use int, str, bytes or buffer"))
            }
        }
    }
}
