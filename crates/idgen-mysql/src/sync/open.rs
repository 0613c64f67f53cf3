//! References to rows that have not arrived.

use std::time::Duration;

use sqlx::mysql::MySqlRow;
use uuid::Uuid;

use crate::call::observe;
use crate::error::failure::Attempt;
use crate::error::{Error, Result};
use crate::statement::values::{Values, number_at};
use crate::sync::Sync;

/// A reference to a row that has not arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenReference {
    /// The table of the row that refers.
    pub table: String,
    /// The row that refers, and its integer.
    pub row: (Uuid, u64),
    /// The column that refers.
    pub column: String,
    /// The table of the row that has not arrived.
    pub target_table: String,
    /// The row that has not arrived, and its integer.
    pub target: (Uuid, u64),
    /// The time for which the reference has been open, by the clock of the database server.
    pub age: Duration,
}

impl Sync {
    /// The references to rows that have not arrived, the oldest first, at most `limit`. Old ones point at rows that were
    /// refused, or at a device that has not sent its rows.
    ///
    /// # Errors
    /// The server fails for longer than the [timeout](crate::Builder::timeout).
    pub async fn open_references(&self, limit: usize) -> Result<Vec<OpenReference>> {
        const ACTION: &str = "list open references";
        let context = self.map.context().await?;
        let (open, map) = (&self.names.open, &context.tables.map);
        let statement = format!(
            "SELECT o.tbl, o.id, o.col, o.target, o.target_id, CAST(UNIX_TIMESTAMP() AS SIGNED) - CAST(o.since AS SIGNED), r.uuid, t.uuid \
             FROM {open} o JOIN {map} r ON r.id = o.id JOIN {map} t ON t.id = o.target_id \
             ORDER BY o.since, o.tbl, o.id, o.col LIMIT {limit}"
        );
        let rows = context.read_rows(ACTION, &statement).await?;
        let open: Attempt<Vec<OpenReference>> = rows.iter().map(reference).collect();
        let open = open.map_err(Error::once(ACTION))?;
        observe::open_references(open.len());
        Ok(open)
    }
}

fn reference(row: &MySqlRow) -> Attempt<OpenReference> {
    let text = |at: usize| -> Attempt<String> { Ok(row.text(at)?.unwrap_or_default()) };
    let age: i64 = sqlx::Row::try_get(row, 5)?;
    Ok(OpenReference {
        table: text(0)?,
        row: (row.uuid(6)?, number_at(row, 1)?),
        column: text(2)?,
        target_table: text(3)?,
        target: (row.uuid(7)?, number_at(row, 4)?),
        // The clock of the server may have been set back.
        age: Duration::from_secs(u64::try_from(age).unwrap_or(0)),
    })
}
