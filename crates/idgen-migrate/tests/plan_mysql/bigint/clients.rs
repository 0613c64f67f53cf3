//! The whole change, with its way back, while clients insert rows whose ids the server gives.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use idgen_migrate::plan::{Options, Target};
use idgen_server::Database;
use sqlx::mysql::{MySqlConnection, MySqlDatabaseError};
use sqlx::{AssertSqlSafe, Connection, Executor, Row};

use crate::ledger::world::Servers;
use crate::shop::execute;
use crate::whole::named;

const SCHEMA: &str = "
    CREATE TABLE orders (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, busy INT NOT NULL);
    CREATE TABLE order_lines (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, order_id INT NOT NULL,
      FOREIGN KEY (order_id) REFERENCES orders (id) ON DELETE CASCADE ON UPDATE CASCADE);
    INSERT INTO orders (id, busy) VALUES (1, 0);
    INSERT INTO order_lines (order_id) VALUES (1);";

/// The rows whose changes were acknowledged to clients: ids with numbers.
type Rows = BTreeMap<i64, i64>;

pub fn clients(servers: &Servers) {
    let world = servers.without_plan(SCHEMA);
    let (client, url) = (&world.client, world.scratch.url());
    let stop = Arc::new(AtomicBool::new(false));
    for _ in 0..8 {
        let double = "INSERT INTO orders (busy) SELECT 0 FROM orders; INSERT INTO order_lines (order_id) SELECT id FROM orders \
                      WHERE id NOT IN (SELECT order_id FROM order_lines)";
        servers.sql(&world.scratch, double).unwrap();
    }
    servers.plan(&world, &Options::new("orders", Target::Bigint));
    let runtime = &servers.runtime;
    let writers: Vec<_> =
        (0..4).map(|seed| runtime.spawn(write(url.to_owned(), seed, Arc::clone(&stop)))).collect();
    let mut expected = runtime.block_on(rows(url));
    expected.retain(|_, busy| *busy == 0);
    let [rename, verify, finish] = ["rename", "verify", "finish"].map(|step| named(client, step));
    client.files("").iter().filter(|file| **file <= rename).for_each(|file| drop(client.must(file)));
    client.must(&format!("undo/{rename}"));
    let last = client.files("");
    last.iter().filter(|file| **file >= verify && **file < finish).for_each(|file| drop(client.must(file)));
    client.must(&finish);
    stop.store(true, Ordering::Relaxed);
    runtime.block_on(async {
        let mut refused = BTreeSet::new();
        let before = expected.len();
        for writer in writers {
            let (rows, codes) = writer.await.unwrap();
            expected.extend(rows);
            refused.extend(codes);
        }
        assert!(expected.len() > before + 20, "{} rows are too few for a test", expected.len() - before);
        // A lock wait timeout, a deadlock; and what MariaDB says to some statements while the renaming waits.
        let known: &[u16] =
            if servers.server.database() == Database::MariaDb { &[1205, 1213, 1146] } else { &[1205, 1213] };
        assert!(refused.iter().all(|code| known.contains(code)), "{refused:?}");
        assert_eq!(rows(url).await, expected);
    });
    servers.assert_nothing_left(&world);
}

/// Inserts orders with a line, changes some and deletes some, until `stop` is set.
async fn write(url: String, seed: u64, stop: Arc<AtomicBool>) -> (Rows, BTreeSet<u16>) {
    let mut own = MySqlConnection::connect(&url).await.unwrap();
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut rows, mut refused) = (Rows::new(), BTreeSet::new());
    let mut busy = 0;
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(5)).await;
        busy += 1;
        match insert(&mut own, busy).await {
            Ok(id) => {
                rows.insert(id, busy);
            }
            Err(code) => {
                refused.insert(code);
                execute(&mut own, "ROLLBACK").await.unwrap();
                continue;
            }
        }
        let ids: Vec<i64> = rows.keys().copied().collect();
        let some = ids[random.usize(..ids.len())];
        let (sql, then) = match random.bool() {
            true => (format!("UPDATE orders SET busy = {busy} WHERE id = {some}"), Some(busy)),
            false => (format!("DELETE FROM orders WHERE id = {some}"), None),
        };
        match execute(&mut own, &sql).await {
            Ok(_) => {
                rows.remove(&some);
                rows.extend(then.map(|busy| (some, busy)));
            }
            Err(code) => {
                refused.insert(code);
            }
        }
    }
    (rows, refused)
}

/// The id that the server gave to an order.
async fn insert(own: &mut MySqlConnection, busy: i64) -> Result<i64, u16> {
    let code = |error: sqlx::Error| match error.as_database_error() {
        Some(error) => error.downcast_ref::<MySqlDatabaseError>().number(),
        None => panic!("{error}"),
    };
    execute(own, "BEGIN").await?;
    let sql = AssertSqlSafe(format!("INSERT INTO orders (busy) VALUES ({busy})"));
    let id = own.execute(sqlx::raw_sql(sql)).await.map_err(code)?.last_insert_id();
    execute(own, "INSERT INTO order_lines (order_id) VALUES (LAST_INSERT_ID())").await?;
    execute(own, "COMMIT").await?;
    Ok(i64::try_from(id).unwrap())
}

/// The orders, each of which has a line.
async fn rows(url: &str) -> Rows {
    let mut own = MySqlConnection::connect(url).await.unwrap();
    let sql = "SELECT CAST(o.id AS SIGNED), CAST(o.busy AS SIGNED) FROM orders AS o JOIN order_lines AS l ON l.order_id = o.id";
    let read = sqlx::query(sql).fetch_all(&mut own).await.unwrap();
    read.iter().map(|row| (row.get(0), row.get(1))).collect()
}
