//! Errors as Python exceptions.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    idgen.mysql,
    MapError,
    PyException,
    "A call of a map failed. If is_transient is true, it may succeed when it is repeated."
);
create_exception!(
    idgen.mysql,
    DuplicateError,
    MapError,
    "register() got a UUID that has an id already: existing_id is that id."
);
create_exception!(idgen.mysql, NotInstalledError, MapError, "The map's tables do not exist: call install().");
create_exception!(
    idgen.mysql,
    UnsafeServerError,
    MapError,
    "The server has settings with which acknowledged pairs may be lost."
);
create_exception!(idgen.mysql, ExhaustedError, MapError, "No id of the map's width is left.");
create_exception!(
    idgen.mysql,
    NotInTransactionError,
    MapError,
    "The connection is not in a transaction: begin one before you call a method whose name ends in _within."
);
create_exception!(idgen.mysql, ConflictError, MapError, "An imported pair contradicts the map.");

/// Adds the classes to the module.
pub(super) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("MapError", py.get_type::<MapError>())?;
    module.add("DuplicateError", py.get_type::<DuplicateError>())?;
    module.add("NotInstalledError", py.get_type::<NotInstalledError>())?;
    module.add("UnsafeServerError", py.get_type::<UnsafeServerError>())?;
    module.add("ExhaustedError", py.get_type::<ExhaustedError>())?;
    module.add("NotInTransactionError", py.get_type::<NotInTransactionError>())?;
    module.add("ConflictError", py.get_type::<ConflictError>())
}

/// The exception for an error of the mapping.
#[cold]
pub(super) fn raise(py: Python<'_>, error: &idgen_mysql::Error) -> PyErr {
    let raised = of_kind(py, error);
    match raised.value(py).setattr("is_transient", error.is_transient()) {
        Ok(()) => raised,
        Err(other) => other,
    }
}

fn of_kind(py: Python<'_>, error: &idgen_mysql::Error) -> PyErr {
    let message = error.to_string();
    if error.is_duplicate() {
        let raised = DuplicateError::new_err(message);
        return match raised.value(py).setattr("existing_id", error.existing_id()) {
            Ok(()) => raised,
            Err(other) => other,
        };
    }
    if error.is_not_installed() {
        NotInstalledError::new_err(message)
    } else if error.is_unsafe_server() {
        UnsafeServerError::new_err(message)
    } else if error.is_exhausted() {
        ExhaustedError::new_err(message)
    } else if error.is_not_in_transaction() {
        NotInTransactionError::new_err(message)
    } else if error.is_conflict() {
        ConflictError::new_err(message)
    } else {
        MapError::new_err(message)
    }
}
