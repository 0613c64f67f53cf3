//! The triggers of one direction: from the old tables to the new ones, or back.

use serde::Serialize;

use super::values::{Fate, column_of, integer_name};
use super::{Texts, stamped};
use crate::plan::data::Engine;
use crate::plan::mysql::catalog::{Column, Table};
use crate::plan::mysql::quote::{name, with_ending};
use crate::plan::mysql::settings;
use idgen_database::catalog::ForeignKey;

/// The triggers of one direction.
#[derive(Serialize)]
pub(in crate::plan::mysql) struct SideText {
    pub(in crate::plan::mysql) from: String,
    to: String,
    /// The phase in which they work: 0 before the renaming, 1 after it.
    phase: u8,
    pub(in crate::plan::mysql) insert: String,
    pub(in crate::plan::mysql) update: String,
    pub(in crate::plan::mysql) delete: String,
    /// The statement that sets another mode for the triggers of tables with expressions; empty for others.
    pub(in crate::plan::mysql) lax: &'static str,
    columns: Vec<String>,
    new: Vec<String>,
    /// Ids that are refused, because the way back would not find their rows.
    misspelled: Vec<MisspelledText>,
    /// The values of `columns` in a row that the trigger for UPDATE inserts.
    updated: Vec<String>,
    /// The values that an UPDATE of a row of the other table sets. On the way back, an id keeps the spelling that its row has.
    set: Vec<String>,
    where_old: String,
    /// A condition that the time of a key is there twice in the zone of the session, so that its row cannot be found; empty for other keys.
    twice: String,
    key_changed: String,
    /// The table that fires the triggers, which has this name while they work, also after the renaming.
    now: String,
    /// A condition that the update of a row `s` of this table was ignored; empty where no trigger is fired for it.
    ignored: String,
    set_null: Vec<OwnText>,
    cascade: Vec<OwnText>,
    /// Columns that an UPDATE sets to the time unless it names them, which a cascade does not.
    stamped: Vec<String>,
    /// The questions for the map with which the triggers for each event begin.
    insert_asks: Vec<Ask>,
    update_asks: Vec<Ask>,
    delete_asks: Vec<Ask>,
}

/// A column whose new value is refused where the condition `wrong` is true.
#[derive(Serialize)]
struct MisspelledText {
    wrong: String,
    /// A condition that an UPDATE has changed the value; one that it leaves as it is was stored before the triggers were made.
    changed: String,
    message: String,
    /// The state and the number of the error that a trigger signals, as SQL after `SIGNAL`.
    state: &'static str,
    number: &'static str,
}

/// The change that a foreign key from a table to itself makes to a column.
#[derive(Serialize)]
struct OwnText {
    column: String,
    new: String,
    old: String,
}

/// A question for the map, whose answer is in a variable.
#[derive(Clone, Serialize)]
struct Ask {
    procedure: String,
    value: String,
    variable: String,
    r#type: &'static str,
    /// The only correct answer, if there is one. The statement fails with `message` on any other.
    must: Option<String>,
    message: String,
}

impl SideText {
    /// The names of the three triggers.
    pub(in crate::plan::mysql) fn triggers(&self) -> [&String; 3] {
        [&self.insert, &self.update, &self.delete]
    }
}

/// One table in one direction.
pub(super) struct Side<'a> {
    pub(super) texts: &'a Texts<'a>,
    pub(super) table: &'a Table,
    pub(super) stored: &'a [&'a Column],
    pub(super) primary: &'a [&'a Column],
    pub(super) forward: bool,
}

impl Side<'_> {
    pub(super) fn text(&self) -> SideText {
        let table = &self.table.name;
        let (from, to) = match self.forward {
            true => (table.clone(), self.texts.new_name(table)),
            false => (self.texts.new_name(table), self.texts.old_name(table)),
        };
        let letter = if self.forward { "f" } else { "b" };
        let number = self.texts.number_in_triggers(table);
        let trigger =
            |event: &str| with_ending(table, &self.texts.names.ending(&format!("{number}{letter}{event}")));
        let place = |key: &&Column| {
            format!("{}.{} = {}", name(&to), name(&self.name_in_to(key)), self.value(key, "OLD"))
        };
        let mut where_old: Vec<_> = self.primary.iter().map(place).collect();
        let timestamps = || self.primary.iter().filter(|key| key.data_type == "timestamp");
        where_old.extend(timestamps().map(|key| {
            let there = format!("{}.{}", name(&to), name(&key.name));
            format!("UNIX_TIMESTAMP({there}) = UNIX_TIMESTAMP({})", column_of("OLD", &key.name))
        }));
        // The server looks for a TIMESTAMP by the time of the session's zone, which is there twice when summer time ends, and finds the first one.
        let is_twice = |key: &&Column| {
            let old = column_of("OLD", &key.name);
            format!("NOT (UNIX_TIMESTAMP(CAST({old} AS DATETIME(6))) <=> UNIX_TIMESTAMP({old}))")
        };
        let twice: Vec<_> = timestamps().map(is_twice).collect();
        let changed: Vec<_> = self.primary.iter().map(|key| self.changed(key)).collect();
        let (columns, new) = self.written();
        let set_null = |key: &ForeignKey| key.on_delete == "SET NULL";
        let cascade = |key: &ForeignKey| key.on_update == "CASCADE";
        SideText {
            phase: u8::from(!self.forward),
            insert: trigger("i"),
            update: trigger("u"),
            delete: trigger("d"),
            lax: if self.table.has_expressions() { settings::LAX } else { "" },
            set: columns.iter().zip(&new).map(|(column, new)| self.set(column, new)).collect(),
            updated: columns.iter().zip(&new).map(|(column, new)| self.updated(column, new)).collect(),
            columns,
            new,
            misspelled: self.misspelled(),
            where_old: where_old.join(" AND "),
            twice: twice.join(" OR "),
            key_changed: format!("({})", changed.join(" OR ")),
            now: table.clone(),
            ignored: self.texts.ignored(self.table, self.stored, self.primary, self.forward),
            set_null: self.own(&set_null),
            cascade: self.own(&cascade),
            stamped: stamped(self.stored),
            insert_asks: self.new_asks(),
            update_asks: [self.new_asks(), self.old_asks(self.own_targets(&cascade))].concat(),
            delete_asks: self.old_asks(self.own_targets(&set_null)),
            from,
            to,
        }
    }

    fn fate(&self, column: &Column) -> Fate {
        self.texts.fate(self.table, column)
    }

    fn refers(&self, column: &Column) -> bool {
        matches!(self.fate(column), Fate::Refers(..))
    }

    fn name_in_to(&self, column: &Column) -> String {
        if self.forward { self.texts.new_name_of(self.table, column) } else { column.name.clone() }
    }

    /// The columns that the triggers write, and their values.
    fn written(&self) -> (Vec<String>, Vec<String>) {
        if !self.forward {
            let names = self.stored.iter().map(|column| column.name.clone());
            return (names.collect(), self.stored.iter().map(|column| self.value(column, "NEW")).collect());
        }
        let written = self.texts.written(self.table, self.stored);
        let value = |(new, column): &(String, &Column)| match *new == column.name {
            true => self.value(column, "NEW"),
            false => self.variable(column, "NEW"),
        };
        let values = written.iter().map(value).collect();
        (written.into_iter().map(|(name, _)| name).collect(), values)
    }

    /// Values that the triggers of the old table refuse: no ids, and ids in another spelling than the others. These would get the key of another
    /// row, or one by which the way back does not find their row. Without a strict mode, they refuse also what a strict one does.
    fn misspelled(&self) -> Vec<MisspelledText> {
        let of = |column: &&Column| {
            let conversion = self.texts.conversion(&self.table.name, column)?;
            let (new, old) = (column_of("NEW", &column.name), column_of("OLD", &column.name));
            let is_lax = self.table.has_expressions();
            let changed = format!("NOT (CAST({new} AS BINARY) <=> CAST({old} AS BINARY))");
            if !self.forward {
                let (least, most) = conversion.bounds().filter(|_| is_lax)?;
                return Some(MisspelledText {
                    wrong: format!("{new} NOT BETWEEN {least} AND {most}"),
                    changed,
                    message: format!("Out of range value for column '{}' at row 1", column.name),
                    state: "22003",
                    number: ", MYSQL_ERRNO = 1264",
                });
            }
            let wrong = match is_lax {
                true => self.texts.unreadable(self.table, column, "NEW"),
                false => conversion.form.misspelled(&new),
            };
            Some(MisspelledText {
                wrong: wrong?,
                changed,
                message: format!(
                    "idgen plan: {}.{} takes ids in the spelling that the others have",
                    self.table.name, column.name
                ),
                state: "45000",
                number: "",
            })
        };
        self.stored.iter().filter_map(of).collect()
    }

    /// On the way back, an id of the old table keeps its spelling where the collation ignores case: a foreign key without a cascade would
    /// refuse another one.
    fn set(&self, column: &str, new: &str) -> String {
        let of = self.stored.iter().find(|stored| !self.forward && stored.name == column);
        let conversion = of.and_then(|of| self.texts.conversion(&self.table.name, of));
        if conversion.is_none_or(|conversion| conversion.form.pattern().is_none()) {
            return self.updated(column, new);
        }
        let is = format!("{}.{}", name(&self.texts.old_name(&self.table.name)), name(column));
        format!("IF({is} <=> {new}, {is}, {new})")
    }

    /// In a trigger of MariaDB after an UPDATE that changes nothing, a column with `ON UPDATE CURRENT_TIMESTAMP` has the time of
    /// the statement, which is not stored. So a value that seems to be new is read from the row itself.
    fn updated(&self, column: &str, new: &str) -> String {
        let is_stamped = |stored: &&Column| stored.is_stamped && stored.name == column;
        if self.texts.engine != Engine::MariaDb || !self.stored.iter().any(is_stamped) {
            return new.to_owned();
        }
        let key = |key: &&Column| {
            let now = if self.forward { key.name.clone() } else { self.texts.new_name_of(self.table, key) };
            format!("{} = {}", column_of("s", &now), column_of("NEW", &now))
        };
        // While the trigger works, the table has this name, also after the renaming.
        format!(
            "IF({new} <=> {}, {new}, (SELECT {} FROM {} AS s WHERE {} LOCK IN SHARE MODE))",
            column_of("OLD", column),
            column_of("s", column),
            name(&self.table.name),
            self.primary.iter().map(key).collect::<Vec<_>>().join(" AND ")
        )
    }

    /// The value of a column in the other table; an integer, or the id of one, is in a variable.
    fn value(&self, column: &Column, row: &str) -> String {
        match (self.fate(column), self.forward) {
            (Fate::Refers(..), true) => self.variable(column, row),
            (Fate::Refers(conversion, _), false) => conversion.backward(&self.variable(column, row)),
            (_, true) => self.texts.forward(self.table, &column.name, column, row, ""),
            (_, false) => self.texts.backward(self.table, column, row),
        }
    }

    fn changed(&self, column: &Column) -> String {
        match self.fate(column) {
            Fate::Changes(_) => {
                format!("NOT ({} <=> {})", self.value(column, "NEW"), self.value(column, "OLD"))
            }
            _ => {
                let name = match self.forward {
                    true => column.name.clone(),
                    false => self.texts.new_name_of(self.table, column),
                };
                format!("NOT ({} <=> {})", column_of("NEW", &name), column_of("OLD", &name))
            }
        }
    }

    fn variable(&self, column: &Column, row: &str) -> String {
        let at = self.table.columns.iter().position(|other| other.name == column.name).unwrap_or_default();
        format!("{}_{at}", row.to_lowercase())
    }

    fn ask(&self, column: &Column, row: &str) -> Option<Ask> {
        let (Fate::Named(conversion, map) | Fate::Refers(conversion, map)) = self.fate(column) else {
            return None;
        };
        let variable = self.variable(column, row);
        if self.forward {
            let value = conversion.forward(&column_of(row, &column.name));
            let r#type = map.id_type;
            return Some(Ask {
                procedure: self.texts.names.claim.clone(),
                value,
                variable,
                r#type,
                must: None,
                message: String::new(),
            });
        }
        let integer = integer_name(&column.name);
        let must = (!self.refers(column)).then(|| conversion.forward(&column_of(row, &column.name)));
        Some(Ask {
            procedure: self.texts.names.bytes.clone(),
            value: column_of(row, &integer),
            variable,
            r#type: "BINARY(16)",
            must,
            message: format!(
                "idgen plan: {}.{integer} is not the integer that the map has for {}",
                self.table.name, column.name
            ),
        })
    }

    fn new_asks(&self) -> Vec<Ask> {
        self.stored.iter().filter_map(|column| self.ask(column, "NEW")).collect()
    }

    /// Returns the questions about the old row, each once: for the key by which the other table finds it, and for these
    /// columns.
    fn old_asks(&self, columns: Vec<&Column>) -> Vec<Ask> {
        let mut asks: Vec<Ask> = Vec::new();
        let keys = self.primary.iter().copied().filter(|key| self.refers(key));
        for ask in keys.chain(columns).filter_map(|column| self.ask(column, "OLD")) {
            if asks.iter().all(|other| other.variable != ask.variable) {
                asks.push(Ask { must: None, ..ask });
            }
        }
        asks
    }

    /// The foreign keys from the table to itself, which the new table does not have until its copy is complete. After the
    /// renaming, the old table has its own.
    fn own_keys(&self, takes: &dyn Fn(&ForeignKey) -> bool) -> Vec<(&String, &Column)> {
        let foreign = self.texts.catalog.foreign.iter().filter(|key| {
            self.forward && key.table == self.table.name && key.to_table == self.table.name && takes(key)
        });
        let columns = foreign.flat_map(|key| key.columns.iter().zip(&key.to_columns));
        columns.filter_map(|(column, to)| Some((column, self.table.column(to)?))).collect()
    }

    fn own_targets(&self, takes: &dyn Fn(&ForeignKey) -> bool) -> Vec<&Column> {
        self.own_keys(takes).into_iter().map(|(_, to)| to).collect()
    }

    fn own(&self, takes: &dyn Fn(&ForeignKey) -> bool) -> Vec<OwnText> {
        let text = |(column, to): (&String, &Column)| {
            let value = |row: &str| match self.ask(to, row) {
                Some(ask) => ask.variable,
                None => self.value(to, row),
            };
            OwnText {
                column: self.texts.key_name(&self.table.name, column),
                new: value("NEW"),
                old: value("OLD"),
            }
        };
        self.own_keys(takes).into_iter().map(text).collect()
    }
}
