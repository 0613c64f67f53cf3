//! Figures of PostgreSQL 18.6, measured with pgstatindex: 8 KiB pages, one client, an index of 200,000 rows, or 400,000
//! where a table held rows already.

use btree_model::{Nbtree, PostgresIndex, Shape};

use crate::keys::{ascending, prefixed, random, writers};

const ROWS: u64 = 200_000;

fn index(rule: Nbtree, keys: impl IntoIterator<Item = [u8; 16]>) -> PostgresIndex {
    let mut index = PostgresIndex::new(rule, Shape::nbtree(16).unwrap());
    for key in keys {
        index.insert(&key).unwrap();
    }
    index
}

/// Leaf pages within 5 % of what the server had, and the density that goes with them.
fn leaves(name: &str, index: &PostgresIndex, measured: std::ops::RangeInclusive<u64>, density: f64) {
    let tree = index.tree();
    let (least, most) = (*measured.start() as f64 * 0.95, *measured.end() as f64 * 1.05);
    println!(
        "{name}: {} leaf pages, {:.1} %; measured {measured:?}, {density} %",
        tree.leaf_pages,
        100.0 * tree.fill.mean
    );
    assert!((least..=most).contains(&(tree.leaf_pages as f64)), "{name}: {} leaf pages", tree.leaf_pages);
    assert!((100.0 * tree.fill.mean - density).abs() < 4.0, "{name}: {:.1} %", 100.0 * tree.fill.mean);
}

#[test]
fn one_column() {
    let one = Nbtree::default();
    leaves("version 7", &index(one, ascending(ROWS, 0)), 767..=767, 89.9);
    leaves("version 4", &index(one, random(ROWS, 1)), 1_059..=1_093, 64.5);
    let visited_once = prefixed(ROWS, 200, 1_000, false);
    leaves("prefix, random tail", &index(one, visited_once), 1_018..=1_018, 67.8);
    let visited_once = prefixed(ROWS, 200, 1_000, true);
    leaves("prefix, ascending tail", &index(one, visited_once), 1_285..=1_285, 53.8);
    let again = prefixed(ROWS, 20, 100, true);
    leaves("prefixes that come again", &index(one, again), 1_338..=1_338, 51.7);
    leaves("eight writers", &index(one, writers(ROWS, 8)), 1_300..=1_300, 53.2);
}

#[test]
fn two_columns_of_eight_bytes() {
    let two = Nbtree { first_column: Some(8), ..Nbtree::default() };
    leaves("20 prefixes", &index(two, prefixed(ROWS, 20, 100, true)), 780..=780, 88.4);
    leaves("200 prefixes", &index(two, prefixed(ROWS, 200, 1_000, true)), 878..=878, 78.6);
}

#[test]
fn a_table_that_holds_random_keys() {
    let one = Nbtree::default();
    let then = |keys| index(one, random(ROWS, 1).into_iter().chain(keys));
    leaves("version 4", &then(random(ROWS, 2)), 2_111..=2_111, 65.0);
    // Version 7 begins with the time, which is in the middle of random keys.
    leaves("version 7", &then(ascending(ROWS, 0x0198_0000_0000_0000)), 2_409..=2_472, 56.0);
    leaves("a fixed prefix", &then(ascending(ROWS, 0xffff_ff00_0000_0000)), 1_850..=1_850, 74.6);
}
