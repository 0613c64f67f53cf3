//! The outbox: one row of its table for each row that the device has changed.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::error::{Error, Result};

/// What a change does to its row.
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
    /// What it does.
    pub operation: Operation,
    /// All columns of the row; none if it is deleted.
    pub columns: Map<String, Value>,
}

/// What the server answers for a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The server has the change.
    Applied,
    /// The server has a newer change of the row, with this number.
    Older(u64),
    /// The change needs another row first.
    Waits,
    /// The server refuses the change, for this reason.
    Refused(String),
}

/// A change that the server has refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The change.
    pub change: Change,
    /// Why it was refused.
    pub reason: String,
}

/// The outbox in a database of the app.
///
/// Its table has one row for each row that was ever changed, with its newest state and number: ten changes of a row are sent as
/// one. The number and the state stay after the server has them, so that a later change continues both.
#[derive(Clone, Copy, Debug)]
pub struct Outbox(());

const COLUMNS: &str = "tbl, row, number, operation, columns, reason";

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
    /// The connection is in no transaction, or a value is an array or an object.
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
            if value.is_array() || value.is_object() {
                return Err(Error::misuse(format!(
                    "the column {column:?} of {table} cannot be {value}: use a text, a number, a boolean or null"
                )));
            }
            state.insert(column.to_owned(), value);
        }
        write(transaction, table, row, "put", &Value::Object(state).to_string())
    }

    /// Records that a row was deleted, in the transaction that does so. Returns the number of the change.
    ///
    /// # Errors
    /// The connection is in no transaction.
    pub fn delete(&self, transaction: &Connection, table: &str, row: Uuid) -> Result<u64> {
        refuse_autocommit(transaction)?;
        write(transaction, table, row, "delete", "{}")
    }

    /// The next changes to send, the oldest first, until their columns have this many bytes as JSON. There is at least one, if any
    /// change is pending. Sending changes again is safe.
    ///
    /// # Errors
    /// The table was changed by somebody else.
    pub fn batch(&self, database: &Connection, bytes: usize) -> Result<Vec<Change>> {
        let statement =
            format!("SELECT {COLUMNS} FROM idgen_outbox WHERE state = 'pending' ORDER BY position");
        let mut statement = database.prepare_cached(&statement)?;
        let mut rows = statement.query([])?;
        let (mut batch, mut size) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            size += row.get_ref(4)?.as_bytes().map_or(0, <[u8]>::len);
            if size > bytes && !batch.is_empty() {
                break;
            }
            batch.push(change(row)?);
        }
        Ok(batch)
    }

    /// Records what the server answered for a change. An answer for an older change than the newest one of the row does nothing:
    /// the newest one is still to be sent.
    ///
    /// If the server has a newer change of the row, the device was restored from a backup or copied: the row is then refused, and
    /// [`retry`](Self::retry) or the next change of the row overwrites what the server has.
    ///
    /// # Errors
    /// SQLite fails. Record all answers of a batch in one transaction.
    pub fn answered(
        &self,
        database: &Connection,
        table: &str,
        row: Uuid,
        number: u64,
        outcome: &Outcome,
    ) -> Result<()> {
        let (is, row) = ("tbl = ?1 AND row = ?2 AND state = 'pending'", row.to_string());
        let number = stored(number)?;
        match outcome {
            Outcome::Applied => {
                let statement = format!("UPDATE idgen_outbox SET state = 'done' WHERE {is} AND number = ?3");
                database.execute(&statement, params![table, row, number])?;
            }
            Outcome::Waits => {
                let statement = format!(
                    "UPDATE idgen_outbox SET position = (SELECT MAX(position) + 1 FROM idgen_outbox) \
                     WHERE {is} AND number = ?3"
                );
                database.execute(&statement, params![table, row, number])?;
            }
            Outcome::Refused(reason) => {
                let statement = format!(
                    "UPDATE idgen_outbox SET state = 'refused', reason = ?4 WHERE {is} AND number = ?3"
                );
                database.execute(&statement, params![table, row, number, reason])?;
            }
            Outcome::Older(newest) => {
                let statement = format!(
                    "UPDATE idgen_outbox SET state = 'refused', reason = ?4, number = ?3 WHERE {is} AND number <= ?3"
                );
                let reason = format!(
                    "the server has a newer change of this row, with the number {newest}: this device was restored from a \
                     backup, or copied"
                );
                database.execute(&statement, params![table, row, stored(*newest)?, reason])?;
            }
        }
        Ok(())
    }

    /// The rows that the server has refused, with the reasons.
    ///
    /// # Errors
    /// The table was changed by somebody else.
    pub fn refused(&self, database: &Connection) -> Result<Vec<Refused>> {
        let statement =
            format!("SELECT {COLUMNS} FROM idgen_outbox WHERE state = 'refused' ORDER BY position");
        let mut statement = database.prepare_cached(&statement)?;
        let mut rows = statement.query([])?;
        let mut refused = Vec::new();
        while let Some(row) = rows.next()? {
            refused.push(Refused { change: change(row)?, reason: row.get(5)? });
        }
        Ok(refused)
    }

    /// Sends a refused row again, with a higher number. Returns false if the row is not refused.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn retry(&self, database: &Connection, table: &str, row: Uuid) -> Result<bool> {
        let statement = "UPDATE idgen_outbox SET state = 'pending', reason = NULL, number = number + 1, \
             position = (SELECT MAX(position) + 1 FROM idgen_outbox) WHERE tbl = ?1 AND row = ?2 AND state = 'refused'";
        Ok(database.execute(statement, params![table, row.to_string()])? == 1)
    }

    /// How many changes are to be sent.
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
}

fn refuse_autocommit(transaction: &Connection) -> Result<()> {
    if transaction.is_autocommit() { Err(Error::not_in_transaction()) } else { Ok(()) }
}

fn stored(number: u64) -> Result<i64> {
    i64::try_from(number).map_err(|_| Error::misuse(format!("{number} is no number of a change")))
}

/// Writes the newest change of a row. A pending row keeps its place, so that it stays before the rows that refer to it.
fn write(transaction: &Connection, table: &str, row: Uuid, operation: &str, columns: &str) -> Result<u64> {
    let statement = "INSERT INTO idgen_outbox (tbl, row, number, operation, columns, state, position) \
         VALUES (?1, ?2, 1, ?3, ?4, 'pending', (SELECT COALESCE(MAX(position), 0) + 1 FROM idgen_outbox)) \
         ON CONFLICT (tbl, row) DO UPDATE SET number = number + 1, operation = excluded.operation, \
         columns = excluded.columns, position = IIF(state = 'pending', position, excluded.position), \
         state = 'pending', reason = NULL RETURNING number";
    let mut statement = transaction.prepare_cached(statement)?;
    let number: i64 =
        statement.query_row(params![table, row.to_string(), operation, columns], |row| row.get(0))?;
    Ok(number.unsigned_abs())
}

fn change(row: &Row<'_>) -> Result<Change> {
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
