//! Determines which rows must be found in which tree.

use crate::engine::{Inserted, Table, Tree};
use crate::key::Key;
use crate::measure::{self, Ranks};
use crate::strategy::Strategy;
use crate::{Error, Result};
use idgen_record::{Column, Role};

/// The rows of a run, in the order in which the database inserted them if it says so, otherwise in that of the acknowledgments.
#[derive(Default)]
pub struct Rows {
    /// The keys with which they were inserted.
    keys: Vec<Key>,
    /// The integers that the database or a map assigned to them: for all rows, or for none.
    numbers: Vec<u64>,
}

impl Rows {
    /// An empty list with room for this many rows. Memory is reserved now, so that a run does not fail for lack of it
    /// at its end.
    pub fn with_room(rows: u64) -> Result<Self> {
        Ok(Rows { keys: room(rows)?, numbers: Vec::new() })
    }

    /// Adds the rows of a round.
    pub fn extend(&mut self, inserted: &[Inserted]) {
        self.keys.extend(inserted.iter().map(|row| row.key));
        self.numbers.extend(inserted.iter().filter_map(|row| row.number));
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The value by which the row with this number, counted from 0, is found: the integer assigned to it, or its key.
    pub fn address(&self, row: usize) -> Key {
        self.numbers.get(row).map_or(self.keys[row], |number| Key::Uint(*number))
    }

    /// Returns whether the order of the keys is known: the server may have made them without telling.
    pub fn are_ordered(&self) -> bool {
        !self.numbers.is_empty() || !self.keys.contains(&Key::Assigned)
    }

    /// Brings the rows after the first `from` into this order of their places among them.
    pub fn reorder(&mut self, from: usize, order: &[u32]) {
        let keys: Vec<Key> = order.iter().map(|place| self.keys[from + *place as usize]).collect();
        self.keys[from..].copy_from_slice(&keys);
        if !self.numbers.is_empty() {
            let numbers: Vec<u64> = order.iter().map(|place| self.numbers[from + *place as usize]).collect();
            self.numbers[from..].copy_from_slice(&numbers);
        }
    }

    /// Removes the rows that were deleted.
    pub fn retain(&mut self, is_there: impl Fn(usize) -> bool) {
        let mut row = 0..;
        self.keys.retain(|_| row.next().is_some_and(&is_there));
        let mut row = 0..;
        self.numbers.retain(|_| row.next().is_some_and(&is_there));
    }

    fn numbers_as_keys(&self) -> Result<Vec<Key>> {
        let mut keys = room(self.numbers.len() as u64)?;
        keys.extend(self.numbers.iter().map(|number| Key::Uint(*number)));
        Ok(keys)
    }
}

/// An empty list for the keys of a run, which are kept until the tables have been checked against them.
fn room(rows: u64) -> Result<Vec<Key>> {
    let mut keys = Vec::new();
    usize::try_from(rows).ok().and_then(|rows| keys.try_reserve_exact(rows).ok()).ok_or_else(|| {
        let gigabytes = (rows as f64 * size_of::<Key>() as f64 / 1e9).ceil();
        Error::config(format!(
            "no memory for the keys of {rows} rows: they need {gigabytes} GB; choose fewer rows"
        ))
    })?;
    Ok(keys)
}

/// Checks that a tree holds exactly these rows, both by its pages and when its keys are read, and returns the rank of
/// each row in it.
pub fn tree(table: &mut dyn Table, tree: &Tree, strategy: &Strategy, rows: &Rows) -> Result<Ranks> {
    measure::pages(tree, rows.keys.len())?;
    keys(table, tree.role, strategy, rows)
}

/// Checks, as [`tree`] does, a tree whose pages cannot be read.
pub fn keys(table: &mut dyn Table, role: Role, strategy: &Strategy, rows: &Rows) -> Result<Ranks> {
    if !rows.numbers.is_empty() && rows.numbers.len() != rows.keys.len() {
        return Err(Error::unverified(format!(
            "only {} of {} rows were given an integer",
            rows.numbers.len(),
            rows.keys.len()
        )));
    }
    match (role, strategy.column) {
        (Role::Rows, Column::Unkeyed16) => measure::keys_in_any_order(table, role, &rows.keys),
        // Some servers return the keys that they made.
        (Role::Rows, _) if strategy.ids.is_server_made() && rows.keys.contains(&Key::Assigned) => {
            measure::made_keys(table, role, rows.keys.len())
        }
        (Role::Rows, _) if !table.sorted_by_key() => match rows.numbers.is_empty() {
            true => measure::keys_in_any_order(table, role, &rows.keys),
            false => measure::keys_in_any_order(table, role, &rows.numbers_as_keys()?),
        },
        (Role::Rows, _) if !rows.numbers.is_empty() => measure::keys(table, role, &rows.numbers_as_keys()?),
        (Role::Pairs, _) => measure::keys_by(table, role, &rows.keys, |row| rows.numbers[row]),
        (Role::Map, column) => match hash_of(column) {
            Some(hash) => measure::keys_by(table, role, &rows.numbers_as_keys()?, |row| {
                (hash(&rows.keys[row]), rows.numbers[row])
            }),
            None => measure::keys(table, role, &rows.keys),
        },
        _ => measure::keys(table, role, &rows.keys),
    }
}

/// The hash by which a map's index is sorted; `None` if it is sorted by the UUID.
fn hash_of(column: Column) -> Option<fn(&Key) -> u32> {
    let of_bytes: fn(&Key) -> u32 = |key| match key {
        Key::Binary(bytes) => crc32fast::hash(bytes),
        _ => 0,
    };
    let of_text: fn(&Key) -> u32 = |key| match key {
        Key::Binary(bytes) => {
            crc32fast::hash(idgen::Uuid::from_bytes(*bytes).hyphenated().to_string().as_bytes())
        }
        _ => 0,
    };
    match column {
        Column::MappedDedup => Some(of_bytes),
        Column::MappedReferenceLock | Column::MappedReferenceDedup => Some(of_text),
        _ => None,
    }
}
