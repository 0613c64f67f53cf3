//! The base of the generators of 128-bit ids.

use idgen::Uuid;
use idgen::generator::Generate;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::cpython::Safety;
use crate::forms::Form;
use crate::generators::shared::Shared;
use crate::making::{self, LONG};

type AnyGenerator = Box<dyn Generate<Id = Uuid> + Send>;

/// The base class of the generators of 128-bit ids. Threads may share a generator; pickle cannot copy it.
///
/// >>> new = idgen.V7()
/// >>> new() < new() < next(new)
/// True
#[pyclass(module = "idgen", frozen, subclass)]
pub(crate) struct Generator {
    generator: Shared<AnyGenerator>,
    name: &'static str,
}

impl Generator {
    pub(super) fn new(name: &'static str, generator: impl Generate<Id = Uuid> + Send + 'static) -> Self {
        Generator { generator: Shared::new(Box::new(generator)), name }
    }

    fn fill(&self, py: Python<'_>, ids: &mut [Uuid]) -> PyResult<()> {
        self.generator.run(py, ids.len() >= LONG, |generator| generator.fill(ids))
    }

    fn make<'py>(&self, py: Python<'py>, form: Form) -> PyResult<Bound<'py, PyAny>> {
        let id = self.generator.run(py, false, |generator| generator.next_id())?;
        form.make(py, &id, Safety::Unknown)
    }
}

#[pymethods]
impl Generator {
    /// The next id as a uuid.UUID.
    fn __call__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Uuid)
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Uuid)
    }

    /// The next id as 36 characters.
    ///
    /// >>> len(idgen.V7().next_str())
    /// 36
    fn next_str<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Str)
    }

    /// The next id as 16 bytes.
    ///
    /// >>> len(idgen.V7().next_bytes())
    /// 16
    fn next_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Bytes)
    }

    /// The next id as an integer of 128 bits.
    ///
    /// >>> idgen.V7().next_int() < 1 << 128
    /// True
    fn next_int<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Int)
    }

    /// The next id as 22 characters of base64.
    ///
    /// >>> len(idgen.V7().next_base64())
    /// 22
    fn next_base64<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Base64)
    }

    /// Many ids, as idgen.batch() returns them.
    ///
    /// >>> len(idgen.V7().batch(100, form="str"))
    /// 100
    #[pyo3(signature = (count, /, form=None))]
    pub(crate) fn batch<'py>(
        &self,
        py: Python<'py>,
        count: isize,
        form: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        making::uuids(py, count, form, Safety::Unknown, |ids| self.fill(py, ids))
    }

    /// Fills a writable buffer with ids, as idgen.fill() does.
    ///
    /// >>> idgen.V7().fill_buffer(bytearray(32))
    /// 2
    #[pyo3(signature = (buffer, /, form="bytes"))]
    pub(crate) fn fill_buffer(&self, buffer: &Bound<'_, PyAny>, form: &str) -> PyResult<usize> {
        making::into_buffer(buffer, form, |ids| self.fill(buffer.py(), ids))
    }

    /// Saves the exact position and releases the state file. The generator makes no more ids. Without a state file
    /// it is not necessary. ``with`` calls it, too:
    ///
    /// >>> with idgen.V7() as new:
    /// ...     first = new()
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.generator.close(py)
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.generator.close(py)
    }

    fn __repr__(&self) -> String {
        format!("<idgen.{}>", self.name)
    }
}
