//! What a sync answers, as objects of Python.

use idgen::Uuid;
use idgen_mysql::sync::{Answer, Outcome};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::cpython::{Safety, new_uuid};

/// A `uuid.UUID`.
pub(super) fn uuid(py: Python<'_>, uuid: Uuid) -> PyResult<Py<PyAny>> {
    Ok(new_uuid(py, uuid, Safety::Unknown)?.into_any().unbind())
}

/// Outcomes as their names and what belongs to them, and the integers by UUID.
pub(super) fn answered(py: Python<'_>, answer: &Answer) -> PyResult<Py<PyAny>> {
    let outcome = |outcome: &Outcome| match outcome {
        Outcome::Applied { repeated: false } => ("applied", None, None),
        Outcome::Applied { repeated: true } => ("repeated", None, None),
        Outcome::Older { newest } => ("older", None, Some(*newest)),
        Outcome::Waits(reason) => ("waits", Some(reason.clone()), None),
        Outcome::Refused(reason) => ("refused", Some(reason.clone()), None),
    };
    let outcomes: Vec<_> = answer.outcomes().iter().map(outcome).collect();
    let ids = PyDict::new(py);
    for (row, id) in answer.ids() {
        ids.set_item(uuid(py, *row)?, id)?;
    }
    (outcomes, ids).into_py_any(py)
}
