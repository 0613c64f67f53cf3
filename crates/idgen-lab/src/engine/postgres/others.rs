//! Counts what other clients of a server wrote, because the server's counters include their work.
//!
//! The lab works in a database of its own, so writes to the other databases are not its own. Source: PostgreSQL manual,
//! section pg_stat_database. A session reports its counts with a delay of up to a second.

use idgen_record::Others;
use sqlx::postgres::PgConnection;
use sqlx::{Executor, Row};

use super::doing;
use crate::Result;

const OTHERS: &str = "SELECT (SELECT coalesce(sum(tup_inserted + tup_updated + tup_deleted), 0)::int8 FROM pg_stat_database \
     WHERE datname IS NOT NULL AND datname <> current_database()), (SELECT count(*) FROM pg_stat_activity WHERE \
     backend_type = 'client backend' AND datname <> current_database() AND state <> 'idle')";

/// Rows that others wrote since the server was started, and the other sessions that are running a statement now.
pub async fn now(connection: &mut PgConnection) -> Result<Others> {
    let failed = doing("read what other clients wrote");
    let row = connection.fetch_one(OTHERS).await.map_err(&failed)?;
    let at = |column: usize| -> Result<u64> {
        Ok(u64::try_from(row.try_get::<i64, _>(column).map_err(&failed)?).unwrap_or(0))
    };
    Ok(Others { writes: at(0)?, sessions: at(1)? })
}
