//! The model against what servers did.
//!
//! Measured on MySQL 9.7 and MariaDB 10.11, which agree to 0.1: a million rows whose only column is the
//! key. `distinct` counts, for each thousand inserts in a row, the leaves on which their rows lie in the
//! end. With 64 writers the order of the inserts differs from run to run: that row is what MySQL 9.7.4
//! made of the very keys that are used here.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod recorded;

use btree_model::{Model, Server, Setup, Shape};
use idgen_lab::forecast::{Load, predict};
use idgen_lab::strategy;
use idgen_record::{IdKind, RunRecord, Workload};
use recorded::{results, server_of};

/// SplitMix64: even, quick and the same everywhere.
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

/// The strategies of the measured table, made plainly.
#[derive(Clone, Copy, Debug)]
enum Keys {
    AutoIncrement,
    V4,
    V7Random,
    V7Monotonic,
    /// A hashed prefix for so many rows, then a random tail.
    Prefixed(u64),
    /// The same with a tail that ascends, for so many writers, each with a prefix.
    PrefixedAscending(u64),
    /// 64-bit ids of 5,000 devices, one a second from each.
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
    Setup { shape, server, rate }
}

/// Page fill within 1.5 points, splits and distinct leaves within a tenth.
#[test]
fn a_million_rows_lie_as_on_the_servers() {
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

/// The measured prefixes again, by the real generators: with a key of its own each writer has a prefix of its own,
/// which holds 65,536 rows.
#[test]
fn each_writer_has_a_prefix_of_its_own() {
    for (writers, fill, distinct) in [(1_u32, 91.1, 3.3), (8, 91.1, 10.0), (64, 88.3, 66.0)] {
        let rate = 65_536.0 / 60.0 * f64::from(writers);
        let load = Load {
            rows: 1_000_000,
            row_bytes: 0,
            rate,
            writers: writers.into(),
            server: Server::mysql(128 << 20),
        };
        let predicted = predict(strategy::find("minute-ascending").unwrap(), &load).unwrap();
        let leaves = predicted.windows.iter().map(|window| window.distinct_leaves_per_1k).sum::<f64>() / 10.0;
        let found = 100.0 * predicted.tree.fill.mean;
        assert!((found - fill).abs() <= 1.5, "{writers} writers: fill {found}");
        assert!((leaves - distinct).abs() <= 0.1 * distinct, "{writers} writers: {leaves} leaves");
    }
}

/// Percona Server 5.7.25, a pool of 128 MB, a device of 500 reads and writes a second, one client: in
/// the last minute of 2,866,591 rows it inserted 1,157 a second, and read 171 and wrote 242 pages per
/// 1,000 inserts.
#[test]
fn a_small_pool_reads_and_writes_as_the_reference_run_did() {
    let mut setup = setup(16, 1_157.0);
    setup.server.device_iops = Some(500);
    // An undo page for each of its 128 rollback segments; no undo spaces of their own yet.
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

/// MySQL 9.7.4 with the same settings and no limit on the device, rows 3,020,000 to 3,120,000 at 1,000 a second: it
/// read 336 and wrote 415 pages per 1,000 inserts. For the first two minutes after a faster load it wrote 540, as the
/// page cleaner goes by averages of half a minute.
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

/// What MySQL 9.7.4 did at full scale, as recorded in docs/results: 2,900,000 rows in a pool of 128 MB, each run
/// with its settings and at its own speed. In the last tenth, when the tables have outgrown the pool, pages read
/// and written per 1,000 inserts are predicted within 15 %, fill within 1.5 points, splits within a tenth. Where fewer
/// than ten pages are written, those of the second half are, within two pages.
#[test]
fn the_recorded_orders_went_as_predicted() {
    assert_eq!(judge_all("mysql/uuid-order"), 6);
}

/// The same, and of MariaDB 10.11.18; the columns of variable length, which lie as those of fixed length do, are
/// passed over. MariaDB's run of uuid-order is not replayed: with nothing to slow it down MariaDB purges late, and of
/// random keys its undo logs made three new pages for 1,000 inserts, five times those of this run with limited IOPS.
/// What they take of the pool the model does not know.
#[test]
fn the_recorded_representations_went_as_predicted() {
    assert_eq!(judge_all("mysql/uuid-representation"), 3);
    assert_eq!(judge_all("mariadb/uuid-representation"), 4);
}

fn judge_all(record: &str) -> usize {
    let recorded = results(&format!("2026-11-21/{record}/results.json"));
    let runs: Vec<_> = recorded.runs.iter().filter(|run| !run.strategy.name.starts_with("v4-var")).collect();
    runs.iter().for_each(|run| judge(&recorded.workload, run));
    runs.len()
}

fn judge(workload: &Workload, run: &RunRecord) {
    let (name, totals) = (run.strategy.name.as_str(), &run.totals);
    let server = server_of(run);
    let strategy = strategy::find(name).unwrap();
    // The minutes of the ids were simulated, and what a prefix costs hangs on the rows that share it.
    let rate = match strategy.ids {
        IdKind::MinuteRandom | IdKind::MinuteAscending => {
            workload.rows as f64 / f64::from(workload.intervals) / 60.0
        }
        _ => totals.last_rows_per_sec,
    };
    let load = Load {
        rows: workload.rows,
        row_bytes: workload.payload_bytes,
        rate,
        writers: workload.writers.into(),
        server,
    };
    let predicted = predict(strategy, &load).unwrap();
    let last = predicted.last();
    // Two pages for 1,000 inserts are the server's own: what it writes at rest.
    let near = |found: f64, known: f64| (found - known).abs() <= (0.15 * known).max(2.0);
    assert!(near(last.reads_per_1k, totals.last_reads_per_1k), "{name}: {last:?}, {totals:?}");
    // Where little is to be written the server leaves it until it must; over half a run that evens out.
    let half_of = |writes: Vec<f64>| {
        let late = &writes[writes.len() / 2..];
        late.iter().sum::<f64>() / late.len() as f64
    };
    let (found, known) = if totals.last_writes_per_1k > 10.0 {
        (last.writes_per_1k, totals.last_writes_per_1k)
    } else {
        let found = predicted.windows.iter().map(|window| window.writes_per_1k).collect();
        (half_of(found), half_of(run.windows.iter().map(|window| window.writes_per_1k).collect()))
    };
    assert!(near(found, known), "{name}: {found} and {known} written: {last:?}, {totals:?}");
    let fill = predicted.tree.fill.mean;
    // The 40 buckets of a random tail grow in step, and their pages are split in step. Other prefixes put other
    // neighbors on their first pages: seven draws gave 63.4 to 65.9 %, where the server had 63.1 %.
    let tolerance = if strategy.ids == IdKind::MinuteRandom { 0.03 } else { 0.015 };
    assert!((fill - totals.fill_mean).abs() <= tolerance, "{name}: {fill}, {totals:?}");
    let windows = predicted.windows.len() as f64;
    let splits = predicted.windows.iter().map(|window| window.splits_per_1k).sum::<f64>() / windows;
    let counted = totals.splits_per_1k.unwrap();
    assert!((splits - counted).abs() <= 0.1 * counted, "{name}: {splits} splits, {totals:?}");
}
