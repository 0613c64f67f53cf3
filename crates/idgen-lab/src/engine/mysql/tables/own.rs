//! Tables of the user's own: which rows they hold before the run, and whether they can be measured.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Row};

use super::plan::Plan;
use crate::Result;
use crate::engine::mysql::doing;
use crate::own::{Own, PrimaryColumn};

/// Checks that the key is the primary key or a column of it, and counts the rows of the table of each statement; empty if the tables are
/// the lab's.
pub async fn begin(connection: &mut MySqlConnection, plan: &mut Plan) -> Result<Vec<u64>> {
    let Some(own) = &mut plan.own else { return Ok(Vec::new()) };
    let failed = doing("read the schema back");
    let sql = "SELECT CAST(COLUMN_NAME AS CHAR) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND \
               TABLE_NAME = ? AND INDEX_NAME = 'PRIMARY' ORDER BY SEQ_IN_INDEX";
    let rows = sqlx::query(sql)
        .bind(own.table().trim_matches('`'))
        .fetch_all(&mut *connection)
        .await
        .map_err(&failed)?;
    let columns = rows.iter().map(|row| {
        let name = row.try_get_unchecked(0).map_err(&failed)?;
        Ok(PrimaryColumn::quoted(name, own.key_column(), '`'))
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    own.set_primary(columns)?;
    counts(connection, own).await
}

/// Counts the rows of the table of each statement.
pub async fn counts(connection: &mut MySqlConnection, own: &Own) -> Result<Vec<u64>> {
    let mut counts = Vec::new();
    for insert in own.inserts() {
        let sql = AssertSqlSafe(format!("SELECT CAST(COUNT(*) AS UNSIGNED) FROM {}", insert.table));
        let row = sqlx::query(sql).fetch_one(&mut *connection).await.map_err(doing("count the rows"))?;
        counts.push(row.try_get(0).map_err(doing("count the rows"))?);
    }
    Ok(counts)
}
