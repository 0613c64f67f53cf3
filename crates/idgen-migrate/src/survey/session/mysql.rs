//! MySQL and MariaDB.

use std::time::Duration;

use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlDatabaseError, MySqlRow};
use sqlx::{ConnectOptions, Connection, Row};

use super::{Cell, Engine, Failure, Rows, server};
use crate::error::{Error, Result};

/// What a server may have set otherwise for each session, and what would hide rows or change texts.
const CLEAN: &str = "SET SESSION autocommit = 1, completion_type = 0, sql_mode = '', sql_select_limit = 18446744073709551615, \
                     sql_big_selects = 1, sql_auto_is_null = 0";

pub(super) struct MySql(MySqlConnection);

impl MySql {
    pub(super) async fn open(url: &str, limit: Duration) -> Result<(MySql, Engine, String, Vec<String>)> {
        let options = url
            .parse::<MySqlConnectOptions>()
            .map_err(|_| {
                Error::new("cannot understand the URL: write mysql://user:password@host:port/schema")
            })?
            .disable_statement_logging();
        let mut connection = server::connect(MySqlConnection::connect_with(&options)).await?;
        // MySQL's hint: the server may have a limit that ends even this, and the session has its own only later.
        let version: String = sqlx::query_scalar("SELECT /*+ MAX_EXECUTION_TIME(30000) */ VERSION()")
            .fetch_one(&mut connection)
            .await
            .map_err(|error| Error::of("cannot read the server's version", error))?;
        let engine = if version.contains("MariaDB") { Engine::MariaDb } else { Engine::MySql };
        let mut setup = vec![
            "SET SESSION TRANSACTION READ ONLY".to_owned(),
            CLEAN.to_owned(),
            self::limit(engine, limit),
        ];
        if engine == Engine::MySql {
            // Otherwise the next value of a counter may be a day old.
            setup.push("SET SESSION information_schema_stats_expiry = 0".to_owned());
        }
        server::set_up(&mut connection, &setup).await?;
        Ok((MySql(connection), engine, version, setup))
    }

    pub(super) async fn rows(&mut self, sql: &str, binds: &[Cell]) -> std::result::Result<Rows, Failure> {
        let answer = server::fetch::<sqlx::MySql>(&mut self.0, sql, binds).await;
        let failure = |error: sqlx::Error| {
            let number = error
                .as_database_error()
                .and_then(|error| error.try_downcast_ref::<MySqlDatabaseError>())
                .map(|error| error.number().to_string());
            // ER_QUERY_TIMEOUT of MySQL, ER_STATEMENT_TIMEOUT of MariaDB.
            let is_late = matches!(number.as_deref(), Some("3024" | "1969"));
            let failure = Failure::of(&error, &[]);
            Failure { is_late, code: number.unwrap_or(failure.code), message: failure.message }
        };
        answer.map_err(failure)?.iter().map(|row| cells(row).map_err(failure)).collect()
    }

    pub(super) async fn close(self) {
        // The answers are read; a server that does not say goodbye changes nothing.
        let _ = self.0.close().await;
    }
}

/// The statement that limits the time of the next ones.
pub(super) fn limit(engine: Engine, limit: Duration) -> String {
    match engine {
        Engine::MariaDb => format!("SET SESSION max_statement_time = {}", limit.as_secs_f64()),
        _ => format!("SET SESSION max_execution_time = {}", limit.as_millis()),
    }
}

fn cells(row: &MySqlRow) -> std::result::Result<Vec<Cell>, sqlx::Error> {
    (0..row.len())
        .map(|at| {
            let bytes = row.try_get_unchecked::<Option<Vec<u8>>, _>(at)?;
            Ok(bytes.map_or(Cell::Null, |bytes| Cell::Text(String::from_utf8_lossy(&bytes).into_owned())))
        })
        .collect()
}
