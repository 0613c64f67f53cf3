//! A random order that a seed determines.

use idgen::source::{Entropy, FixedEntropy};

use crate::Result;

/// Brings the items into a random order. All orders are equally likely, except for the negligible bias of a remainder
/// of 2^64.
///
/// # Errors
/// None with this source, because reading it cannot fail.
pub(crate) fn shuffle<T>(items: &mut [T], random: &mut FixedEntropy) -> Result<()> {
    // The algorithm of Fisher and Yates.
    for last in (1..items.len()).rev() {
        let other = random.next_u64()? % (last as u64 + 1);
        items.swap(last, usize::try_from(other).unwrap_or(last));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_orders_are_equally_likely_and_a_seed_repeats_one() {
        let mut random = FixedEntropy::new(1);
        let mut counts = std::collections::BTreeMap::<[u8; 4], u32>::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            shuffle(&mut items, &mut random).unwrap();
            *counts.entry(items).or_default() += 1;
        }
        assert_eq!(counts.len(), 24);
        // Within five standard deviations of a thousand.
        assert!(counts.values().all(|count| (845..=1_155).contains(count)), "{counts:?}");
        let order = |seed| {
            let mut items: Vec<u32> = (0..20).collect();
            shuffle(&mut items, &mut FixedEntropy::new(seed)).unwrap();
            items
        };
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
    }
}
