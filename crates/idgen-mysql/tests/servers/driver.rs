//! Executes a statement like a driver that the map does not know.

use futures_util::TryStreamExt;
use idgen_mysql::{DriverAnswer, DriverError};
use sqlx::{AssertSqlSafe, Either, Executor, MySqlConnection, Row};

/// Executes one statement, and returns all values as bytes, as such a driver gets them from the server.
pub async fn answer(connection: &mut MySqlConnection, statement: &str) -> Result<DriverAnswer, DriverError> {
    let mut answer = DriverAnswer::default();
    let mut results = connection.fetch_many(sqlx::raw_sql(AssertSqlSafe(statement.to_owned())));
    let failed = |error: sqlx::Error| {
        let number = error
            .as_database_error()
            .map(|error| error.downcast_ref::<sqlx::mysql::MySqlDatabaseError>().number());
        DriverError::new(number.unwrap_or(2013), error.to_string())
    };
    while let Some(result) = results.try_next().await.map_err(failed)? {
        match result {
            Either::Left(done) => answer.affected = done.rows_affected(),
            Either::Right(row) => {
                answer.columns =
                    row.columns().iter().map(|column| sqlx::Column::name(column).to_owned()).collect();
                let values = (0..row.len()).map(|at| row.try_get_unchecked(at).unwrap_or_default());
                answer.rows.push(values.collect());
            }
        }
    }
    Ok(answer)
}
