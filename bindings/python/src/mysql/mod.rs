//! The mapping of UUIDs to integers in MySQL and MariaDB: `idgen.mysql` names and documents it.

mod answer;
mod errors;
mod map;
mod metrics;
mod runtime;
mod sync;
mod within;

use pyo3::prelude::*;

/// Adds the classes to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    errors::add(module)?;
    metrics::install();
    module.add_function(wrap_pyfunction!(metrics::counted, module)?)?;
    module.add_class::<within::Claiming>()?;
    module.add_class::<map::Map>()?;
    module.add_class::<sync::Read>()?;
    module.add_class::<sync::Syncing>()?;
    module.add_class::<runtime::Call>()
}
