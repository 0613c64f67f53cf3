//! Rows per second of `Sync::apply` against the same rows inserted with their integers known, in batches of 100.
//!
//! `cargo run --release -p idgen-mysql --example sync_ratio` starts MySQL and MariaDB in containers.

use std::time::{Duration, Instant};

use idgen_mysql::UuidMap;
use idgen_mysql::sync::{Change, Table};
use idgen_server::{Database, Server, Settings};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection};
use uuid::Uuid;

const BATCH: u64 = 100;
const ROUNDS: u64 = 200;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    for database in [Database::MySql, Database::MariaDb] {
        let server = Server::start(database, &Settings::new())?;
        let scratch = server.scratch()?;
        measure(database, scratch.url()).await?;
    }
    Ok(())
}

async fn measure(database: Database, url: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut connection = MySqlConnection::connect(url).await?;
    for (lists, items) in [("lists", "items"), ("plain_lists", "plain_items")] {
        for table in [
            format!("{lists} (id BIGINT UNSIGNED PRIMARY KEY, title VARCHAR(200) NOT NULL)"),
            format!(
                "{items} (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NOT NULL, title VARCHAR(200) NOT NULL, \
                 FOREIGN KEY (list_id) REFERENCES {lists} (id))"
            ),
        ] {
            connection.execute(sqlx::raw_sql(AssertSqlSafe(format!("CREATE TABLE {table}")))).await?;
        }
    }
    let map = UuidMap::connect(url).await?;
    map.install().await?;
    map.install_sync().await?;
    let sync = map.sync(&[Table::new("lists"), Table::new("items")]).await?;

    let (mut applied, mut inserted) = (Duration::ZERO, Duration::ZERO);
    for round in 0..ROUNDS {
        let list = Uuid::new_v4();
        let mut batch = vec![Change::put("lists", list, 1, [("title", "a list".into())])];
        for _ in 1..BATCH {
            let values = [("list_id", list.into()), ("title", "an item of the list".into())];
            batch.push(Change::put("items", Uuid::new_v4(), 1, values));
        }
        let begin = Instant::now();
        let mut transaction = connection.begin().await?;
        let answer = sync.apply(&mut transaction, &batch).await?;
        transaction.commit().await?;
        applied += begin.elapsed();
        assert_eq!(answer.ids().len() as u64, BATCH);

        let first = round * BATCH + 1;
        let items: Vec<String> =
            (first + 1..first + BATCH).map(|id| format!("({id},{first},'an item of the list')")).collect();
        let begin = Instant::now();
        let mut transaction = connection.begin().await?;
        for rows in [
            format!("INSERT INTO plain_lists (id, title) VALUES ({first}, 'a list')"),
            format!("INSERT INTO plain_items (id, list_id, title) VALUES {}", items.join(",")),
        ] {
            transaction.execute(sqlx::raw_sql(AssertSqlSafe(rows))).await?;
        }
        transaction.commit().await?;
        inserted += begin.elapsed();
    }
    map.close().await?;
    let rate = |time: Duration| (ROUNDS * BATCH) as f64 / time.as_secs_f64();
    let (apply, plain) = (rate(applied), rate(inserted));
    println!(
        "{database}: apply {apply:.0} rows/s, inserts with known integers {plain:.0} rows/s, ratio {:.2}",
        apply / plain
    );
    Ok(())
}
