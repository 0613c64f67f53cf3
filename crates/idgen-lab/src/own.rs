//! Tables and statements of the user's own, with placeholders for the key and the other values of a row.

mod indexed;
mod read;
mod refuse;
mod token;

use idgen_record::{Column, Database, OwnTable};

use crate::key::Key;
use crate::strategy::Strategy;
use crate::{Error, Result};
#[doc(hidden)]
pub use indexed::with_secondary_indexes;

/// The placeholders of `schema.sql`.
const KEY_TYPE: &str = "key_type";
const REFERENCE_TYPE: &str = "reference_type";

/// The tables of `schema.sql` and the statements of `insert.sql`, checked and split at their placeholders.
///
/// ```
/// use idgen_lab::own::Own;
/// use idgen_record::{Database, OwnTable};
///
/// let own = Own::read(
///     &OwnTable {
///         schema: "CREATE TABLE orders (id {key_type} PRIMARY KEY, note VARCHAR(40) NOT NULL)".into(),
///         insert: "INSERT INTO orders (id, note) VALUES ({key}, {text:40})".into(),
///     },
///     Database::MySql,
/// )?;
/// assert_eq!(own.payload_bytes(), 40);
/// # Ok::<(), idgen_lab::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Own {
    /// The statements that make the tables, with the lines in which they begin.
    schema: Vec<(usize, String)>,
    /// The tables in the order in which they are made.
    tables: Vec<String>,
    /// The statements of each row; the first inserts the key.
    inserts: Vec<Insert>,
    /// The column of the key.
    key_column: String,
    /// True if the primary key has columns besides that of the key, as far as `CREATE TABLE` says.
    composite: bool,
    /// The columns by which the tree of the key is sorted, quoted where necessary.
    sorted_by: Vec<String>,
}

/// A column of the primary key.
pub(crate) struct PrimaryColumn {
    /// The name, quoted where necessary.
    pub name: String,
    /// True for the column of the key.
    pub is_key: bool,
}

impl PrimaryColumn {
    /// The column with this name, in these quotes if it needs them. Names are compared without quotes and ignoring case.
    pub fn quoted(name: String, key_column: &str, quote: char) -> Self {
        let is_key = name.eq_ignore_ascii_case(key_column.trim_matches(['"', '`']));
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let doubled = || name.replace(quote, &format!("{quote}{quote}"));
        PrimaryColumn { name: if is_plain { name } else { format!("{quote}{}{quote}", doubled()) }, is_key }
    }
}

/// A statement `INSERT` of `insert.sql`.
#[derive(Clone, Debug)]
pub(crate) struct Insert {
    /// The table, as the statement names it.
    pub table: String,
    /// The statement up to the values.
    before: String,
    /// The values of a row in parentheses.
    values: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Piece {
    Sql(String),
    Slot(Slot),
}

/// The value with which the lab replaces a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// `{key}`
    Key,
    /// `{row}`: the number of the row, counted from 1.
    Row,
    /// `{number}`: a random number below 2^63, from the 8 bytes at this offset of the payload.
    Number { at: usize },
    /// `{text:N}`: N random letters and digits.
    Text { at: usize, len: usize },
    /// `{bytes:N}`: N random bytes.
    Bytes { at: usize, len: usize },
}

/// The value for a placeholder.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Key(Key),
    Integer(i64),
    Text(String),
    Bytes(&'a [u8]),
}

impl Own {
    /// The tables in the order in which they are made, as the schema names them.
    pub(crate) fn tables(&self) -> &[String] {
        &self.tables
    }

    /// The statements of each row, the statement with the key first.
    pub(crate) fn inserts(&self) -> &[Insert] {
        &self.inserts
    }

    /// The table that receives the keys.
    pub(crate) fn table(&self) -> &str {
        &self.inserts[0].table
    }

    /// The column of the key.
    pub(crate) fn key_column(&self) -> &str {
        &self.key_column
    }

    /// The columns by which the tree of the key is sorted, separated by commas.
    pub(crate) fn sorted_by(&self) -> String {
        self.sorted_by.join(", ")
    }

    /// Returns whether the key alone sorts its tree.
    pub(crate) fn sorted_by_key(&self) -> bool {
        self.sorted_by.len() == 1
    }

    /// Returns whether a table of this database can count its keys: MySQL and SQLite count only in the first
    /// column of an index.
    pub fn can_count(&self, database: Database) -> bool {
        !self.composite || !database.clusters_rows()
    }

    /// Takes the columns of the primary key in their order, as the database names them.
    ///
    /// # Errors
    /// The key is not one of them.
    pub(crate) fn set_primary(&mut self, columns: Vec<PrimaryColumn>) -> Result<()> {
        if !columns.iter().any(|column| column.is_key) {
            return Err(self.not_primary(&columns));
        }
        self.sorted_by = columns.into_iter().map(|column| column.name).collect();
        Ok(())
    }

    /// The statements that make the tables, each with its line, with these types for the key and for references to it.
    pub(crate) fn schema(&self, key_type: &str, reference_type: &str) -> Vec<(usize, String)> {
        let filled = |sql: &str| {
            sql.replace(&format!("{{{KEY_TYPE}}}"), key_type)
                .replace(&format!("{{{REFERENCE_TYPE}}}"), reference_type)
        };
        self.schema.iter().map(|(line, sql)| (*line, filled(sql))).collect()
    }

    /// The number of random bytes that a row needs.
    pub fn payload_bytes(&self) -> u32 {
        let ends = self.inserts.iter().flat_map(Insert::slots).map(|slot| match slot {
            Slot::Key | Slot::Row => 0,
            Slot::Number { at } => at + 8,
            Slot::Text { at, len } | Slot::Bytes { at, len } => at + len,
        });
        u32::try_from(ends.max().unwrap_or(0)).unwrap_or(u32::MAX)
    }

    /// The number of values bound to the longest statement with this many rows.
    pub fn bound(&self, rows: usize) -> usize {
        self.inserts.iter().map(|insert| insert.slots().count()).max().unwrap_or(0) * rows
    }

    /// Refuses a strategy whose keys cannot be bound to a statement.
    ///
    /// # Errors
    /// The error says why, and what to choose instead.
    pub fn check(strategy: &Strategy) -> Result<()> {
        let why = match strategy.column {
            column if column.is_mapped() => "it needs a second table for its map",
            Column::Unkeyed16 => "it measures a table without a key",
            Column::TwoIntegers => "its key takes two columns",
            _ if strategy.ids.is_server_made() => "a function of the server makes its keys",
            _ => return Ok(()),
        };
        Err(Error::config(format!(
            "{} does not fit a table of your own: {why}; choose {}",
            strategy.name,
            strategy.portable()
        )))
    }

    /// Parses the user's tables of a load, if it has any; they were checked when the load was made.
    pub(crate) fn of(own: Option<&OwnTable>, database: Database) -> Result<Option<Own>> {
        own.map(|own| Own::read(own, database)).transpose()
    }

    /// The error of a server that refused a statement of the schema.
    pub(crate) fn refused(line: usize, source: Error) -> Error {
        Error::engine(format!("the statement in line {line} of the schema cannot be run"), source)
    }

    /// The error of tables whose primary key is without the key.
    fn not_primary(&self, found: &[PrimaryColumn]) -> Error {
        let (table, column) = (self.table(), self.key_column());
        let names: Vec<_> = found.iter().map(|column| column.name.as_str()).collect();
        let found = match names.as_slice() {
            [] => "it has no primary key".to_owned(),
            names => format!("its primary key is ({})", names.join(", ")),
        };
        Error::config(format!(
            "{{key}} goes into the column {column}, which must be the primary key of {table} or one of its columns: {found}"
        ))
    }

    /// The number of inserted rows, given how many rows the table of each statement held before and holds now. Every
    /// table has to gain as many as the first.
    ///
    /// # Errors
    /// A table gained another number of rows.
    pub(crate) fn rows_of(&self, before: &[u64], now: &[u64]) -> Result<u64> {
        let gained: Vec<u64> =
            now.iter().zip(before).map(|(now, before)| now.saturating_sub(*before)).collect();
        let rows = gained.first().copied().unwrap_or(0);
        for (insert, found) in self.inserts.iter().zip(&gained) {
            let statements = self.inserts.iter().filter(|other| other.table == insert.table).count() as u64;
            let expected = rows * statements;
            if *found != expected {
                return Err(Error::unverified(format!(
                    "the table {} should have gained {expected} rows, but has gained {found}",
                    insert.table
                )));
            }
        }
        Ok(rows)
    }
}

impl Insert {
    fn slots(&self) -> impl Iterator<Item = Slot> {
        self.values.iter().filter_map(|piece| match piece {
            Piece::Slot(slot) => Some(*slot),
            Piece::Sql(_) => None,
        })
    }

    /// The statement for this many rows; `write` returns the text for each placeholder.
    pub(crate) fn sql(&self, rows: usize, mut write: impl FnMut(Slot) -> String) -> String {
        let mut sql = self.before.clone();
        for row in 0..rows {
            sql.push_str(if row == 0 { " " } else { ", " });
            for piece in &self.values {
                match piece {
                    Piece::Sql(text) => sql.push_str(text),
                    Piece::Slot(slot) => sql.push_str(&write(*slot)),
                }
            }
        }
        sql
    }

    /// The values of a row in the order of the placeholders.
    pub(crate) fn values<'a>(
        &self,
        row: u64,
        key: Key,
        payload: &'a [u8],
    ) -> impl Iterator<Item = (Slot, Value<'a>)> {
        self.slots().map(move |slot| (slot, slot.value(row, key, payload)))
    }
}

impl Slot {
    fn value(self, row: u64, key: Key, payload: &[u8]) -> Value<'_> {
        match self {
            Slot::Key => Value::Key(key),
            Slot::Row => Value::Integer(i64::try_from(row + 1).unwrap_or(i64::MAX)),
            Slot::Number { at } => {
                let mut bytes = [0; 8];
                bytes.copy_from_slice(&payload[at..at + 8]);
                Value::Integer((u64::from_be_bytes(bytes) >> 1).cast_signed())
            }
            Slot::Text { at, len } => {
                Value::Text(payload[at..at + len].iter().map(|byte| letter(*byte)).collect())
            }
            Slot::Bytes { at, len } => Value::Bytes(&payload[at..at + len]),
        }
    }
}

/// Maps a byte to one of 64 characters.
fn letter(byte: u8) -> char {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    char::from(LETTERS[usize::from(byte % 64)])
}

#[cfg(test)]
mod tests;
