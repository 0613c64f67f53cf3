//! Counts the ones at each of 128 bit positions: for each plane of a sum one word, so that an id costs a few operations
//! for all positions together.

/// The number of values that fit the planes before they are added to the totals.
const FULL: u8 = u8::MAX;

/// Counts the values that had each bit set; bit 0 is the lowest.
#[derive(Debug)]
pub(crate) struct Tally {
    planes: [u128; 8],
    pending: u8,
    totals: Vec<u64>,
}

impl Default for Tally {
    fn default() -> Self {
        Tally { planes: [0; 8], pending: 0, totals: vec![0; 128] }
    }
}

impl Tally {
    #[inline]
    pub(crate) fn add(&mut self, value: u128) {
        let mut carry = value;
        for plane in &mut self.planes {
            let next = *plane & carry;
            *plane ^= carry;
            carry = next;
        }
        self.pending += 1;
        if self.pending == FULL {
            self.settle();
        }
    }

    #[inline(never)]
    fn settle(&mut self) {
        for (plane, bits) in self.planes.iter_mut().enumerate() {
            for (bit, total) in self.totals.iter_mut().enumerate() {
                *total += ((*bits >> bit & 1) as u64) << plane;
            }
            *bits = 0;
        }
        self.pending = 0;
    }

    /// The counts, one for each bit.
    pub(crate) fn totals(&mut self) -> &[u64] {
        self.settle();
        &self.totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_are_those_of_each_bit(values in prop::collection::vec(any::<u128>(), 0..700)) {
            let mut tally = Tally::default();
            values.iter().for_each(|&value| tally.add(value));
            let naive: Vec<_> = (0..128).map(|bit| values.iter().filter(|v| **v >> bit & 1 == 1).count() as u64).collect();
            prop_assert_eq!(tally.totals(), naive);
        }
    }
}
