use std::collections::BTreeMap;

use super::*;
use crate::engine::{Batch, Contents};
use crate::key::Key;
use crate::strategy::{Ids, find};
use idgen_record::{LsmOptions, Role};

/// The smallest memtable that RocksDB takes, so that few rows fill several files.
const MEMTABLE: u64 = 64 << 10;

fn load(rows: u64) -> Workload {
    let lsm = LsmOptions {
        memtable_bytes: Some(MEMTABLE),
        level_base_bytes: Some(4 * MEMTABLE),
        ..LsmOptions::default()
    };
    Workload { lsm: Some(lsm), statement_rows: 10, ..Workload::of_rows(rows).unwrap() }
}

/// The rows of a table with this strategy, and a naive copy of them: key and payload in the order of the keys.
fn filled(name: &str, load: &Workload) -> (RocksDb, Rows, BTreeMap<Key, Vec<u8>>) {
    let strategy = find(name).unwrap();
    let mut engine = RocksDb::new(load).unwrap();
    engine.check(strategy, load).unwrap();
    let folder = Folder::create(&engine.directory, name, &options(load).unwrap()).unwrap();
    let mut rows = Rows::new(folder, strategy, load, &Cancel::default()).unwrap();
    let mut ids = Ids::new(strategy, load).unwrap();
    let mut naive = BTreeMap::new();
    let width = load.payload_bytes as usize;
    for first in (0..load.rows).step_by(100) {
        let keys: Vec<_> = (0..100).map(|_| ids.next_key().unwrap()).collect();
        let payloads: Vec<u8> = (0..100 * width).map(|place| (first as usize + place * 7) as u8).collect();
        let inserted = rows.insert(0, &Batch { first, keys: &keys, payloads: &payloads }).unwrap();
        assert!(inserted.iter().map(|row| row.key).eq(keys.iter().copied()));
        naive.extend(keys.into_iter().zip(payloads.chunks(width).map(<[u8]>::to_vec)));
    }
    engine.runs += 1;
    (engine, rows, naive)
}

#[test]
fn rows_read_back_are_those_that_were_inserted() {
    for name in ["v4-binary", "v7-binary", "v4-text36", "ulid-text26", "device", "v1-swapped"] {
        let (_engine, mut rows, naive) = filled(name, &load(4_000));
        let mut found = Vec::new();
        rows.scan(|key, value| {
            found.push((key.to_vec(), value.to_vec()));
            Ok(())
        })
        .unwrap();
        let expected: Vec<_> = naive
            .iter()
            .map(|(key, value)| {
                let bytes = match key {
                    Key::Uint(number) => number.to_be_bytes().to_vec(),
                    Key::Binary(bytes) => bytes.to_vec(),
                    Key::Text(text) => text.as_bytes().to_vec(),
                    Key::Assigned => panic!("{name}"),
                };
                (bytes, value.clone())
            })
            .collect();
        assert!(found == expected, "{name}");
        let mut keys = Vec::new();
        rows.keys(Role::Rows, &mut |key| {
            keys.push(key);
            Ok(())
        })
        .unwrap();
        assert!(keys.iter().eq(naive.keys()), "{name}");
        assert_eq!(rows.contents().unwrap(), Contents { rows: 4_000, payload_bytes: 400_000, unmapped: 0 });
    }
}

#[test]
fn a_key_that_is_there_already_is_refused() {
    let (_engine, mut rows, naive) = filled("v4-binary", &load(1_000));
    let key = *naive.keys().next().unwrap();
    let error = rows.insert(0, &Batch { first: 1_000, keys: &[key], payloads: &[0; 100] }).unwrap_err();
    assert!(error.is_unverified() && error.to_string().contains("is in the table already"), "{error}");
}

#[test]
fn files_that_only_move_are_counted_and_nothing_is_written_twice() {
    let (_engine, mut rows, _) = filled("v7-binary", &load(20_000));
    rows.flush().unwrap();
    let counted = rows.counters().unwrap().lsm.unwrap();
    assert_eq!((counted.compacted_bytes, counted.filters > 20_000), (0, false), "{counted:?}");
    // Each file is moved once at least, and the last memtables are not written yet.
    assert!(counted.moved_bytes * 10 > counted.flushed_bytes * 8, "{counted:?}");
    let (_engine, mut random, _) = filled("v4-binary", &load(20_000));
    random.flush().unwrap();
    let counted = random.counters().unwrap().lsm.unwrap();
    assert!(counted.compacted_bytes > counted.flushed_bytes && counted.filters > 20_000, "{counted:?}");
    assert!(counted.false_positives < counted.filters / 20, "{counted:?}");
    // All rows are in the files then, each with its key, payload and a little more.
    let per_row = random.allocated_bytes().unwrap().unwrap() as f64 / 20_000.0;
    assert!((116.0..150.0).contains(&per_row), "{per_row}");
}

#[test]
fn settings_are_those_that_rocksdb_writes_down() {
    let (engine, mut rows, _) = filled("v7-binary", &load(1_000));
    let settings = rows.settings().unwrap();
    for (name, value) in [
        ("write_buffer_size", "65536"),
        ("target_file_size_base", "65536"),
        ("max_bytes_for_level_base", "262144"),
        ("level_compaction_dynamic_level_bytes", "true"),
        ("compression", "kNoCompression"),
        ("filter_policy", "bloomfilter"),
    ] {
        assert_eq!(settings[name], value, "{settings:?}");
    }
    let info = engine.info();
    assert!(info.name == "RocksDB" && info.version.split('.').count() == 3, "{info:?}");
}

#[test]
fn compressed_files_are_smaller_and_levels_can_be_fixed() {
    let given = load(20_000);
    let lsm = given.lsm.map(|lsm| LsmOptions { lz4: true, fixed_levels: true, ..lsm });
    let (_engine, mut rows, _) = filled("v4-binary", &Workload { lsm, payload_bytes: 400, ..given.clone() });
    let compressed = rows.allocated_bytes().unwrap().unwrap();
    let (_engine, mut plain, _) = filled("v4-binary", &Workload { payload_bytes: 400, ..given });
    assert!(compressed * 4 < plain.allocated_bytes().unwrap().unwrap() * 3, "{compressed}");
    let settings = rows.settings().unwrap();
    assert_eq!(settings["compression"], "kLZ4Compression");
    assert_eq!(settings["level_compaction_dynamic_level_bytes"], "false");
}

#[test]
fn folders_vanish_with_the_table() {
    let (engine, rows, _) = filled("v7-binary", &load(1_000));
    let count = || std::fs::read_dir(engine.directory.path()).unwrap().count();
    assert_eq!(count(), 1);
    drop(rows);
    assert_eq!(count(), 0);
}
