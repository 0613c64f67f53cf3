//! A statement of a mixed load that meets a lock timeout is repeated and counted.

use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use idgen_lab::Key;
use idgen_lab::engine::{self, Answer, Batch, Outcome, Step};
use idgen_lab::strategy;
use idgen_record::{Database, Workload};
use idgen_server::{Server, Settings};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, PgConnection, Row};

/// The time for which another client keeps the lock if the server never counts a lock timeout.
const LIMIT: Duration = Duration::from_secs(30);
const STEP: Duration = Duration::from_millis(50);

/// Updates the only row of a table while another client has locked it. That client begins with the server's URL, says when
/// it has the lock, and keeps it until the update has met a lock timeout.
fn updated(server: &Server, lock: impl FnOnce(&str, &Sender<()>) + Send) -> Answer {
    let load = Workload { payload_bytes: 4, ..Workload::of_rows(1_000).unwrap() };
    let mut engine = engine::connect(server.url(), &load).unwrap();
    let mut table = engine.create(strategy::find("auto-increment").unwrap(), &load).unwrap();
    let row = Batch { first: 0, keys: &[Key::Assigned], payloads: b"once" };
    let key = Key::Uint(table.load(&row).unwrap()[0].number.unwrap());
    let mut no_key = |_| Ok(Key::Assigned);
    std::thread::scope(|scope| {
        let (locked, is_locked) = channel();
        let url = server.url().to_owned();
        scope.spawn(move || lock(&url, &locked));
        is_locked.recv().unwrap();
        let mut answers =
            table.operate(&[vec![Step::Update { key, payload: b"more" }]], &mut no_key).unwrap();
        let read = table.operate(&[vec![Step::Read(key)]], &mut no_key).unwrap();
        assert_eq!(read[0][0].outcome, Outcome::Read(b"more".to_vec()));
        assert_eq!(read[0][0].repeated, 0);
        answers.remove(0).remove(0)
    })
}

fn block_on(work: impl Future<Output = sqlx::Result<()>>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work).unwrap();
}

#[test]
fn mysql() {
    let settings = Settings::new().buffer_pool_mib(16).option("innodb_lock_wait_timeout", "1");
    let server = Server::start(Database::MySql, &settings).unwrap();
    let answer = updated(&server, |url, locked| {
        block_on(async {
            let mut connection = MySqlConnection::connect(url).await?;
            let named = "SELECT CONCAT('`', table_schema, '`.`', table_name, '`') FROM information_schema.tables \
                         WHERE table_schema LIKE 'idgen\\_%'";
            let table: String = connection.fetch_one(named).await?.try_get_unchecked(0)?;
            let counted = "SELECT CAST(count AS SIGNED) FROM information_schema.innodb_metrics WHERE name = 'lock_timeouts'";
            let before: i64 = connection.fetch_one(counted).await?.try_get(0)?;
            connection.execute("BEGIN").await?;
            connection.fetch_all(AssertSqlSafe(format!("SELECT * FROM {table} FOR UPDATE"))).await?;
            locked.send(()).unwrap();
            let began = Instant::now();
            while connection.fetch_one(counted).await?.try_get::<i64, _>(0)? == before
                && began.elapsed() < LIMIT
            {
                tokio::time::sleep(STEP).await;
            }
            connection.execute("ROLLBACK").await.map(drop)
        });
    });
    assert!(answer.outcome == Outcome::Changed && answer.repeated > 0, "{answer:?}");
}

#[test]
fn postgres() {
    let server = Server::start(Database::Postgres, &Settings::new().option("lock_timeout", "1000")).unwrap();
    let answer = updated(&server, |url, locked| {
        block_on(async {
            let mut connection = PgConnection::connect(url).await?;
            let named = "SELECT datname::text FROM pg_database WHERE datname LIKE 'idgen%'";
            let database: String = connection.fetch_one(named).await?.try_get(0)?;
            let (server, _) = url.rsplit_once('/').unwrap();
            let mut connection = PgConnection::connect(&format!("{server}/{database}")).await?;
            let named = "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relname LIKE 'rows%'";
            let table: String = connection.fetch_one(named).await?.try_get(0)?;
            connection.execute("BEGIN").await?;
            connection.fetch_all(AssertSqlSafe(format!("SELECT * FROM {table} FOR UPDATE"))).await?;
            locked.send(()).unwrap();
            // The update waits in a second statement once the first has failed.
            let waiting = "SELECT query_start::text FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
            let mut watch = PgConnection::connect(&format!("{server}/{database}")).await?;
            let mut seen = std::collections::BTreeSet::new();
            let began = Instant::now();
            while seen.len() < 2 && began.elapsed() < LIMIT {
                for row in watch.fetch_all(waiting).await? {
                    seen.insert(row.try_get::<String, _>(0)?);
                }
                tokio::time::sleep(STEP).await;
            }
            connection.execute("ROLLBACK").await.map(drop)
        });
    });
    assert!(answer.outcome == Outcome::Changed && answer.repeated > 0, "{answer:?}");
}
