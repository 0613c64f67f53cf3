//! Systems of linear equations over GF(2).

/// The unknown has no row yet.
const NONE: u32 = u32::MAX;

/// Equations in echelon form, to which new ones can be added.
///
/// A row is a slice of words: first one bit for each unknown, then as many words as the caller needs for the right side.
/// The right side can be one bit, or one bit for each observation, so that a row says of which observations it is the sum.
#[derive(Clone, Debug)]
pub(crate) struct Echelon {
    unknowns: usize,
    /// Words of a row, and how many of them are unknowns.
    words: usize,
    left: usize,
    rows: Vec<u64>,
    /// For each unknown, the beginning of the row whose first unknown it is.
    leading: Vec<u32>,
}

impl Echelon {
    /// No equations yet, with `right` words for the right side.
    pub(crate) fn new(unknowns: usize, right: usize) -> Self {
        let left = unknowns.div_ceil(64);
        Echelon { unknowns, words: left + right, left, rows: Vec::new(), leading: vec![NONE; unknowns] }
    }

    /// The words of a row.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The word at which the right side begins.
    pub(crate) fn right(&self) -> usize {
        self.left
    }

    /// Adds an equation, and returns `true` if it says something new about the unknowns. If not, all unknowns have been
    /// eliminated from `row`, and its right side must be zero if the equations agree.
    pub(crate) fn add(&mut self, row: &mut [u64]) -> bool {
        for word in 0..self.left {
            while row[word] != 0 {
                let unknown = word * 64 + row[word].trailing_zeros() as usize;
                let start = self.leading[unknown] as usize;
                if start == NONE as usize {
                    self.leading[unknown] = self.rows.len() as u32;
                    self.rows.extend_from_slice(row);
                    return true;
                }
                let known = &self.rows[start + word..start + self.words];
                for (a, b) in row[word..].iter_mut().zip(known) {
                    *a ^= b;
                }
            }
        }
        false
    }

    /// A solution of equations whose right side is the first bit of its word. Unknowns that they do not determine have the
    /// bits of `free`.
    pub(crate) fn solution(&self, free: impl Fn(usize) -> u64) -> Vec<u64> {
        let mut values = vec![0_u64; self.left];
        for unknown in (0..self.unknowns).rev() {
            let start = self.leading[unknown];
            if start == NONE {
                values[unknown / 64] |= free(unknown / 64) & 1 << (unknown % 64);
                continue;
            }
            let row = &self.rows[start as usize..][..self.words];
            let sum = row.iter().zip(&values).fold(0, |sum, (a, b)| sum ^ a & b);
            let bit = (u64::from(sum.count_ones()) ^ row[self.left]) & 1;
            values[unknown / 64] |= bit << (unknown % 64);
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Sums of the bits of a vector give the vector back, and sums that are known already leave nothing.
        #[test]
        fn equations_determine_their_unknowns(secret in any::<[u64; 2]>(), sums in prop::collection::vec(any::<[u64; 2]>(), 200..300)) {
            let unknowns = 100;
            let secret = [secret[0], secret[1] & ((1 << 36) - 1)];
            let mut system = Echelon::new(unknowns, 1);
            let mut rank = 0;
            for sum in sums {
                let sum = [sum[0], sum[1] & ((1 << 36) - 1)];
                let right = ((sum[0] & secret[0]).count_ones() + (sum[1] & secret[1]).count_ones()) & 1;
                let mut row = [sum[0], sum[1], u64::from(right)];
                match system.add(&mut row) {
                    true => rank += 1,
                    false => prop_assert_eq!(row, [0; 3]),
                }
            }
            prop_assert_eq!(rank, unknowns);
            prop_assert_eq!(system.solution(|_| 0), secret);
        }
    }
}
