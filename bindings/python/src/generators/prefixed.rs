//! The generators with a prefix.

use idgen::generator::{Prefixed as Core, Tail};
use idgen::{Interval, Prefix, PrefixKey, Writer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::clock::answer;
use crate::errors::raise;
use crate::generators::base::Generator;
use crate::generators::settings::{class, read_clock, read_entropy};

class! {
    /// A generator of prefixed ids: 16 bits that stay the same for an interval, and a tail.
    ///
    /// prefix: "sequential" (the interval's number), "keyed" (a keyed permutation of it, which hides the
    /// interval), or "md5-week" (as MySQL computes LEFT(MD5(CONCAT(YEAR(t), WEEK(t))), 4)).
    /// interval: "minute", "ten-minutes", "hour", "day", "week", "month", or a length such as "90s", "15m", "6h", "3d".
    /// tail: "ascending" (version 8: each id is greater than all earlier ones of its prefix, so that the pages of
    /// an index fill), or "random" with the version 4 or 8.
    /// key: the secret of a keyed prefix, at least 16 bytes. writer: the name of this writer, if several write: with a
    /// "sequential" prefix, an ascending tail then keeps the rows of each writer of an interval together.
    /// bits: the width of a sequential prefix in bits, 1 to 16.
    /// utc_offset: seconds to add to UTC for "md5-week".
    /// The other arguments are those of V7.
    ///
    /// >>> new = idgen.Prefixed("keyed", "day", key=b"sixteen bytes or more")
    /// >>> a, b = new(), new()
    /// >>> a < b and a.bytes[:2] == b.bytes[:2]
    /// True
    Prefixed: Generator, (
        prefix: &str = "sequential", interval: &str = "day", tail: &str = "ascending";
        key: Option<&[u8]> = None, writer: Option<&str> = None, bits: u8 = 16, utc_offset: i32 = 0,
        version: Option<u8> = None
    ) |common| {
        let prefix = read_prefix(prefix, key, writer, bits, utc_offset)?;
        let tail = read_tail(tail, version)?;
        let interval: Interval = interval.parse().map_err(raise)?;
        // It reads the clock, which may raise an exception.
        answer(Core::new(common.clock, common.entropy, prefix, interval, tail))?
    }
}

/// The prefix of these arguments.
pub(crate) fn read_prefix(
    name: &str,
    key: Option<&[u8]>,
    writer: Option<&str>,
    bits: u8,
    utc_offset_secs: i32,
) -> PyResult<Prefix> {
    if name != "keyed" && key.is_some() {
        return Err(PyValueError::new_err(format!(
            "key does not apply to the prefix {name:?}: use prefix=\"keyed\""
        )));
    }
    match name {
        "sequential" => match writer {
            None => Ok(Prefix::Sequential { bits }),
            Some(_) if bits != 16 => Err(PyValueError::new_err(format!(
                "bits cannot be {bits} with writer, whose rounds have 16 bits: leave out one of them"
            ))),
            Some(writer) => Ok(Prefix::SequentialOf(Writer::new(writer))),
        },
        "md5-week" if writer.is_some() => Err(PyValueError::new_err(
            "writer does not apply to the prefix \"md5-week\": use prefix=\"sequential\" or \"keyed\"",
        )),
        "md5-week" => Ok(Prefix::Md5Week { utc_offset_secs }),
        "keyed" => {
            let missing =
                || PyValueError::new_err("a keyed prefix needs a key: pass key= with at least 16 bytes");
            let key = PrefixKey::new(key.ok_or_else(missing)?).map_err(raise)?;
            Ok(Prefix::Keyed(match writer {
                Some(writer) => key.for_writer(writer),
                None => key,
            }))
        }
        _ => {
            let known = "use sequential, keyed or md5-week";
            Err(PyValueError::new_err(format!("no prefix has the name {name:?}: {known}")))
        }
    }
}

/// Reads the name of a tail and the version that goes with it.
pub(crate) fn read_tail(tail: &str, version: Option<u8>) -> PyResult<Tail> {
    let message = match (tail, version) {
        ("ascending", None | Some(8)) => return Ok(Tail::Ascending),
        ("random", None | Some(4)) => return Ok(Tail::RandomV4),
        ("random", Some(8)) => return Ok(Tail::RandomV8),
        ("random", Some(version)) => format!("a random tail has the version 4 or 8, not {version}"),
        ("ascending", Some(version)) => format!("an ascending tail has the version 8, not {version}"),
        _ => format!("tail must be ascending or random, not {tail:?}"),
    };
    Err(PyValueError::new_err(message))
}

/// A generator of week-prefixed ids: the first four hex digits of MD5(year, week), and a random tail.
///
/// utc_offset: seconds to add to UTC, the time zone of a MySQL session that computes the same prefixes.
/// version: 4 or 8. clock, seed: as for V7.
///
/// >>> str(idgen.Week(clock=lambda: 1_325_548_800_000_000_000)())[:4]
/// 'e34e'
#[pyclass(module = "idgen", extends = Generator, frozen)]
pub(crate) struct Week;

#[pymethods]
impl Week {
    #[new]
    #[pyo3(signature = (*, utc_offset=0, version=4, clock=None, seed=None))]
    fn new(
        utc_offset: i32,
        version: u8,
        clock: Option<Bound<'_, PyAny>>,
        seed: Option<u64>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let prefix = Prefix::Md5Week { utc_offset_secs: utc_offset };
        let tail = read_tail("random", Some(version))?;
        let ids = Core::new(read_clock(clock)?, read_entropy(seed)?, prefix, Interval::Week, tail)
            .map_err(raise)?;
        Ok(PyClassInitializer::from(Generator::new("Week", ids)).add_subclass(Week))
    }
}
