//! Tables of the user's own: which rows they hold before the run, and whether they can be measured.

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Row};

use super::plan::Plan;
use super::{doing, pages};
use crate::Result;
use crate::own::{Own, PrimaryColumn};

/// Finds the index of the key, which must be the primary key or a column of it, and counts the rows of the table of each statement; empty
/// if the tables are the lab's.
pub async fn begin(connection: &mut PgConnection, plan: &mut Plan) -> Result<Vec<u64>> {
    let Some((own, index)) = &mut plan.own else { return Ok(Vec::new()) };
    let failed = doing("read the schema back");
    let table = own.table();
    let sql = format!(
        "SELECT quote_ident(a.attname)::text, i.indexrelid::regclass::text, quote_ident(a.attname) = '{}' OR a.attname = \
         lower('{}') FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, place) JOIN \
         pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number WHERE i.indrelid = '{table}'::regclass AND \
         i.indisprimary AND k.place <= i.indnkeyatts ORDER BY k.place",
        own.key_column(),
        own.key_column()
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(&mut *connection).await.map_err(&failed)?;
    let mut columns = Vec::new();
    for row in &rows {
        *index = row.try_get(1).map_err(&failed)?;
        let name = row.try_get(0).map_err(&failed)?;
        columns.push(PrimaryColumn { name, is_key: row.try_get(2).map_err(&failed)? });
    }
    own.set_primary(columns)?;
    counts(connection, own).await
}

/// Counts the rows of the table of each statement.
pub async fn counts(connection: &mut PgConnection, own: &Own) -> Result<Vec<u64>> {
    let mut counts = Vec::new();
    for insert in own.inserts() {
        let sql = AssertSqlSafe(format!("SELECT count(*) FROM {}", insert.table));
        let row = sqlx::query(sql).fetch_one(&mut *connection).await.map_err(doing("count the rows"))?;
        let count: i64 = row.try_get(0).map_err(doing("count the rows"))?;
        counts.push(u64::try_from(count).unwrap_or(0));
    }
    Ok(counts)
}

/// Bytes of all indexes except the index of the key.
pub async fn other_bytes(connection: &mut PgConnection, own: &Own, index: &str) -> Result<u64> {
    let key = pages::bytes(connection, index).await?;
    let mut all = 0;
    for table in own.tables() {
        let sql = AssertSqlSafe(format!("SELECT pg_indexes_size('{table}'::regclass)"));
        let row = sqlx::query(sql)
            .fetch_one(&mut *connection)
            .await
            .map_err(doing("read the sizes of the indexes"))?;
        let bytes: i64 = row.try_get(0).map_err(doing("read the sizes of the indexes"))?;
        all += u64::try_from(bytes).unwrap_or(0);
    }
    Ok(all.saturating_sub(key))
}
