//! One rule for which key costs less: that of advice, and of the first sentence of a report.

use std::cmp::Ordering;

use crate::strategy::IdKind;

/// The cost of a key: the figures by which keys are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The work of the device: pages read and written, or bytes of the log.
    pub work: f64,
    /// Bytes of the tree that the key orders.
    pub space: f64,
    /// Ids of this kind need a secret key, or a name for each client.
    pub is_prefixed: bool,
}

impl Cost {
    /// Work that differs by less counts as equal: models and single runs are not more accurate.
    const EQUAL_WORK: f64 = 0.15;
    /// Sizes that differ by less count as equal. The models' leaf pages are within 4 % of those of recorded runs.
    const EQUAL_SPACE: f64 = 0.04;
    /// A key or names for clients have to make the table smaller by more.
    const WORTH_A_PREFIX: f64 = 0.2;

    /// Returns whether this cost is clearly less than another one: less work by more than 15 %; or less
    /// space, by 4 % or, for a prefixed key, 20 %, if the other key does not have clearly less work.
    ///
    /// ```
    /// use idgen_record::Cost;
    ///
    /// let cost = |work, space| Cost { work, space, is_prefixed: false };
    /// assert!(cost(20.0, 100.0).is_less_than(&cost(200.0, 100.0)));
    /// assert!(cost(20.0, 90.0).is_less_than(&cost(20.0, 100.0)));
    /// assert!(!cost(20.0, 98.0).is_less_than(&cost(21.0, 100.0)));
    /// ```
    #[must_use]
    pub fn is_less_than(&self, other: &Cost) -> bool {
        self.has_less_work_than(other) || (!other.has_less_work_than(self) && self.has_less_space_than(other))
    }

    /// Returns whether this cost has clearly less work: by more than 15 %.
    #[must_use]
    pub fn has_less_work_than(&self, other: &Cost) -> bool {
        self.work < other.work * (1.0 - Self::EQUAL_WORK)
    }

    /// Returns whether this cost has clearly less space: by 4 %, or for a prefixed key by 20 %.
    #[must_use]
    pub fn has_less_space_than(&self, other: &Cost) -> bool {
        let smaller = if self.is_prefixed { Self::WORTH_A_PREFIX } else { Self::EQUAL_SPACE };
        self.space < other.space * (1.0 - smaller)
    }

    /// Returns whether no figure of this cost is worse than that of another one, and at least one is better.
    #[must_use]
    pub fn is_nowhere_worse_than(&self, other: &Cost) -> bool {
        self.work <= other.work
            && self.space <= other.space
            && (self.work, self.space) != (other.work, other.space)
    }

    /// The place of the cheapest of these, of which the simplest comes first: the first one to which no other is clearly
    /// cheaper. If each has one that is, which can be since equal costs may differ, the one with the least work.
    #[must_use]
    pub fn cheapest(of: &[Cost]) -> Option<usize> {
        let undisputed = of.iter().position(|one| !of.iter().any(|other| other.is_less_than(one)));
        undisputed.or_else(|| {
            let less = |one: &usize, other: &usize| {
                let (one, other) = (of[*one], of[*other]);
                (one.work, one.space).partial_cmp(&(other.work, other.space)).unwrap_or(Ordering::Equal)
            };
            (0..of.len()).min_by(less)
        })
    }
}

impl IdKind {
    /// Returns whether ids of this kind begin with a prefix that stays the same for an interval, and that
    /// depends on a key or on a name.
    #[must_use]
    pub fn is_prefixed(self) -> bool {
        matches!(self, IdKind::MinuteAscending | IdKind::MinuteRandom | IdKind::MinuteWriters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(space: f64, is_prefixed: bool) -> Cost {
        Cost { work: 0.0, space, is_prefixed }
    }

    /// Tests costs of which each is a little less than the one before: the cheapest is still one to which no
    /// other is clearly cheaper.
    #[test]
    fn nothing_is_clearly_cheaper_than_the_cheapest() {
        let of = |costs: &[Cost]| Cost::cheapest(costs);
        assert_eq!(of(&[cost(1.0, false), cost(0.97, false), cost(0.95, false)]), Some(1));
        assert_eq!(of(&[cost(1.0, false), cost(0.98, false)]), Some(0));
        // A prefix has to be worth its key or its names.
        assert_eq!(of(&[cost(1.0, false), cost(0.85, true)]), Some(0));
        assert_eq!(of(&[cost(1.0, false), cost(0.75, true)]), Some(1));
        assert_eq!(of(&[]), None);
    }
}
