//! PostgreSQL: `SET LOCAL` in the transaction of each statement.

use std::time::Duration;

use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Connection, Executor, Row};

use super::{Cell, Failure, Limits, Rows, server};
use crate::connect;
use crate::error::{Error, Result};

/// What a database or a role may have set otherwise for each session, and what would end statements or change texts. Servers know
/// different ones of these settings.
const CLEAN: [(&str, &str); 9] = [
    // No schema in which others may make functions and operators, which would be called with the rights of this user: a function of
    // exactly these types comes before one of PostgreSQL that needs a cast. Temporary tables come last.
    ("search_path", PATH),
    ("transaction_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
    ("transform_null_equals", "off"),
    ("standard_conforming_strings", "on"),
    ("DateStyle", "ISO, MDY"),
    ("IntervalStyle", "postgres"),
    ("bytea_output", "hex"),
    ("extra_float_digits", "1"),
];

const PATH: &str = "pg_catalog, pg_temp";

/// Whatever the database or the role says: a serializable transaction would be remembered by the server and could end others.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY NOT DEFERRABLE";

pub(super) struct Postgres {
    connection: PgConnection,
    pub(super) version: String,
    /// The settings of [`CLEAN`] and of the caller that this server knows, as statements.
    settings: String,
}

impl Postgres {
    pub(super) async fn open(url: &str, limits: &Limits) -> Result<Postgres> {
        let mut connection = connect::postgres(url, None).await?;
        // A name given at the start would stay with the session of a pooler.
        let name = [("application_name", limits.program)];
        let wanted: Vec<_> = CLEAN.iter().chain(&name).chain(limits.settings).collect();
        let names: Vec<String> =
            wanted.iter().map(|(name, _)| format!("'{}'", name.to_lowercase())).collect();
        let sql = format!(
            "SELECT lower(name), current_setting('server_version') FROM pg_catalog.pg_settings WHERE lower(name) IN ({})",
            names.join(", ")
        );
        let refused = |error| Error::of("cannot read the server's version", error);
        let begin = format!("{BEGIN}; SET LOCAL search_path = {PATH}");
        connection.execute(sqlx::raw_sql(AssertSqlSafe(begin))).await.map_err(refused)?;
        let rows = connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(sql))).await.map_err(refused)?;
        connection.execute(sqlx::raw_sql("ROLLBACK")).await.map_err(refused)?;
        let known = rows.iter().map(cells).collect::<sqlx::Result<Vec<_>>>().map_err(refused)?;
        let text = |row: &Vec<Cell>, at: usize| row.get(at).and_then(Cell::text).unwrap_or_default();
        let version = known.first().map(|row| text(row, 1)).unwrap_or_default();
        let settings = wanted
            .iter()
            .filter(|(name, _)| known.iter().any(|row| text(row, 0) == name.to_lowercase()))
            .map(|(name, value)| {
                // A list of names is not one name.
                let quoted = if *name == "search_path" { (*value).to_owned() } else { format!("'{value}'") };
                format!("; SET LOCAL {name} = {quoted}")
            })
            .collect();
        Ok(Postgres { connection, version, settings })
    }

    /// The text that begins the transaction of a statement.
    pub(super) fn begin(&self, limit: Duration) -> String {
        format!("{BEGIN}; SET LOCAL statement_timeout = {}{}", limit.as_millis(), self.settings)
    }

    pub(super) async fn rows(
        &mut self,
        sql: &str,
        binds: &[Cell],
        limit: Duration,
    ) -> std::result::Result<Rows, Failure> {
        // query_canceled
        let failure = |error: sqlx::Error| Failure::of(&error, &["57014"]);
        let begin = self.begin(limit);
        self.execute(&begin).await.map_err(failure)?;
        let answer = server::fetch::<sqlx::Postgres>(&mut self.connection, sql, binds).await;
        // There is nothing to commit, and this also ends a transaction that an error has aborted.
        self.execute("ROLLBACK").await.map_err(failure)?;
        answer.map_err(failure)?.iter().map(|row| cells(row).map_err(failure)).collect()
    }

    async fn execute(&mut self, sql: &str) -> sqlx::Result<()> {
        self.connection.execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await.map(drop)
    }

    pub(super) async fn close(self) {
        // The answers are read; a server that does not say goodbye changes nothing.
        let _ = self.connection.close().await;
    }
}

fn cells(row: &PgRow) -> std::result::Result<Vec<Cell>, sqlx::Error> {
    (0..row.len())
        .map(|at| Ok(row.try_get_unchecked::<Option<String>, _>(at)?.map_or(Cell::Null, Cell::Text)))
        .collect()
}
