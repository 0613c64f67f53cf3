//! Tests inside the crate, where the number of rows before a sample can be small.

use super::*;

/// SplitMix64: uniform, fast, and the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn setup() -> Setup {
    let shape = Shape::clustered(16_384, 16, 0).unwrap();
    let server = Server { free_pages: 64, other_pages: 0, ..Server::mysql(8 << 20) };
    Setup { shape, server, rate: 5_000.0, commit_rows: 1 }
}

/// Keys whose first two bytes are random and stay the same for `bucket` keys.
fn bucketed(row: u64, bucket: u64, ascending: bool, random: &mut Random) -> [u8; 16] {
    let prefix = Random(row / bucket * 977).next() >> 48;
    let tail = if ascending { row } else { random.next() >> 16 };
    let mut key = [0; 16];
    key[..8].copy_from_slice(&(prefix << 48 | tail >> 16).to_be_bytes());
    key[8..].copy_from_slice(&(tail << 48).to_be_bytes());
    key
}

/// A quarter of the keys on a quarter of the pool predicts the figures of the whole table.
#[test]
fn a_sample_predicts_the_whole() {
    for (bucket, ascending) in [(1, false), (20_000, false), (600, false), (20_000, true)] {
        let mut thin = Random(7);
        let learned = (0..400_000).map(|row| bucketed(row, bucket, ascending, &mut thin)).step_by(20);
        let ranges = Ranges::learn(learned, 4);
        let setup = Setup { server: Server { pool_bytes: 16 << 20, ..setup().server }, ..setup() };
        let mut whole = Model::new(&setup).unwrap();
        let mut sample = Model::sampled_after(100_000, InnoDb, &setup, ranges).unwrap();
        let mut random = Random(7);
        for row in 0..400_000 {
            if row == 200_000 {
                whole.window();
                sample.window();
            }
            let key = bucketed(row, bucket, ascending, &mut random);
            whole.insert(&key).unwrap();
            sample.insert(&key).unwrap();
        }
        let what = format!("buckets of {bucket}, ascending {ascending}");
        let (a, b) = (whole.tree(), sample.tree());
        assert!((a.fill.mean - b.fill.mean).abs() < 0.015, "{what}: {} {}", a.fill.mean, b.fill.mean);
        let (a, b) = (whole.window(), sample.window());
        let near = |a: f64, b: f64| (a - b).abs() <= 0.10 * a.max(b) + 1.0;
        assert!(near(a.reads_per_1k, b.reads_per_1k), "{what}: {a:?} {b:?}");
        assert!(near(a.writes_per_1k, b.writes_per_1k), "{what}: {a:?} {b:?}");
        assert!(near(a.distinct_leaves_per_1k, b.distinct_leaves_per_1k), "{what}: {a:?} {b:?}");
    }
}

/// The window in which the sample begins also counts what came before the sample.
#[test]
fn a_sample_that_begins_within_a_window_loses_nothing() {
    let mut thin = Random(7);
    let ranges = Ranges::learn((0..200_000).map(|row| bucketed(row, 1, false, &mut thin)).step_by(20), 4);
    let setup = Setup { server: Server { pool_bytes: 16 << 20, ..setup().server }, ..setup() };
    let mut whole = Model::new(&setup).unwrap();
    let mut sample = Model::sampled_after(150_000, InnoDb, &setup, ranges).unwrap();
    let mut random = Random(7);
    for row in 0..200_000 {
        let key = bucketed(row, 1, false, &mut random);
        whole.insert(&key).unwrap();
        sample.insert(&key).unwrap();
    }
    let (a, b) = (whole.window(), sample.window());
    assert_eq!((b.inserts, b.rows), (200_000, 200_000));
    let near = |a: f64, b: f64| (a - b).abs() <= 0.05 * a;
    assert!(near(a.created_per_1k, b.created_per_1k), "{a:?} {b:?}");
    assert!(near(a.splits_per_1k, b.splits_per_1k), "{a:?} {b:?}");
    assert!(near(a.distinct_leaves_per_1k, b.distinct_leaves_per_1k), "{a:?} {b:?}");
}

/// Taking over the pages of an existing table changes none of them.
#[test]
fn taking_over_existing_pages_counts_nothing() {
    let setup = setup();
    let mut pool = Pool::new(&setup.server, setup.shape.page_size(), setup.rate, 100, 1).unwrap();
    pool.adopt(0..10_000);
    for _ in 0..100_000 {
        pool.tick();
    }
    assert_eq!(pool.counters, crate::pool::Counters::default());
}

#[test]
fn a_table_that_fits_the_pool_is_never_read() {
    let mut model = Model::new(&setup()).unwrap();
    let mut random = Random(1);
    for row in 0..50_000 {
        model.insert(&bucketed(row, 1, false, &mut random)).unwrap();
    }
    let window = model.window();
    assert_eq!((window.reads_per_1k, window.inserts, window.rows), (0.0, 50_000, 50_000));
    let tree = model.tree();
    assert!(window.created_per_1k * 50.0 >= (tree.leaf_pages + tree.inner_pages) as f64 - 1.0);
    assert_eq!(model.window().inserts, 0, "a window should begin where the last one ended");
}

#[test]
fn long_keys_grow_the_same_tree_as_their_binary_form() {
    let shape = Shape::clustered(16_384, 16, 20).unwrap();
    let mut binary = Model::new(&Setup { shape, ..setup() }).unwrap();
    let mut text = Model::new(&Setup { shape, ..setup() }).unwrap();
    let mut random = Random(3);
    for row in 0..60_000 {
        let key = bucketed(row, 1, false, &mut random);
        binary.insert(&key).unwrap();
        let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        text.insert(hex.as_bytes()).unwrap();
    }
    assert_eq!(binary.tree(), text.tree());
    assert_eq!(binary.leaf_of(&[0; 16]).unwrap(), text.leaf_of(&[b'0'; 32]).unwrap());
    assert!(text.insert(&[b'0'; 41]).unwrap_err().is_key());
}

#[test]
fn settings_that_no_server_has_are_refused() {
    for rate in [0.0, f64::NAN, f64::INFINITY] {
        assert!(Model::new(&Setup { rate, ..setup() }).unwrap_err().is_config());
    }
    let tiny = Setup { server: Server::mysql(512 << 10), ..setup() };
    assert!(Model::new(&tiny).unwrap_err().to_string().contains("buffer pool"));
}

/// Pages whose changes no longer fit the redo log are written, however few pages a second the settings allow.
#[test]
fn a_small_redo_log_makes_the_server_write_pages() {
    let writes = |redo_bytes| {
        // All pages stay in the pool, and too few are dirty to be written for that reason.
        let server = Server {
            pool_bytes: 64 << 20,
            redo_bytes,
            io_capacity: 1,
            io_capacity_max: 1,
            dirty_low_pct: 90.0,
            ..setup().server
        };
        let mut model = Model::new(&Setup { server, ..setup() }).unwrap();
        let mut random = Random(7);
        for row in 0..100_000 {
            model.insert(&bucketed(row, 1, false, &mut random)).unwrap();
        }
        model.window().writes_per_1k
    };
    let (large, small) = (writes(1 << 30), writes(1 << 20));
    assert!(large < 0.5, "{large}");
    // The log has room for 1,300 inserts, so a page that was changed is written soon after, and then changed again.
    assert!((50.0..400.0).contains(&small), "{small}");
}

/// A server with more memory reads no more pages, but for a few that are noise, whatever the order of the keys is.
#[test]
fn more_memory_predicts_no_more_reads() {
    const ROWS: u64 = 120_000;
    for server in [Server::mysql, Server::mariadb] {
        for ascends in [true, false] {
            let mut fewest = f64::INFINITY;
            for mebibytes in [2, 4, 5, 6, 8, 11, 14, 16, 17, 20, 24, 28, 32, 40] {
                let shape = Shape::clustered(16_384, 16, 100).unwrap();
                let setup = Setup { shape, server: server(mebibytes << 20), rate: 1_000.0, commit_rows: 1 };
                let mut model = Model::new(&setup).unwrap();
                let mut random = Random(3);
                for row in 0..ROWS {
                    if row == ROWS - 20_000 {
                        model.window();
                    }
                    let high = if ascends { row } else { random.next() };
                    model.insert(&(u128::from(high) << 64).to_be_bytes()).unwrap();
                }
                let reads = model.window().reads_per_1k;
                assert!(reads <= fewest * 1.1 + 2.5, "{mebibytes} MiB, ascends {ascends}: {reads} {fewest}");
                fewest = fewest.min(reads);
            }
        }
    }
}
