//! Refuses a connection whose server session others use too: a pooler would give them its settings, locks and temporary tables. Refuses
//! one whose reads go to another session, which may be that of a replica: what a step reads there does not prove its conditions.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, Row};

use super::connect;
use crate::plan::ended::{ATTEMPTS, BETWEEN};
use idgen_database::{Error, Result};

/// Connects, and finds out that reads see a lock of the same connection, and that the session of the server ends with its connection: a
/// lock that is still there afterward belongs to the session of a pooler.
pub(in crate::plan::mysql) async fn connect_to_server(url: &str) -> Result<MySqlConnection> {
    let lock = format!("'idgen_{:032x}'", idgen::v4().as_u128());
    let mut first = connect(url).await?;
    // Whatever splits reads from writes takes this for a write.
    first.execute(sqlx::raw_sql(AssertSqlSafe(format!("DO GET_LOCK({lock}, 0)")))).await.map_err(failed)?;
    let is_locked = is(&mut first, format!("SELECT IS_USED_LOCK({lock}) = CONNECTION_ID()")).await?;
    // A session that the server has ended has no locks.
    let _ = first.close().await;
    let mut second = connect(url).await?;
    for _ in 0..ATTEMPTS {
        if !is_locked || is(&mut second, format!("SELECT IS_USED_LOCK({lock}) = CONNECTION_ID()")).await? {
            break;
        }
        if is(&mut second, format!("SELECT IS_USED_LOCK({lock}) IS NULL")).await? {
            return Ok(second);
        }
        tokio::time::sleep(BETWEEN).await;
    }
    second.execute(sqlx::raw_sql(AssertSqlSafe(format!("DO RELEASE_LOCK({lock})")))).await.map_err(failed)?;
    Err(Error::new(
        "this connection goes through a pooler or to several servers (ProxySQL, MySQL Router, RDS Proxy, MaxScale …): connect to the \
         server itself",
    ))
}

fn failed(error: sqlx::Error) -> Error {
    Error::of("cannot find out whether the connection goes through a pooler", error)
}

/// The truth of a condition; false if it is unknown.
async fn is(connection: &mut MySqlConnection, sql: String) -> Result<bool> {
    let row = connection.fetch_one(sqlx::raw_sql(AssertSqlSafe(sql))).await.map_err(failed)?;
    Ok(row.try_get_unchecked::<Option<String>, _>(0).map_err(failed)?.as_deref() == Some("1"))
}
