//! Blocking calls for the few statements that control a server.
//!
//! Each runs in its own thread and runtime, so that it works inside and outside async code.

use std::pin::pin;
use std::thread;
use std::time::Duration;

use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Row};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::{Flavor, Plain};

/// A server that accepts a connection and then does not answer is treated as absent.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Runs one statement and returns its rows. Only text columns are read.
pub(crate) fn rows(url: &str, statement: &str) -> Result<Vec<Vec<String>>, Plain> {
    rows_within(url, statement, TIMEOUT)
}

/// The same with another timeout.
pub(crate) fn rows_within(url: &str, statement: &str, limit: Duration) -> Result<Vec<Vec<String>>, Plain> {
    let (url, statement) = (url.to_owned(), statement.to_owned());
    let work = async move {
        if Flavor::of_scheme(&url) == Some(Flavor::Postgres) {
            let options = url.parse::<PgConnectOptions>()?.disable_statement_logging();
            fetch(PgConnection::connect_with(&options).await?, statement).await
        } else {
            let options = url.parse::<MySqlConnectOptions>()?.disable_statement_logging();
            fetch(connect_mysql(&options).await?, statement).await
        }
    };
    let thread = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let late = sqlx::Error::Io(std::io::ErrorKind::TimedOut.into());
        runtime.block_on(async { timeout(limit, work).await.unwrap_or(Err(late)) })
    });
    match thread.join() {
        Ok(result) => result.map_err(Plain::from),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Connects, unless PostgreSQL answers there. That server waits until its client speaks, as a client of MySQL waits for its
/// server, so nothing would happen until the timeout.
async fn connect_mysql(options: &MySqlConnectOptions) -> Result<MySqlConnection, sqlx::Error> {
    /// MySQL greets its client at once.
    const GREETS: Duration = Duration::from_secs(2);
    let mut connecting = pin!(MySqlConnection::connect_with(options));
    if let Ok(connected) = timeout(GREETS, &mut connecting).await {
        return connected;
    }
    let (host, port) = (options.get_host(), options.get_port());
    if matches!(timeout(GREETS, speaks_postgres(host, port)).await, Ok(Ok(true))) {
        return Err(sqlx::Error::Configuration(
            format!("PostgreSQL answers at {host}:{port}, not MySQL: the URL of PostgreSQL begins with postgres://").into(),
        ));
    }
    connecting.await
}

/// Asks whether a server speaks PostgreSQL's protocol: it answers to the request for TLS with one letter.
async fn speaks_postgres(host: &str, port: u16) -> std::io::Result<bool> {
    /// SSLRequest, of 8 bytes. Source: PostgreSQL manual, Message Formats.
    const REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
    let mut stream = tokio::net::TcpStream::connect((host, port)).await?;
    stream.write_all(&REQUEST).await?;
    Ok(matches!(stream.read_u8().await?, b'S' | b'N'))
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
