//! What a table of the map must be as a whole: a table of InnoDB, and no view.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor};

use crate::caller::Values;
use crate::failure::Attempt;

/// What is wrong with a table as a whole, if it is there.
pub(crate) async fn problem(connection: &mut MySqlConnection, table: &str) -> Attempt<Option<String>> {
    let kind = format!(
        "SELECT table_type, engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '{table}'"
    );
    let Some(row) = connection.fetch_optional(sqlx::raw_sql(AssertSqlSafe(kind))).await? else {
        return Ok(None);
    };
    Ok(match (row.text(0)?.as_deref(), row.text(1)?.as_deref()) {
        (Some("VIEW"), _) => Some(VIEW.to_owned()),
        (_, Some("InnoDB")) => None,
        (_, engine) => Some(other_engine(table, engine.unwrap_or("unknown"))),
    })
}

/// What is wrong with a view in the place of a table of the map.
pub(crate) const VIEW: &str = "a view has its name: drop the view, and put the table back";

/// What is wrong with a table of another engine than InnoDB.
pub(crate) fn other_engine(table: &str, engine: &str) -> String {
    format!(
        "its engine is {engine}, not InnoDB, so a transaction cannot undo what it stores: run ALTER TABLE {table} ENGINE = \
         InnoDB, and then check the map (idgen map check)"
    )
}
