//! Tests that a session of the map is clean, whatever `init_connect` did before: what is acknowledged is committed, in the map's
//! own tables.

use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Scratch, Server};
use sqlx::MySqlConnection;
use uuid::Uuid;

use crate::common::{assert_sound, connect, kill_connections, number, on_both, run, settings};

on_both!(init_connect_changes_nothing);

/// Statements whose effects the map undoes or does not depend on.
const HARMLESS: [&str; 22] = [
    "START TRANSACTION",
    "BEGIN",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT",
    "START TRANSACTION READ ONLY",
    "SET completion_type = 1; START TRANSACTION",
    "SET completion_type = 2; START TRANSACTION",
    "SET autocommit = 0",
    "SET autocommit = 0; SELECT COUNT(*) FROM uuid_map_state",
    "LOCK TABLES other.things WRITE",
    "LOCK TABLES uuid_map READ",
    "USE other",
    "USE other; START TRANSACTION",
    "SET @@insert_id = 7",
    "SET @@last_insert_id = 7",
    "SET timestamp = 1",
    "SET TRANSACTION READ ONLY",
    "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE",
    "SET unique_checks = 0, foreign_key_checks = 0",
    "SET sql_safe_updates = 1",
    "SET sql_mode = ''",
    "PREPARE one FROM 'SELECT 1'; EXECUTE one",
    "SET @a = 1, NAMES latin1",
];

/// Statements whose effects the map cannot undo, each with words of its error.
const REFUSED: [(&str, &str); 4] = [
    ("XA START 'left'", "XA transaction"),
    ("CREATE TEMPORARY TABLE uuid_map LIKE other.uuid_map", "a temporary table"),
    ("CREATE TEMPORARY TABLE uuid_map_state LIKE other.uuid_map_state", "a temporary table"),
    ("SET SESSION TRANSACTION READ ONLY", "transaction_read_only"),
];

/// One server for all of it, which no other test shares.
async fn init_connect_changes_nothing(database: Database) {
    let server = Server::start(database, &settings()).unwrap();
    let mut root = connect(server.url()).await;
    run(&mut root, "CREATE DATABASE other").await;
    run(&mut root, "CREATE TABLE other.things (id INT PRIMARY KEY AUTO_INCREMENT) ENGINE=InnoDB").await;
    run(&mut root, "CREATE USER app@'%' IDENTIFIED BY 'Secret-7'").await;
    run(&mut root, "GRANT ALL ON other.* TO app@'%'").await;
    for index in [Index::Unique, Index::Dedup] {
        let scratch = server.scratch().unwrap();
        let owner = UuidMap::builder().index(index).connect(scratch.url()).await.unwrap();
        owner.install().await.unwrap();
        run(&mut root, format!("GRANT ALL ON {}.* TO app@'%'", scratch.name())).await;
        for table in ["uuid_map", "uuid_map_state"] {
            run(&mut root, format!("DROP TABLE IF EXISTS other.{table}")).await;
            run(&mut root, format!("CREATE TABLE other.{table} LIKE {}.{table}", scratch.name())).await;
        }
        for text in HARMLESS {
            begins_with(&mut root, text).await;
            acknowledged_pairs_are_committed(database, &mut root, &scratch, text).await;
        }
        for (text, words) in REFUSED {
            begins_with(&mut root, text).await;
            let map = client(&scratch).await;
            let error = match map {
                Ok(map) => map.id_of(Uuid::new_v4()).await.unwrap_err(),
                Err(error) => error,
            };
            let said = error.to_string();
            assert!(
                said.contains(words) && !said.contains(" attempts") && !error.is_transient(),
                "{text}: {said}"
            );
        }
        begins_with(&mut root, "").await;
        assert_sound(scratch.url()).await;
    }
}

async fn begins_with(root: &mut MySqlConnection, text: &str) {
    run(root, format!("SET GLOBAL init_connect = '{}'", text.replace('\'', "''"))).await;
}

async fn client(scratch: &Scratch) -> idgen_mysql::Result<UuidMap> {
    let (_, address) = scratch.url().rsplit_once('@').unwrap();
    let builder = UuidMap::builder().cache(0).timeout(Duration::from_secs(60));
    builder.connect(&format!("mysql://app:Secret-7@{address}")).await
}

/// The client ends without closing, as a process that is killed: what it did not commit is lost.
async fn acknowledged_pairs_are_committed(
    database: Database,
    root: &mut MySqlConnection,
    scratch: &Scratch,
    text: &str,
) {
    let map = client(scratch).await.unwrap_or_else(|error| panic!("{text}: {error}"));
    let batch: Vec<Uuid> = (0..5).map(|_| Uuid::new_v4()).collect();
    let mut pairs: Vec<(Uuid, u64)> = Vec::new();
    for uuid in [Uuid::new_v4(), Uuid::new_v4()] {
        pairs.push((uuid, map.id_of(uuid).await.unwrap_or_else(|error| panic!("{text}: {error}"))));
    }
    pairs.extend(batch.iter().copied().zip(map.ids_of(&batch).await.unwrap()));
    let imported = (1_000_000 + pairs[0].1, Uuid::new_v4());
    map.import(&[imported]).await.unwrap();
    pairs.push((imported.1, imported.0));
    kill_connections(root, database, scratch.name()).await;
    kill_connections(root, database, "other").await;
    drop(map);
    for (uuid, id) in pairs {
        let stored = format!("SELECT id FROM {}.uuid_map WHERE uuid = x'{}'", scratch.name(), uuid.simple());
        assert_eq!(number(root, stored).await, Ok(id as i64), "{text}");
    }
    let next = format!("SELECT next_id > 1000000 FROM {}.uuid_map_state", scratch.name());
    assert_eq!(number(root, next).await, Ok(1), "{text}");
    assert_eq!(number(root, "SELECT COUNT(*) FROM other.uuid_map").await, Ok(0), "{text}");
}
