//! What the templates need of a table: names, and expressions for each column.

use serde::Serialize;

use super::catalog::{Catalog, Column, Foreign, Table};
use super::form::Conversion;
use super::graph::Graph;
use super::quote::{name, with_ending};
use crate::options::Options;
use crate::plan::Engine;

#[derive(Serialize)]
pub(super) struct TableText {
    pub(super) now: String,
    pub(super) new: String,
    pub(super) old: String,
    /// The table with the position of the copy.
    pub(super) at: String,
    pub(super) columns: Vec<String>,
    /// The new values, of a row `t` of the table.
    read: Vec<String>,
    keys: Vec<KeyText>,
    texts: Vec<GeneratedText>,
    first: FirstText,
    primary: Vec<FirstText>,
    /// Columns that refer to the own table.
    own: Vec<OwnColumnText>,
    join_new: String,
    join_old: String,
    equal: Vec<String>,
    keys_of_t: String,
    keys_of_s: String,
    pub(super) foreign: Vec<ForeignText>,
    pub(super) counts: bool,
    pub(super) forward: SideText,
    pub(super) backward: SideText,
}

/// A column whose type changes.
#[derive(Serialize)]
struct KeyText {
    name: String,
    new_type: &'static str,
    nullable: bool,
    default: String,
    comment: String,
}

#[derive(Serialize)]
struct GeneratedText {
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

/// A column of the primary key. The copy goes by the first.
#[derive(Serialize)]
struct FirstText {
    name: String,
    r#type: String,
    new_type: String,
}

#[derive(Serialize)]
pub(super) struct ForeignText {
    new_name: String,
    columns: Vec<String>,
    pub(super) to: String,
    new_to: String,
    now_to: String,
    to_columns: Vec<String>,
    on_delete: String,
    on_update: String,
    join: String,
    orphan: String,
    /// It refers to its own table.
    pub(super) is_own: bool,
}

/// The triggers of one direction.
#[derive(Serialize)]
pub(super) struct SideText {
    pub(super) from: String,
    to: String,
    /// The phase in which they work: 0 before the renaming, 1 after it.
    phase: u8,
    pub(super) insert: String,
    pub(super) update: String,
    pub(super) delete: String,
    columns: Vec<String>,
    new: Vec<String>,
    where_old: String,
    key_changed: String,
    set_null: Vec<OwnText>,
    cascade: Vec<OwnText>,
}

/// What a foreign key from a table to itself does.
#[derive(Serialize)]
struct OwnText {
    column: String,
    new: String,
    old: String,
}

impl ForeignText {
    pub(super) fn name(&self) -> &str {
        &self.new_name
    }
}

pub(super) struct Texts<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) graph: &'a Graph,
    pub(super) options: &'a Options,
    pub(super) engine: Engine,
}

impl Texts<'_> {
    pub(super) fn conversion(&self, table: &str, column: &Column) -> Option<Conversion> {
        let form = *self.graph.keys.get(&(table.to_owned(), column.name.clone()))?;
        let (charset, collation) = (column.charset.clone(), column.collation.clone());
        Some(Conversion { engine: self.engine, form, to: self.options.to, charset, collation })
    }

    /// The new value of an old one; columns that do not change have the same.
    fn forward(&self, table: &Table, column: &Column, row: &str) -> String {
        let value = format!("{row}.{}", name(&column.name));
        self.conversion(&table.name, column).map_or(value.clone(), |conversion| conversion.forward(&value))
    }

    fn backward(&self, table: &Table, column: &Column, row: &str) -> String {
        let value = format!("{row}.{}", name(&column.name));
        self.conversion(&table.name, column).map_or(value.clone(), |conversion| conversion.backward(&value))
    }

    pub(super) fn table(&self, table: &Table) -> Option<TableText> {
        let stored: Vec<&Column> = table.columns.iter().filter(|column| !column.is_generated).collect();
        let primary: Vec<&Column> = table.primary.iter().filter_map(|name| table.column(name)).collect();
        let first = primary.first()?;
        let all = |parts: Vec<String>, with: &str| parts.join(with);
        let of_keys = |each: &dyn Fn(&Column) -> String, with: &str| {
            all(primary.iter().map(|column| each(column)).collect(), with)
        };
        let keys = stored.iter().filter_map(|column| Some((*column, self.conversion(&table.name, column)?)));
        let side = |forward: bool| self.side(table, &stored, &primary, forward);
        Some(TableText {
            now: table.name.clone(),
            new: new_name(&table.name),
            old: old_name(&table.name),
            at: with_ending(&table.name, "_plan_at"),
            columns: stored.iter().map(|column| column.name.clone()).collect(),
            read: stored.iter().map(|column| self.forward(table, column, "t")).collect(),
            texts: self.generated(table),
            keys: keys.map(|(column, conversion)| self.key(column, &conversion)).collect(),
            first: self.key_column(table, first),
            primary: primary.iter().map(|column| self.key_column(table, column)).collect(),
            own: self.own_columns(table),
            join_new: of_keys(
                &|key| format!("s.{} = {}", name(&key.name), self.forward(table, key, "t")),
                " AND ",
            ),
            join_old: of_keys(
                &|key| format!("t.{} = {}", name(&key.name), self.backward(table, key, "s")),
                " AND ",
            ),
            equal: stored.iter().map(|column| self.equal(table, column)).collect(),
            keys_of_t: of_keys(&|key| format!("t.{}", name(&key.name)), ", "),
            keys_of_s: of_keys(&|key| self.backward(table, key, "s"), ", "),
            foreign: self.foreign(table),
            counts: stored.iter().any(|column| column.counts),
            forward: side(true),
            backward: side(false),
        })
    }

    fn key_column(&self, table: &Table, column: &Column) -> FirstText {
        let new_type = match self.conversion(&table.name, column) {
            Some(conversion) => conversion.new_type().to_owned(),
            None => column.declared(),
        };
        FirstText { name: column.name.clone(), r#type: column.declared(), new_type }
    }

    fn own_columns(&self, table: &Table) -> Vec<OwnColumnText> {
        let own =
            self.catalog.foreign.iter().filter(|key| key.table == table.name && key.to_table == table.name);
        let columns = own.flat_map(|key| &key.columns).filter_map(|column| table.column(column));
        let text = |column: &Column| OwnColumnText {
            column: column.name.clone(),
            value: self.forward(table, column, "t"),
            equal: self.equal(table, column),
        };
        columns.map(text).collect()
    }

    fn key(&self, column: &Column, conversion: &Conversion) -> KeyText {
        let makes_ids = column.default.to_ascii_lowercase().contains("uuid()");
        KeyText {
            name: column.name.clone(),
            new_type: conversion.new_type(),
            nullable: column.nullable,
            default: if makes_ids { conversion.forward(&column.default) } else { String::new() },
            comment: column.comment.clone(),
        }
    }

    /// For `--keep-text`: columns with the text of each changed column.
    fn generated(&self, table: &Table) -> Vec<GeneratedText> {
        if !self.options.keep_text {
            return Vec::new();
        }
        let texts = table.columns.iter().filter_map(|column| {
            let conversion = self.conversion(&table.name, column)?;
            Some(GeneratedText {
                name: with_ending(&column.name, "_text"),
                r#type: column.declared(),
                value: conversion.backward(&name(&column.name)),
            })
        });
        texts.collect()
    }

    /// Texts are compared as bytes: under a collation, texts that differ may be equal.
    fn equal(&self, table: &Table, column: &Column) -> String {
        let new = format!("s.{}", name(&column.name));
        let value = self.forward(table, column, "t");
        let is_text = !column.charset.is_empty() && self.conversion(&table.name, column).is_none();
        if is_text {
            format!("CAST({new} AS BINARY) <=> CAST({value} AS BINARY)")
        } else {
            format!("{new} <=> {value}")
        }
    }

    fn foreign(&self, table: &Table) -> Vec<ForeignText> {
        let of_table = self.catalog.foreign.iter().filter(|key| key.table == table.name);
        of_table.map(|key| self.foreign_key(key)).collect()
    }

    fn foreign_key(&self, key: &Foreign) -> ForeignText {
        let changes = self.graph.order.contains(&key.to_table);
        let pairs = key.columns.iter().zip(&key.to_columns);
        let join: Vec<_> = pairs.map(|(from, to)| format!("p.{} = s.{}", name(to), name(from))).collect();
        let mut orphan: Vec<_> =
            key.columns.iter().map(|from| format!("s.{} IS NOT NULL", name(from))).collect();
        orphan.extend(key.to_columns.first().map(|to| format!("p.{} IS NULL", name(to))));
        ForeignText {
            new_name: match key.name.strip_suffix("_plan") {
                // Of an earlier plan. A name must be another one than that of the key that stays until the end.
                Some(name) => name.to_owned(),
                None => with_ending(&key.name, "_plan"),
            },
            columns: key.columns.clone(),
            to: key.to_table.clone(),
            new_to: if changes { new_name(&key.to_table) } else { key.to_table.clone() },
            now_to: key.to_table.clone(),
            to_columns: key.to_columns.clone(),
            on_delete: key.on_delete.clone(),
            on_update: key.on_update.clone(),
            join: join.join(" AND "),
            orphan: orphan.join(" AND "),
            is_own: key.table == key.to_table,
        }
    }

    fn side(&self, table: &Table, stored: &[&Column], primary: &[&Column], forward: bool) -> SideText {
        let convert = |column: &Column, row: &str| match forward {
            true => self.forward(table, column, row),
            false => self.backward(table, column, row),
        };
        let (from, to) = match forward {
            true => (table.name.clone(), new_name(&table.name)),
            false => (new_name(&table.name), old_name(&table.name)),
        };
        let keys = |each: &dyn Fn(&Column) -> String, with: &str| {
            primary.iter().map(|column| each(column)).collect::<Vec<_>>().join(with)
        };
        let place = |key: &Column| format!("{}.{} = {}", name(&to), name(&key.name), convert(key, "OLD"));
        let changed = |key: &Column| format!("NOT ({} <=> {})", convert(key, "NEW"), convert(key, "OLD"));
        let own = |takes: &dyn Fn(&Foreign) -> bool| {
            let keys = self.catalog.foreign.iter().filter(|key| {
                // After the renaming, the old table has its foreign key.
                forward && key.table == table.name && key.to_table == table.name && takes(key)
            });
            let own =
                keys.flat_map(|key| key.columns.iter().zip(&key.to_columns)).filter_map(|(column, to)| {
                    let to = table.column(to)?;
                    Some(OwnText { column: column.clone(), new: convert(to, "NEW"), old: convert(to, "OLD") })
                });
            own.collect()
        };
        let letter = if forward { "f" } else { "b" };
        let trigger = |event: &str| with_ending(&table.name, &format!("_plan_{letter}{event}"));
        SideText {
            phase: u8::from(!forward),
            insert: trigger("i"),
            update: trigger("u"),
            delete: trigger("d"),
            columns: stored.iter().map(|column| column.name.clone()).collect(),
            new: stored.iter().map(|column| convert(column, "NEW")).collect(),
            where_old: keys(&place, " AND "),
            key_changed: format!("({})", keys(&changed, " OR ")),
            set_null: own(&|key| key.on_delete == "SET NULL"),
            cascade: own(&|key| key.on_update == "CASCADE"),
            from,
            to,
        }
    }
}

pub(super) fn new_name(table: &str) -> String {
    with_ending(table, "_plan_new")
}

pub(super) fn old_name(table: &str) -> String {
    with_ending(table, "_plan_old")
}
