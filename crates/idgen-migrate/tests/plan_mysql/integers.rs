//! Integers of the map: what the whole change needs of it, and what it must have done.

use std::collections::HashMap;

use idgen_migrate::plan::Target;
use idgen_mysql::{Index, UuidMap};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection};
use uuid::Uuid;

use crate::client::Client;
use crate::shop::{Acknowledged, TABLES, execute, text};

/// A map that has integers for some of the rows already. Some were imported, far above the others.
pub async fn map(url: &str, index: Index, rows: &[Acknowledged]) -> UuidMap {
    let map = UuidMap::builder().index(index).cache(0).connect(url).await.unwrap();
    map.install().await.unwrap();
    let ids: Vec<Uuid> =
        rows.iter().flat_map(|rows| rows.orders.keys()).map(|id| Uuid::from_u128(*id)).collect();
    map.ids_of(&ids[..ids.len() / 3]).await.unwrap();
    let pairs: Vec<(u64, Uuid)> =
        ids[ids.len() / 2..].iter().enumerate().map(|(at, id)| (1_000_000 + 3 * at as u64, *id)).collect();
    map.import(&pairs).await.unwrap();
    map
}

/// The map that a target needs.
pub async fn map_for(to: Target, url: &str, index: Index, rows: &[Acknowledged]) -> Option<UuidMap> {
    match to {
        Target::Integer => Some(map(url, index, rows).await),
        _ => None,
    }
}

/// Uses up the block, so that the triggers take each integer from the state row from now on.
pub async fn use_up_the_block(url: &str, client: &Client) {
    let mut connection = MySqlConnection::connect(url).await.unwrap();
    // Only a plan with integers has the table.
    let sql = format!("UPDATE {} SET last_id = first_id + 5", client.own("block"));
    let _ = execute(&mut connection, &sql).await;
}

/// The first number that a query gives.
pub async fn number(connection: &mut MySqlConnection, sql: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(format!("SELECT CAST(({sql}) AS SIGNED)")))
        .fetch_one(connection)
        .await
        .unwrap()
}

/// Each row has the integer that the map has for its id, which is the one in the map's answers to the clients, and the
/// map is as it must be.
pub async fn assert_of_the_map(url: &str, map: &UuidMap, answers: &HashMap<u128, u64>) {
    let mut connection = MySqlConnection::connect(url).await.unwrap();
    for table in TABLES {
        let sql = format!(
            "SELECT COUNT(*) FROM {table} AS t WHERE NOT EXISTS (SELECT 1 FROM uuid_map AS m WHERE m.id = t.id_int \
             AND m.uuid = UNHEX(REPLACE(t.id, '-', '')))"
        );
        assert_eq!(number(&mut connection, &sql).await, 0, "{table}: integers that the map does not have");
    }
    for sql in [
        "SELECT COUNT(*) - COUNT(DISTINCT uuid) FROM uuid_map",
        "SELECT MAX(id) >= (SELECT next_id FROM uuid_map_state) FROM uuid_map",
    ] {
        assert_eq!(number(&mut connection, sql).await, 0, "{sql}");
    }
    assert!(answers.len() > 100, "{} answers of the map are too few for a test", answers.len());
    let ids: Vec<Uuid> = answers.keys().map(|id| Uuid::from_u128(*id)).collect();
    for chunk in ids.chunks(500) {
        for (id, integer) in chunk.iter().zip(map.find_many(chunk).await.unwrap()) {
            assert_eq!(integer, answers.get(&id.as_u128()).copied(), "{}", text(id.as_u128()));
        }
    }
    let findings = map.check().await.unwrap();
    assert!(findings.is_empty(), "{findings:?}");
}

/// Claims of triggers, of the copy and of clients are committed or rolled back, so the last step has cleared them away.
pub async fn assert_no_claims(url: &str) {
    let mut connection = MySqlConnection::connect(url).await.unwrap();
    // A client of the map may be about to clear some away itself.
    let free = "SELECT uuid FROM uuid_map_claim FOR UPDATE SKIP LOCKED";
    assert_eq!(sqlx::raw_sql(free).fetch_all(&mut connection).await.unwrap().len(), 0);
}
