//! The weeks of a span, for which a prefix of MySQL's week can stand.

use crate::interval::Interval;
use crate::timestamp::Timestamp;

/// The weeks between two moments, as MySQL's year and week, in their order.
///
/// With the feature `prefixed`, these are the weeks that have a prefix of
/// [`Prefix::Md5Week`](crate::Prefix::Md5Week). A week has a given prefix by chance once in 65,536 times, so the week of
/// an id is nearly always the only one. If many prefixes are looked up, build a table of these weeks' prefixes.
///
/// ```
/// use idgen::Timestamp;
///
/// let (from, to) = (Timestamp::from_date(2011, 12, 24), Timestamp::from_date(2012, 1, 2));
/// assert!(idgen::weeks_between(from, to).eq([(2011, 51), (2011, 52), (2012, 1)]));
///
/// # #[cfg(feature = "prefixed")] {
/// // Which weeks have the prefix e34e?
/// let (from, to) = (Timestamp::from_date(2000, 1, 1), Timestamp::from_date(2040, 1, 1));
/// let weeks = idgen::weeks_between(from, to);
/// assert!(weeks.filter(|&(year, week)| idgen::md5_week_prefix(year, week) == 0xe34e).eq([(2012, 1)]));
/// # }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks up the week of every day of the span, which is the naive twin of the iterator.
    #[test]
    fn no_week_is_missed() {
        let (from, to) = (Timestamp::from_date(2010, 12, 29), Timestamp::from_date(2012, 2, 3));
        for day in from.unix_days()..to.unix_days() {
            let (year, week) = Timestamp::from_unix_secs(day * 86_400).mysql_week();
            assert!(weeks_between(from, to).any(|found| found == (year, week)), "{year} {week}");
        }
    }
}
