//! Refuses a connection whose server process others use too: a pooler would give them its settings and locks. Files for psql begin
//! with the same questions.

use std::time::Duration;

use sqlx::Connection;
use sqlx::postgres::PgConnection;

use super::{connect, value};
use idgen_database::{Error, Result};

/// The server needs a moment to end a session. Its lock is asked for until it is free: so many times, with so long in between.
const ATTEMPTS: u32 = 500;
const BETWEEN: Duration = Duration::from_millis(20);

/// Connects, and finds out that the process stays the same, and ends with its session.
pub(super) async fn connect_to_server(url: &str) -> Result<PgConnection> {
    let mut first = connect(url).await?;
    let process = "SELECT pg_catalog.pg_backend_pid()";
    let key = (idgen::v4().as_u128() >> 68) as i64;
    let before = value(&mut first, process).await?;
    let is_locked = value(&mut first, &format!("SELECT pg_catalog.pg_try_advisory_lock({key})")).await?;
    let is_same = value(&mut first, process).await? == before && is_locked.as_deref() == Some("t");
    // A session that the server has ended has no locks.
    let _ = first.close().await;
    let mut second = connect(url).await?;
    let locks = "SELECT EXISTS (SELECT FROM pg_catalog.pg_locks AS l WHERE l.locktype = 'advisory' AND l.pid = pg_catalog.pg_backend_pid())";
    let is_new = value(&mut second, locks).await?.as_deref() == Some("f");
    if !is_same || !is_new || !is_free(&mut second, key).await? {
        // The process of a pooler may be the one that has the lock.
        value(&mut second, &format!("SELECT pg_catalog.pg_advisory_unlock({key})")).await?;
        return Err(Error::new(
            "this connection goes through a pooler (PgBouncer, ProxySQL, RDS Proxy …): connect to the server itself",
        ));
    }
    Ok(second)
}

/// Whether the lock of the session that was closed is free; the server needs a moment to end it.
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
