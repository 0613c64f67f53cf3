//! Copies real rows into a temporary table with the columns and the indexes of the new one, and measures the `INSERT`. Reading, converting
//! and the work of indexes are in it; logs, locks and the pauses between chunks are not.

use std::time::{Duration, Instant};

use minijinja::context;

use super::quote::name;
use super::session::Session;
use super::templates::{Templates, value};
use super::texts::TableText;
use idgen_database::{Error, Result};

/// Rows that are copied at the most.
pub(super) const ROWS: u64 = 5_000;

/// The temporary table hides no other one, since the names of a plan are its own.
pub(super) async fn copy(
    session: &mut Session,
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
    if session.text("SELECT @@GLOBAL.log_bin AND @@SESSION.binlog_format <> 'ROW'").await? == "1" {
        // Otherwise replicas would get the temporary table.
        session.execute("SET SESSION binlog_format = 'ROW'").await?;
    }
    session.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE").await?;
    session.execute(&format!("CREATE TEMPORARY TABLE {trial} LIKE {}", name(&table.now))).await?;
    let copied = fill(session, table, &shape, rows).await;
    session.execute(&format!("DROP TEMPORARY TABLE {trial}")).await?;
    session.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY").await?;
    copied
}

/// At READ COMMITTED, the rows that are read are not locked.
async fn fill(session: &mut Session, table: &TableText, shape: &str, rows: u64) -> Result<(u64, Duration)> {
    session.execute(shape).await?;
    let columns: Vec<_> = table.columns.iter().map(|column| name(column)).collect();
    let insert = format!(
        "INSERT INTO {} ({}) SELECT {} FROM {} AS t ORDER BY t.{} LIMIT {rows}",
        name(&table.new),
        columns.join(", "),
        table.read.join(", "),
        name(&table.now),
        name(table.first())
    );
    let begin = Instant::now();
    session.execute(&insert).await?;
    let took = begin.elapsed();
    let rows = session.text(&format!("SELECT COUNT(*) FROM {}", name(&table.new))).await?;
    let rows = rows.parse().map_err(|_| Error::new(format!("the server counted {rows:?} rows")))?;
    Ok((rows, took))
}
