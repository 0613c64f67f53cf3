//! Blocking calls for the few statements that control a server.
//!
//! Each runs in its own thread and runtime, so that it works inside and outside async code.

use std::thread;
use std::time::Duration;

use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Row};

use crate::Flavor;

/// A server that accepts a connection and then does not answer is treated as absent.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Runs one statement and returns its rows. Only text columns are read.
pub(crate) fn rows(url: &str, statement: &str) -> Result<Vec<Vec<String>>, sqlx::Error> {
    rows_within(url, statement, TIMEOUT)
}

/// The same with another timeout.
pub(crate) fn rows_within(
    url: &str,
    statement: &str,
    limit: Duration,
) -> Result<Vec<Vec<String>>, sqlx::Error> {
    let (url, statement) = (url.to_owned(), statement.to_owned());
    let work = async move {
        if Flavor::of_scheme(&url) == Some(Flavor::Postgres) {
            let options = url.parse::<PgConnectOptions>()?.disable_statement_logging();
            fetch(PgConnection::connect_with(&options).await?, statement).await
        } else {
            let options = url.parse::<MySqlConnectOptions>()?.disable_statement_logging();
            fetch(MySqlConnection::connect_with(&options).await?, statement).await
        }
    };
    let thread = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let late = sqlx::Error::Io(std::io::ErrorKind::TimedOut.into());
        runtime.block_on(async { tokio::time::timeout(limit, work).await.unwrap_or(Err(late)) })
    });
    match thread.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// A statement without parameters, whose columns both servers send as text.
async fn fetch<C>(mut connection: C, statement: String) -> Result<Vec<Vec<String>>, sqlx::Error>
where
    C: Connection,
    for<'c> &'c mut C: Executor<'c, Database = C::Database>,
    usize: sqlx::ColumnIndex<<C::Database as sqlx::Database>::Row>,
    for<'r> String: sqlx::Decode<'r, C::Database>,
    String: sqlx::Type<C::Database>,
{
    let found = connection.fetch_all(AssertSqlSafe(statement)).await?;
    let mut rows = Vec::new();
    for row in found {
        let columns = (0..row.len()).map(|at| row.try_get_unchecked::<Option<String>, _>(at));
        rows.push(columns.map(|text| text.map(Option::unwrap_or_default)).collect::<Result<_, _>>()?);
    }
    connection.close().await?;
    Ok(rows)
}
