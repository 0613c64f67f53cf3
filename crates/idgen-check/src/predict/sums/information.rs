//! Chooses equations that determine the state, and writes all others as sums of these.

/// Equations that are used at most: words of a row of the code.
pub(super) const WORDS: usize = 8;
/// Words of the largest state. They follow in a row, and say of which bits of the state it is the sum.
const STATE: usize = 4;
pub(super) type Row = [u64; WORDS + STATE];
/// Rows that are subtracted from all others at once, from a table of their sums.
const AT_ONCE: usize = 5;

/// Equations that determine the state, and all others as sums of these.
pub(super) struct InformationSet {
    /// The equation of each row, which is in no other row of the set.
    pub(super) columns: Vec<usize>,
    /// A row for each of these equations, and last the values of all equations, if those of the set are right: a one is an error.
    rows: Vec<Row>,
    /// The equations that the set does not have.
    pub(super) others: Vec<usize>,
}

pub(super) fn next(random: &mut u64) -> u64 {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let mixed = (*random ^ *random >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ mixed >> 32
}

/// A number above 0, up to 1.
fn unit(random: &mut u64) -> f32 {
    ((next(random) >> 40) + 1) as f32 / (1_u64 << 24) as f32
}

pub(super) fn bit(row: &Row, column: usize) -> u64 {
    row[column / 64] >> (column % 64) & 1
}

pub(super) fn add_if(row: &mut Row, other: &Row, condition: u64) {
    let mask = 0_u64.wrapping_sub(condition);
    row.iter_mut().zip(other).for_each(|(a, b)| *a ^= b & mask);
}

impl InformationSet {
    /// Chooses equations at random: one with twice the weight is chosen half as often. `rows` has one row for each bit of the state, and last
    /// the values of the equations. `None` if the equations do not determine the state.
    pub(super) fn new(rows: &[Row], weights: &[f32], random: &mut u64) -> Option<Self> {
        let key = |(column, weight): (usize, &f32)| {
            let key = -unit(random).ln() * weight;
            // The bits of positive numbers are in the order of the numbers.
            u64::from(key.max(0.0).to_bits()) << 32 | column as u64
        };
        let mut order: Vec<u64> = weights.iter().enumerate().map(key).collect();
        order.sort_unstable();
        let unknowns = rows.len() - 1;
        let mut set = InformationSet {
            columns: Vec::with_capacity(unknowns),
            rows: rows.to_vec(),
            others: Vec::with_capacity(weights.len() - unknowns),
        };
        // The rows from here on have not been subtracted from the others.
        let mut pending = 0;
        for column in order.into_iter().map(|key| key as u32 as usize) {
            let done = set.columns.len();
            match (done..unknowns).find(|&row| set.current(row, column, pending) == 1) {
                Some(row) => {
                    set.take(row, column, pending);
                    if done + 1 - pending == AT_ONCE || done + 1 == unknowns {
                        set.subtract(pending);
                        pending = done + 1;
                    }
                }
                None => set.others.push(column),
            }
        }
        set.others.sort_unstable();
        (set.columns.len() == unknowns).then_some(set)
    }

    /// The bit of a row that is not taken, without the rows that are pending.
    fn current(&self, row: usize, column: usize, pending: usize) -> u64 {
        let row = &self.rows[row];
        let taken = self.columns[pending..].iter().zip(&self.rows[pending..]);
        taken.fold(bit(row, column), |sum, (&of, taken)| sum ^ bit(row, of) & bit(taken, column))
    }

    /// Makes this equation the one that only this row and no pending one has.
    fn take(&mut self, row: usize, column: usize, pending: usize) {
        let done = self.columns.len();
        self.rows.swap(done, row);
        let (taken, rest) = self.rows.split_at_mut(done);
        let pivot = &mut rest[0];
        for (of, taken) in self.columns[pending..].iter().zip(&taken[pending..]) {
            let condition = bit(pivot, *of);
            add_if(pivot, taken, condition);
        }
        for taken in &mut taken[pending..] {
            let condition = bit(taken, column);
            add_if(taken, pivot, condition);
        }
        self.columns.push(column);
    }

    /// Subtracts the pending rows from all others.
    fn subtract(&mut self, pending: usize) {
        let done = self.columns.len();
        let mut sums = [[0; WORDS + STATE]; 1 << AT_ONCE];
        for n in 1_usize..1 << (done - pending) {
            sums[n] = sums[n & (n - 1)];
            add_if(&mut sums[n], &self.rows[pending + n.trailing_zeros() as usize], 1);
        }
        let columns = &self.columns[pending..];
        let (before, rest) = self.rows.split_at_mut(pending);
        for row in before.iter_mut().chain(&mut rest[done - pending..]) {
            let number = columns.iter().rev().fold(0, |number, &column| number << 1 | bit(row, column));
            add_if(row, &sums[number as usize], 1);
        }
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.rows[..self.columns.len()]
    }

    pub(super) fn errors(&self) -> &Row {
        &self.rows[self.columns.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each equation of the set is in its row only, and the rows are sums of those that were given.
    #[test]
    fn rows_are_reduced() {
        let mut random = 7;
        let unknowns = 70;
        let rows: Vec<Row> = (0..=unknowns).map(|_| std::array::from_fn(|_| next(&mut random))).collect();
        let set = InformationSet::new(&rows, &[1.0; 64 * WORDS], &mut random).unwrap();
        assert_eq!((set.columns.len(), set.others.len()), (unknowns, 64 * WORDS - unknowns));
        for (at, &column) in set.columns.iter().enumerate() {
            for (n, row) in set.rows.iter().enumerate() {
                assert_eq!(bit(row, column), u64::from(n == at), "column {column} of row {n}");
            }
            // A reduced row is the sum of the rows that it names by their bits in the set.
            let given = &rows[at];
            let mut sum = Row::default();
            for (row, &column) in set.rows.iter().zip(&set.columns) {
                add_if(&mut sum, row, bit(given, column));
            }
            assert_eq!(&sum, given);
        }
    }
}
