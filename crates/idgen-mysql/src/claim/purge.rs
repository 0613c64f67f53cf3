//! Clears committed claims away. A committed claim is no longer needed, so any client may delete it at any time.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sqlx::{AssertSqlSafe, Executor};

use crate::call::deadline::Deadline;
use crate::call::retry::Retries;
use crate::claim::pair::CHUNK;
use crate::connection::nodes::{Nodes, PooledConnection, Take};
use crate::error::Result;
use crate::error::failure::Attempt;
use crate::statement::sql::{literal, uuid_at};

/// Claims that this client makes between two rounds of clearing away.
const PURGE_EVERY: u64 = 2000;

/// Clears committed claims away from time to time, in the background.
#[derive(Debug)]
pub(crate) struct Purge {
    claims: AtomicU64,
    made: AtomicBool,
    running: Arc<AtomicBool>,
}

impl Default for Purge {
    /// Begins at a random count, so that clients that end after a few claims also clear claims away on average.
    fn default() -> Purge {
        Purge {
            claims: AtomicU64::new(fastrand::u64(0..PURGE_EVERY)),
            made: AtomicBool::new(false),
            running: Arc::default(),
        }
    }
}

impl Purge {
    pub(super) fn after(&self, pool: &Nodes, table: &str, made: u64) {
        self.made.store(true, Ordering::Relaxed);
        if self.claims.fetch_add(made, Ordering::Relaxed) + made < PURGE_EVERY
            || self.running.swap(true, Ordering::Acquire)
        {
            return;
        }
        self.claims.store(0, Ordering::Relaxed);
        // It continues after the call that started it.
        let pool = pool.within(Deadline::never());
        let (table, running) = (table.to_owned(), self.running.clone());
        tokio::spawn(async move {
            // After a failure, the rows are left for the next round.
            warn_of(purge(&pool, &table).await, &table);
            running.store(false, Ordering::Release);
        });
    }

    /// Clears claims away when a client closes.
    pub(crate) async fn at_the_end(&self, pool: &Nodes, table: &str) {
        if self.made.load(Ordering::Relaxed) {
            // After a failure, the rows are left for other clients.
            warn_of(purge(pool, table).await, table);
        }
    }
}

/// Clears all committed claims away and returns how many there were.
pub(crate) async fn purge_all(pool: &Nodes, deadline: Deadline, table: &str) -> Result<usize> {
    Retries::run(deadline, "clear claims away", || purge(pool, table)).await
}

fn warn_of(purged: Attempt<usize>, table: &str) {
    match purged {
        Err(failure) if failure.number() == Some(1142) => {
            tracing::warn!(table, %failure, "claims cannot be deleted: that needs the privilege DELETE on their table");
        }
        Err(failure) => tracing::warn!(table, %failure, "claims were not deleted now, and will be later"),
        Ok(_) => {}
    }
}

/// Deletes committed claims without waiting for locks: waiting would delay all clients that claim what this transaction has
/// locked already.
async fn purge(pool: &Nodes, table: &str) -> Attempt<usize> {
    let mut cleared = 0;
    loop {
        let some = pool.attempt(Take::Queued, async |connection| purge_some(connection, table).await).await?;
        cleared += some;
        if some < CHUNK {
            return Ok(cleared);
        }
    }
}

/// It skips claims that are locked by the client that makes or deletes them. READ COMMITTED locks no gaps, so other clients
/// can insert claims.
async fn purge_some(connection: &mut PooledConnection, table: &str) -> Attempt<usize> {
    let mut transaction = connection.begin().await?;
    let look = format!("SELECT uuid FROM {table} LIMIT {CHUNK} FOR UPDATE SKIP LOCKED");
    let rows = transaction.fetch_all(sqlx::raw_sql(AssertSqlSafe(look))).await?;
    if !rows.is_empty() {
        // Each row by a statement of its own, in one text. For a list of rows the server may read the whole
        // table instead, whatever index the statement forces (MariaDB does), and wait for every claim under way. Also outside of the
        // transaction, which Galera may have rolled back, such a statement deletes nothing but a committed claim.
        let mut delete = String::new();
        for row in &rows {
            // Infallible: a String takes everything.
            let _ = write!(delete, "DELETE FROM {table} WHERE uuid = {};", literal(uuid_at(row, 0)?));
        }
        transaction.execute(sqlx::raw_sql(AssertSqlSafe(delete))).await?;
    }
    transaction.commit().await?;
    connection.note_end();
    Ok(rows.len())
}
