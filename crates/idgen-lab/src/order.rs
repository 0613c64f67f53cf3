//! A random order that a seed gives again.

use idgen::source::{Entropy, FixedEntropy};

use crate::Result;

/// Brings the items into a random order: every order is as likely, but for the bias of a remainder of 2^64.
///
/// # Errors
/// None with this source, whose reads always succeed.
pub(crate) fn shuffle<T>(items: &mut [T], random: &mut FixedEntropy) -> Result<()> {
    // Fisher and Yates.
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
    fn every_order_is_as_likely_and_a_seed_gives_it_again() {
        let mut random = FixedEntropy::new(1);
        let mut counts = std::collections::BTreeMap::<[u8; 4], u32>::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            shuffle(&mut items, &mut random).unwrap();
            *counts.entry(items).or_default() += 1;
        }
        assert_eq!(counts.len(), 24);
        // Five standard deviations of a thousand.
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
