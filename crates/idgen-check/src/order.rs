//! Checks that each id is greater than the one before it in its stream (RFC 9562 sections 6.2 and 6.11).

use crate::place::{Place, Places, Point, pairs};

/// Fewer pairs say nothing about an order: they are those of the fewest ids whose randomness is tested.
const ENOUGH: u64 = crate::random::ENOUGH - 1;
/// The share of pairs in one order from which on the ids are sorted, but for the places where one input follows another.
const NEARLY_ALL: f64 = 0.98;
/// The share from which on parts of the input are sorted. Of 1,000 random ids, a share of 0.56 is already too far from
/// one half for chance.
const MOST: f64 = 0.6;

/// The order of ids that were sorted after they had been made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Sorting {
    Ascending,
    Descending,
    /// Parts of the input are sorted, such as batches.
    InPart,
}

/// Breaks of the order, over all streams of one kind.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Order {
    /// The number of ids that have one before them.
    pub(crate) pairs: u64,
    /// Smaller ids with the same time as the one before.
    pub(crate) within: Places,
    /// Ids with an earlier time than the one before.
    pub(crate) across: Places,
    /// Ids equal to the one before.
    pub(crate) equal: Places,
}

impl Order {
    pub(crate) fn push(&mut self, before: Option<Point>, points: &[Point], first: Place) {
        for (index, a, b) in pairs(before, points) {
            self.pairs += 1;
            if a < b {
                continue;
            }
            let place = first.after(index);
            match a.time.cmp(&b.time) {
                std::cmp::Ordering::Greater => self.across.add(place),
                _ if a.tail == b.tail => self.equal.add(place),
                _ => self.within.add(place),
            }
        }
    }

    /// Returns true if each id is greater than the one before it.
    pub(crate) fn is_strict(&self) -> bool {
        self.breaks() == 0
    }

    /// Returns the order of ids of a kind that promises none, if chance does not explain it: of random ids, every
    /// other one is greater than the one before.
    pub(crate) fn sorting(&self) -> Option<Sorting> {
        let share = |part: u64| part as f64 / self.pairs as f64;
        let (rises, falls) = (share(self.pairs - self.breaks()), share(self.within.count));
        match () {
            () if self.pairs < ENOUGH => None,
            () if rises > NEARLY_ALL => Some(Sorting::Ascending),
            () if falls > NEARLY_ALL => Some(Sorting::Descending),
            () if rises > MOST || falls > MOST => Some(Sorting::InPart),
            () => None,
        }
    }

    /// Returns true if no time is earlier than the one before it.
    pub(crate) fn is_by_time(&self) -> bool {
        self.across.count == 0
    }

    /// Pairs out of order, equal ones included.
    pub(crate) fn breaks(&self) -> u64 {
        self.within.count + self.across.count + self.equal.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The batches that a stream is cut into make no difference, and the counts are those of the definition.
        #[test]
        fn breaks_are_counted(values in prop::collection::vec((0u64..4, 0u128..4), 0..60), cut in 1usize..10) {
            let points: Vec<_> = values.iter().map(|&(time, tail)| Point { time, tail }).collect();
            let mut order = Order::default();
            let mut before = None;
            for (batch, part) in points.chunks(cut).enumerate() {
                order.push(before, part, Place { stream: 0, line: 1 + (batch * cut) as u64 });
                before = part.last().copied();
            }
            let all: Vec<_> = points.windows(2).map(|two| (two[0], two[1])).collect();
            let count = |test: fn(Point, Point) -> bool| all.iter().filter(|(a, b)| test(*a, *b)).count() as u64;
            prop_assert_eq!(order.pairs, all.len() as u64);
            prop_assert_eq!(order.across.count, count(|a, b| b.time < a.time));
            prop_assert_eq!(order.within.count, count(|a, b| b.time == a.time && b.tail < a.tail));
            prop_assert_eq!(order.equal.count, count(|a, b| a == b));
            prop_assert_eq!(order.is_strict(), points.is_sorted_by(|a, b| a < b));
            let first = all.iter().position(|(a, b)| b.time < a.time).map(|index| index as u64 + 2);
            prop_assert_eq!(order.across.first.first().map(|place| place.line), first);
        }
    }
}
