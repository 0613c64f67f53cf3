//! What a connection of the map's own is set to, when it is made.

use sqlx::mysql::MySqlConnection;
use sqlx::{Executor, Row};

/// Sees to it that nothing is read, and so acknowledged, that is not committed and may never be.
///
/// Only a server whose default is READ UNCOMMITTED is told otherwise: on Vitess each such setting would take
/// connections to the shards out of its pools.
pub(crate) async fn read_committed(connection: &mut MySqlConnection) -> Result<(), sqlx::Error> {
    let look = "SHOW VARIABLES WHERE Variable_name IN ('transaction_isolation', 'tx_isolation')";
    for row in connection.fetch_all(sqlx::raw_sql(look)).await? {
        if row.try_get::<String, _>(1)? == "READ-UNCOMMITTED" {
            let set = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";
            return connection.execute(sqlx::raw_sql(set)).await.map(drop);
        }
    }
    Ok(())
}
