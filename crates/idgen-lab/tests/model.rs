//! Compares the model with measurements on servers.
//!
//! Measured on MySQL 9.7 and MariaDB 10.11, which agree to 0.1: a million rows whose only column is the key. `distinct`
//! is, per thousand consecutive inserts, the number of leaves on which their rows are at the end. With 64 writers the
//! order of the inserts differs from run to run. That row was measured on MySQL 9.7.4 with exactly the keys used here.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod recorded;
mod sample;

use btree_model::{Model, Server, Setup, Shape};
use idgen_lab::forecast::{Load, predict};
use idgen_lab::strategy;
use idgen_record::{Column, IdKind, Run, Workload};
use recorded::{results, server_of};
use sample::sample;

/// SplitMix64: uniform, fast and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

/// The strategies of the measured table, in a simple form.
#[derive(Clone, Copy, Debug)]
enum Keys {
    AutoIncrement,
    V4,
    V7Random,
    V7Monotonic,
    /// A hashed prefix for this many rows, then a random tail.
    Prefixed(u64),
    /// A hashed prefix with an ascending tail, for this many writers with a prefix each.
    PrefixedAscending(u64),
    /// 64-bit ids of 5,000 devices; each device makes one id per second.
    Devices,
}

fn keys(kind: Keys, rows: u64) -> Vec<Vec<u8>> {
    let mut random = Random(11);
    let prefix = |bucket: u64| u128::from(Random(bucket * 7_919).next() >> 48) << 112;
    let mut last = (u64::MAX, 0);
    let mut key = |row: u64| -> Vec<u8> {
        let wide = match kind {
            Keys::AutoIncrement => return (row as u32).to_be_bytes().to_vec(),
            Keys::Devices => {
                let node = random.next() % 5_000;
                return (((row / 5_000) << 32) | (node << 16) | ((row % 5_000) & 0xffff))
                    .to_be_bytes()
                    .to_vec();
            }
            Keys::V4 => random.wide(),
            Keys::V7Random => u128::from(row / 5) << 80 | random.wide() >> 48,
            Keys::V7Monotonic => {
                let ms = row / 5;
                let step = u128::from(random.next() >> 32) + 1;
                let tail = if last.0 == ms { last.1 + step } else { random.wide() >> 49 };
                last = (ms, tail);
                u128::from(ms) << 80 | tail
            }
            Keys::Prefixed(bucket) => prefix(row / bucket) | random.wide() >> 16,
            Keys::PrefixedAscending(writers) => {
                prefix(row / writers / 65_536 * writers + row % writers) | u128::from(row)
            }
        };
        wide.to_be_bytes().to_vec()
    };
    (0..rows).map(&mut key).collect()
}

fn setup(key_bytes: u32, rate: f64) -> Setup {
    let server = Server { io_capacity: 100, io_capacity_max: 500, ..Server::mysql(128 << 20) };
    let shape = Shape::clustered(16_384, key_bytes, 0).expect("a short row");
    Setup { shape, server, rate, commit_rows: 1 }
}

/// Page fill within 1.5 percentage points, splits and distinct leaves within a tenth.
#[test]
fn the_pages_of_a_million_rows_are_those_of_the_servers() {
    let measured = [
        // kind, fill %, 10th percentile, splits per 1k, distinct leaves per 1k
        (Keys::AutoIncrement, 90.7, 90.8, 1.48, 2.5),
        (Keys::V4, 64.3, 49.0, 3.24, 854.0),
        (Keys::V7Random, 75.6, 0.8, 2.75, 3.8),
        (Keys::V7Monotonic, 91.4, 91.5, 2.27, 3.2),
        (Keys::Prefixed(65_536), 64.9, 50.0, 3.21, 202.0),
        (Keys::Prefixed(4_096), 62.7, 49.0, 3.3, 17.5),
        (Keys::Prefixed(512), 56.9, 47.0, 3.7, 7.9),
        (Keys::PrefixedAscending(1), 91.1, 91.3, 2.28, 3.3),
        (Keys::PrefixedAscending(8), 91.1, 91.0, 2.3, 10.0),
        (Keys::PrefixedAscending(64), 88.3, 91.3, 2.3, 66.0),
        (Keys::Devices, 61.9, 48.0, 2.57, 13.7),
    ];
    for (kind, fill, p10, splits, distinct) in measured {
        let keys = keys(kind, 1_000_000);
        let mut model = Model::new(&setup(keys[0].len() as u32, 10_000.0)).unwrap();
        for key in &keys {
            model.insert(key).unwrap();
        }
        let (tree, window) = (model.tree(), model.window());
        let mut leaves = 0;
        for thousand in keys.chunks(1_000) {
            let mut on: Vec<u32> = thousand.iter().map(|key| model.leaf_of(key).unwrap()).collect();
            on.sort_unstable();
            on.dedup();
            leaves += on.len();
        }
        let found_distinct = leaves as f64 / 1_000.0;
        let near = |found: f64, known: f64| (found - known).abs() <= 0.1 * known;
        assert!((100.0 * tree.fill.mean - fill).abs() <= 1.5, "{kind:?}: fill {}", tree.fill.mean);
        assert!((100.0 * tree.fill.p10 - p10).abs() <= 1.5, "{kind:?}: 10th percentile {}", tree.fill.p10);
        assert!(near(window.splits_per_1k, splits), "{kind:?}: {} splits", window.splits_per_1k);
        assert!(near(found_distinct, distinct), "{kind:?}: {found_distinct} leaves");
    }
}

/// Tests the same measured prefixes with the real generators: each writer has a key of its own and thus a
/// prefix of its own, which holds 65,536 rows.
#[test]
fn each_writer_has_a_prefix_of_its_own() {
    for (writers, fill, distinct) in [(1_u32, 91.1, 3.3), (8, 91.1, 10.0), (64, 88.3, 66.0)] {
        let rate = 65_536.0 / 60.0 * f64::from(writers);
        let server = Server::mysql(128 << 20);
        let writers = writers.into();
        let load = Load { row_bytes: 0, rate, writers, ..Load::new(1_000_000, server) };
        let predicted = predict(strategy::find("minute-ascending").unwrap(), &load).unwrap();
        let leaves = predicted.windows.iter().map(|window| window.distinct_leaves_per_1k).sum::<f64>() / 10.0;
        let found = 100.0 * predicted.tree.fill.mean;
        assert!((found - fill).abs() <= 1.5, "{writers} writers: fill {found}");
        assert!((leaves - distinct).abs() <= 0.1 * distinct, "{writers} writers: {leaves} leaves");
    }
}

/// Measured on Percona Server 5.7.25 with a pool of 128 MB, a device of 500 reads and writes per second, and one
/// client: in the last minute of 2,866,591 rows it inserted 1,157 rows per second, and per 1,000 inserts it read 171
/// and wrote 242 pages.
#[test]
fn a_small_pool_reads_and_writes_as_the_reference_run_did() {
    let mut setup = setup(16, 1_157.0);
    setup.server.device_iops = Some(500);
    // The server has one undo page for each of its 128 rollback segments; this version has no undo
    // tablespaces yet.
    setup.server.other_pages = 128;
    let mut model = Model::new(&setup).unwrap();
    for (row, key) in keys(Keys::V4, 2_866_591).iter().enumerate() {
        if row == 2_866_591 - 60 * 1_157 {
            model.window();
        }
        model.insert(key).unwrap();
    }
    let last_minute = model.window();
    let near = |found: f64, known: f64| (found - known).abs() <= 0.15 * known;
    assert!(near(last_minute.reads_per_1k, 171.0), "{last_minute:?}");
    assert!(near(last_minute.writes_per_1k, 242.0), "{last_minute:?}");
}

/// Measured on MySQL 9.7.4 with the same settings and no limit on the device, for rows 3,020,000 to 3,120,000 at 1,000
/// per second: per 1,000 inserts it read 336 and wrote 415 pages. In the first two minutes after a faster load it wrote
/// 540, because the page cleaner uses averages over half a minute.
#[test]
fn a_slow_load_writes_pages_early() {
    let mut model = Model::new(&setup(16, 1_000.0)).unwrap();
    for (row, key) in keys(Keys::V4, 3_120_000).iter().enumerate() {
        if row == 3_020_000 {
            model.window();
        }
        model.insert(key).unwrap();
    }
    let window = model.window();
    let near = |found: f64, known: f64| (found - known).abs() <= 0.15 * known;
    assert!(near(window.reads_per_1k, 336.0), "{window:?}");
    assert!(near(window.writes_per_1k, 415.0), "{window:?}");
}

/// Measured at full scale on MySQL 9.7 and MariaDB 10.11, as recorded in docs/results: 2,900,000 rows with a pool of 128
/// MB, each run with its settings and at its own speed. In the last tenth, when the tables have outgrown the pool, pages
/// of the table's file that are read and written per 1,000 inserts are predicted within 15 %, fill within 1.5 percentage
/// points, splits within a tenth. If fewer than ten pages are written, those of the second half are predicted within two
/// pages.
///
/// Some random keys on MariaDB are left out: the model predicts up to 32 % too few reads there. A possible reason is that its
/// purge is late, so that undo logs take a part of the pool that the model does not know.
#[test]
fn the_recorded_key_orders_are_predicted() {
    let records = [
        ("mysql/uuid-order-full-prefixes", &[][..], 3),
        ("mysql/uuid-order-full", &[], 2),
        ("mariadb/uuid-order-full-prefixes", &[], 3),
        ("mariadb/uuid-order-full", &["v4-binary"], 2),
    ];
    for (record, left_out, runs) in sample(4, 1, records) {
        assert_eq!(judge_all(&format!("2026-11-23/{record}"), left_out), runs);
    }
}

/// Compares the model with the recorded representations of UUIDs.
#[test]
#[ignore = "replays millions of rows for most of a minute: make soak"]
fn the_recorded_full_representations_are_predicted() {
    assert_eq!(judge_all("2026-11-23/mysql/uuid-representation-full", &[]), 3);
    assert_eq!(judge_all("2026-11-23/mariadb/uuid-representation-full", &["v4-binary", "v4-uuid"]), 2);
}

/// MariaDB inserted these more slowly, and read fewer pages.
#[test]
#[ignore = "replays millions of rows for most of a minute: make soak"]
fn the_recorded_representations_are_predicted() {
    // Rows of columns of variable length are stored like those of fixed length.
    assert_eq!(judge_all("2026-11-21/mariadb/uuid-representation", &["v4-varchar36", "v4-varbinary36"]), 4);
}

fn judge_all(record: &str, left_out: &[&str]) -> usize {
    let recorded = results(record);
    let judged: Vec<_> =
        recorded.runs.iter().filter(|run| !left_out.contains(&run.strategy.name.as_str())).collect();
    assert_eq!(judged.len() + left_out.len(), recorded.runs.len(), "{record}: {left_out:?}");
    judged.iter().for_each(|run| judge(record, &recorded.workload, run));
    judged.len()
}

fn judge(record: &str, workload: &Workload, run: &Run) {
    let (name, totals) = (format!("{record} {}", run.strategy.name), &run.totals);
    let server = server_of(run).into();
    let strategy = strategy::find(&run.strategy.name).unwrap();
    let load = Load {
        rows: workload.rows,
        row_bytes: workload.payload_bytes,
        rate: totals.last_rows_per_sec,
        // The minutes of the ids were simulated.
        id_rate: Some(workload.rows as f64 / f64::from(workload.intervals) / 60.0),
        writers: workload.writers.into(),
        commit_rows: workload.statement_rows.into(),
        server,
        existing: None,
        clients: None,
        skew: None,
        start_unix_secs: None,
        tenants: None,
    };
    let predicted = predict(strategy, &load).unwrap();
    let last = predicted.last().pool;
    // The records of 2026-11-21 count the pages of the whole server only.
    let reads = totals.last_table_reads_per_1k.unwrap_or(totals.last_reads_per_1k);
    let writes = totals.last_table_writes_per_1k.unwrap_or(totals.last_writes_per_1k);
    let near = |found: f64, known: f64| (found - known).abs() <= (0.15 * known).max(2.0);
    // A server that has little to write postpones it for long. Over half a run, this evens out.
    let half_of = |writes: Vec<f64>| {
        let late = &writes[writes.len() / 2..];
        late.iter().sum::<f64>() / late.len() as f64
    };
    let (found, known) = if writes > 10.0 {
        (last.writes_per_1k, writes)
    } else {
        let found = predicted.windows.iter().map(|window| window.pool.writes_per_1k).collect();
        (
            half_of(found),
            half_of(
                run.windows
                    .iter()
                    .map(|window| window.table_writes_per_1k.unwrap_or(window.writes_per_1k))
                    .collect(),
            ),
        )
    };
    println!("{name}: {:.1} read, {reads:.1} recorded; {found:.1} written, {known:.1}", last.reads_per_1k);
    assert!(near(last.reads_per_1k, reads), "{name}: {last:?}, {totals:?}");
    assert!(near(found, known), "{name}: {found} and {known} written: {last:?}, {totals:?}");
    let fill = predicted.tree.fill.mean;
    // The ten buckets of a random tail grow at the same pace, so their pages split at the same time. With other
    // prefixes, other rows share their first pages.
    let tolerance = if strategy.ids == IdKind::MinuteRandom { 0.03 } else { 0.015 };
    assert!((fill - totals.fill_mean).abs() <= tolerance, "{name}: {fill}, {totals:?}");
    let windows = predicted.windows.len() as f64;
    let splits = predicted.windows.iter().map(|window| window.splits_per_1k).sum::<f64>() / windows;
    let counted = totals.splits_per_1k.unwrap();
    assert!((splits - counted).abs() <= 0.1 * counted, "{name}: {splits} splits, {totals:?}");
}

/// New rows in a table of version 4, recorded by the experiment `switch`: 200,000 rows, then as many, twice and three times
/// as many. The recorded keys have other random bits and other moments. MariaDB's runs of the larger growths are as close,
/// and left out to save time.
#[test]
fn the_recorded_switches_are_predicted() {
    let records = [
        ("switch-1x", 1, "mysql"),
        ("switch-1x", 1, "mariadb"),
        ("switch-2x", 2, "mysql"),
        ("switch-3x", 3, "mysql"),
    ];
    for (file, growth, server) in sample(4, 1, records) {
        let recorded = results(&format!("2026-11-23/{server}/{file}"));
        let mut compared = 0;
        for run in &recorded.runs {
            let name = run.strategy.name.as_str();
            // The recorded weeks had 5,000 rows each; the model takes at least one row per second.
            let key = run.strategy.key.unwrap();
            if key.ids == IdKind::Week {
                continue;
            }
            let old = match key.column {
                Column::Binary16 => "v4-binary",
                Column::Text36 => "v4-text36",
                _ => continue,
            };
            let workload = &recorded.workload;
            assert_eq!(workload.rows, growth * 200_000, "{server} {file}");
            let load = Load {
                rows: workload.rows,
                row_bytes: workload.payload_bytes,
                // The rows came within this many minutes of simulated time.
                rate: workload.rows as f64 / f64::from(workload.intervals) / 60.0,
                id_rate: None,
                writers: 1,
                commit_rows: workload.statement_rows.into(),
                server: server_of(run).into(),
                existing: Some((strategy::find(old).unwrap(), 200_000)),
                clients: None,
                skew: None,
                start_unix_secs: None,
                tenants: None,
            };
            let predicted = predict(strategy::find(name).unwrap(), &load).unwrap();
            let leaves = run.trees[0].leaf_pages as f64;
            let off = predicted.tree.leaf_pages as f64 / leaves - 1.0;
            println!("{server} {file} {name}: {leaves} recorded, {off:+.4}");
            assert!(off.abs() < 0.03, "{server} {file} {name}: {leaves} recorded, off by {off:+.4}");
            compared += 1;
        }
        assert_eq!(compared, 8, "{server} {file}");
    }
}
