//! Times as text: RFC 3339, for years of more than four digits too.

use core::fmt;
use core::str::FromStr;

use crate::error::{Error, Result};
use crate::timestamp::{SECS_PER_DAY, TICKS_PER_SEC, Timestamp, date_of_day, day_of_date};

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC, with as many fractional digits (0, 3 or 7) as the value needs. Years after 9999 have five digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let c = self.civil();
        let sign = if c.year < 0 { "-" } else { "" };
        let year = c.year.unsigned_abs();
        write!(
            f,
            "{sign}{year:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            c.month, c.day, c.hour, c.minute, c.second
        )?;
        match self.subsec_nanos() {
            0 => {}
            n if n % 1_000_000 == 0 => write!(f, ".{:03}", n / 1_000_000)?,
            n => write!(f, ".{:07}", n / 100)?,
        }
        f.write_str("Z")
    }
}

impl FromStr for Timestamp {
    type Err = Error;

    /// Reads what [`Display`](fmt::Display) writes, and other times of RFC 3339: a date, a time and an offset. The year
    /// has four to six digits and may have a sign. What exceeds 100 ns is dropped.
    ///
    /// # Errors
    /// `is_config` for other texts, and for a time beyond the range of a `Timestamp`.
    ///
    /// ```
    /// use idgen::Timestamp;
    ///
    /// let noon: Timestamp = "2026-11-21T14:00:00+02:00".parse()?;
    /// assert_eq!(noon.to_string(), "2026-11-21T12:00:00Z");
    /// let last: Timestamp = "10889-08-02T05:31:50.655Z".parse()?; // of version 7
    /// assert_eq!(last.unix_millis(), (1 << 48) - 1);
    /// assert!("2026-11-21T12:00:00".parse::<Timestamp>().unwrap_err().is_config());
    /// # Ok::<(), idgen::Error>(())
    /// ```
    fn from_str(text: &str) -> Result<Self> {
        let ticks = Reader(text.as_bytes()).time().ok_or_else(|| {
            Error::config(
                "not a time",
                text,
                "write a date, a time and an offset, such as 2026-11-21T12:00:00Z",
            )
        })?;
        i64::try_from(ticks).map(Timestamp::from_unix_ticks).map_err(|_| {
            Error::config(
                "the time is out of range",
                text,
                "choose one from the year -27258 to the year 31197",
            )
        })
    }
}

/// The rest of a text.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    /// 100 ns ticks since 1970.
    fn time(&mut self) -> Option<i128> {
        let (year, month, day) = self.date()?;
        self.one_of(b"Tt ")?;
        let (hour, minute) = self.hours_and_minutes()?;
        self.one_of(b":")?;
        let second = self.number(2, 2)?;
        let ticks = if self.one_of(b".").is_some() { self.fraction()? } else { 0 };
        let offset = match self.one_of(b"Zz+-")? {
            b'Z' | b'z' => 0,
            sign => {
                let (hours, minutes) = self.hours_and_minutes()?;
                (hours * 60 + minutes) * if sign == b'-' { -60 } else { 60 }
            }
        };
        if second > 59 || !self.0.is_empty() {
            return None;
        }
        let secs = day_of_date(year as i32, month as u8, day as u8) * SECS_PER_DAY
            + hour * 3_600
            + minute * 60
            + second
            - offset;
        Some(i128::from(secs) * i128::from(TICKS_PER_SEC) + i128::from(ticks))
    }

    /// Year, month and day of an existing date.
    fn date(&mut self) -> Option<(i64, i64, i64)> {
        let sign = self.one_of(b"+-");
        let year = self.number(4, 6)? * if sign == Some(b'-') { -1 } else { 1 };
        self.one_of(b"-")?;
        let month = self.number(2, 2)?;
        self.one_of(b"-")?;
        let day = self.number(2, 2)?;
        let exists = (1..=12).contains(&month) && (1..=31).contains(&day);
        let date = (year as i32, month as u8, day as u8);
        (exists && date_of_day(day_of_date(date.0, date.1, date.2)) == date).then_some((year, month, day))
    }

    fn hours_and_minutes(&mut self) -> Option<(i64, i64)> {
        let hours = self.number(2, 2)?;
        self.one_of(b":")?;
        let minutes = self.number(2, 2)?;
        (hours < 24 && minutes < 60).then_some((hours, minutes))
    }

    /// 1 to 9 digits behind the point, in ticks.
    fn fraction(&mut self) -> Option<i64> {
        let before = self.0.len();
        let number = self.number(1, 9)?;
        let digits = (before - self.0.len()) as u32;
        Some(number * 10i64.pow(9 - digits) / 100)
    }

    /// Reads all digits that come next; `None` if they are fewer than `least` or more than `most`.
    fn number(&mut self, least: usize, most: usize) -> Option<i64> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(least..=most).contains(&count) {
            return None;
        }
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        Some(digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
    }

    /// The next byte, if it is one of these.
    fn one_of(&mut self, allowed: &[u8]) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        allowed.contains(&first).then(|| {
            self.0 = rest;
            first
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::ToString;

    #[test]
    fn display_shows_the_digits_that_are_there() {
        let at = |ticks| Timestamp::from_unix_ticks(ticks).to_string();
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(1_230_000), "1970-01-01T00:00:00.123Z");
        assert_eq!(at(1), "1970-01-01T00:00:00.0000001Z");
        assert_eq!(at(-1), "1969-12-31T23:59:59.9999999Z");
        assert_eq!(Timestamp::from_date(-1, 3, 1).to_string(), "-0001-03-01T00:00:00Z");
    }

    #[test]
    fn times_are_read_strictly() {
        for (text, ticks) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01t00:00:00.5z", 5_000_000),
            ("1970-01-01 00:00:00.00000019Z", 1),
            ("1970-01-01T01:30:00+01:30", 0),
            ("1969-12-31T23:00:00-01:00", 0),
            ("+001970-01-02T00:00:00Z", 864_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Timestamp::from_unix_ticks(ticks)), "{text}");
        }
        for text in [
            "",
            "2026-11-21",
            "2026-11-21T12:00:00",
            "2026-11-21T12:00Z",
            "2026-02-30T12:00:00Z",
            "2026-13-01T12:00:00Z",
            "2026-00-01T12:00:00Z",
            "2026-01-00T12:00:00Z",
            "2026-11-21T24:00:00Z",
            "2026-11-21T12:60:00Z",
            "2026-11-21T12:00:60Z",
            "2026-11-21T12:00:00.Z",
            "2026-11-21T12:00:00.1234567890Z",
            "2026-11-21T12:00:00ZZ",
            "226-11-21T12:00:00Z",
            "2026-11-21T12:00:00+2:00",
            "2026-11-21T12:00:00+02",
            "\u{feff}2026-11-21T12:00:00Z",
            "0002026-11-21T12:00:00Z",
            "2026-11-21T12:00:00+24:00",
        ] {
            assert!(text.parse::<Timestamp>().unwrap_err().to_string().contains("not a time"), "{text}");
        }
        for text in ["-030000-01-01T00:00:00Z", "999999-12-31T23:59:59Z", "31198-01-01T00:00:00Z"] {
            let error = text.parse::<Timestamp>().unwrap_err().to_string();
            assert!(error.contains("out of range"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read(ticks: i64) {
            let time = Timestamp::from_unix_ticks(ticks);
            prop_assert_eq!(time.to_string().parse(), Ok(time));
        }
    }
}
