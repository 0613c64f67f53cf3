//! The table of sources whose numbers are the sum of two words.

use super::super::form::{End, Form};
use super::super::linear::ends;
use super::super::source::{
    Linear, SYSTEM, State, WEB, forward, xoroshiro128_words, xorshift128, xoshiro256_words,
};

pub(super) struct Sum {
    /// The two words, combined by exclusive or.
    pub(super) linear: Linear,
    pub(super) sum: fn(&mut State) -> u64,
    /// The number of the lowest bits of the sum that a number has.
    pub(super) width: u32,
    is_fraction: bool,
    /// The least number of bits that numbers of the form have.
    narrowest: u32,
    pub(super) instead: &'static str,
}

/// The bits of a fraction.
const FRACTION: u32 = 53;

fn xor((a, b): (u64, u64)) -> u64 {
    a ^ b
}

fn sum((a, b): (u64, u64)) -> u64 {
    a.wrapping_add(b)
}

pub(super) static SUMS: &[Sum] = &[
    Sum {
        linear: forward("Math.random() of Firefox or Safari", 2, (64, 64), |s| xor(xorshift128(s))),
        sum: |s| sum(xorshift128(s)),
        width: FRACTION,
        is_fraction: true,
        narrowest: 4,
        instead: WEB,
    },
    // The fraction is the highest 53 bits of the sum, and numbers are given away in the order in which they are made.
    Sum {
        linear: forward("Math.random() of newer V8 (Chrome 156)", 2, (64, 64), |s| xor(xorshift128(s))),
        sum: |s| sum(xorshift128(s)),
        width: 64,
        is_fraction: true,
        narrowest: 4,
        instead: WEB,
    },
    Sum {
        linear: forward("xoroshiro128+", 2, (64, 64), |s| xor(xoroshiro128_words(s))),
        sum: |s| sum(xoroshiro128_words(s)),
        width: 64,
        is_fraction: false,
        narrowest: 32,
        instead: SYSTEM,
    },
    Sum {
        linear: forward("xoshiro256+", 4, (64, 64), |s| xor(xoshiro256_words(s))),
        sum: |s| sum(xoshiro256_words(s)),
        width: 64,
        is_fraction: false,
        narrowest: 32,
        instead: SYSTEM,
    },
];

impl Sum {
    /// Narrow numbers take the most time, so only the most frequent forms of them are tried: all digits, in the order of the id.
    pub(super) fn may_have(&self, form: &Form) -> bool {
        let is_in_order = form.cells.iter().flatten().is_sorted_by_key(|cell| cell.draw);
        let is_usual = form.widest() > 4 || is_in_order && form.mask().count_ones() > 96;
        let widest = if self.is_fraction { FRACTION } else { self.width };
        (self.narrowest..=widest).contains(&form.widest()) && !form.is_scaled && is_usual
    }

    pub(super) fn ends(&self, form: &Form) -> Vec<End> {
        ends(form, self.width, self.is_fraction)
    }
}
