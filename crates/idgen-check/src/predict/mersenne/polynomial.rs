//! Which sums of bits of numbers of the Mersenne Twister are bits of its state, and which sums are always zero.
//!
//! Let x be the sequence of words of the state, and P the map that adds the words 623 and 396 later: (P x)[n] = x[n + 623] + x[n + 396].
//! The recurrence says that P takes bit 31 of the words to bit 0, and bit j to bit j + 1, plus bit 0 if the constant of the recurrence has bit
//! j. So each bit of a word, and each sum of them, is a polynomial in P of degree 31 at most, applied to bit 31. If ids show a few bits of each
//! number, sums of these polynomials times powers of P give all others: small linear algebra, whatever the numbers are.

use super::super::echelon::Echelon;
use super::{MIDDLE, SIZE, TWIST, temper};

/// Bit `bit` of the number that comes `later` numbers later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) later: usize,
    pub(super) bit: u32,
}

/// Sums of bits that ids show.
#[derive(Debug)]
pub(super) struct Sums {
    /// The sums that are bit 0 to 31 of a word of the state.
    pub(super) words: Vec<Vec<Term>>,
    /// The sums that are zero.
    pub(super) zeros: Vec<Vec<Term>>,
}

/// Polynomials in P of a degree below this number.
const TERMS: usize = 128;
/// Powers of P that are tried.
const MOST_POWERS: usize = 40;

/// The bits of a word as polynomials.
fn word() -> [u128; 32] {
    let mut bits = [1; 32];
    bits[0] = 1 << 1;
    for bit in 0..30 {
        bits[bit + 1] = bits[bit] << 1 ^ if TWIST >> bit & 1 == 1 { bits[0] } else { 0 };
    }
    bits
}

impl Sums {
    /// If ids show these bits of every number, or of every `stride`-th one.
    pub(super) fn new(seen: u32, stride: usize) -> Option<Self> {
        let word = word();
        let polynomial = |bit: u32| {
            let from = (0..32).filter(|from| temper(1 << from) >> bit & 1 == 1);
            from.fold(0, |sum, from| sum ^ word[from as usize])
        };
        let mut bits: Vec<u32> = (0..32).filter(|bit| seen >> bit & 1 == 1).collect();
        let mut given: Vec<(usize, u32)> = Vec::new();
        let mut system = Echelon::new(TERMS, (MOST_POWERS * bits.len()).div_ceil(64));
        let (mut words, mut zeros): (Option<Vec<_>>, _) = (None, Vec::new());
        let row = |system: &Echelon, polynomial: u128| {
            let mut row = vec![0; system.words()];
            (row[0], row[1]) = (polynomial as u64, (polynomial >> 64) as u64);
            row
        };
        for power in 0..MOST_POWERS {
            // A bit that is a sum of others stays one for higher powers.
            bits.retain(|&bit| {
                let mut row = row(&system, polynomial(bit) << (power * stride));
                row[system.right() + given.len() / 64] |= 1 << (given.len() % 64);
                given.push((power * stride, bit));
                let is_new = system.add(&mut row);
                if !is_new {
                    zeros.push(terms(&row[system.right()..], &given));
                }
                is_new
            });
            if words.is_none() {
                let mut system = system.clone();
                let sum = |&polynomial: &u128| {
                    let mut row = row(&system, polynomial);
                    (!system.add(&mut row)).then(|| terms(&row[system.right()..], &given))
                };
                words = word.iter().map(sum).collect();
            }
            if bits.len() <= stride {
                break;
            }
        }
        Some(Sums { words: words?, zeros })
    }

    /// The numbers after the first one from which a bit of the first word follows.
    pub(super) fn until(&self) -> usize {
        self.words.iter().flatten().map(|term| term.later).max().unwrap_or(0)
    }
}

/// The terms of those of the given powers of P and bits whose bit is set in `chosen`, the last number last.
fn terms(chosen: &[u64], given: &[(usize, u32)]) -> Vec<Term> {
    let mut terms = Vec::new();
    for (_, &(power, bit)) in given.iter().enumerate().filter(|(n, _)| chosen[n / 64] >> (n % 64) & 1 == 1) {
        // A binomial coefficient is odd if the bits of the lower number are among those of the upper one.
        for first in (0..=power).filter(|first| first & !power == 0) {
            terms.push(Term { later: (SIZE - 1) * first + (MIDDLE - 1) * (power - first), bit });
        }
    }
    terms.sort_unstable_by_key(|term| term.later);
    terms
}

#[cfg(test)]
mod tests {
    use super::super::{Mersenne, untemper};
    use super::*;

    /// The sums give the words of a generator, and zeros.
    #[test]
    fn sums_of_shown_bits_are_bits_of_the_state() {
        let mut seed = fastrand::Rng::with_seed(1);
        let state = (0..SIZE).map(|_| seed.u32(..)).collect();
        let mut generator = Mersenne { state, at: 0 };
        // The first words of the state are no sums of others.
        let numbers: Vec<u32> = (0..40_000 + SIZE).map(|_| generator.word()).skip(SIZE).collect();
        for (seen, stride) in
            [(0xF, 1), (0xF000_0000, 1), (0xFF, 1), (0xFFFF, 1), (0x1E, 1), (0xF000_0000, 2), (u32::MAX, 1)]
        {
            let sums = Sums::new(seen, stride).unwrap();
            assert_eq!(sums.zeros.len(), seen.count_ones() as usize - stride, "{seen:x}, {stride}");
            let sum = |n: usize, terms: &[Term]| {
                terms.iter().fold(0, |sum, term| sum ^ numbers[n + term.later] >> term.bit & 1)
            };
            for n in 0..50 {
                assert!(sums.zeros.iter().all(|terms| sum(n, terms) == 0), "{seen:x}, {stride}, {n}");
                let word = sums.words.iter().rev().fold(0, |word, terms| word << 1 | sum(n, terms));
                assert_eq!(word, untemper(numbers[n]), "{seen:x}, {stride}, {n}");
            }
            assert!(
                sums.words.iter().flatten().all(|term| seen >> term.bit & 1 == 1 && term.later % stride == 0)
            );
        }
    }
}
