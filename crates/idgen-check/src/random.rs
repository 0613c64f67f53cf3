//! Tests whether bits that should be random look random (RFC 9562 section 6.9). Passing these tests proves nothing: a
//! counter that was encrypted with a known key passes them all.

use std::collections::HashMap;

use crate::stats::{at_least, chi_squared, fair_bits};
use crate::tally::Tally;

/// Fewer ids say nothing about randomness.
pub(crate) const ENOUGH: u64 = 1_000;
/// The number of ids that the test of repeats keeps.
const SAMPLE: usize = 1 << 18;

/// The counts that the tests need for the ids of one kind.
#[derive(Debug)]
pub(crate) struct Bits {
    pub(crate) ids: u64,
    pairs: u64,
    ones: Tally,
    /// Bits that differ from those of the id before, in its stream.
    changed: Tally,
    /// Bits that differ from the bit to their left.
    adjacent: Tally,
    /// The values of each byte.
    bytes: Vec<[u64; 256]>,
    sample: Vec<u128>,
}

/// The result of all tests of a kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) tests: u32,
    /// The smallest p-value, times the number of tests.
    pub(crate) p: f64,
    /// Describes the subject of that test.
    pub(crate) what: String,
}

impl Default for Bits {
    fn default() -> Self {
        Bits {
            ids: 0,
            pairs: 0,
            ones: Tally::default(),
            changed: Tally::default(),
            adjacent: Tally::default(),
            bytes: vec![[0; 256]; 16],
            sample: Vec::new(),
        }
    }
}

impl Bits {
    pub(crate) fn push(&mut self, before: Option<u128>, ids: impl Iterator<Item = u128> + Clone) {
        let mut last = before;
        for id in ids {
            self.ids += 1;
            self.ones.add(id);
            self.adjacent.add(id ^ id >> 1);
            for (counts, byte) in self.bytes.iter_mut().zip(id.to_be_bytes()) {
                counts[usize::from(byte)] += 1;
            }
            if let Some(last) = last {
                self.pairs += 1;
                self.changed.add(id ^ last);
            }
            last = Some(id);
            if self.sample.len() < SAMPLE {
                self.sample.push(id);
            }
        }
    }

    /// The first ids of the kind.
    pub(crate) fn sample(&self) -> &[u128] {
        &self.sample
    }

    /// The bits of `of` that change in fewer than one of 256 ids.
    pub(crate) fn constant(&mut self, of: u128) -> u128 {
        self.rare(of, 256)
    }

    /// The bits of `of` that change in fewer than one of `ids` ids. A random bit changes every other time.
    pub(crate) fn rare(&mut self, of: u128, ids: u64) -> u128 {
        let few = self.pairs / ids;
        let changed = self.changed.totals();
        (0..128).filter(|&bit| changed[bit] <= few).fold(0, |bits, bit| bits | 1 << bit) & of
    }

    /// The bits of `of` that have one value in all but fewer than one of 512 ids, whatever the order of the ids is.
    pub(crate) fn same(&mut self, of: u128) -> u128 {
        let (ids, few) = (self.ids, self.ids / 512);
        let ones = self.ones.totals();
        (0..128).filter(|&bit| ones[bit].min(ids - ones[bit]) <= few).fold(0, |bits, bit| bits | 1 << bit)
            & of
    }

    /// The bits of `of` that are zero in most ids.
    pub(crate) fn zeros(&mut self, of: u128) -> u128 {
        let ids = self.ids;
        let ones = self.ones.totals();
        (0..128).filter(|&bit| ones[bit] * 2 < ids).fold(0, |bits, bit| bits | 1 << bit) & of
    }

    /// Runs all tests on these bits.
    pub(crate) fn test(&mut self, bits: u128) -> Option<Outcome> {
        self.tested(bits, true)
    }

    /// Runs all tests on these bits but that of successive ids, which depend on each other if they were sorted.
    pub(crate) fn test_sorted(&mut self, bits: u128) -> Option<Outcome> {
        self.tested(bits, false)
    }

    fn tested(&mut self, bits: u128, are_independent: bool) -> Option<Outcome> {
        if bits == 0 || self.ids < ENOUGH {
            return None;
        }
        let mut tests = Tests { count: 0, p: 1.1, what: String::new() };
        let (ids, pairs) = (self.ids, self.pairs);
        let adjacent = bits & bits >> 1;
        let counts = [
            (self.ones.totals(), bits, ids, "is set too often or too rarely"),
            (self.changed.totals(), bits, pairs, "depends on that of the id before"),
            (self.adjacent.totals(), adjacent, ids, "depends on its left neighbor"),
        ];
        let skipped = if are_independent { counts.len() } else { 1 };
        for (_, (counts, mask, n, what)) in
            counts.into_iter().enumerate().filter(|(place, _)| *place != skipped)
        {
            for bit in (0..128).filter(|bit| mask >> bit & 1 == 1) {
                tests.add(fair_bits(counts[bit], n), || format!("bit {} {what}", 127 - bit));
            }
        }
        for byte in (0..16).filter(|&byte| bits >> (8 * (15 - byte)) & 0xFF == 0xFF) {
            let expected = ids as f64 / 256.0;
            let statistic = self.bytes[byte].iter().map(|&n| (n as f64 - expected).powi(2) / expected).sum();
            tests.add(chi_squared(statistic, 255), || format!("the values of byte {byte} are uneven"));
        }
        for (mask, name) in parts(bits) {
            let (repeats, expected) = self.repeats(mask);
            tests.add(at_least(repeats, expected), || {
                format!("the {name} of the random bits repeats {repeats} times, where chance repeats {expected:.1}")
            });
        }
        Some(Outcome { tests: tests.count, p: (tests.p * f64::from(tests.count)).min(1.0), what: tests.what })
    }

    /// Returns the number of pairs of ids of the sample that agree in these bits, and the number that is expected.
    fn repeats(&self, mask: u128) -> (u64, f64) {
        let mut seen: HashMap<u128, u64> = HashMap::with_capacity(self.sample.len());
        let mut repeats = 0;
        for id in &self.sample {
            let count = seen.entry(id & mask).or_default();
            repeats += *count;
            *count += 1;
        }
        let n = self.sample.len() as f64;
        (repeats, n * (n - 1.0) / 2.0 / 2f64.powi(mask.count_ones() as i32))
    }
}

struct Tests {
    count: u32,
    p: f64,
    what: String,
}

impl Tests {
    fn add(&mut self, p: f64, what: impl FnOnce() -> String) {
        self.count += 1;
        if p < self.p {
            self.p = p;
            self.what = what();
        }
    }
}

/// The halves and quarters of a mask, as far as they have 12 bits or more.
fn parts(bits: u128) -> Vec<(u128, &'static str)> {
    let cut = |of: u128, at: u32| {
        let mut rest = of;
        (0..at).for_each(|_| rest &= rest - 1);
        (rest, of & !rest)
    };
    let (first, second) = cut(bits, bits.count_ones() / 2);
    let ((a, b), (c, d)) = (cut(first, first.count_ones() / 2), cut(second, second.count_ones() / 2));
    let names =
        ["first half", "second half", "first quarter", "second quarter", "third quarter", "last quarter"];
    [first, second, a, b, c, d].into_iter().zip(names).filter(|(mask, _)| mask.count_ones() >= 12).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Claim;

    const V4: Claim = Claim::Version(4);

    fn outcome(ids: u64, mut next: impl FnMut(u64) -> u128) -> Outcome {
        let ids: Vec<u128> = (0..ids).map(|n| next(n) & V4.free_bits() | 0x4 << 76 | 0b10 << 62).collect();
        let mut bits = Bits::default();
        bits.push(None, ids[..10].iter().copied());
        bits.push(Some(ids[9]), ids[10..].iter().copied());
        bits.test(V4.free_bits()).unwrap()
    }

    #[test]
    fn random_bits_pass() {
        let mut random = fastrand::Rng::with_seed(1);
        let outcome = outcome(100_000, |_| random.u128(..));
        assert!(outcome.p > 1e-3 && outcome.tests > 350, "{outcome:?}");
    }

    #[test]
    fn each_defect_is_found() {
        let found = |name: &str, defect: &mut dyn FnMut(u64, u128) -> u128| {
            let mut random = fastrand::Rng::with_seed(1);
            let outcome = outcome(50_000, |n| defect(n, random.u128(..)));
            assert!(outcome.p < 1e-6 && outcome.what.contains(name), "{name}: {outcome:?}");
        };
        found("bit 127 is set too often", &mut |n, bits| bits | u128::from(n % 16 == 0));
        let mut last = 0;
        found("bit 3 depends on that of the id before", &mut |n, bits| {
            let bit = if n % 8 == 0 { last } else { bits };
            last = bits & !(1 << 124) | bit & 1 << 124;
            last
        });
        found("bit 1 depends on its left neighbor", &mut |n, bits| {
            let copied = bits & !(1 << 126) | (bits >> 127) << 126;
            if n % 8 == 0 { copied } else { bits }
        });
        found("the values of byte 0", &mut |_, bits| {
            if bits >> 120 == 7 { bits ^ 0xFF << 120 } else { bits }
        });
        // A seed of 16 bits behind 61 bits that look random.
        found("half of the random bits repeats", &mut |_, bits| {
            let seeded = fastrand::Rng::with_seed(bits as u64 & 0xFFFF).u64(..);
            bits & !u128::from(u64::MAX) | u128::from(seeded)
        });
    }

    #[test]
    fn constant_bits_are_told_from_random_ones() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut bits = Bits::default();
        bits.push(None, (0..2_000).map(|_| random.u128(..) >> 16).collect::<Vec<_>>().into_iter());
        assert_eq!(bits.constant(u128::MAX), 0xFFFF << 112);
        assert_eq!(bits.test(0), None);
    }

    #[test]
    fn parts_share_a_mask_evenly() {
        let parts: Vec<_> = parts(V4.free_bits()).into_iter().map(|(mask, _)| mask).collect();
        assert_eq!(parts[0] | parts[1], V4.free_bits());
        assert_eq!(parts[2] | parts[3], parts[0]);
        assert_eq!(parts.iter().map(|part| part.count_ones()).collect::<Vec<_>>(), [61, 61, 31, 30, 31, 30]);
        assert_eq!(parts[0] & parts[1], 0);
        assert!(super::parts(0xFF).is_empty());
    }
}
