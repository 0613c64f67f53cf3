//! PCG64 as NumPy's `default_rng` seeds it: a hash of the seed is its state and its increment, of 128 bits each.

use super::super::follow::Draws;
use super::{FIRST, LANES, Lanes};

const FACTOR: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

#[derive(Clone)]
struct Pcg64 {
    state: u128,
    increment: u128,
    /// The upper half of the last number, which is given away after the lower one.
    upper: Option<u32>,
}

impl Pcg64 {
    fn step(&mut self) {
        self.state = self.state.wrapping_mul(FACTOR).wrapping_add(self.increment);
    }

    /// From the words of the hash, the lowest one of each number of 64 bits first.
    fn new(words: &[u32; 8]) -> Self {
        let long = |n: usize| u128::from(words[2 * n + 1]) << 32 | u128::from(words[2 * n]);
        let (start, sequence) = (long(0) << 64 | long(1), long(2) << 64 | long(3));
        let mut source = Pcg64 { state: 0, increment: sequence << 1 | 1, upper: None };
        source.step();
        source.state = source.state.wrapping_add(start);
        source.step();
        source
    }

    fn word(&mut self) -> u32 {
        if let Some(upper) = self.upper.take() {
            return upper;
        }
        self.step();
        let number = ((self.state >> 64) as u64 ^ self.state as u64).rotate_right((self.state >> 122) as u32);
        self.upper = Some((number >> 32) as u32);
        number as u32
    }
}

impl Draws for Pcg64 {
    fn next(&mut self) -> u64 {
        u64::from(self.word()) << 32
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(self.clone())
    }
}

/// The `SeedSequence` of NumPy, without keys: eight words from the two of a seed.
fn hashed(seed: u64) -> [u32; 8] {
    let mut hash = hash(0x43B0_D7E5, 0x931E_8875);
    let mix =
        |a: u32, b: u32| fold(0xCA01_F9DD_u32.wrapping_mul(a).wrapping_sub(0x4973_F715_u32.wrapping_mul(b)));
    let mut pool = [seed as u32, (seed >> 32) as u32, 0, 0].map(&mut hash);
    for from in 0..4 {
        for to in (0..4).filter(|to| *to != from) {
            pool[to] = mix(pool[to], hash(pool[from]));
        }
    }
    let mut hash = self::hash(0x8B51_F9DD, 0x58F3_8DED);
    std::array::from_fn(|n| hash(pool[n % 4]))
}

fn fold(word: u32) -> u32 {
    word ^ word >> 16
}

/// Hashes one word after another; the factor changes with each.
fn hash(mut factor: u32, by: u32) -> impl FnMut(u32) -> u32 {
    move |word| {
        let word = word ^ factor;
        factor = factor.wrapping_mul(by);
        fold(word.wrapping_mul(factor))
    }
}

/// The words of the hash of each seed.
pub(super) fn start(seeds: &[u64; LANES]) -> Vec<Lanes> {
    let hashes = seeds.map(hashed);
    (0..8).map(|word| std::array::from_fn(|lane| hashes[lane][word])).collect()
}

pub(super) fn words(state: Vec<u32>) -> Box<dyn Draws> {
    Box::new(Pcg64::new(&std::array::from_fn(|n| state[n])))
}

pub(super) fn first(state: &[Lanes]) -> [Lanes; FIRST] {
    let mut sources: [Pcg64; LANES] =
        std::array::from_fn(|lane| Pcg64::new(&std::array::from_fn(|word| state[word][lane])));
    std::array::from_fn(|_| std::array::from_fn(|lane| sources[lane].word()))
}
