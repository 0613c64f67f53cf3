//! Sources with a large state that is linear over GF(2), of which ids show some bits of each number, such as four bits of the Mersenne Twister's.
//!
//! A bit of each number is a stream. Each bit of a stream is the sum of earlier bits of all streams that are shown, by one rule
//! for each stream, so what comes next follows without the state. The rules are computed once from a run of the source, as
//! Berlekamp and Massey do for a single stream. The bits that ids hide, such as those of the version, are the only unknowns of
//! the equations.

use super::form::End;

/// Programs make a number of the highest or the lowest bits of a word of 32 bits, and may drop some bits or words between.
#[derive(Clone, Copy)]
pub(super) struct Numbering {
    pub(super) end: End,
    /// Words of a number, which shows the first one.
    pub(super) stride: usize,
    /// Lowest bits of a word that are dropped.
    pub(super) dropped: u32,
}

pub(super) const NUMBERINGS: [Numbering; 4] = [
    Numbering { end: End::Low, stride: 1, dropped: 0 },
    // mt_rand() without limits, and rand() of glibc: 31 bits.
    Numbering { end: End::Low, stride: 1, dropped: 1 },
    Numbering { end: End::Top, stride: 1, dropped: 0 },
    // A fraction of 53 bits takes two words.
    Numbering { end: End::Top, stride: 2, dropped: 0 },
];

/// A source whose rules are computed from a sample of its numbers.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// A word of 32 bits, of a source in any state that is not zero.
    pub(super) word: fn(&mut [u32], usize) -> u32,
    /// Words of the state.
    pub(super) size: usize,
    /// Words for each number, which shows the first of them.
    pub(super) stride: usize,
    /// The bits of a number, and the place of the lowest one in the word.
    pub(super) bits: usize,
    pub(super) lowest: u32,
}

impl Run {
    fn numbers(self, seed: u32) -> impl Iterator<Item = u64> {
        let start = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        let mut state: Vec<u32> = std::iter::successors(Some(seed), start).take(self.size).collect();
        let words = (0..).map(move |at| (self.word)(&mut state, at % self.size));
        let number = move |word| word >> self.lowest & (u32::MAX >> (32 - self.bits));
        words.step_by(self.stride).map(number).map(u64::from)
    }
}

/// Numbers of `bits` bits one after the other: the newest one first, its lowest bit at the lowest place.
#[derive(Clone, Default)]
pub(super) struct Bits(pub(super) Vec<u64>);

impl Bits {
    pub(super) fn xor(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a ^= b);
    }

    /// Moves all bits up by `count` places, below 64. The highest ones are lost.
    pub(super) fn shift(&mut self, count: usize) {
        for at in (1..self.0.len()).rev() {
            self.0[at] = self.0[at] << count | self.0[at - 1] >> (64 - count);
        }
        self.0[0] <<= count;
    }

    pub(super) fn get(&self, bit: usize) -> bool {
        self.0.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// The `bits` bits at a place that is a multiple of `bits`, which divides 64.
    pub(super) fn number(&self, at: usize, bits: usize) -> u64 {
        self.0[at / 64] >> (at % 64) & (u64::MAX >> (64 - bits))
    }

    pub(super) fn parity(&self, other: &Bits) -> u64 {
        let both = self.0.iter().zip(&other.0).fold(0, |all, (a, b)| all ^ a & b);
        u64::from(both.count_ones() & 1)
    }
}

/// The rules of the streams of a source.
pub(super) struct Rules {
    pub(super) bits: usize,
    /// The state has as many bits as these numbers show, so they determine the next one.
    pub(super) numbers: usize,
    /// Each rule needs some numbers before one, and names bits of it and of those whose sum is zero.
    pub(super) rules: Vec<(usize, Bits)>,
    /// The rules, combined so that rule `n` has only bit `n` of the number itself.
    next: Vec<Bits>,
}

/// A combination of streams, and what is left of it.
struct Row {
    degree: usize,
    sum: Bits,
    /// The coefficients of the combined series.
    left: Bits,
}

impl Rules {
    /// Finds the combinations of the streams, each delayed by some numbers, that are zero after their first numbers. In each
    /// step one more number is looked at; the shortest combination whose sum is not zero there is added to the other ones, and delayed.
    pub(super) fn new(run: Run) -> Self {
        let bits = run.bits;
        let unknowns = 32 * run.size;
        // The rules have as many coefficients as the state has bits, and are not all of the same length.
        let most = unknowns / bits * 3 / 2;
        let orders = unknowns + most;
        let sample: Vec<u64> = run.numbers(5_489).take(orders).collect();
        let words = (most * bits).div_ceil(64) + 2;
        let stream = |bit: usize| {
            let word = |part: &[u64]| part.iter().rev().fold(0, |word, number| word << 1 | number >> bit & 1);
            let (mut sum, mut left) = (Bits(vec![0; words]), Bits(sample.chunks(64).map(word).collect()));
            sum.0[0] = 1 << bit;
            let unused = 64 * left.0.len() - orders;
            *left.0.last_mut().unwrap_or(&mut 0) &= u64::MAX >> unused;
            Row { degree: 0, sum, left }
        };
        let mut rows: Vec<Row> = (0..bits).map(stream).collect();
        // This bit is for the first numbers, whose sum may be anything.
        let mut first = Bits(vec![0; orders.div_ceil(64)]);
        first.0[0] = 1;
        rows.push(Row { degree: 1, sum: Bits(vec![0; words]), left: first });
        for order in 0..orders {
            let differs: Vec<usize> = (0..rows.len()).filter(|&row| rows[row].left.get(order)).collect();
            let Some(&pivot) = differs.iter().min_by_key(|&&row| rows[row].degree) else { continue };
            let mut row = rows.swap_remove(pivot);
            for other in rows.iter_mut().filter(|other| other.left.get(order)) {
                other.sum.xor(&row.sum);
                let from = order / 64;
                other.left.0[from..].iter_mut().zip(&row.left.0[from..]).for_each(|(a, b)| *a ^= b);
            }
            row.degree += 1;
            row.sum.shift(bits);
            row.left.shift(1);
            rows.push(row);
        }
        // The one that is left over has grown most.
        rows.sort_by_key(|row| row.degree);
        rows.truncate(bits);
        let mut next: Vec<Bits> = rows.iter().map(|row| row.sum.clone()).collect();
        for bit in 0..bits {
            let Some(pivot) = (bit..bits).find(|&row| next[row].get(bit)) else { break };
            next.swap(bit, pivot);
            let pivot = next[bit].clone();
            next.iter_mut()
                .enumerate()
                .filter(|(row, sum)| *row != bit && sum.get(bit))
                .for_each(|(_, sum)| sum.xor(&pivot));
        }
        let numbers = rows.last().map_or(0, |row| row.degree);
        Rules { bits, numbers, rules: rows.into_iter().map(|row| (row.degree, row.sum)).collect(), next }
    }

    /// These numbers, the last one of which is the newest.
    pub(super) fn window(&self, numbers: &[u64]) -> Bits {
        let mut window = Bits(vec![0; self.next[0].0.len()]);
        numbers.iter().for_each(|&number| self.push(&mut window, number));
        window
    }

    /// Makes a number the newest one.
    pub(super) fn push(&self, window: &mut Bits, number: u64) {
        window.shift(self.bits);
        window.0[0] |= number;
    }

    /// Makes the number that follows the newest one, and returns it.
    pub(super) fn advance(&self, window: &mut Bits) -> u64 {
        window.shift(self.bits);
        let number =
            self.next.iter().enumerate().fold(0, |number, (bit, sum)| number | sum.parity(window) << bit);
        window.0[0] |= number;
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bit stream of a shift register of 32 bits has one rule of 32 numbers. Of a state with other numbers, the rules predict the next ones.
    #[test]
    fn rules_predict_numbers() {
        fn word(state: &mut [u32], _: usize) -> u32 {
            state[0] ^= state[0] << 13;
            state[0] ^= state[0] >> 17;
            state[0] ^= state[0] << 5;
            state[0]
        }
        for (bits, lowest, numbers) in [(1, 0, 32), (4, 28, 8), (8, 0, 4)] {
            let run = Run { word, size: 1, stride: 1, bits, lowest };
            let rules = Rules::new(run);
            assert!(
                rules.numbers >= numbers
                    && rules.rules.iter().map(|(numbers, _)| numbers).sum::<usize>() == 32
            );
            let sample: Vec<u64> = run.numbers(1).take(200).collect();
            let mut window = rules.window(&sample[..rules.numbers]);
            for number in &sample[rules.numbers..] {
                assert_eq!(rules.advance(&mut window), *number, "{bits} bits");
            }
        }
    }
}
