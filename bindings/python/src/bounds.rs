//! The smallest and the largest id of a time.

use core::ops::{Range, RangeInclusive};

use idgen::bounds::{self, Bounds};
use idgen::generator::{LayoutSettings, PrefixBits, Tail};
use idgen::{Interval, Kind, Prefix, Span, Timestamp, Uuid};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::arguments::read_server_id;
use crate::clock::read_time;
use crate::cpython::Safety;
use crate::errors::raise;
use crate::forms::Form;
use crate::generators::{read_prefix, read_tail};

type Pair<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The smallest and the largest id of a time, for queries such as WHERE id BETWEEN ... AND ....
///
/// kind: "v7", "ulid", "v6", "fixed_prefix" (with prefix=), "short" or "mysql_short" (with server_id=; the times are those
/// at which the server started), or "v1", for a column of swapped bytes (BinaryUUIDField(swapped=True), SwappedUUID). For
/// prefixed ids see prefixed_bounds.
/// start, end: nanoseconds since 1970, or aware datetimes. The end itself does not belong to the times; without it, only
/// start does.
/// form: "uuid", "str", "bytes", "int" or "base64", as for batch; by default the kind's own object.
///
/// Both bounds belong to the range. Every id with a time from start to end is in it; so are the other ids of the first
/// and the last millisecond (of the first and the last second, for 64-bit ids).
///
/// >>> from datetime import datetime, timezone
/// >>> day = datetime(2026, 11, 21, tzinfo=timezone.utc), datetime(2026, 11, 22, tzinfo=timezone.utc)
/// >>> idgen.bounds("v7", *day)[0]
/// UUID('01a1fb67-1800-7000-8000-000000000000')
/// >>> first, last = idgen.bounds("short", *day)
/// >>> (last - first + 1) >> 32
/// 86400
#[pyfunction]
#[pyo3(name = "bounds", signature = (kind, start, end=None, /, *, form=None, prefix=None, server_id=None))]
pub(crate) fn bounds_of<'py>(
    kind: &str,
    start: &Bound<'py, PyAny>,
    end: Option<Bound<'py, PyAny>>,
    form: Option<&str>,
    prefix: Option<&str>,
    server_id: Option<Bound<'py, PyAny>>,
) -> PyResult<Pair<'py>> {
    let py = start.py();
    let kind: Kind = kind.replace('_', "-").parse().map_err(raise)?;
    let has = |setting| kind.facts().span != Some(Span::Intervals) && kind.facts().layout.contains(&setting);
    let given = [("prefix", prefix.is_some()), ("server_id", server_id.is_some())];
    if let Some((name, _)) = given.into_iter().find(|(name, is_given)| *is_given && !has(name)) {
        return Err(PyTypeError::new_err(format!("{name} does not apply to {kind}")));
    }
    let times = read_times(start, end)?;
    match bounds::of(kind, times, &Given { prefix, server_id })? {
        Some(Bounds::Uuids(range)) => pair(py, Form::named(form.unwrap_or("uuid"))?, &range),
        Some(Bounds::Shorts(range)) => {
            let form = Form::named(form.unwrap_or("int"))?;
            Ok((form.make_short(py, *range.start())?, form.make_short(py, *range.end())?))
        }
        None if kind.facts().span.is_some() => Err(PyValueError::new_err(format!(
            "{kind} ids have a range for each interval: use prefixed_bounds"
        ))),
        None => {
            let others =
                Kind::ALL.iter().filter(|kind| !matches!(kind.facts().span, None | Some(Span::Intervals)));
            let names: Vec<_> = others.map(|kind| kind.name().replace('-', "_")).collect();
            Err(PyValueError::new_err(format!(
                "an id of the kind {kind} does not begin with its time, so it has no bounds: use {}",
                names.join(", ")
            )))
        }
    }
}

/// The arguments that only some kinds have.
struct Given<'a, 'py> {
    prefix: Option<&'a str>,
    server_id: Option<Bound<'py, PyAny>>,
}

impl LayoutSettings for Given<'_, '_> {
    type Error = PyErr;

    fn prefixed(&self, kind: Kind) -> PyResult<(Prefix, Interval, Tail)> {
        unreachable!("{kind} ids have no single range")
    }

    fn fixed_prefix(&self) -> PyResult<PrefixBits> {
        self.prefix.unwrap_or("ffffffff").parse().map_err(raise)
    }

    fn server_id(&self) -> PyResult<u8> {
        let given = self.server_id.as_ref();
        read_server_id(given.ok_or_else(|| PyTypeError::new_err("mysql_short needs server_id"))?)
    }

    fn refused(&self, error: idgen::Error) -> PyErr {
        raise(error)
    }
}

/// The bounds of prefixed ids: a pair for each interval of the times, in their order.
///
/// start, end, form: as for bounds. The other arguments are those with which Prefixed generates the ids.
///
/// After an ascending tail, a range has the ids of these times only. After a random tail it has all ids of the interval,
/// and those of all other intervals with the same prefix. A keyed prefix takes about 0.2 ms for each interval.
///
/// >>> day = 86_400 * 10**9
/// >>> len(idgen.prefixed_bounds(20_000 * day, 20_007 * day))
/// 7
#[pyfunction]
#[pyo3(signature = (
    start, end=None, prefix="sequential", interval="day", tail="ascending", *,
    key=None, writer=None, bits=16, utc_offset=0, version=None, form="uuid",
))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn prefixed_bounds<'py>(
    start: &Bound<'py, PyAny>,
    end: Option<Bound<'py, PyAny>>,
    prefix: &str,
    interval: &str,
    tail: &str,
    key: Option<&[u8]>,
    writer: Option<&str>,
    bits: u8,
    utc_offset: i32,
    version: Option<u8>,
    form: &str,
) -> PyResult<Vec<Pair<'py>>> {
    let py = start.py();
    let prefix = read_prefix(prefix, key, writer, bits, utc_offset)?;
    let (tail, interval) = (read_tail(tail, version)?, interval.parse::<Interval>().map_err(raise)?);
    let (form, times) = (Form::named(form)?, read_times(start, end)?);
    let mut pairs = Vec::new();
    for (count, range) in bounds::prefixed(&prefix, interval, tail, times).map_err(raise)?.enumerate() {
        if count % 64 == 0 {
            py.check_signals()?;
        }
        pairs.push(pair(py, form, &range)?);
    }
    Ok(pairs)
}

fn read_times(start: &Bound<'_, PyAny>, end: Option<Bound<'_, PyAny>>) -> PyResult<Range<Timestamp>> {
    let start = read_time(start)?;
    Ok(match end {
        Some(end) => start..read_time(&end)?,
        None => bounds::moment(start),
    })
}

fn pair<'py>(py: Python<'py>, form: Form, range: &RangeInclusive<Uuid>) -> PyResult<Pair<'py>> {
    Ok((form.make(py, range.start(), Safety::Unknown)?, form.make(py, range.end(), Safety::Unknown)?))
}
