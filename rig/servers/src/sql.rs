//! Blocking calls for the few statements that control a server.
//!
//! Each runs in its own thread and runtime, so that it works inside and outside async code.

use std::pin::pin;
use std::thread;
use std::time::Duration;

use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlRow};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Row};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::plain::Plain;
use idgen_database::Database;

/// A server that accepts a connection and then does not answer is treated as absent.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// The rows of a statement; only text columns are read.
pub(crate) type Rows = Vec<Vec<String>>;

/// Runs one statement and returns its rows.
pub(crate) fn rows(url: &str, statement: &str) -> Result<Rows, Plain> {
    rows_within(url, statement, TIMEOUT)
}

/// Runs one statement within the limit, and returns its rows.
pub(crate) fn rows_within(url: &str, statement: &str, limit: Duration) -> Result<Rows, Plain> {
    let (url, statement) = (url.to_owned(), statement.to_owned());
    let work = async move {
        let mut link = Link::open(&url).await?;
        let rows = link.rows(&statement).await?;
        link.close().await?;
        Ok(rows)
    };
    let thread = thread::spawn(move || within(&runtime()?, limit, work));
    match thread.join() {
        Ok(result) => result.map_err(Plain::from),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

pub(crate) fn runtime() -> Result<Runtime, sqlx::Error> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

/// Does the work, or fails after this time.
pub(crate) fn within<T>(
    runtime: &Runtime,
    limit: Duration,
    work: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    let late = sqlx::Error::Io(std::io::ErrorKind::TimedOut.into());
    runtime.block_on(async { timeout(limit, work).await.unwrap_or(Err(late)) })
}

/// A connection to a server of either protocol.
pub(crate) enum Link {
    MySql(MySqlConnection),
    Postgres(PgConnection),
}

impl Link {
    pub(crate) async fn open(url: &str) -> Result<Link, sqlx::Error> {
        if Database::of_scheme(url) == Some(Database::Postgres) {
            let options = url.parse::<PgConnectOptions>()?.disable_statement_logging();
            return PgConnection::connect_with(&options).await.map(Link::Postgres);
        }
        let options = url.parse::<MySqlConnectOptions>()?.disable_statement_logging();
        connect_mysql(&options).await.map(Link::MySql)
    }

    pub(crate) async fn rows(&mut self, statement: &str) -> Result<Rows, sqlx::Error> {
        match self {
            Link::MySql(connection) => fetch(connection, statement, mysql_text).await,
            Link::Postgres(connection) => fetch(connection, statement, postgres_text).await,
        }
    }

    pub(crate) async fn close(self) -> Result<(), sqlx::Error> {
        match self {
            Link::MySql(connection) => connection.close().await,
            Link::Postgres(connection) => connection.close().await,
        }
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

/// A statement without parameters, whose columns both servers send as text; `text` reads one.
async fn fetch<C>(
    connection: &mut C,
    statement: &str,
    text: impl Fn(&<C::Database as sqlx::Database>::Row, usize) -> Result<Option<String>, sqlx::Error>,
) -> Result<Rows, sqlx::Error>
where
    C: Connection,
    for<'c> &'c mut C: Executor<'c, Database = C::Database>,
{
    let found = connection.fetch_all(AssertSqlSafe(statement.to_owned())).await?;
    let columns = |row| (0..Row::len(row)).map(|at| text(row, at).map(Option::unwrap_or_default)).collect();
    found.iter().map(columns).collect()
}

/// A list of sessions shows statements with any bytes in them.
fn mysql_text(row: &MySqlRow, at: usize) -> Result<Option<String>, sqlx::Error> {
    let bytes = row.try_get_unchecked::<Option<Vec<u8>>, _>(at)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

fn postgres_text(row: &PgRow, at: usize) -> Result<Option<String>, sqlx::Error> {
    row.try_get_unchecked(at)
}
