//! Gets ids from the published stored functions, with one call for each UUID.

use idgen_server::reference;
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use crate::engine::mysql::doing;
use crate::{Error, Result};

/// The number of times that a call is repeated before the run fails.
const MOST_TRIES: u32 = 1_000;

/// ER_DUP_ENTRY: the function returns it for a known UUID, and for a hash that another UUID had in the last seconds.
const DUPLICATE: u16 = 1062;
/// ER_LOCK_WAIT_TIMEOUT and ER_LOCK_DEADLOCK.
const LOCK_FAILURES: [u16; 2] = [1205, 1213];

/// Requests the ids of new UUIDs, each of 36 characters, in one statement.
///
/// All UUIDs of the lab are new. If the function reports one as known, two UUIDs have the same hash. Then the recent
/// hash is removed and the call repeated, as a caller of the function would have to do it.
pub async fn ids(connection: &mut MySqlConnection, function: &str, uuids: &[String]) -> Result<Vec<u64>> {
    for _ in 0..MOST_TRIES {
        match call(connection, function, uuids).await {
            Ok(ids) => return Ok(ids),
            Err(error) if number(&error) == Some(DUPLICATE) => {
                let [uuid] = uuids else { return one_by_one(connection, function, uuids).await };
                let clear = format!("DELETE FROM {} WHERE uuid_hash = CRC32(?)", reference::RECENT);
                sqlx::query(AssertSqlSafe(clear))
                    .bind(uuid)
                    .execute(&mut *connection)
                    .await
                    .map_err(doing("clear a recent hash away"))?;
            }
            // Clients block each other when recent hashes are removed.
            Err(error) if is_lock_failure(&error) => {}
            Err(error) => return Err(doing("map and insert")(error)),
        }
    }
    Err(Error::engine("the published function gave no id", format!("{MOST_TRIES} calls failed")))
}

async fn one_by_one(connection: &mut MySqlConnection, function: &str, uuids: &[String]) -> Result<Vec<u64>> {
    let mut all = Vec::with_capacity(uuids.len());
    for uuid in uuids {
        all.extend(Box::pin(ids(connection, function, std::slice::from_ref(uuid))).await?);
    }
    Ok(all)
}

async fn call(
    connection: &mut MySqlConnection,
    function: &str,
    uuids: &[String],
) -> std::result::Result<Vec<u64>, sqlx::Error> {
    let calls = vec![format!("CAST({function}(?) AS UNSIGNED)"); uuids.len()].join(", ");
    let mut query = sqlx::query(AssertSqlSafe(format!("SELECT {calls}")));
    for uuid in uuids {
        query = query.bind(uuid);
    }
    let row = connection.fetch_one(query).await?;
    (0..uuids.len()).map(|at| row.try_get(at)).collect()
}

/// Returns whether the statement met a deadlock, or waited too long for a lock. The server has undone it.
pub fn is_lock_failure(error: &sqlx::Error) -> bool {
    number(error).is_some_and(|number| LOCK_FAILURES.contains(&number))
}

fn number(error: &sqlx::Error) -> Option<u16> {
    let error = error.as_database_error()?.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>()?;
    Some(error.number())
}
