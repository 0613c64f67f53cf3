//! Checks the definition of a table beside the map's own.

use sqlx::mysql::{MySqlConnection, MySqlRow};
use sqlx::{AssertSqlSafe, Executor};

use crate::error::Error;
use crate::error::failure::{Attempt, Kind};
use crate::statement::caller::Connection;
use crate::statement::shadow::Shadow;
use crate::statement::values::Values;

/// Refuses a table whose definition lacks one of these texts, and what only hides the table. `install` is what to call if
/// there is no table.
pub(crate) async fn check(
    connection: &mut MySqlConnection,
    table: &str,
    keys: &[&str],
    install: &'static str,
) -> Attempt<()> {
    connection.execute(sqlx::raw_sql("SET SESSION sql_quote_show_create = 1")).await?;
    let rows = rows(connection, table, format!("SHOW CREATE TABLE {table}"), install).await?;
    let problem = match rows.first() {
        None => Some("the server does not show its definition".to_owned()),
        Some(row) => match Shadow::of_definition(row)? {
            Some(shadow) => Some(format!("it is {shadow} that has its name: remove that")),
            None => {
                let definition = row.text(1)?.unwrap_or_default();
                let missing = keys.iter().find(|key| !definition.contains(**key));
                missing.map(|key| format!("its definition has no {key}: add it"))
            }
        },
    };
    match problem {
        None => Ok(()),
        Some(problem) => Err(Error::new(Kind::Schema { table: table.to_owned(), problem }).into()),
    }
}

/// The rows of a statement about a table that may not be there.
pub(crate) async fn rows(
    connection: &mut MySqlConnection,
    table: &str,
    statement: String,
    install: &'static str,
) -> Attempt<Vec<MySqlRow>> {
    connection.read(statement).await.map_err(|failure| match failure.is_no_table() {
        true => Error::new(Kind::NoTable { table: table.to_owned(), install }).into(),
        false => failure,
    })
}

/// Runs a statement without an answer.
pub(crate) async fn run(connection: &mut MySqlConnection, statement: String) -> Attempt<()> {
    Ok(connection.execute(sqlx::raw_sql(AssertSqlSafe(statement))).await.map(drop)?)
}
