//! A session that only reads, limits the time of its statements, and leaves nothing behind.
//!
//! A pooler may give the connection of the server to another client after each transaction. So each statement has a read-only
//! transaction of its own, and whatever it needs set is set in a way that ends with the statement or the transaction.

mod mysql;
mod postgres;
mod server;
mod sqlite;

use std::time::Duration;

use serde::Serialize;

use crate::database::Database;
use crate::error::{Error, Result};
use crate::url::DatabaseUrl;

/// A value of an answer. Servers send text; only SQLite has values of other types.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// `NULL`.
    Null,
    /// A text, or any value of a server as text.
    Text(String),
    /// An integer of SQLite.
    Int(i64),
    /// Bytes of SQLite.
    Bytes(Vec<u8>),
}

impl Cell {
    /// Returns the value as text; `None` for `NULL` and for bytes.
    ///
    /// ```
    /// use idgen_database::Cell;
    ///
    /// assert_eq!(Cell::Int(7).text().as_deref(), Some("7"));
    /// assert_eq!(Cell::Null.text(), None);
    /// ```
    pub fn text(&self) -> Option<String> {
        match self {
            Cell::Text(text) => Some(text.clone()),
            Cell::Int(number) => Some(number.to_string()),
            Cell::Null | Cell::Bytes(_) => None,
        }
    }

    /// Returns the values of a row as texts; `NULL` and bytes are empty.
    ///
    /// ```
    /// use idgen_database::Cell;
    ///
    /// assert_eq!(Cell::texts(&[Cell::Int(7), Cell::Null]), ["7", ""]);
    /// ```
    pub fn texts(row: &[Cell]) -> Vec<String> {
        row.iter().map(|cell| cell.text().unwrap_or_default()).collect()
    }
}

/// An answer, one list of cells for each row.
pub type Rows = Vec<Vec<Cell>>;

/// A statement that a session executed.
#[derive(Clone, Debug, Serialize)]
pub struct Statement {
    /// The reason for it, in a few words.
    pub purpose: String,
    /// Its text. Values are parameters, and do not appear.
    pub sql: String,
}

/// The limits of a session, and the name under which others see it.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The longest time that a statement may take. The server ends one that takes longer.
    pub statement_time: Duration,
    /// Set it if errors may repeat messages of the server, which can contain values of rows.
    pub show_values: bool,
    /// The name of the program in PostgreSQL's list of sessions.
    pub program: &'static str,
    /// Settings of PostgreSQL in addition to those of each session, for the time of a transaction.
    pub settings: &'static [(&'static str, &'static str)],
}

enum Driver {
    MySql(mysql::MySql),
    Postgres(postgres::Postgres),
    Sqlite(sqlite::Sqlite),
}

/// A connection to one database.
pub struct Session {
    driver: Driver,
    /// The database software.
    pub engine: Database,
    /// The version, as the server or the library reports it.
    pub version: String,
    /// The statements so far, in their order.
    pub statements: Vec<Statement>,
    statement_time: Duration,
    show_values: bool,
}

/// The reason why a statement had no answer.
#[derive(Debug)]
pub struct Refused {
    /// A sentence for people.
    pub why: String,
    /// True if the server ended the statement at [`Limits::statement_time`].
    pub is_late: bool,
}

impl Session {
    /// Connects, and finds out which database it is.
    ///
    /// # Errors
    ///
    /// The URL is of no known database, the time limit is below a millisecond, the server is not reached within 30 seconds or refuses the
    /// connection, or it goes through a pooler whose sessions use another character set.
    pub async fn open(url: &str, limits: &Limits) -> Result<Session> {
        let limit = limits.statement_time;
        if limit < Duration::from_millis(1) {
            return Err(Error::new("the time limit of a statement is 0: choose a millisecond or more"));
        }
        let (driver, engine, version, begin) = match DatabaseUrl::parse(url)? {
            DatabaseUrl::MySql(url) => {
                let driver = mysql::MySql::open(&url).await?;
                let (engine, version) = (driver.database, driver.version.clone());
                (Driver::MySql(driver), engine, version, mysql::BEGIN.to_owned())
            }
            DatabaseUrl::Postgres(url) => {
                let driver = postgres::Postgres::open(&url, limits).await?;
                let (version, begin) = (driver.version.clone(), driver.begin(limit));
                (Driver::Postgres(driver), Database::Postgres, version, begin)
            }
            DatabaseUrl::Sqlite(path) => {
                let driver = sqlite::Sqlite::open(&path, limit)?;
                let begin = sqlite::READ_ONLY.to_owned();
                (Driver::Sqlite(driver), Database::Sqlite, sqlite::version(), begin)
            }
        };
        let purpose = match engine {
            Database::Sqlite => "makes the connection read only",
            _ => "begins the transaction of each statement below, which only reads; all settings end with it",
        };
        let statements = vec![Statement { purpose: purpose.to_owned(), sql: begin }];
        let (statement_time, show_values) = (limit, limits.show_values);
        Ok(Session { driver, engine, version, statements, statement_time, show_values })
    }

    /// Limits the time of the next statements.
    ///
    /// # Errors
    ///
    /// SQLite refuses the limit of a wait for a lock.
    pub fn limit(&mut self, limit: Duration) -> Result<()> {
        if let Driver::Sqlite(driver) = &mut self.driver {
            driver.limit(limit)?;
        }
        self.statement_time = limit;
        Ok(())
    }

    /// Executes a statement in a transaction that only reads; texts replace its parameters. Columns of servers must be texts.
    ///
    /// # Errors
    ///
    /// The server refuses it, or it takes longer than its limit. The session can be used again afterward, unless the server did not answer
    /// for longer than twice the limit.
    pub async fn rows(
        &mut self,
        purpose: &str,
        sql: &str,
        binds: &[Cell],
    ) -> std::result::Result<Rows, Refused> {
        let limit = self.statement_time;
        let sql = match &self.driver {
            Driver::MySql(driver) => driver.limited(sql, limit),
            Driver::Postgres(_) | Driver::Sqlite(_) => sql.to_owned(),
        };
        self.statements.push(Statement { purpose: purpose.to_owned(), sql: sql.clone() });
        // The server ends a late statement. If it does not, the connection is useless afterward.
        let deadline = limit * 2 + Duration::from_secs(5);
        let answer = match &mut self.driver {
            Driver::MySql(driver) => tokio::time::timeout(deadline, driver.rows(&sql, binds)).await,
            Driver::Postgres(driver) => tokio::time::timeout(deadline, driver.rows(&sql, binds, limit)).await,
            Driver::Sqlite(driver) => Ok(driver.rows(&sql, binds)),
        };
        match answer {
            Ok(Ok(rows)) => Ok(rows),
            Ok(Err(failure)) => Err(Refused {
                is_late: failure.is_late,
                why: match (failure.is_late, self.show_values) {
                    (true, _) => format!("it took longer than {limit:?}, the limit of a statement"),
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
                why: format!("the server did not answer within {deadline:?}, although it was told to"),
            }),
        }
    }

    /// Like `rows`, for statements about the catalog, without which nothing can be said of a database.
    ///
    /// # Errors
    ///
    /// As for `rows`, with `purpose` in the message.
    pub async fn catalog(&mut self, purpose: &str, sql: &str) -> Result<Rows> {
        self.rows(purpose, sql, &[]).await.map_err(|refused| {
            let advice = if refused.is_late { "; allow more with --statement-seconds" } else { "" };
            Error::new(format!("cannot read the catalog ({purpose}): {}{advice}", refused.why))
        })
    }

    /// Lets the next statement, which has no parameters, read the counters and the statistics of tables as they are now. MySQL shows those of up to
    /// a day ago otherwise.
    pub fn read_fresh_statistics(&mut self) {
        if let Driver::MySql(driver) = &mut self.driver {
            driver.read_fresh_statistics();
        }
    }

    /// The collation of a column of SQLite, which only the library tells.
    pub fn sqlite_collation(&self, table: &str, column: &str) -> Option<String> {
        match &self.driver {
            Driver::Sqlite(driver) => driver.collation(table, column),
            Driver::MySql(_) | Driver::Postgres(_) => None,
        }
    }

    /// Ends the connection.
    pub async fn close(self) {
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
#[derive(Debug)]
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
