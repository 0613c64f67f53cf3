//! Many ids at once, from any source: as a list of any form, as one `bytes`, or written into an array.

use idgen::codec::{Format, base64, hyphenated};
use idgen::{ShortId, Uuid};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::cpython::{Safety, WritableBuffer, new_list};
use crate::errors::raise;
use crate::forms::Form;

/// From this many ids on, they are generated without the GIL.
pub(crate) const LONG: usize = 2_048;
/// The ids that are made before they are copied into a caller's buffer.
const PIECE: usize = 4_096;

/// A batch of 128-bit ids, which `fill` makes.
pub(crate) fn uuids<'py>(
    py: Python<'py>,
    count: isize,
    form: Option<&str>,
    safety: Safety,
    fill: impl FnOnce(&mut [Uuid]) -> PyResult<()>,
) -> PyResult<Bound<'py, PyAny>> {
    let count = read_count(count)?;
    let form = form.map_or(Ok(Form::Uuid), Form::named)?;
    if form == Form::Buffer {
        let size = count.checked_mul(16).ok_or_else(|| PyMemoryError::new_err(too_many(count)))?;
        let make = |bytes: &mut [u8]| fill(bytemuck::cast_slice_mut(bytes));
        return PyBytes::new_with(py, size, make).map(Bound::into_any);
    }
    let mut ids = zeros(count)?;
    fill(&mut ids)?;
    // One loop for each form: the choice is made outside of it.
    match form {
        Form::Uuid => new_list(py, &ids, |id| Form::Uuid.make(py, id, safety)),
        Form::Str => new_list(py, &ids, |id| Form::Str.make(py, id, safety)),
        Form::Base64 => new_list(py, &ids, |id| Form::Base64.make(py, id, safety)),
        form => new_list(py, &ids, |id| form.make(py, id, safety)),
    }
}

/// A batch of 64-bit ids, which `fill` makes.
pub(crate) fn shorts<'py>(
    py: Python<'py>,
    count: isize,
    form: Option<&str>,
    fill: impl FnOnce(&mut [ShortId]) -> PyResult<()>,
) -> PyResult<Bound<'py, PyAny>> {
    let form = form.map_or(Ok(Form::Int), Form::named)?;
    let mut ids: Vec<ShortId> = zeros(read_count(count)?)?;
    fill(&mut ids)?;
    if form == Form::Buffer {
        let bytes: Vec<u8> = ids.iter().flat_map(|id| id.get().to_be_bytes()).collect();
        return Ok(PyBytes::new(py, &bytes).into_any());
    }
    new_list(py, &ids, |id| form.make_short(py, *id))
}

/// Fills a caller's buffer with 128-bit ids. They are generated and encoded in private memory, without the GIL if there
/// are many, and copied with the GIL, because another thread may read or write the buffer at any other time.
pub(crate) fn into_buffer(
    buffer: &Bound<'_, PyAny>,
    form: &str,
    mut fill: impl FnMut(&mut [Uuid]) -> PyResult<()>,
) -> PyResult<usize> {
    let py = buffer.py();
    let (each, encode) = match form {
        "bytes" => (16, None),
        _ => text_form(form).map(|(each, encode)| (each, Some(encode)))?,
    };
    let target = WritableBuffer::of(buffer)?;
    // An array of NumPy's type U36 has four bytes for each character.
    if !each.is_multiple_of(target.item_size().max(1)) {
        return Err(PyValueError::new_err(format!(
            "the elements of the buffer have {} bytes, which do not divide the {each} bytes of an id: use elements \
             of 1 or {each} bytes",
            target.item_size()
        )));
    }
    if !target.len().is_multiple_of(each) {
        return Err(uneven(target.len(), each));
    }
    let count = target.len() / each;
    let mut ids = vec![Uuid::nil(); count.min(PIECE)];
    let mut text = vec![0; if encode.is_some() { ids.len() * each } else { 0 }];
    for first in (0..count).step_by(PIECE) {
        let ids = &mut ids[..PIECE.min(count - first)];
        fill(ids)?;
        match encode {
            None => target.write(first * 16, bytemuck::cast_slice(ids)),
            Some(encode) => {
                let text = &mut text[..ids.len() * each];
                if ids.len() < LONG { encode(ids, text) } else { py.detach(|| encode(ids, text)) }
                    .map_err(raise)?;
                target.write(first * each, text);
            }
        }
    }
    Ok(count)
}

type Encode = fn(&[Uuid], &mut [u8]) -> idgen::Result<()>;

/// The length of a text of fixed width, and what writes many.
pub(crate) fn text_form(form: &str) -> PyResult<(usize, Encode)> {
    match form {
        "str" => Ok((hyphenated::LEN, |ids, text| Format::Hyphenated.encode_batch(ids, text).map(drop))),
        "base64" => Ok((base64::LEN, |ids, text| Format::Base64.encode_batch(ids, text).map(drop))),
        _ => Err(PyValueError::new_err(format!(
            "no fixed-width text has the name {form:?}: use str or base64"
        ))),
    }
}

pub(crate) fn uneven(found: usize, each: usize) -> PyErr {
    PyValueError::new_err(format!("{found} bytes are not a multiple of the {each} bytes of an id"))
}

fn read_count(count: isize) -> PyResult<usize> {
    usize::try_from(count).map_err(|_| PyValueError::new_err(format!("count must not be negative: {count}")))
}

fn zeros<T: Default + Clone>(count: usize) -> PyResult<Vec<T>> {
    let mut ids = Vec::new();
    ids.try_reserve_exact(count).map_err(|_| PyMemoryError::new_err(too_many(count)))?;
    ids.resize(count, T::default());
    Ok(ids)
}

fn too_many(count: usize) -> String {
    format!("no memory for {count} ids: generate fewer at a time")
}
