//! The outbox: one row of its table for each row that the device has changed.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::change::{COLUMNS, Change, Limits, Refused, Unreadable, Waiting, change};
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
const BESIDE: usize = 200;
/// A server that takes fewer bytes takes no change.
const LEAST: usize = 300;

impl Outbox {
    /// Creates the table if it is missing.
    ///
    /// # Errors
    /// SQLite refuses the schema.
    pub fn open(database: &Connection) -> Result<Outbox> {
        database.execute_batch(states::SCHEMA)?;
        Ok(Outbox(()))
    }

    /// Records that a row was inserted or updated, in the transaction that does so. Columns that are not named keep the
    /// values that were recorded before. A refused row is sent again.
    ///
    /// Values are texts, numbers, booleans and null; `serde_json` makes null of a number that is not finite. A column that refers to another row has the canonical text of its UUID.
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
            check_column(table, column)?;
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
    /// limit of bytes is refused. Rows that wait for each other in a circle have to be sent together: if they exceed the limits, they are one batch
    /// up to [`Limits::most`], and refused beyond it. A row that cannot be read is set aside: see [`unreadable`](Self::unreadable).
    ///
    /// It notes in the table what it returns, so that a later copy of the database is recognized: a caller that is in a transaction commits before it
    /// sends.
    ///
    /// # Errors
    /// The limits have no room for a change, or SQLite fails.
    pub fn batch(&self, database: &Connection, limits: &Limits, now: SystemTime) -> Result<Vec<Change>> {
        if limits.changes == 0 || limits.bytes < LEAST {
            return Err(Error::misuse(format!(
                "limits of {} changes and {} bytes have no room for a change: give at least 1 and {LEAST}",
                limits.changes, limits.bytes
            )));
        }
        let (due, late) = (states::millis(now), states::millis(states::later(now, states::LONGEST)));
        let statement = format!(
            "SELECT {COLUMNS} FROM idgen_outbox WHERE state = 'pending' AND (wake <= ?1 OR wake > ?2) \
             ORDER BY position, tbl, row"
        );
        let mut statement = database.prepare_cached(&statement)?;
        let mut rows = statement.query([due, late])?;
        let (mut batch, mut size, mut large, mut unreadable) = (Vec::new(), 0, Vec::new(), Vec::new());
        let mut taken = HashSet::new();
        'rows: while let Some(row) = rows.next()? {
            let mut next = Sendable::read(row)?.map_err(|found| unreadable.push(found)).ok();
            let is_first = batch.is_empty();
            // Rows may have to exchange their values: a row is sent together with the one that it waits for.
            while let Some(sendable) = next.take() {
                let Sendable { change, bytes, needs } = &sendable;
                if *bytes > limits.bytes {
                    large.push((sendable.change, limits.alone(sendable.bytes)));
                    break;
                }
                if taken.contains(&(change.table.clone(), change.row)) {
                    break;
                }
                if !batch.is_empty() && (size + bytes > limits.bytes || batch.len() >= limits.changes) {
                    // Without each other, the rows of a circle would wait for ever.
                    if is_first && let Some((circle, bytes)) = self.circle(database, &batch[0], limits)? {
                        taken.extend(circle.iter().map(|change| (change.table.clone(), change.row)));
                        batch = circle;
                        size = bytes;
                        if let Some(reason) = limits.together(batch.len(), size) {
                            large.push((batch.swap_remove(0), reason));
                            batch.clear();
                            size = 0;
                            continue 'rows;
                        }
                    }
                    break 'rows;
                }
                size += bytes;
                next = match needs {
                    Some((table, row)) => self.pending_row(database, table, row)?,
                    None => None,
                };
                taken.insert((change.table.clone(), change.row));
                batch.push(sendable.change);
            }
        }
        drop(rows);
        for (change, reason) in large {
            states::refuse(
                database,
                (&change.table, &change.row.to_string(), change.number as i64),
                &reason,
            )?;
        }
        for found in &unreadable {
            states::set_aside(database, found)?;
        }
        states::give_out(database, &mut batch)?;
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
            // The next batch sets others aside.
            let Ok(change) = change(row)? else { continue };
            waiting.push(Waiting {
                change,
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
    /// SQLite fails.
    pub fn refused(&self, database: &Connection) -> Result<Vec<Refused>> {
        self.each_refused(database, |found, reason| found.ok().map(|change| Refused { change, reason }))
    }

    /// The rows that no batch has, because they cannot be read: somebody else than this crate wrote them, such as a trigger that records a key in capital
    /// letters. Correct the trigger, and write or delete such a row of `idgen_outbox` by hand.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn unreadable(&self, database: &Connection) -> Result<Vec<Unreadable>> {
        self.each_refused(database, |found, _| found.err())
    }

    fn each_refused<T>(
        &self,
        database: &Connection,
        chosen: impl Fn(std::result::Result<Change, Unreadable>, String) -> Option<T>,
    ) -> Result<Vec<T>> {
        let statement =
            format!("SELECT {COLUMNS} FROM idgen_outbox WHERE state = 'refused' ORDER BY position, tbl, row");
        let mut statement = database.prepare_cached(&statement)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.extend(chosen(change(row)?, row.get(5)?));
        }
        Ok(all)
    }

    /// Gives a column of a table another name in all rows, for the migration of the app in which the server's column got this name. Otherwise each row
    /// would be refused, because the whole state of a row is sent. Refused rows that have the column are sent again. Returns how many rows had it.
    ///
    /// # Errors
    /// A name has other characters than letters, digits and underscores, both are the same, or SQLite fails.
    pub fn rename_column(&self, transaction: &Connection, table: &str, from: &str, to: &str) -> Result<u64> {
        check_column(table, from)?;
        check_column(table, to)?;
        if from == to {
            return Err(Error::misuse(format!("{from:?} has this name already")));
        }
        states::rename_column(transaction, table, from, Some(to))
    }

    /// Removes a column of a table from all rows, for the migration of the app after which the server has it no more. See
    /// [`rename_column`](Self::rename_column).
    ///
    /// # Errors
    /// As [`rename_column`](Self::rename_column).
    pub fn drop_column(&self, transaction: &Connection, table: &str, column: &str) -> Result<u64> {
        check_column(table, column)?;
        states::rename_column(transaction, table, column, None)
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
        let found = statement.query_row(params![table, row.to_string()], |row| Ok(change(row))).optional()?;
        let damaged = |found: Unreadable| {
            Error::damaged(format!(
                "the row {} of {} cannot be read: {}",
                found.row, found.table, found.reason
            ))
        };
        found.transpose()?.transpose().map_err(damaged)
    }

    /// The rows that wait for each other in a circle with this one, and their bytes; `None` if it is in no circle, or if one of them is too large alone.
    fn circle(
        &self,
        database: &Connection,
        first: &Change,
        limits: &Limits,
    ) -> Result<Option<(Vec<Change>, usize)>> {
        let (mut circle, mut size, mut seen) = (Vec::new(), 0, HashSet::new());
        let mut next = self.pending_row(database, &first.table, &first.row.to_string())?;
        while let Some(Sendable { change, bytes, needs }) = next {
            let Some((table, row)) = needs.filter(|_| bytes <= limits.bytes) else { return Ok(None) };
            if !seen.insert((change.table.clone(), change.row)) {
                // The way into a circle of others.
                return Ok(None);
            }
            circle.push(change);
            size += bytes;
            if table == first.table && row == first.row.to_string() {
                return Ok(Some((circle, size)));
            }
            next = self.pending_row(database, &table, &row)?;
        }
        Ok(None)
    }

    fn pending_row(&self, database: &Connection, table: &str, row: &str) -> Result<Option<Sendable>> {
        let statement =
            format!("SELECT {COLUMNS} FROM idgen_outbox WHERE tbl = ?1 AND row = ?2 AND state = 'pending'");
        let mut statement = database.prepare_cached(&statement)?;
        let found = statement.query_row(params![table, row], |row| Ok(Sendable::read(row))).optional()?;
        // One that cannot be read is set aside in its own turn.
        Ok(found.transpose()?.and_then(std::result::Result::ok))
    }
}

/// A change, about how many bytes it has as JSON, and the row that it waits for.
struct Sendable {
    change: Change,
    bytes: usize,
    needs: Option<(String, String)>,
}

impl Sendable {
    fn read(row: &Row<'_>) -> Result<std::result::Result<Sendable, Unreadable>> {
        let length = |at: usize| row.get_ref(at).map(|text| text.as_bytes().map_or(0, <[u8]>::len));
        let bytes = length(0)? + length(4)? + length(10)? + BESIDE;
        let needs = row.get::<_, Option<String>>(6)?.zip(row.get(7)?);
        Ok(change(row)?.map(|change| Sendable { change, bytes, needs }))
    }
}

fn check_column(table: &str, column: &str) -> Result<()> {
    if column.is_empty() || !column.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err(Error::misuse(format!(
            "{column:?} cannot be a column of {table}: use letters, digits and underscores"
        )));
    }
    Ok(())
}

fn refuse_autocommit(transaction: &Connection) -> Result<()> {
    if transaction.is_autocommit() { Err(Error::not_in_transaction()) } else { Ok(()) }
}
