//! The generators of 64-bit ids.

use std::path::PathBuf;

use idgen::generator::{self, Generate};
use idgen::{Result, ShortId};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arguments::{read_node, read_server_id};
use crate::clock;
use crate::errors::raise;
use crate::forms::Form;
use crate::generators::lease::DeviceLease;
use crate::generators::settings::{AnyClock, AnyState, Common, read_clock, read_state};
use crate::generators::shared::Shared;
use crate::making;

/// A generator of 64-bit ids of either layout.
enum Ids {
    Device(generator::DeviceShort<AnyClock, AnyState>),
    Server(generator::MysqlShort<AnyState>),
}

impl Generate for Ids {
    type Id = ShortId;

    fn next_id(&mut self) -> Result<ShortId> {
        match self {
            Ids::Device(ids) => ids.next_id(),
            Ids::Server(ids) => ids.next_id(),
        }
    }

    fn fill(&mut self, ids: &mut [ShortId]) -> Result<()> {
        match self {
            Ids::Device(device) => device.fill(ids),
            Ids::Server(server) => server.fill(ids),
        }
    }
}

/// The base class of the generators of 64-bit ids. Threads may share a generator; pickle cannot copy it.
///
/// >>> new = idgen.MysqlShort(1)
/// >>> new() + 1 == next(new)
/// True
#[pyclass(module = "idgen", frozen, subclass)]
pub(crate) struct ShortGenerator {
    generator: Shared<Ids>,
    name: &'static str,
}

impl ShortGenerator {
    fn new(name: &'static str, generator: Ids) -> Self {
        ShortGenerator { generator: Shared::new(generator), name }
    }

    fn fill(&self, py: Python<'_>, ids: &mut [ShortId]) -> PyResult<()> {
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

    /// Many ids, as idgen.batch() returns them.
    ///
    /// >>> len(idgen.Short().batch(100))
    /// 100
    #[pyo3(signature = (count, /, form=None))]
    pub(crate) fn batch<'py>(
        &self,
        py: Python<'py>,
        count: isize,
        form: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        making::shorts(py, count, form, |ids| self.fill(py, ids))
    }

    /// Saves the exact position and releases the state file. The generator makes no more ids. Without a state file
    /// it is not necessary. ``with`` calls it, too:
    ///
    /// >>> with idgen.Short() as new:
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

/// A generator of 64-bit device ids: seconds, the low 16 bits of the node, a counter.
///
/// After 65,536 ids in one second it waits for the next one, or raises ClockBehindError if when_behind is "error".
/// node: as for V1. By default it is 16 random bits, which a state file keeps. lease: as for set_lease(). The other arguments are those of V7.
///
/// >>> new = idgen.Short(node=0x9f6bdeced846)
/// >>> hex(new() >> 16 & 0xFFFF)
/// '0xd846'
#[pyclass(module = "idgen", extends = ShortGenerator, frozen)]
pub(crate) struct Short;

#[pymethods]
impl Short {
    #[new]
    #[pyo3(signature = (
        *, node=None, lease=None, clock=None, state=None, seed=None, tolerance=None, when_behind="restart", longest_wait=None,
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        node: Option<Bound<'_, PyAny>>,
        lease: Option<PyRef<'_, DeviceLease>>,
        clock: Option<Bound<'_, PyAny>>,
        state: Option<PathBuf>,
        seed: Option<u64>,
        tolerance: Option<Bound<'_, PyAny>>,
        when_behind: &str,
        longest_wait: Option<Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let common = Common::read(clock, state, seed, tolerance, when_behind, longest_wait)?;
        let mut ids = generator::DeviceShort::new(common.clock, common.entropy).map_err(raise)?;
        if let Some(node) = node {
            ids = ids.with_node(read_node(&node)?);
        }
        let ids = ids.with_policy(common.policy);
        let mut ids = ids.with_state(read_state(common.state)?).map_err(raise)?;
        if let Some(lease) = lease {
            ids.set_lease(lease.0);
        }
        Ok(PyClassInitializer::from(ShortGenerator::new("Short", Ids::Device(ids))).add_subclass(Short))
    }

    /// Uses the number of a DeviceLease as the node. A call that would make an id of a second outside of the lease raises
    /// OutsideLeaseError, and makes none. Call it again with the renewed lease.
    ///
    /// Keep a state file beside the lease: without it, a restart after the clock was set back may repeat ids of this device itself.
    /// With a lease, a clock that steps back further than the tolerance raises ClockBehindError also if when_behind is
    /// "restart", because a restart takes another node.
    ///
    /// >>> import time
    /// >>> now, day = time.time_ns(), 86_400 * 10**9
    /// >>> new = idgen.Short()
    /// >>> new.set_lease(idgen.DeviceLease(55366, now - day, now + 30 * day))
    /// >>> new() >> 16 & 0xFFFF
    /// 55366
    #[pyo3(signature = (lease, /))]
    fn set_lease(slf: &Bound<'_, Self>, lease: PyRef<'_, DeviceLease>) -> PyResult<()> {
        let lease = lease.0;
        slf.as_super().get().generator.run(slf.py(), false, |ids| {
            if let Ids::Device(ids) = ids {
                ids.set_lease(lease);
            }
            Ok(())
        })
    }
}

/// A generator of 64-bit ids as MySQL's UUID_SHORT() returns them on a server with this id (0 to 255) that starts
/// now. clock: as for V7. state: as for V7; with it, a restarted generator repeats no id.
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
        Ok(PyClassInitializer::from(ShortGenerator::new("MysqlShort", Ids::Server(ids)))
            .add_subclass(MysqlShort))
    }
}
