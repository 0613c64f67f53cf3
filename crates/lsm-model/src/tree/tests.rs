use proptest::prelude::*;

use super::*;

/// A tree whose memtable has room for 100 rows or a few more, and whose first level for a few hundred.
fn small(settings: Settings) -> Tree {
    let settings = Settings {
        memtable_bytes: 64 << 10,
        file_bytes: 64 << 10,
        level_base_bytes: 128 << 10,
        multiplier: 3,
        ..settings
    };
    Tree::new(&settings, 16, 500).unwrap()
}

/// All keys of the tree, and the checks that hold after every insert: files are not empty, and those of a level lie one after
/// another.
fn all_keys(tree: &Tree) -> Vec<Key> {
    let mut keys = tree.memtable.clone();
    keys.extend(tree.level0.iter().cloned().flat_map(File::into_keys));
    for level in &tree.levels {
        for pair in level.files().windows(2) {
            assert!(pair[0].last() < pair[1].first(), "two files of a level overlap");
        }
        for file in level.files() {
            let inside = file.clone().into_keys();
            assert!(inside.is_sorted() && !inside.is_empty());
            keys.extend(inside);
        }
    }
    keys.sort_unstable();
    keys
}

/// The naive count of the files whose range contains a key.
fn covering(tree: &Tree, key: Key) -> u64 {
    let levels = tree.levels.iter().flat_map(|level| level.files());
    tree.level0.iter().chain(levels).filter(|file| file.first() <= key && key <= file.last()).count() as u64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the order of the keys, no compaction loses or doubles a row, no level is left above its limit, and each filter
    /// is that of a file that covers the key.
    #[test]
    fn compactions_keep_every_row(
        seed in any::<u64>(),
        spread in 0_u32..64,
        count in 200_usize..4_000,
        from_last_level in any::<bool>(),
        aligned in any::<bool>(),
    ) {
        let release = if aligned { Release::Aligned } else { Release::Plain };
        let mut tree = small(Settings { from_last_level, release, ..Settings::rocksdb() });
        let mut keys = Vec::new();
        let mut state = seed;
        for row in 0..count as u64 {
            // A number that ascends, whose order is disturbed within a span.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let place = row.wrapping_add((state >> 20) & ((1_u64 << spread) - 1));
            let key = (u128::from(place) << 64) | u128::from(row);
            let is_first = tree.levels.iter().all(|level| level.files().is_empty());
            if !is_first {
                prop_assert_eq!(tree.asked(key), covering(&tree, key));
            }
            tree.insert(&key.to_be_bytes());
            keys.push(key);
        }
        keys.sort_unstable();
        prop_assert_eq!(all_keys(&tree), keys);
        let targets = tree.targets();
        for level in 1..LEVELS {
            prop_assert!(tree.bytes(level) < targets.bytes[level], "level {} is above its limit", level);
        }
        prop_assert!(tree.level0.len() < tree.settings.level0_files);
    }
}

#[test]
fn ascending_keys_are_written_once_and_random_ones_many_times() {
    for settings in [Settings::rocksdb(), Settings::myrocks()] {
        let (mut ascending, mut random) = (small(settings.clone()), small(settings));
        for row in 0..20_000_u64 {
            ascending.insert(&row.to_be_bytes());
            random.insert(&row.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
        }
        let (ascending, random) = (ascending.figures(), random.figures());
        assert_eq!((ascending.write_amplification, ascending.compacted_bytes), (1.0, 0.0));
        assert!(ascending.moved_files > 100, "{ascending:?}");
        assert!(random.write_amplification > 4.0, "{random:?}");
        let per_1k = |figures: &Figures| figures.filters as f64 * 1_000.0 / figures.rows as f64;
        assert!(per_1k(&random) > 3_000.0 && per_1k(&ascending) < 100.0);
        // The tables have the same size, but for the leading bytes that keys have in common.
        assert!((random.file_bytes / ascending.file_bytes - 1.0).abs() < 0.02);
    }
}

#[test]
fn a_tree_without_files_has_no_bytes() {
    let figures = small(Settings::rocksdb()).figures();
    assert_eq!(format!("{:.0} {:.0}", figures.file_bytes, figures.compacted_bytes), "0 0");
    assert_eq!((figures.write_amplification, figures.sorted_runs), (1.0, 0));
}

#[test]
fn sizes_that_no_tree_has_are_refused_with_what_to_give() {
    let usual = Settings::rocksdb();
    for (settings, says) in [
        (
            Settings { memtable_bytes: 1_000, ..usual.clone() },
            "the size of the memtable is 1000: give 65536 to",
        ),
        (Settings { level_base_bytes: 0, ..usual.clone() }, "the size of the first level is 0"),
        (Settings { multiplier: 1, ..usual.clone() }, "the multiplier of the levels is 1: give 2 to 1,000"),
        (Settings { level0_files: 0, ..usual.clone() }, "the number of files of level 0 is 0"),
        (Settings { compressed_share: 0.0, ..usual.clone() }, "the size of a compressed file in % is 0"),
    ] {
        let said = Tree::new(&settings, 16, 100).unwrap_err().to_string();
        assert!(said.starts_with(says), "{said}");
    }
    let said = Tree::new(&Settings { memtable_bytes: 64 << 10, ..usual }, 16, 9_000).unwrap_err().to_string();
    assert!(said.contains("rows in a memtable is 6: give room for at least 100 rows"), "{said}");
}
