use super::*;
use crate::measure;
use crate::strategy::{ALL, Ids, find};

/// Fills the tables of a strategy and returns the keys in their order.
fn filled(name: &str, rows: u64) -> (Sqlite, Box<dyn Table>, Vec<Key>) {
    let workload = Workload::of_rows(rows).unwrap();
    let strategy = find(name).unwrap();
    let mut engine = Sqlite::new().unwrap();
    let mut table = engine.create(strategy, &workload).unwrap();
    let mut ids = Ids::new(strategy, &workload).unwrap();
    let keys: Vec<_> = (0..rows).map(|_| ids.next_key().unwrap()).collect();
    let payloads = vec![7; (workload.commit_rows * workload.payload_bytes) as usize];
    for (number, chunk) in keys.chunks(workload.commit_rows as usize).enumerate() {
        let first = number as u64 * u64::from(workload.commit_rows);
        let payloads = &payloads[..chunk.len() * workload.payload_bytes as usize];
        table.insert(0, &Batch { first, keys: chunk, payloads }).unwrap();
    }
    (engine, table, keys)
}

#[test]
fn pages_hold_every_row_of_every_shape() {
    for strategy in ALL.iter().filter(|strategy| strategy.check(Database::Sqlite).is_ok()) {
        let (_engine, mut table, _) = filled(strategy.name, 4_000);
        let trees = table.trees().unwrap();
        assert_eq!(trees.len(), 1 + usize::from(strategy.column == Column::MappedInteger));
        for tree in trees {
            assert_eq!(tree.rows(), 4_000, "{} {:?}", strategy.name, tree.role);
            assert!(tree.leaves.len() > 5 && tree.inner_pages == 1, "{}", strategy.name);
            assert!(tree.leaves.iter().all(|leaf| leaf.used_bytes <= PAGE_BYTES && leaf.rows > 0));
        }
        let contents = table.contents().unwrap();
        assert_eq!(contents, Contents { rows: 4_000, payload_bytes: 400_000, unmapped: 0 });
    }
}

/// Compares the counters with the kernel's own count of this thread's reads and writes.
#[cfg(target_os = "linux")]
#[test]
fn counted_pages_are_those_that_the_kernel_saw() {
    let bytes = || {
        let io = std::fs::read_to_string("/proc/thread-self/io").unwrap();
        let field = |name: &str| {
            let (_, rest) = io.split_once(name).unwrap();
            rest.split_whitespace().next().unwrap().parse::<u64>().unwrap()
        };
        (field("rchar: "), field("wchar: "))
    };
    for name in ["v4-binary", "mapped", "v7-binary"] {
        let (_engine, mut table, keys) = filled(name, 30_000);
        let workload = Workload::of_rows(30_000).unwrap();
        let (start, before) = (bytes(), table.counters().unwrap());
        // The load runs a second time with new keys: the last byte of each is inverted.
        let keys: Vec<_> = keys
            .into_iter()
            .map(|key| match key {
                Key::Binary(mut bytes) => {
                    bytes[15] ^= 0xFF;
                    Key::Binary(bytes)
                }
                other => panic!("{other}"),
            })
            .collect();
        let payloads = vec![7; (workload.commit_rows * workload.payload_bytes) as usize];
        for (number, chunk) in keys.chunks(1_000).enumerate() {
            let first = 30_000 + number as u64 * 1_000;
            table.insert(0, &Batch { first, keys: chunk, payloads: &payloads }).unwrap();
        }
        let (after, end) = (table.counters().unwrap(), bytes());
        let page = u64::from(PAGE_BYTES);
        let read = (after.pages_read - before.pages_read) * page;
        let written = (after.pages_written.unwrap() - before.pages_written.unwrap()) * page;
        // Reading /proc itself adds a few hundred bytes.
        assert!((end.0 - start.0).abs_diff(read) < page, "{name}: {read} read, kernel {}", end.0 - start.0);
        assert!((end.1 - start.1).abs_diff(written) < page, "{name}: {written}, kernel {}", end.1 - start.1);
        assert!(written > 0);
    }
}

#[test]
fn keys_are_read_back_in_order_and_a_missing_row_is_found() {
    let workload = Workload::of_rows(3_000).unwrap();
    for (name, sql) in [
        ("v4-text36", "DELETE FROM lab_rows WHERE id = (SELECT max(id) FROM lab_rows)"),
        (
            "v4-binary",
            "UPDATE lab_rows SET id = x'00112233445566778899aabbccddeeff' WHERE id = (SELECT min(id) FROM lab_rows)",
        ),
    ] {
        let strategy = find(name).unwrap();
        let mut ids = Ids::new(strategy, &workload).unwrap();
        let keys: Vec<_> = (0..3_000).map(|_| ids.next_key().unwrap()).collect();
        let mut engine = Sqlite::new().unwrap();
        let mut table = engine.open(strategy, &workload).unwrap();
        table.insert(0, &Batch { first: 0, keys: &keys, payloads: &[1; 300_000] }).unwrap();
        let tree = table.trees().unwrap().remove(0);
        assert_eq!(measure::keys(&mut table, tree.role, &keys).unwrap().as_slice().len(), 3_000);

        table.db.execute(sql, []).unwrap();
        let error = measure::keys(&mut table, Role::Rows, &keys).unwrap_err();
        assert!(error.is_unverified(), "{error}");
    }
}

#[test]
fn settings_are_read_back() {
    let (_engine, mut table, _) = filled("v7-binary", 1_000);
    let settings = table.settings().unwrap();
    assert_eq!(settings["page_size"], "16384");
    assert_eq!(settings["cache_size"], "16");
    assert_eq!(settings["journal_mode"], "memory");
    assert!(settings["table"].ends_with("WITHOUT ROWID"));
}

#[test]
fn files_vanish_with_the_table() {
    let (engine, table, _) = filled("v7-binary", 1_000);
    let count = || std::fs::read_dir(engine.directory.path()).unwrap().count();
    assert_eq!(count(), 1);
    drop(table);
    assert_eq!(count(), 0);
}
