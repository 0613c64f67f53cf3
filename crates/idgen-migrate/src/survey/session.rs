//! A connection that only reads: statements with a time limit, and a list of what was executed.

mod mysql;
mod postgres;
mod server;
mod sqlite;

use std::time::Duration;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::survey::options::Options;

/// Which database software.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// MySQL.
    MySql,
    /// MariaDB.
    MariaDb,
    /// PostgreSQL.
    Postgres,
    /// SQLite.
    Sqlite,
}

impl Engine {
    /// Whether it speaks the SQL of MySQL.
    pub(crate) fn is_mysql(self) -> bool {
        matches!(self, Engine::MySql | Engine::MariaDb)
    }

    /// The name as its makers write it.
    ///
    /// ```
    /// assert_eq!(idgen_migrate::survey::Engine::Postgres.name(), "PostgreSQL");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Engine::MySql => "MySQL",
            Engine::MariaDb => "MariaDB",
            Engine::Postgres => "PostgreSQL",
            Engine::Sqlite => "SQLite",
        }
    }
}

/// A value of an answer. Servers send text; only SQLite has values of other types.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Null,
    Text(String),
    Int(i64),
    Bytes(Vec<u8>),
}

impl Cell {
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Cell::Text(text) => Some(text.clone()),
            Cell::Int(number) => Some(number.to_string()),
            Cell::Null | Cell::Bytes(_) => None,
        }
    }
}

/// An answer, one list of cells for each row.
pub(crate) type Rows = Vec<Vec<Cell>>;

/// A statement that the survey executed.
#[derive(Clone, Debug, Serialize)]
pub struct Statement {
    /// What it is for.
    pub purpose: String,
    /// Its text. Values are parameters, and do not appear.
    pub sql: String,
}

enum Driver {
    MySql(mysql::MySql),
    Postgres(postgres::Postgres),
    Sqlite(sqlite::Sqlite),
}

/// So many times as long as others may statements about the catalog take: there are a dozen of them, and on a server with many
/// tables they take seconds.
const CATALOG_TIMES: u32 = 12;

/// A connection to one database.
pub(crate) struct Session {
    driver: Driver,
    pub(crate) engine: Engine,
    pub(crate) version: String,
    pub(crate) statements: Vec<Statement>,
    statement_time: Duration,
    show_values: bool,
}

/// Why a statement had no answer.
pub(crate) struct Refused {
    pub(crate) why: String,
    pub(crate) is_late: bool,
}

impl Session {
    pub(crate) async fn open(url: &str, options: &Options) -> Result<Session> {
        let limit = options.statement_time * CATALOG_TIMES;
        if options.statement_time < Duration::from_millis(1) {
            return Err(Error::new("the time limit of a statement is 0: choose a millisecond or more"));
        }
        let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        let (driver, engine, version, setup) = match scheme.as_deref() {
            Some("mysql" | "mariadb") => {
                let (driver, engine, version, setup) = mysql::MySql::open(url, limit).await?;
                (Driver::MySql(driver), engine, version, setup)
            }
            Some("postgres" | "postgresql") => {
                let (driver, version, setup) = postgres::Postgres::open(url, limit).await?;
                (Driver::Postgres(driver), Engine::Postgres, version, setup)
            }
            Some("sqlite" | "file") | None => {
                let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("file://"));
                let path = path.or_else(|| url.strip_prefix("sqlite:"));
                // A mistyped URL can hold a password, which an error about a file would show.
                if path.is_none() && url.contains('@') && !std::path::Path::new(url).exists() {
                    return Err(Error::new(
                        "this is neither a URL nor the path of a file: write mysql://user:password@host:port/schema, \
                         postgres://user:password@host:port/database, or sqlite: and the path of a file",
                    ));
                }
                let path = path.unwrap_or(url);
                let driver = sqlite::Sqlite::open(path, limit)?;
                let setup = vec![sqlite::READ_ONLY.to_owned()];
                (Driver::Sqlite(driver), Engine::Sqlite, sqlite::version(), setup)
            }
            Some(other) => {
                return Err(Error::new(format!(
                    "a URL that begins with {other}:// is of no known database: use mysql://, mariadb://, \
                     postgres:// or sqlite:"
                )));
            }
        };
        let purpose = "makes the session read only, and limits the time of its statements";
        let statements =
            setup.into_iter().map(|sql| Statement { purpose: purpose.to_owned(), sql }).collect();
        Ok(Session {
            driver,
            engine,
            version,
            statements,
            statement_time: limit,
            show_values: options.show_values,
        })
    }

    /// Limits the next statements, which read rows, to the time that the caller chose.
    pub(crate) async fn begin_rows(&mut self, limit: Duration) -> Result<()> {
        let sql = match &mut self.driver {
            Driver::Sqlite(driver) => {
                driver.limit(limit)?;
                None
            }
            Driver::MySql(_) => Some(mysql::limit(self.engine, limit)),
            Driver::Postgres(_) => Some(postgres::limit(limit)),
        };
        self.statement_time = limit;
        let Some(sql) = sql else { return Ok(()) };
        let refused = |refused: Refused| Error::new(format!("the server refused \"{sql}\": {}", refused.why));
        self.rows("limits the time of statements that read rows", &sql, &[]).await.map(drop).map_err(refused)
    }

    /// Executes a statement; texts replace its parameters. Columns of servers must be texts.
    pub(crate) async fn rows(
        &mut self,
        purpose: &str,
        sql: &str,
        binds: &[Cell],
    ) -> std::result::Result<Rows, Refused> {
        self.statements.push(Statement { purpose: purpose.to_owned(), sql: sql.to_owned() });
        // The server ends a late statement. If it does not, the connection is useless afterward.
        let patient = self.statement_time * 2 + Duration::from_secs(5);
        let answer = match &mut self.driver {
            Driver::MySql(driver) => tokio::time::timeout(patient, driver.rows(sql, binds)).await,
            Driver::Postgres(driver) => tokio::time::timeout(patient, driver.rows(sql, binds)).await,
            Driver::Sqlite(driver) => Ok(driver.rows(sql, binds)),
        };
        match answer {
            Ok(Ok(rows)) => Ok(rows),
            Ok(Err(failure)) => Err(Refused {
                is_late: failure.is_late,
                why: match (failure.is_late, self.show_values) {
                    (true, _) => {
                        format!("it took longer than {:?}, the limit of a statement", self.statement_time)
                    }
                    _ if DENIED.contains(&failure.code.as_str()) => {
                        "this user may not read all of its columns: that needs SELECT on it".to_owned()
                    }
                    // The message may contain a value.
                    (false, false) => format!("error {} of the database", failure.code),
                    (false, true) => failure.message,
                },
            }),
            Err(_) => Err(Refused {
                is_late: true,
                why: format!("the server did not answer within {patient:?}, although it was told to"),
            }),
        }
    }

    /// The same for statements about the catalog, without which there is no survey.
    pub(crate) async fn catalog(&mut self, purpose: &str, sql: &str) -> Result<Rows> {
        self.rows(purpose, sql, &[]).await.map_err(|refused| {
            let advice = if refused.is_late { "; allow more with --statement-seconds" } else { "" };
            Error::new(format!("cannot read the catalog ({purpose}): {}{advice}", refused.why))
        })
    }

    /// The collation of a column of SQLite, which only the library tells.
    pub(crate) fn sqlite_collation(&self, table: &str, column: &str) -> Option<String> {
        match &self.driver {
            Driver::Sqlite(driver) => driver.collation(table, column),
            Driver::MySql(_) | Driver::Postgres(_) => None,
        }
    }

    /// Ends the connection.
    pub(crate) async fn close(self) {
        match self.driver {
            Driver::MySql(driver) => driver.close().await,
            Driver::Postgres(driver) => driver.close().await,
            Driver::Sqlite(_) => {}
        }
    }
}

/// The codes of errors about a missing privilege on a table or a column, of MySQL and MariaDB and of PostgreSQL.
const DENIED: [&str; 3] = ["1142", "1143", "42501"];

/// An error of a statement.
struct Failure {
    code: String,
    message: String,
    is_late: bool,
}

impl Failure {
    /// `late` are the codes of statements that the server ended because of their time.
    fn of(error: &sqlx::Error, late: &[&str]) -> Failure {
        let code = match error.as_database_error() {
            Some(error) => error.code().map_or("without a code".to_owned(), |code| code.into_owned()),
            None => "of the connection".to_owned(),
        };
        Failure { is_late: late.contains(&code.as_str()), code, message: error.to_string() }
    }
}
