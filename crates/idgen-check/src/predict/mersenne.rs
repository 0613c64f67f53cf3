//! The Mersenne Twister, MT19937: 32-bit numbers, of which 624 are its state.

mod parts;
mod polynomial;
mod whole;

pub(super) use parts::find as parts;
#[cfg(test)]
pub(super) use parts::hypotheses;
pub(super) use whole::find as whole;

use super::follow::Draws;

const SIZE: usize = 624;
const MIDDLE: usize = 397;
const UPPER: u32 = 1 << 31;
const TWIST: u32 = 0x9908_B0DF;

/// The recurrence: a number of the state from those before.
fn twist(first: u32, second: u32, middle: u32) -> u32 {
    let mixed = first & UPPER | second & !UPPER;
    middle ^ mixed >> 1 ^ if mixed & 1 == 1 { TWIST } else { 0 }
}

fn temper(mut x: u32) -> u32 {
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
struct Mersenne {
    state: Vec<u32>,
    at: usize,
}

impl Mersenne {
    fn word(&mut self) -> u32 {
        let x = self.state[self.at];
        let middle = self.state[(self.at + MIDDLE) % SIZE];
        self.state[self.at] = twist(x, self.state[(self.at + 1) % SIZE], middle);
        self.at = (self.at + 1) % SIZE;
        temper(x)
    }

    /// Undoes a step; the next number must be that of the first word.
    fn back(&mut self) {
        let mixed = |last: usize, middle: usize| {
            let twisted = self.state[last] ^ self.state[middle];
            let lowest = twisted >> 31;
            ((twisted ^ (lowest * TWIST)) << 1) | lowest
        };
        let (upper, lower) = (mixed(SIZE - 1, MIDDLE - 1), mixed(SIZE - 2, MIDDLE - 2));
        self.state.rotate_right(1);
        self.state[0] = upper & UPPER | lower & !UPPER;
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

const NAME: &str =
    "the Mersenne Twister MT19937 (Python's random, PHP's mt_rand, Ruby's rand, NumPy's RandomState)";
const INSTEAD: &str = "uuid.uuid4() or secrets in Python, random_bytes() in PHP, SecureRandom.uuid in Ruby, the random numbers of the system elsewhere";

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
