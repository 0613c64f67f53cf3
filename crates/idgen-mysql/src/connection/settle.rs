//! Waits until a visible commit is on disk.
//!
//! Without a binary log, InnoDB makes a transaction's rows visible, and releases its locks, before it writes its log. A row
//! that a statement reads then may be lost in a crash, and its UUID may get another id. With a binary log, the log is
//! written and synced first (MySQL reference manual, "Binary Logging Options and Variables", `sync_binlog`). So a pair that
//! was read is returned only when the log is on disk up to its position after the read.

use std::time::Duration;

use sqlx::mysql::{MySqlConnection, MySqlRow};
use sqlx::{AssertSqlSafe, Executor, Row};

use crate::call::observe;
use crate::error::failure::{Attempt, Failure};

/// The wait before the log is pushed to disk: the client that created the pair is usually about to write it.
const LOOKS: u32 = 4;
const PAUSE: Duration = Duration::from_millis(1);
const LONG_PAUSE: Duration = Duration::from_millis(20);

/// Reads how far the log is written, and how far it is on disk, in bytes since the server was made. `LIKE` takes the server
/// three quarters of the time of a list of names. In one text after a look-up, it takes no round trip of its own.
pub(crate) const POSITIONS: &str = "SHOW GLOBAL STATUS LIKE 'Innodb_%lsn%'";

/// The position up to which the log is written, and the position up to which it is on disk.
pub(crate) type Positions = (u64, u64);

/// Returns when everything that this connection has read is on disk. It must not be called inside a transaction. `first` are
/// the positions that were read after it, if they were.
pub(crate) async fn settle(
    connection: &mut MySqlConnection,
    sync: &str,
    mut first: Option<Positions>,
) -> Attempt<()> {
    let mut wanted = None;
    for look in 0..LOOKS {
        if look > 0 {
            if look == 1 {
                observe::waited_for_log();
            }
            tokio::time::sleep(PAUSE).await;
        }
        let found = match first.take() {
            None => positions(connection).await?,
            first => first,
        };
        let Some((current, flushed)) = found else { break };
        if flushed >= *wanted.get_or_insert(current) {
            return Ok(());
        }
    }
    // The rest of the log does not belong to a commit, for example the log of a refused insert, and the server
    // writes it only after a second. A commit of this client also writes everything before it. It changes
    // one of 256 rows that nothing else needs, so clients hardly ever wait for each other.
    let slot = fastrand::u8(..);
    let push = format!(
        "INSERT INTO {sync} (slot, pushes) VALUES ({slot}, 1) ON DUPLICATE KEY UPDATE pushes = pushes + 1"
    );
    match connection.execute(sqlx::raw_sql(AssertSqlSafe(push))).await.map_err(Failure::Sql) {
        Err(failure) if failure.is_read_only() || failure.is_not_allowed() => {
            wait(connection, wanted, failure).await
        }
        done => done.map(drop),
    }
}

/// Waits for the server, which writes its log once a second also if it takes no writes, or none of this user. The time limit of the
/// statement ends the wait.
async fn wait(connection: &mut MySqlConnection, wanted: Option<u64>, refused: Failure) -> Attempt<()> {
    let Some(wanted) = wanted else { return Err(refused) };
    while let Some((_, flushed)) = positions(connection).await? {
        if flushed >= wanted {
            return Ok(());
        }
        tokio::time::sleep(LONG_PAUSE).await;
    }
    Err(refused)
}

/// `None` if the server does not report it.
async fn positions(connection: &mut MySqlConnection) -> Attempt<Option<Positions>> {
    positions_in(&connection.fetch_all(sqlx::raw_sql(POSITIONS)).await?)
}

/// The positions in the answer to [`POSITIONS`].
pub(crate) fn positions_in(rows: &[MySqlRow]) -> Attempt<Option<Positions>> {
    let (mut current, mut flushed) = (None, None);
    for row in rows {
        let (name, value): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        // MariaDB's names, and MySQL's.
        match name.as_str() {
            "Innodb_lsn_current" | "Innodb_redo_log_current_lsn" => current = value.parse().ok(),
            "Innodb_lsn_flushed" | "Innodb_redo_log_flushed_to_disk_lsn" => flushed = value.parse().ok(),
            _ => {}
        }
    }
    Ok(current.zip(flushed))
}
