//! The times in ids: Unix time, 100 ns Gregorian ticks, civil dates and MySQL's `WEEK()`.
//!
//! Pure arithmetic in `i64`: no clock, no time zones other than fixed offsets, no leap seconds (RFC 9562 section
//! 6.1 does not count them either).

use core::time::Duration;

/// 100 ns ticks from the Gregorian epoch (1582-10-15T00:00:00Z) to the Unix epoch; RFC 9562 section 5.1.
pub const GREGORIAN_TO_UNIX_TICKS: i64 = 0x01B2_1DD2_1381_4000;

const TICKS_PER_MS: i64 = 10_000;
pub(crate) const TICKS_PER_SEC: i64 = 10_000_000;
pub(crate) const SECS_PER_DAY: i64 = 86_400;

/// A point in time, counted in 100 ns ticks since 1970-01-01T00:00:00Z.
///
/// 100 ns is the finest unit of all kinds of ids. The range, about 29,000 years before and after 1970, covers every
/// timestamp that a UUID can contain.
///
/// ```
/// use idgen::Timestamp;
///
/// let t = Timestamp::from_unix_secs(1_645_557_742);
/// assert_eq!(t.to_string(), "2022-02-22T19:22:22Z");
/// assert_eq!(t.gregorian_ticks(), Some(138_648_505_420_000_000)); // RFC 9562, appendix A.1
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    ticks: i64,
}

/// A calendar date and time of day, in UTC or at a fixed offset from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// The proleptic Gregorian year.
    pub year: i32,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
}

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const UNIX_EPOCH: Timestamp = Timestamp { ticks: 0 };

    /// Makes a timestamp from 100 ns ticks since 1970.
    #[inline]
    pub const fn from_unix_ticks(ticks: i64) -> Self {
        Timestamp { ticks }
    }

    /// From whole seconds since 1970, saturating at the ends of the range.
    #[inline]
    pub const fn from_unix_secs(secs: i64) -> Self {
        Timestamp { ticks: secs.saturating_mul(TICKS_PER_SEC) }
    }

    /// From milliseconds since 1970, saturating at the ends of the range.
    #[inline]
    pub const fn from_unix_millis(millis: i64) -> Self {
        Timestamp { ticks: millis.saturating_mul(TICKS_PER_MS) }
    }

    /// From 100 ns ticks since 1582-10-15, the timestamp of UUID versions 1 and 6.
    ///
    /// Only the low 60 bits are used, because a UUID has no more.
    #[inline]
    pub const fn from_gregorian_ticks(ticks: u64) -> Self {
        Timestamp { ticks: (ticks & 0x0FFF_FFFF_FFFF_FFFF) as i64 - GREGORIAN_TO_UNIX_TICKS }
    }

    /// 100 ns ticks since 1970; negative before.
    #[inline]
    pub const fn unix_ticks(self) -> i64 {
        self.ticks
    }

    /// Returns the whole seconds since 1970, rounded down.
    #[inline]
    pub const fn unix_secs(self) -> i64 {
        self.ticks.div_euclid(TICKS_PER_SEC)
    }

    /// Returns the whole milliseconds since 1970, rounded down.
    #[inline]
    pub const fn unix_millis(self) -> i64 {
        // A division of numbers without a sign takes a third of the instructions.
        if self.ticks >= 0 {
            (self.ticks as u64 / TICKS_PER_MS as u64) as i64
        } else {
            self.ticks.div_euclid(TICKS_PER_MS)
        }
    }

    /// Returns the whole milliseconds since 1970, rounded down, and the 100 ns ticks after them.
    #[inline]
    pub(crate) const fn millis_and_ticks(self) -> (i64, u32) {
        let ms = self.unix_millis();
        (ms, self.ticks.wrapping_sub(ms.wrapping_mul(TICKS_PER_MS)) as u32)
    }

    /// The nanoseconds within the second, a multiple of 100.
    #[inline]
    pub const fn subsec_nanos(self) -> u32 {
        self.ticks.rem_euclid(TICKS_PER_SEC) as u32 * 100
    }

    /// 100 ns ticks since 1582-10-15, if they fit in the 60 bits of a UUID: from 1582-10-15 to 5236-03-31.
    #[inline]
    pub const fn gregorian_ticks(self) -> Option<u64> {
        let ticks = self.ticks.saturating_add(GREGORIAN_TO_UNIX_TICKS);
        if ticks >= 0 && ticks >> 60 == 0 { Some(ticks as u64) } else { None }
    }

    /// This time plus a duration, saturating; fractions below 100 ns are dropped.
    ///
    /// ```
    /// use core::time::Duration;
    /// use idgen::Timestamp;
    ///
    /// let time = Timestamp::from_date(2026, 11, 21).saturating_add(Duration::from_nanos(1_234));
    /// assert_eq!(time.to_string(), "2026-11-21T00:00:00.0000012Z");
    /// assert_eq!(time.since(Timestamp::from_date(2026, 11, 21)), Duration::from_nanos(1_200));
    /// ```
    #[inline]
    pub const fn saturating_add(self, span: Duration) -> Self {
        Timestamp { ticks: self.ticks.saturating_add(duration_ticks(span)) }
    }

    /// This time minus a duration, saturating; fractions below 100 ns are dropped.
    #[inline]
    pub const fn saturating_sub(self, span: Duration) -> Self {
        Timestamp { ticks: self.ticks.saturating_sub(duration_ticks(span)) }
    }

    /// Returns the time since `earlier`; zero if this time is not later.
    #[inline]
    pub const fn since(self, earlier: Timestamp) -> Duration {
        let ticks = self.ticks.saturating_sub(earlier.ticks);
        if ticks <= 0 {
            return Duration::ZERO;
        }
        Duration::new((ticks / TICKS_PER_SEC) as u64, (ticks % TICKS_PER_SEC) as u32 * 100)
    }

    /// The calendar date and time of day in UTC.
    ///
    /// ```
    /// let c = idgen::Timestamp::from_unix_secs(-1).civil();
    /// assert_eq!((c.year, c.month, c.day, c.hour, c.minute, c.second), (1969, 12, 31, 23, 59, 59));
    /// ```
    pub const fn civil(self) -> Civil {
        let secs = self.unix_secs();
        let (year, month, day) = date_of_day(secs.div_euclid(SECS_PER_DAY));
        let of_day = secs.rem_euclid(SECS_PER_DAY) as u32;
        Civil {
            year,
            month,
            day,
            hour: (of_day / 3600) as u8,
            minute: (of_day / 60 % 60) as u8,
            second: (of_day % 60) as u8,
        }
    }

    /// Returns the whole days since 1970-01-01 (a Thursday), rounded down.
    pub const fn unix_days(self) -> i64 {
        self.unix_secs().div_euclid(SECS_PER_DAY)
    }

    /// Year and week, as MySQL's `YEAR(t)` and `WEEK(t, 0)` return them in a session in UTC.
    ///
    /// Mode 0: weeks begin on Sunday; the days before the year's first Sunday are week 0; 0 to 53.
    /// Source: MySQL Reference Manual, section Date and Time Functions, `WEEK()`.
    ///
    /// ```
    /// let t = idgen::Timestamp::from_unix_secs(1_795_219_200); // 2026-11-21T00:00:00Z
    /// assert_eq!(t.mysql_week(), (2026, 46));
    /// ```
    pub const fn mysql_week(self) -> (i32, u8) {
        let days = self.unix_days();
        let (year, _, _) = date_of_day(days);
        let jan_1 = day_of_date(year, 1, 1);
        let day_of_year = days - jan_1;
        // 1970-01-01 was a Thursday: with Sunday = 0, day d falls on weekday (d + 4) mod 7.
        let weekday = (days + 4).rem_euclid(7);
        (year, ((day_of_year + 7 - weekday) / 7) as u8)
    }

    /// The time at which a date begins in UTC; months and days beyond their range carry over.
    ///
    /// ```
    /// use idgen::Timestamp;
    ///
    /// assert_eq!(Timestamp::from_date(2026, 11, 21).to_string(), "2026-11-21T00:00:00Z");
    /// assert_eq!(Timestamp::from_date(2026, 2, 30), Timestamp::from_date(2026, 3, 2));
    /// ```
    pub const fn from_date(year: i32, month: u8, day: u8) -> Self {
        Timestamp::from_unix_secs(day_of_date(year, month, day).saturating_mul(SECS_PER_DAY))
    }
}

#[inline]
const fn duration_ticks(span: Duration) -> i64 {
    let secs = span.as_secs();
    if secs > (i64::MAX / TICKS_PER_SEC) as u64 - 1 {
        return i64::MAX;
    }
    secs as i64 * TICKS_PER_SEC + (span.subsec_nanos() / 100) as i64
}

/// Days since 1970-01-01 of a proleptic Gregorian date.
///
/// Counts from 1 March, so that the leap day is the last day of its year, in eras of 400 years
/// (146,097 days).
pub(crate) const fn day_of_date(year: i32, month: u8, day: u8) -> i64 {
    let month = month as i64;
    let from_march = (month + 9) % 12;
    let year = year as i64 - if month <= 2 { 1 } else { 0 };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * from_march + 2) / 5 + day as i64 - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The inverse of [`day_of_date`].
pub(crate) const fn date_of_day(days: i64) -> (i32, u8, u8) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year as i32, month as u8, day as u8)
}

/// Saturates where the system's clock holds less: on Windows at the year 1601, and after the year 30,000.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use idgen::Timestamp;
///
/// let time = SystemTime::from(Timestamp::from_unix_millis(-1));
/// assert_eq!(time, SystemTime::UNIX_EPOCH - Duration::from_millis(1));
/// assert_eq!(Timestamp::from(time), Timestamp::from_unix_millis(-1));
/// ```
#[cfg(feature = "std")]
impl From<Timestamp> for std::time::SystemTime {
    fn from(time: Timestamp) -> Self {
        // From 1601 to 1970, from where Windows counts 100 ns ticks in an `i64`.
        const SINCE_1601: Duration = Duration::from_secs(11_644_473_600);
        let epoch = std::time::UNIX_EPOCH;
        let (after, before) = (time.since(Timestamp::UNIX_EPOCH), Timestamp::UNIX_EPOCH.since(time));
        match before.is_zero() {
            true => epoch.checked_add(after).unwrap_or_else(|| epoch + (after - SINCE_1601)),
            false => epoch.checked_sub(before).unwrap_or_else(|| epoch - SINCE_1601),
        }
    }
}

#[cfg(feature = "std")]
impl From<std::time::SystemTime> for Timestamp {
    #[inline]
    fn from(time: std::time::SystemTime) -> Self {
        match time.duration_since(std::time::UNIX_EPOCH) {
            Ok(after) => Timestamp::UNIX_EPOCH.saturating_add(after),
            Err(before) => Timestamp::UNIX_EPOCH.saturating_sub(before.duration()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::ToString;

    #[cfg(feature = "std")]
    #[test]
    fn the_ends_of_the_range_become_system_times_without_a_panic() {
        let _ = std::time::SystemTime::from(Timestamp::from_unix_ticks(i64::MIN));
        for ticks in [i64::MIN + 1, -1, 0, 1, i64::MAX] {
            let time = std::time::SystemTime::from(Timestamp::from_unix_ticks(ticks));
            if !cfg!(windows) {
                assert_eq!(Timestamp::from(time), Timestamp::from_unix_ticks(ticks));
            }
        }
    }

    #[test]
    fn the_ends_of_the_range_do_not_panic() {
        for t in [Timestamp::from_unix_ticks(i64::MIN), Timestamp::from_unix_ticks(i64::MAX)] {
            let _ = (t.civil(), t.mysql_week(), t.unix_millis(), t.subsec_nanos(), t.to_string());
            assert_eq!(t.gregorian_ticks(), None);
        }
        assert_eq!(Timestamp::from_unix_secs(i64::MAX).unix_ticks(), i64::MAX);
        assert_eq!(Timestamp::from_gregorian_ticks(0).to_string(), "1582-10-15T00:00:00Z");
        assert_eq!(Timestamp::UNIX_EPOCH.saturating_add(Duration::MAX).unix_ticks(), i64::MAX);
    }

    /// Counts the calendar day by day: the naive implementation of the closed formulas.
    #[test]
    fn civil_dates_follow_a_day_by_day_walk() {
        let (mut year, mut month, mut day) = (1582, 10, 15);
        let first = Timestamp::from_gregorian_ticks(0).unix_days();
        for days in first..first + 366 * 900 {
            let c = Timestamp::from_unix_secs(days * SECS_PER_DAY).civil();
            assert_eq!((c.year, c.month, c.day), (year, month, day));
            assert_eq!(Timestamp::from_date(year, month, day).unix_days(), days);
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = match month {
                2 => 28 + u8::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }

    proptest! {
        #[test]
        fn gregorian_ticks_round_trip(ticks in 0u64..1 << 60) {
            prop_assert_eq!(Timestamp::from_gregorian_ticks(ticks).gregorian_ticks(), Some(ticks));
        }

        #[test]
        fn weeks_begin_on_sundays(days in -100_000i64..1_000_000) {
            let at = |d: i64| Timestamp::from_unix_secs(d * SECS_PER_DAY);
            let (today, tomorrow) = (at(days).mysql_week(), at(days + 1).mysql_week());
            let sunday = (days + 1 + 4).rem_euclid(7) == 0;
            if today.0 != tomorrow.0 {
                prop_assert_eq!(tomorrow.1, u8::from(sunday));
            } else {
                prop_assert_eq!(tomorrow.1 - today.1, u8::from(sunday));
            }
            prop_assert!(tomorrow.1 <= 53);
        }
    }
}
