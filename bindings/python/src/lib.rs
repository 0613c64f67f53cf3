//! `idgen._idgen`: the native half of the Python package. What is public is re-exported by
//! `python/idgen/__init__.py`, typed by `python/idgen/_idgen.pyi`.
#![deny(unsafe_code)]

mod arguments;
mod batch;
mod bounds;
mod clock;
mod codecs;
#[allow(unsafe_code)]
mod cpython;
mod device;
mod errors;
mod forms;
mod generators;
mod inspect;
mod making;
mod mysql;
mod seal;
mod single;
mod standard;

use pyo3::prelude::*;
use pyo3::types::PyType;

/// Uses another class for ids. Tests of the public constructor call it.
#[pyfunction]
fn _learn(class: &Bound<'_, PyType>, safety: &Bound<'_, PyAny>) -> PyResult<bool> {
    cpython::learn(class, safety)?;
    cpython::uses_slots()
}

/// Creates the memory in which a process and its children count together. This happens at the import: if a server
/// generates no id before it forks, each worker would otherwise count alone.
///
/// # Panics
/// If the system provides no memory or no randomness; PyO3 converts the panic to an exception.
fn prepare(py: Python<'_>) -> PyResult<()> {
    device::short();
    // No id, but the memory of all server ids.
    idgen::fill_mysql_short(0, &mut []);
    standard::last_tick(py).map(drop)
}

#[pymodule(gil_used = false)]
fn _idgen(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ClockBehindError", py.get_type::<errors::ClockBehindError>())?;
    module.add("OutsideLeaseError", py.get_type::<errors::OutsideLeaseError>())?;
    let uuid = py.import("uuid")?;
    cpython::learn(uuid.getattr("UUID")?.cast()?, &uuid.getattr("SafeUUID")?)?;
    prepare(py)?;
    module.add_function(wrap_pyfunction!(_learn, module)?)?;
    single::add(module)?;
    codecs::add(module)?;
    standard::add(module)?;
    inspect::add(module)?;
    mysql::add(module)?;
    for function in [
        wrap_pyfunction!(seal::reseed, module)?,
        wrap_pyfunction!(bounds::bounds_of, module)?,
        wrap_pyfunction!(bounds::prefixed_bounds, module)?,
        wrap_pyfunction!(batch::batch, module)?,
        wrap_pyfunction!(batch::fill, module)?,
        wrap_pyfunction!(batch::encode_buffer, module)?,
        wrap_pyfunction!(batch::decode_buffer, module)?,
    ] {
        module.add_function(function)?;
    }
    module.add_class::<seal::SealKey>()?;
    module.add_class::<seal::SealRing>()?;
    module.add_class::<seal::TypeSeal>()?;
    generators::add(module)
}
