//! Prefixes that stay put: the 16 bits that stand for an interval.
//!
//! All ids of one interval share their prefix and so one *bucket*, a narrow range of the index.

use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use md5::{Digest, Md5};
use sha2::Sha256;
use zeroize::Zeroize;

use crate::error::{Error, Result};
use crate::interval::{Bucket, Interval};
use crate::timestamp::Timestamp;

/// How an interval becomes 16 bits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Prefix {
    /// The first 16 bits of the MD5 of the decimal text YEAR followed by WEEK, as MySQL computes
    /// `LEFT(MD5(CONCAT(YEAR(t), WEEK(t))), 4)`, at an offset from UTC in seconds.
    ///
    /// It only knows weeks. It does not hide the calendar: 54 tries a year find the week.
    Md5Week {
        /// Seconds to add to UTC: the session time zone of a MySQL that shall compute the same.
        utc_offset_secs: i32,
    },
    /// The interval's number modulo 2^bits: buckets follow each other, and come round again.
    Sequential {
        /// 1 to 16.
        bits: u8,
    },
    /// The first 16 bits of a keyed hash of the interval's number: without the key nobody can tell
    /// the interval, and each writer that is named has a region of its own.
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
            Prefix::Keyed(key) => {
                let bucket = interval.bucket(at);
                (bucket, key.prefix(bucket.number))
            }
        }
    }

    /// Refuses combinations that mean nothing.
    pub(crate) fn check(&self, interval: Interval) -> Result<()> {
        match self {
            Prefix::Md5Week { .. } if interval != Interval::Week => Err(Error::config(
                "the md5-week prefix cannot change every",
                interval,
                "take the interval week, or the prefix sequential or keyed",
            )),
            Prefix::Md5Week { utc_offset_secs } if utc_offset_secs.unsigned_abs() > 14 * 3_600 => {
                Err(Error::config(
                    "no time zone is off UTC by",
                    format_args!("{utc_offset_secs} s"),
                    "give at most 14 hours",
                ))
            }
            Prefix::Sequential { bits } if !(1..=16).contains(bits) => {
                Err(Error::config("a sequential prefix cannot have bits", bits, "give 1 to 16"))
            }
            _ => Ok(()),
        }
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

/// The secret of a keyed prefix: HMAC-SHA-256 (RFC 2104) of the interval's number, and of the
/// writer's name where there is one.
///
/// Kept in memory only as long as it lives, wiped then, and shown by no `Debug`.
///
/// ```
/// use idgen::PrefixKey;
///
/// let a = PrefixKey::new(b"a secret of at least 16 bytes")?;
/// let b = a.clone().for_writer("node-b");
/// assert_ne!(a.prefix(1), b.prefix(1));
/// assert_eq!(format!("{a:?}"), "PrefixKey");
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone)]
pub struct PrefixKey([u8; 32]);

impl PrefixKey {
    /// The least length of a secret, in bytes.
    pub const MIN_LEN: usize = 16;

    /// From a secret of at least [`MIN_LEN`](Self::MIN_LEN) bytes.
    ///
    /// # Errors
    /// Where it is shorter; the error tells the length, not the secret.
    pub fn new(secret: &[u8]) -> Result<Self> {
        if secret.len() < Self::MIN_LEN {
            return Err(Error::config(
                "too short for a key:",
                format_args!("{} bytes", secret.len()),
                "give at least 16",
            ));
        }
        Ok(PrefixKey(hmac(secret, b"idgen prefix 1")))
    }

    /// The key of one writer: each name has its own regions of the index.
    #[must_use]
    pub fn for_writer(mut self, name: &str) -> Self {
        self.0 = hmac(&self.0, name.as_bytes());
        self
    }

    /// The prefix of an interval.
    pub fn prefix(&self, interval_number: i64) -> u16 {
        let [first, second, ..] = hmac(&self.0, &interval_number.to_be_bytes());
        u16::from_be_bytes([first, second])
    }
}

impl Drop for PrefixKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for PrefixKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrefixKey")
    }
}

fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(message);
    mac.finalize().into_bytes().into()
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
        let text = include_str!("../../../tests/vectors/mysql-9.7.json");
        let vectors: Vectors = serde_json::from_str(text).unwrap();
        assert!(vectors.week_prefix.len() > 200);
        for v in vectors.week_prefix {
            let at = Timestamp::from_unix_secs(v.unix);
            assert_eq!((at.to_string(), at.mysql_week()), (v.utc.clone(), (v.year, v.week)));
            let (bucket, prefix) = Prefix::MD5_WEEK_UTC.at(Interval::Week, at);
            assert_eq!(std::format!("{prefix:04x}"), v.prefix, "{}", v.utc);
            assert!(bucket.start <= at && at < bucket.end);
            // The same moment seen from a session five hours ahead, which has that local time earlier.
            let ahead = Prefix::Md5Week { utc_offset_secs: 5 * 3_600 };
            let earlier = Timestamp::from_unix_secs(v.unix - 5 * 3_600);
            assert_eq!(ahead.at(Interval::Week, earlier).1, prefix);
        }
    }

    #[test]
    fn meaningless_combinations_are_refused() {
        assert!(Prefix::MD5_WEEK_UTC.check(Interval::Week).is_ok());
        let error = Prefix::MD5_WEEK_UTC.check(Interval::Minute).unwrap_err();
        assert!(error.to_string().contains("minute"), "{error}");
        for bits in [0, 17] {
            assert!(Prefix::Sequential { bits }.check(Interval::Day).is_err());
        }
        assert!(Prefix::Md5Week { utc_offset_secs: 60_000 }.check(Interval::Week).is_err());
        let error = PrefixKey::new(b"secret").unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }

    /// An independent HMAC (Python's hmac module) computed these.
    #[test]
    fn keyed_prefixes_are_fixed_for_ever() {
        let key = PrefixKey::new(b"0123456789abcdef").unwrap();
        assert_eq!(key.prefix(0), 0x4274);
        assert_eq!(key.clone().for_writer("a").prefix(29_700_000), 0xaa11);
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
