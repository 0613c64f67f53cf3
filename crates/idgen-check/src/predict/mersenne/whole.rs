//! The Mersenne Twister where ids show whole numbers, but for the bits of version and variant.
//!
//! A number of the state follows from three earlier ones, and a number that is drawn shows one of the state. Bits that ids do not show are the unknowns.

use super::super::SPARE;
use super::super::echelon::Echelon;
use super::super::follow::{Draws, Lead};
use super::super::form::{End, FORMS, Form, fixed};
use super::super::lagged::next_bits;
use super::super::source::SYSTEM;
use super::{INSTEAD, MIDDLE, NAME, SIZE, VARIANTS};

/// A Mersenne Twister of words of 32 or 64 bits.
struct Twister {
    name: &'static str,
    instead: &'static str,
    bits: usize,
    /// Words of the state, and the place of the one that is added.
    size: usize,
    middle: usize,
    matrix: u64,
    temper: fn(u64) -> u64,
    untemper: fn(u64) -> u64,
}

/// The bits of a word from this one on are combined with the bits below it of the next word.
const UPPER: usize = 31;
const UPPER_MASK: u64 = u64::MAX << UPPER;

static TWISTERS: [Twister; 2] = [
    Twister {
        name: NAME,
        instead: INSTEAD,
        bits: 32,
        size: SIZE,
        middle: MIDDLE,
        matrix: 0x9908_B0DF,
        temper: |word| u64::from(super::temper(word as u32)),
        untemper: |number| u64::from(untemper(number as u32)),
    },
    Twister {
        name: "the Mersenne Twister MT19937-64 (std::mt19937_64 of C++)",
        instead: SYSTEM,
        bits: 64,
        size: 312,
        middle: 156,
        matrix: 0xB502_6F5A_A966_19E9,
        temper: temper64,
        untemper: untemper64,
    },
];

fn untemper(mut x: u32) -> u32 {
    x ^= x >> 18;
    x ^= x << 15 & 0xEFC6_0000;
    let shifted = x;
    for _ in 0..4 {
        x = shifted ^ x << 7 & 0x9D2C_5680;
    }
    x ^ x >> 11 ^ x >> 22
}

fn temper64(mut x: u64) -> u64 {
    x ^= x >> 29 & 0x5555_5555_5555_5555;
    x ^= x << 17 & 0x71D6_7FFF_EDA6_0000;
    x ^= x << 37 & 0xFFF7_EEE0_0000_0000;
    x ^ x >> 43
}

fn untemper64(mut x: u64) -> u64 {
    x ^= x >> 43;
    x ^= x << 37 & 0xFFF7_EEE0_0000_0000;
    let shifted = x;
    for _ in 0..3 {
        x = shifted ^ x << 17 & 0x71D6_7FFF_EDA6_0000;
    }
    let shifted = x;
    for _ in 0..2 {
        x = shifted ^ x >> 29 & 0x5555_5555_5555_5555;
    }
    x
}

impl Twister {
    /// The recurrence: a word of the state from those before.
    fn twist(&self, first: u64, second: u64, middle: u64) -> u64 {
        let mixed = first & UPPER_MASK | second & !UPPER_MASK;
        middle ^ mixed >> 1 ^ if mixed & 1 == 1 { self.matrix } else { 0 }
    }

    /// The numbers of the generator, as far as ids show them: their value, and which bits are known.
    fn shown(&self, ids: &[u128], form: &Form, known: u128) -> Vec<(u64, u64)> {
        let of_draw = |id: u128, draw: usize| {
            let (number, mask, of) = form.seen(id, draw, known);
            let top = |bits: u64| if of == 0 { 0 } else { bits << (64 - of) >> (64 - self.bits) };
            (top(number), top(mask))
        };
        ids.iter().flat_map(|id| (0..form.draws).map(move |draw| of_draw(*id, draw))).collect()
    }

    /// Returns true if at least [`SPARE`] bits of the numbers follow from those before, whatever the bits are that ids do not show.
    fn follows(&self, shown: &[(u64, u64)]) -> bool {
        let mut checked = 0;
        for n in 0..shown.len().saturating_sub(self.size) {
            let four = [n, n + 1, n + self.middle, n + self.size].map(|n| shown[n]);
            let hidden = |mask: u64| !mask & (u64::MAX >> (64 - self.bits));
            if four.iter().map(|(_, mask)| hidden(*mask).count_ones()).sum::<u32>() > MOST_HIDDEN {
                continue;
            }
            // The recurrence is linear: zero, if these are words of the four numbers.
            let sum = |place: usize, number: u64| {
                let mut words = [0; 4];
                words[place] = (self.untemper)(number);
                words[3] ^ self.twist(words[0], words[1], words[2])
            };
            let mut rest = (0..4).fold(0, |rest, place| rest ^ sum(place, four[place].0 & four[place].1));
            // The numbers that bits which are not shown can add to it, each with a highest bit of its own.
            let mut basis = [0_u64; 64];
            let reduce = |basis: &[u64; 64], mut word: u64| {
                for bit in (0..64).rev().filter(|bit| basis[*bit] != 0) {
                    word ^= if word >> bit & 1 == 1 { basis[bit] } else { 0 };
                }
                word
            };
            let mut rank = 0;
            for (place, (_, mask)) in four.iter().enumerate() {
                for bit in (0..64).filter(|bit| hidden(*mask) >> bit & 1 == 1) {
                    let word = reduce(&basis, sum(place, 1 << bit));
                    if word != 0 {
                        basis[word.ilog2() as usize] = word;
                        rank += 1;
                    }
                }
            }
            rest = reduce(&basis, rest);
            if rest != 0 {
                return false;
            }
            checked += self.bits - rank;
        }
        checked >= SPARE as usize
    }

    /// The states that these numbers may begin with, and how many of the numbers were used.
    fn solve(&self, shown: &[(u64, u64)]) -> Option<(Vec<Vec<u64>>, usize)> {
        let hidden = |mask: u64| self.bits - mask.count_ones() as usize;
        let unknowns: usize = shown[..self.size].iter().map(|(_, mask)| hidden(*mask)).sum();
        let left = unknowns.div_ceil(64);
        let words = left + 1;
        // The equations of each bit of the last words of the state.
        let mut rows = vec![0_u64; self.size * self.bits * words];
        let mut unknown = 0;
        for (n, (value, mask)) in shown[..self.size].iter().enumerate() {
            for bit in 0..self.bits {
                let (word, value) = match mask >> bit & 1 {
                    1 => (left, value >> bit & 1),
                    _ => {
                        unknown += 1;
                        ((unknown - 1) / 64, 1 << ((unknown - 1) % 64))
                    }
                };
                let mut to = (self.untemper)(1 << bit);
                while to != 0 {
                    let row = n * self.bits + to.trailing_zeros() as usize;
                    to &= to - 1;
                    rows[row * words + word] ^= value;
                }
            }
        }
        // The bits of which each tempered bit is the sum.
        let is_from = |bit: usize, from: &usize| (self.temper)(1 << *from) >> bit & 1 == 1;
        let tempered: Vec<Vec<usize>> =
            (0..self.bits).map(|bit| (0..self.bits).filter(|from| is_from(bit, from)).collect()).collect();
        let mut system = Echelon::new(unknowns, 1);
        let (mut spare, mut rank, mut row) = (0, 0, vec![0; words]);
        for (n, (value, mask)) in shown.iter().enumerate().skip(self.size) {
            let base = |number: usize, bit: usize| (number % self.size * self.bits + bit) * words;
            let (next, middle) = (n + 1, n + self.middle);
            let lowest = base(next, 0);
            // The bits are computed from the lowest one on: the bits above are still those of the earlier word.
            for bit in 0..self.bits {
                let mixed = match bit + 1 {
                    above if above == self.bits => None,
                    above if above >= UPPER => Some(base(n, above)),
                    above => Some(base(next, above)),
                };
                let is_in_matrix = self.matrix >> bit & 1 == 1;
                row.fill(0);
                for from in mixed.into_iter().chain([base(middle, bit)]).chain(is_in_matrix.then_some(lowest))
                {
                    row.iter_mut().zip(&rows[from..][..words]).for_each(|(a, b)| *a ^= b);
                }
                rows[base(n, bit)..][..words].copy_from_slice(&row);
            }
            for bit in (0..self.bits).filter(|bit| mask >> bit & 1 == 1) {
                row.fill(0);
                for &from in &tempered[bit] {
                    let other = &rows[base(n, from)..][..words];
                    row.iter_mut().zip(other).for_each(|(a, b)| *a ^= b);
                }
                row[left] ^= value >> bit & 1;
                match system.add(&mut row) {
                    true => rank += 1,
                    false if row[left] & 1 == 1 => return None,
                    false => spare += 1,
                }
            }
            if spare >= SPARE && rank == unknowns {
                return Some((vec![self.state(shown, &system.solution(|_| 0))], n + 1));
            }
        }
        if spare < SPARE {
            return None;
        }
        // Some states fit.
        let mut bits = 0;
        let states = (0..VARIANTS).map(|_| {
            let free: Vec<u64> = (0..left).map(|_| next_bits(&mut bits)).collect();
            self.state(shown, &system.solution(|word| free[word]))
        });
        Some((states.collect(), shown.len()))
    }

    /// The state of which these numbers are known, and all other bits are those of a solution.
    fn state(&self, shown: &[(u64, u64)], solution: &[u64]) -> Vec<u64> {
        let mut unknown = 0;
        let number = |(value, mask): &(u64, u64)| {
            let mut value = *value & mask;
            for bit in (0..self.bits).filter(|bit| mask >> bit & 1 == 0) {
                value |= (solution[unknown / 64] >> (unknown % 64) & 1) << bit;
                unknown += 1;
            }
            (self.untemper)(value)
        };
        shown[..self.size].iter().map(number).collect()
    }

    /// Returns true if ids of this form show whole numbers.
    fn may_have(&self, form: &Form) -> bool {
        form.cells.iter().flatten().any(|cell| usize::from(cell.of) == self.bits)
            && form.widest() as usize <= self.bits
            && !form.is_scaled
    }
}

/// The generator; `at` is the place of the next number.
#[derive(Clone)]
struct Source {
    of: &'static Twister,
    state: Vec<u64>,
    at: usize,
}

impl Draws for Source {
    fn next(&mut self) -> u64 {
        let Twister { size, middle, bits, .. } = *self.of;
        let word = |n: usize| self.state[n % size];
        let now = word(self.at);
        self.state[self.at] = self.of.twist(now, word(self.at + 1), word(self.at + middle));
        self.at = (self.at + 1) % size;
        (self.of.temper)(now) << (64 - bits)
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(self.clone())
    }
}

/// Bits that the numbers of one equation do not show, at most. Otherwise, it may say nothing.
const MOST_HIDDEN: u32 = 24;
/// This many ids are enough for any form.
const MOST_IDS: usize = 400;
/// Places of long input that are tried, in case that something comes between.
const PLACES: usize = 8;

/// The state of a Mersenne Twister from which these ids may come.
pub(super) fn find(ids: &[u128]) -> Vec<Lead> {
    let known = fixed(ids);
    for of in &TWISTERS {
        for form in FORMS.iter().filter(|form| of.may_have(form)) {
            let step = (ids.len() / PLACES).max(1);
            for start in (0..ids.len()).step_by(step) {
                let rest = &ids[start..ids.len().min(start + MOST_IDS)];
                if rest.len() * form.draws <= of.size {
                    break;
                }
                let shown = of.shown(rest, form, known);
                if !of.follows(&shown) {
                    continue;
                }
                if let Some((states, numbers)) = of.solve(&shown) {
                    let source = |state| Source { of, state, at: 0 };
                    let mut states: Vec<_> = states.into_iter().map(source).collect();
                    let first = states.remove(0);
                    return vec![Lead {
                        source: of.name.into(),
                        instead: of.instead,
                        form: form.clone(),
                        end: End::Top,
                        width: of.bits as u32,
                        known,
                        draws: Box::new(first),
                        variants: states.into_iter().map(|state| Box::new(state) as _).collect(),
                        needed: numbers.div_ceil(form.draws),
                    }];
                }
            }
        }
    }
    Vec::new()
}

/// The most hypotheses: twisters, forms, and places of long input.
#[cfg(test)]
pub(super) fn hypotheses() -> usize {
    TWISTERS.len() * FORMS.len() * (PLACES + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tempering_is_undone() {
        for of in &TWISTERS {
            for x in [0, 1, 0x1234_5678, 0x0123_4567_89AB_CDEF, u64::MAX] {
                let x = x & u64::MAX >> (64 - of.bits);
                assert_eq!((of.untemper)((of.temper)(x)), x, "{}", of.name);
            }
        }
    }

    /// From the C++ standard: the 10,000th number of std::mt19937 and of std::mt19937_64 with their default seeds.
    #[test]
    fn numbers_are_those_of_the_standard() {
        for (of, factor, shift, number) in [
            (&TWISTERS[0], 1_812_433_253, 30, 4_123_659_995),
            (&TWISTERS[1], 6_364_136_223_846_793_005_u64, 62, 9_981_545_732_273_789_042),
        ] {
            let mask = u64::MAX >> (64 - of.bits);
            let mut state = vec![5_489_u64];
            for n in 1..of.size {
                let last = state[n - 1];
                state.push(factor.wrapping_mul(last ^ last >> shift).wrapping_add(n as u64) & mask);
            }
            let mut source = Source { of, state, at: 0 };
            // The words of the seed are not drawn.
            (0..of.size + 9_999).for_each(|_| _ = source.next());
            assert_eq!(source.next() >> (64 - of.bits), number, "{}", of.name);
        }
    }
}
