//! The session that executes a file of a plan.

mod notices;
mod pooler;
mod time_zone;

use futures_util::TryStreamExt;
use sqlx::postgres::{PgConnection, PgDatabaseError};
use sqlx::{AssertSqlSafe, Connection, Either, Executor, Row};
use tokio::sync::mpsc::UnboundedSender;

use crate::plan::data::Statement;
use idgen_database::{DatabaseUrl, Error, Result, connect};

pub(crate) struct Session {
    connection: PgConnection,
    /// The number of the server's process.
    pub(crate) number: String,
}

impl Session {
    /// Connects to the server itself, with the settings that its own client would have.
    pub(crate) async fn open(url: &str, said: &UnboundedSender<String>) -> Result<Session> {
        let mut connection = pooler::connect_to_server(url).await?;
        time_zone::restore(&mut connection, said).await?;
        let number = value(&mut connection, "SELECT pg_catalog.pg_backend_pid()").await?;
        Ok(Session { connection, number: number.unwrap_or_default() })
    }

    /// Executes a statement if it is needed. Notices are sent as lines, and rows too.
    pub(crate) async fn execute(
        &mut self,
        statement: &Statement,
        said: &UnboundedSender<String>,
    ) -> Result<()> {
        if let Some(query) = &statement.only_if
            && value(&mut self.connection, query).await?.as_deref() != Some("t")
        {
            return Ok(());
        }
        notices::sent_to(said, async {
            let sql = AssertSqlSafe(statement.sql.clone());
            let mut answers = self.connection.fetch_many(sqlx::raw_sql(sql));
            while let Some(answer) = answers.try_next().await.map_err(sentence)? {
                if let Either::Right(row) = answer {
                    let cells = (0..row.len()).map(|at| row.try_get_unchecked::<Option<String>, _>(at));
                    let cells: Vec<_> = cells.flatten().flatten().collect();
                    // Nobody listens any more, for instance after Ctrl-C.
                    let _ = said.send(cells.join(", ")).ok().filter(|()| !cells.is_empty());
                }
            }
            Ok(())
        })
        .await
    }

    pub(crate) async fn close(self) {
        // The answers are read; a server that does not say goodbye changes nothing.
        let _ = self.connection.close().await;
    }
}

/// Ends the running statement of a process.
pub(crate) async fn cancel(url: &str, number: &str) -> Result<()> {
    let mut connection = connect(url).await?;
    value(&mut connection, &format!("SELECT pg_catalog.pg_cancel_backend({number})")).await.map(drop)
}

/// Executes a statement in a session of its own.
pub(crate) async fn change(url: &str, sql: String) -> Result<()> {
    let mut connection = connect(url).await?;
    connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.map_err(sentence)?;
    // The statement is committed.
    let _ = connection.close().await;
    Ok(())
}

pub(super) async fn connect(url: &str) -> Result<PgConnection> {
    let DatabaseUrl::Postgres(url) = DatabaseUrl::parse(url)? else {
        return Err(Error::new("the plan is for PostgreSQL: the URL must begin with postgres://"));
    };
    connect::postgres(&url, Some("idgen plan run")).await
}

/// The first value of the first row as text.
async fn value(connection: &mut PgConnection, sql: &str) -> Result<Option<String>> {
    let row =
        connection.fetch_optional(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await.map_err(sentence)?;
    Ok(row.and_then(|row| row.try_get_unchecked::<Option<String>, _>(0).ok()).flatten())
}

/// The sentence with which the server refuses, with its details.
fn sentence(error: sqlx::Error) -> Error {
    let Some(refusal) =
        error.as_database_error().and_then(|error| error.try_downcast_ref::<PgDatabaseError>())
    else {
        return Error::of("the connection was lost, and the file can be executed again", error);
    };
    let lines = [Some(refusal.message()), refusal.detail(), refusal.hint()];
    Error::new(lines.into_iter().flatten().collect::<Vec<_>>().join("\n"))
}
