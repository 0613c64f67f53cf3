//! The outbox: one row of its table for each row that the device has changed.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::change::{COLUMNS, Change, Limits, Refused, Waiting, change};
use crate::error::{Error, Result};
use crate::states;

/// The outbox in a database of the app.
///
/// Its table has one row for each row that was ever changed, with its newest state and number: ten changes of a row are sent as
/// one. The number and the state stay after the server has them, so that a later change continues both.
///
/// `tests/vectors/outbox.json` of the repository has the transitions of its states as a list of steps.
#[derive(Clone, Copy, Debug)]
pub struct Outbox(());

/// More bytes than a change has as JSON beside its table's name and its columns.
const BESIDE: usize = 128;

impl Outbox {
    /// Creates the table if it is missing.
    ///
    /// # Errors
    /// SQLite refuses the schema.
    pub fn open(database: &Connection) -> Result<Outbox> {
        database.execute_batch(include_str!("schema.sql"))?;
        Ok(Outbox(()))
    }

    /// Records that a row was inserted or updated, in the transaction that does so. Columns that are not named keep the
    /// values that were recorded before. A refused row is sent again.
    ///
    /// Values are texts, numbers, booleans and null. A column that refers to another row has the canonical text of its UUID.
    /// Returns the number of the change.
    ///
    /// # Errors
    /// The connection is in no transaction, a value is an array or an object, or a name has other characters than letters,
    /// digits and underscores.
    pub fn put<'c>(
        &self,
        transaction: &Connection,
        table: &str,
        row: Uuid,
        columns: impl IntoIterator<Item = (&'c str, Value)>,
    ) -> Result<u64> {
        refuse_autocommit(transaction)?;
        let mut state = match self.find(transaction, table, row)? {
            Some(found) => found.columns,
            None => Map::new(),
        };
        for (column, value) in columns {
            if column.is_empty() || !column.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                return Err(Error::misuse(format!(
                    "{column:?} cannot be a column of {table}: use letters, digits and underscores"
                )));
            }
            if value.is_array() || value.is_object() {
                return Err(Error::misuse(format!(
                    "the column {column:?} of {table} cannot be {value}: use a text, a number, a boolean or null"
                )));
            }
            state.insert(column.to_owned(), value);
        }
        states::write(transaction, table, row, "put", &Value::Object(state).to_string())
    }

    /// Records that a row was deleted, in the transaction that does so. Returns the number of the change.
    ///
    /// # Errors
    /// The connection is in no transaction.
    pub fn delete(&self, transaction: &Connection, table: &str, row: Uuid) -> Result<u64> {
        refuse_autocommit(transaction)?;
        states::write(transaction, table, row, "delete", "{}")
    }

    /// The next changes to send, the oldest first, within the limits that the server states. Sending changes again is safe.
    ///
    /// A change that waits for another row is not among them until the time is over that [`waiting`](Self::waiting) names, or
    /// until the other row is applied. So a loop that sends batches until there is none ends. A change that alone exceeds the
    /// limit of bytes is refused.
    ///
    /// # Errors
    /// The table was changed by somebody else, or SQLite fails.
    pub fn batch(&self, database: &Connection, limits: &Limits, now: SystemTime) -> Result<Vec<Change>> {
        let (due, late) = (states::millis(now), states::millis(states::later(now, states::LONGEST)));
        let statement = format!(
            "SELECT {COLUMNS} FROM idgen_outbox WHERE state = 'pending' AND (wake <= ?1 OR wake > ?2) \
             ORDER BY position, tbl, row"
        );
        let mut statement = database.prepare_cached(&statement)?;
        let mut rows = statement.query([due, late])?;
        let (mut batch, mut size, mut large) = (Vec::new(), 0, Vec::new());
        let mut taken = HashSet::new();
        'rows: while let Some(row) = rows.next()? {
            let mut next = Some(Sendable::read(row)?);
            // Two rows may have to exchange their values: a row is sent together with the one that it waits for.
            while let Some(Sendable { change, bytes, needs }) = next.take() {
                if bytes > limits.bytes {
                    large.push((change, bytes));
                    break;
                }
                if !taken.insert((change.table.clone(), change.row)) {
                    break;
                }
                if !batch.is_empty() && (size + bytes > limits.bytes || batch.len() >= limits.changes) {
                    break 'rows;
                }
                size += bytes;
                batch.push(change);
                if let Some((table, row)) = needs {
                    next = self.pending_row(database, &table, &row)?;
                }
            }
        }
        drop(rows);
        for (change, bytes) in large {
            let reason =
                format!("the change has {bytes} bytes, and the server takes at most {}", limits.bytes);
            states::refuse(database, &change.table, &change.row.to_string(), change.number, &reason)?;
        }
        Ok(batch)
    }

    /// The changes that wait for other rows, and for whom.
    ///
    /// # Errors
    /// The table was changed by somebody else.
    pub fn waiting(&self, database: &Connection) -> Result<Vec<Waiting>> {
        let statement = format!(
            "SELECT {COLUMNS} FROM idgen_outbox WHERE state = 'pending' AND needs_row IS NOT NULL ORDER BY position, tbl, row"
        );
        let mut statement = database.prepare_cached(&statement)?;
        let mut rows = statement.query([])?;
        let mut waiting = Vec::new();
        while let Some(row) = rows.next()? {
            let (table, needed): (String, String) = (row.get(6)?, row.get(7)?);
            let needed = Uuid::try_parse(&needed).map_err(|_| {
                Error::damaged(format!("the UUID {needed:?} that a row waits for cannot be read"))
            })?;
            waiting.push(Waiting {
                change: change(row)?,
                reason: row.get::<_, Option<String>>(5)?.unwrap_or_default(),
                needs: (table, needed),
                until: SystemTime::UNIX_EPOCH + Duration::from_millis(row.get::<_, i64>(8)?.unsigned_abs()),
            });
        }
        Ok(waiting)
    }

    /// The rows that the server has refused, with the reasons.
    ///
    /// # Errors
    /// The table was changed by somebody else.
    pub fn refused(&self, database: &Connection) -> Result<Vec<Refused>> {
        let statement =
            format!("SELECT {COLUMNS} FROM idgen_outbox WHERE state = 'refused' ORDER BY position, tbl, row");
        let mut statement = database.prepare_cached(&statement)?;
        let mut rows = statement.query([])?;
        let mut refused = Vec::new();
        while let Some(row) = rows.next()? {
            refused.push(Refused { change: change(row)?, reason: row.get(5)? });
        }
        Ok(refused)
    }

    /// Sends a refused row again, with a higher number, and the rows that were refused because of it. Returns false if the row
    /// is not refused.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn retry(&self, database: &Connection, table: &str, row: Uuid) -> Result<bool> {
        states::retry(database, table, &row.to_string())
    }

    /// Sends everything again that the server has, and returns how many rows these are: after the server was restored from a
    /// backup, only the devices have what it lost. What the server still has is not changed.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn resend(&self, database: &Connection) -> Result<u64> {
        states::resend(database)
    }

    /// Counts the changes that are still to be sent, among them those that wait.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn pending(&self, database: &Connection) -> Result<u64> {
        let count = "SELECT COUNT(*) FROM idgen_outbox WHERE state = 'pending'";
        let count: i64 = database.query_row(count, [], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    fn find(&self, database: &Connection, table: &str, row: Uuid) -> Result<Option<Change>> {
        let statement = format!("SELECT {COLUMNS} FROM idgen_outbox WHERE tbl = ?1 AND row = ?2");
        let mut statement = database.prepare_cached(&statement)?;
        statement.query_row(params![table, row.to_string()], |row| Ok(change(row))).optional()?.transpose()
    }

    fn pending_row(&self, database: &Connection, table: &str, row: &str) -> Result<Option<Sendable>> {
        let statement =
            format!("SELECT {COLUMNS} FROM idgen_outbox WHERE tbl = ?1 AND row = ?2 AND state = 'pending'");
        let mut statement = database.prepare_cached(&statement)?;
        statement.query_row(params![table, row], |row| Ok(Sendable::read(row))).optional()?.transpose()
    }
}

/// A change, about how many bytes it has as JSON, and the row that it waits for.
struct Sendable {
    change: Change,
    bytes: usize,
    needs: Option<(String, String)>,
}

impl Sendable {
    fn read(row: &Row<'_>) -> Result<Sendable> {
        let length = |at: usize| row.get_ref(at).map(|text| text.as_bytes().map_or(0, <[u8]>::len));
        let bytes = length(0)? + length(4)? + BESIDE;
        Ok(Sendable { change: change(row)?, bytes, needs: row.get::<_, Option<String>>(6)?.zip(row.get(7)?) })
    }
}

fn refuse_autocommit(transaction: &Connection) -> Result<()> {
    if transaction.is_autocommit() { Err(Error::not_in_transaction()) } else { Ok(()) }
}
