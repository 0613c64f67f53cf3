//! Which failures pass by themselves, and how long to wait for that.
//!
//! Error numbers: MySQL reference manual, "Server Error Message Reference"; MariaDB, "Error Codes".

use std::time::Duration;

use crate::error::{Error, Result};
use crate::patience::Patience;
use crate::server::Refusal;

/// What is known after a failed statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The server undid it: repeat it, with the same ids.
    Undone,
    /// It may have been done: repeat it, but never use its ids for anything else.
    Unknown,
    /// Repeating would fail again.
    Final,
}

/// Reads a failure. Everything repeated here is safe to repeat, since claiming a pair twice gives one pair.
pub(crate) fn judge(error: &sqlx::Error) -> Verdict {
    match error {
        sqlx::Error::PoolTimedOut => Verdict::Undone,
        // Of the nodes, another may keep the promise.
        sqlx::Error::Configuration(inner) => match inner.downcast_ref::<Refusal>() {
            Some(refusal) if refusal.elsewhere => Verdict::Undone,
            _ => Verdict::Final,
        },
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => Verdict::Unknown,
        // Not even tried.
        _ if said(error).contains(BLOCKED) => Verdict::Undone,
        _ if said(error).contains(FAILED) || is_lost_shard(error) => Verdict::Unknown,
        sqlx::Error::Database(database) => {
            match database.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>().map(|e| e.number()) {
                // Deadlock, also a lost certification on Galera; lock wait timeout; certification lost on
                // Group Replication (3101); no member of the cluster (1047); a row that is newer than the
                // transaction's snapshot (1020, MariaDB's innodb_snapshot_isolation).
                Some(1213 | 1205 | 1020 | 3101 | 1047) => Verdict::Undone,
                // Too many connections, of all or of this user; the server is starting up or shutting down
                // and refuses the connection.
                Some(1040 | 1203 | 1226 | 1053 | 3169) => Verdict::Undone,
                // Read only, for a failover: --read-only, --super-read-only, a read-only transaction.
                Some(1290 | 1836 | 1792) => Verdict::Undone,
                // Interrupted, killed, lost, or the group fell apart (3100): while the commit was under way, for
                // all we know.
                Some(3100 | 1317 | 1152 | 1158..=1161 | 1180 | 1927 | 2006 | 2013 | 4031) => Verdict::Unknown,
                _ => Verdict::Final,
            }
        }
        _ => Verdict::Final,
    }
}

/// No answer within the limit.
pub(crate) fn silence() -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, "the server did not answer in time"))
}

/// True where another node of a cluster may well do what this one did not: it is down, cut off, shutting
/// down, read-only, or no member of the cluster. The connection is of no more use.
pub(crate) fn is_of_this_node(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::WorkerCrashed
        | sqlx::Error::PoolTimedOut => true,
        _ if said(error).contains(FAILED) || said(error).contains(BLOCKED) => true,
        // Not a plain deadlock or a lost certification: those are met everywhere.
        _ => matches!(
            number(error),
            Some(1040 | 1047 | 1053 | 1290 | 1317 | 1792 | 1836 | 1927 | 2006 | 2013 | 3100 | 3169 | 4031)
        ),
    }
}

/// True for a duplicate key (1062).
pub(crate) fn is_duplicate_key(error: &sqlx::Error) -> bool {
    number(error) == Some(1062)
}

/// True for a table that does not exist (1146).
pub(crate) fn is_no_table(error: &sqlx::Error) -> bool {
    // Vitess knows the tables by itself, and says so in words alone.
    number(error) == Some(1146) || (number(error) == Some(1105) && said(error).ends_with("not found"))
}

/// A transaction in which Vitess itself carried out a statement failed on a shard; from then on it refuses all on
/// that connection until it is rolled back.
const FAILED: &str = "VT15001";
const BLOCKED: &str = "VT09032";

fn said(error: &sqlx::Error) -> &str {
    error.as_database_error().map_or("", |error| error.message())
}

/// True where Vitess cannot reach a shard, which may have done the work before it went: the numbers are the
/// general ones, the words name the tablet.
fn is_lost_shard(error: &sqlx::Error) -> bool {
    matches!(number(error), Some(1105 | 1815 | 3168 | 1203 | 2002 | 2003)) && said(error).contains("tablet")
}

fn number(error: &sqlx::Error) -> Option<u16> {
    let database = error.as_database_error()?;
    Some(database.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>()?.number())
}

const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The tries of one call.
pub(crate) struct Tries {
    patience: Patience,
    count: u32,
}

impl Tries {
    pub(crate) fn new(patience: Patience) -> Tries {
        Tries { patience, count: 1 }
    }

    /// Waits before the next try, or gives up. Pauses double, and are drawn at random up to that length, so
    /// that clients that failed together do not come back together.
    pub(crate) async fn after(&mut self, action: &'static str, source: sqlx::Error) -> Result<()> {
        let ceiling = FIRST_PAUSE.saturating_mul(1 << self.count.min(16)).min(LONGEST_PAUSE);
        let pause = ceiling.mul_f64(fastrand::f64());
        if judge(&source) == Verdict::Final || self.patience.ends_within(pause) {
            return Err(Error::tried(action, source, self.count));
        }
        tokio::time::sleep(pause).await;
        self.count += 1;
        Ok(())
    }

    /// Goes on at once after ids that turned out to be taken, within the same limit of time.
    pub(crate) fn pass_over(&mut self, action: &'static str, source: sqlx::Error) -> Result<()> {
        if self.patience.ends_within(Duration::ZERO) {
            return Err(Error::tried(action, source, self.count));
        }
        self.count += 1;
        Ok(())
    }

    /// Runs a statement that may be repeated whatever became of it.
    pub(crate) async fn run<T, F>(
        patience: Patience,
        action: &'static str,
        mut statement: impl FnMut() -> F,
    ) -> Result<T>
    where
        F: Future<Output = std::result::Result<T, sqlx::Error>>,
    {
        let mut tries = Tries::new(patience);
        loop {
            match statement().await {
                Ok(value) => return Ok(value),
                Err(error) => tries.after(action, error).await?,
            }
        }
    }
}
