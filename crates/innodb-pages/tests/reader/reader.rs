//! Compares the page reader with real files and with what the server reported about them.

use std::collections::BTreeMap;

use innodb_pages::{Cell, Checksum, Measure, Options, PageMap, Pages, Survey, Tablespace, Writer};
use proptest::prelude::*;
use serde::Deserialize;

use super::files::{READABLE, bytes, path, scan, scan_with};

/// The answers of the server about a file.
#[derive(Deserialize)]
struct Expected {
    page_size: u32,
    rows: u64,
    indexes: Vec<ExpectedIndex>,
    pages: Vec<(u32, String, String, u64, u64, u64)>,
}

#[derive(Deserialize)]
struct ExpectedIndex {
    name: String,
    id: u64,
    root: u32,
}

fn expected(name: &str) -> Expected {
    let text = std::fs::read_to_string(path(&format!("{name}.json"))).expect("a committed file");
    serde_json::from_str(&text).expect("what the export wrote")
}

#[test]
fn every_page_agrees_with_the_server() {
    for name in READABLE {
        let (expected, pages) = (expected(name), scan(&bytes(name)).unwrap());
        assert_eq!(pages.format.page_size, expected.page_size, "{name}");
        let mut compared = 0;
        for (number, kind, index, records, data_size, lsn) in &expected.pages {
            let page = &pages.pages[*number as usize];
            if kind != "INDEX" || page.free {
                continue;
            }
            let header = page.index.as_ref().unwrap();
            assert_eq!(u64::from(header.records), *records, "{name} page {number}");
            assert_eq!(u64::from(header.data_bytes), *data_size, "{name} page {number}");
            assert_eq!(page.lsn, *lsn, "{name} page {number}");
            let id = expected.indexes.iter().find(|known| known.name == *index).unwrap().id;
            assert_eq!(header.index_id, id, "{name} page {number}");
            compared += 1;
        }
        let in_use = pages.pages.iter().filter(|page| page.index.is_some()).count();
        assert_eq!(compared, in_use, "{name}: the small pool holds the whole table");
    }
}

#[test]
fn indexes_and_rows_agree_with_the_server() {
    for name in READABLE {
        let (expected, survey) = (expected(name), Survey::of(&scan(&bytes(name)).unwrap()));
        assert_eq!(survey.indexes.len(), expected.indexes.len(), "{name}");
        for known in &expected.indexes {
            let found = survey.indexes.iter().find(|index| index.id == known.id).unwrap();
            assert_eq!(found.root, known.root, "{name} {}", known.name);
            assert_eq!(found.clustered, known.name == "PRIMARY", "{name} {}", known.name);
            assert_eq!(found.records, expected.rows, "{name} {}", known.name);
            let has_names = survey.format.writer == Writer::Mysql;
            assert_eq!(found.name.as_deref(), has_names.then_some(known.name.as_str()), "{name}");
        }
    }
}

#[test]
fn fill_is_the_mean_of_the_servers_data_sizes() {
    for name in READABLE {
        let (expected, pages) = (expected(name), scan(&bytes(name)).unwrap());
        let survey = Survey::of(&pages);
        let table = survey.clustered().unwrap();
        let leaves: Vec<f64> = expected
            .pages
            .iter()
            .filter(|page| page.1 == "INDEX" && page.2 == "PRIMARY" && !pages.pages[page.0 as usize].free)
            .filter(|page| page.0 != table.root)
            .map(|page| page.4 as f64 / f64::from(expected.page_size))
            .collect();
        // All but one of these tables have two levels, so all pages but the root are leaves.
        if table.levels.len() == 2 {
            let mean = leaves.iter().sum::<f64>() / leaves.len() as f64;
            assert!((table.leaf().fill.mean - mean).abs() < 1e-12, "{name}");
            assert_eq!(table.leaf().fill.histogram.iter().sum::<u64>(), leaves.len() as u64, "{name}");
        }
    }
    let random = Survey::of(&scan(&bytes(READABLE[0])).unwrap());
    let ascending = Survey::of(&scan(&bytes(READABLE[1])).unwrap());
    let fill = |survey: &Survey| survey.clustered().unwrap().leaf().fill.median;
    assert!(fill(&random) < 0.85 && fill(&ascending) > 0.88, "{} {}", fill(&random), fill(&ascending));
    assert!(ascending.clustered().unwrap().in_file_order > random.clustered().unwrap().in_file_order);
}

#[test]
fn formats_are_told_apart() {
    let format = |name| scan(&bytes(name)).unwrap().format;
    let mysql = format("mysql-9.7-4k-random_keys");
    assert_eq!((mysql.writer, mysql.checksum), (Writer::Mysql, Checksum::Crc32));
    let mariadb = format("mariadb-10.11-16k-random_keys");
    assert_eq!((mariadb.writer, mariadb.checksum), (Writer::Mariadb, Checksum::FullCrc32));
    let older = format("mariadb-10.11-8k-crc32-random_keys");
    assert_eq!((older.writer, older.checksum, older.page_size), (Writer::Either, Checksum::Crc32, 8192));
}

/// The deleted pages of `shrunk` still look like leaves; the extent map says that they are free.
#[test]
fn freed_pages_are_not_counted() {
    for name in ["mysql-9.7-16k-shrunk", "mariadb-10.11-16k-shrunk"] {
        let pages = scan(&bytes(name)).unwrap();
        let survey = Survey::of(&pages);
        assert_eq!(survey.clustered().unwrap().records, 782, "{name}");
        assert_eq!(survey.clustered().unwrap().leaf().pages, 3, "{name}");
        assert!(survey.free_pages > 5, "{name}");
    }
}

#[test]
fn compressed_and_encrypted_files_are_refused_by_name() {
    for name in [
        "mysql-9.7-16k-zipped",
        "mysql-9.7-16k-squeezed",
        "mariadb-10.11-16k-zipped",
        "mariadb-10.11-16k-squeezed",
        "mariadb-10.11-8k-crc32-zipped",
        "mariadb-10.11-8k-crc32-squeezed",
    ] {
        let error = scan(&bytes(name)).unwrap_err();
        assert!(error.is_compressed(), "{name}: {error}");
    }
    for name in ["mysql-9.7-4k-secret", "mariadb-10.11-4k-secret"] {
        let error = scan(&bytes(name)).unwrap_err();
        assert!(error.is_encrypted(), "{name}: {error}");
        assert!(error.to_string().contains("unencrypted copy"), "{error}");
    }
}

#[test]
fn a_truncated_file_gives_its_length_in_the_error() {
    let whole = bytes("mysql-9.7-16k-random_keys");
    for len in [0, 16, 149, 16_384, whole.len() - 16_384, whole.len() - 1] {
        let error = scan(&whole[..len]).unwrap_err();
        assert!(error.is_truncated(), "{len}: {error}");
        assert!(error.to_string().contains(&format!("{len} bytes")), "{error}");
    }
    let mut longer = whole.clone();
    longer.push(0);
    assert!(scan(&longer).unwrap_err().is_truncated());
}

#[test]
fn other_files_are_no_tablespaces() {
    let error = scan(&[b'x'; 20_000]).unwrap_err();
    assert!(error.is_not_tablespace(), "{error}");
    let missing = Tablespace::open("no-such-file.ibd", Options::default()).unwrap_err();
    assert!(missing.is_io() && missing.to_string().contains("no-such-file.ibd"), "{missing}");
}

#[test]
fn damage_names_its_page() {
    for name in READABLE {
        let mut damaged = bytes(name);
        let page_size = expected(name).page_size as usize;
        damaged[4 * page_size + 200] ^= 1;
        let error = scan(&damaged).unwrap_err();
        assert!(error.is_corrupt(), "{name}: {error}");
        assert_eq!(error.page(), Some(4), "{name}: {error}");
    }
}

#[test]
fn pages_in_each_others_place_are_damage() {
    let mut swapped = bytes("mariadb-10.11-16k-random_keys");
    let (left, right) = swapped.split_at_mut(6 * 16_384);
    left[5 * 16_384..].swap_with_slice(&mut right[..16_384]);
    let error = scan(&swapped).unwrap_err();
    assert_eq!(error.page(), Some(5), "{error}");
    assert!(error.to_string().contains("page 6"), "{error}");
}

/// A page from an older copy of the file has a correct checksum. Only the tree shows that it is old.
#[test]
fn a_stale_page_breaks_the_chain() {
    let mut bytes = bytes("mysql-9.7-16k-random_keys");
    let pages = scan(&bytes).unwrap();
    let leaf = pages.pages.iter().find(|page| page.index.as_ref().is_some_and(|i| i.next.is_some())).unwrap();
    let page = &mut bytes[leaf.number as usize * 16_384..][..16_384];
    page[12..16].copy_from_slice(&u32::MAX.to_be_bytes());
    let sum = crc32c::crc32c(&page[4..26]) ^ crc32c::crc32c(&page[38..16_376]);
    page[..4].copy_from_slice(&sum.to_be_bytes());
    page[16_376..16_380].copy_from_slice(&sum.to_be_bytes());
    let error = scan(&bytes).unwrap_err();
    assert!(error.is_corrupt() && error.to_string().contains("chain"), "{error}");
}

#[test]
fn maps_have_a_cell_for_each_page() {
    let pages = scan(&bytes("mysql-9.7-16k-random_keys")).unwrap();
    let leaves = pages.pages.iter().filter(|page| page.index.as_ref().is_some_and(|i| i.level == 0)).count();
    for measure in [Measure::Fill, Measure::Recency] {
        let map = PageMap::of(&pages, measure);
        assert_eq!(map.cells.len(), pages.pages.len());
        let shades: Vec<f64> = map
            .cells
            .iter()
            .filter_map(|cell| match cell {
                Cell::Leaf { shade } => Some(*shade),
                _ => None,
            })
            .collect();
        assert_eq!(shades.len(), leaves);
        assert!(shades.iter().all(|shade| (0.0..=1.0).contains(shade)), "{shades:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Damage at any place gives an error or changes nothing that is counted. Neither a checked nor an unchecked scan panics.
    #[test]
    fn damage_never_panics_and_is_never_accepted(
        name in prop::sample::select(&["mysql-9.7-4k-random_keys", "mariadb-10.11-16k-shrunk", "mysql-9.7-16k-ascending"][..]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0usize..512), 1..8),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let whole = bytes(name);
        let mut damaged = whole.clone();
        for (at, byte, near) in changes {
            // Half of the changes go to page headers, where they do most.
            let at = at.index(damaged.len());
            let at = if near < 256 { at / 4096 * 4096 + near % 128 } else { at };
            damaged[at] = byte;
        }
        if let Some(cut) = cut {
            damaged.truncate(cut.index(damaged.len()));
        }
        if let Ok(pages) = scan(&damaged) {
            let kinds = |pages: &Pages| -> BTreeMap<String, u64> { Survey::of(pages).kinds };
            let original = scan(&whole).unwrap();
            prop_assert_eq!(kinds(&pages), kinds(&original));
            prop_assert_eq!(Survey::of(&pages), Survey::of(&original));
        }
        if let Ok(pages) = scan_with(&damaged, Options { verify: false }) {
            let _ = Survey::of(&pages);
            let map = PageMap::of(&pages, Measure::Recency);
            prop_assert_eq!(map.cells.len(), pages.pages.len());
        }
    }

    /// Arbitrary bytes behind a valid first page.
    #[test]
    fn noise_never_panics(noise in prop::collection::vec(any::<u8>(), 0..20_000), keep in 0usize..400) {
        let mut bytes = bytes("mysql-9.7-4k-random_keys");
        bytes.truncate(keep);
        bytes.extend(noise);
        for verify in [true, false] {
            let _ = scan_with(&bytes, Options { verify });
        }
    }
}
