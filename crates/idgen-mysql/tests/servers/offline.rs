//! Tests offline devices and the map together; the devices are those of the example.

#[path = "../../examples/offline_devices.rs"]
mod offline_devices;

use std::collections::HashMap;

use idgen_mysql::Index;
use idgen_server::Database;
use offline_devices::{Report, simulate};

use crate::common::{assert_sound, connect, everywhere, map, number};

everywhere!(offline_ids_arrive_once);

async fn offline_ids_arrive_once(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let devices = 1000;
    let Report { made, delivered } = simulate(scratch.url(), devices).await.unwrap();
    // No id is repeated, although the devices repeat their randomness and their clocks.
    let mut different = made.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), made.len());
    assert!(made.len() as u64 > devices * 20, "{} ids", made.len());
    // Some batches arrived twice, without any effect.
    assert!(delivered.len() > made.len());
    let ids: HashMap<_, _> = delivered.iter().copied().collect();
    assert!(delivered.iter().all(|(uuid, id)| ids[uuid] == *id));
    // No id is lost.
    let stored = map.find_many(&made).await.unwrap();
    assert!(made.iter().zip(stored).all(|(uuid, id)| id == Some(ids[uuid])));
    let mut connection = connect(scratch.url()).await;
    assert_eq!(number(&mut connection, "SELECT COUNT(*) FROM uuid_map").await, Ok(made.len() as i64));
    assert_sound(scratch.url()).await;
}
