//! The generators of 64-bit ids.

use std::path::PathBuf;

use idgen::ShortId;
use idgen::generator::{self, Generate};
use pyo3::prelude::*;

use crate::batch::Maker;
use crate::errors::raise;
use crate::forms::Form;
use crate::generators::clock;
use crate::generators::settings::{read_clock, read_entropy, read_node, read_policy, read_state};
use crate::generators::shared::Shared;
use crate::single::read_server_id;

/// What all generators of 64-bit ids can do. Threads may share one; pickle cannot copy it.
///
/// >>> new = idgen.MysqlShort(1)
/// >>> new() + 1 == next(new)
/// True
#[pyclass(module = "idgen", frozen, subclass)]
pub(crate) struct ShortGenerator {
    generator: Shared<Box<dyn Generate<Id = ShortId> + Send>>,
    name: &'static str,
}

impl ShortGenerator {
    fn new(name: &'static str, generator: impl Generate<Id = ShortId> + Send + 'static) -> Self {
        ShortGenerator { generator: Shared::new(Box::new(generator)), name }
    }

    pub(crate) fn fill(&self, py: Python<'_>, ids: &mut [ShortId]) -> PyResult<()> {
        self.generator.run(py, true, |generator| generator.fill(ids))
    }

    fn make<'py>(&self, py: Python<'py>, form: Form) -> PyResult<Bound<'py, PyAny>> {
        form.make_short(py, self.generator.run(py, false, |generator| generator.next_id())?)
    }
}

#[pymethods]
impl ShortGenerator {
    /// The next id as an int.
    fn __call__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Int)
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Int)
    }

    /// The next id as decimal text.
    ///
    /// >>> idgen.Short().next_str().isdigit()
    /// True
    fn next_str<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Str)
    }

    /// Many ids, as idgen.batch() gives them.
    ///
    /// >>> len(idgen.Short().batch(100))
    /// 100
    #[pyo3(signature = (count, /, form=None))]
    fn batch<'py>(&self, py: Python<'py>, count: isize, form: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        Maker::ShortGenerator(self).batch(py, count, form)
    }

    fn __repr__(&self) -> String {
        format!("<idgen.{}>", self.name)
    }
}

/// A generator of 64-bit device ids: seconds, the low 16 bits of the node, a counter.
///
/// At most 65,536 a second: then it waits, or raises ClockBehindError if when_behind is "error".
/// node: as for V1; 16 random bits if left out, which a state file keeps. The other arguments are those
/// of V7.
///
/// >>> new = idgen.Short(node=0x9f6bdeced846)
/// >>> hex(new() >> 16 & 0xFFFF)
/// '0xd846'
#[pyclass(module = "idgen", extends = ShortGenerator, frozen)]
pub(crate) struct Short;

#[pymethods]
impl Short {
    #[new]
    #[pyo3(signature = (*, node=None, clock=None, state=None, seed=None, tolerance=None, when_behind="wait"))]
    fn new(
        node: Option<Bound<'_, PyAny>>,
        clock: Option<Bound<'_, PyAny>>,
        state: Option<PathBuf>,
        seed: Option<u64>,
        tolerance: Option<Bound<'_, PyAny>>,
        when_behind: &str,
    ) -> PyResult<PyClassInitializer<Self>> {
        let policy = read_policy(tolerance.as_ref(), when_behind)?;
        let ids = generator::DeviceShort::new(read_clock(clock)?, read_entropy(seed)?).map_err(raise)?;
        let mut ids = ids.with_policy(policy);
        if let Some(node) = node {
            ids = ids.with_node(read_node(&node)?);
        }
        let ids = ids.with_state(read_state(state)?).map_err(raise)?;
        Ok(PyClassInitializer::from(ShortGenerator::new("Short", ids)).add_subclass(Short))
    }
}

/// A generator of 64-bit ids as MySQL's UUID_SHORT() makes them on the server with this id (0 to 255),
/// had it started now. state: as for V7; it keeps a restarted generator apart. clock: as for V7.
///
/// >>> idgen.MysqlShort(3)() >> 56
/// 3
#[pyclass(module = "idgen", extends = ShortGenerator, frozen)]
pub(crate) struct MysqlShort;

#[pymethods]
impl MysqlShort {
    #[new]
    #[pyo3(signature = (server_id, *, clock=None, state=None))]
    fn new(
        server_id: &Bound<'_, PyAny>,
        clock: Option<Bound<'_, PyAny>>,
        state: Option<PathBuf>,
    ) -> PyResult<PyClassInitializer<Self>> {
        // It reads the clock at once.
        let ids = generator::MysqlShort::new(read_clock(clock)?, read_server_id(server_id)?);
        let ids = clock::answer(ids)?;
        let ids = ids.with_state(read_state(state)?).map_err(raise)?;
        Ok(PyClassInitializer::from(ShortGenerator::new("MysqlShort", ids)).add_subclass(MysqlShort))
    }
}
