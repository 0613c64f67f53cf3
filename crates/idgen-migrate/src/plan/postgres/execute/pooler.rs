//! Refuses a connection whose server process others use too: a pooler would give them its settings and locks. Refuses one whose reads go
//! to another process, which may be that of a replica: what a step reads there does not prove its conditions. Files for psql begin with
//! the same questions.

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, Executor};

use super::{connect, sentence, value};
use crate::plan::ended::{ATTEMPTS, BETWEEN};
use idgen_database::{Error, Result};

/// The process and its server. Load balancers take it for a statement that only reads.
const PROCESS: &str = "pg_catalog.pg_backend_pid() || ' ' || pg_catalog.pg_postmaster_start_time()";

/// Connects, and finds out that the process stays the same for reads and writes, and ends with its session.
pub(super) async fn connect_to_server(url: &str) -> Result<PgConnection> {
    let mut first = connect(url).await?;
    let key = (idgen::v4().as_u128() >> 68) as i64;
    let read = format!("SELECT {PROCESS}");
    let reader = value(&mut first, &read).await?;
    let mut is_same = value(&mut first, &read).await? == reader;
    if is_same {
        // A block of code is a write for whatever splits reads from writes.
        let lock = format!("DO $$ BEGIN PERFORM pg_catalog.pg_advisory_lock({key}); END $$");
        first.execute(sqlx::raw_sql(AssertSqlSafe(lock))).await.map_err(sentence)?;
        let holder = format!(
            "SELECT {PROCESS} FROM pg_catalog.pg_locks AS l WHERE l.locktype = 'advisory' AND l.pid = pg_catalog.pg_backend_pid() \
             AND ((l.classid::bigint << 32) | l.objid::bigint) = {key}"
        );
        is_same = value(&mut first, &holder).await? == reader;
    }
    // A session that the server has ended has no locks.
    let _ = first.close().await;
    let mut second = connect(url).await?;
    let locks = "SELECT EXISTS (SELECT FROM pg_catalog.pg_locks AS l WHERE l.locktype = 'advisory' AND l.pid = pg_catalog.pg_backend_pid())";
    let is_new = value(&mut second, locks).await?.as_deref() == Some("f");
    if !is_same || !is_new || !is_free(&mut second, key).await? {
        // The process of a pooler may be the one that has the lock.
        let unlock = format!("DO $$ BEGIN PERFORM pg_catalog.pg_advisory_unlock({key}); END $$");
        second.execute(sqlx::raw_sql(AssertSqlSafe(unlock))).await.map_err(sentence)?;
        return Err(Error::new(
            "this connection goes through a pooler or to several servers (PgBouncer, pgpool-II, ProxySQL, RDS Proxy …): connect to the \
             server itself",
        ));
    }
    Ok(second)
}

/// Returns true once the lock of the closed session is free; the server needs a moment to end it.
async fn is_free(connection: &mut PgConnection, key: i64) -> Result<bool> {
    for _ in 0..ATTEMPTS {
        let free = value(connection, &format!("SELECT pg_catalog.pg_try_advisory_xact_lock({key})")).await?;
        if free.as_deref() == Some("t") {
            return Ok(true);
        }
        tokio::time::sleep(BETWEEN).await;
    }
    Ok(false)
}
