//! What the sessions of all servers do.

use sqlx::database::HasStatementCache;
use sqlx::{AssertSqlSafe, Database, Encode, Executor, IntoArguments, Type};

use super::Cell;

/// The rows of a statement, whose parameters are texts.
pub(super) async fn fetch<D: Database + HasStatementCache>(
    connection: &mut D::Connection,
    sql: &str,
    binds: &[Cell],
) -> sqlx::Result<Vec<D::Row>>
where
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
    D::Arguments: IntoArguments<D>,
    for<'v> Option<String>: Encode<'v, D> + Type<D>,
{
    let sql = AssertSqlSafe(sql.to_owned());
    if binds.is_empty() {
        return connection.fetch_all(sqlx::raw_sql(sql)).await;
    }
    let mut query = sqlx::query(sql).persistent(false);
    for cell in binds {
        query = query.bind(cell.text());
    }
    connection.fetch_all(query).await
}
