//! A session that only reads, with a limit of time for each statement.

use std::time::Duration;

use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Row};

use super::settings;
use crate::plan::data::Engine;
use idgen_database::{Error, Result};

/// How long the server may take to accept the connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(30);

/// Values as text; NULL is the empty text.
pub(super) type Rows = Vec<Vec<String>>;

pub(super) struct Session {
    connection: MySqlConnection,
    pub(super) engine: Engine,
    /// Major, minor, patch.
    pub(super) version: [u32; 3],
}

impl Session {
    pub(super) async fn open(url: &str, limit: Duration) -> Result<Session> {
        // The driver knows one scheme for both.
        let url = match url.strip_prefix("mariadb://") {
            Some(rest) => format!("mysql://{rest}"),
            None => url.to_owned(),
        };
        let options = url
            .parse::<MySqlConnectOptions>()
            .map_err(|_| {
                Error::new("cannot understand the URL: write mysql://user:password@host:port/schema")
            })?
            .disable_statement_logging();
        let connecting = MySqlConnection::connect_with(&options);
        let connection = tokio::time::timeout(CONNECT_LIMIT, connecting)
            .await
            .map_err(|_| Error::new("the server did not accept the connection within 30 seconds"))?
            .map_err(|error| Error::of("cannot connect", error))?;
        let mut session = Session { connection, engine: Engine::MySql, version: [0; 3] };
        // MySQL's hint: the server may have a limit that ends even this, and the session has its own only later.
        let version = session.text("SELECT /*+ MAX_EXECUTION_TIME(30000) */ VERSION()").await?;
        session.version = numbers(&version);
        if version.contains("MariaDB") {
            session.engine = Engine::MariaDb;
        }
        for statement in settings::clean(session.engine) {
            session.execute(&statement.sql).await?;
        }
        if session.engine == Engine::MariaDb {
            session.execute(&format!("SET SESSION max_statement_time = {}", limit.as_secs_f64())).await?;
        } else {
            session.execute(&format!("SET SESSION max_execution_time = {}", limit.as_millis())).await?;
        }
        session.execute("SET SESSION TRANSACTION READ ONLY").await?;
        Ok(session)
    }

    pub(super) async fn execute(&mut self, sql: &str) -> Result<()> {
        self.connection
            .execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned())))
            .await
            .map(drop)
            .map_err(|error| Error::of(format!("the server refused \"{sql}\""), error))
    }

    pub(super) async fn rows(&mut self, sql: &str) -> Result<Rows> {
        let refused = |error| Error::of(format!("the server refused \"{sql}\""), error);
        let answer = self.connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await;
        let mut rows = Rows::new();
        for row in answer.map_err(refused)? {
            let mut cells = Vec::new();
            for at in 0..row.len() {
                let bytes = row.try_get_unchecked::<Option<Vec<u8>>, _>(at).map_err(refused)?;
                cells.push(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned());
            }
            rows.push(cells);
        }
        Ok(rows)
    }

    /// The first value of the first row; the empty text if there is none.
    pub(super) async fn text(&mut self, sql: &str) -> Result<String> {
        let rows = self.rows(sql).await?;
        Ok(rows.into_iter().next().and_then(|row| row.into_iter().next()).unwrap_or_default())
    }

    pub(super) async fn close(self) {
        // The answers are read; a server that does not say goodbye changes nothing.
        let _ = self.connection.close().await;
    }
}

fn numbers(version: &str) -> [u32; 3] {
    let mut parts = version.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or(0));
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    #[test]
    fn versions_are_read() {
        assert_eq!(super::numbers("9.7.4-2"), [9, 7, 4]);
        assert_eq!(super::numbers("10.11.18-MariaDB-0+deb12u1"), [10, 11, 18]);
    }
}
