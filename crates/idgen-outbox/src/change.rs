//! Changes, and what becomes of them.

use std::time::SystemTime;

use rusqlite::Row;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::error::Result;

/// The effect of a change on its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The row gets these values. Columns that are not named keep theirs.
    Put,
    /// The row gets these values, and its other columns their defaults: it was deleted before, and the deletion may not have
    /// been sent.
    Replace,
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
    /// The changes of this row that this outbox knows, for the server, as it is: the highest number that it has given out before or that the
    /// server has named, and the marks of those that it gave out, such as `3 3:9F86D081884C7D65 4:A1B2C3D4E5F60718`. If the server has a
    /// change of the row that is not among them, this device was restored from a backup or copied: the server answers
    /// [`Older`](Outcome::Older) and changes nothing.
    pub known: String,
    /// [`Put`](Operation::Put) and [`Replace`](Operation::Replace) store the row, and [`Delete`](Operation::Delete) removes it.
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

/// A row of the outbox's table that cannot be read, such as one that a trigger wrote with a key that is no UUID in canonical text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The table.
    pub table: String,
    /// The key of the row, as it was written.
    pub row: String,
    /// The reason why it cannot be read.
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
    /// The most changes and bytes that the server states, if the device sends fewer: for rows that have to be sent together.
    pub most: Option<(usize, usize)>,
}

impl Limits {
    /// The reason why a change of this many bytes is refused.
    pub(crate) fn alone(&self, bytes: usize) -> String {
        format!("the change has {bytes} bytes, and the server takes at most {}", self.bytes)
    }

    /// The reason why changes that have to be sent together are refused; `None` if the server takes them.
    pub(crate) fn together(&self, changes: usize, bytes: usize) -> Option<String> {
        let (most_changes, most_bytes) = self.most.unwrap_or((self.changes, self.bytes));
        let (most_changes, most_bytes) = (most_changes.max(self.changes), most_bytes.max(self.bytes));
        (changes > most_changes || bytes > most_bytes).then(|| {
            format!(
                "it exchanges its values with other rows, {changes} changes of {bytes} bytes together, and the server takes at \
                 most {most_bytes} bytes and {most_changes} changes"
            )
        })
    }
}

impl Default for Limits {
    /// 500 changes and 500,000 bytes.
    fn default() -> Limits {
        Limits { changes: 500, bytes: 500_000, most: None }
    }
}

pub(crate) const COLUMNS: &str =
    "tbl, row, number, operation, columns, reason, needs_tbl, needs_row, wake, sent, given";

/// A change, or its row as one that cannot be read.
pub(crate) fn change(found: &Row<'_>) -> Result<std::result::Result<Change, Unreadable>> {
    let text = |at: usize| -> Result<String> {
        let bytes = found.get_ref(at)?.as_bytes().unwrap_or_default();
        Ok(String::from_utf8_lossy(bytes).into_owned())
    };
    let (table, key, operation, columns) = (text(0)?, text(1)?, text(3)?, text(4)?);
    let read = || {
        let row = Uuid::try_parse(&key).ok().filter(|row| row.to_string() == key);
        let row = row.ok_or("its key is no UUID in canonical text, of small letters")?;
        let Ok(Value::Object(columns)) = serde_json::from_str(&columns) else {
            return Err("its columns are no JSON object");
        };
        let operation = match operation.as_str() {
            "put" => Operation::Put,
            "replace" => Operation::Replace,
            "delete" => Operation::Delete,
            _ => return Err("its operation is none of put, replace and delete"),
        };
        let whole = |at: usize| found.get::<_, i64>(at).ok().and_then(|number| u64::try_from(number).ok());
        let (number, sent) = whole(2).zip(whole(9)).ok_or("its number is no whole number")?;
        let known = format!("{sent}{}", text(10).unwrap_or_default());
        Ok(Change { number, known, table: table.clone(), row, operation, columns })
    };
    Ok(read().map_err(|reason| Unreadable {
        table: table.clone(),
        row: key.clone(),
        reason: reason.to_owned(),
    }))
}
