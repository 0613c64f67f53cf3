//! Counts what other clients of a server wrote, because the server's counters include their work.

use idgen_record::Others;
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::doing;
use crate::{Error, Result};

/// The statements that write rows. The server counts them for all sessions, and for each.
const WRITES: &str = "'Com_insert', 'Com_insert_select', 'Com_update', 'Com_update_multi', 'Com_delete', \
     'Com_delete_multi', 'Com_replace', 'Com_replace_select', 'Com_load'";

/// Statements by which others wrote since the server was started, and the other sessions that are running a statement now.
pub async fn now(connection: &mut MySqlConnection, ours: &mut [&mut MySqlConnection]) -> Result<Others> {
    let mut own = count(connection, "SESSION", WRITES).await?;
    for session in ours {
        own += count(session, "SESSION", WRITES).await?;
    }
    let all = count(connection, "GLOBAL", WRITES).await?;
    let running = count(connection, "GLOBAL", "'Threads_running'").await?;
    // The session that asks is running.
    Ok(Others { writes: all.saturating_sub(own), sessions: running.saturating_sub(1) })
}

/// The sum of these status variables.
async fn count(connection: &mut MySqlConnection, scope: &str, names: &str) -> Result<u64> {
    let failed = doing("read what other clients wrote");
    let sql = format!("SHOW {scope} STATUS WHERE Variable_name IN ({names})");
    let mut sum = 0_u64;
    for row in connection.fetch_all(AssertSqlSafe(sql)).await.map_err(&failed)? {
        let text: String = row.try_get_unchecked(1).map_err(&failed)?;
        sum += text
            .parse::<u64>()
            .map_err(|error| Error::engine(format!("the server counts \"{text}\", not a number"), error))?;
    }
    Ok(sum)
}
