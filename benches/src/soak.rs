//! Long tests: they look for repeated ids among very many, and for random bits that are not random.

mod bytes;
mod repeats;

pub use bytes::write_random_bytes;
pub use repeats::{Size, find_repeats};

use idgen::{ShortId, Uuid};

/// A kind of id, as numbers that are generated one at a time and in batches.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// The largest number of ids to generate, for a kind whose rate is limited.
    pub most: u64,
    make: fn(&mut [u128]),
}

/// All kinds.
pub const KINDS: [Kind; 9] = [
    Kind { name: "v1", most: u64::MAX, make: |ids| uuids(ids, idgen::v1, idgen::fill_v1) },
    Kind { name: "v4", most: u64::MAX, make: |ids| uuids(ids, idgen::v4, idgen::fill_v4) },
    Kind { name: "v6", most: u64::MAX, make: |ids| uuids(ids, idgen::v6, idgen::fill_v6) },
    Kind { name: "v7", most: u64::MAX, make: |ids| uuids(ids, idgen::v7, idgen::fill_v7) },
    Kind { name: "ulid", most: u64::MAX, make: |ids| uuids(ids, idgen::ulid, idgen::fill_ulid) },
    Kind { name: "week", most: u64::MAX, make: |ids| uuids(ids, idgen::week, idgen::fill_week) },
    Kind { name: "prefixed", most: u64::MAX, make: |ids| uuids(ids, idgen::prefixed, idgen::fill_prefixed) },
    Kind { name: "short", most: 20 << 16, make: |ids| shorts(ids, idgen::short, idgen::fill_short) },
    Kind {
        name: "mysql-short",
        most: 10_000_000_000,
        make: |ids| shorts(ids, || idgen::mysql_short(4), |batch| idgen::fill_mysql_short(4, batch)),
    },
];

/// Generates the first quarter one at a time, and the rest in one batch.
fn uuids(ids: &mut [u128], one: fn() -> Uuid, fill: fn(&mut [Uuid])) {
    let mut batch = vec![Uuid::nil(); ids.len()];
    let (singles, rest) = batch.split_at_mut(ids.len() / 4);
    singles.fill_with(one);
    fill(rest);
    ids.iter_mut().zip(batch).for_each(|(id, made)| *id = made.as_u128());
}

fn shorts(ids: &mut [u128], one: fn() -> ShortId, fill: fn(&mut [ShortId])) {
    let mut batch = vec![ShortId::default(); ids.len()];
    let (singles, rest) = batch.split_at_mut(ids.len() / 4);
    singles.fill_with(one);
    fill(rest);
    ids.iter_mut().zip(batch).for_each(|(id, made)| *id = made.get().into());
}
