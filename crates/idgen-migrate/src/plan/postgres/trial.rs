//! Copies real rows into a temporary table, and measures the `UPDATE` that fills the new columns, as the plan's copy does, and
//! the new indexes. The log, triggers and the pauses between chunks are not in it.

use std::time::{Duration, Instant};

use minijinja::context;
use minijinja::value::Serde;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, Executor};

use super::catalog::{Catalog, Table};
use super::change::{Change, TableChange};
use super::execute::connect;
use super::render::Templates;
use super::settings;
use crate::plan::data::Statement;
use crate::plan::duration::{in_words, of_trial, rows_of_trial, seconds_of_all};
use crate::plan::options::Options;
use idgen_database::{Error, Result};

/// Rows of each table that are copied at the most.
const ROWS: u64 = 20_000;

/// The statements of the template that fill the new columns, and that build indexes after it.
const FILL: usize = 3;
const INDEXES: usize = 4;

/// The durations of the trials of all tables, multiplied by how many more rows each table has.
#[derive(Debug, Default)]
pub(super) struct Trial {
    rows: u64,
    took: Duration,
    /// Seconds for all rows of all tables.
    filling: f64,
    indexes: f64,
}

/// Runs it for each table.
pub(super) async fn run(
    url: &str,
    options: &Options,
    templates: &Templates,
    change: &Change,
    catalog: &Catalog,
) -> Result<Trial> {
    let mut connection = connect(url).await?;
    let begin = format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {}",
        settings::of_transaction(options.statement_time.as_millis())
    );
    let mut trial = Trial::default();
    for table in &change.tables {
        let (known, bytes) = size_of(catalog, table);
        let rows = rows_of_trial(ROWS, known, bytes);
        let statements = templates
            .render("trial.sql", context! { p => Serde(change), t => Serde(table), rows => rows })?
            .statements;
        let done = rehearse(&mut connection, &begin, &statements).await?;
        let (rows, took) = done[FILL];
        trial.rows += rows;
        trial.took += took;
        trial.filling += seconds_of_all(took, rows, known);
        trial.indexes +=
            done[INDEXES..].iter().map(|(_, took)| seconds_of_all(*took, rows, known)).sum::<f64>();
    }
    // The answers are read; a server that does not say goodbye changes nothing.
    let _ = connection.close().await;
    Ok(trial)
}

/// Executes statements in one transaction that is rolled back, and returns how many rows each changed and how long it took. Its temporary tables and
/// settings end with it, also behind a pooler.
async fn rehearse(
    connection: &mut PgConnection,
    begin: &str,
    statements: &[Statement],
) -> Result<Vec<(u64, Duration)>> {
    let mut all = Vec::new();
    let mut refused = None;
    for sql in [begin].into_iter().chain(statements.iter().map(|statement| statement.sql.as_str())) {
        let started = Instant::now();
        match connection.execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await {
            Ok(done) => all.push((done.rows_affected(), started.elapsed())),
            Err(error) => {
                refused = Some(Error::of(format!("the server refused \"{sql}\""), error));
                break;
            }
        }
    }
    let ended = connection.execute(sqlx::raw_sql("ROLLBACK")).await;
    ended.map_err(|error| Error::of("cannot roll back", error))?;
    refused.map_or_else(|| Ok(all.split_off(1)), Err)
}

/// The rows and the bytes of a table, as the server estimates.
fn size_of(catalog: &Catalog, table: &TableChange) -> (u64, u64) {
    let is_it = |found: &&Table| (&found.schema, &found.name) == (&table.schema, &table.name);
    let found = catalog.tables.iter().find(is_it);
    found.map_or((0, 0), |table| (table.rows.max(0) as u64, table.bytes.max(0) as u64))
}

impl Trial {
    /// Describes the time of a step; `None` if it does not depend on the rows.
    pub(super) fn shown(&self, step: &str) -> Option<String> {
        match step {
            "backfill" => Some(of_trial(self.rows, self.took, self.filling)),
            "indexes" => {
                Some(format!("about {} alone, by the indexes of the same rows", in_words(self.indexes)))
            }
            _ => None,
        }
    }
}
