//! Copies real rows into a temporary table with the columns and the indexes of the new one, and measures the `INSERT`. Reading, converting
//! and the work of indexes are in it; logs, locks and the pauses between chunks are not.

use std::time::{Duration, Instant};

use minijinja::context;
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor};

use super::execute::pooler;
use super::quote::name;
use super::settings;
use super::templates::{Templates, value};
use super::texts::TableText;
use crate::plan::data::Engine;
use idgen_database::{Error, Result};

/// Rows that are copied at the most.
pub(super) const ROWS: u64 = 5_000;

/// A session of its own, whose settings and temporary tables end with it.
pub(super) struct Trial {
    connection: MySqlConnection,
}

impl Trial {
    /// Connects to the server itself, and limits the time of a statement, on MySQL of those that only read.
    pub(super) async fn open(url: &str, engine: Engine, limit: Duration) -> Result<Trial> {
        let mut trial = Trial { connection: pooler::connect_to_server(url).await? };
        for statement in settings::clean(engine) {
            trial.execute(&statement.sql).await?;
        }
        trial.execute(&settings::limited(engine, limit)).await?;
        if trial.can_log_statements().await? {
            // Otherwise replicas would get the temporary table.
            trial.execute("SET SESSION binlog_format = 'ROW'").await?;
        }
        // The rows that are read are not locked.
        trial.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED").await?;
        Ok(trial)
    }

    async fn can_log_statements(&mut self) -> Result<bool> {
        let sql = "SELECT 1 FROM DUAL WHERE @@GLOBAL.log_bin AND @@SESSION.binlog_format <> 'ROW'";
        let row = self.connection.fetch_optional(sqlx::raw_sql(sql)).await;
        row.map(|row| row.is_some())
            .map_err(|error| Error::of("cannot read the format of the binary log", error))
    }

    /// Copies rows of a table, and returns how many there were, and how long that took. The temporary table hides no other one, since the names of a plan are its own.
    pub(super) async fn copy(
        &mut self,
        templates: &Templates,
        table: &TableText,
        rows: u64,
    ) -> Result<(u64, Duration)> {
        let trial = name(&table.new);
        let no_foreign: [(); 0] = [];
        let shape = templates.fill(
            "shadow.sql",
            context! { table => value(table), foreign => value(no_foreign), map => value(()) },
        )?;
        let columns: Vec<_> = table.columns.iter().map(|column| name(column)).collect();
        let insert = format!(
            "INSERT INTO {trial} ({}) SELECT {} FROM {} AS t ORDER BY t.{} LIMIT {rows}",
            columns.join(", "),
            table.read.join(", "),
            name(&table.now),
            name(table.first())
        );
        self.execute(&format!("CREATE TEMPORARY TABLE {trial} LIKE {}", name(&table.now))).await?;
        self.execute(&shape).await?;
        if !table.lax.is_empty() {
            self.execute(table.lax).await?;
        }
        let begin = Instant::now();
        let copied = self.execute(&insert).await?;
        let took = begin.elapsed();
        self.execute(&settings::strict()).await?;
        self.execute(&format!("DROP TEMPORARY TABLE {trial}")).await?;
        Ok((copied, took))
    }

    /// Executes a statement, and returns how many rows it changed.
    async fn execute(&mut self, sql: &str) -> Result<u64> {
        let done = self.connection.execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await;
        let refused = |error| Error::of(format!("the server refused \"{sql}\""), error);
        done.map(|done| done.rows_affected()).map_err(refused)
    }

    pub(super) async fn close(self) {
        // The answers are read; a server that does not say goodbye changes nothing.
        let _ = self.connection.close().await;
    }
}
