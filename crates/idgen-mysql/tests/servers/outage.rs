//! Tests nodes that accept connections but do not work, and calls that are made meanwhile.

use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::Database;
use sqlx::Connection;
use sqlx::mysql::MySqlPoolOptions;
use uuid::Uuid;

use crate::common::{
    assert_sound, connect, connection_list, everywhere, kill_connections, map, number, on_both, patiently,
    run,
};
use crate::proxy::{Mood, Proxy};

on_both!(the_first_call_moves_on_from_a_bad_node);
everywhere!(
    connections_are_bounded,
    one_caller_uses_few_connections,
    lost_idle_connections_waste_no_ids,
    a_pair_is_found_through_a_proxy_that_splits_reads,
);

/// This many looks at the list of sessions take half a second.
const LOOKS: usize = 25;

/// Even the first check of a map must not depend on the first node.
async fn the_first_call_moves_on_from_a_bad_node(database: Database) {
    let (scratch, map) = map(database, Index::Unique).await;
    let uuid = Uuid::new_v4();
    let id = map.id_of(uuid).await.unwrap();
    for mood in [Mood::NoMember, Mood::Silent, Mood::Gone] {
        let bad = Proxy::start(scratch.url()).await;
        let builder = UuidMap::builder().answer_limit(Duration::from_millis(500));
        let map = builder.connect_any([bad.url(), scratch.url()]).await.unwrap();
        bad.set(mood);
        // Without a bound on the first read, this would wait for ever.
        let call = tokio::time::timeout(Duration::from_secs(60), map.id_of(uuid));
        assert_eq!(call.await.unwrap_or_else(|_| panic!("{mood:?}: no answer")).unwrap(), id, "{mood:?}");
    }
}

/// Even the last one of a hundred callers gets its error within its own timeout during an outage.
#[tokio::test(start_paused = true)]
async fn callers_do_not_wait_for_the_timeouts_of_others() {
    for same in [true, false] {
        // Nothing listens on this port.
        let pool = MySqlPoolOptions::new().connect_lazy("mysql://app@127.0.0.1:1/shop").unwrap();
        let map = UuidMap::builder().timeout(Duration::from_secs(30)).with_pool(&pool).unwrap();
        let begin = tokio::time::Instant::now();
        let callers: Vec<_> = (0..100)
            .map(|_| {
                let (map, uuid) = (map.clone(), if same { Uuid::nil() } else { Uuid::new_v4() });
                tokio::spawn(async move { map.id_of(uuid).await })
            })
            .collect();
        for caller in callers {
            let error = caller.await.unwrap().unwrap_err();
            assert!(error.is_transient(), "{error}");
        }
        assert!(begin.elapsed() < Duration::from_secs(31), "{:?}", begin.elapsed());
    }
}

/// Calls ran out of time while the server waited for a lock. The statements that they left there kept waiting, and new
/// calls came.
async fn connections_are_bounded(database: Database, index: Index) {
    let (scratch, owner) = map(database, index).await;
    let mut holder = connect(scratch.url()).await;
    let mut transaction = holder.begin().await.unwrap();
    let uuids: Vec<Uuid> = (0..3).map(Uuid::from_u128).collect();
    owner.ids_of_within(&mut transaction, &uuids).await.unwrap();
    owner.close().await.unwrap();

    let builder = UuidMap::builder().connections(3).timeout(Duration::from_secs(4));
    let builder = builder.answer_limit(Duration::from_millis(200));
    let map = patiently(async || builder.clone().connect(scratch.url()).await).await;
    let calls: Vec<_> = uuids
        .iter()
        .map(|uuid| {
            let (map, uuid) = (map.clone(), *uuid);
            tokio::spawn(async move { map.id_of(uuid).await })
        })
        .collect();
    let sessions = format!("{} AND id <> CONNECTION_ID()", sessions_of(database, scratch.name()));
    let mut root = connect(scratch.url()).await;
    let (mut most, mut looks) = (0, Vec::new());
    while !calls.iter().all(tokio::task::JoinHandle::is_finished) {
        looks.push(number(&mut root, sessions.clone()).await.unwrap());
        // The list has sessions until the server notices that their clients are gone: what stays counts.
        most = most.max(looks.iter().rev().take(LOOKS).copied().min().unwrap_or(0));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for call in calls {
        let error = call.await.unwrap().unwrap_err();
        assert!(error.is_transient(), "{error}");
    }
    // The holder of the lock, three connections of the pool, one that ends another, and two for what waits for no UUID.
    assert!(most <= 7, "{most} connections");
    transaction.rollback().await.unwrap();
    UuidMap::connect(scratch.url()).await.unwrap().ids_of(&uuids).await.unwrap();
    assert_sound(scratch.url()).await;
}

/// Transactions alternate between at most three connections, and removing claims meanwhile takes one more.
async fn one_caller_uses_few_connections(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let map = UuidMap::builder().cache(0).connections(20).connect(scratch.url()).await.unwrap();
    let mut root = connect(scratch.url()).await;
    let sessions = sessions_of(database, scratch.name());
    let others = number(&mut root, sessions.clone()).await.unwrap();
    for _ in 0..300 {
        let uuid = Uuid::new_v4();
        let id = map.id_of(uuid).await.unwrap();
        assert_eq!(map.find(uuid).await.unwrap(), Some(id));
        map.id_of(Uuid::new_v4()).await.unwrap();
    }
    let opened = number(&mut root, sessions).await.unwrap() - others;
    assert!(opened <= 5, "{opened} connections");
    assert_sound(scratch.url()).await;
}

fn sessions_of(database: Database, schema: &str) -> String {
    format!("SELECT COUNT(*) FROM {} WHERE db = '{schema}'", connection_list(database))
}

/// Idle connections were lost, as overnight or when the server restarts. Each of ten was tried, and each attempt wasted
/// the ids of the batch.
async fn lost_idle_connections_waste_no_ids(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let proxy = Proxy::start(scratch.url()).await;
    let map = UuidMap::builder().cache(0).connections(10).connect(proxy.url()).await.unwrap();
    let warm: Vec<_> = (0..10)
        .map(|_| {
            let map = map.clone();
            tokio::spawn(async move { map.find(Uuid::new_v4()).await.unwrap() })
        })
        .collect();
    for call in warm {
        call.await.unwrap();
    }
    map.id_of(Uuid::new_v4()).await.unwrap();
    let mut root = connect(scratch.url()).await;
    kill_connections(&mut root, database, scratch.name()).await;
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let batch: Vec<Uuid> = (0..999).map(|_| Uuid::new_v4()).collect();
    map.ids_of(&batch).await.unwrap();
    assert_eq!(number(&mut root, "SELECT MAX(id) FROM uuid_map").await, Ok(1000), "ids were burned");
    assert_sound(scratch.url()).await;
}

/// The reader lags behind the writer: the look-up after a duplicate key found nothing there.
async fn a_pair_is_found_through_a_proxy_that_splits_reads(database: Database, index: Index) {
    let (scratch, owner) = map(database, index).await;
    let mut root = connect(scratch.url()).await;
    for table in ["map", "map_state"] {
        run(&mut root, format!("CREATE TABLE late_{table} LIKE uuid_{table}")).await;
    }
    run(&mut root, "INSERT INTO late_map_state SELECT * FROM uuid_map_state").await;
    let uuids: Vec<Uuid> = (0..30).map(|_| Uuid::new_v4()).collect();
    let ids = owner.ids_of(&uuids).await.unwrap();
    let proxy = Proxy::start(scratch.url()).await;
    proxy.set(Mood::Splits);
    let map = UuidMap::builder().cache(0).connect(proxy.url()).await.unwrap();
    assert_eq!(map.find(uuids[0]).await.unwrap(), None, "the reader should lag");
    for (uuid, id) in uuids.iter().zip(&ids) {
        assert_eq!(map.id_of(*uuid).await.unwrap(), *id);
    }
    assert_eq!(map.ids_of(&uuids).await.unwrap(), ids);
    assert_eq!(map.register(uuids[0]).await.unwrap_err().existing_id(), Some(ids[0]));
    // Two blocks: one for each client.
    assert_eq!(number(&mut root, "SELECT next_id FROM uuid_map_state").await, Ok(257));
    assert_sound(scratch.url()).await;
}
