//! A clock that is a Python function.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use idgen::Timestamp;
use idgen::source::Clock;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDateTime, PyDelta, PyDeltaAccess, PyInt, PyTzInfo};

thread_local! {
    static ERROR: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    static ASKED: Cell<bool> = const { Cell::new(false) };
}

/// What the clock raised since this was last called, in this thread.
#[inline]
pub(super) fn take_error() -> Option<PyErr> {
    ERROR.with(|error| error.borrow_mut().take())
}

/// Whether this thread is inside a clock's function.
pub(super) fn is_asked() -> bool {
    ASKED.get()
}

/// Calls a function that gives nanoseconds since 1970, as `time.time_ns`, or an aware datetime.
pub(super) struct PythonClock(pub(super) Py<PyAny>);

impl Clock for PythonClock {
    fn now(&self) -> Timestamp {
        let now = Python::attach(|py| {
            let outer = ASKED.replace(true);
            let now = self.0.bind(py).call0();
            ASKED.set(outer);
            read_time(&now?)
        });
        now.unwrap_or_else(|error| {
            ERROR.with(|slot| *slot.borrow_mut() = Some(error));
            // Beyond what any kind can hold: the generator gives up, and the exception is raised.
            Timestamp::from_unix_ticks(i64::MAX)
        })
    }

    fn sleep(&self, span: Duration) {
        Python::attach(|py| {
            py.detach(|| std::thread::sleep(span));
            // Control-C ends a wait for a clock that stands still.
            if let Err(error) = py.check_signals() {
                ERROR.with(|slot| *slot.borrow_mut() = Some(error));
            }
        });
    }
}

/// A time that Python gave: nanoseconds since 1970, or an aware datetime.
pub(crate) fn read_time(time: &Bound<'_, PyAny>) -> PyResult<Timestamp> {
    if time.is_instance_of::<PyInt>() {
        let nanos: i128 = time.extract()?;
        let ticks = i64::try_from(nanos.div_euclid(100));
        return Ok(Timestamp::from_unix_ticks(
            ticks.map_err(|_| PyValueError::new_err(format!("no time is {nanos} ns since 1970")))?,
        ));
    }
    let Ok(time) = time.cast::<PyDateTime>() else {
        let found = time.get_type().name()?;
        let expected = "nanoseconds since 1970 as int, or an aware datetime";
        return Err(PyTypeError::new_err(format!("expected {expected}, not {found}")));
    };
    if time.call_method0(intern!(time.py(), "utcoffset"))?.is_none() {
        return Err(PyValueError::new_err(format!("a datetime without time zone is no moment: {time}")));
    }
    let since = time.sub(epoch(time.py())?)?;
    let since = since.cast::<PyDelta>()?;
    let micros = (i64::from(since.get_days()) * 86_400 + i64::from(since.get_seconds())) * 1_000_000
        + i64::from(since.get_microseconds());
    Ok(Timestamp::from_unix_ticks(micros * 10))
}

/// An aware datetime in UTC, rounded down to microseconds; `None` beyond the years 1 to 9999.
pub(crate) fn new_datetime(py: Python<'_>, time: Timestamp) -> PyResult<Option<Bound<'_, PyDateTime>>> {
    let c = time.civil();
    if !(1..=9999).contains(&c.year) {
        return Ok(None);
    }
    let utc = PyTzInfo::utc(py)?.to_owned();
    let micros = time.subsec_nanos() / 1_000;
    PyDateTime::new(py, c.year, c.month, c.day, c.hour, c.minute, c.second, micros, Some(&utc)).map(Some)
}

fn epoch(py: Python<'_>) -> PyResult<Bound<'_, PyDateTime>> {
    let utc = PyTzInfo::utc(py)?.to_owned();
    PyDateTime::new(py, 1970, 1, 1, 0, 0, 0, 0, Some(&utc))
}
