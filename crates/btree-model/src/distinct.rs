//! Counts the different leaves of each 1,000 inserts.

/// Counts the different leaves of each 1,000 inserts.
#[derive(Debug, Default)]
pub(crate) struct Distinct {
    /// The thousand in which each page was last seen, from 1.
    seen: Vec<u32>,
    /// The sum over all thousands.
    pub(crate) count: u64,
}

impl Distinct {
    /// An insert into this leaf, in this thousand, counted from 0.
    pub(crate) fn see(&mut self, leaf: u32, thousand: u64) {
        if self.seen.len() <= leaf as usize {
            self.seen.resize(leaf as usize + 1, 0);
        }
        let stamp = (thousand + 1) as u32;
        if std::mem::replace(&mut self.seen[leaf as usize], stamp) != stamp {
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leaf_counts_once_in_each_thousand() {
        let mut distinct = Distinct::default();
        for (leaf, thousand, count) in [(7, 0, 1), (7, 0, 1), (3, 0, 2), (7, 1, 3), (3, 3, 4), (3, 3, 4)] {
            distinct.see(leaf, thousand);
            assert_eq!(distinct.count, count, "leaf {leaf} in thousand {thousand}");
        }
    }
}
