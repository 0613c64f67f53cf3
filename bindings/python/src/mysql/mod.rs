//! The mapping of UUIDs to integers in MySQL and MariaDB: `idgen.mysql` names and documents it.

mod errors;
mod map;
mod runtime;

use pyo3::prelude::*;

/// Adds the classes to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    errors::add(module)?;
    module.add_class::<map::Map>()?;
    module.add_class::<runtime::Call>()
}
