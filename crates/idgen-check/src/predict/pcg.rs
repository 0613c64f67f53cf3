//! PCG32: a linear congruence of 64 bits, of which each number shows 32 bits of the upper ones, rotated by the five highest.
//!
//! The rotation is tried. With it, a number shows the 37 highest bits of the state, and three numbers one after the other determine the two differences
//! between their states, since the second is a multiple of the first. The increment need not be known. The 27 lowest bits of a state only
//! show in carries, so that each id narrows the range in which they are.

use std::ops::Range;
use std::sync::LazyLock;

use super::follow::{Draws, Lead};
use super::form::{End, FORMS, Form, fixed};
use super::scrambled::inverse;
use super::source::SYSTEM;
use super::{SPARE, windows};

const FACTOR: u64 = 6_364_136_223_846_793_005;
/// Lowest bits of a state that no number shows.
const LOW: u32 = 27;
const UPPER_MASK: u64 = (1 << (64 - LOW)) - 1;

/// The number of a state, from its upper bits.
fn number(upper: u64) -> u32 {
    ((upper ^ upper >> 18) as u32).rotate_right((upper >> 32) as u32)
}

/// The upper bits of the state that gives this number by this rotation.
fn upper(number: u32, rotation: u32) -> u64 {
    let mixed = u64::from(rotation) << 32 | u64::from(number.rotate_left(rotation));
    mixed ^ mixed >> 18 ^ mixed >> 36
}

/// Two short vectors (x, y) of which y is x times the factor, modulo 2^64.
static SHORT: LazyLock<[[i128; 2]; 2]> = LazyLock::new(|| {
    let norm = |[x, y]: [i128; 2]| x * x + y * y;
    let (mut a, mut b) = ([0, 1_i128 << 64], [1, i128::from(FACTOR)]);
    // The first vectors are too long for the squares of i128.
    while a[1] != 0 && b[1].abs() > 1 << 40 {
        let times = a[1] / b[1];
        (a, b) = (b, [a[0] - times * b[0], a[1] - times * b[1]]);
    }
    loop {
        if norm(a) < norm(b) {
            (a, b) = (b, a);
        }
        let product = a[0] * b[0] + a[1] * b[1];
        let times = (product as f64 / norm(b) as f64).round() as i128;
        if times == 0 {
            return [a, b];
        }
        a = [a[0] - times * b[0], a[1] - times * b[1]];
    }
});

/// The difference of two states, from the upper bits of it and of the next one.
fn difference(first: u64, second: u64) -> Option<u64> {
    let [a, b] = *SHORT;
    let (first, second) = (first << LOW, second << LOW);
    // The lower parts of the differences are near to zero. The vector (0, 2^64) is in the lattice, whose determinant is 2^64: the place of
    // `right` between its points, in parts of 2^64 of the two vectors, follows from multiplications modulo 2^64.
    let right = first.wrapping_mul(FACTOR).wrapping_sub(second);
    let sign = if a[0] * b[1] > a[1] * b[0] { 1 } else { -1 };
    let place = |factor: i128| i128::from(right.wrapping_mul((sign * factor) as u64) as i64);
    let (in_a, in_b) = (place(-b[0]), place(a[0]));
    let low = |n: usize| (in_a * a[n] + in_b * b[n]) >> 64;
    let is_low = |low: i128| low.abs() < 1 << LOW;
    let x = low(0);
    (is_low(x) && is_low(low(1))).then(|| first.wrapping_add(x as u64))
}

/// A state but for its lowest bits, and its difference to the next one.
#[derive(Clone)]
struct Source {
    base: u64,
    difference: u64,
    low: u64,
}

impl Source {
    /// The one before this one.
    fn before(&self) -> Source {
        let difference = self.difference.wrapping_mul(const { inverse(FACTOR) });
        Source { base: self.base.wrapping_sub(difference), difference, ..*self }
    }

    fn advance(&mut self) {
        self.base = self.base.wrapping_add(self.difference);
        self.difference = self.difference.wrapping_mul(FACTOR);
    }

    /// The range of the lowest bits with which the next numbers are these, as far as they are known: each its value and a mask.
    fn fitting(&self, seen: impl Iterator<Item = (u32, u32)>) -> Option<Range<u64>> {
        let mut source = self.clone();
        let mut range = 0..1 << LOW;
        for (value, mask) in seen {
            let is = |upper: u64| (number(upper & UPPER_MASK) ^ value) & mask == 0;
            let carry = (1 << LOW) - (source.base & ((1 << LOW) - 1));
            match (is(source.base >> LOW), is((source.base >> LOW) + 1)) {
                (true, true) => {}
                (true, false) => range.end = range.end.min(carry),
                (false, true) => range.start = range.start.max(carry),
                (false, false) => return None,
            }
            source.advance();
        }
        (!range.is_empty()).then_some(range)
    }
}

impl Draws for Source {
    fn next(&mut self) -> u64 {
        let number = number(self.base.wrapping_add(self.low) >> LOW);
        self.advance();
        u64::from(number) << 32
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(self.clone())
    }
}

/// Ids that are needed: their bits are 80 more than those of state and increment.
const IDS: usize = 2;
/// Windows of ids that are tried.
const MOST_WINDOWS: usize = 3;
/// Values of bits that ids do not show, in three numbers.
const MOST_HIDDEN: usize = 16;
/// The steps in which states are taken from the range of those that fit. A digit of the next id in which they differ is not known.
const VARIANTS: u64 = 16;

/// Three numbers one after the other of which ids hide little: the first of them, and what each may be.
fn triple(form: &Form, ids: &[u128], known: u128) -> Option<(usize, [Vec<u32>; 3])> {
    let of = |draw: usize| {
        let number = form.candidates(ids[draw / form.draws], draw % form.draws, known);
        number.take(MOST_HIDDEN).map(|number| number as u32).collect::<Vec<_>>()
    };
    let triples = (0..IDS * form.draws - 2).map(|first| (first, [of(first), of(first + 1), of(first + 2)]));
    let hidden = |numbers: &[Vec<u32>; 3]| numbers.iter().map(Vec::len).product::<usize>();
    triples.min_by_key(|(_, numbers)| hidden(numbers)).filter(|(_, numbers)| hidden(numbers) <= MOST_HIDDEN)
}

/// A number of an id, as far as it is shown: its value and a mask.
fn seen(form: &Form, id: u128, draw: usize, known: u128) -> (u32, u32) {
    let (value, mask, _) = form.seen(id, draw, known);
    (value as u32, mask as u32)
}

/// The source before these two ids, and the range of its lowest bits.
fn solve(form: &Form, ids: &[u128], known: u128) -> Option<(Source, Range<u64>)> {
    let seen = |draw: usize| seen(form, ids[draw / form.draws], draw % form.draws, known);
    let (first, numbers) = triple(form, ids, known)?;
    let uppers = numbers.map(|numbers| {
        let each = numbers.iter().flat_map(|&number| (0..32).map(move |rotation| upper(number, rotation)));
        each.collect::<Vec<_>>()
    });
    for &a in &uppers[0] {
        for &b in &uppers[1] {
            for &c in &uppers[2] {
                let Some(difference) = difference(b.wrapping_sub(a), c.wrapping_sub(b)) else { continue };
                let mut source = Source { base: a << LOW, difference, low: 0 };
                (0..first).for_each(|_| source = source.before());
                if let Some(range) = source.fitting((0..ids.len() * form.draws).map(seen)) {
                    return Some((source, range));
                }
            }
        }
    }
    None
}

/// The state of such a source from which these ids may come.
pub(super) fn find(ids: &[u128]) -> Vec<Lead> {
    let known = fixed(ids);
    let is_enough = |form: &&Form| (known & form.mask()).count_ones() as usize * IDS >= 128 + SPARE as usize;
    for form in FORMS.iter().filter(|form| form.is_of_whole(32)).filter(is_enough) {
        for window in windows(ids.len(), IDS).iter().take(MOST_WINDOWS) {
            let pair: Vec<u128> = window.iter().map(|&at| ids[at]).collect();
            let Some((source, mut range)) = solve(form, &pair, known) else { continue };
            // Ids that follow tell more of the lowest bits.
            let mut ahead = source.clone();
            (0..pair.len() * form.draws).for_each(|_| ahead.advance());
            for &id in &ids[window[1] + 1..] {
                let Some(narrower) = ahead.fitting((0..form.draws).map(|draw| seen(form, id, draw, known)))
                else {
                    break;
                };
                let narrower = range.start.max(narrower.start)..range.end.min(narrower.end);
                if narrower.is_empty() {
                    break;
                }
                range = narrower;
                (0..form.draws).for_each(|_| ahead.advance());
            }
            let at = |part: u64| Source {
                low: range.start + (range.end - 1 - range.start) * part / VARIANTS,
                ..source.clone()
            };
            return vec![Lead {
                source: "PCG32 (pcg32_random_r of C, rand_pcg of Rust, Godot)".into(),
                instead: SYSTEM,
                form: form.clone(),
                end: End::Top,
                width: 32,
                known,
                draws: Box::new(at(VARIANTS / 2)),
                variants: (0..=VARIANTS).map(|part| Box::new(at(part)) as _).collect(),
                needed: IDS,
            }];
        }
    }
    Vec::new()
}

/// A state is reported if two ids agree with it, which have 80 bits more than states have.
#[cfg(test)]
pub(super) fn hypotheses() -> usize {
    FORMS.iter().filter(|form| form.is_of_whole(32)).count() * MOST_WINDOWS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rotation_gives_the_upper_bits() {
        for state in [0, 1, 0x0123_4567_89AB_CDEF, u64::MAX, 0xDEAD_BEEF_0000_0001_u64] {
            assert_eq!(upper(number(state >> LOW), (state >> 59) as u32), state >> LOW, "{state:x}");
        }
    }

    #[test]
    fn differences_follow_from_their_upper_bits() {
        let mut state = 42_u64;
        for _ in 0..1_000 {
            let next = |state: u64| state.wrapping_mul(FACTOR).wrapping_add(1_442_695_040_888_963_407);
            let (a, b, c) = (state, next(state), next(next(state)));
            let upper = |state: u64| state >> LOW;
            let found = difference(upper(b).wrapping_sub(upper(a)), upper(c).wrapping_sub(upper(b)));
            assert_eq!(found, Some(b.wrapping_sub(a)));
            state = b;
        }
    }
}
