//! A client stores the identity of its map at the first use, and refuses any other map from then on.

use std::time::Duration;

use futures_util::TryStreamExt;
use idgen_mysql::{Index, UuidMap};
use idgen_server::Database;
use uuid::Uuid;

use crate::common::{
    assert_sound, connect, everywhere, kill_connections, map, number, on_both, patiently, run,
    until_it_is_read_again,
};
use crate::proxy::{Mood, Proxy};

everywhere!(
    another_map_is_not_used,
    a_reinstalled_map_is_noticed,
    lost_tables_are_not_created_again,
    changed_tables_are_noticed,
    a_new_epoch_empties_caches_and_blocks,
);
on_both!(a_plain_column_in_place_of_the_hash_is_refused);

/// Two independent maps, listed as if they were nodes of one cluster.
async fn another_map_is_not_used(database: Database, index: Index) {
    let (scratch, first) = map(database, index).await;
    let (other, second) = map(database, index).await;
    assert_ne!(first.map_id().await.unwrap(), second.map_id().await.unwrap());
    let proxy = Proxy::start(scratch.url()).await;
    let builder = UuidMap::builder().cache(0).timeout(Duration::from_secs(3));
    let map = patiently(async || builder.clone().connect_any([proxy.url(), other.url()]).await).await;
    let uuid = Uuid::new_v4();
    let id = patiently(async || map.id_of(uuid).await).await;
    proxy.set(Mood::Gone);
    let error = map.id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_other_map() || error.is_transient(), "{error}");
    proxy.set(Mood::Fair);
    assert_eq!(patiently(async || map.id_of(uuid).await).await, id);
    assert_eq!(second.export(0).try_collect::<Vec<_>>().await.unwrap(), []);
    assert_sound(scratch.url()).await;
}

async fn a_reinstalled_map_is_noticed(database: Database, index: Index) {
    let (scratch, running) = map(database, index).await;
    // One client that has to reserve a block, and one that has ids left.
    let reserving = UuidMap::builder().cache(0).largest_block(1).connect(scratch.url()).await.unwrap();
    for map in [&running, &reserving] {
        map.id_of(Uuid::new_v4()).await.unwrap();
    }
    let mut root = connect(scratch.url()).await;
    run(&mut root, "DROP TABLE uuid_map, uuid_map_state").await;
    let again = UuidMap::builder().index(index).connect(scratch.url()).await.unwrap();
    again.install().await.unwrap();
    let error = reserving.id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_other_map() && !error.is_transient(), "{error}");
    until_it_is_read_again().await;
    let error = running.id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_other_map(), "{error}");
    assert!(error.to_string().contains(&again.map_id().await.unwrap().to_string()), "{error}");
    let error = running.find_many(&[Uuid::new_v4()]).await.unwrap_err();
    assert!(error.is_other_map(), "{error}");
    assert_eq!(again.export(0).try_collect::<Vec<_>>().await.unwrap(), []);
    run(&mut root, "DROP TABLE uuid_map_state").await;
    until_it_is_read_again().await;
    let error = running.id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_not_installed(), "{error}");
}

/// An empty table in the place of a lost one would assign other ids to known UUIDs.
async fn lost_tables_are_not_created_again(database: Database, index: Index) {
    let (scratch, first) = map(database, index).await;
    let uuid = Uuid::new_v4();
    let id = first.id_of(uuid).await.unwrap();
    let mut root = connect(scratch.url()).await;
    let install = async || {
        let map = UuidMap::builder().index(index).connect(scratch.url()).await.unwrap();
        map.install().await.map(|()| map)
    };
    for table in ["uuid_map", "uuid_map_state"] {
        run(&mut root, format!("RENAME TABLE {table} TO lost")).await;
        let error = install().await.unwrap_err();
        assert!(error.is_damaged() && error.to_string().contains("restore it from a backup"), "{error}");
        assert_eq!(number(&mut root, format!("SELECT COUNT(*) FROM {table}")).await, Err(1146));
        run(&mut root, format!("RENAME TABLE lost TO {table}")).await;
        install().await.unwrap();
    }
    // Tables that need not be kept are created again.
    run(&mut root, "DROP TABLE uuid_map_sync").await;
    if index == Index::Dedup {
        run(&mut root, "DROP TABLE uuid_map_claim").await;
    }
    assert_eq!(install().await.unwrap().id_of(uuid).await.unwrap(), id);
    // A state row that was created again while rows exist.
    run(&mut root, "UPDATE uuid_map_state SET next_id = 1").await;
    let error = install().await.unwrap_err();
    assert!(error.is_damaged() && error.to_string().contains("next_id"), "{error}");
    run(&mut root, "UPDATE uuid_map_state SET next_id = 1000").await;
    assert_eq!(install().await.unwrap().id_of(Uuid::new_v4()).await.unwrap(), 1000);
    assert_sound(scratch.url()).await;
}

async fn changed_tables_are_noticed(database: Database, index: Index) {
    let (scratch, running) = map(database, index).await;
    running.id_of(Uuid::new_v4()).await.unwrap();
    let mut root = connect(scratch.url()).await;
    run(&mut root, "UPDATE uuid_map_state SET version = 99").await;
    until_it_is_read_again().await;
    let error = running.id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_schema() && error.to_string().contains("version 99"), "{error}");
    run(&mut root, "UPDATE uuid_map_state SET version = 2").await;
    running.id_of(Uuid::new_v4()).await.unwrap();
    run(&mut root, "ALTER TABLE uuid_map_state RENAME COLUMN fence TO barrier").await;
    until_it_is_read_again().await;
    let fresh = UuidMap::builder().connect(scratch.url()).await.map(drop);
    for error in [running.id_of(Uuid::new_v4()).await.unwrap_err(), fresh.unwrap_err()] {
        assert!(error.to_string().contains("has no column fence: restore"), "{error}");
    }
    run(&mut root, "ALTER TABLE uuid_map_state RENAME COLUMN barrier TO fence").await;
    // MySQL's MyISAM has no index on a generated column.
    let table = if index == Index::Dedup { "uuid_map_claim" } else { "uuid_map" };
    run(&mut root, format!("ALTER TABLE {table} ENGINE = MyISAM")).await;
    let fresh = UuidMap::builder().connect(scratch.url()).await.unwrap();
    let error = fresh.id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_schema() && error.to_string().contains("engine is MyISAM"), "{error}");
    // In a running client, every new connection is checked.
    kill_connections(&mut root, database, scratch.name()).await;
    until_it_is_read_again().await;
    let error = running.id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_schema() && error.to_string().contains("engine is MyISAM"), "{error}");
}

/// The state after a backup was restored: pairs are missing, and from now on ids above every known one are assigned.
async fn a_new_epoch_empties_caches_and_blocks(database: Database, index: Index) {
    let (scratch, running) = map(database, index).await;
    let uuid = Uuid::new_v4();
    let id = running.id_of(uuid).await.unwrap();
    let mut root = connect(scratch.url()).await;
    run(&mut root, "DELETE FROM uuid_map").await;
    run(&mut root, "UPDATE uuid_map_state SET epoch = epoch + 1, next_id = 1000").await;
    assert!(
        [Some(id), None].contains(&running.find(uuid).await.unwrap()),
        "of the epoch before, or of this one"
    );
    until_it_is_read_again().await;
    // Not from the block of the previous epoch.
    assert_eq!(running.id_of(Uuid::new_v4()).await.unwrap(), 1000);
    assert_eq!(running.find(uuid).await.unwrap(), None);
    assert_eq!(running.id_of(uuid).await.unwrap(), 1001);
    assert_sound(scratch.url()).await;
}

async fn a_plain_column_in_place_of_the_hash_is_refused(database: Database) {
    let (scratch, _map) = map(database, Index::Dedup).await;
    let mut root = connect(scratch.url()).await;
    for (column, words) in [
        ("hash INT UNSIGNED", "column hash is int unsigned MUL, not"),
        ("hash INT UNSIGNED AS (CRC32(id)) VIRTUAL", "not CRC32(uuid)"),
    ] {
        run(
            &mut root,
            format!("ALTER TABLE uuid_map DROP KEY hash, DROP COLUMN hash, ADD COLUMN {column}, ADD KEY hash (hash)"),
        )
        .await;
        let map = UuidMap::connect(scratch.url()).await.unwrap();
        let error = map.id_of(Uuid::nil()).await.unwrap_err();
        assert!(error.is_schema() && error.to_string().contains(words), "{error}");
    }
}
