//! Columns with ids of two kinds, of which one begins with its time: the newest rows show where new ids arrive, whatever
//! the share of each kind.

use std::collections::BTreeSet;

use crate::survey::judge::arrival::{Arrival, ArrivalBy};
use crate::survey::judge::columns::{self, IdColumn};
use crate::survey::judge::dangers::{Code, Level};
use crate::survey::judge::random::{NOW, bytes, catalog, dangers_of};
use crate::survey::read::sample::{Sample, Value};
use crate::survey::schema::{Catalog, Class};
use crate::survey::session::Engine;

type Make = fn(&mut fastrand::Rng, i64) -> [u8; 16];

/// 48 bits of a time before random ones.
fn timed(rng: &mut fastrand::Rng, millis: i64, version: Option<u8>) -> [u8; 16] {
    let mut id = bytes(rng, version);
    id[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
    id
}

fn v1(rng: &mut fastrand::Rng, millis: i64) -> [u8; 16] {
    let ticks = (millis + 12_219_292_800_000) as u64 * 10_000;
    let [a, b, c, d, e, f, g, h] = ticks.to_be_bytes();
    let mut id = bytes(rng, Some(1));
    id[..8].copy_from_slice(&[e, f, g, h, c, d, a | 0x10, b]);
    id
}

fn v6(rng: &mut fastrand::Rng, millis: i64) -> [u8; 16] {
    let ticks = (millis + 12_219_292_800_000) as u64 * 10_000;
    let high = (ticks >> 12 << 16) | 0x6000 | ticks & 0xfff;
    let mut id = bytes(rng, Some(6));
    id[..8].copy_from_slice(&high.to_be_bytes());
    id
}

const TIMED: [(&str, Make); 3] =
    [("v7", |rng, at| timed(rng, at, Some(7))), ("ULID", |rng, at| timed(rng, at, None)), ("v6", v6)];
const EVERYWHERE: [(&str, Make); 3] =
    [("v4", |rng, _| bytes(rng, Some(4))), ("v1", v1), ("v5", |rng, _| bytes(rng, Some(5)))];

/// A table with a time of creation, or none. Of a large one, the survey reads five ranges of its key.
fn read(ids: &[[u8; 16]], has_time: bool) -> (Catalog, Sample) {
    let mut catalog = catalog(Class::Bytes { fixed: false });
    let mut time = catalog.tables[0].columns[0].clone();
    (time.name, time.type_text, time.class) = ("created_at".into(), "TEXT".into(), Class::Any);
    catalog.tables[0].columns.push(time);
    let mut rows: Vec<(&[u8; 16], usize)> = ids.iter().zip(0..).collect();
    rows.sort_unstable();
    let first = |eighth: usize| rows.partition_point(|(id, _)| usize::from(id[0]) < eighth * 32);
    let ranges = [0, first(2), first(4), first(6), rows.len() - 200];
    let shown = |&(id, at): &(&[u8; 16], usize)| {
        let time = if has_time { Value::Text(format!("2026-01-01 {at:09}")) } else { Value::Null };
        vec![Value::Bytes(id.to_vec()), time]
    };
    let whole = rows.len() <= 1_000;
    let read: BTreeSet<usize> = match whole {
        true => (0..rows.len()).collect(),
        false => ranges.iter().flat_map(|&from| from..rows.len().min(from + 200)).collect(),
    };
    let rows = read.into_iter().map(|at| shown(&rows[at])).collect();
    (catalog, Sample { columns: vec![0, 1], rows, whole, ranges: 5, ..Sample::default() })
}

/// The column of ids of such a table, and whether new ids are said to be before old ones.
fn judge(ids: &[[u8; 16]], has_time: bool) -> (IdColumn, Vec<Level>) {
    let (catalog, sample) = read(ids, has_time);
    let engine = Engine::MySql;
    let find = || columns::find(&catalog, 0, &sample, engine, NOW).swap_remove(0);
    let found = dangers_of(&catalog, engine, (None, vec![find()]));
    (
        find(),
        found
            .iter()
            .filter(|finding| finding.code == Code::NewBeforeOld)
            .map(|finding| finding.level)
            .collect(),
    )
}

#[test]
fn the_newest_rows_decide_for_each_share_of_two_kinds() {
    let mut rng = fastrand::Rng::with_seed(29);
    for (name, make) in TIMED {
        // The ranges of a large table would miss the place of version 6.
        let count = if name == "v6" { 1_000 } else { 8_000 };
        for (other, make_other) in EVERYWHERE {
            for share in [0.02, 0.05, 0.3, 0.5, 0.8, 0.9] {
                for old in [0.0, share] {
                    // Old rows, then new ones of which this share begins with its time.
                    let mut ids: Vec<[u8; 16]> = Vec::new();
                    for at in 0..count {
                        let millis = NOW - 1_000_000 * (count - at);
                        let is_timed = rng.f64() < if at < count / 2 { old } else { share };
                        ids.push(if is_timed {
                            make(&mut rng, millis)
                        } else {
                            make_other(&mut rng, millis)
                        });
                    }
                    let (column, levels) = judge(&ids, true);
                    let case = || {
                        format!("{share} {name} and {other}: {:?} {:?}", column.shares(), column.arrival_by)
                    };
                    assert_eq!(column.arrival, Arrival::Scattered, "{}", case());
                    assert!(!levels.contains(&Level::Danger), "{}: {levels:?}", case());
                }
            }
            // All new rows begin with their time.
            let ids: Vec<_> = (0..count)
                .map(|at| {
                    let make = if at < count / 8 * 7 { make_other } else { make };
                    make(&mut rng, NOW - 1_000_000 * (count - at))
                })
                .collect();
            let (column, levels) = judge(&ids, true);
            let case = || format!("{name} after {other}: {:?} {:?}", column.shares(), column.arrival_by);
            assert_eq!((column.arrival, &levels[..]), (Arrival::Middle, &[Level::Danger][..]), "{}", case());
            // Without a time of creation, only times in the ids show which are the newest.
            let (column, _) = judge(&ids, false);
            let expected = if other == "v1" {
                (Arrival::Middle, Some(ArrivalBy::Kind))
            } else {
                (Arrival::Unknown, None)
            };
            assert_eq!((column.arrival, column.arrival_by.clone()), expected, "{}", case());
        }
    }
}
