//! MySQL and MariaDB: a hint or `SET STATEMENT` sets what a statement needs, for that statement only.

use std::time::Duration;

use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlDatabaseError, MySqlRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Row};

use super::{Cell, Failure, Rows, server};
use crate::database::Database;
use crate::error::{Error, Result};

/// Begins the transaction of a statement. The isolation is that of this transaction only: with `SERIALIZABLE`, which a server may have
/// as its default, each read would lock its rows.
pub(super) const BEGIN: &str =
    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY; START TRANSACTION READ ONLY";

/// Whatever `completion_type` says.
const END: &str = "COMMIT AND NO CHAIN NO RELEASE";

/// What a server may have set otherwise, and what would hide rows or change texts.
const CLEAN: [(&str, &str); 6] = [
    // A mode that concerns no statement here: a hint cannot hold an empty text.
    ("sql_mode", "'NO_ENGINE_SUBSTITUTION'"),
    ("max_join_size", "18446744073709551615"),
    ("sql_select_limit", "18446744073709551615"),
    ("sql_big_selects", "1"),
    ("sql_auto_is_null", "0"),
    ("time_zone", "'+00:00'"),
];

/// No hint can set this, so it is set and restored in one text with the statement.
const FRESH: [&str; 2] = [
    "SET @idgen_kept = @@SESSION.information_schema_stats_expiry, SESSION information_schema_stats_expiry = 0",
    "SET SESSION information_schema_stats_expiry = @idgen_kept, @idgen_kept = NULL",
];

pub(super) struct MySql {
    connection: MySqlConnection,
    pub(super) database: Database,
    pub(super) version: String,
    /// Whether the next statement reads statistics and counters that are not a day old.
    reads_fresh: bool,
}

impl MySql {
    pub(super) async fn open(url: &str) -> Result<MySql> {
        // The driver would set all of these for the session.
        let options = url
            .parse::<MySqlConnectOptions>()
            .map_err(|_| {
                Error::new("cannot understand the URL: write mysql://user:password@host:port/schema")
            })?
            .disable_statement_logging()
            .pipes_as_concat(false)
            .no_engine_substitution(false)
            .timezone(None)
            .set_names(false);
        let mut connection = server::connect(MySqlConnection::connect_with(&options)).await?;
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
        Ok(MySql { connection, database, version: text(0), reads_fresh: false })
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
        self.execute(BEGIN).await.map_err(failure)?;
        let reads_fresh = std::mem::take(&mut self.reads_fresh);
        let answer = if reads_fresh {
            let [set, restore] = FRESH;
            let sql = format!("{set}; {sql}; {restore}");
            server::fetch::<sqlx::MySql>(&mut self.connection, &sql, binds).await
        } else {
            server::fetch::<sqlx::MySql>(&mut self.connection, sql, binds).await
        };
        if reads_fresh && answer.is_err() {
            // The server executed nothing of the text after the statement that failed.
            self.execute(FRESH[1]).await.map_err(failure)?;
        }
        self.execute(END).await.map_err(failure)?;
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
