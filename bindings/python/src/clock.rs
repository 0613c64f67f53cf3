//! The clocks of the generators: the system's, or a Python function. Control-C ends their sleep.
//!
//! A clock returns no errors. An exception of its function, or of a signal handler while it sleeps, is kept for the
//! thread. Until it is taken, all clocks return [`NO_TIME`], so that no generator waits for a later time.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use idgen::Timestamp;
use idgen::source::{Clock, SystemClock};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDateTime, PyDelta, PyDeltaAccess, PyInt, PyTzInfo};

use crate::errors::raise;

thread_local! {
    static ERROR: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    static ASKED: Cell<bool> = const { Cell::new(false) };
}

/// Beyond what any kind can hold: the generator stops, and the exception is raised.
const NO_TIME: Timestamp = Timestamp::from_unix_ticks(i64::MAX);

/// How often a sleep checks for signals.
const LOOK: Duration = Duration::from_millis(50);

/// The result of a generator, or the exception of its clock, which takes precedence because it caused the generator's
/// error.
#[inline]
pub(crate) fn answer<T>(done: idgen::Result<T>) -> PyResult<T> {
    let raised = ERROR.with(|error| error.borrow_mut().take());
    raised.map_or_else(|| done.map_err(raise), Err)
}

/// Whether a clock of this thread raised an exception that was not taken yet.
#[inline]
fn has_raised() -> bool {
    ERROR.with(|error| error.borrow().is_some())
}

fn keep(error: PyErr) {
    ERROR.with(|slot| *slot.borrow_mut() = Some(error));
}

/// Whether this thread is inside a clock's function, or in a signal handler that runs while it sleeps: a
/// generator waits for it, and is locked.
pub(crate) fn is_asked() -> bool {
    ASKED.get()
}

fn while_asked<T>(run: impl FnOnce() -> T) -> T {
    let outer = ASKED.replace(true);
    let done = run();
    ASKED.set(outer);
    done
}

/// Sleeps without the GIL, until a signal handler raises an exception.
fn sleep(span: Duration) {
    let start = Instant::now();
    Python::attach(|py| {
        while !has_raised() {
            let left = span.saturating_sub(start.elapsed());
            py.detach(|| std::thread::sleep(left.min(LOOK)));
            while_asked(|| py.check_signals()).unwrap_or_else(keep);
            if left <= LOOK {
                return;
            }
        }
    });
}

/// The system's clock. While it sleeps, other Python threads run, and Control-C ends the sleep.
pub(crate) struct DetachedClock;

impl Clock for DetachedClock {
    #[inline]
    fn now(&self) -> Timestamp {
        if has_raised() { NO_TIME } else { SystemClock.now() }
    }

    fn sleep(&self, span: Duration) {
        sleep(span);
    }
}

/// Calls a function that returns nanoseconds since 1970, such as `time.time_ns`, or an aware datetime.
pub(crate) struct PythonClock(pub(crate) Py<PyAny>);

impl Clock for PythonClock {
    fn now(&self) -> Timestamp {
        if has_raised() {
            return NO_TIME;
        }
        let now = Python::attach(|py| {
            let now = while_asked(|| self.0.bind(py).call0());
            read_time(&now?)
        });
        now.unwrap_or_else(|error| {
            keep(error);
            NO_TIME
        })
    }

    fn sleep(&self, span: Duration) {
        sleep(span);
    }
}

/// A time from Python: nanoseconds since 1970, or an aware datetime.
pub(crate) fn read_time(time: &Bound<'_, PyAny>) -> PyResult<Timestamp> {
    // True is an int, too, but no time.
    if time.is_instance_of::<PyInt>() && !time.is_instance_of::<PyBool>() {
        let nanos: i128 = time.extract()?;
        let ticks = i64::try_from(nanos.div_euclid(100));
        return Ok(Timestamp::from_unix_ticks(ticks.map_err(|_| {
            PyValueError::new_err(format!(
                "{nanos} ns since 1970 is out of range: use a time within 29,000 years of 1970"
            ))
        })?));
    }
    let Ok(time) = time.cast::<PyDateTime>() else {
        let found = time.get_type().name()?;
        let expected = "nanoseconds since 1970 as int, or an aware datetime";
        return Err(PyTypeError::new_err(format!("expected {expected}, not {found}")));
    };
    if time.call_method0(intern!(time.py(), "utcoffset"))?.is_none() {
        return Err(PyValueError::new_err(format!(
            "a datetime without time zone: {time}: set its tzinfo, such as datetime.timezone.utc"
        )));
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
