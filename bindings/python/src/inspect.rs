//! The fields that can be read from an id, and the odds of a repetition: tuples, whose items `_inspect.py` names.

use idgen::codec::Format;
use idgen::source::{Clock, SystemClock};
use idgen::{AnyId, Fleet, ForeignId, Kind, inspect_decoded, inspect_uuid};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyDateTime, PyDelta, PyDict, PyInt, PyString};

use crate::clock::{new_datetime, read_time};
use crate::codecs::{read_id, read_int};
use crate::cpython::{Safety, add_function_of_one, c_doc, new_uuid};
use crate::errors::raise;
use crate::generators::read_tail;

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_inspect, module)?)?;
    module.add_function(wrap_pyfunction!(_odds, module)?)?;
    module.add_function(wrap_pyfunction!(_foreign_texts, module)?)?;
    module.add_function(wrap_pyfunction!(_foreign_numbers, module)?)?;
    add_function_of_one(
        module,
        c"timestamp",
        c_doc!(
            "timestamp(id, /)\n--\n\nWhen an id of version 1, 6 or 7 was generated, as an aware datetime in UTC; None for others.\n\n\
             Rounded down to microseconds. Raises OverflowError if the id's time is beyond the year 9999.\n\n\
             >>> idgen.timestamp('017f22e2-79b0-7cc3-98c4-dc0c0c07398f').isoformat()\n'2022-02-22T19:22:22+00:00'\n"
        ),
        timestamp,
    )
}

fn timestamp<'py>(id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = id.py();
    let id = read_id(id)?;
    let Some(time) = inspect_uuid(id).timestamp else { return Ok(py.None().into_bound(py)) };
    match new_datetime(py, time)? {
        Some(time) => Ok(time.into_any()),
        None => {
            Err(PyOverflowError::new_err(format!("a datetime cannot hold {time}: use inspect(id).unix_ns")))
        }
    }
}

/// The fields of idgen.Inspection by name.
#[pyfunction]
fn _inspect<'py>(
    id: &Bound<'py, PyAny>,
    keyed_interval: Option<&str>,
    named: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let py = id.py();
    let mut seen = if let Ok(text) = id.cast::<PyString>() {
        idgen::inspect(text.to_str()?).map_err(raise)?
    } else if id.is_instance_of::<PyInt>() {
        // A number below 2^64 is a short id. It must not be read as a text, where 32 digits are hexadecimal.
        inspect_decoded(Format::Int, read_int(id)?)
    } else {
        inspect_uuid(read_id(id)?)
    };
    if let Some(interval) = keyed_interval {
        let interval = interval.parse().map_err(raise)?;
        seen = if named { seen.keyed_named(interval) } else { seen.keyed(interval) }.map_err(raise)?;
    }
    let fields = PyDict::new(py);
    fields.set_item("nature", seen.nature.describe())?;
    fields.set_item("format", seen.format.map(Format::name))?;
    fields.set_item("version", seen.version)?;
    fields.set_item("timestamp", seen.timestamp.map(|time| new_datetime(py, time)).transpose()?.flatten())?;
    fields.set_item("unix_ns", seen.timestamp.map(|time| i128::from(time.unix_ticks()) * 100))?;
    fields.set_item("clock_sequence", seen.clock_sequence)?;
    fields.set_item(
        "node",
        seen.node.map(|node| node.bytes().iter().fold(0u64, |n, b| n << 8 | u64::from(*b))),
    )?;
    fields.set_item("fraction_ns", seen.fraction.map(|fraction| fraction.subsec_nanos()))?;
    fields.set_item("counter", seen.counter)?;
    fields.set_item("prefix", seen.prefix)?;
    let offset = seen.offset.map(|span| {
        let secs = span.as_secs();
        PyDelta::new(py, (secs / 86_400) as i32, (secs % 86_400) as i32, span.subsec_micros() as i32, false)
    });
    fields.set_item("offset", offset.transpose()?)?;
    fields.set_item("round", seen.round)?;
    fields.set_item("writer_tag", seen.writer_tag)?;
    fields.set_item("tail_time", seen.tail_time.map(|time| new_datetime(py, time)).transpose()?.flatten())?;
    match seen.id {
        AnyId::Uuid(id) => fields.set_item("id", new_uuid(py, id, Safety::Unknown)?)?,
        AnyId::Short(short) => {
            let (device, mysql) = (short.device(), short.mysql());
            fields.set_item("id", short.get())?;
            fields
                .set_item("device", (new_datetime(py, device.timestamp())?, device.node, device.counter))?;
            fields.set_item("mysql", (mysql.server_id, new_datetime(py, mysql.startup())?, mysql.counter))?;
        }
    }
    Ok(fields)
}

/// The fields of an idgen.ForeignId, in order.
type Foreign<'py> = (&'static str, &'static str, Option<Bound<'py, PyDateTime>>, Option<Bound<'py, PyAny>>);

#[pyfunction]
#[pyo3(signature = (text, /))]
fn _foreign_texts<'py>(py: Python<'py>, text: &str) -> PyResult<Vec<Foreign<'py>>> {
    idgen::foreign_texts(text.as_bytes()).map(|seen| foreign(py, seen)).collect()
}

#[pyfunction]
#[pyo3(signature = (number, now, /))]
fn _foreign_numbers<'py>(
    py: Python<'py>,
    number: u64,
    now: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<Foreign<'py>>> {
    let now = now.map_or_else(|| Ok(SystemClock.now()), read_time)?;
    idgen::foreign_numbers(number, now).map(|seen| foreign(py, seen)).collect()
}

fn foreign<'py>(py: Python<'py>, seen: ForeignId) -> PyResult<Foreign<'py>> {
    let time = seen.time.map(|time| new_datetime(py, time)).transpose()?.flatten();
    let uuid = seen.uuid.map(|id| new_uuid(py, id, Safety::Unknown)).transpose()?;
    Ok((seen.kind.name(), seen.kind.describe(), time, uuid))
}

/// The fields of idgen.Odds, in order.
#[pyfunction]
fn _odds(
    kind: &str,
    devices: u64,
    rate_per_sec: f64,
    years: f64,
    prefix: &str,
    interval: &str,
    tail: &str,
) -> PyResult<(f64, f64, f64, &'static str)> {
    let kind: Kind = kind.parse().map_err(raise)?;
    let fleet = Fleet { devices, rate_per_sec, years };
    let (prefix, interval) = (prefix.parse().map_err(raise)?, interval.parse().map_err(raise)?);
    let tail = read_tail(tail, None)?;
    let odds = match kind {
        Kind::Prefixed => idgen::odds_prefixed(fleet, prefix, interval, tail),
        _ => idgen::odds(kind, fleet),
    }
    .map_err(raise)?;
    Ok((odds.ids, odds.expected_collisions, odds.probability, odds.formula))
}
