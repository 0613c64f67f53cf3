//! The tables of one schema, as `information_schema` describes them.

mod read;

use std::collections::{BTreeMap, BTreeSet};

use super::quote::{literal, name};
use crate::programs::Program;
use idgen_database::catalog::ForeignKey;
use idgen_database::catalog::mysql::IndexPart;
use idgen_database::{Error, Result};

#[derive(Debug, Default)]
pub(super) struct Catalog {
    pub(super) schema: String,
    pub(super) tables: BTreeMap<String, Table>,
    /// Foreign keys of this schema, and those of others that refer to it.
    pub(super) foreign: Vec<ForeignKey>,
    /// Tables that have triggers, with the names of the triggers.
    pub(super) triggers: Vec<(String, String)>,
    /// Views, routines, events and triggers of this schema, and those of other schemas that name it.
    pub(super) programs: Vec<Program>,
    /// Why the programs of other schemas could not be read.
    pub(super) others_unread: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) engine: String,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) is_partitioned: bool,
    /// The format of rows if it was not declared, and is another one than that of new tables.
    pub(super) row_format: String,
    /// `BASE TABLE`, or `VIEW`, `SYSTEM VERSIONED` and so on.
    pub(super) kind: String,
    pub(super) columns: Vec<Column>,
    pub(super) parts: Vec<Part>,
    /// The index whose columns tell the rows apart: the primary key, or a unique key without NULL.
    pub(super) key: String,
    /// The columns of this key.
    pub(super) primary: Vec<String>,
    /// Check constraints: their names and conditions.
    pub(super) conditions: Vec<(String, String)>,
}

/// A part of an index.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Part {
    pub(super) index: String,
    /// Empty for an expression.
    pub(super) column: String,
    pub(super) expression: String,
    /// The number of characters or bytes of the column that the index holds; 0 for all.
    pub(super) prefix: u64,
    pub(super) is_tree: bool,
    is_unique: bool,
    nullable: bool,
    /// Ascending, seen by the optimizer, without a comment: as the server makes an index for a foreign key.
    is_plain: bool,
}

#[derive(Debug, Default)]
pub(super) struct Column {
    pub(super) name: String,
    /// The type, as a declaration writes it: `char(36)`.
    pub(super) type_text: String,
    pub(super) data_type: String,
    pub(super) nullable: bool,
    pub(super) charset: String,
    pub(super) collation: String,
    /// The default, as a declaration writes it: a text in quotes, or an expression in parentheses. Empty if there is
    /// none.
    pub(super) default: String,
    /// There is a default, but MySQL does not show it: it was given by `ALTER COLUMN … SET DEFAULT (expression)`.
    pub(super) has_hidden_default: bool,
    /// The expression of a generated column; empty for others.
    pub(super) generated: String,
    /// A generated column whose values are stored in the rows.
    pub(super) is_stored: bool,
    pub(super) is_invisible: bool,
    pub(super) counts: bool,
    /// Set to the time by each UPDATE that does not name it.
    pub(super) is_stamped: bool,
    pub(super) comment: String,
    /// The length in characters or bytes; 0 if the type has none.
    pub(super) length: u64,
}

impl Table {
    pub(super) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    pub(super) fn is_base(&self) -> bool {
        self.kind == "BASE TABLE"
    }

    /// True if the server computes something when a row is written: a generated column, an index of an expression or a check constraint.
    pub(super) fn has_expressions(&self) -> bool {
        self.columns.iter().any(Column::is_generated)
            || self.parts.iter().any(|part| !part.expression.is_empty())
            || !self.conditions.is_empty()
    }

    pub(super) fn has_primary_key(&self) -> bool {
        self.key == IndexPart::PRIMARY
    }

    fn of_index(&self, index: &str) -> Vec<&Part> {
        self.parts.iter().filter(|part| part.index == index).collect()
    }

    /// Returns true if these columns are a whole unique key.
    pub(super) fn is_unique(&self, columns: &[String]) -> bool {
        !self.indexes_of(columns, |part| part.is_unique).is_empty()
    }

    /// The indexes that the server may have made for a foreign key of these columns.
    pub(super) fn supports_of(&self, columns: &[String]) -> Vec<&str> {
        self.indexes_of(columns, |part| part.is_plain && part.is_tree && !part.is_unique)
    }

    /// The indexes of these whole columns, in this order, all of whose parts are as asked.
    fn indexes_of(&self, columns: &[String], fits: impl Fn(&Part) -> bool) -> Vec<&str> {
        let is_of = |index: &&str| {
            let parts = self.of_index(index);
            parts.iter().all(|part| part.prefix == 0 && fits(part))
                && parts.iter().map(|part| &part.column).eq(columns)
        };
        self.indexes().into_iter().filter(is_of).collect()
    }

    fn indexes(&self) -> BTreeSet<&str> {
        self.parts.iter().map(|part| part.index.as_str()).collect()
    }

    /// The primary key, or the shortest unique key that identifies each row.
    fn choose_key(&mut self) {
        // The copy writes the columns of the key.
        let is_written = |part: &Part| self.column(&part.column).is_some_and(|column| !column.is_generated());
        let tells_apart = |part: &&Part| {
            part.is_unique && part.is_tree && !part.nullable && part.prefix == 0 && is_written(part)
        };
        let keys = self.indexes().into_iter().filter(|index| self.of_index(index).iter().all(tells_apart));
        let key = keys
            .min_by_key(|index| (*index != IndexPart::PRIMARY, self.of_index(index).len()))
            .map(str::to_owned);
        if let Some(key) = key {
            self.primary = self.of_index(&key).into_iter().map(|part| part.column.clone()).collect();
            self.key = key;
        }
    }
}

impl Column {
    pub(super) fn is_generated(&self) -> bool {
        !self.generated.is_empty()
    }

    /// The whole column with another default, as MySQL needs it: it does not show a default that `ALTER COLUMN … SET DEFAULT
    /// (expression)` gave, and a dump of the table would lose it.
    pub(super) fn definition(&self, default: &str) -> String {
        let mut all = format!("{} {}", name(&self.name), self.declared());
        all.push_str(if self.nullable { " NULL" } else { " NOT NULL" });
        if !default.is_empty() {
            all.push_str(&format!(" DEFAULT {default}"));
        }
        if self.is_invisible {
            all.push_str(" INVISIBLE");
        }
        if !self.comment.is_empty() {
            all.push_str(&format!(" COMMENT {}", literal(&self.comment)));
        }
        all
    }

    /// The type with its character set, for declarations of variables and columns.
    pub(super) fn declared(&self) -> String {
        match self.collation.as_str() {
            "" => self.type_text.clone(),
            collation => format!("{} CHARACTER SET {} COLLATE {collation}", self.type_text, self.charset),
        }
    }
}

impl Catalog {
    /// A table that the user named.
    pub(super) fn table(&self, name: &str) -> Result<&Table> {
        let table = self.tables.get(name).ok_or_else(|| {
            Error::new(format!("the schema {} has no table \"{name}\" that this user can see", self.schema))
        })?;
        if !table.is_base() {
            return Err(Error::new(format!("the table {name} is no base table, but {}", table.kind)));
        }
        Ok(table)
    }
}
