//! Compares the model of a B-tree with a real PostgreSQL for the same keys: leaf pages within 5 %, bytes of the
//! log within 10 %.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use btree_model::{Nbtree, PostgresIndex, Shape};
use idgen_server::{Database, Scratch, Server, Settings};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, Row};

use keys::{ascending, prefixed, random};

#[path = "../../../crates/btree-model/tests/postgres/keys.rs"]
#[expect(dead_code, reason = "the tests of figures that were recorded use the others")]
mod keys;

/// Rows before the checkpoint, and after it.
const BEFORE: usize = 100_000;
const AFTER: usize = 5_000;

/// The leaf pages and the page fill of an index on the server, and the bytes and images of its log.
#[derive(Debug)]
struct Measured {
    leaf_pages: i64,
    density: f64,
    log_bytes: f64,
    images: i64,
}

struct Connected {
    connection: PgConnection,
    _scratch: Scratch,
    _server: Server,
}

async fn connect() -> Connected {
    let settings = Settings::new()
        .shared_buffers_mib(128)
        .option("fsync", "off")
        .option("autovacuum", "off")
        .option("checkpoint_timeout", "1d")
        .option("max_wal_size", "16GB")
        .option("wal_compression", "off");
    let server = Server::start(Database::Postgres, &settings).unwrap();
    let scratch = server.scratch().unwrap();
    let mut connection = PgConnection::connect(scratch.url()).await.unwrap();
    for extension in ["pgstattuple", "pg_walinspect"] {
        let create = format!("CREATE EXTENSION {extension}");
        connection.execute(AssertSqlSafe(create)).await.unwrap();
    }
    Connected { connection, _scratch: scratch, _server: server }
}

impl Connected {
    async fn run(&mut self, statement: &str) {
        self.connection.execute(AssertSqlSafe(statement.to_owned())).await.unwrap();
    }

    async fn insert(&mut self, two: bool, keys: &[[u8; 16]]) {
        for some in keys.chunks(10_000) {
            let query = if two {
                // Half of the key, as a signed integer with the same order.
                let half = |key: &[u8; 16], at: usize| {
                    let half = u64::from_be_bytes(key[at..at + 8].try_into().unwrap());
                    (half ^ (1 << 63)) as i64
                };
                let high: Vec<i64> = some.iter().map(|key| half(key, 0)).collect();
                let low: Vec<i64> = some.iter().map(|key| half(key, 8)).collect();
                sqlx::query("INSERT INTO t SELECT * FROM unnest($1::bigint[], $2::bigint[])")
                    .bind(high)
                    .bind(low)
            } else {
                let ids: Vec<String> =
                    some.iter().map(|key| format!("{:032x}", u128::from_be_bytes(*key))).collect();
                sqlx::query("INSERT INTO t SELECT unnest($1::text[])::uuid").bind(ids)
            };
            self.connection.execute(query).await.unwrap();
        }
    }

    async fn log_position(&mut self) -> String {
        let row = self.connection.fetch_one("SELECT pg_current_wal_insert_lsn()::text").await.unwrap();
        row.get(0)
    }

    async fn measure(&mut self, two: bool, keys: &[[u8; 16]]) -> Measured {
        let columns = if two { "hi bigint, lo bigint, PRIMARY KEY (hi, lo)" } else { "id uuid PRIMARY KEY" };
        self.run(&format!("DROP TABLE IF EXISTS t; CREATE TABLE t ({columns})")).await;
        self.insert(two, &keys[..BEFORE]).await;
        self.run("CHECKPOINT").await;
        let from = self.log_position().await;
        self.insert(two, &keys[BEFORE..]).await;
        let to = self.log_position().await;
        // A part of the log that is not flushed cannot be read.
        self.run("SELECT pg_switch_wal()").await;
        let of_log = format!(
            "SELECT sum(combined_size)::float8 FROM pg_get_wal_stats('{from}', '{to}', true) \
             WHERE \"resource_manager/record_type\" LIKE 'Btree/%'"
        );
        let log = self.connection.fetch_one(AssertSqlSafe(of_log)).await.unwrap();
        let of_images = format!(
            "SELECT count(*) FROM pg_get_wal_block_info('{from}', '{to}') \
             WHERE resource_manager = 'Btree' AND block_fpi_length > 0"
        );
        let images = self.connection.fetch_one(AssertSqlSafe(of_images)).await.unwrap();
        let index = self
            .connection
            .fetch_one("SELECT leaf_pages, avg_leaf_density FROM pgstatindex('t_pkey')")
            .await
            .unwrap();
        Measured {
            leaf_pages: index.get(0),
            density: index.get(1),
            log_bytes: log.get(0),
            images: images.get(0),
        }
    }
}

fn predicted(rule: Nbtree, keys: &[[u8; 16]]) -> (PostgresIndex, btree_model::Log) {
    let mut index = PostgresIndex::new(rule, Shape::nbtree(16).unwrap());
    for key in &keys[..BEFORE] {
        index.insert(key).unwrap();
    }
    index.checkpoint();
    index.log();
    for key in &keys[BEFORE..] {
        index.insert(key).unwrap();
    }
    let log = index.log();
    (index, log)
}

fn within(name: &str, what: &str, predicted: f64, measured: f64, part: f64) {
    assert!(
        (predicted - measured).abs() <= part * measured,
        "{name}: {predicted:.0} {what} predicted, {measured:.0} measured"
    );
}

#[tokio::test]
async fn a_real_server_agrees() {
    let mut server = connect().await;
    let one = Nbtree::default();
    let two = Nbtree { first_column: Some(8), ..one };
    let rows = (BEFORE + AFTER) as u64;
    let then = |keys: Vec<[u8; 16]>| {
        let mut all = random(BEFORE as u64, 1);
        all.extend(keys);
        all
    };
    for (name, rule, keys) in [
        ("version 7", one, ascending(rows, 0x0198_0000_0000_0000)),
        ("version 4", one, random(rows, 1)),
        ("prefix, ascending tail", one, prefixed(rows, 100, 1_000, true)),
        ("prefix, random tail", one, prefixed(rows, 100, 1_000, false)),
        ("prefixes that come again", one, prefixed(rows, 20, 100, true)),
        ("prefixes that come again in two columns", two, prefixed(rows, 20, 100, true)),
        ("version 7 after version 4", one, then(ascending(AFTER as u64, 0x0198_0000_0000_0000))),
    ] {
        let measured = server.measure(rule.first_column.is_some(), &keys).await;
        let (index, log) = predicted(rule, &keys);
        let tree = index.tree();
        println!(
            "{name}: {} leaf pages, {:.1} %, {log:?}; {measured:?}",
            tree.leaf_pages,
            100.0 * tree.fill.mean
        );
        within(name, "leaf pages", tree.leaf_pages as f64, measured.leaf_pages as f64, 0.05);
        within(name, "% density", 100.0 * tree.fill.mean, measured.density, 0.05);
        within(name, "bytes of log", log.bytes as f64, measured.log_bytes, 0.1);
        // With few images, one more or less is over 10 %. The leaf pages count the splits.
        let images = measured.images as f64;
        within(name, "images", log.full_page_images as f64, images, 0.1 + 2.0 / images);
    }
}
