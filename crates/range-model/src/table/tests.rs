//! The table against a naive one, and what must hold for every load.

use proptest::prelude::*;

use super::*;
use crate::settings::Balancer;

/// Keeps all keys of all ranges sorted, and finds a range by asking each.
struct Naive {
    ranges: Vec<(Key, Vec<Key>)>,
    most: usize,
}

impl Naive {
    fn insert(&mut self, key: Key) {
        let place = self.ranges.iter().rposition(|(first, _)| *first <= key).unwrap();
        let keys = &mut self.ranges[place].1;
        keys.push(key);
        keys.sort();
        if keys.len() > self.most && keys[0] < keys[keys.len() / 2] {
            let border = keys[keys.len() / 2];
            let upper = keys.iter().position(|key| *key == border).unwrap();
            let upper = keys.split_off(upper);
            self.ranges.insert(place + 1, (border, upper));
        }
    }
}

fn key(number: u64) -> Key {
    Key::of(&number.to_be_bytes())
}

fn settings(split_bytes: u64, nodes: u32) -> Settings {
    Settings { split_bytes, ..Settings::of_nodes(nodes) }
}

proptest! {
    /// Rows of 1,000 bytes, so a range is split at more than four. Few different keys, so that many are equal.
    #[test]
    fn ranges_are_those_of_the_naive_table(numbers in prop::collection::vec(0_u64..40, 0..200)) {
        let mut table = Table::new(&settings(4_096, 1)).unwrap();
        let mut naive = Naive { ranges: vec![(Key::LEAST, Vec::new())], most: 4 };
        for number in &numbers {
            table.insert(key(*number), 1_000);
            naive.insert(key(*number));
        }
        let firsts: Vec<Key> = table.ranges.keys().copied().collect();
        prop_assert_eq!(firsts, naive.ranges.iter().map(|(first, _)| *first).collect::<Vec<_>>());
        let bytes: Vec<u64> = table.ranges.values().map(Range::bytes).collect();
        prop_assert_eq!(bytes, naive.ranges.iter().map(|(_, keys)| keys.len() as u64 * 1_000).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_is_lost_and_shares_are_shares(
        numbers in prop::collection::vec(any::<u64>(), 1..300),
        nodes in 1_u32..6,
        every in 1_usize..50,
        by_load: bool,
    ) {
        let balancer = if by_load { Balancer::Load } else { Balancer::Count };
        let split_share = by_load.then_some(0.2);
        let mut table = Table::new(&Settings { balancer, split_share, ..settings(10_000, nodes) }).unwrap();
        for (place, number) in numbers.iter().enumerate() {
            table.insert(key(*number), 1_000);
            if place % every == 0 {
                table.balance();
            }
        }
        let bytes: u64 = table.ranges.values().map(Range::bytes).sum();
        prop_assert_eq!(bytes, numbers.len() as u64 * 1_000);
        prop_assert_eq!(table.ranges(), 1 + table.splits());
        let keys: Vec<Key> = numbers.iter().map(|number| key(*number)).collect();
        let shares = table.shares(&keys);
        prop_assert!(shares.hottest_range <= shares.hottest_node + 1e-9 && shares.hottest_node <= 1.0 + 1e-9);
        prop_assert!(shares.hottest_node >= 1.0 / f64::from(nodes) - 1e-9);
        prop_assert!(shares.ranges >= shares.nodes - 1e-9 && shares.nodes <= f64::from(nodes) + 1e-9);
    }
}

#[test]
fn keys_that_ascend_are_not_spread_by_splits_for_load() {
    let mut table = Table::new(&Settings { split_share: Some(0.2), ..settings(u64::MAX, 3) }).unwrap();
    for row in 0..10_000 {
        table.insert(key(row), 100);
        if row % 100 == 99 {
            table.balance();
        }
    }
    assert_eq!((table.ranges(), table.rows()), (1, 10_000));
}

#[test]
fn random_keys_are_spread_by_splits_for_load() {
    let random = |row: u64| key(row.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut table = Table::new(&Settings { split_share: Some(0.2), ..settings(u64::MAX, 3) }).unwrap();
    for row in 0..10_000 {
        table.insert(random(row), 100);
        if row % 100 == 99 {
            table.balance();
        }
    }
    let next: Vec<Key> = (10_000..11_000).map(random).collect();
    assert!(table.ranges() >= 6 && table.shares(&next).hottest_range < 0.22);
}

#[test]
fn settings_that_no_table_has_are_refused_with_their_value() {
    let usual = Settings::of_nodes(3);
    let wrong = [
        (Settings { nodes: 0, ..usual.clone() }, "nodes is 0"),
        (Settings { split_bytes: 100, ..usual.clone() }, "range is 100"),
        (Settings { first_ranges: 0, ..usual.clone() }, "ranges is 0"),
        (Settings { split_share: Some(f64::NAN), ..usual }, "give 1 to 100"),
    ];
    for (settings, part) in wrong {
        let error = Table::new(&settings).err().unwrap().to_string();
        assert!(error.contains(part), "{error}");
    }
}
