//! Behind a connection pooler, neither the planning nor a file leaves anything in the sessions of others.

use std::collections::BTreeSet;

use idgen_migrate::plan::run::{self, Direction, Folder};
use idgen_server::{Pooler, Pooling, Wait};
use sqlx::PgConnection;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Executor, Row};

use crate::psql::{Files, execute, until};
use crate::{UUIDS, rows, shape};

/// All settings of a session that can differ from another's, and its locks.
const SETTINGS: &str = "SELECT string_agg(s, E'\\n' ORDER BY s) FROM (SELECT name || ' = ' || setting FROM pg_settings WHERE name <> 'application_name'
    UNION ALL SELECT 'lock ' || locktype FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'
    UNION ALL SELECT 'prepared ' || name FROM pg_prepared_statements) AS a (s)";

/// A part of the message of a file whose connection goes through a pooler.
const THROUGH: &str = "goes through a pooler";

/// The settings that another client of the pooler finds.
async fn others(url: &str) -> String {
    let options: PgConnectOptions = url.parse().unwrap();
    let mut connection = options.disable_statement_logging().connect().await.unwrap();
    // The language has settings of its own, from its first use in a session on.
    connection.execute(sqlx::raw_sql("DO $$ BEGIN END $$")).await.unwrap();
    connection.fetch_one(sqlx::raw_sql(SETTINGS)).await.unwrap().get(0)
}

/// Fails with the settings that are not as they were.
async fn are_as_before(url: &str, before: &str, when: &str) {
    let now = others(url).await;
    let (now, before): (BTreeSet<&str>, BTreeSet<&str>) = (now.lines().collect(), before.lines().collect());
    let different: Vec<_> = now.symmetric_difference(&before).collect();
    assert!(different.is_empty(), "{when}: {different:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_shares_transactions_is_refused_and_keeps_its_settings() {
    let (scratch, _connection) = rows::filled(40).await;
    let pooler = Pooler::start(scratch.url(), Pooling::Transactions).unwrap();
    let url = pooler.url(scratch.url());
    let before = others(&url).await;
    // The planning only reads, in transactions of its own.
    let files = Files::with_texts(&url).await;
    are_as_before(&url, &before, "planned").await;
    let all: Vec<String> =
        files.plan.files().into_iter().map(|(name, _)| name).filter(|name| name.ends_with(".sql")).collect();
    assert!(all.len() > 15);
    for name in all {
        files.refused(&name, THROUGH);
        are_as_before(&url, &before, name.as_ref()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_shares_sessions_gets_them_back_as_they_were() {
    let (scratch, mut connection) = rows::filled(40).await;
    let pooler = Pooler::start(scratch.url(), Pooling::Sessions).unwrap();
    let url = pooler.url(scratch.url());
    let before = others(&url).await;
    let files = Files::with_texts(scratch.url()).await.at(&url);
    for name in &files.names {
        if name.ends_with("-backfill.sql") {
            kill(&mut connection, &files, name).await;
            are_as_before(&url, &before, &format!("{name}, killed")).await;
        }
        files.run(name);
        are_as_before(&url, &before, name.as_ref()).await;
    }
    assert_eq!(shape(&mut connection).await, (UUIDS.into(), "0".into()));
}

/// Reads of the tables would go to a replica, and what they show would prove nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_load_balancer_is_refused() {
    let (scratch, _connection) = rows::filled(40).await;
    let pooler = Pooler::start(scratch.url(), Pooling::Reads).unwrap();
    let url = pooler.url(scratch.url());
    let files = Files::with_texts(&url).await;
    for name in ["01-check.sql", "02-prepare.sql", "undo/02-prepare.sql"] {
        files.refused(name, THROUGH);
    }
    let folder = Folder::open(&files.folder()).unwrap();
    let (said, _lines) = tokio::sync::mpsc::unbounded_channel();
    let run = run::execute(&url, &folder, 0, Direction::Forward, &said, std::future::pending()).await;
    let error = run.map(drop).unwrap_err().to_string();
    assert!(error.contains("or to several servers (PgBouncer, pgpool-II"), "{error}");
    // Its children would go on to listen. A killed process closes its sockets a little after the signal.
    let options: PgConnectOptions = url.parse().unwrap();
    drop(pooler);
    let wait = Wait::until("no child of the pooler listens");
    while std::net::TcpStream::connect((options.get_host(), options.get_port())).is_ok() {
        wait.check();
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    // On the server itself, nothing of this has left a lock.
    files.at(scratch.url()).run("01-check.sql");
}

/// Kills the client in the middle of the copy, and waits until the server has noticed it: until then the next file is refused.
async fn kill(connection: &mut PgConnection, files: &Files, name: &str) {
    let id = &files.id;
    execute(connection, format!("UPDATE idgen_{id}.settings SET pause = '300 ms', chunk_blocks = 1")).await;
    let mut running = files.spawn(name);
    let sleeps = "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep' AND query LIKE 'CALL%'";
    until(connection, sleeps).await;
    running.kill();
    running.end();
    execute(connection, format!("UPDATE idgen_{id}.settings SET pause = '0', chunk_blocks = 64")).await;
    let no_lock = "SELECT count(*) = 0 FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database WHERE l.locktype = 'advisory' AND d.datname = current_database()";
    until(connection, no_lock).await;
}
