//! Finds out which figures a server shows and which it does not show. A server that the user names by URL may
//! show less.
//!
//! Nothing on the server is changed except a schema with a random name, which is dropped at the end. The server's
//! counters include the work of other clients.
//!
//! Sources: MySQL Reference Manual, sections InnoDB INFORMATION_SCHEMA Buffer Pool Tables, InnoDB
//! INFORMATION_SCHEMA Metrics Table, and The INFORMATION_SCHEMA TABLES Table; MariaDB documentation, the same.

use idgen_record::Database;
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::{doing, myrocks, run};
use crate::{Error, Result};

/// The lab does not list the pages of a larger pool, because listing them would itself be a load.
const MOST_LISTED_BYTES: u64 = 4 << 30;

/// The sources of figures that the lab can read on a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The tables are those of MyRocks, which have no pages.
    pub is_myrocks: bool,
    /// Copies of the tables' files, which show everything about their pages.
    pub files: bool,
    /// The list of the pages in the pool, which shows how full they are.
    pub pool_pages: bool,
    /// The counter of page splits.
    pub splits: bool,
    /// Reads and writes of the files of the tables and of the binary log, in the Performance Schema.
    pub file_counts: bool,
    /// Stored functions that change data are allowed.
    pub functions: bool,
    /// The figures that reports therefore lack: a sentence for each, which says why, and how to make the
    /// server show it.
    pub missing: Vec<String>,
}

impl Reach {
    /// The sources of a server that the lab started: all of them.
    pub fn everything() -> Self {
        Reach {
            is_myrocks: false,
            files: true,
            pool_pages: true,
            splits: true,
            file_counts: true,
            functions: true,
            missing: Vec::new(),
        }
    }

    /// The engine of the tables, as `CREATE TABLE` names it.
    pub fn engine(&self) -> &'static str {
        if self.is_myrocks { myrocks::NAME } else { "InnoDB" }
    }

    /// A server with MyRocks that the lab started: all its counters are there, and an LSM tree has no pages to show.
    pub fn of_own_myrocks() -> Self {
        Reach {
            is_myrocks: true,
            files: false,
            pool_pages: false,
            splits: false,
            file_counts: false,
            functions: true,
            missing: Vec::new(),
        }
    }

    /// Another server with MyRocks: its user may be refused stored functions.
    pub async fn of_myrocks(connection: &mut MySqlConnection) -> Self {
        Reach { functions: takes_functions(connection).await, ..Reach::of_own_myrocks() }
    }

    /// Finds out what the user may do, without changing anything.
    pub async fn of(connection: &mut MySqlConnection, database: Database, pool_bytes: u64) -> Self {
        let mut missing = vec![format!(
            "No leaf pages per 1,000 inserts and no maps of pages: they come from the tables' files, which are out of \
             reach on a server given by URL; --engine {} measures a server of the lab's own, and shows them.",
            if database == Database::MariaDb { "mariadb" } else { "mysql" }
        )];
        // Both servers show these only to users with PROCESS.
        let splits = "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'index_page_splits'";
        let enabled = match connection.fetch_optional(splits).await {
            Err(error) => {
                missing.push(format!("No page fill and no page splits: {}.", why_refused(&error)));
                None
            }
            Ok(_) => Some(is_enabled(connection).await),
        };
        let pool_pages = match enabled {
            None => false,
            Some(_) if pool_bytes > MOST_LISTED_BYTES => {
                missing.push(format!(
                    "No page fill: to list the pages of a buffer pool of {} GiB would be a load of its own; a server \
                     with at most {} GiB shows it.",
                    pool_bytes >> 30,
                    MOST_LISTED_BYTES >> 30
                ));
                false
            }
            Some(_) => true,
        };
        if enabled == Some(false) {
            missing.push(
                "No page splits: the counter index_page_splits is off, and nothing is changed on a server given by \
                 URL; SET GLOBAL innodb_monitor_enable = 'index_page_splits' turns it on."
                    .to_owned(),
            );
        }
        let functions = takes_functions(connection).await;
        Reach {
            is_myrocks: false,
            files: false,
            pool_pages,
            splits: enabled == Some(true),
            file_counts: false,
            functions,
            missing,
        }
    }
}

fn why_refused(error: &sqlx::Error) -> String {
    /// ER_SPECIFIC_ACCESS_DENIED_ERROR
    const NO_PRIVILEGE: u16 = 1227;
    let number = error
        .as_database_error()
        .and_then(|error| error.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>())
        .map(sqlx::mysql::MySqlDatabaseError::number);
    match number {
        Some(NO_PRIVILEGE) => {
            "the user lacks the privilege PROCESS, which GRANT PROCESS ON *.* TO that user gives".to_owned()
        }
        _ => format!("its list of InnoDB's counters cannot be read ({error})"),
    }
}

/// No user may make such functions if the server has a binary log and does not trust them, not even a user with all
/// privileges. Source: MySQL Reference Manual, Stored Program Binary Logging.
async fn takes_functions(connection: &mut MySqlConnection) -> bool {
    let sql = "SELECT CAST(@@GLOBAL.log_bin AND NOT @@GLOBAL.log_bin_trust_function_creators AS UNSIGNED)";
    let forbidden = connection.fetch_one(sql).await.and_then(|row| row.try_get::<u64, _>(0));
    // If the variables cannot be read, the statement that makes the function shows whether it is allowed.
    !forbidden.is_ok_and(|forbidden| forbidden != 0)
}

/// MySQL has a column STATUS for this, MariaDB a column ENABLED.
async fn is_enabled(connection: &mut MySqlConnection) -> bool {
    let sql = "SELECT * FROM information_schema.INNODB_METRICS WHERE NAME = 'index_page_splits'";
    let Ok(row) = connection.fetch_one(sql).await else { return false };
    let status = row.try_get_unchecked::<String, _>("STATUS").map(|status| status == "enabled");
    status.or_else(|_| row.try_get_unchecked::<i64, _>("ENABLED").map(|on| on != 0)).unwrap_or(false)
}

/// Reads the page fill of the pages of a table that lie in the pool, from 0 to 1. They include the few pages
/// above the leaves.
pub async fn fills(
    connection: &mut MySqlConnection,
    schema: &str,
    table: &str,
    page_bytes: u64,
) -> Result<Vec<f64>> {
    let sql = format!(
        "SELECT CAST(DATA_SIZE AS UNSIGNED) FROM information_schema.INNODB_BUFFER_PAGE \
         WHERE PAGE_TYPE = 'INDEX' AND NUMBER_RECORDS > 0 AND TABLE_NAME = '`{schema}`.`{table}`'"
    );
    let failed = doing("list the pages in the pool");
    let rows = connection.fetch_all(AssertSqlSafe(sql)).await.map_err(&failed)?;
    rows.iter()
        .map(|row| Ok(row.try_get_unchecked::<u64, _>(0).map_err(&failed)? as f64 / page_bytes as f64))
        .collect()
}

/// Bytes that the server has allocated to a table and its indexes: whole extents, including their free pages.
pub async fn table_bytes(connection: &mut MySqlConnection, table: &str) -> Result<u64> {
    let failed = doing("ask for the size of a table");
    // Both statements return rows.
    connection
        .fetch_all(AssertSqlSafe(format!("ANALYZE NO_WRITE_TO_BINLOG TABLE {table}")))
        .await
        .map_err(&failed)?;
    let sql = format!(
        "SELECT CAST(DATA_LENGTH + INDEX_LENGTH AS UNSIGNED) FROM information_schema.TABLES \
         WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{table}'"
    );
    let row = connection.fetch_one(AssertSqlSafe(sql)).await.map_err(&failed)?;
    row.try_get(0).map_err(&failed)
}

/// Makes MySQL read such sizes anew: by default it caches them for a day. MariaDB has no such cache and no
/// such variable.
pub async fn forget_sizes(connection: &mut MySqlConnection, is_mysql: bool) -> Result<()> {
    if is_mysql {
        run(connection, "SET SESSION information_schema_stats_expiry = 0").await?;
    }
    Ok(())
}

/// The value of a setting that is a whole number.
pub fn number(settings: &std::collections::BTreeMap<String, String>, name: &str) -> Result<u64> {
    let value = settings.get(name).map_or("", String::as_str);
    value.parse().map_err(|error| Error::engine(format!("the server's {name} is \"{value}\""), error))
}
