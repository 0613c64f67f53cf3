//! PostgreSQL.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::{ConnectOptions, Connection, Row};

use super::{Cell, Failure, Rows, server};
use crate::error::{Error, Result};

/// What a database or a role may have set otherwise for each session, and what would end statements or change texts. Servers know
/// different ones of these settings.
const CLEAN: &str = "SELECT set_config(s.name, wanted.value, false) FROM (VALUES ('search_path', 'pg_catalog, public'), \
                     ('transaction_timeout', '0'), ('idle_session_timeout', '0'), ('transform_null_equals', 'off'), \
                     ('standard_conforming_strings', 'on'), ('DateStyle', 'ISO, MDY'), ('IntervalStyle', 'postgres'), \
                     ('bytea_output', 'hex'), ('extra_float_digits', '1'), ('default_transaction_isolation', 'read committed')) \
                     AS wanted (name, value) JOIN pg_catalog.pg_settings AS s ON s.name = wanted.name WHERE s.setting <> wanted.value";

pub(super) struct Postgres(PgConnection);

impl Postgres {
    pub(super) async fn open(url: &str, limit: Duration) -> Result<(Postgres, String, Vec<String>)> {
        let options = url
            .parse::<PgConnectOptions>()
            .map_err(|_| {
                Error::new("cannot understand the URL: write postgres://user:password@host:port/database")
            })?
            .disable_statement_logging()
            .application_name("idgen survey");
        let mut connection = server::connect(PgConnection::connect_with(&options)).await?;
        let setup = [
            "SET default_transaction_read_only = on".to_owned(),
            self::limit(limit),
            CLEAN.to_owned(),
            // Samples are ranges of an index, also where statistics are old.
            "SET enable_seqscan = off".to_owned(),
            "SET enable_bitmapscan = off".to_owned(),
            "SET enable_sort = off".to_owned(),
        ];
        server::set_up(&mut connection, &setup).await?;
        let version: String = sqlx::query_scalar("SHOW server_version")
            .fetch_one(&mut connection)
            .await
            .map_err(|error| Error::of("cannot read the server's version", error))?;
        Ok((Postgres(connection), version, setup.into()))
    }

    pub(super) async fn rows(&mut self, sql: &str, binds: &[Cell]) -> std::result::Result<Rows, Failure> {
        let answer = server::fetch::<sqlx::Postgres>(&mut self.0, sql, binds).await;
        // query_canceled
        let failure = |error: sqlx::Error| Failure::of(&error, &["57014"]);
        answer.map_err(failure)?.iter().map(|row| cells(row).map_err(failure)).collect()
    }

    pub(super) async fn close(self) {
        // The answers are read; a server that does not say goodbye changes nothing.
        let _ = self.0.close().await;
    }
}

/// The statement that limits the time of the next ones.
pub(super) fn limit(limit: Duration) -> String {
    format!("SET statement_timeout = {}", limit.as_millis())
}

fn cells(row: &PgRow) -> std::result::Result<Vec<Cell>, sqlx::Error> {
    (0..row.len())
        .map(|at| Ok(row.try_get_unchecked::<Option<String>, _>(at)?.map_or(Cell::Null, Cell::Text)))
        .collect()
}
