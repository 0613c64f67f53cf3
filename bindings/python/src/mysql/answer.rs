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

/// Outcomes as their names and what belongs to them (reason, newest number, and the table and UUID of another row), and the
/// integers by UUID.
pub(super) fn answered(py: Python<'_>, answer: &Answer) -> PyResult<Py<PyAny>> {
    let outcome = |outcome: &Outcome| -> PyResult<_> {
        let none = (None, None, None, None);
        Ok(match outcome.clone() {
            Outcome::Applied { repeated: false } => ("applied", none),
            Outcome::Applied { repeated: true } => ("repeated", none),
            Outcome::Older { newest } => ("older", (None, Some(newest), None, None)),
            Outcome::Waits { reason, table, row } => {
                ("waits", (Some(reason), None, Some(table), Some(uuid(py, row)?)))
            }
            Outcome::Blocked { reason, table, row, number } => {
                ("blocked", (Some(reason), Some(number), Some(table), Some(uuid(py, row)?)))
            }
            Outcome::Refused(reason) => ("refused", (Some(reason), None, None, None)),
        })
    };
    let outcomes = answer.outcomes().iter().map(outcome).collect::<PyResult<Vec<_>>>()?;
    let ids = PyDict::new(py);
    for (row, id) in answer.ids() {
        ids.set_item(uuid(py, *row)?, id)?;
    }
    (outcomes, ids).into_py_any(py)
}
