//! Changes, and what becomes of them.

use std::time::SystemTime;

use rusqlite::Row;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::error::{Error, Result};

/// The effect of a change on its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The row gets these values.
    Put,
    /// The row is deleted.
    Delete,
}

/// A change to be sent: the whole state of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The table.
    pub table: String,
    /// The row's UUID.
    pub row: Uuid,
    /// The number of the change, which ascends with each change of the row.
    pub number: u64,
    /// [`Put`](Operation::Put) stores the row, and [`Delete`](Operation::Delete) removes it.
    pub operation: Operation,
    /// All columns of the row; none if it is deleted.
    pub columns: Map<String, Value>,
}

/// The server's answer for a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The server has the change.
    Applied,
    /// The server has a newer change of the row, with this number.
    Older(u64),
    /// The change refers to a row that has not arrived.
    Waits {
        /// The reason, for people.
        reason: String,
        /// The table of the row that it waits for.
        table: String,
        /// The row that it waits for.
        row: Uuid,
    },
    /// Another row blocks the change.
    Blocked {
        /// The reason, for people.
        reason: String,
        /// The table of the row that blocks the change.
        table: String,
        /// The row that blocks the change.
        row: Uuid,
        /// The number of its newest change that the server has.
        number: u64,
    },
    /// The server refuses the change, for this reason.
    Refused(String),
}

/// A change that the server has refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The change.
    pub change: Change,
    /// The reason why it was refused.
    pub reason: String,
}

/// A change that waits for another row.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// The change.
    pub change: Change,
    /// The reason why it waits.
    pub reason: String,
    /// The table and the UUID of the row that it waits for.
    pub needs: (String, Uuid),
    /// The time at which it is sent again, unless the row that it waits for is applied before.
    pub until: SystemTime,
}

/// The most that a server accepts at once, as its answers state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most changes of a batch.
    pub changes: usize,
    /// The most bytes of a batch as JSON, before it is compressed.
    pub bytes: usize,
}

impl Default for Limits {
    /// 500 changes and 500,000 bytes.
    fn default() -> Limits {
        Limits { changes: 500, bytes: 500_000 }
    }
}

pub(crate) const COLUMNS: &str = "tbl, row, number, operation, columns, reason, needs_tbl, needs_row, wake";

pub(crate) fn change(row: &Row<'_>) -> Result<Change> {
    let (table, uuid, number): (String, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let (operation, columns): (String, String) = (row.get(3)?, row.get(4)?);
    let damaged =
        |what: &str| Error::damaged(format!("{what} of the row {uuid:?} of {table:?} cannot be read"));
    let Ok(Value::Object(columns)) = serde_json::from_str(&columns) else { return Err(damaged("columns")) };
    let row = Uuid::try_parse(&uuid).map_err(|_| damaged("the UUID"))?;
    let operation = match operation.as_str() {
        "put" => Operation::Put,
        "delete" => Operation::Delete,
        _ => return Err(damaged("the operation")),
    };
    Ok(Change {
        number: u64::try_from(number).map_err(|_| damaged("the number"))?,
        table,
        row,
        operation,
        columns,
    })
}
