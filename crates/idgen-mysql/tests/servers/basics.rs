//! Tests every call of a single client.

use idgen_mysql::{IdWidth, Index, UuidMap};
use idgen_server::Database;
use sqlx::Connection;
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, number, run, server};

everywhere!(
    one_id_per_uuid,
    batches_keep_their_order,
    register_returns_the_existing_id,
    concurrent_calls_agree
);
everywhere!(known_uuids_keep_their_ids_when_none_are_left);
everywhere!(repeats_waste_no_ids, running_out_of_ids_is_an_error);

async fn one_id_per_uuid(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let uncached = UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
    let uuid = Uuid::new_v4();
    assert_eq!(map.find(uuid).await.unwrap(), None);
    let id = map.id_of(uuid).await.unwrap();
    assert_eq!(map.id_of(uuid).await.unwrap(), id);
    assert_eq!(uncached.id_of(uuid).await.unwrap(), id);
    assert_eq!(uncached.find(uuid).await.unwrap(), Some(id));
    assert_eq!(uncached.uuid_of(id).await.unwrap(), Some(uuid));
    assert_eq!(uncached.uuid_of(id + 1).await.unwrap(), None);
    // The smallest and the largest UUID are like any other.
    for uuid in [Uuid::nil(), Uuid::max()] {
        let id = uncached.id_of(uuid).await.unwrap();
        assert_eq!(uncached.uuid_of(id).await.unwrap(), Some(uuid));
        assert_eq!(uncached.id_of(uuid).await.unwrap(), id);
    }
    assert_eq!(map.index().await.unwrap(), index);
    assert_eq!(map.id_width().await.unwrap(), IdWidth::Bits64);
    assert_sound(scratch.url()).await;
}

async fn batches_keep_their_order(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    assert!(map.ids_of(&[]).await.unwrap().is_empty());
    // More UUIDs than one statement takes; a quarter of them are known, and some are repeated.
    let uuids: Vec<Uuid> = (0..2500).map(|_| Uuid::new_v4()).collect();
    let known = map.ids_of(&uuids[..600]).await.unwrap();
    let mut asked = uuids.clone();
    asked.extend_from_slice(&uuids[1000..1200]);
    asked.reverse();
    let uncached = UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
    let mut ids = uncached.ids_of(&asked).await.unwrap();
    ids.reverse();
    assert_eq!(ids.len(), 2700);
    assert_eq!(ids[..600], known);
    assert_eq!(ids[2500..], ids[1000..1200]);
    let found: Vec<u64> = uncached.find_many(&uuids).await.unwrap().into_iter().map(Option::unwrap).collect();
    assert_eq!(found, ids[..2500]);
    let back: Vec<Uuid> =
        uncached.uuids_of(&ids[..2500]).await.unwrap().into_iter().map(Option::unwrap).collect();
    assert_eq!(back, uuids);
    assert_eq!(uncached.find_many(&[Uuid::nil(), uuids[0]]).await.unwrap(), [None, Some(ids[0])]);
    assert_eq!(
        uncached.uuids_of(&[ids[0], u64::MAX, ids[0]]).await.unwrap(),
        [Some(uuids[0]), None, Some(uuids[0])]
    );
    assert_sound(scratch.url()).await;
}

async fn register_returns_the_existing_id(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let uncached = UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
    let uuid = Uuid::new_v4();
    let id = map.register(uuid).await.unwrap();
    for map in [&map, &uncached] {
        let error = map.register(uuid).await.unwrap_err();
        assert!(error.is_duplicate() && !error.is_transient());
        assert_eq!(error.existing_id(), Some(id));
        assert!(error.to_string().contains(&uuid.to_string()), "{error}");
    }
    // Only one of many concurrent calls registers it.
    let uuid = Uuid::new_v4();
    let callers: Vec<_> = (0..20)
        .map(|_| {
            let map = uncached.clone();
            tokio::spawn(async move { map.register(uuid).await })
        })
        .collect();
    let mut made = 0;
    for caller in callers {
        made += u32::from(caller.await.unwrap().is_ok());
    }
    assert_eq!(made, 1);
}

/// Eight maps, which are eight clients without a common cache, ask for the same UUIDs at the same time.
async fn concurrent_calls_agree(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let uuids: Vec<Uuid> = (0..300).map(|_| Uuid::new_v4()).collect();
    let mut clients = Vec::new();
    for client in 0..8 {
        let map = UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
        let mut mine = uuids.clone();
        clients.push(tokio::spawn(async move {
            // Half of them in batches, half one by one, each in a different order.
            mine.rotate_left(client * 37);
            let mut pairs = Vec::new();
            if client % 2 == 0 {
                for batch in mine.chunks(40) {
                    pairs.extend(batch.iter().copied().zip(map.ids_of(batch).await.unwrap()));
                }
            } else {
                for uuid in mine {
                    pairs.push((uuid, map.id_of(uuid).await.unwrap()));
                }
            }
            pairs.sort_unstable();
            pairs
        }));
    }
    let mut answers = Vec::new();
    for client in clients {
        answers.push(client.await.unwrap());
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    let mut connection = connect(scratch.url()).await;
    assert_eq!(number(&mut connection, "SELECT COUNT(*) FROM uuid_map").await, Ok(300));
    assert_sound(scratch.url()).await;
}

async fn repeats_waste_no_ids(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let map = UuidMap::builder().cache(0).largest_block(1000).connect(scratch.url()).await.unwrap();
    let uuids: Vec<Uuid> = (0..1000).map(|_| Uuid::new_v4()).collect();
    for _ in 0..10 {
        map.ids_of(&uuids).await.unwrap();
    }
    for uuid in &uuids[..50] {
        map.id_of(*uuid).await.unwrap();
    }
    // The common repair of the published design (ON DUPLICATE KEY UPDATE) is at 10,001 here. The map may have reserved
    // one more block.
    let next = map.id_of(Uuid::new_v4()).await.unwrap();
    assert_eq!(next, 1001);
}

async fn running_out_of_ids_is_an_error(database: Database, index: Index) {
    let scratch = server(database).scratch().unwrap();
    let map = UuidMap::builder().index(index).id_width(IdWidth::Bits32).connect(scratch.url()).await.unwrap();
    map.install().await.unwrap();
    let mut connection = connect(scratch.url()).await;
    let last = u64::from(u32::MAX);
    run(&mut connection, format!("UPDATE uuid_map_state SET next_id = {}", last - 1)).await;
    // Two ids are left, fewer than a block. Both are assigned.
    assert_eq!(map.id_of(Uuid::new_v4()).await.unwrap(), last - 1);
    assert_eq!(map.id_of(Uuid::new_v4()).await.unwrap(), last);
    for _ in 0..2 {
        let error = map.id_of(Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_exhausted(), "{error}");
        assert!(error.to_string().contains("32-bit"), "{error}");
    }
    let error = map.ids_of(&[Uuid::new_v4(), Uuid::new_v4()]).await.unwrap_err();
    assert!(error.is_exhausted(), "{error}");
}

/// This includes clients that were started after the last id was assigned.
async fn known_uuids_keep_their_ids_when_none_are_left(database: Database, index: Index) {
    let scratch = server(database).scratch().unwrap();
    let map = || UuidMap::builder().cache(0).index(index).id_width(IdWidth::Bits32).largest_block(2);
    let first = map().connect(scratch.url()).await.unwrap();
    first.install().await.unwrap();
    let mut connection = connect(scratch.url()).await;
    let last = u64::from(u32::MAX);
    run(&mut connection, format!("UPDATE uuid_map_state SET next_id = {}", last - 2)).await;
    let uuids: Vec<Uuid> = (0..2).map(|_| Uuid::new_v4()).collect();
    let ids = first.ids_of(&uuids).await.unwrap();

    // One id is left: fewer than the batch has UUIDs, but as many as it has new ones.
    let batch = map().connect(scratch.url()).await.unwrap();
    let three = [uuids[0], Uuid::new_v4(), uuids[1]];
    assert_eq!(batch.ids_of(&three).await.unwrap(), [ids[0], last, ids[1]]);

    for _ in 0..2 {
        // Each call is made by a client with an empty cache.
        let restarted = async || map().connect(scratch.url()).await.unwrap();
        assert_eq!(restarted().await.id_of(uuids[0]).await.unwrap(), ids[0]);
        assert_eq!(restarted().await.ids_of(&uuids).await.unwrap(), ids);
        let error = restarted().await.register(uuids[1]).await.unwrap_err();
        assert_eq!(error.existing_id(), Some(ids[1]), "{error}");
        let mut transaction = connection.begin().await.unwrap();
        assert_eq!(restarted().await.id_of_within(&mut transaction, uuids[1]).await.unwrap(), ids[1]);
        let error = restarted().await.id_of_within(&mut transaction, Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_exhausted(), "{error}");
        transaction.rollback().await.unwrap();
        let error = restarted().await.ids_of(&[uuids[0], Uuid::new_v4()]).await.unwrap_err();
        assert!(error.is_exhausted(), "{error}");
        let error = restarted().await.register(Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_exhausted(), "{error}");
    }
}
