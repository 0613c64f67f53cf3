//! The rows whose update `UPDATE IGNORE` has ignored, for which MariaDB fires the trigger nevertheless.

use super::Texts;
use super::values::{Fate, column_of};
use crate::plan::data::Engine;
use crate::plan::mysql::catalog::{Column, Table};

impl Texts<'_> {
    /// Returns a condition that a row `s` of the table still has the key of OLD and does not have the values of NEW, so that the update of the
    /// row was ignored. Empty for MySQL, which fires no trigger for such a row.
    ///
    /// The values of NEW are compared as bytes: an update may change only the case of a text. Of a column with `ON UPDATE CURRENT_TIMESTAMP`, NEW may
    /// have a time that is not stored although no update was ignored, so it is compared only in a key.
    pub(super) fn ignored(
        &self,
        table: &Table,
        stored: &[&Column],
        primary: &[&Column],
        forward: bool,
    ) -> String {
        if self.engine != Engine::MariaDb {
            return String::new();
        }
        let columns = match forward {
            true => stored.iter().map(|column| (column.name.clone(), *column)).collect(),
            false => self.written(table, stored),
        };
        let is_primary = |column: &Column| primary.iter().any(|key| key.name == column.name);
        let same = |row: &str, (name, column): &(String, &Column)| {
            let as_declared = forward || *name == column.name && !self.changes(table, column);
            let of = |row: &str| exact(column_of(row, name), column, as_declared);
            format!("{} <=> {}", of("s"), of(row))
        };
        let now = |key: &Column| if forward { key.name.clone() } else { self.new_name_of(table, key) };
        let found = primary.iter().flat_map(|key| {
            let name = now(key);
            let is_old = format!("{} = {}", column_of("s", &name), column_of("OLD", &name));
            [is_old, same("OLD", &(name, *key))]
        });
        let is_new = columns.iter().filter(|(_, column)| !column.is_stamped || is_primary(column));
        format!(
            "{} AND NOT ({})",
            found.collect::<Vec<_>>().join(" AND "),
            is_new.map(|column| same("NEW", column)).collect::<Vec<_>>().join(" AND ")
        )
    }

    fn changes(&self, table: &Table, column: &Column) -> bool {
        matches!(self.fate(table, column), Fate::Changes(_))
    }
}

/// A value of a column, in a form that differs if other bytes are stored.
fn exact(value: String, column: &Column, as_declared: bool) -> String {
    match column.data_type.as_str() {
        _ if !as_declared => value,
        "timestamp" => format!("UNIX_TIMESTAMP({value})"),
        "enum" | "set" => format!("CAST({value} AS UNSIGNED)"),
        _ if column.charset.is_empty() => value,
        _ => format!("CAST({value} AS BINARY)"),
    }
}
