//! Prefixes: the first 16 bits of an id, which are derived from its interval.
//!
//! All ids of one interval share their prefix and so one *bucket*, a narrow range of the index.

mod key;
mod writer;

use core::fmt;

use md5::{Digest, Md5};

pub use key::PrefixKey;
pub use writer::Writer;

use crate::error::{Error, Result};
use crate::interval::{Bucket, Interval};
use crate::timestamp::Timestamp;

/// A prefix: the rule that makes 16 bits of an interval.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Prefix {
    /// The first 16 bits of the MD5 of the decimal text YEAR followed by WEEK, as MySQL computes
    /// `LEFT(MD5(CONCAT(YEAR(t), WEEK(t))), 4)`, at an offset from UTC in seconds.
    ///
    /// It supports only weeks. It does not hide the time: 54 attempts per year find the week.
    Md5Week {
        /// Seconds to add to UTC: the session time zone of the MySQL server that computes the same prefix.
        utc_offset_secs: i32,
    },
    /// The interval's number modulo 2^bits. Successive intervals have successive buckets, and the prefixes repeat after
    /// 2^bits intervals.
    Sequential {
        /// 1 to 16.
        bits: u8,
    },
    /// A sequential prefix with 16 bits, for one of several writers. An ascending tail begins with the writer's tag, so in an
    /// interval each writer inserts behind its own last row, and not between the rows of the others. InnoDB's pages then
    /// fill as with one writer, at any rate. Ids show their interval, and which of them come from one writer.
    SequentialOf(Writer),
    /// A keyed permutation of the interval's number modulo 65,536, with a different permutation for each round of 65,536
    /// intervals. Without the key, the prefix does not reveal the interval, and no two intervals of a round share a
    /// prefix. Each named writer has a permutation of its own.
    Keyed(PrefixKey),
}

impl Prefix {
    /// `Md5Week` in UTC.
    pub const MD5_WEEK_UTC: Prefix = Prefix::Md5Week { utc_offset_secs: 0 };

    /// The bucket that holds a moment, and its prefix.
    ///
    /// ```
    /// use idgen::{Interval, Prefix, Timestamp};
    ///
    /// let t = Timestamp::from_unix_secs(1_325_548_800); // 2012-01-03, week 1
    /// assert_eq!(Prefix::MD5_WEEK_UTC.at(Interval::Week, t).1, 0xe34e);
    /// assert_eq!(Prefix::Sequential { bits: 16 }.at(Interval::Minute, t).1, (1_325_548_800 / 60 % 65_536) as u16);
    /// ```
    pub fn at(&self, interval: Interval, at: Timestamp) -> (Bucket, u16) {
        match self {
            Prefix::Md5Week { utc_offset_secs } => md5_week(*utc_offset_secs, at),
            Prefix::Sequential { bits } => {
                let bucket = interval.bucket(at);
                (bucket, (bucket.number & ((1 << bits) - 1)) as u16)
            }
            Prefix::SequentialOf(_) => {
                let bucket = interval.bucket(at);
                (bucket, bucket.number as u16)
            }
            Prefix::Keyed(key) => {
                let bucket = interval.bucket(at);
                (bucket, key.prefix(bucket.number))
            }
        }
    }

    /// The tag of a named writer after a prefix; 0 without a name.
    pub(crate) fn writer_tag(&self, prefix: u16) -> u16 {
        match self {
            Prefix::Keyed(key) => key.writer_tag(prefix).unwrap_or(0),
            Prefix::SequentialOf(writer) => writer.tag(),
            Prefix::Md5Week { .. } | Prefix::Sequential { .. } => 0,
        }
    }

    /// Refuses combinations that have no meaning.
    pub(crate) fn check(&self, interval: Interval) -> Result<()> {
        match self {
            Prefix::Md5Week { .. } if interval != Interval::Week => Err(Error::config(
                "the md5-week prefix cannot change every",
                interval,
                "choose the interval week, or the prefix sequential or keyed",
            )),
            Prefix::Md5Week { utc_offset_secs } if utc_offset_secs.unsigned_abs() > 14 * 3_600 => {
                Err(Error::config(
                    "no time zone has the offset from UTC",
                    format_args!("{utc_offset_secs} s"),
                    "give at most 14 hours",
                ))
            }
            Prefix::Sequential { bits } if !(1..=16).contains(bits) => {
                Err(Error::config("a sequential prefix cannot have this many bits:", bits, "give 1 to 16"))
            }
            _ => Ok(()),
        }
    }
}

/// The kind of a [`Prefix`], without its settings.
///
/// ```
/// use idgen::PrefixKind;
///
/// assert_eq!("md5-week".parse::<PrefixKind>()?, PrefixKind::Md5Week);
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PrefixKind {
    /// [`Prefix::Md5Week`].
    Md5Week,
    /// [`Prefix::Sequential`] and [`Prefix::SequentialOf`].
    Sequential,
    /// [`Prefix::Keyed`].
    Keyed,
}

impl PrefixKind {
    /// All of them.
    pub const ALL: &'static [PrefixKind] = &[PrefixKind::Md5Week, PrefixKind::Sequential, PrefixKind::Keyed];

    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            PrefixKind::Md5Week => "md5-week",
            PrefixKind::Sequential => "sequential",
            PrefixKind::Keyed => "keyed",
        }
    }
}

impl fmt::Display for PrefixKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl core::str::FromStr for PrefixKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        PrefixKind::ALL.iter().copied().find(|kind| kind.name() == text).ok_or_else(|| {
            Error::config("no kind of prefix has the name", text, "choose md5-week, sequential or keyed")
        })
    }
}

/// The prefix of a year and a week, as `LEFT(MD5(CONCAT(year, week)), 4)`.
///
/// ```
/// assert_eq!(idgen::md5_week_prefix(2012, 1), 0xe34e);
/// ```
pub fn md5_week_prefix(year: i32, week: u8) -> u16 {
    struct Into<'a>(&'a mut Md5);
    impl fmt::Write for Into<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.update(text.as_bytes());
            Ok(())
        }
    }
    let mut hash = Md5::new();
    // Infallible: the writer above never fails.
    let _ = fmt::Write::write_fmt(&mut Into(&mut hash), format_args!("{year}{week}"));
    let digest = hash.finalize();
    u16::from_be_bytes([digest[0], digest[1]])
}

fn md5_week(utc_offset_secs: i32, at: Timestamp) -> (Bucket, u16) {
    let offset = i64::from(utc_offset_secs);
    let local = Timestamp::from_unix_secs(at.unix_secs() + offset);
    let (year, week) = local.mysql_week();
    // A week of the formula ends with Saturday or with the year.
    let sunday_week = Interval::Week.bucket(local);
    let start = sunday_week.start.max(Timestamp::from_date(year, 1, 1));
    let end = sunday_week.end.min(Timestamp::from_date(year + 1, 1, 1));
    let to_utc = |t: Timestamp| Timestamp::from_unix_secs(t.unix_secs() - offset);
    let number = sunday_week.number;
    (Bucket { number, start: to_utc(start), end: to_utc(end) }, md5_week_prefix(year, week))
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::time::Duration;
    use proptest::prelude::*;
    use std::string::{String, ToString};
    use std::vec::Vec;

    #[derive(serde::Deserialize)]
    struct Vectors {
        week_prefix: Vec<WeekPrefix>,
    }

    #[derive(serde::Deserialize)]
    struct WeekPrefix {
        utc: String,
        year: i32,
        week: u8,
        prefix: String,
        unix: i64,
    }

    #[test]
    fn week_prefixes_are_those_of_mysql() {
        let text = include_str!("../tests/vectors/mysql-9.7.json");
        let vectors: Vectors = serde_json::from_str(text).unwrap();
        assert!(vectors.week_prefix.len() > 200);
        for v in vectors.week_prefix {
            let at = Timestamp::from_unix_secs(v.unix);
            assert_eq!((at.to_string(), at.mysql_week()), (v.utc.clone(), (v.year, v.week)));
            let (bucket, prefix) = Prefix::MD5_WEEK_UTC.at(Interval::Week, at);
            assert_eq!(std::format!("{prefix:04x}"), v.prefix, "{}", v.utc);
            assert!(bucket.start <= at && at < bucket.end);
            // A session five hours ahead reaches this local time five hours earlier.
            let ahead = Prefix::Md5Week { utc_offset_secs: 5 * 3_600 };
            let earlier = Timestamp::from_unix_secs(v.unix - 5 * 3_600);
            assert_eq!(ahead.at(Interval::Week, earlier).1, prefix);
        }
    }

    #[test]
    fn invalid_combinations_are_refused() {
        assert!(Prefix::MD5_WEEK_UTC.check(Interval::Week).is_ok());
        let error = Prefix::MD5_WEEK_UTC.check(Interval::Minute).unwrap_err();
        assert!(error.to_string().contains("minute"), "{error}");
        for bits in [0, 17] {
            assert!(Prefix::Sequential { bits }.check(Interval::Day).is_err());
        }
        assert!(Prefix::Md5Week { utc_offset_secs: 60_000 }.check(Interval::Week).is_err());
    }

    proptest! {
        #[test]
        fn a_week_prefix_holds_for_its_whole_bucket(secs in -4_000_000_000i64..8_000_000_000, offset in -43_200i32..43_200) {
            let prefix = Prefix::Md5Week { utc_offset_secs: offset };
            let (bucket, bits) = prefix.at(Interval::Week, Timestamp::from_unix_secs(secs));
            let last = bucket.end.saturating_sub(Duration::from_nanos(100));
            prop_assert_eq!(prefix.at(Interval::Week, bucket.start), (bucket, bits));
            prop_assert_eq!(prefix.at(Interval::Week, last), (bucket, bits));
        }
    }
}
