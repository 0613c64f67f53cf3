//! The smallest and the largest id of a time.

use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use idgen::bounds::{self, Bounds};
use idgen::generator::LayoutSettings as _;
use idgen::{Interval, Kind, Prefix, Span, Timestamp, Uuid};

use crate::boundary::Checked;
use crate::error::{Failure, IDGEN_BUFFER, IDGEN_CONFIG, IdgenError};
use crate::settings::{IdgenSettings, Settings, kinds_with};
use crate::{boundary, input};

fn times(start: i64, end: i64) -> Range<Timestamp> {
    Timestamp::from_unix_ticks(start)..Timestamp::from_unix_ticks(end)
}

/// Finds the smallest and the largest id of the times from `start` to the one before `end`, in units of 100 ns since 1970, for queries
/// such as WHERE id BETWEEN ... AND .... `settings` says the kind, and the prefix of IDGEN_FIXED_PREFIX; the other settings have no effect. All
/// ids of these times are in the range, and so are the other ids of the first and the last millisecond (100 ns for IDGEN_V1 and IDGEN_V6).
///
/// The ids of IDGEN_V1 bound a column of swapped bytes: encode them as IDGEN_SWAPPED. IDGEN_SHORT has idgen_short_bounds, and IDGEN_PREFIXED
/// idgen_prefixed_bounds. Returns IDGEN_CONFIG if the times end before they begin or the ids of the kind do not begin with their time, and
/// IDGEN_TIME_OUT_OF_RANGE if the kind cannot hold the times.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_bounds(
    settings: *const IdgenSettings,
    start: i64,
    end: i64,
    first: *mut u8,
    last: *mut u8,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        // SAFETY: the caller promises a struct that idgen_settings_init has set, and 16 bytes for each id.
        unsafe {
            let settings = &Settings::read(settings)?;
            let range = range(settings, times(start, end))?;
            let (first, last) = (input::ids("first", first, 1)?, input::ids("last", last, 1)?);
            (first[0], last[0]) = range.into_inner();
        }
        Ok(())
    })
}

fn range(settings: &Settings, times: Range<Timestamp>) -> Checked<RangeInclusive<Uuid>> {
    let kind = settings.check()?;
    match bounds::of(kind, times, settings)? {
        Some(Bounds::Uuids(range)) => Ok(range),
        _ => {
            let names = kinds_with(|kind| {
                kind.bits() == 128 && matches!(kind.facts().span, Some(Span::Ids | Span::Swapped))
            });
            let message = format!(
                "the ids of {kind} have no bounds of 16 bytes: use {names}, or call idgen_prefixed_bounds or idgen_short_bounds"
            );
            Err(Failure::Own(IDGEN_CONFIG, message))
        }
    }
}

/// Counts the intervals of these times without their prefixes; 0 for those that are not numbered, the weeks of a year.
fn intervals(prefix: &Prefix, interval: Interval, times: Range<Timestamp>) -> usize {
    let last = times.end.saturating_sub(Duration::from_nanos(100));
    match prefix {
        Prefix::Md5Week { .. } => 0,
        _ => (interval.bucket(last).number - interval.bucket(times.start).number + 1) as usize,
    }
}

/// Finds the bounds of IDGEN_PREFIXED: a pair of ids for each interval of the times, in their order, each pair 32 bytes. `settings` are those
/// with which the ids are generated. `capacity` is the number of pairs that fit; the number of pairs is written to `count`. If there is memory for
/// fewer, it returns IDGEN_BUFFER and writes nothing but the number.
///
/// After an ascending tail, a pair has the ids of these times only. After a random tail it has all ids of the interval, and those of all other
/// intervals with the same prefix. A keyed prefix takes about 0.2 ms for each interval.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_prefixed_bounds(
    settings: *const IdgenSettings,
    start: i64,
    end: i64,
    pairs: *mut u8,
    capacity: usize,
    count: *mut usize,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        input::can_put("count", count)?;
        // SAFETY: the caller promises a struct that idgen_settings_init has set, 32 bytes for each pair, and memory for the number.
        unsafe {
            let settings = &Settings::read(settings)?;
            if settings.check()? != Kind::Prefixed {
                let message = "only the ids of IDGEN_PREFIXED have a range for each interval: call idgen_bounds for others";
                return Err(Failure::Own(IDGEN_CONFIG, message.into()));
            }
            let (prefix, interval, tail) = settings.prefixed(Kind::Prefixed)?;
            let ranges = bounds::prefixed(&prefix, interval, tail, times(start, end))?;
            // Memory for what does not fit might not exist, and the prefixes of a long time might take days.
            let (mut ids, mut found) = (Vec::new(), intervals(&prefix, interval, times(start, end)));
            if found <= capacity {
                found = 0;
                for range in ranges {
                    found += 1;
                    if found <= capacity {
                        ids.extend(<[Uuid; 2]>::from(range.into_inner()));
                    }
                }
            }
            input::put("count", count, found)?;
            if capacity < found {
                let message = format!("there is memory for {capacity} pairs, but {found} are needed");
                return Err(Failure::Own(IDGEN_BUFFER, message));
            }
            input::ids("pairs", pairs, ids.len())?.copy_from_slice(&ids);
        }
        Ok(())
    })
}

/// Finds the smallest and the largest 64-bit id of the times from `start` to the one before `end`, in units of 100 ns since 1970. All ids of the
/// first and the last second are in the range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_short_bounds(
    start: i64,
    end: i64,
    first: *mut u64,
    last: *mut u64,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        let range = bounds::short(times(start, end))?;
        input::can_put("last", last)?;
        // SAFETY: the caller promises memory for both.
        unsafe {
            input::put("first", first, range.start().get())?;
            input::put("last", last, range.end().get())
        }
    })
}
