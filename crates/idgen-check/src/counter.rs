//! Finds the method by which ids of one time unit differ: the methods of RFC 9562 section 6.2.
//!
//! A counter of `w` bits at the top of the tail makes the top `w` bits of two successive ids differ by exactly one. For
//! two ids, the widths with this property are an interval, which needs two bit operations to find. The width that is in
//! the most intervals is the counter's.

use crate::place::{Place, Places, Point, pairs};

/// A count for each width or bit length, from 0 to 128.
type Widths = [u64; 129];

/// The differences between successive ids, and where the tails of new time units begin.
#[derive(Debug)]
pub(crate) struct Counter {
    tail_bits: u32,
    /// The first 12 bits may be a fraction of the time unit only if it is a millisecond.
    has_fraction: bool,
    /// Pairs of ids with the same time.
    pub(crate) pairs: u64,
    /// Pairs whose second id is greater than the first.
    pub(crate) up: u64,
    /// The steps of these pairs.
    steps: Steps,
    /// The steps of those pairs that have the same first 12 bits.
    of_one_fraction: Steps,
    /// Bit lengths of the differences.
    pub(crate) increments: Widths,
    /// The number of bits at the top that go from all ones to all zeros, of pairs out of order.
    wraps: Widths,
    wrapped: Places,
    /// The top 8 bits of the tails that begin a time unit, and how many zeros these tails begin with.
    starts: Vec<u64>,
    /// Tails that begin a time unit and have a 1 after the first 12 bits.
    high_after_fraction: u64,
    zeros: Widths,
    pub(crate) started: u64,
    /// Steps to the next millisecond, and those over which time and fraction continue evenly.
    boundaries: u64,
    smooth: u64,
    /// The values that the first 12 bits have had, one bit for each value.
    fractions: Vec<u64>,
}

/// The narrowest and the widest top part that differs by one, of pairs of ids.
#[derive(Debug)]
struct Steps {
    pairs: u64,
    narrowest: Widths,
    widest: Widths,
}

impl Steps {
    const NONE: Steps = Steps { pairs: 0, narrowest: [0; 129], widest: [0; 129] };

    #[inline]
    fn add(&mut self, narrowest: u32, widest: u32) {
        self.pairs += 1;
        self.narrowest[narrowest as usize] += 1;
        self.widest[widest as usize] += 1;
    }

    /// The width at which the most pairs differ by exactly one, and how many do.
    fn best_width(&self, tail_bits: u32) -> (u32, u64) {
        let (mut open, mut best) = (0, (0, 0));
        // No pair differs by one at a width beyond the tail, where both have zeros.
        for width in 1..=tail_bits as usize {
            open += self.narrowest[width];
            if open > best.1 && width >= NARROWEST {
                best = (width as u32, open);
            }
            open -= self.widest[width];
        }
        best
    }
}

/// The method of RFC 9562 section 6.2 that ids look like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Method {
    /// Too few ids share a time unit.
    Unseen,
    /// Ids of a time unit are in no order.
    Unordered,
    /// Method 1: a counter of this many bits, and new bits after it for each id.
    Counter(u32),
    /// Method 2 with an increment of one: the whole tail is the counter.
    PlusOne,
    /// Method 2: the tail grows by random increments of up to this many bits.
    Increments(u32),
    /// Method 3: a fraction of a millisecond in the first 12 bits.
    Fraction {
        /// The number of values that the fraction has.
        values: u32,
        /// The bits of a counter after it, which increments by one within a fraction.
        counter: Option<u32>,
    },
    /// In order, mostly, but like none of the methods.
    Unclear,
}

/// No generator has a narrower counter. The first bits of two counters whose ids take turns may differ by one.
const NARROWEST: usize = 5;
/// Fewer pairs say nothing about a method.
const ENOUGH: u64 = 16;
/// The fraction of method 3 has up to 12 bits.
const FRACTION: u64 = 1 << 12;

impl Counter {
    pub(crate) fn new(tail_bits: u32, has_fraction: bool) -> Self {
        Counter {
            tail_bits,
            has_fraction,
            pairs: 0,
            up: 0,
            steps: Steps::NONE,
            of_one_fraction: Steps::NONE,
            increments: [0; 129],
            wraps: [0; 129],
            wrapped: Places::default(),
            starts: vec![0; 256],
            high_after_fraction: 0,
            zeros: [0; 129],
            started: 0,
            boundaries: 0,
            smooth: 0,
            fractions: vec![0; FRACTION as usize / 64],
        }
    }

    pub(crate) fn push(&mut self, before: Option<Point>, points: &[Point], first: Place) {
        if self.has_fraction {
            for point in points {
                let fraction = (point.tail >> 116) as usize;
                self.fractions[fraction / 64] |= 1 << (fraction % 64);
            }
        }
        for (index, a, b) in pairs(before, points) {
            if a.time == b.time {
                self.pairs += 1;
                if a.tail < b.tail {
                    self.rise(a.tail, b.tail);
                } else {
                    self.fall(a.tail, b.tail, first.after(index));
                }
            } else {
                self.begin(a, b);
            }
        }
    }

    #[inline]
    fn rise(&mut self, a: u128, b: u128) {
        self.up += 1;
        // The first bit that differs is 0 and then 1. The difference stays one while the next bits are 1 and then 0.
        let narrowest = (a ^ b).leading_zeros() + 1;
        let more = (a & !b).unbounded_shl(narrowest).leading_ones();
        self.steps.add(narrowest, narrowest + more);
        if self.has_fraction && narrowest > 12 {
            self.of_one_fraction.add(narrowest, narrowest + more);
        }
        let increment = (b - a) >> (128 - self.tail_bits);
        self.increments[128 - increment.leading_zeros() as usize] += 1;
    }

    #[cold]
    fn fall(&mut self, a: u128, b: u128, place: Place) {
        let ones = a.leading_ones().min(b.leading_zeros());
        self.wraps[ones as usize] += 1;
        if ones >= 8 {
            self.wrapped.add(place);
        }
    }

    #[inline]
    fn begin(&mut self, a: Point, b: Point) {
        self.started += 1;
        self.starts[(b.tail >> 120) as usize] += 1;
        self.zeros[b.tail.leading_zeros() as usize] += 1;
        self.high_after_fraction += (b.tail >> 115 & 1) as u64;
        if self.has_fraction && b.time == a.time.wrapping_add(1) {
            self.boundaries += 1;
            let gap = FRACTION + (b.tail >> 116) as u64 - (a.tail >> 116) as u64;
            self.smooth += u64::from(gap < FRACTION / 4);
        }
    }

    /// The method that the ids look like.
    pub(crate) fn method(&self) -> Method {
        if self.pairs < ENOUGH {
            return Method::Unseen;
        }
        let (width, covered) = self.steps.best_width(self.tail_bits);
        let wrapped: u64 = self.wraps[width.min(128) as usize..].iter().sum();
        let share = |part: u64| part as f64 / self.pairs as f64;
        let is_counter = share(covered + wrapped) > 0.95;
        if is_counter && width == self.tail_bits {
            return Method::PlusOne;
        }
        // A counter that begins in a fraction counts through it, where many ids have one.
        if !is_counter && (self.is_fraction() || self.leaps())
            || is_counter && width > 12 && self.starts_in_fraction()
        {
            let values = self.fractions.iter().map(|word| word.count_ones()).sum();
            return Method::Fraction { values, counter: self.counter_after_fraction() };
        }
        if is_counter {
            return Method::Counter(width);
        }
        match share(self.up) {
            up if up > 0.999 => Method::Increments(self.longest_increment()),
            up if up < 0.75 => Method::Unordered,
            _ => Method::Unclear,
        }
    }

    fn is_fraction(&self) -> bool {
        // Only where several ids share a millisecond does the end of one show whether its bits are a fraction.
        self.boundaries >= 16 && self.pairs >= 4 * self.boundaries && self.smooth * 10 >= self.boundaries * 8
    }

    /// Returns true if a counter begins after the first 12 bits: it starts in the lower half there, and anywhere in the
    /// first 12. Or those continue over the ends of milliseconds as a fraction does.
    fn starts_in_fraction(&self) -> bool {
        let enough = self.has_fraction && self.started >= 32;
        enough && self.high_after_fraction == 0 && self.high_starts().0 > self.started / 16
            || self.is_fraction()
    }

    /// The width of a counter that increments by one within a fraction.
    fn counter_after_fraction(&self) -> Option<u32> {
        let (width, covered) = self.of_one_fraction.best_width(self.tail_bits);
        let of = &self.of_one_fraction;
        (of.pairs >= ENOUGH && covered as f64 > 0.95 * of.pairs as f64).then(|| width - 12)
    }

    /// Returns true if all ids ascend, and the first 12 bits often by more than one, or while the counter after them is
    /// not full: within a few milliseconds, no end of one shows the fraction.
    fn leaps(&self) -> bool {
        let leaps: u64 = self.increments[self.tail_bits as usize - 12 + 1..].iter().sum();
        let in_order = self.up as f64 > 0.999 * self.pairs as f64;
        self.has_fraction
            && in_order
            && leaps >= ENOUGH
            && (leaps > (self.pairs - self.of_one_fraction.pairs) / 2
                || self.counter_after_fraction().is_some())
    }

    fn longest_increment(&self) -> u32 {
        self.increments.iter().rposition(|&count| count > 0).unwrap_or(0) as u32
    }

    /// Places where a counter of this width went back to zero within one time unit.
    pub(crate) fn wraps(&self, width: u32) -> (u64, &[Place]) {
        let count = self.wraps[width.clamp(8, 128) as usize..].iter().sum();
        (count, if count == 0 { &[] } else { &self.wrapped.first })
    }

    /// Counts the counters of this width that began with zero.
    pub(crate) fn zero_starts(&self, width: u32) -> u64 {
        self.zeros[width.min(128) as usize..].iter().sum()
    }

    /// Counts the counters that began in the upper half of their range, and those that began in its last sixteenth.
    pub(crate) fn high_starts(&self) -> (u64, u64) {
        (self.starts[128..].iter().sum(), self.starts[240..].iter().sum())
    }
}

#[cfg(test)]
#[path = "counter/tests.rs"]
mod tests;
