//! Checks what was acknowledged to clients: first among the answers themselves, then against the tables.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

use idgen_mysql::UuidMap;
use uuid::Uuid;

/// One acknowledged answer.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub uuid: Uuid,
    pub id: u64,
    /// Time of this machine's clock, in microseconds.
    pub begin: u64,
    pub end: u64,
    /// True if the answer to the caller was that it created the pair.
    pub made: bool,
}

/// Checks a history without the server, and returns the number of UUIDs in it.
pub fn check(history: &[Entry]) -> usize {
    let mut by_uuid: HashMap<Uuid, Entry> = HashMap::new();
    let mut by_id: HashMap<u64, Uuid> = HashMap::new();
    let mut made: HashMap<Uuid, Entry> = HashMap::new();
    for entry in history {
        let uuid = *by_id.entry(entry.id).or_insert(entry.uuid);
        assert_eq!(uuid, entry.uuid, "one id for two UUIDs: {entry:?}");
        let first = by_uuid.entry(entry.uuid).or_insert(*entry);
        assert_eq!(first.id, entry.id, "two ids for one UUID: {first:?} {entry:?}");
        if entry.end < first.end {
            *first = *entry;
        }
        if entry.made
            && let Some(other) = made.insert(entry.uuid, *entry)
        {
            panic!("two callers made one pair: {other:?} {entry:?}");
        }
    }
    for (uuid, maker) in &made {
        let first = by_uuid[uuid];
        assert!(first.end >= maker.begin, "made after it was known: {first:?} {maker:?}");
    }
    by_uuid.len()
}

/// Checks that every acknowledged pair is in the table.
pub async fn assert_stored(url: &str, history: &[Entry]) {
    let mut pairs: Vec<(Uuid, u64)> = history.iter().map(|entry| (entry.uuid, entry.id)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let map = UuidMap::builder().cache(0).connect(url).await.unwrap();
    for chunk in pairs.chunks(1000) {
        let uuids: Vec<Uuid> = chunk.iter().map(|(uuid, _)| *uuid).collect();
        let found = map.find_many(&uuids).await.unwrap();
        for ((uuid, id), found) in chunk.iter().zip(found) {
            assert_eq!(found, Some(*id), "an acknowledged pair is not stored: {uuid}");
        }
    }
}

/// Draws a UUID: a few come often and many rarely (Zipf's law).
pub fn some_uuid(random: &mut fastrand::Rng, population: f64) -> Uuid {
    let rank = population.powf(random.f64()) as u64;
    Uuid::from_u128(fastrand::Rng::with_seed(rank).u128(..))
}

/// Makes one call of a random kind.
pub async fn call(map: &UuidMap, random: &mut fastrand::Rng, population: f64) -> Vec<Entry> {
    let batch: Vec<Uuid> = (0..16).map(|_| some_uuid(random, population)).collect();
    let kind = random.u8(0..10);
    let begin = now();
    let mut made = false;
    let pairs: Vec<(Uuid, u64)> = match kind {
        0..=4 => vec![(batch[0], map.id_of(batch[0]).await.unwrap())],
        5 | 6 => match map.register(batch[0]).await {
            Ok(id) => {
                made = true;
                vec![(batch[0], id)]
            }
            Err(error) => vec![(batch[0], error.existing_id().unwrap_or_else(|| panic!("{error}")))],
        },
        7 => map.find(batch[0]).await.unwrap().map(|id| (batch[0], id)).into_iter().collect(),
        _ => batch.iter().copied().zip(map.ids_of(&batch).await.unwrap()).collect(),
    };
    let end = now();
    pairs.into_iter().map(|(uuid, id)| Entry { uuid, id, begin, end, made }).collect()
}

pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros() as u64
}

#[test]
fn the_checker_sees_each_fault() {
    let entry =
        |uuid: u128, id, begin, end, made| Entry { uuid: Uuid::from_u128(uuid), id, begin, end, made };
    let sound = [entry(1, 1, 0, 5, true), entry(1, 1, 3, 4, false), entry(2, 2, 0, 1, false)];
    assert_eq!(check(&sound), 2);
    let faults = [
        vec![entry(1, 1, 0, 1, false), entry(2, 1, 0, 1, false)],
        vec![entry(1, 1, 0, 1, false), entry(1, 2, 0, 1, false)],
        vec![entry(1, 1, 0, 1, true), entry(1, 1, 0, 1, true)],
        vec![entry(1, 1, 0, 1, false), entry(1, 1, 2, 3, true)],
    ];
    for fault in faults {
        assert!(std::panic::catch_unwind(|| check(&fault)).is_err(), "{fault:?}");
    }
}
