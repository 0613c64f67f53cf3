//! Tests what happens when a client is closed.

use idgen_mysql::{Index, UuidMap};
use idgen_server::Database;
use sqlx::MySqlPool;
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, number, on_both, run};

everywhere!(unused_ids_are_returned, ids_of_other_clients_are_not_returned);
on_both!(short_lived_clients_leave_no_claims, a_pool_of_the_caller_stays_open);

/// Each run of `idgen map id` is such a client.
async fn unused_ids_are_returned(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    for expected in 1..=5 {
        let map = UuidMap::connect(scratch.url()).await.unwrap();
        assert_eq!(map.id_of(Uuid::new_v4()).await.unwrap(), expected);
        map.close().await.unwrap();
        let error = map.id_of(Uuid::new_v4()).await.unwrap_err();
        assert!(error.to_string().contains("closed"), "{error}");
    }
    let unused = UuidMap::connect(scratch.url()).await.unwrap();
    unused.close().await.unwrap();
    unused.close().await.unwrap();
    let mut connection = connect(scratch.url()).await;
    assert_eq!(number(&mut connection, "SELECT next_id FROM uuid_map_state").await, Ok(6));
    assert_sound(scratch.url()).await;
}

async fn ids_of_other_clients_are_not_returned(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let client = async || UuidMap::connect(scratch.url()).await.unwrap();
    let (first, second) = (client().await, client().await);
    assert_eq!(first.id_of(Uuid::new_v4()).await.unwrap(), 1);
    assert_eq!(second.id_of(Uuid::new_v4()).await.unwrap(), 129);
    // Another client reserved ids after it.
    first.close().await.unwrap();
    let mut connection = connect(scratch.url()).await;
    let next = "SELECT next_id FROM uuid_map_state";
    assert_eq!(number(&mut connection, next).await, Ok(257));
    // An import has stored a pair in the rest of the block.
    client().await.import(&[(200, Uuid::new_v4())]).await.unwrap();
    second.close().await.unwrap();
    assert_eq!(number(&mut connection, next).await, Ok(257));
    // The ids of a transaction that was rolled back were visible to its caller.
    let third = client().await;
    run(&mut connection, "BEGIN").await;
    assert_eq!(third.id_of_within(&mut connection, Uuid::new_v4()).await.unwrap(), 257);
    run(&mut connection, "ROLLBACK").await;
    third.close().await.unwrap();
    assert_eq!(number(&mut connection, next).await, Ok(258));
    assert_sound(scratch.url()).await;
}

/// Without this, 15 such clients left 30,000 claims behind.
async fn short_lived_clients_leave_no_claims(database: Database) {
    let (scratch, _map) = map(database, Index::Dedup).await;
    for _ in 0..3 {
        let map = UuidMap::connect(scratch.url()).await.unwrap();
        let uuids: Vec<Uuid> = (0..1100).map(|_| Uuid::new_v4()).collect();
        map.ids_of(&uuids).await.unwrap();
        map.close().await.unwrap();
    }
    let mut connection = connect(scratch.url()).await;
    assert_eq!(number(&mut connection, "SELECT COUNT(*) FROM uuid_map_claim").await, Ok(0));
    assert_sound(scratch.url()).await;
}

async fn a_pool_of_the_caller_stays_open(database: Database) {
    let (scratch, _map) = map(database, Index::Unique).await;
    let pool = MySqlPool::connect(scratch.url()).await.unwrap();
    let map = UuidMap::builder().with_pool(&pool).unwrap();
    let id = map.id_of(Uuid::new_v4()).await.unwrap();
    map.close().await.unwrap();
    let mut connection = pool.acquire().await.unwrap();
    assert_eq!(number(&mut connection, "SELECT COUNT(*) FROM uuid_map").await, Ok(1));
    assert_eq!(number(&mut connection, "SELECT next_id FROM uuid_map_state").await, Ok(id as i64 + 1));
}
