//! Leased numbers of devices.

use idgen::{Timestamp, generator};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDateTime, PyInt};

use crate::clock::{new_datetime, read_time};
use crate::errors::raise;

/// The number of a device, 0 to 65535, and the first and the last time of the 64-bit ids that it may make with it. A server leases no two devices one number for
/// the same second. The second is part of an id, so ids of different leases differ, whatever the clocks of the devices do.
///
/// The times are aware datetimes, or nanoseconds since 1970. A fraction of a second makes the lease shorter at its beginning, and
/// counts as the whole second at its end.
///
/// >>> import datetime
/// >>> begin, end = (datetime.datetime(2026, 11, day, tzinfo=datetime.timezone.utc) for day in (21, 22))
/// >>> idgen.DeviceLease(55366, begin, end).not_after.isoformat()
/// '2026-11-22T00:00:00+00:00'
#[pyclass(module = "idgen", frozen, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct DeviceLease(pub(super) generator::DeviceLease);

#[pymethods]
impl DeviceLease {
    #[new]
    #[pyo3(signature = (number, not_before, not_after))]
    fn new(
        number: &Bound<'_, PyAny>,
        not_before: &Bound<'_, PyAny>,
        not_after: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let (begin, end) = (read_begin(not_before)?, read_time(not_after)?);
        generator::DeviceLease::new(read_number(number)?, begin, end).map(DeviceLease).map_err(raise)
    }

    /// The number of the device.
    #[getter]
    fn number(&self) -> u16 {
        self.0.number()
    }

    /// The first second of the lease, as an aware datetime in UTC.
    #[getter]
    fn not_before<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDateTime>>> {
        new_datetime(py, self.0.not_before())
    }

    /// The last second of the lease, as an aware datetime in UTC.
    #[getter]
    fn not_after<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDateTime>>> {
        new_datetime(py, self.0.not_after())
    }

    fn __repr__(&self) -> String {
        let lease = self.0;
        format!("<idgen.DeviceLease {} from {} to {}>", lease.number(), lease.not_before(), lease.not_after())
    }
}

/// The first tick of 100 ns that does not begin before this time.
fn read_begin(time: &Bound<'_, PyAny>) -> PyResult<Timestamp> {
    let begin = read_time(time)?;
    let has_rest = time.extract::<i128>().is_ok_and(|nanos| nanos.rem_euclid(100) > 0);
    Ok(Timestamp::from_unix_ticks(begin.unix_ticks().saturating_add(has_rest.into())))
}

/// True is an int, too, but no number of a device.
fn read_number(object: &Bound<'_, PyAny>) -> PyResult<u16> {
    if !object.is_instance_of::<PyInt>() || object.is_instance_of::<PyBool>() {
        let found = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!("number must be an int, not {found}")));
    }
    object.extract().map_err(|_| PyOverflowError::new_err(format!("number must be 0 to 65535, not {object}")))
}
