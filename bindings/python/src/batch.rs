//! Many ids with one call: the functions `batch` and `fill`, and those that convert buffers.

use idgen::codec::Format;
use idgen::{Kind, Uuid};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::cpython::Safety;
use crate::errors::raise;
use crate::generators::{Generator, ShortGenerator, for_kinds};
use crate::making::{self, LONG, text_form, uneven};
use crate::{clock, device};

/// The source of the ids of a batch.
enum Maker<'a, 'py> {
    Function(fn(&mut [Uuid]), Safety),
    Short,
    Generator(&'a Bound<'py, Generator>),
    ShortGenerator(&'a Bound<'py, ShortGenerator>),
}

/// Many new ids: of a kind, by the name of its function, such as "v7" or "short", or those of a generator.
/// mysql_short takes an argument, so it needs a generator.
///
/// The form is "uuid" (a list of uuid.UUID), "str", "bytes", "int" or "base64" (lists of these), or "buffer" (one
/// bytes object with 16 bytes for each id). For short ids, the form is "int" (the default), "str", "bytes" or "buffer";
/// the last two have 8 bytes for each id.
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
    match Maker::of(kind)? {
        Maker::Function(make, safety) => {
            making::uuids(py, count, form, safety, |ids| run_function(py, make, ids))
        }
        Maker::Short => {
            making::shorts(py, count, form, |ids| clock::answer(py.detach(|| device::short().make_many(ids))))
        }
        Maker::Generator(generator) => generator.get().batch(py, count, form),
        Maker::ShortGenerator(generator) => generator.get().batch(py, count, form),
    }
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
    let py = kind.py();
    match Maker::of(kind)? {
        Maker::Function(make, _) => making::into_buffer(buffer, form, |ids| run_function(py, make, ids)),
        Maker::Generator(generator) => generator.get().fill_buffer(buffer, form),
        Maker::Short | Maker::ShortGenerator(_) => Err(PyValueError::new_err(
            "64-bit ids cannot fill a buffer of 128-bit ids: use batch(form=\"buffer\")",
        )),
    }
}

/// Returns the texts of ids in one bytes object: 36 characters ("str") or 22 ("base64") for each 16 bytes of the
/// argument.
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

/// Reads the texts that encode_buffer() returns, and returns 16 bytes for each: 36 ("str") or 22 ("base64") characters
/// each, one after another.
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
            "str" => Format::Hyphenated.decode_batch(text, ids).map(drop),
            _ => Format::Base64.decode_batch(text, ids).map(drop),
        };
        py.detach(decode).map_err(raise)
    })
}

/// The arms of the 128-bit kinds, and of the others.
macro_rules! makers {
    ($found:ident, $($kind:ident $name:literal = $make:path, $fill:path, $safety:ident: $what:literal $example:literal;)+) => {
        match $found {
            $(Kind::$kind => Ok(Maker::Function($fill, Safety::$safety)),)+
            Kind::Short => Ok(Maker::Short),
            Kind::MysqlShort => {
                let advice = "it needs a server id: use MysqlShort(server_id).batch(count)";
                let message = format!("no batch of {} without a generator: {advice}", $found);
                Err(PyValueError::new_err(message))
            }
        }
    };
}

impl<'a, 'py> Maker<'a, 'py> {
    /// From the name of a kind, or a generator.
    fn of(kind: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(name) = kind.cast::<PyString>() {
            // Functions have an underscore in place of the hyphen in the name of a kind.
            let kind: Kind = name.to_str()?.replace('_', "-").parse().map_err(raise)?;
            return for_kinds!(makers, kind);
        }
        if let Ok(generator) = kind.cast() {
            return Ok(Maker::Generator(generator));
        }
        if let Ok(generator) = kind.cast() {
            return Ok(Maker::ShortGenerator(generator));
        }
        let found = kind.get_type().name()?;
        Err(PyTypeError::new_err(format!("expected the name of a kind or a generator, not {found}")))
    }
}

fn run_function(py: Python<'_>, make: fn(&mut [Uuid]), ids: &mut [Uuid]) -> PyResult<()> {
    if ids.len() < LONG {
        make(ids)
    } else {
        py.detach(|| make(ids))
    }
    Ok(())
}
