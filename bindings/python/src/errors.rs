//! Errors as Python exceptions. For bad input they are those of the standard `uuid` module.

use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyOverflowError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    idgen,
    ClockBehindError,
    PyRuntimeError,
    "The clock is behind the last id by more than the tolerance, or all ids of this second are used and \
     when_behind is \"error\"."
);

create_exception!(
    idgen,
    OutsideLeaseError,
    PyRuntimeError,
    "The number of the device is not leased for the time of the clock: see DeviceLease."
);

/// The exception for an error of the core.
#[cold]
pub(crate) fn raise(error: idgen::Error) -> PyErr {
    let message = error.to_string();
    if error.is_clock_behind() || error.is_exhausted() {
        ClockBehindError::new_err(message)
    } else if error.is_outside_lease() {
        OutsideLeaseError::new_err(message)
    } else if error.is_time_out_of_range() {
        PyOverflowError::new_err(message)
    } else if error.is_state() || error.is_entropy() {
        PyOSError::new_err(message)
    } else if error.is_forked() {
        PyRuntimeError::new_err(message)
    } else {
        PyValueError::new_err(message)
    }
}
