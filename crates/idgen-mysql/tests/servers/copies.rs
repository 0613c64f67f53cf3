//! Tests that a copy of the map is not taken for the map: everything that rows contain is equal there.

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Scratch};
use sqlx::Connection;
use uuid::Uuid;

use crate::common::{assert_sound, connect, copy_table, everywhere, map, number, run, server};
use crate::proxy::{Mood, Proxy};
use crate::within::other_than;

everywhere!(
    a_copy_of_the_schema_is_refused,
    a_copy_on_another_server_is_refused,
    a_node_of_the_cluster_is_accepted
);

/// The tables and rows of a map in another schema of the same server.
async fn copied(database: Database, index: Index, from: &Scratch) -> Scratch {
    let copy = server(database).scratch().unwrap();
    let mut root = connect(copy.url()).await;
    let claims = (index == Index::Dedup).then_some("uuid_map_claim");
    for table in ["uuid_map", "uuid_map_state", "uuid_map_sync"].into_iter().chain(claims) {
        copy_table(&mut root, &format!("{}.{table}", from.name()), table).await;
    }
    copy
}

async fn refuses(map: &UuidMap, url: &str, words: &str) {
    let mut connection = connect(url).await;
    let mut transaction = connection.begin().await.unwrap();
    for uuids in [vec![Uuid::new_v4()], vec![Uuid::new_v4(), Uuid::new_v4()]] {
        for error in [
            map.ids_of_within(&mut transaction, &uuids).await.unwrap_err(),
            map.id_of_within(&mut transaction, uuids[0]).await.unwrap_err(),
            map.register_within(&mut transaction, uuids[0]).await.unwrap_err(),
        ] {
            assert!(error.is_other_map() && !error.is_transient(), "{error}");
            assert!(error.to_string().contains(words), "{error}");
        }
    }
    transaction.commit().await.unwrap();
    let mut root = connect(url).await;
    assert_eq!(number(&mut root, "SELECT COUNT(*) FROM uuid_map WHERE id > 3").await, Ok(0));
}

async fn a_copy_of_the_schema_is_refused(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let uuids: Vec<Uuid> = (0..3).map(|_| Uuid::new_v4()).collect();
    let ids = map.ids_of(&uuids).await.unwrap();
    let copy = copied(database, index, &scratch).await;
    refuses(&map, copy.url(), copy.name()).await;
    // The original continues to work, also after the refusal.
    let mut connection = connect(scratch.url()).await;
    let mut transaction = connection.begin().await.unwrap();
    assert_eq!(map.ids_of_within(&mut transaction, &uuids).await.unwrap(), ids);
    map.id_of_within(&mut transaction, Uuid::new_v4()).await.unwrap();
    transaction.commit().await.unwrap();
    assert_sound(scratch.url()).await;
}

/// A restored backup, a replica, or a copy of the machine.
async fn a_copy_on_another_server_is_refused(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let (other, _) = crate::common::map(other_than(database), index).await;
    let identity = map.map_id().await.unwrap().simple();
    run(&mut connect(other.url()).await, format!("UPDATE uuid_map_state SET map_id = x'{identity}'")).await;
    refuses(&map, other.url(), other.name()).await;
    assert_sound(scratch.url()).await;
}

/// The two servers are nodes of one cluster here, as far as the map can see.
async fn a_node_of_the_cluster_is_accepted(database: Database, index: Index) {
    let (scratch, owner) = map(database, index).await;
    let (other, _) = crate::common::map(other_than(database), index).await;
    let identity = owner.map_id().await.unwrap().simple();
    run(&mut connect(other.url()).await, format!("UPDATE uuid_map_state SET map_id = x'{identity}'")).await;
    let (own, node) = (Proxy::start(scratch.url()).await, Proxy::start(other.url()).await);
    own.set(Mood::OneCluster);
    node.set(Mood::OneCluster);
    let map = UuidMap::builder().cache(0).connect(own.url()).await.unwrap();
    let mut connection = connect(node.url()).await;
    for _ in 0..2 {
        let mut transaction = connection.begin().await.unwrap();
        let uuid = Uuid::new_v4();
        let id = map.id_of_within(&mut transaction, uuid).await.unwrap();
        assert_eq!(map.ids_of_within(&mut transaction, &[uuid]).await.unwrap(), [id]);
        transaction.commit().await.unwrap();
    }
    // Its other schemas are not.
    let beside = copied(other_than(database), index, &other).await;
    let mut connection = connect(beside.url()).await;
    let mut transaction = connection.begin().await.unwrap();
    assert!(map.id_of_within(&mut transaction, Uuid::new_v4()).await.unwrap_err().is_other_map());
    assert_sound(scratch.url()).await;
}
