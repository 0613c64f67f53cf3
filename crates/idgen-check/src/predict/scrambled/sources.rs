//! The table of sources whose numbers are words of a linear source, changed in a way that can be undone.

use super::super::source::{
    Linear, SYSTEM, State, forward, top32, xoroshiro128, xorshift64_right, xoshiro128, xoshiro256,
};

/// A source whose numbers are words of a linear one, changed in a way that can be undone.
pub(in super::super) struct Scrambled {
    pub(in super::super) linear: Linear,
    /// The number of a word, and the word of a number.
    pub(in super::super) scramble: fn(u64) -> u64,
    pub(in super::super) unscramble: fn(u64) -> u64,
    pub(in super::super) instead: &'static str,
}

fn xoshiro256_second(state: &mut State) -> u64 {
    let second = state[1];
    xoshiro256(state);
    second
}

fn xoshiro128_second(state: &mut State) -> u64 {
    let second = state[1];
    xoshiro128(state);
    top32(second)
}

/// The number whose product with this one is 1, modulo 2^64.
pub(in super::super) const fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    let mut bits = 3;
    while bits < 64 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
}

fn stars(word: u64) -> u64 {
    word.wrapping_mul(5).rotate_left(7).wrapping_mul(9)
}

fn unstars(number: u64) -> u64 {
    number.wrapping_mul(const { inverse(9) }).rotate_right(7).wrapping_mul(const { inverse(5) })
}

fn stars32(word: u64) -> u64 {
    u64::from((word as u32).wrapping_mul(5).rotate_left(7).wrapping_mul(9))
}

fn unstars32(number: u64) -> u64 {
    let rotated = (number as u32).wrapping_mul(const { inverse(9) as u32 }).rotate_right(7);
    u64::from(rotated.wrapping_mul(const { inverse(5) as u32 }))
}

const STAR: u64 = 0x2545_F491_4F6C_DD1D;

pub(in super::super) static SCRAMBLED: &[Scrambled] = &[
    Scrambled {
        linear: forward(
            "xoshiro256** (System.Random of .NET 6, math.random() of Lua 5.4)",
            4,
            (64, 64),
            xoshiro256_second,
        ),
        scramble: stars,
        unscramble: unstars,
        instead: "Guid.NewGuid() or RandomNumberGenerator in .NET, the random numbers of the system elsewhere",
    },
    Scrambled {
        linear: forward("xoroshiro128**", 2, (64, 64), xoroshiro128),
        scramble: stars,
        unscramble: unstars,
        instead: SYSTEM,
    },
    Scrambled {
        linear: forward("xoshiro128**", 4, (32, 32), xoshiro128_second),
        scramble: stars32,
        unscramble: unstars32,
        instead: SYSTEM,
    },
    Scrambled {
        linear: forward("xorshift64*", 1, (64, 64), xorshift64_right),
        scramble: |word| word.wrapping_mul(STAR),
        unscramble: |number| number.wrapping_mul(const { inverse(STAR) }),
        instead: SYSTEM,
    },
];
