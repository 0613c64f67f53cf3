//! The session that executes a file of a plan.

pub(super) mod pooler;

use futures_util::TryStreamExt;
use sqlx::mysql::{MySqlConnection, MySqlDatabaseError, MySqlRow};
use sqlx::{AssertSqlSafe, Column, Connection, Either, Executor, Row};
use tokio::sync::mpsc::UnboundedSender;

use crate::plan::data::Engine;
use idgen_database::{Database, DatabaseUrl, Error, Result, connect};

pub(crate) struct Session {
    connection: MySqlConnection,
    /// The number of the connection.
    pub(crate) number: String,
}

impl Session {
    /// Connects to the server itself.
    pub(crate) async fn open(url: &str, engine: Engine) -> Result<Session> {
        let mut connection = pooler::connect_to_server(url).await?;
        let sql = "SELECT VERSION(), CONNECTION_ID(), DATABASE()";
        let row =
            connection.fetch_one(sql).await.map_err(|error| Error::of("cannot read the version", error))?;
        let text = |at: usize| shown(&row, at).unwrap_or_default();
        let (database, wanted) = (
            Database::of_version(&text(0)),
            if engine == Engine::MySql { Database::MySql } else { Database::MariaDb },
        );
        if database != wanted {
            return Err(Error::new(format!(
                "the plan is for {}, and the server is {} {}: name the server of the plan",
                wanted.name(),
                database.name(),
                text(0)
            )));
        }
        if text(2).is_empty() {
            return Err(Error::new(
                "the URL names no schema: write mysql://user:password@host:port/schema, with the schema of the tables",
            ));
        }
        Ok(Session { connection, number: text(1) })
    }

    /// Executes a statement. Rows that it returns are sent as lines.
    pub(crate) async fn execute(&mut self, sql: &str, said: &UnboundedSender<String>) -> Result<()> {
        let mut answers = self.connection.fetch_many(sqlx::raw_sql(AssertSqlSafe(sql.to_owned())));
        while let Some(answer) = answers.try_next().await.map_err(sentence)? {
            if let Either::Right(row) = answer
                && let Some(line) = line(&row)
            {
                // Nobody listens any more, for instance after Ctrl-C.
                let _ = said.send(line);
            }
        }
        Ok(())
    }

    pub(crate) async fn close(self) {
        // The answers are read; a server that does not say goodbye changes nothing.
        let _ = self.connection.close().await;
    }
}

/// Ends the running statement of a connection.
pub(crate) async fn cancel(url: &str, number: &str) -> Result<()> {
    let mut connection = connect(url).await?;
    let sql = format!("KILL QUERY {number}");
    let killed = connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await;
    killed.map(drop).map_err(|error| Error::of("cannot cancel the statement", error))
}

/// Executes a statement in a session of its own.
pub(crate) async fn change(url: &str, sql: String) -> Result<()> {
    let mut connection = connect(url).await?;
    connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.map_err(sentence)?;
    // The statement is committed.
    let _ = connection.close().await;
    Ok(())
}

async fn connect(url: &str) -> Result<MySqlConnection> {
    let DatabaseUrl::MySql(url) = DatabaseUrl::parse(url)? else {
        return Err(Error::new(
            "the plan is for MySQL or MariaDB: the URL must begin with mysql:// or mariadb://",
        ));
    };
    connect::mysql(&url).await
}

/// The sentence with which the server refuses. Its number is shown only where the plan did not write the sentence.
fn sentence(error: sqlx::Error) -> Error {
    let Some(refusal) = error.as_database_error() else {
        return Error::of("the connection was lost, and the file can be executed again", error);
    };
    let message = refusal.message().to_owned();
    let number = refusal.try_downcast_ref::<MySqlDatabaseError>().map(|error| error.number());
    match number {
        // SIGNAL
        None | Some(1644) => Error::new(message),
        Some(number) => Error::new(format!("{message} (error {number})")),
    }
}

/// A row as `rows copied 50, finished 1`. Nothing is said of statistics that were made.
fn line(row: &MySqlRow) -> Option<String> {
    let cells: Vec<_> = (0..row.len()).map(|at| (row.column(at).name(), shown(row, at))).collect();
    let is_statistics =
        cells.iter().any(|(name, value)| *name == "Op" && value.as_deref() == Some("analyze"));
    let is_fine = cells.iter().any(|(name, value)| *name == "Msg_text" && value.as_deref() == Some("OK"));
    if is_statistics && is_fine {
        return None;
    }
    let cells = cells
        .iter()
        .map(|(name, value)| format!("{} {}", name.replace('_', " "), value.as_deref().unwrap_or("NULL")));
    Some(cells.collect::<Vec<_>>().join(", "))
}

fn shown(row: &MySqlRow, at: usize) -> Option<String> {
    let bytes = row.try_get_unchecked::<Option<Vec<u8>>, _>(at).ok()??;
    Some(
        String::from_utf8(bytes)
            .unwrap_or_else(|error| error.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()),
    )
}
