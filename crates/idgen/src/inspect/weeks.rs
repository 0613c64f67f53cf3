//! The weeks for which a prefix of MySQL's week can stand.

use crate::interval::Interval;
#[cfg(feature = "prefixed")]
use crate::prefix::md5_week_prefix;
use crate::timestamp::Timestamp;

/// The weeks between two moments that have this md5-week prefix, as MySQL's year and week. A week has a given prefix by
/// chance once in 65,536 times, so the week of an id is nearly always the only one.
///
/// ```
/// use idgen::Timestamp;
///
/// let (from, to) = (Timestamp::from_date(2000, 1, 1), Timestamp::from_date(2040, 1, 1));
/// assert!(idgen::weeks_of_prefix(0xe34e, from, to).eq([(2012, 1)]));
/// ```
#[cfg(feature = "prefixed")]
pub fn weeks_of_prefix(prefix: u16, from: Timestamp, to: Timestamp) -> impl Iterator<Item = (i32, u8)> {
    weeks_between(from, to).filter(move |&(year, week)| md5_week_prefix(year, week) == prefix)
}

/// The weeks between two moments, as MySQL's year and week, in their order. If many prefixes are looked up, build a
/// table of these weeks' prefixes.
///
/// ```
/// use idgen::Timestamp;
///
/// let (from, to) = (Timestamp::from_date(2011, 12, 24), Timestamp::from_date(2012, 1, 2));
/// assert!(idgen::weeks_between(from, to).eq([(2011, 51), (2011, 52), (2012, 1)]));
/// ```
pub fn weeks_between(from: Timestamp, to: Timestamp) -> impl Iterator<Item = (i32, u8)> {
    let mut day = from;
    core::iter::from_fn(move || {
        if day >= to {
            return None;
        }
        let week = day.mysql_week();
        // The next week begins on Sunday, or with the year.
        let sunday = Interval::Week.bucket(day).end;
        day = sunday.min(Timestamp::from_date(week.0 + 1, 1, 1));
        Some(week)
    })
}

#[cfg(all(test, feature = "prefixed"))]
mod tests {
    use super::*;

    /// Looks up the week of every day of the span, which is the naive twin of the iterator.
    #[test]
    fn no_week_is_missed() {
        let (from, to) = (Timestamp::from_date(2010, 12, 29), Timestamp::from_date(2012, 2, 3));
        for day in from.unix_days()..to.unix_days() {
            let (year, week) = Timestamp::from_unix_secs(day * 86_400).mysql_week();
            let prefix = md5_week_prefix(year, week);
            assert!(weeks_of_prefix(prefix, from, to).any(|found| found == (year, week)), "{year} {week}");
        }
    }
}
