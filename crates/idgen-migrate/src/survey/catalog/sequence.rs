//! Computes how much of a sequence is used, in the column that takes its values.

use crate::survey::schema::Class;

/// The state of a sequence, as the catalog of PostgreSQL or MariaDB has it.
pub(super) struct Sequence {
    /// The last value, or the next one if there was none yet.
    pub(super) last: i128,
    pub(super) min: i128,
    pub(super) max: i128,
    /// It counts down if this is negative.
    pub(super) increment: i128,
    /// True if it begins again at its end.
    pub(super) cycles: bool,
}

/// The end of a sentence about counters that are not known: a sequence holds its value as a table does, with privileges of its own.
pub(super) const NEEDS_SELECT: &str =
    "they need SELECT on their sequences, which SELECT on the tables does not include";

impl Sequence {
    /// Reads the five numbers; `None` if one of them is none.
    pub(super) fn of([last, min, max, increment]: [&str; 4], cycles: bool) -> Option<Sequence> {
        let number = |text: &str| text.parse().ok();
        let (last, min, max, increment) = (number(last)?, number(min)?, number(max)?, number(increment)?);
        Some(Sequence { last, min, max, increment, cycles })
    }

    /// The share of its values that is used. An integer column may end before the sequence. A sequence that begins again does not
    /// end, if the column holds all its values.
    pub(super) fn used(&self, class: Class) -> f64 {
        let (least, most) = match class {
            Class::Int { bits, unsigned: false } => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Class::Int { bits, unsigned: true } => (0, (1_i128 << bits) - 1),
            _ => (i128::MIN / 4, i128::MAX / 4),
        };
        let up = self.increment >= 0;
        let is_held = if up { self.max <= most } else { self.min >= least };
        if self.cycles && is_held {
            return 0.0;
        }
        let (least, most) = (self.min.max(least), self.max.min(most));
        // Counted down, it is the mirror image of one that counts up.
        let (last, least, most) = if up { (self.last, least, most) } else { (-self.last, -most, -least) };
        // Negative values before the first positive one are the beginning of a sequence only while they are counted.
        let first = if last < 0 { least } else { least.max(0) };
        if last >= most || first >= most {
            return 1.0;
        }
        (last - first).max(0) as f64 / (most - first) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(numbers: [i128; 4], cycles: bool, class: Class) -> f64 {
        let [last, min, max, increment] = numbers;
        Sequence { last, min, max, increment, cycles }.used(class)
    }

    #[test]
    fn the_end_of_the_column_or_of_the_sequence_counts_in_both_directions() {
        let int = Class::Int { bits: 32, unsigned: false };
        let big = i128::from(i64::MAX);
        assert!(used([2_147_483_000, 1, big, 1], false, int) > 0.99);
        assert!(used([2_147_483_000, 1, big, 1], false, Class::Int { bits: 64, unsigned: false }) < 0.01);
        assert!(used([1, 1, big, 1], false, int) < 0.01);
        assert!(used([-2_147_483_000, -big, -1, -1], false, int) > 0.99);
        assert!(used([-1, -big, -1, -1], false, int) < 0.01);
        assert!(used([10, 1, 1_000, -1], false, int) > 0.98);
        assert!(used([990, 1, 1_000, -1], false, int) < 0.02);
        // Half of the values of 32 bits.
        assert!((used([-10, -big, big, 1], false, int) - 0.5).abs() < 0.01);
        assert!(used([3_000_000_000, 1, big, 1], false, int) >= 1.0);
    }

    #[test]
    fn a_cycle_ends_only_beyond_its_column() {
        let int = Class::Int { bits: 32, unsigned: false };
        assert!(used([99, 1, 100, 1], true, int) < 0.01);
        assert!(used([2_147_483_000, 1, i128::from(i64::MAX), 1], true, int) > 0.99);
        assert!(used([99, 1, 100, 1], true, Class::Other) < 0.01);
        assert!(used([99, 1, 100, 1], false, Class::Other) > 0.98);
    }
}
