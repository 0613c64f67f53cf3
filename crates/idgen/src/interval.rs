//! Intervals: which period of time contains a moment.

use core::fmt;
use core::num::NonZeroU32;
use core::time::Duration;

use crate::error::{Error, Result};
use crate::timestamp::Timestamp;

/// The time for which a prefix stays the same.
///
/// ```
/// use core::time::Duration;
/// use idgen::{Interval, Timestamp};
///
/// let noon = Timestamp::from_unix_secs(1_795_262_400); // 2026-11-21T12:00:00Z
/// let bucket = Interval::Day.bucket(noon);
/// assert_eq!(bucket.start.to_string(), "2026-11-21T00:00:00Z");
/// assert_eq!(bucket.end.to_string(), "2026-11-22T00:00:00Z");
/// assert_eq!("90s".parse::<Interval>()?, Interval::every(Duration::from_secs(90))?);
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interval {
    /// 60 seconds.
    Minute,
    /// 600 seconds.
    TenMinutes,
    /// 3,600 seconds.
    Hour,
    /// A day in UTC.
    Day,
    /// Seven days from Sunday, 00:00 UTC.
    Week,
    /// A calendar month in UTC.
    Month,
    /// Any number of whole seconds, counted from 1970; as [`Interval::every`] makes of a duration.
    Every(NonZeroU32),
}

/// One interval: its number, and its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Counts intervals; the one that holds 1970-01-01T00:00:00Z is 0.
    pub number: i64,
    /// Its first moment.
    pub start: Timestamp,
    /// The first moment of the next one.
    pub end: Timestamp,
}

impl Interval {
    /// An interval of this many whole seconds.
    ///
    /// # Errors
    /// If the span is zero, has a fraction of a second, or exceeds 2^32 - 1 seconds (136 years).
    pub fn every(span: Duration) -> Result<Self> {
        let secs = u32::try_from(span.as_secs()).ok().filter(|_| span.subsec_nanos() == 0);
        let secs = secs.and_then(NonZeroU32::new);
        secs.map(Interval::Every).ok_or_else(|| {
            Error::config(
                "no interval can have the length",
                format_args!("{} s", span.as_secs_f64()),
                "give whole seconds, from 1 to 4294967295",
            )
        })
    }

    /// The interval that holds this moment.
    pub fn bucket(self, at: Timestamp) -> Bucket {
        match self {
            Interval::Month => {
                let c = at.civil();
                self.numbered((i64::from(c.year) - 1970) * 12 + i64::from(c.month) - 1)
            }
            _ => {
                let (secs, offset) = self.seconds_and_offset();
                self.numbered((at.unix_secs() + offset).div_euclid(secs))
            }
        }
    }

    fn numbered(self, number: i64) -> Bucket {
        Bucket { number, start: self.start_of(number), end: self.start_of(number + 1) }
    }

    /// The first moment of the interval with this number.
    pub(crate) fn start_of(self, number: i64) -> Timestamp {
        match self {
            Interval::Month => {
                let (years, month) = (number.div_euclid(12), number.rem_euclid(12));
                Timestamp::from_date(1970 + years as i32, month as u8 + 1, 1)
            }
            _ => {
                let (secs, offset) = self.seconds_and_offset();
                Timestamp::from_unix_secs(number.saturating_mul(secs) - offset)
            }
        }
    }

    /// The longest that one of these intervals lasts.
    pub fn longest(self) -> Duration {
        match self {
            Interval::Month => Duration::from_secs(31 * 86_400),
            _ => Duration::from_secs(self.seconds_and_offset().0 as u64),
        }
    }

    /// The length, and by how much the count begins before 1970-01-01.
    fn seconds_and_offset(self) -> (i64, i64) {
        match self {
            Interval::Minute => (60, 0),
            Interval::TenMinutes => (600, 0),
            Interval::Hour => (3_600, 0),
            Interval::Day => (86_400, 0),
            // 1970-01-01 was a Thursday, four days after a Sunday.
            Interval::Week => (7 * 86_400, 4 * 86_400),
            Interval::Month => (31 * 86_400, 0),
            Interval::Every(secs) => (i64::from(secs.get()), 0),
        }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Interval::Minute => f.write_str("minute"),
            Interval::TenMinutes => f.write_str("ten-minutes"),
            Interval::Hour => f.write_str("hour"),
            Interval::Day => f.write_str("day"),
            Interval::Week => f.write_str("week"),
            Interval::Month => f.write_str("month"),
            Interval::Every(secs) => write!(f, "{secs}s"),
        }
    }
}

impl core::str::FromStr for Interval {
    type Err = Error;

    /// A name (`minute`, `ten-minutes`, `hour`, `day`, `week`, `month`) or a number and a unit
    /// (`90s`, `15m`, `6h`, `3d`).
    fn from_str(text: &str) -> Result<Self> {
        let names = [
            ("minute", Interval::Minute),
            ("ten-minutes", Interval::TenMinutes),
            ("hour", Interval::Hour),
            ("day", Interval::Day),
            ("week", Interval::Week),
            ("month", Interval::Month),
        ];
        if let Some((_, interval)) = names.into_iter().find(|(name, _)| *name == text) {
            return Ok(interval);
        }
        let wrong = || {
            Error::config(
                "not an interval",
                text,
                "write minute, ten-minutes, hour, day, week, month, or a number with s, m, h or d, such as 90s",
            )
        };
        let unit = match text.bytes().last() {
            Some(b's') => 1,
            Some(b'm') => 60,
            Some(b'h') => 3_600,
            Some(b'd') => 86_400,
            _ => return Err(wrong()),
        };
        let digits = &text[..text.len() - 1];
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(wrong());
        }
        let secs = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(unit)).ok_or_else(wrong)?;
        Interval::every(Duration::from_secs(secs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::ToString;

    #[test]
    fn names_and_durations_are_read() {
        for interval in ["minute", "ten-minutes", "hour", "day", "week", "month", "90s"] {
            assert_eq!(interval.parse::<Interval>().unwrap().to_string(), interval);
        }
        assert_eq!("15m".parse::<Interval>().unwrap().longest(), Duration::from_secs(900));
        for wrong in
            ["", "s", "0s", "-1s", "+1s", "1", "1w", "5000000000s", "99999999999999999999d", "1.5h", "é"]
        {
            let error = wrong.parse::<Interval>().unwrap_err();
            assert!(error.is_config(), "{wrong}");
        }
        assert!(Interval::every(Duration::from_millis(1_500)).is_err());
    }

    proptest! {
        #[test]
        fn buckets_tile_the_time(secs in -4_000_000_000i64..8_000_000_000, every in 1u32..10_000_000) {
            let at = Timestamp::from_unix_secs(secs);
            let all = [
                Interval::Minute, Interval::TenMinutes, Interval::Hour, Interval::Day, Interval::Week,
                Interval::Month, Interval::every(Duration::from_secs(every.into())).unwrap(),
            ];
            for interval in all {
                let bucket = interval.bucket(at);
                prop_assert!(bucket.start <= at && at < bucket.end);
                prop_assert!(bucket.end.since(bucket.start) <= interval.longest());
                let next = interval.bucket(bucket.end);
                prop_assert_eq!((next.number, next.start), (bucket.number + 1, bucket.end));
                let last = bucket.end.saturating_sub(Duration::from_nanos(100));
                prop_assert_eq!(interval.bucket(last), bucket);
            }
        }
    }
}
