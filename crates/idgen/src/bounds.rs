//! The smallest and the largest id of a time, for range queries.
//!
//! An index on ids that begin with their time is an index on this time. To find the rows of a day by their ids, ask for
//! those between the two bounds: `WHERE id BETWEEN ? AND ?`.
//!
//! ```
//! use idgen::{Timestamp, bounds};
//!
//! let day = Timestamp::from_date(2026, 11, 21)..Timestamp::from_date(2026, 11, 22);
//! let ids = bounds::v7(day)?;
//! assert_eq!(ids.start().to_string(), "01a1fb67-1800-7000-8000-000000000000");
//! assert_eq!(ids.end().to_string(), "01a2008d-73ff-7fff-bfff-ffffffffffff");
//! # Ok::<(), idgen::Error>(())
//! ```
//!
//! All functions take the times from a first moment to the one before which they end; [`moment`] makes such a range of a
//! single time. Both bounds are ids of the kind, and belong to the range. Every id whose time lies within the times is in
//! the range, whoever generated it; an id of the same unit of time as the first or the last moment is in it too: a
//! millisecond for version 7, ULIDs and prefixed ids, 100 ns for versions 1 and 6, and a second for 64-bit ids. The fraction
//! of the millisecond in this crate's ids makes the bounds no narrower, because ids of other generators have random bits in its place.
//!
//! The time is the one in the id. It is the clock's, except that a generator continues from its last id where the clock
//! was set back by less than ten seconds ([`ClockPolicy`](crate::source::ClockPolicy)), or where all ids of a unit are
//! used.

use core::ops::{Range, RangeInclusive};
use core::time::Duration;

use uuid::Uuid;

use crate::codec::swapped;
use crate::error::{Error, Result};
use crate::fields;
#[cfg(all(feature = "prefixed", feature = "alloc"))]
use crate::generator::LayoutSettings;
use crate::generator::PrefixBits;
#[cfg(feature = "prefixed")]
use crate::generator::Tail;
#[cfg(feature = "prefixed")]
use crate::generator::layout::{Current, Layout};
#[cfg(feature = "prefixed")]
use crate::interval::Interval;
use crate::kind::Kind;
#[cfg(feature = "prefixed")]
use crate::prefix::Prefix;
use crate::short_id::{DeviceFields, MysqlShortFields, ShortId};
use crate::timestamp::Timestamp;

/// A time alone, as a range of times: the 100 ns that begin with it.
///
/// ```
/// use idgen::{Timestamp, bounds};
///
/// // The example of RFC 9562, appendix A.6, lies between the bounds of its millisecond.
/// let id: idgen::Uuid = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f".parse().unwrap();
/// assert!(bounds::v7(bounds::moment(Timestamp::from_unix_millis(1_645_557_742_000)))?.contains(&id));
/// # Ok::<(), idgen::Error>(())
/// ```
pub const fn moment(at: Timestamp) -> Range<Timestamp> {
    at..at.saturating_add(TICK)
}

const TICK: Duration = Duration::from_nanos(100);

/// The ids of version 7 of these times.
///
/// # Errors
/// `is_config` if the times end before they begin; `is_time_out_of_range` for times before 1970 or after the year 10889.
pub fn v7(times: Range<Timestamp>) -> Result<RangeInclusive<Uuid>> {
    let (first, last) = unix_millis(Kind::V7, times, fields::LAST_UNIX_MS)?;
    let id = |ms: i64, bits| fields::stamped((ms as u128) << 80 | bits, 7);
    Ok(id(first, 0)..=id(last, BEHIND_MS))
}

/// The ULIDs of these times.
///
/// ```
/// use idgen::{Timestamp, bounds, codec::base32};
///
/// let ids = bounds::ulid(bounds::moment(Timestamp::from_unix_millis(1_469_918_176_385)))?;
/// assert_eq!(base32::to_string(ids.start()), "01ARYZ6S410000000000000000");
/// assert_eq!(base32::to_string(ids.end()), "01ARYZ6S41ZZZZZZZZZZZZZZZZ");
/// # Ok::<(), idgen::Error>(())
/// ```
///
/// # Errors
/// `is_config` if the times end before they begin; `is_time_out_of_range` for times before 1970 or after the year 10889.
pub fn ulid(times: Range<Timestamp>) -> Result<RangeInclusive<Uuid>> {
    let (first, last) = unix_millis(Kind::Ulid, times, fields::LAST_UNIX_MS)?;
    Ok(Uuid::from_u128((first as u128) << 80)..=Uuid::from_u128((last as u128) << 80 | BEHIND_MS))
}

/// The ids of version 6 of these times.
///
/// ```
/// use idgen::{Timestamp, bounds};
///
/// let id: idgen::Uuid = "1ec9414c-232a-6b00-b3c8-9f6bdeced846".parse().unwrap(); // RFC 9562, 2022-02-22T19:22:22Z
/// let day = Timestamp::from_date(2022, 2, 22)..Timestamp::from_date(2022, 2, 23);
/// assert!(bounds::v6(day)?.contains(&id));
/// # Ok::<(), idgen::Error>(())
/// ```
///
/// # Errors
/// `is_config` if the times end before they begin; `is_time_out_of_range` for times before 1582-10-15 or after
/// 5236-03-31.
pub fn v6(times: Range<Timestamp>) -> Result<RangeInclusive<Uuid>> {
    let (first, last) = gregorian(Kind::V6, times)?;
    Ok(fields::v6(first, LEAST_HALF)..=fields::v6(last, LARGEST_HALF))
}

/// The ids of version 1 of these times, as the bytes that [`codec::swapped`](crate::codec::swapped) stores.
///
/// Only swapped ids of version 1 sort by their time. In their usual order, the ids of a day lie among those of all other
/// times.
///
/// ```
/// use idgen::{Timestamp, bounds, codec::swapped};
///
/// let id: idgen::Uuid = "c232ab00-9414-11ec-b3c8-9f6bdeced846".parse().unwrap(); // RFC 9562, 2022-02-22T19:22:22Z
/// let day = Timestamp::from_date(2022, 2, 22)..Timestamp::from_date(2022, 2, 23);
/// assert!(bounds::v1_swapped(day)?.contains(&swapped::to_bytes(&id)));
/// # Ok::<(), idgen::Error>(())
/// ```
///
/// # Errors
/// As for [`v6`].
pub fn v1_swapped(times: Range<Timestamp>) -> Result<RangeInclusive<[u8; 16]>> {
    let (first, last) = gregorian(Kind::V1, times)?;
    let bytes = |ticks, half| swapped::to_bytes(&fields::v1(ticks, half));
    Ok(bytes(first, LEAST_HALF)..=bytes(last, LARGEST_HALF))
}

/// The ids of these times with a fixed prefix.
///
/// # Errors
/// `is_config` if the times end before they begin; `is_time_out_of_range` for times before 1970, or after what fits
/// behind the prefix: the year 2109 for 32 bits, 2527 for 16, and later for other widths below those.
pub fn fixed_prefix(prefix: PrefixBits, times: Range<Timestamp>) -> Result<RangeInclusive<Uuid>> {
    let (first, last) = unix_millis(Kind::FixedPrefix, times, prefix.last_ms())?;
    let (first, last) = prefix.bounds(first, last);
    Ok(first..=last)
}

/// The prefixed ids of these times: a range for each interval, in the order of time.
///
/// After an ascending tail, a range has the ids of these times only. After a random tail, it has all ids of the interval,
/// and, as prefixes repeat, those of all other intervals with the prefix.
///
/// For a named writer, `prefix` has the key of this writer. A keyed prefix takes about 0.2 ms for each interval.
///
/// ```
/// use idgen::generator::Tail;
/// use idgen::{Interval, Prefix, Timestamp, bounds};
///
/// let prefix = Prefix::Sequential { bits: 16 };
/// let times = Timestamp::from_date(2026, 11, 21)..Timestamp::from_date(2026, 11, 23);
/// let days: Vec<_> = bounds::prefixed(&prefix, Interval::Day, Tail::Ascending, times)?.collect();
/// assert_eq!(days.len(), 2);
/// assert_eq!(days[0].start().to_string(), "512a1a1f-b671-8800-8100-000000000000");
/// assert_eq!(days[0].end().to_string(), "512a1a20-08d7-83ff-bfff-ffffffffffff");
/// # Ok::<(), idgen::Error>(())
/// ```
///
/// # Errors
/// `is_config` if the times end before they begin, or if prefix, interval and tail cannot be combined;
/// `is_time_out_of_range` as for [`Prefixed::new`](crate::generator::Prefixed::new).
#[cfg(feature = "prefixed")]
pub fn prefixed(
    prefix: &Prefix,
    interval: Interval,
    tail: Tail,
    times: Range<Timestamp>,
) -> Result<impl Iterator<Item = RangeInclusive<Uuid>>> {
    let (layout, last_ms) = Layout::of(prefix, interval, tail)?;
    let last = match layout {
        Layout::Random { .. } => last(&times)?,
        Layout::Time | Layout::Keyed { .. } | Layout::Named { .. } => {
            unix_millis(Kind::Prefixed, times.clone(), last_ms)?;
            last(&times)?
        }
    };
    let mut next = times.start;
    Ok(core::iter::from_fn(move || {
        if next > last {
            return None;
        }
        let bucket = Current::enter(next, prefix, interval, layout);
        // The week that holds the last moment of a Timestamp ends after it, so its end would be before `next`.
        let until = if bucket.end() > next { bucket.end().saturating_sub(TICK).min(last) } else { last };
        let (first, last) = bucket.bounds(layout, next.unix_millis(), until.unix_millis());
        next = until.saturating_add(TICK);
        Some(first..=last)
    }))
}

/// The 64-bit device ids of these times.
///
/// ```
/// use idgen::{ShortId, Timestamp, bounds};
///
/// let ids = bounds::short(bounds::moment(Timestamp::from_unix_secs(1_795_219_200)))?;
/// assert_eq!(ids, ShortId::new(1_795_219_200 << 32)..=ShortId::new((1_795_219_200 << 32) + 0xFFFF_FFFF));
/// # Ok::<(), idgen::Error>(())
/// ```
///
/// # Errors
/// `is_config` if the times end before they begin; `is_time_out_of_range` for times before 1970 or after 2106-02-07.
pub fn short(times: Range<Timestamp>) -> Result<RangeInclusive<ShortId>> {
    let (first, last) = unix_secs(Kind::Short, times)?;
    let id = |unix_secs, rest| ShortId::from(DeviceFields { unix_secs, node: rest, counter: rest });
    Ok(id(first, 0)..=id(last, u16::MAX))
}

/// The ids that a server with this id made of `UUID_SHORT()` after it *started* in these times: the first 2^24 ids of
/// each start. The ids do not contain the time at which they were generated.
///
/// # Errors
/// `is_config` if the times end before they begin; `is_time_out_of_range` for times before 1970 or after 2106-02-07.
pub fn mysql_short(server_id: u8, starts: Range<Timestamp>) -> Result<RangeInclusive<ShortId>> {
    let (first, last) = unix_secs(Kind::MysqlShort, starts)?;
    let id = |startup_secs, counter| ShortId::from(MysqlShortFields { server_id, startup_secs, counter });
    Ok(id(first, 0)..=id(last, (1 << 24) - 1))
}

/// Bounds of either width.
#[cfg(all(feature = "prefixed", feature = "alloc"))]
#[doc(hidden)]
pub enum Bounds {
    Uuids(RangeInclusive<Uuid>),
    Shorts(RangeInclusive<ShortId>),
}

/// The bounds of a kind, for programs that learn the kind while they run; those of version 1 are ids, whose swapped bytes are in order. `None` if
/// the ids do not begin with their time, or if there is a range for each interval.
#[cfg(all(feature = "prefixed", feature = "alloc"))]
#[doc(hidden)]
pub fn of<O: LayoutSettings>(
    kind: Kind,
    times: Range<Timestamp>,
    settings: &O,
) -> core::result::Result<Option<Bounds>, O::Error> {
    let found = match kind {
        Kind::V1 => v1_swapped(times).map(|bytes| {
            let (first, last) = bytes.into_inner();
            Bounds::Uuids(swapped::from_bytes(first)..=swapped::from_bytes(last))
        }),
        Kind::V6 => v6(times).map(Bounds::Uuids),
        Kind::V7 => v7(times).map(Bounds::Uuids),
        Kind::Ulid => ulid(times).map(Bounds::Uuids),
        Kind::FixedPrefix => fixed_prefix(settings.fixed_prefix()?, times).map(Bounds::Uuids),
        Kind::Short => short(times).map(Bounds::Shorts),
        Kind::MysqlShort => mysql_short(settings.server_id()?, times).map(Bounds::Shorts),
        Kind::V4 | Kind::Week | Kind::Prefixed => return Ok(None),
    };
    found.map(Some).map_err(|error| settings.refused(error))
}

/// The bits of an id after 48 bits of milliseconds.
const BEHIND_MS: u128 = (1 << 80) - 1;
/// The lower half of versions 1 and 6: the variant, then all bits 0 or 1.
const LEAST_HALF: u64 = 0x8000_0000_0000_0000;
const LARGEST_HALF: u64 = 0xBFFF_FFFF_FFFF_FFFF;

/// The last tick of these times.
fn last(times: &Range<Timestamp>) -> Result<Timestamp> {
    if times.start >= times.end {
        return Err(Error::config(
            "the times do not begin before they end:",
            format_args!("{} to {}", times.start, times.end),
            "give a later end",
        ));
    }
    Ok(times.end.saturating_sub(TICK))
}

/// First and last number of these times, if both are numbers from `least` to `largest`.
fn numbers(
    kind: Kind,
    times: Range<Timestamp>,
    number: impl Fn(Timestamp) -> i64,
    (least, largest): (Timestamp, Timestamp),
) -> Result<(i64, i64)> {
    let last = last(&times)?;
    match [times.start, last]
        .into_iter()
        .find(|time| number(*time) < number(least) || number(*time) > number(largest))
    {
        Some(time) => Err(Error::out_of_range(kind.name(), time, least, largest)),
        None => Ok((number(times.start), number(last))),
    }
}

fn unix_millis(kind: Kind, times: Range<Timestamp>, last_ms: i64) -> Result<(i64, i64)> {
    let range = (Timestamp::UNIX_EPOCH, Timestamp::from_unix_millis(last_ms));
    numbers(kind, times, Timestamp::unix_millis, range)
}

fn unix_secs(kind: Kind, times: Range<Timestamp>) -> Result<(u32, u32)> {
    let range = (Timestamp::UNIX_EPOCH, Timestamp::from_unix_secs(u32::MAX.into()));
    // Fits: the range says so.
    numbers(kind, times, Timestamp::unix_secs, range).map(|(first, last)| (first as u32, last as u32))
}

fn gregorian(kind: Kind, times: Range<Timestamp>) -> Result<(u64, u64)> {
    let range = (Timestamp::from_gregorian_ticks(0), Timestamp::from_gregorian_ticks(u64::MAX));
    let (first, last) = numbers(kind, times, Timestamp::unix_ticks, range)?;
    let ticks = |unix: i64| (unix - range.0.unix_ticks()) as u64;
    Ok((ticks(first), ticks(last)))
}
