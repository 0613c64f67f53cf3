//! The forecasts of all databases.

use super::*;
use crate::strategy::{self, find};
use btree_model::Server;
use idgen_record::Database;

fn load(rows: u64) -> Load {
    Load { rate: 2_000.0, ..Load::new(rows, Server::mysql(32 << 20)) }
}

#[test]
fn every_strategy_is_predicted() {
    for strategy in &strategy::ALL {
        if strategy.column.is_mapped() {
            assert!(predict(strategy, &load(30_000)).unwrap_err().is_config());
            continue;
        }
        let forecast = predict(strategy, &load(30_000)).unwrap();
        assert_eq!(forecast.windows.len(), 10, "{}", strategy.name);
        assert_eq!((forecast.last().rows, forecast.tree.rows), (30_000, 30_000), "{}", strategy.name);
        assert!(forecast.tree.fill.mean > 0.4, "{}: {}", strategy.name, forecast.tree.fill.mean);
    }
}

/// Compares with the recorded runs: the bytes in use on all leaves, divided by the rows. `CHAR` has no length
/// byte, `VARCHAR` has one.
#[test]
fn rows_take_as_many_bytes_as_on_the_servers() {
    for (name, bytes) in [
        ("v4-binary", 34),
        ("v4-text36", 54),
        ("minute-text36", 54),
        ("v4-base64", 40),
        ("v4-varchar36", 55),
        ("v4-varbinary36", 55),
        ("auto-increment", 26),
    ] {
        let load = Load { row_bytes: 0, ..load(10_000) };
        assert_eq!(predict(find(name).unwrap(), &load).unwrap().record_bytes, bytes, "{name}");
    }
}

/// Eight more rows than ten windows hold must not become a window of eight rows.
#[test]
fn windows_are_multiples_of_a_thousand_rows() {
    let forecast = predict(find("auto-increment").unwrap(), &load(15_508)).unwrap();
    let inserts: Vec<u64> = forecast.windows.iter().map(|window| window.inserts).collect();
    assert_eq!(inserts, [2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 1_508]);
    let leaves: Vec<f64> = forecast.windows.iter().map(|window| window.distinct_leaves_per_1k).collect();
    // Rows of 126 bytes: a thousand rows take 8 or 9 pages, and one more that was begun before.
    assert!(leaves.iter().all(|count| (8.0..=12.0).contains(count)), "{leaves:?}");
}

#[test]
fn random_keys_cause_reads_and_ordered_keys_do_not() {
    let forecast = |name, writers| predict(find(name).unwrap(), &Load { writers, ..load(300_000) }).unwrap();
    let reads = |forecast: &Forecast| forecast.last_pages().0;
    let bytes = |forecast: &Forecast| forecast.tree.page_bytes_per_row;
    let random = forecast("v4-binary", 1);
    assert!(reads(&random) > 300.0, "{:?}", random.last());
    for (name, writers) in [("v7-binary", 1), ("v7-binary", 8), ("minute-ascending", 1)] {
        let ordered = forecast(name, writers);
        assert!(reads(&ordered) < 3.0, "{name} {writers}: {:?}", ordered.last());
        // Ids of several writers interleave within the millisecond: pages are 76 % full, against 64 % with random
        // keys (measured).
        assert!(bytes(&ordered) < 0.9 * bytes(&random), "{name} {writers}");
    }
}

#[test]
fn the_simulated_clock_keeps_the_rate() {
    let strategy = find("minute-ascending").unwrap();
    let load = load(300_000);
    let mut keys = Keys::new(strategy, &load.makers(), 1).unwrap();
    let mut prefixes = Vec::new();
    for _ in 0..load.rows {
        prefixes.push(keys.next_key().unwrap()[..2].to_vec());
    }
    // 2,000 inserts per second are 120,000 per minute, with a standard deviation of 346.
    let runs: Vec<_> = prefixes.chunk_by(|a, b| a == b).map(<[_]>::len).collect();
    assert_eq!(runs.len(), 3, "{runs:?}");
    assert!(runs[..2].iter().all(|rows| rows.abs_diff(120_000) < 1_500), "{runs:?}");
}

/// All rows have one prefix at 2,000 ids per second, and go to all pages. At 20, about 1,200 rows share each
/// prefix, and go to few pages. The speed of the inserts does not change that.
#[test]
fn prefixes_follow_the_clock_of_the_ids() {
    let strategy = find("minute-random").unwrap();
    let leaves = |rate, id_rate| {
        let load = Load { rate, id_rate, ..load(30_000) };
        predict(strategy, &load).unwrap().last().distinct_leaves_per_1k
    };
    let slow = leaves(2_000.0, Some(20.0));
    assert_eq!(slow, leaves(20.0, None));
    assert!(2.0 * slow < leaves(2_000.0, None), "{slow}");
}

fn postgres(rows: u64) -> Load {
    Load { rate: rows as f64 / 6_000.0, ..Load::new(rows, PostgresSettings::default()) }
}

/// Compares with the recorded tables of a million rows; the model's table has a fifth of that.
#[test]
fn pages_are_as_full_as_on_the_server() {
    for (name, density, heap) in [
        ("auto-increment", Some(0.900), 141.2),
        ("v7-binary", Some(0.900), 148.9),
        ("fixed-prefix", Some(0.900), 148.9),
        ("minute-random", Some(0.681), 148.9),
        ("minute-ascending", Some(0.518), 148.9),
        ("minute-bigints", Some(0.518), 148.9),
        // Random keys fill pages in waves, and a smaller table is in another phase of the wave.
        ("v4-text36", None, 174.3),
        ("v4-base64", None, 157.5),
    ] {
        let forecast = predict(find(name).unwrap(), &postgres(200_000)).unwrap();
        let fill = forecast.tree.fill.mean;
        assert!(density.is_none_or(|density: f64| (fill - density).abs() < 0.035), "{name}: {fill}");
        let found = forecast.heap_bytes_per_row.unwrap();
        assert!((found - heap).abs() < 0.1, "{name}: {found}");
        assert_eq!(forecast.windows.len(), 10, "{name}");
    }
}

#[test]
fn v7_after_v4_needs_more_pages_than_more_v4() {
    let v4 = find("v4-binary").unwrap();
    let load = Load { existing: Some((v4, 100_000)), ..postgres(100_000) };
    let leaves = |name| predict(find(name).unwrap(), &load).unwrap().tree.leaf_pages;
    let (stay, v7, fixed) = (leaves("v4-binary"), leaves("v7-binary"), leaves("fixed-prefix"));
    assert!(v7 as f64 > 1.1 * stay as f64, "{v7}, {stay}");
    assert!((fixed as f64) < 0.95 * stay as f64, "{fixed}, {stay}");
}

/// Counted integers and version 7 come after the old ones, so their pages are as full as in a new table.
#[test]
fn ascending_keys_go_on_after_existing_ones() {
    for name in ["auto-increment", "v7-binary"] {
        let strategy = find(name).unwrap();
        let load = Load { existing: Some((strategy, 50_000)), ..postgres(50_000) };
        let forecast = predict(strategy, &load).unwrap();
        assert!((forecast.tree.fill.mean - 0.90).abs() < 0.01, "{name}: {}", forecast.tree.fill.mean);
        assert!(forecast.windows[5].distinct_leaves_per_1k < 6.0, "{name}: {:?}", forecast.windows[5]);
    }
}

/// New random keys are other keys than the old ones: no row has the key of another.
#[test]
fn existing_and_new_keys_differ() {
    for name in ["v4-binary", "v7-binary", "minute-random", "device", "auto-increment"] {
        let strategy = find(name).unwrap();
        let mut all = std::collections::HashSet::new();
        let load = Load { rate: 100.0, ..postgres(20_000) };
        let mut old = Keys::existing(strategy, &load.makers(), 5_000).unwrap();
        let mut new = Keys::new(strategy, &load.makers(), 1).unwrap().after(5_000);
        for _ in 0..5_000 {
            assert!(all.insert(old.next_key().unwrap().to_vec()), "{name}");
            assert!(all.insert(new.next_key().unwrap().to_vec()), "{name}");
        }
    }
}

fn sqlite(rows: u64) -> Load {
    Load::new(rows, SqliteSettings::default())
}

#[test]
fn every_strategy_of_sqlite_is_predicted() {
    let mut predicted = 0;
    for strategy in strategy::ALL.iter().filter(|one| one.check(Database::Sqlite).is_ok()) {
        let found = predict(strategy, &sqlite(20_000));
        if strategy.column.is_mapped() {
            assert!(found.unwrap_err().is_config(), "{}", strategy.name);
            continue;
        }
        let found = found.unwrap();
        assert_eq!((found.windows.len(), found.tree.rows), (10, 20_000), "{}", strategy.name);
        assert!((0.8..1.0).contains(&found.tree.fill.mean), "{}: {:?}", strategy.name, found.tree);
        predicted += 1;
    }
    assert!(predicted >= 15, "{predicted}");
}

/// Every row in a transaction of its own writes its leaf, and some write the neighbors of a full leaf too.
#[test]
fn single_rows_write_a_page_each_whatever_their_order() {
    for name in ["v7-binary", "v4-binary"] {
        let single = Load { commit_rows: 1, ..sqlite(20_000) };
        let writes = predict(find(name).unwrap(), &single).unwrap().last_pages().1;
        assert!((1_000.0..2_000.0).contains(&writes), "{name}: {writes}");
    }
}

#[test]
fn new_keys_follow_existing_ones() {
    let v4 = find("v4-binary").unwrap();
    let both = Load { existing: Some((v4, 20_000)), ..sqlite(20_000) };
    let (stay, v7) = (predict(v4, &both).unwrap(), predict(find("v7-binary").unwrap(), &both).unwrap());
    assert_eq!((stay.tree.rows, v7.tree.rows, v7.last().rows), (40_000, 40_000, 40_000));
    assert!(v7.last_pages().1 < 0.1 * stay.last_pages().1);
}

#[test]
fn nonsense_is_refused() {
    let (v4, device) = (find("v4-binary").unwrap(), find("device").unwrap());
    let existing = |name, rows| Some((find(name).unwrap(), rows));
    let sqlite_of = |pool_bytes, page_bytes| Load::new(20_000, SqliteSettings { pool_bytes, page_bytes });
    for usual in [load(20_000), postgres(20_000), sqlite(20_000)] {
        for bad in [
            Load { rows: 10, ..usual.clone() },
            Load { writers: 0, ..usual.clone() },
            Load { commit_rows: 0, ..usual.clone() },
            Load { rate: 0.0, ..usual.clone() },
            Load { rate: -5.0, ..usual.clone() },
            Load { rate: f64::NAN, ..usual.clone() },
            Load { rate: f64::INFINITY, ..usual.clone() },
            Load { rate: 1e12, ..usual.clone() },
            Load { id_rate: Some(0.0), ..usual.clone() },
            Load { row_bytes: 20_000, ..usual.clone() },
            Load { existing: existing("v4-binary", 200_000_000), ..usual.clone() },
            Load { existing: existing("v4-binary", u64::MAX), ..usual.clone() },
            Load { existing: existing("auto-increment", 20_000), ..usual.clone() },
            Load { existing: existing("v4-text36", 20_000), ..usual.clone() },
            Load { existing: existing("mapped", 20_000), ..usual.clone() },
        ] {
            assert!(predict(v4, &bad).unwrap_err().is_config(), "{bad:?}");
        }
    }
    let after_devices = Load { existing: Some((device, 10_000)), ..sqlite(20_000) };
    let never = PostgresSettings { checkpoint_secs: 0, ..PostgresSettings::default() };
    for (name, bad) in [
        ("v4-binary", Load { existing: Some((v4, 20_000_000)), ..load(20_000) }),
        ("v4-uuid", sqlite(20_000)),
        ("v4-uuid", postgres(20_000)),
        ("mapped", postgres(20_000)),
        ("v4-binary", Load { row_bytes: 2_000, ..sqlite(20_000) }),
        ("v4-binary", Load { row_bytes: 9_000, ..postgres(20_000) }),
        ("v4-binary", Load::new(20_000, never)),
        ("v4-binary", sqlite_of(2_000 << 10, 5_000)),
        ("v4-binary", sqlite_of(10_000, 4_096)),
        ("auto-increment", after_devices),
    ] {
        assert!(predict(find(name).unwrap(), &bad).unwrap_err().is_config(), "{name} {bad:?}");
    }
}

#[test]
fn a_tenant_comes_before_the_id() {
    for server in [Server::mysql(64 << 20).into(), Settings::from(PostgresSettings::default())] {
        let load = Load::new(60_000, server);
        let of = |name, tenants, row_bytes| {
            predict(find(name).unwrap(), &Load { tenants, row_bytes, ..load.clone() }).unwrap().tree
        };
        let random = of("v4-binary", None, 100);
        let fill = |tenants| of("v7-binary", Some(tenants), 100).fill.mean;
        // With one tenant, the rows are in the order of their ids; with many times more tenants than rows, in none.
        assert!((fill(1) - of("v7-binary", None, 104).fill.mean).abs() < 0.01, "{}", fill(1));
        assert!(
            (fill(100_000_000) - random.fill.mean).abs() < 0.02,
            "{} {}",
            fill(100_000_000),
            random.fill.mean
        );
        // The integers of a tenant's rows are not those of another one's.
        assert!(
            of("auto-increment", Some(1_000), 100).leaf_pages > of("auto-increment", None, 100).leaf_pages
        );
        let says = |tenants, name| {
            predict(find(name).unwrap(), &Load { tenants, ..load.clone() }).unwrap_err().to_string()
        };
        assert!(says(Some(0), "v7-binary").contains("0 tenants"));
    }
    let load = Load { tenants: Some(3), ..sqlite(60_000) };
    let error = predict(find("v7-binary").unwrap(), &load).unwrap_err();
    assert!(error.is_config() && error.to_string().contains("leave out the tenants"), "{error}");
}
