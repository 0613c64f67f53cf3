//! A sharded Vitess starts, loses a shard, and gets it back with its rows.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::time::{Duration, Instant};

use idgen_server::Vitess;
use sqlx::mysql::MySqlConnectOptions;
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, Row};

/// A bound on waiting, far above what is ever needed; nothing is timed against it.
const LIMIT: Duration = Duration::from_secs(120);

/// The rows of a keyspace or of one of its shards, if it answers.
async fn count(connection: &mut MySqlConnection, target: &str) -> Option<i64> {
    connection.execute(AssertSqlSafe(format!("USE `{target}`"))).await.ok()?;
    Some(connection.fetch_one("SELECT COUNT(*) FROM kept").await.ok()?.get(0))
}

#[tokio::test]
async fn vitess_of_two_shards() {
    let vitess = Vitess::start().unwrap();
    // Vitess would not parse the statement with which sqlx sets up a new connection.
    let options: MySqlConnectOptions = vitess.url().parse().unwrap();
    let options = options.pipes_as_concat(false).no_engine_substitution(false).timezone(None);
    let mut connection = MySqlConnection::connect_with(&options).await.unwrap();
    let version: String = connection.fetch_one("SELECT @@version").await.unwrap().get(0);
    assert!(version.contains("Vitess"), "{version}");
    connection.execute("ALTER VSCHEMA ON main.kept ADD VINDEX xxhash(id) USING xxhash").await.unwrap();
    connection.execute("CREATE TABLE kept (id BIGINT PRIMARY KEY)").await.unwrap();
    for id in 0..20 {
        connection.execute(sqlx::query("INSERT INTO kept (id) VALUES (?)").bind(id)).await.unwrap();
    }
    let first = count(&mut connection, "main:-80").await.unwrap();
    let second = count(&mut connection, "main:80-").await.unwrap();
    assert!(first > 0 && second > 0 && first + second == 20, "{first} and {second}");

    vitess.kill(0).unwrap();
    let begin = Instant::now();
    while count(&mut connection, "main:80-").await != Some(second) {
        assert!(begin.elapsed() < LIMIT, "the shard that lives is out of reach");
    }
    vitess.bring_back(0).unwrap();
    let begin = Instant::now();
    while count(&mut connection, "main").await != Some(20) {
        assert!(begin.elapsed() < LIMIT, "rows are missing");
    }
    let password = vitess.url().split([':', '@']).nth(2).unwrap().to_owned();
    assert!(!format!("{vitess:?}").contains(&password));
}
