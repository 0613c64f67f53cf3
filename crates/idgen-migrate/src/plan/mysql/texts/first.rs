//! The columns of a primary key, of which the first is the position of the copy.

use serde::Serialize;

use super::Texts;
use super::values::Fate;
use crate::plan::mysql::catalog::{Column, Table};
use crate::plan::mysql::form::UUID;
use crate::plan::mysql::uuid_type;

/// A column of the primary key, in the old table and in the new one. The copy follows the order of the first.
#[derive(Serialize)]
pub(super) struct FirstText {
    pub(super) name: String,
    r#type: String,
    new_name: String,
    /// The type to which a position is converted, in which it compares as the server sorts the column; empty if the column itself does.
    r#as: &'static str,
    new_as: &'static str,
    /// The types of positions in both tables.
    place_type: String,
    new_place_type: String,
    /// The parts of the new table that are read in ranges of their own; one without a name is the whole table.
    parts: Vec<&'static str>,
}

impl Texts<'_> {
    pub(super) fn key_column(&self, table: &Table, column: &Column) -> FirstText {
        let of_column = self.place_as(column);
        let mut new_as = "";
        let new_type = match self.fate(table, column) {
            Fate::Stays | Fate::Named(..) => {
                new_as = of_column;
                column.declared()
            }
            Fate::Changes(conversion) => conversion.new_type(),
            Fate::Refers(_, map) => map.id_type.to_owned(),
        };
        let parts = if new_type == UUID { vec!["swapped", "others"] } else { vec![""] };
        FirstText {
            parts,
            name: column.name.clone(),
            r#type: column.declared(),
            new_name: self.new_name_of(table, column),
            r#as: of_column,
            new_as,
            place_type: place_type(of_column, column.declared()),
            new_place_type: place_type(new_as, new_type),
        }
    }

    /// The servers sort `ENUM` and `SET` by their numbers, but compare them as texts. Some versions of MariaDB compare a `UUID` in another order than
    /// its indexes have.
    fn place_as(&self, column: &Column) -> &'static str {
        match column.data_type.as_str() {
            "enum" | "set" => "UNSIGNED",
            "uuid" if !uuid_type::compares_all(self.version) => "BINARY(16)",
            _ => "",
        }
    }

    /// A cascade may change the position of a row.
    pub(super) fn is_moved(&self, table: &Table, first: &Column) -> bool {
        let mut keys = self.catalog.foreign.iter().filter(|key| key.table == table.name);
        keys.any(|key| key.on_update == "CASCADE" && key.columns.contains(&first.name))
    }
}

/// The type of a position that is converted like this, of a column of another type.
fn place_type(r#as: &str, declared: String) -> String {
    match r#as {
        "" => declared,
        "UNSIGNED" => "BIGINT UNSIGNED".to_owned(),
        other => other.to_owned(),
    }
}
