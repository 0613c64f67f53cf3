//! The values that the templates need for a table: names, and expressions for each column.

mod first;
mod foreign;
mod ignored;
mod side;
pub(super) mod values;

use serde::Serialize;

use first::FirstText;
use foreign::ForeignText;
use side::Side;
pub(super) use side::SideText;
use values::{Fate, column_of, integer_name};

use super::catalog::{Catalog, Column, Table};
use super::form::{self, Conversion, Form};
use super::graph::Graph;
use super::map::Map;
use super::names::Names;
use super::quote::{name, table_with_ending, with_ending};
use super::settings;
use crate::plan::data::{Engine, Target};
use crate::plan::options::Options;

#[derive(Serialize)]
pub(super) struct TableText {
    pub(super) now: String,
    pub(super) new: String,
    pub(super) old: String,
    /// The table with the position of the copy.
    pub(super) at: String,
    /// The columns of the new table, and their values of a row `t` of the old one.
    pub(super) columns: Vec<String>,
    pub(super) read: Vec<String>,
    /// The format of rows, where CREATE TABLE … LIKE would take another one.
    row_format: String,
    keys: Vec<KeyText>,
    supports: Vec<SupportText>,
    pub(super) texts: Vec<GeneratedText>,
    /// With `--to integer`: columns of integers beside ids, and columns of integers that replace ids that refer to
    /// others.
    owners: Vec<OwnerText>,
    /// The columns whose ids get their integers during the copy.
    sources: Vec<SourceText>,
    references: Vec<ReferenceText>,
    first: FirstText,
    /// A mode that is not strict, for tables with expressions: the server computes them for each row, and in a strict mode it would refuse values that the
    /// old table has taken. Empty for others.
    pub(super) lax: &'static str,
    /// Conditions that a row `t` has an id that cannot be converted, which is no error without a strict mode.
    unreadable: Vec<String>,
    /// A cascade may change the first column, by which the copy finds its position.
    is_moved: bool,
    primary: Vec<FirstText>,
    /// Columns that refer to the own table.
    own: Vec<OwnColumnText>,
    /// Columns that an UPDATE sets to the time unless it names them, which a cascade does not.
    stamped: Vec<String>,
    join_new: String,
    join_old: String,
    /// Columns of the new table that are compared, also generated ones that are stored, and conditions that they are equal.
    compared: Vec<String>,
    equal: Vec<String>,
    keys_of_t: String,
    keys_of_s: String,
    pub(super) foreign: Vec<ForeignText>,
    /// The largest value of the `AUTO_INCREMENT` column in the old table, if there is such a column.
    pub(super) counts_to: Option<u64>,
    pub(super) forward: SideText,
    pub(super) backward: SideText,
}

/// A column whose type changes.
#[derive(Serialize)]
struct KeyText {
    name: String,
    new_type: String,
    nullable: bool,
    is_invisible: bool,
    /// `AUTO_INCREMENT`
    counts: bool,
    /// The text that follows `DEFAULT`; empty if there is none.
    default: String,
    comment: String,
}

/// An index that the server made for a foreign key. It would get the name of the new foreign key, and queries that name the
/// index would fail. So it is made again, which nobody sees in an empty table.
#[derive(Serialize)]
struct SupportText {
    name: String,
    columns: Vec<String>,
}

/// A column of ids that stays, and the integers beside it.
#[derive(Serialize)]
struct OwnerText {
    name: String,
    integer: String,
    nullable: bool,
    /// True if it is the primary key, which the integers replace.
    is_primary: bool,
}

/// The 16 bytes of a column in a row `t`, and a condition that the map has no integer for them.
#[derive(Serialize)]
struct SourceText {
    name: String,
    bytes: String,
    without: String,
}

/// A column of ids whose place a column of integers takes.
#[derive(Serialize)]
struct ReferenceText {
    name: String,
    integer: String,
    nullable: bool,
    comment: String,
}

#[derive(Serialize)]
pub(super) struct GeneratedText {
    name: String,
    r#type: String,
    value: String,
}

/// A column that refers to the own table: its new value, of a row `t`, and a condition that it is there.
#[derive(Serialize)]
struct OwnColumnText {
    column: String,
    value: String,
    equal: String,
}

pub(super) struct Texts<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) graph: &'a Graph,
    pub(super) options: &'a Options,
    pub(super) engine: Engine,
    /// The version of the server.
    pub(super) version: [u32; 3],
    /// The map of a plan with `--to integer`.
    pub(super) map: Option<&'a Map>,
    pub(super) names: &'a Names,
}

impl TableText {
    /// The first column of the primary key, whose order the copy follows.
    pub(super) fn first(&self) -> &str {
        &self.first.name
    }

    pub(super) fn refers_to_itself(&self) -> bool {
        self.foreign.iter().any(|key| key.is_own)
    }

    /// The number of columns of its foreign keys to itself.
    pub(super) fn columns_to_itself(&self) -> usize {
        self.foreign.iter().filter(|key| key.is_own).map(ForeignText::column_count).sum()
    }
}

impl Texts<'_> {
    pub(super) fn conversion(&self, table: &str, column: &Column) -> Option<Conversion> {
        let form = *self.graph.keys.get(&(table.to_owned(), column.name.clone()))?;
        let (charset, collation) = (column.charset.clone(), column.collation.clone());
        let declared = column.type_text.clone();
        Some(Conversion { engine: self.engine, form, to: self.options.to, declared, charset, collation })
    }

    pub(super) fn table(&self, table: &Table) -> Option<TableText> {
        let stored: Vec<&Column> = table.columns.iter().filter(|column| !column.is_generated()).collect();
        let primary: Vec<&Column> = table.primary.iter().filter_map(|name| table.column(name)).collect();
        let first = primary.first()?;
        let of_keys = |each: &dyn Fn(&Column) -> String, with: &str| {
            primary.iter().map(|column| each(column)).collect::<Vec<_>>().join(with)
        };
        let keys = stored.iter().filter_map(|column| match self.fate(table, column) {
            Fate::Changes(conversion) => Some(self.key(column, &conversion)),
            _ => None,
        });
        let written = self.written(table, &stored);
        let new = |column: &Column| self.new_name_of(table, column);
        let made = table.columns.iter().filter(|column| column.is_stored);
        let compared: Vec<_> =
            written.iter().cloned().chain(made.map(|column| (column.name.clone(), column))).collect();
        let read = |(new, column): &(String, &Column)| self.forward(table, new, column, "t", self.lock());
        let side = |forward| Side { texts: self, table, stored: &stored, primary: &primary, forward }.text();
        Some(TableText {
            now: table.name.clone(),
            new: self.new_name(&table.name),
            old: self.old_name(&table.name),
            at: with_ending(&table.name, &self.names.ending("at")),
            columns: written.iter().map(|(name, _)| name.clone()).collect(),
            read: written.iter().map(read).collect(),
            texts: self.generated(table),
            owners: stored.iter().filter_map(|column| self.owner(table, column)).collect(),
            sources: stored.iter().filter_map(|column| self.source(table, column)).collect(),
            references: stored.iter().filter_map(|column| self.reference(table, column)).collect(),
            row_format: table.row_format.clone(),
            keys: keys.collect(),
            supports: self.supports(table),
            first: self.key_column(table, first),
            lax: if table.has_expressions() { settings::LAX } else { "" },
            unreadable: stored.iter().filter_map(|column| self.unreadable(table, column, "t")).collect(),
            is_moved: self.is_moved(table, first),
            primary: primary.iter().map(|column| self.key_column(table, column)).collect(),
            own: self.own_columns(table),
            stamped: stamped(&stored),
            join_new: of_keys(
                &|key| {
                    let new = new(key);
                    format!("{} = {}", column_of("s", &new), self.forward(table, &new, key, "t", ""))
                },
                " AND ",
            ),
            join_old: of_keys(
                &|key| format!("{} = {}", column_of("t", &key.name), self.backward(table, key, "s")),
                " AND ",
            ),
            compared: compared.iter().map(|(new, _)| new.clone()).collect(),
            equal: compared.iter().map(|(new, column)| self.equal(table, new, column)).collect(),
            keys_of_t: of_keys(&|key| column_of("t", &key.name), ", "),
            keys_of_s: of_keys(&|key| self.backward(table, key, "s"), ", "),
            foreign: self.foreign(table),
            counts_to: stored
                .iter()
                .find(|column| column.counts)
                .map(|column| form::most(&column.data_type, &column.type_text)),
            forward: side(true),
            backward: side(false),
        })
    }

    /// Distinguishes the names of a table's triggers from those of other tables: the servers compare names of triggers
    /// without case, and MySQL without accents. Empty for a name of small letters, digits and `_`, which needs nothing.
    fn number_in_triggers(&self, table: &str) -> String {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        match self.graph.order.iter().position(|other| other == table) {
            Some(at) if !table.chars().all(is_plain) => (at + 1).to_string(),
            _ => String::new(),
        }
    }

    fn new_name(&self, table: &str) -> String {
        table_with_ending(table, &self.names.ending("new"))
    }

    fn old_name(&self, table: &str) -> String {
        table_with_ending(table, &self.names.ending("old"))
    }

    /// The clause of a locking read that the copy can use in a subquery.
    fn lock(&self) -> &'static str {
        if self.engine == Engine::MySql { " FOR SHARE NOWAIT" } else { " LOCK IN SHARE MODE" }
    }

    /// The columns that the new table gets beside those of the old one, and the column that each is for.
    pub(super) fn added(&self, table: &Table) -> Vec<(String, String)> {
        let changed = table.columns.iter().filter(|column| self.conversion(&table.name, column).is_some());
        let names = changed.flat_map(|column| {
            let text = self.options.keep_text.then(|| text_name(&column.name));
            let integer = self.map.is_some().then(|| integer_name(&column.name));
            text.into_iter().chain(integer).map(|name| (name, column.name.clone()))
        });
        names.collect()
    }

    fn owner(&self, table: &Table, column: &Column) -> Option<OwnerText> {
        matches!(self.fate(table, column), Fate::Named(..)).then(|| OwnerText {
            name: column.name.clone(),
            integer: integer_name(&column.name),
            nullable: column.nullable,
            is_primary: table.has_primary_key() && table.primary == [column.name.clone()],
        })
    }

    /// The parents of other tables have their integers when this table is copied, but not the rows of the table itself.
    fn source(&self, table: &Table, column: &Column) -> Option<SourceText> {
        let (conversion, map) = match self.fate(table, column) {
            Fate::Named(conversion, map) => (conversion, map),
            Fate::Refers(conversion, map) if self.refers_to_itself(table, column) => (conversion, map),
            _ => return None,
        };
        let bytes = conversion.forward(&column_of("t", &column.name));
        Some(SourceText { name: column.name.clone(), without: map.without(&bytes), bytes })
    }

    fn refers_to_itself(&self, table: &Table, column: &Column) -> bool {
        let mut own =
            self.catalog.foreign.iter().filter(|key| key.table == table.name && key.to_table == table.name);
        own.any(|key| key.columns.contains(&column.name))
    }

    /// A condition that the id of a row has no new value.
    fn unreadable(&self, table: &Table, column: &Column, row: &str) -> Option<String> {
        let conversion = self.conversion(&table.name, column)?;
        let value = column_of(row, &column.name);
        let is_null = (self.options.to == Target::Uuid)
            .then(|| format!("({value} IS NOT NULL AND {} IS NULL)", conversion.forward(&value)));
        let conditions: Vec<_> = conversion.form.misspelled(&value).into_iter().chain(is_null).collect();
        (!conditions.is_empty()).then(|| format!("({})", conditions.join(" OR ")))
    }

    fn reference(&self, table: &Table, column: &Column) -> Option<ReferenceText> {
        matches!(self.fate(table, column), Fate::Refers(..)).then(|| ReferenceText {
            name: column.name.clone(),
            integer: integer_name(&column.name),
            nullable: column.nullable,
            comment: column.comment.clone(),
        })
    }

    fn own_columns(&self, table: &Table) -> Vec<OwnColumnText> {
        let own =
            self.catalog.foreign.iter().filter(|key| key.table == table.name && key.to_table == table.name);
        let columns = own.flat_map(|key| &key.columns).filter_map(|column| table.column(column));
        let text = |column: &Column| {
            let new = self.new_name_of(table, column);
            OwnColumnText {
                value: self.forward(table, &new, column, "t", ""),
                equal: self.equal(table, &new, column),
                column: new,
            }
        };
        columns.map(text).collect()
    }

    fn key(&self, column: &Column, conversion: &Conversion) -> KeyText {
        let default = column.default.as_str();
        KeyText {
            name: column.name.clone(),
            new_type: conversion.new_type(),
            nullable: column.nullable,
            is_invisible: column.is_invisible,
            counts: column.counts,
            default: match conversion.form {
                _ if default.is_empty() => String::new(),
                Form::Integer => default.to_owned(),
                _ => format!("({})", conversion.forward(default)),
            },
            comment: column.comment.clone(),
        }
    }

    /// Returns the columns with the text of each changed column, for `--keep-text`.
    fn generated(&self, table: &Table) -> Vec<GeneratedText> {
        if !self.options.keep_text {
            return Vec::new();
        }
        let texts = table.columns.iter().filter_map(|column| {
            let conversion = self.conversion(&table.name, column)?;
            Some(GeneratedText {
                name: text_name(&column.name),
                r#type: column.declared(),
                value: conversion.backward(&name(&column.name)),
            })
        });
        texts.collect()
    }

    fn supports(&self, table: &Table) -> Vec<SupportText> {
        let mut found: Vec<SupportText> = Vec::new();
        for key in self.catalog.foreign.iter().filter(|key| key.table == table.name) {
            for index in table.supports_of(&key.columns) {
                if found.iter().all(|support| support.name != index) {
                    let columns = key.columns.iter().map(|column| self.key_name(&key.table, column));
                    found.push(SupportText { name: index.to_owned(), columns: columns.collect() });
                }
            }
        }
        found
    }
}

fn stamped(columns: &[&Column]) -> Vec<String> {
    columns.iter().filter(|column| column.is_stamped).map(|column| column.name.clone()).collect()
}

/// The name of a column with the old text.
fn text_name(column: &str) -> String {
    with_ending(column, "_text")
}
