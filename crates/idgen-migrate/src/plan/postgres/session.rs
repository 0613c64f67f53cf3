//! The session of the planning, which only reads and leaves nothing behind.

use std::time::Duration;

use serde::de::DeserializeOwned;

use idgen_database::{Cell, Database, Error, Limits, Result};

/// `CREATE OR REPLACE TRIGGER`, and reading ranges of rows by their place, need PostgreSQL 14.
const OLDEST: i32 = 140_000;

/// Rows that a policy hides are an error. Names in the texts of defaults and predicates are complete, because each session searches no
/// schema but the server's.
const SETTINGS: &[(&str, &str)] = &[("row_security", "off"), ("lock_timeout", "0")];

pub(super) struct Session {
    session: idgen_database::Session,
    /// The server's version, as in 180001.
    pub(super) version: i32,
}

impl Session {
    pub(super) async fn open(url: &str, limit: Duration) -> Result<Session> {
        let limits =
            Limits { statement_time: limit, show_values: true, program: "idgen plan", settings: SETTINGS };
        let session = idgen_database::Session::open(url, &limits).await?;
        if session.engine != Database::Postgres {
            return Err(Error::new(
                "the server is not PostgreSQL: write postgres://user:password@host:port/database",
            ));
        }
        let mut session = Session { session, version: 0 };
        session.version = session.number("SELECT current_setting('server_version_num')").await? as i32;
        if session.version < OLDEST {
            return Err(Error::new(format!(
                "the server is PostgreSQL {}: the plan needs 14 or later",
                session.version / 10_000
            )));
        }
        Ok(session)
    }

    /// The rows of a query. The server writes them as JSON.
    pub(super) async fn rows<T: DeserializeOwned>(&mut self, what: &str, sql: &str) -> Result<Vec<T>> {
        let all = format!("SELECT COALESCE(json_agg(q), '[]')::text FROM ({sql}) AS q");
        let texts = self.texts(&format!("the {what}"), &all).await?;
        let text = texts.first().map_or("[]", String::as_str);
        serde_json::from_str(text).map_err(|error| Error::of(format!("cannot understand the {what}"), error))
    }

    /// The first values of a column that are not null.
    pub(super) async fn sample(&mut self, table: &str, column: &str) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT CASE WHEN pg_typeof({column})::text = 'bytea' THEN encode({column}::text::bytea, 'hex') \
             ELSE {column}::text END FROM {table} WHERE {column} IS NOT NULL LIMIT 100"
        );
        self.texts(&format!("values of {column} in {table}"), &sql).await
    }

    /// The first column of a query.
    pub(super) async fn texts(&mut self, what: &str, sql: &str) -> Result<Vec<String>> {
        match self.session.rows(what, sql, &[]).await {
            Ok(rows) => Ok(rows.iter().filter_map(|row| row.first().and_then(Cell::text)).collect()),
            Err(refused) => Err(Error::new(format!("cannot read {what}: {}", refused.why))),
        }
    }

    /// One number.
    pub(super) async fn number(&mut self, sql: &str) -> Result<i64> {
        let texts = self.texts("the catalog", sql).await?;
        let number = texts.first().and_then(|text| text.parse().ok());
        number.ok_or_else(|| Error::new(format!("cannot read the catalog: {texts:?} is no number")))
    }

    pub(super) async fn close(self) {
        self.session.close().await;
    }
}
