//! The tables of a run, over a connection that no adversary sees.

use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, Row};
use uuid::Uuid;

use super::ledger::Stored;

/// The pairs that are there when a run begins, with the ids from 1.
pub const SEEDS: u64 = 24;
/// Above what an earlier client has reserved.
pub const NEXT_ID: u64 = 101;

pub struct Tables {
    pub connection: MySqlConnection,
    url: String,
    index: Index,
}

/// A UUID of a family, of which runs use one for each purpose.
pub fn uuid(family: u8, number: u64) -> Uuid {
    Uuid::from_u128(0x6ccd_780c_baba_4026_9564_0000_0000_0000 | u128::from(family) << 32 | u128::from(number))
}

/// A known UUID.
pub fn seed(id: u64) -> Uuid {
    uuid(0, id)
}

impl Tables {
    pub async fn new(url: &str, index: Index) -> Tables {
        let connection = MySqlConnection::connect(url).await.unwrap();
        let mut tables = Tables { connection, url: url.to_owned(), index };
        tables.make().await;
        tables
    }

    /// Makes the tables of an empty map, in place of those that are there.
    pub async fn make(&mut self) {
        self.drop_all().await;
        // On a busy machine, calls are late, and connections that clients have left are still open in the server.
        let builder =
            UuidMap::builder().answer_limit(Duration::from_secs(60)).timeout(Duration::from_secs(600));
        let map = builder.index(self.index).connect(&self.url).await.unwrap();
        map.install().await.unwrap();
        map.close().await.unwrap();
    }

    /// Runs a statement, after those that a lost client left in the server have ended.
    pub async fn run(&mut self, statement: impl Into<String>) {
        let statement: String = statement.into();
        let mut attempts = 0;
        loop {
            let done = self.connection.execute(sqlx::raw_sql(AssertSqlSafe(statement.clone()))).await;
            let Err(error) = done else { return };
            attempts += 1;
            assert!(attempts < 3, "{statement}: {error}");
            let _ = self.connection.execute(sqlx::raw_sql("ROLLBACK")).await;
        }
    }

    /// The first column of the first row.
    pub async fn number(&mut self, statement: &'static str) -> u64 {
        let row = self.connection.fetch_one(sqlx::raw_sql(statement)).await.unwrap();
        row.try_get_unchecked(0).unwrap()
    }

    pub async fn next_id(&mut self) -> u64 {
        self.number("SELECT next_id FROM uuid_map_state WHERE one = 1").await
    }

    /// The seeds, and nothing of an earlier run.
    pub async fn reset(&mut self) {
        let pairs: Vec<String> = (1..=SEEDS).map(|id| format!("({id},x'{}')", seed(id).simple())).collect();
        let claims = match self.index {
            Index::Dedup => "DELETE FROM uuid_map_claim;",
            _ => "",
        };
        self.run(format!(
            "START TRANSACTION; DELETE FROM uuid_map; {claims} DELETE FROM uuid_map_sync; \
             INSERT INTO uuid_map (id, uuid) VALUES {}; \
             UPDATE uuid_map_state SET next_id = {NEXT_ID}, epoch = 1, stored_id = 0, fence = 0 WHERE one = 1; COMMIT",
            pairs.join(",")
        ))
        .await;
    }

    pub async fn drop_all(&mut self) {
        self.run("DROP TABLE IF EXISTS uuid_map, uuid_map_state, uuid_map_claim, uuid_map_sync").await;
    }

    /// Reads the stored rows by plain SQL.
    pub async fn stored(&mut self) -> Stored {
        let pairs = "SELECT id, uuid FROM uuid_map ORDER BY id";
        let rows = self.connection.fetch_all(sqlx::raw_sql(pairs)).await.unwrap();
        let pair = |row: &sqlx::mysql::MySqlRow| {
            let bytes: Vec<u8> = row.try_get_unchecked(1).unwrap();
            (row.try_get_unchecked(0).unwrap(), Uuid::from_slice(&bytes).unwrap())
        };
        Stored { pairs: rows.iter().map(pair).collect(), next_id: self.next_id().await }
    }
}
