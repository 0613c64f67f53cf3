//! The Mersenne Twister, MT19937, and its variant of 64 bits. Ids show its numbers as a whole, or some bits of each.

mod parts;
mod whole;

use super::follow::{Draws, Lead};

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

/// The number of states that are tried in place of all that fit: a bit in which they agree is known.
const VARIANTS: usize = 24;

/// The state of a Mersenne Twister from which these ids may come.
pub(super) fn find(ids: &[u128]) -> Vec<Lead> {
    let leads = whole::find(ids);
    if leads.is_empty() { parts::find(ids) } else { leads }
}

/// The most hypotheses: forms, and places of long input.
#[cfg(test)]
pub(super) fn hypotheses() -> usize {
    whole::hypotheses() + parts::hypotheses()
}

const NAME: &str =
    "the Mersenne Twister MT19937 (Python's random, PHP's mt_rand, Ruby's rand, NumPy's RandomState)";
pub(super) const INSTEAD: &str = "uuid.uuid4() or secrets in Python, random_bytes() in PHP, SecureRandom.uuid in Ruby, the random numbers of the system elsewhere";
