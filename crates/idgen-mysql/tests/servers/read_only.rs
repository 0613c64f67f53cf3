//! Tests a server that accepts no writes for a while.

use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Server};
use sqlx::MySqlConnection;
use uuid::Uuid;

use crate::common::{assert_sound, connect, on_both, run, settings};

on_both!(known_uuids_need_no_writes);

/// One server for all of these tests, because the setting affects every client.
async fn known_uuids_need_no_writes(database: Database) {
    let server = Server::start(database, &settings()).unwrap();
    let mut root = connect(server.url()).await;
    run(&mut root, "CREATE USER app@'%' IDENTIFIED BY 'Secret-7'").await;
    for index in [Index::Unique, Index::Dedup] {
        known_uuids_are_answered(&server, &mut root, index).await;
    }
}

async fn known_uuids_are_answered(server: &Server, root: &mut MySqlConnection, index: Index) {
    let scratch = server.scratch().unwrap();
    let owner = UuidMap::builder().index(index).connect(scratch.url()).await.unwrap();
    owner.install().await.unwrap();
    let uuids: Vec<Uuid> = (0..20).map(|_| Uuid::new_v4()).collect();
    let ids = owner.ids_of(&uuids).await.unwrap();
    run(root, format!("GRANT SELECT, INSERT, UPDATE, DELETE ON {}.* TO app@'%'", scratch.name())).await;
    let (_, address) = scratch.url().rsplit_once('@').unwrap();
    let client = async |timeout: u64| {
        let builder = UuidMap::builder().cache(0).timeout(Duration::from_secs(timeout));
        builder.connect(&format!("mysql://app:Secret-7@{address}")).await.unwrap()
    };
    // The last one has a deadline, which its calls for new UUIDs reach.
    let (with_ids, without_ids, short) = (client(3600).await, client(3600).await, client(5).await);
    // It reserves a block, and has the rest of it left.
    with_ids.id_of(Uuid::new_v4()).await.unwrap();

    run(root, "SET GLOBAL read_only = 1").await;
    let known = async {
        for map in [&with_ids, &without_ids] {
            for _ in 0..2 {
                assert_eq!(map.id_of(uuids[0]).await.unwrap(), ids[0]);
                assert_eq!(map.ids_of(&uuids).await.unwrap(), ids);
                assert_eq!(map.register(uuids[1]).await.unwrap_err().existing_id(), Some(ids[1]));
            }
            map.install().await.unwrap();
        }
    };
    // A client that waits for the server to accept writes waits for an hour.
    tokio::time::timeout(Duration::from_secs(120), known).await.expect("a known UUID waits for writes");
    let new = Uuid::new_v4();
    for _ in 0..2 {
        let error = short.id_of(new).await.unwrap_err();
        // The error of the last attempt depends on how far it got within its second.
        assert!(error.is_transient(), "{error}");
    }
    run(root, "SET GLOBAL read_only = 0").await;
    let id = with_ids.id_of(new).await.unwrap();
    assert_eq!(without_ids.id_of(new).await.unwrap(), id);
    without_ids.register(Uuid::new_v4()).await.unwrap();
    assert_sound(scratch.url()).await;
}
