//! Tests reserved ids that are already in the table with other UUIDs.

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Wait};
use sqlx::Connection;
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, on_both, run};

everywhere!(ids_in_use_are_skipped, an_import_over_a_block_discards_it);
everywhere!(ids_above_the_next_id_are_reported_as_damage);
on_both!(ids_that_a_batch_stored_are_not_returned);

/// Rows were inserted by hand, with ids of our block.
async fn ids_in_use_are_skipped(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let map = UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
    assert_eq!(map.id_of(Uuid::new_v4()).await.unwrap(), 1);
    let mut connection = connect(scratch.url()).await;
    run(&mut connection, "INSERT INTO uuid_map (id, uuid) VALUES (2, REPEAT('a', 16)), (4, REPEAT('b', 16))")
        .await;
    assert_eq!(map.id_of(Uuid::new_v4()).await.unwrap(), 3);
    let ids = map.ids_of(&[Uuid::new_v4(), Uuid::new_v4(), Uuid::new_v4()]).await.unwrap();
    assert!(ids.iter().all(|id| *id > 4), "{ids:?}");
    assert_sound(scratch.url()).await;
}

/// A block may have 65,536 ids, and each one takes two round trips to find out that it is taken.
async fn an_import_over_a_block_discards_it(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let holders = async || UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
    let (single, batch, within) = (holders().await, holders().await, holders().await);
    let importer = holders().await;
    for (holder, first) in [(&single, 1), (&batch, 129), (&within, 257)] {
        assert_eq!(holder.id_of(Uuid::new_v4()).await.unwrap(), first);
        let covered: Vec<(u64, Uuid)> = (first + 1..first + 51).map(|id| (id, Uuid::new_v4())).collect();
        importer.import(&covered).await.unwrap();
    }
    // Not the 52nd id of the block that they hold.
    assert_eq!(single.id_of(Uuid::new_v4()).await.unwrap(), 385);
    // With three ids per attempt, the eighth attempt succeeds.
    let ids = batch.ids_of(&[Uuid::new_v4(), Uuid::new_v4(), Uuid::new_v4()]).await.unwrap();
    assert!(ids.iter().all(|id| (513..516).contains(id)), "{ids:?}");
    let mut connection = connect(scratch.url()).await;
    let mut transaction = connection.begin().await.unwrap();
    assert_eq!(within.id_of_within(&mut transaction, Uuid::new_v4()).await.unwrap(), 641);
    transaction.commit().await.unwrap();
    // From then on, the map works as usual.
    assert_eq!(single.id_of(Uuid::new_v4()).await.unwrap(), 386);
    assert_sound(scratch.url()).await;
}

async fn ids_above_the_next_id_are_reported_as_damage(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let map = UuidMap::builder().cache(0).largest_block(2).connect(scratch.url()).await.unwrap();
    let mut connection = connect(scratch.url()).await;
    let rows: Vec<String> = (1..=500).map(|id| format!("({id}, RANDOM_BYTES(16))")).collect();
    run(&mut connection, format!("INSERT INTO uuid_map (id, uuid) VALUES {}", rows.join(","))).await;
    let words = "call repair (idgen map repair)";
    let error = map.id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.to_string().contains(words), "{error}");
    let error = map.ids_of(&[Uuid::new_v4()]).await.unwrap_err();
    assert!(error.to_string().contains(words), "{error}");
    let mut transaction = connection.begin().await.unwrap();
    let error = map.id_of_within(&mut transaction, Uuid::new_v4()).await.unwrap_err();
    assert!(error.to_string().contains(words), "{error}");
    transaction.rollback().await.unwrap();
    // This is what the error recommends.
    map.repair().await.unwrap();
    let map = UuidMap::connect(scratch.url()).await.unwrap();
    assert_eq!(map.id_of(Uuid::new_v4()).await.unwrap(), 501);
    assert_sound(scratch.url()).await;
}

/// The insert is committed, and the look-up after it fails.
async fn ids_that_a_batch_stored_are_not_returned(database: Database) {
    let (scratch, owner) = map(database, Index::Unique).await;
    let known = Uuid::from_u128(7);
    assert_eq!(owner.id_of(known).await.unwrap(), 1);
    // A user whose privilege to read can be revoked.
    let mut root = connect(scratch.url()).await;
    let schema = scratch.name();
    let user = &schema[schema.len() - 16..];
    run(&mut root, format!("CREATE USER '{user}'@'%' IDENTIFIED BY 'Secret-7'")).await;
    run(&mut root, format!("GRANT SELECT, INSERT ON {schema}.uuid_map TO '{user}'@'%'")).await;
    run(&mut root, format!("GRANT SELECT, UPDATE ON {schema}.uuid_map_state TO '{user}'@'%'")).await;
    run(&mut root, format!("GRANT SELECT, INSERT, UPDATE ON {schema}.uuid_map_sync TO '{user}'@'%'")).await;
    let (_, address) = scratch.url().rsplit_once('@').unwrap();
    let url = format!("mysql://{user}:Secret-7@{address}");
    let map = UuidMap::builder().cache(0).connect(&url).await.unwrap();
    assert_eq!(map.find(known).await.unwrap(), Some(1));

    let batch: Vec<Uuid> = (0..20).map(|n| Uuid::from_u128(7 + n)).collect();
    let wait = Wait::until("the call stores the batch before it reads the map");
    let first = loop {
        wait.check();
        run(&mut root, format!("REVOKE SELECT ON {schema}.uuid_map FROM '{user}'@'%'")).await;
        let error = map.ids_of(&batch).await.unwrap_err();
        run(&mut root, format!("GRANT SELECT ON {schema}.uuid_map TO '{user}'@'%'")).await;
        // Once a second a call also reads the map before it stores anything.
        if let Some(first) = map.find_many(&batch).await.unwrap()[1] {
            assert!(error.to_string().contains("SELECT"), "{error}");
            break first;
        }
    };
    // The first client's block is 1 to 128. This client proposed 20 ids for 20 UUIDs; the first of them was already
    // taken.
    assert_eq!(first, 130);
    assert_eq!(map.id_of(Uuid::new_v4()).await.unwrap(), 129 + 20);
    run(&mut root, format!("DROP USER '{user}'@'%'")).await;
    assert_sound(scratch.url()).await;
}
