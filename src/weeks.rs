//! Finds the weeks that have a given prefix. One table answers this for all ids.

use std::collections::HashMap;

use idgen::{Timestamp, md5_week_prefix, weeks_between};

/// The weeks of a span by their md5-week prefix.
pub struct Weeks {
    from: Timestamp,
    to: Timestamp,
    /// Built on first use, because most kinds of ids have no prefix.
    by_prefix: Option<HashMap<u16, Vec<(i32, u8)>>>,
}

impl Weeks {
    /// The weeks from `from` until before `to`.
    pub fn between(from: Timestamp, to: Timestamp) -> Self {
        Weeks { from, to, by_prefix: None }
    }

    /// The weeks with this prefix, as MySQL's year and week, in order.
    pub fn of_prefix(&mut self, prefix: u16) -> &[(i32, u8)] {
        let by_prefix = self.by_prefix.get_or_insert_with(|| {
            let mut all: HashMap<u16, Vec<_>> = HashMap::new();
            for (year, week) in weeks_between(self.from, self.to) {
                all.entry(md5_week_prefix(year, week)).or_default().push((year, week));
            }
            all
        });
        by_prefix.get(&prefix).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The naive implementation goes through all weeks for each prefix.
    #[test]
    fn the_table_agrees_with_a_search() {
        // Long enough that prefixes have more than one week.
        let (from, to) = (Timestamp::from_date(1000, 3, 5), Timestamp::from_date(2030, 1, 1));
        let mut weeks = Weeks::between(from, to);
        let mut most = 0;
        for prefix in (0..=u16::MAX).step_by(5_003) {
            let found: Vec<_> = weeks_between(from, to)
                .filter(|&(year, week)| md5_week_prefix(year, week) == prefix)
                .collect();
            assert_eq!(weeks.of_prefix(prefix), found, "{prefix:04x}");
            most = most.max(found.len());
        }
        assert!(most > 1);
        assert!(Weeks::between(to, from).of_prefix(0xe34e).is_empty());
    }
}
