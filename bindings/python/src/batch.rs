//! Many ids a call: as a list of any form, as one `bytes`, or written into an array.

use idgen::codec::{base64, hyphenated};
use idgen::{Kind, ShortId, Uuid};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::cpython::{Safety, fill_buffer, new_list};
use crate::device;
use crate::errors::raise;
use crate::forms::Form;
use crate::generators::{Generator, ShortGenerator, clock, for_kinds};

/// From this many ids on, they are made without the GIL.
const LONG: usize = 2_048;
/// Ids between two steps of a conversion: their bytes stay in the nearest cache.
const STEP: usize = 256;

/// Who makes the ids of a batch.
#[derive(Clone, Copy)]
pub(crate) enum Maker<'a> {
    Function(fn(&mut [Uuid]), Safety),
    Generator(&'a Generator),
    ShortFunction,
    ShortGenerator(&'a ShortGenerator),
}

/// Many new ids of a kind: "v1", "v4", "v6", "v7", "ulid", "week", "prefixed", "fixed_prefix" or "short", or those of a
/// generator.
///
/// The form is "uuid" (a list of uuid.UUID), "str", "bytes", "int" or "base64" (lists), or "buffer": one
/// bytes object with 16 bytes for each. Short ids are "int" unless "str", "bytes" or "buffer" is asked
/// for; of these the last two take 8 bytes each.
///
/// >>> ids = idgen.batch("v7", 1000)
/// >>> ids == sorted(ids)
/// True
/// >>> len(idgen.batch("v4", 1000, form="buffer"))
/// 16000
#[pyfunction]
#[pyo3(signature = (kind, count, /, form=None))]
pub(crate) fn batch<'py>(
    kind: &Bound<'py, PyAny>,
    count: isize,
    form: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = kind.py();
    with_maker(kind, |maker| maker.batch(py, count, form))
}

/// Fills a writable buffer (bytearray, array, numpy array, mmap) with new ids, one after another.
///
/// The form is "bytes" (16 bytes each), "str" (36 ASCII characters each) or "base64" (22 each); the
/// buffer's length must be a multiple of that. Returns how many ids were written.
///
/// >>> data = bytearray(160)
/// >>> idgen.fill("v4", data)
/// 10
#[pyfunction]
#[pyo3(signature = (kind, buffer, /, form="bytes"))]
pub(crate) fn fill(kind: &Bound<'_, PyAny>, buffer: &Bound<'_, PyAny>, form: &str) -> PyResult<usize> {
    with_maker(kind, |maker| maker.fill_buffer(buffer, form))
}

/// Writes the 36 characters ("str") or 22 ("base64") of each of the ids in one bytes object of 16 bytes each.
///
/// >>> idgen.encode_buffer(bytes(32), "base64")
/// b'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
#[pyfunction]
#[pyo3(signature = (ids, form, /))]
pub(crate) fn encode_buffer<'py>(py: Python<'py>, ids: &[u8], form: &str) -> PyResult<Bound<'py, PyBytes>> {
    let (each, encode) = text_form(form)?;
    let (ids, rest) = ids.as_chunks::<16>();
    if !rest.is_empty() {
        return Err(uneven(ids.len() * 16 + rest.len(), 16));
    }
    PyBytes::new_with(py, ids.len() * each, |text| {
        py.detach(|| encode(bytemuck::cast_slice(ids), text)).map_err(raise)
    })
}

/// Reads what encode_buffer() writes: ids of 36 ("str") or 22 ("base64") characters each, one after another.
///
/// >>> idgen.decode_buffer(b'AAAAAAAAAAAAAAAAAAAAAA', "base64") == bytes(16)
/// True
#[pyfunction]
#[pyo3(signature = (text, form, /))]
pub(crate) fn decode_buffer<'py>(py: Python<'py>, text: &[u8], form: &str) -> PyResult<Bound<'py, PyBytes>> {
    let (each, _) = text_form(form)?;
    if !text.len().is_multiple_of(each) {
        return Err(uneven(text.len(), each));
    }
    PyBytes::new_with(py, text.len() / each * 16, |ids| {
        let ids = bytemuck::cast_slice_mut(ids);
        let decode = || match form {
            "str" => hyphenated::decode_batch(text, ids).map(drop),
            _ => base64::decode_batch(text, ids).map(drop),
        };
        py.detach(decode).map_err(raise)
    })
}

type Encode = fn(&[Uuid], &mut [u8]) -> idgen::Result<()>;

fn text_form(form: &str) -> PyResult<(usize, Encode)> {
    match form {
        "str" => Ok((hyphenated::LEN, |ids, text| hyphenated::encode_batch(ids, text).map(drop))),
        "base64" => Ok((base64::LEN, |ids, text| base64::encode_batch(ids, text).map(drop))),
        _ => Err(PyValueError::new_err(format!(
            "no fixed-width text has the name {form:?}: use str or base64"
        ))),
    }
}

fn uneven(found: usize, each: usize) -> PyErr {
    PyValueError::new_err(format!("{found} bytes are no whole number of ids of {each} bytes"))
}

/// Calls `run` with the maker that a kind's name or a generator stands for.
fn with_maker<T>(kind: &Bound<'_, PyAny>, run: impl FnOnce(Maker<'_>) -> PyResult<T>) -> PyResult<T> {
    if let Ok(name) = kind.cast::<PyString>() {
        return run(by_name(name.to_str()?)?);
    }
    if let Ok(generator) = kind.cast::<Generator>() {
        return run(Maker::Generator(generator.get()));
    }
    if let Ok(generator) = kind.cast::<ShortGenerator>() {
        return run(Maker::ShortGenerator(generator.get()));
    }
    let found = kind.get_type().name()?;
    Err(PyTypeError::new_err(format!("expected the name of a kind or a generator, not {found}")))
}

/// The arms of the 128-bit kinds, and of the others.
macro_rules! makers {
    ($found:ident, $($kind:ident $name:literal = $make:path, $fill:path, $safety:ident: $what:literal $example:literal;)+) => {
        match $found {
            $(Kind::$kind => Maker::Function($fill, Safety::$safety),)+
            Kind::Short => Maker::ShortFunction,
            Kind::MysqlShort => {
                let advice = "it needs a server id: use MysqlShort(server_id).batch(count)";
                let message = format!("no batch of {} without a generator: {advice}", $found);
                return Err(PyValueError::new_err(message));
            }
        }
    };
}

fn by_name(name: &str) -> PyResult<Maker<'static>> {
    // Functions have an underscore where the names of kinds have a hyphen.
    let kind: Kind = name.replace('_', "-").parse().map_err(raise)?;
    Ok(for_kinds!(makers, kind))
}

impl Maker<'_> {
    pub(crate) fn batch<'py>(
        self,
        py: Python<'py>,
        count: isize,
        form: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let count = usize::try_from(count)
            .map_err(|_| PyValueError::new_err(format!("count must not be negative: {count}")))?;
        if let Maker::ShortFunction | Maker::ShortGenerator(_) = self {
            return self.batch_short(py, count, form.map_or(Ok(Form::Int), Form::named)?);
        }
        let form = form.map_or(Ok(Form::Uuid), Form::named)?;
        if form == Form::Buffer {
            let size = count.checked_mul(16).ok_or_else(|| PyMemoryError::new_err(too_many(count)))?;
            let make = |bytes: &mut [u8]| self.fill(py, bytemuck::cast_slice_mut(bytes));
            return PyBytes::new_with(py, size, make).map(Bound::into_any);
        }
        let mut ids = zeros(count)?;
        self.fill(py, &mut ids)?;
        let safety = if let Maker::Function(_, safety) = self { safety } else { Safety::Unknown };
        // One loop for each form: the choice is made outside of it.
        match form {
            Form::Uuid => new_list(py, &ids, |id| Form::Uuid.make(py, id, safety)),
            Form::Str => new_list(py, &ids, |id| Form::Str.make(py, id, safety)),
            Form::Base64 => new_list(py, &ids, |id| Form::Base64.make(py, id, safety)),
            form => new_list(py, &ids, |id| form.make(py, id, safety)),
        }
    }

    fn batch_short<'py>(self, py: Python<'py>, count: usize, form: Form) -> PyResult<Bound<'py, PyAny>> {
        let mut ids: Vec<ShortId> = zeros(count)?;
        match self {
            Maker::ShortGenerator(generator) => generator.fill(py, &mut ids)?,
            _ => clock::answer(py.detach(|| device::short().make_many(&mut ids)))?,
        }
        if form == Form::Buffer {
            let bytes: Vec<u8> = ids.iter().flat_map(|id| id.get().to_be_bytes()).collect();
            return Ok(PyBytes::new(py, &bytes).into_any());
        }
        new_list(py, &ids, |id| form.make_short(py, *id))
    }

    fn fill(self, py: Python<'_>, ids: &mut [Uuid]) -> PyResult<()> {
        match self {
            Maker::Function(make, _) if ids.len() < LONG => make(ids),
            Maker::Function(make, _) => py.detach(|| make(ids)),
            Maker::Generator(generator) => generator.fill(py, ids)?,
            Maker::ShortFunction | Maker::ShortGenerator(_) => {
                return Err(PyValueError::new_err("64-bit ids cannot fill a buffer of 128-bit ones"));
            }
        }
        Ok(())
    }

    pub(crate) fn fill_buffer(self, buffer: &Bound<'_, PyAny>, form: &str) -> PyResult<usize> {
        let (each, encode) = match form {
            "bytes" => (16, None),
            _ => text_form(form).map(|(each, encode)| (each, Some(encode)))?,
        };
        // Attached again only for a generator, whose clock may be a Python function.
        fill_buffer(buffer, |out| {
            if !out.len().is_multiple_of(each) {
                return Err(uneven(out.len(), each));
            }
            let count = out.len() / each;
            let Some(encode) = encode else {
                let ids = bytemuck::cast_slice_mut(out);
                return self.fill_detached(ids).map(|()| count);
            };
            let mut ids = [Uuid::nil(); STEP];
            for text in out.chunks_mut(STEP * each) {
                let ids = &mut ids[..text.len() / each];
                self.fill_detached(ids)?;
                encode(ids, text).map_err(raise)?;
            }
            Ok(count)
        })?
    }

    fn fill_detached(self, ids: &mut [Uuid]) -> PyResult<()> {
        match self {
            Maker::Function(make, _) => {
                make(ids);
                Ok(())
            }
            _ => Python::attach(|py| self.fill(py, ids)),
        }
    }
}

fn zeros<T: Default + Clone>(count: usize) -> PyResult<Vec<T>> {
    let mut ids = Vec::new();
    ids.try_reserve_exact(count).map_err(|_| PyMemoryError::new_err(too_many(count)))?;
    ids.resize(count, T::default());
    Ok(ids)
}

fn too_many(count: usize) -> String {
    format!("no memory for {count} ids")
}
