//! Tests the published designs, and the map, while many clients call them.
//!
//! As in `reference.rs`, the first half of every test shows the failure.

use futures_util::future::join_all;
use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Server};
use sqlx::Connection;
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, number, of_two, on_both, run, settings, until};
use crate::reference::{dedup, install_reference, lock};

on_both!(four_clients_race);
everywhere!(the_published_purge_delays_callers);

const CLIENTS: usize = 4;

/// Four clients map the same UUIDs, each statement in a transaction of its own. The named lock is released when the
/// function ends, but the pair is visible only after the commit. A client that looks in between finds nothing.
///
/// On a fast disk, this happens to one of 4,000 UUIDs. These servers collect commits for 20 ms before they write them,
/// as a busy server may be configured to do, so that it happens to each.
async fn four_clients_race(database: Database) {
    let on_mysql = settings().option("binlog_group_commit_sync_delay", "20000");
    let on_mariadb = settings()
        .option("log_bin", "ON")
        .option("binlog_format", "ROW")
        .option("sync_binlog", "1")
        .option("binlog_commit_wait_count", "1000")
        .option("binlog_commit_wait_usec", "20000");
    let slow = of_two(database, on_mysql, on_mariadb);
    let server = Server::start(database, &slow.tls(database == Database::MariaDb)).unwrap();
    for index in [Index::Unique, Index::Dedup] {
        let scratch = server.scratch().unwrap();
        let uuids: Vec<Uuid> = (0..10).map(|_| Uuid::new_v4()).collect();
        let mut clients = Vec::new();
        let mut maps = Vec::new();
        for _ in 0..CLIENTS {
            clients.push(connect(scratch.url()).await);
            maps.push(UuidMap::builder().index(index).cache(0).connect(scratch.url()).await.unwrap());
        }
        maps[0].install().await.unwrap();
        install_reference(&mut clients[0]).await;
        for uuid in &uuids {
            join_all(clients.iter_mut().map(|client| number(client, lock(*uuid)))).await;
        }
        let doubled = "SELECT uuid FROM uuid_to_id GROUP BY uuid HAVING COUNT(*) > 1";
        let count = number(&mut clients[0], format!("SELECT COUNT(*) FROM ({doubled}) AS doubled")).await;
        assert!(count.unwrap() > 0, "no UUID has two ids");
        // From then on, every call for such a UUID fails, because there is more than one row.
        let again = format!("SELECT reference_lock(uuid) FROM ({doubled} LIMIT 1) AS doubled");
        assert_eq!(number(&mut clients[0], again).await, Err(1172));

        for uuid in &uuids {
            let ids = join_all(maps.iter().map(|map| map.id_of(*uuid))).await;
            let ids: Vec<u64> = ids.into_iter().map(|id| id.unwrap()).collect();
            assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        }
        let pairs = number(&mut clients[0], "SELECT COUNT(*) FROM uuid_map").await;
        assert_eq!(pairs, Ok(uuids.len() as i64));
        assert_sound(scratch.url()).await;
    }
}

/// The published purge is part of every call, and two callers want to delete the same oldest rows.
async fn the_published_purge_delays_callers(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let (mut one, mut two) = (connect(scratch.url()).await, connect(scratch.url()).await);
    install_reference(&mut one).await;
    let deletes = "SHOW SESSION STATUS LIKE 'Handler_delete'";
    let deleted = async |connection: &mut _| -> i64 {
        let row: sqlx::mysql::MySqlRow =
            sqlx::Executor::fetch_one(connection, sqlx::raw_sql(deletes)).await.unwrap();
        sqlx::Row::try_get_unchecked::<String, _>(&row, 1).unwrap().parse().unwrap()
    };

    // A call deletes nothing until the first claim is five seconds old. After that, every call deletes something.
    let before = deleted(&mut one).await;
    assert!(number(&mut one, dedup(Uuid::new_v4())).await.is_ok());
    assert_eq!(deleted(&mut one).await, before);
    let old = "INSERT INTO dedup (uuid_hash, ts) VALUES (1, NOW() - INTERVAL 1 HOUR), \
        (2, NOW() - INTERVAL 1 HOUR), (3, NOW() - INTERVAL 1 HOUR), (4, NOW() - INTERVAL 1 HOUR), \
        (5, NOW() - INTERVAL 1 HOUR), (6, NOW() - INTERVAL 1 HOUR)";
    run(&mut one, old).await;
    assert!(number(&mut one, dedup(Uuid::new_v4())).await.is_ok());
    assert_eq!(deleted(&mut one).await, before + 2);
    // A caller that has not committed yet holds locks on the oldest rows. Another one with another UUID waits for them
    // until its timeout.
    run(&mut two, "SET SESSION innodb_lock_wait_timeout = 1").await;
    let (mut first, mut second) = (one.begin().await.unwrap(), two.begin().await.unwrap());
    assert!(number(&mut first, dedup(Uuid::new_v4())).await.is_ok());
    assert_eq!(number(&mut second, dedup(Uuid::new_v4())).await, Err(1205));
    second.rollback().await.unwrap();
    first.rollback().await.unwrap();

    // The map removes claims separately from calls, and only committed ones.
    let (mut first, mut second) = (one.begin().await.unwrap(), two.begin().await.unwrap());
    let uuids = [Uuid::new_v4(), Uuid::new_v4()];
    let mine = map.id_of_within(&mut first, uuids[0]).await.unwrap();
    let others = map.id_of_within(&mut second, uuids[1]).await.unwrap();
    let many: Vec<Uuid> = (0..2500).map(|_| Uuid::new_v4()).collect();
    let ids = map.ids_of(&many[..100]).await.unwrap();
    let mut look = connect(scratch.url()).await;
    let claims = "SELECT COUNT(*) FROM uuid_map_claim";
    match index {
        Index::Dedup => {
            let found = number(&mut look, claims).await;
            assert!(found.is_ok_and(|claims| claims <= 100), "{found:?} claims");
        }
        _ => {
            assert_eq!(number(&mut look, claims).await, Err(1146), "there should be no claims")
        }
    }
    assert_eq!(map.ids_of(&many).await.unwrap()[..100], ids);
    // A removal begins within 2,000 claims; later claims are left to the next one.
    if index == Index::Dedup {
        until(&mut look, "claims are cleared away", claims, |found| found < 2000).await;
    }
    first.commit().await.unwrap();
    second.commit().await.unwrap();
    let found = map.ids_of(&uuids).await.unwrap();
    assert_eq!(found, [mine, others]);
    assert_sound(scratch.url()).await;
}
