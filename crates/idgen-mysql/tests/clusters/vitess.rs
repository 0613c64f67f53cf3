//! Two shards of Vitess keep the same promises while a shard, and the server of the sequence, are killed.

use std::time::Duration;

use futures_util::TryStreamExt;
use idgen_mysql::{Index, Topology, UuidMap};
use idgen_server::Vitess;
use sqlx::mysql::MySqlConnectOptions;
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, Row};
use uuid::Uuid;

use crate::checker::{assert_stored, check};
use crate::memory::assert_limited;
use crate::replicated::ONE_AT_A_TIME;
use crate::traffic::Traffic;

/// The time limit of a call: a killed shard is back within this time.
const TIMEOUT: Duration = Duration::from_secs(300);

async fn map(vitess: &Vitess) -> UuidMap {
    // The gateway itself reports when a shard is lost.
    let builder = UuidMap::builder().cache(0).timeout(TIMEOUT).answer_limit(Duration::from_secs(20));
    builder.connect(&vitess.url()).await.unwrap()
}

async fn connection(vitess: &Vitess, target: &str) -> MySqlConnection {
    let options: MySqlConnectOptions = vitess.url().parse().unwrap();
    let options = options.pipes_as_concat(false).no_engine_substitution(false).timezone(None);
    let mut connection = MySqlConnection::connect_with(&options).await.unwrap();
    connection.execute(AssertSqlSafe(format!("USE `{target}`"))).await.unwrap();
    connection
}

#[tokio::test(flavor = "multi_thread")]
async fn two_shards() {
    let _alone = ONE_AT_A_TIME.lock().await;
    let vitess = Vitess::start().unwrap();
    // The containers: two shards, the sequences and the gateway.
    assert_limited(&vitess.url(), 4);
    says_what_it_cannot(&vitess).await;

    let mut maps = Vec::new();
    for _ in 0..3 {
        let map = map(&vitess).await;
        map.install().await.unwrap();
        assert_eq!(map.server_report().await.unwrap().topology(), Topology::Vitess);
        maps.push(map);
    }
    let traffic = Traffic::start(maps, &[]);
    traffic.goes_on(200).await;
    for (shard, what) in [(0, "a shard"), (2, "the sequence's server")] {
        vitess.kill(shard).unwrap();
        // Calls wait for the shard, and are answered when it is back.
        vitess.bring_back(shard).unwrap();
        let outages = traffic.goes_on(200).await;
        println!("Vitess: {what} killed and back; first answers after that: {outages:?} ms");
    }
    let history = traffic.stop().await;
    let uuids = check(&history);
    println!("Vitess: {} answers about {uuids} UUIDs", history.len());
    assert_stored(&vitess.url(), &history).await;

    // Reads every pair directly from the shards: over both, one id per UUID and one UUID per id.
    let mut pairs: Vec<(u64, Uuid)> = Vec::new();
    for target in ["main:-80", "main:80-"] {
        let mut connection = connection(&vitess, target).await;
        let before = pairs.len();
        let mut rows = connection.fetch("SELECT id, uuid FROM uuid_map");
        while let Some(row) = rows.try_next().await.unwrap() {
            pairs.push((row.get(0), Uuid::from_slice(row.get(1)).unwrap()));
        }
        assert!(pairs.len() - before > uuids / 4, "{target} has too few of the pairs");
    }
    let count = pairs.len();
    let distinct = |mut values: Vec<u128>| {
        values.sort_unstable();
        values.dedup();
        values.len()
    };
    assert_eq!(distinct(pairs.iter().map(|(id, _)| u128::from(*id)).collect()), count);
    assert_eq!(distinct(pairs.iter().map(|(_, uuid)| uuid.as_u128()).collect()), count);
    // The reverse look-up of each id.
    let map = map(&vitess).await;
    for chunk in pairs.chunks(500) {
        let ids: Vec<u64> = chunk.iter().map(|(id, _)| *id).collect();
        let found = map.uuids_of(&ids).await.unwrap();
        assert!(chunk.iter().zip(found).all(|((_, uuid), found)| found == Some(*uuid)));
    }
}

async fn says_what_it_cannot(vitess: &Vitess) {
    let map = map(vitess).await;
    let error = map.find(Uuid::nil()).await.unwrap_err();
    assert!(error.is_not_installed(), "{error}");
    let dedup = UuidMap::builder().index(Index::Dedup).table("other");
    let error = dedup.connect(&vitess.url()).await.unwrap().install().await.unwrap_err();
    assert!(error.to_string().contains("dedup is not possible on Vitess"), "{error}");
    let lookup = vitess.url().replace("/main?", "/lookup?");
    let error = UuidMap::connect(&lookup).await.unwrap().install().await.unwrap_err();
    assert!(error.to_string().contains("no sharded keyspace"), "{error}");

    map.install().await.unwrap();
    let mut connection = connection(vitess, "main").await;
    let mut transaction = connection.begin().await.unwrap();
    let error = map.id_of_within(&mut transaction, Uuid::nil()).await.unwrap_err();
    assert!(error.to_string().contains("several shards"), "{error}");
    transaction.rollback().await.unwrap();
    let error = map.import(&[(7, Uuid::nil())]).await.unwrap_err();
    assert!(error.to_string().contains("an import is not possible on Vitess"), "{error}");
    let error = map.stats().await.unwrap_err();
    assert!(error.to_string().contains("each shard"), "{error}");
}
