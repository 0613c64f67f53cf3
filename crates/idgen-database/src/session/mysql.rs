//! MySQL and MariaDB: a hint or `SET STATEMENT` sets what a statement needs, for that statement only.

use std::time::Duration;

use sqlx::mysql::{MySqlConnection, MySqlDatabaseError, MySqlRow};
use sqlx::{AssertSqlSafe, Connection, Executor, Row};

use super::{Cell, Failure, Rows, server};
use crate::connect;
use crate::database::Database;
use crate::error::{Error, Result};

/// Begins the transaction of a statement. The isolation is that of this transaction only: with `SERIALIZABLE`, which a server may have
/// as its default, each read would lock its rows.
pub(super) const BEGIN: &str =
    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY; START TRANSACTION READ ONLY";

/// Whatever `completion_type` says.
const END: &str = "COMMIT AND NO CHAIN NO RELEASE";

/// Variables that a server may have set otherwise, and that would hide rows, or change or cut texts.
const CLEAN: [(&str, &str); 7] = [
    // A mode that concerns no statement here: a hint cannot hold an empty text.
    ("sql_mode", "'NO_ENGINE_SUBSTITUTION'"),
    ("max_join_size", "18446744073709551615"),
    ("sql_select_limit", "18446744073709551615"),
    ("sql_big_selects", "1"),
    ("sql_auto_is_null", "0"),
    ("time_zone", "'+00:00'"),
    ("group_concat_max_len", "1048576"),
];

/// Modes with which the server understands the text of a statement otherwise, so that a setting for the time of its execution comes too late.
const OTHERWISE: [&str; 7] = [
    "ORACLE",
    "EMPTY_STRING_IS_NULL",
    "ANSI_QUOTES",
    "PIPES_AS_CONCAT",
    "NO_BACKSLASH_ESCAPES",
    "HIGH_NOT_PRECEDENCE",
    "IGNORE_SPACE",
];

/// The mode in place of those. It is strict, so that it loses nobody's data should it stay in the session of a pooler.
const MODE: (&str, &str) = ("sql_mode", "'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'");

/// Names in the definitions that `SHOW` returns.
const QUOTED: (&str, &str) = ("sql_quote_show_create", "1");

/// Counters and statistics as they are now.
const FRESH: (&str, &str) = ("information_schema_stats_expiry", "0");

/// Without it, MySQL 8.0.30 and later may leave the primary keys that it made by itself out of the catalog and out of the definitions that `SHOW` returns. No
/// hint can set it.
const SHOWN: (&str, &str) = ("show_gipk_in_create_table_and_information_schema", "1");

pub(super) struct MySql {
    connection: MySqlConnection,
    /// True if the server has the variable [`SHOWN`]: MySQL since 8.0.30, and not MariaDB.
    can_hide_keys: bool,
    pub(super) database: Database,
    pub(super) version: String,
    /// Whether the next statement reads statistics and counters that are not a day old.
    reads_fresh: bool,
}

impl MySql {
    pub(super) async fn open(url: &str) -> Result<MySql> {
        let mut connection = connect::mysql(url).await?;
        // MySQL's hint: the server may have a limit that ends even this.
        let first = "SELECT /*+ MAX_EXECUTION_TIME(30000) */ VERSION(), @@SESSION.character_set_client, \
                     @@SESSION.character_set_results";
        let row = connection.fetch_one(sqlx::raw_sql(first)).await;
        let refused = |error| Error::of("cannot read the server's version", error);
        let first = cells(&row.map_err(refused)?).map_err(refused)?;
        let text = |at: usize| first.get(at).and_then(Cell::text).unwrap_or_default();
        for set in [text(1), text(2)] {
            // A text that a server converts loses the characters that its character set does not have.
            if !set.starts_with("utf8") {
                return Err(Error::new(format!(
                    "the session uses the character set {set}, although utf8mb4 was asked for: either init_connect of the server sets it, \
                     or this connection goes through a pooler (ProxySQL, RDS Proxy …): connect to the server itself, with a user \
                     for whom nothing is set"
                )));
            }
        }
        let database = Database::of_version(&text(0));
        let can_hide_keys = database == Database::MySql && has_variable(&mut connection, SHOWN.0).await?;
        Ok(MySql { connection, can_hide_keys, database, version: text(0), reads_fresh: false })
    }

    pub(super) fn read_fresh_statistics(&mut self) {
        self.reads_fresh = self.database == Database::MySql;
    }

    /// The statement with its limit of time and its settings, which end with it. MySQL knows hints for `SELECT` only.
    pub(super) fn limited(&self, sql: &str, limit: Duration) -> String {
        match (self.database, sql.strip_prefix("SELECT ")) {
            (Database::MariaDb, _) => {
                let clean = CLEAN.map(|(name, value)| format!("{name} = {value}")).join(", ");
                format!("SET STATEMENT max_statement_time = {}, {clean} FOR {sql}", limit.as_secs_f64())
            }
            (_, Some(rest)) => {
                let clean = CLEAN.map(|(name, value)| format!("SET_VAR({name} = {value})")).join(" ");
                format!("SELECT /*+ MAX_EXECUTION_TIME({}) {clean} */ {rest}", limit.as_millis())
            }
            (_, None) => sql.to_owned(),
        }
    }

    pub(super) async fn rows(&mut self, sql: &str, binds: &[Cell]) -> std::result::Result<Rows, Failure> {
        let shown = if self.can_hide_keys { format!("@@SESSION.{}", SHOWN.0) } else { "1".to_owned() };
        let begin = format!("{BEGIN}; SELECT /*+ MAX_EXECUTION_TIME(30000) */ @@SESSION.sql_mode, {shown}");
        let found = server::fetch::<sqlx::MySql>(&mut self.connection, &begin, &[]).await.map_err(failure)?;
        let found = found.first().map(cells).transpose().map_err(failure)?.unwrap_or_default();
        let found = |at: usize| found.get(at).and_then(Cell::text);
        let set = self.set_before(sql, found(0), found(1).as_deref() != Some("1"));
        // A statement with parameters is prepared, and so alone.
        let around = (binds.is_empty() && !set.is_empty()).then(|| around(&set));
        let text = around.as_ref().map(|[set, restore]| format!("{set}; {sql}; {restore}"));
        let text = text.as_deref().unwrap_or(sql);
        let answer = server::fetch::<sqlx::MySql>(&mut self.connection, text, binds).await;
        if let (Some([_, restore]), true) = (&around, answer.is_err()) {
            // The server executed nothing of the text after the statement that failed.
            self.execute(restore).await.map_err(failure)?;
        }
        self.execute(END).await.map_err(failure)?;
        answer.map_err(failure)?.iter().map(|row| cells(row).map_err(failure)).collect()
    }

    /// Variables that no hint in the statement can set in time, with the values that it needs.
    fn set_before(
        &mut self,
        sql: &str,
        mode: Option<String>,
        hides_keys: bool,
    ) -> Vec<(&'static str, &'static str)> {
        let is_shown = !sql.contains("SELECT ");
        let is_otherwise = mode.is_none_or(|mode| mode.split(',').any(|mode| OTHERWISE.contains(&mode)));
        let reads_catalog = is_shown || sql.contains("information_schema");
        let all = [
            (hides_keys && reads_catalog, SHOWN),
            (is_otherwise || is_shown, MODE),
            (is_shown, QUOTED),
            (std::mem::take(&mut self.reads_fresh), FRESH),
        ];
        all.into_iter().filter(|(is_needed, _)| *is_needed).map(|(_, variable)| variable).collect()
    }

    async fn execute(&mut self, sql: &str) -> sqlx::Result<()> {
        self.connection.execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await.map(drop)
    }

    pub(super) async fn close(self) {
        // The answers are read; a server that does not say goodbye changes nothing.
        let _ = self.connection.close().await;
    }
}

/// The statements that set and restore variables. They are in one text with the statement between them, which the server executes to its end, even
/// if the client is gone.
fn around(variables: &[(&str, &str)]) -> [String; 2] {
    let set = |(name, value): &(_, _)| format!("@idgen_{name} = @@SESSION.{name}, SESSION {name} = {value}");
    let restore = |(name, _): &(&str, _)| format!("SESSION {name} = @idgen_{name}, @idgen_{name} = NULL");
    [variables.iter().map(set).collect::<Vec<_>>(), variables.iter().map(restore).collect()]
        .map(|assignments| format!("SET {}", assignments.join(", ")))
}

/// A server that refuses to read a variable does not have it; that it is unknown is the only reason there is.
async fn has_variable(connection: &mut MySqlConnection, name: &str) -> Result<bool> {
    let sql = format!("SELECT /*+ MAX_EXECUTION_TIME(30000) */ @@SESSION.{name}");
    match connection.fetch_one(sqlx::raw_sql(AssertSqlSafe(sql))).await {
        Ok(_) => Ok(true),
        Err(error) if error.as_database_error().is_some() => Ok(false),
        Err(error) => Err(Error::of(format!("cannot read the variable {name}"), error)),
    }
}

fn failure(error: sqlx::Error) -> Failure {
    let number = error
        .as_database_error()
        .and_then(|error| error.try_downcast_ref::<MySqlDatabaseError>())
        .map(|error| error.number().to_string());
    // ER_QUERY_TIMEOUT of MySQL, ER_STATEMENT_TIMEOUT of MariaDB.
    let is_late = matches!(number.as_deref(), Some("3024" | "1969"));
    let failure = Failure::of(&error, &[]);
    Failure { is_late, code: number.unwrap_or(failure.code), message: failure.message }
}

fn cells(row: &MySqlRow) -> std::result::Result<Vec<Cell>, sqlx::Error> {
    (0..row.len())
        .map(|at| {
            let bytes = row.try_get_unchecked::<Option<Vec<u8>>, _>(at)?;
            Ok(bytes.map_or(Cell::Null, |bytes| Cell::Text(String::from_utf8_lossy(&bytes).into_owned())))
        })
        .collect()
}
