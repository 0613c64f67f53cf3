//! The Mersenne Twister, MT19937, whose 32-bit numbers are all bits of its state after 624 of them.
//!
//! Bits of numbers that ids do not show are the unknowns; later numbers are sums of earlier ones. Most of these equations cancel if ids
//! show whole numbers, because then a number follows from three earlier ones: ids of another source are refuted by the first four.

mod parts;

use super::SPARE;
use super::echelon::Echelon;
use super::follow::{Draws, Lead};
use super::form::{End, FORMS, Form, fixed};
use super::lagged::next_bits;

pub(super) const SIZE: usize = 624;
pub(super) const MIDDLE: usize = 397;
const UPPER: u32 = 1 << 31;

/// The recurrence: a number of the state from those before.
pub(super) fn twist(first: u32, second: u32, middle: u32) -> u32 {
    let mixed = first & UPPER | second & !UPPER;
    middle ^ mixed >> 1 ^ if mixed & 1 == 1 { 0x9908_B0DF } else { 0 }
}

pub(super) fn temper(mut x: u32) -> u32 {
    x ^= x >> 11;
    x ^= x << 7 & 0x9D2C_5680;
    x ^= x << 15 & 0xEFC6_0000;
    x ^ x >> 18
}

fn untemper(mut x: u32) -> u32 {
    x ^= x >> 18;
    x ^= x << 15 & 0xEFC6_0000;
    let shifted = x;
    for _ in 0..4 {
        x = shifted ^ x << 7 & 0x9D2C_5680;
    }
    x ^ x >> 11 ^ x >> 22
}

/// The generator; `at` is the place of the next number.
#[derive(Clone)]
pub(super) struct Mersenne {
    pub(super) state: Vec<u32>,
    pub(super) at: usize,
}

impl Mersenne {
    pub(super) fn word(&mut self) -> u32 {
        let x = self.state[self.at];
        let middle = self.state[(self.at + MIDDLE) % SIZE];
        self.state[self.at] = twist(x, self.state[(self.at + 1) % SIZE], middle);
        self.at = (self.at + 1) % SIZE;
        temper(x)
    }
}

impl Draws for Mersenne {
    fn next(&mut self) -> u64 {
        u64::from(self.word()) << 32
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(self.clone())
    }
}

/// The numbers of the generator, as far as ids show them: their value, and which bits are known.
fn shown(ids: &[u128], form: &Form, known: u128) -> Vec<(u32, u32)> {
    let of_draw = |id: u128, draw: usize| {
        let (number, mask, of) = form.seen(id, draw, known);
        let top = |bits: u64| if of == 0 { 0 } else { (bits << (64 - of) >> 32) as u32 };
        (top(number), top(mask))
    };
    ids.iter().flat_map(|id| (0..form.draws).map(move |draw| of_draw(*id, draw))).collect()
}

/// Whether numbers that are known as a whole follow from those before, for at least [`SPARE`] bits.
fn follows(shown: &[(u32, u32)]) -> bool {
    let whole =
        |n: usize| shown.get(n).filter(|(_, mask)| *mask == u32::MAX).map(|(word, _)| untemper(*word));
    let mut checked = 0;
    for n in 0..shown.len().saturating_sub(SIZE) {
        let numbers = (whole(n), whole(n + 1), whole(n + MIDDLE), whole(n + SIZE));
        if let (Some(first), Some(second), Some(middle), Some(last)) = numbers {
            if last != twist(first, second, middle) {
                return false;
            }
            checked += 32;
        }
    }
    checked >= SPARE
}

/// The states that these numbers may begin with, and how many of the numbers were used.
fn solve(shown: &[(u32, u32)]) -> Option<(Vec<Vec<u32>>, usize)> {
    let unknowns: usize = shown[..SIZE].iter().map(|(_, mask)| mask.count_zeros() as usize).sum();
    let left = unknowns.div_ceil(64);
    let words = left + 1;
    // The equations of each bit of the last 624 numbers, before tempering.
    let mut rows = vec![0_u64; SIZE * 32 * words];
    let mut unknown = 0;
    for (n, (value, mask)) in shown[..SIZE].iter().enumerate() {
        for bit in 0..32 {
            let (word, value) = match mask >> bit & 1 {
                1 => (left, u64::from(value >> bit & 1)),
                _ => {
                    unknown += 1;
                    ((unknown - 1) / 64, 1 << ((unknown - 1) % 64))
                }
            };
            let mut to = untemper(1 << bit);
            while to != 0 {
                let row = n * 32 + to.trailing_zeros() as usize;
                to &= to - 1;
                rows[row * words + word] ^= value;
            }
        }
    }
    // Which bits a tempered one is the sum of.
    let tempered: Vec<Vec<usize>> =
        (0..32).map(|bit| (0..32).filter(|from| temper(1 << from) >> bit & 1 == 1).collect()).collect();
    let mut system = Echelon::new(unknowns, 1);
    let (mut spare, mut rank, mut row) = (0, 0, vec![0; words]);
    for (n, (value, mask)) in shown.iter().enumerate().skip(SIZE) {
        let base = |number: usize, bit: usize| (number % SIZE * 32 + bit) * words;
        let (now, next, middle) = (n % SIZE, n + 1, n + MIDDLE);
        let lowest = base(next, 0);
        let upper = rows[base(now, 31)..][..words].to_vec();
        for bit in 0..32 {
            let mixed = match bit {
                31 => None,
                30 => Some(&upper[..]),
                _ => Some(&rows[base(next, bit + 1)..][..words]),
            };
            row.fill(0);
            let mut add = |other: &[u64]| row.iter_mut().zip(other).for_each(|(a, b)| *a ^= b);
            mixed.into_iter().for_each(&mut add);
            add(&rows[base(middle, bit)..][..words]);
            if 0x9908_B0DF_u32 >> bit & 1 == 1 {
                add(&rows[lowest..][..words]);
            }
            rows[base(now, bit)..][..words].copy_from_slice(&row);
        }
        for bit in (0..32).filter(|bit| mask >> bit & 1 == 1) {
            row.fill(0);
            for &from in &tempered[bit] {
                let other = &rows[base(now, from)..][..words];
                row.iter_mut().zip(other).for_each(|(a, b)| *a ^= b);
            }
            row[left] ^= u64::from(value >> bit & 1);
            match system.add(&mut row) {
                true => rank += 1,
                false if row[left] & 1 == 1 => return None,
                false => spare += 1,
            }
        }
        if spare >= SPARE && rank == unknowns {
            return Some((vec![state(shown, &system.solution(|_| 0))], n + 1));
        }
    }
    if spare < SPARE {
        return None;
    }
    // Some states fit.
    let mut bits = 0;
    let states = (0..VARIANTS).map(|_| {
        let free: Vec<u64> = (0..left).map(|_| next_bits(&mut bits)).collect();
        state(shown, &system.solution(|word| free[word]))
    });
    Some((states.collect(), shown.len()))
}

/// The number of states that stand for all that fit: a bit in which they agree is known.
const VARIANTS: usize = 24;

/// The state of which these numbers are known, and all other bits are those of a solution.
fn state(shown: &[(u32, u32)], solution: &[u64]) -> Vec<u32> {
    let mut unknown = 0;
    let number = |(value, mask): &(u32, u32)| {
        let mut value = *value & mask;
        for bit in (0..32).filter(|bit| mask >> bit & 1 == 0) {
            value |= ((solution[unknown / 64] >> (unknown % 64) & 1) as u32) << bit;
            unknown += 1;
        }
        untemper(value)
    };
    shown[..SIZE].iter().map(number).collect()
}

/// The state of a Mersenne Twister from which these ids may come.
pub(super) fn find(ids: &[u128]) -> Vec<Lead> {
    let known = fixed(ids);
    for form in FORMS.iter().filter(shows_whole_numbers) {
        let of_one = form.draws;
        // A few places of long input, in case that something comes between.
        let step = (ids.len() / 8).max(1);
        for start in (0..ids.len()).step_by(step) {
            let rest = &ids[start..ids.len().min(start + MOST_IDS)];
            if rest.len() * of_one <= SIZE {
                break;
            }
            let shown = shown(rest, form, known);
            if !follows(&shown) {
                continue;
            }
            if let Some((states, numbers)) = solve(&shown) {
                let mut states: Vec<_> = states.into_iter().map(|state| Mersenne { state, at: 0 }).collect();
                let first = states.remove(0);
                return vec![Lead {
                    source: NAME.into(),
                    instead: INSTEAD,
                    form: form.clone(),
                    end: End::Top,
                    width: 32,
                    known,
                    draws: Box::new(first),
                    variants: states.into_iter().map(|state| Box::new(state) as _).collect(),
                    needed: numbers.div_ceil(of_one),
                }];
            }
        }
    }
    parts::find(ids)
}

/// The most hypotheses: forms, and places of long input.
#[cfg(test)]
pub(super) fn hypotheses() -> usize {
    FORMS.len() * 9 + parts::hypotheses()
}

/// This many ids are enough for any form.
const MOST_IDS: usize = 400;

const NAME: &str =
    "the Mersenne Twister MT19937 (Python's random, PHP's mt_rand, Ruby's rand, NumPy's RandomState)";
pub(super) const INSTEAD: &str = "uuid.uuid4() or secrets in Python, random_bytes() in PHP, SecureRandom.uuid in Ruby, the random numbers of the system elsewhere";

/// Whether numbers of 32 bits get into ids as a whole.
fn shows_whole_numbers(form: &&Form) -> bool {
    form.cells.iter().flatten().any(|cell| cell.of == 32) && !form.is_scaled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tempering_is_undone() {
        for x in [0, 1, 0x1234_5678, u32::MAX] {
            assert_eq!(untemper(temper(x)), x);
        }
    }
}
