//! The change of each column, and the expressions for its values in both tables.

use super::Texts;
use crate::plan::mysql::catalog::{Column, Table};
use crate::plan::mysql::form::Conversion;
use crate::plan::mysql::map::Map;
use crate::plan::mysql::quote::{name, with_ending};

/// The change of a column.
pub(super) enum Fate {
    /// It stays as it is.
    Stays,
    /// Its type changes.
    Changes(Conversion),
    /// It stays, and a column with the integer of its id comes beside it.
    Named(Conversion, Map),
    /// A column with the integer of its id replaces it.
    Refers(Conversion, Map),
}

impl Texts<'_> {
    pub(super) fn fate(&self, table: &Table, column: &Column) -> Fate {
        let Some(conversion) = self.conversion(&table.name, column) else { return Fate::Stays };
        let Some(map) = self.map.cloned() else { return Fate::Changes(conversion) };
        let refers = self
            .catalog
            .foreign
            .iter()
            .any(|key| key.table == table.name && key.columns.contains(&column.name));
        if refers { Fate::Refers(conversion, map) } else { Fate::Named(conversion, map) }
    }

    /// The columns that keep their ids while a column of integers comes beside them: table, column, and their 16 bytes in a
    /// row `t`.
    pub(in crate::plan::mysql) fn owners(&self) -> Vec<(String, String, String)> {
        let tables = self.graph.order.iter().filter_map(|table| self.catalog.tables.get(table));
        let owners = tables.flat_map(|table| {
            table.columns.iter().filter_map(|column| match self.fate(table, column) {
                Fate::Named(conversion, _) => Some((
                    table.name.clone(),
                    column.name.clone(),
                    conversion.forward(&column_of("t", &column.name)),
                )),
                _ => None,
            })
        });
        owners.collect()
    }

    /// The columns of integers that the new tables have.
    pub(in crate::plan::mysql) fn columns_of_integers(&self) -> Vec<String> {
        self.graph.keys.keys().map(|(table, column)| format!("{table}.{}", integer_name(column))).collect()
    }

    /// Columns that refer to ids and that columns of integers replace, with their tables.
    pub(in crate::plan::mysql) fn replaced(&self) -> impl Iterator<Item = (&str, &str)> {
        self.graph.keys.keys().filter_map(|(table, column)| {
            let of = self.catalog.tables.get(table)?;
            let is_replaced = matches!(self.fate(of, of.column(column)?), Fate::Refers(..));
            is_replaced.then_some((table.as_str(), column.as_str()))
        })
    }

    /// The name that a column of a key has in the new table for those who refer to it.
    pub(super) fn key_name(&self, table: &str, column: &str) -> String {
        match self.map.is_some() && self.graph.keys.contains_key(&(table.to_owned(), column.to_owned())) {
            true => integer_name(column),
            false => column.to_owned(),
        }
    }

    /// The name under which the new table has the values of a column: ids, or the integers in their place.
    pub(super) fn new_name_of(&self, table: &Table, column: &Column) -> String {
        match self.fate(table, column) {
            Fate::Refers(..) => integer_name(&column.name),
            _ => column.name.clone(),
        }
    }

    /// The columns of the new table that are written, each with its column in the old table.
    pub(super) fn written<'a>(&self, table: &Table, stored: &[&'a Column]) -> Vec<(String, &'a Column)> {
        let names = stored.iter().map(|column| (self.new_name_of(table, column), *column));
        let added = stored.iter().filter(|column| matches!(self.fate(table, column), Fate::Named(..)));
        names.chain(added.map(|column| (integer_name(&column.name), *column))).collect()
    }

    /// The value for a column of the new table, of a row of the old one. The lookup of an integer has the clause `lock`.
    pub(super) fn forward(&self, table: &Table, new: &str, column: &Column, row: &str, lock: &str) -> String {
        let value = column_of(row, &column.name);
        match self.fate(table, column) {
            Fate::Changes(conversion) => conversion.forward(&value),
            Fate::Named(conversion, map) | Fate::Refers(conversion, map) if new != column.name => {
                map.integer_of(&conversion.forward(&value), lock)
            }
            _ => value,
        }
    }

    /// The value of a column of the old table, of a row of the new one.
    pub(super) fn backward(&self, table: &Table, column: &Column, row: &str) -> String {
        let value = column_of(row, &self.new_name_of(table, column));
        match self.fate(table, column) {
            Fate::Stays | Fate::Named(..) => value,
            Fate::Changes(conversion) => conversion.backward(&value),
            Fate::Refers(conversion, map) => conversion.backward(&map.bytes_of(&value)),
        }
    }

    /// Returns a condition that a row `s` of the new table has the value of a row `t` of the old one. Texts are
    /// compared as bytes: under a collation, texts that differ may be equal. Integers are compared by the ids that the
    /// map has for them.
    pub(super) fn equal(&self, table: &Table, new: &str, column: &Column) -> String {
        let found = column_of("s", new);
        let value = column_of("t", &column.name);
        match self.fate(table, column) {
            Fate::Named(conversion, map) | Fate::Refers(conversion, map) if new != column.name => {
                is_of_id(&map.bytes_of(&found), &conversion, &value)
            }
            Fate::Changes(conversion) => is_of_id(&found, &conversion, &value),
            _ if column.charset.is_empty() => format!("{found} <=> {value}"),
            _ => format!("CAST({found} AS BINARY) <=> CAST({value} AS BINARY)"),
        }
    }
}

/// A condition that the id of a row `s` is that of a value, whose spelling is that of the others: otherwise it may be the id of two rows.
fn is_of_id(found: &str, conversion: &Conversion, value: &str) -> String {
    let equal = format!("{found} <=> {}", conversion.forward(value));
    match conversion.form.misspelled(value) {
        Some(misspelled) => format!("({equal} AND NOT ({misspelled}))"),
        None => equal,
    }
}

/// The name of a column of integers.
pub(in crate::plan::mysql) fn integer_name(column: &str) -> String {
    with_ending(column, "_int")
}

/// A column of a row.
pub(super) fn column_of(row: &str, column: &str) -> String {
    format!("{row}.{}", name(column))
}
