//! `pg_catalog`, as far as a plan needs it.

use serde::Deserialize;

use super::names::quoted;
use super::session::Session;
use idgen_database::{Error, Result};

/// The objects of a database that matter to a plan.
#[derive(Debug)]
pub(super) struct Catalog {
    pub(super) tables: Vec<Table>,
    pub(super) columns: Vec<Column>,
    pub(super) foreign_keys: Vec<ForeignKey>,
    pub(super) indexes: Vec<Index>,
    pub(super) dependents: Vec<Dependent>,
    pub(super) functions: Vec<Function>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Table {
    pub(super) id: i64,
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) rows: i64,
    pub(super) bytes: i64,
    pub(super) kind: String,
    pub(super) inherits: bool,
    pub(super) forces_policies: bool,
    pub(super) temporary: bool,
    pub(super) typed: bool,
    pub(super) of_extension: bool,
    pub(super) unchecked_keys: bool,
    pub(super) rules: Vec<String>,
    pub(super) stored_rows: Vec<String>,
    pub(super) late_triggers: Vec<String>,
    pub(super) readable: bool,
    pub(super) owned: bool,
    pub(super) update_triggers: Vec<String>,
    /// Views, functions and triggers with transition tables, which have all columns of the table as a value.
    pub(super) row_users: Vec<String>,
    pub(super) publications: Vec<String>,
    /// Updates are published, and the table has no replica identity.
    pub(super) has_no_identity: bool,
}

/// A column of a table: the table's id and the number of the column.
pub(super) type Place = (i64, i32);

#[derive(Debug, Deserialize)]
pub(super) struct Column {
    pub(super) table: i64,
    pub(super) number: i32,
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) type_text: String,
    pub(super) not_null: bool,
    /// The name of the constraint that says so, on servers that give it one.
    pub(super) not_null_name: Option<String>,
    pub(super) not_null_valid: bool,
    /// `NO INHERIT`.
    pub(super) not_null_own: bool,
    pub(super) not_null_comment: Option<String>,
    pub(super) statistics: Option<i32>,
    pub(super) options: Vec<String>,
    pub(super) labelled: bool,
    pub(super) default: Option<String>,
    /// Sequences of identity columns that the default uses.
    pub(super) lent_sequences: Vec<String>,
    /// Sequences of other roles that the default uses, and that end before `bigint` does.
    pub(super) foreign_sequences: Vec<String>,
    pub(super) generated: bool,
    pub(super) granted: bool,
    pub(super) comment: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ForeignKey {
    pub(super) name: String,
    pub(super) child: i64,
    pub(super) parent: i64,
    pub(super) columns: Vec<i32>,
    pub(super) refers_to: Vec<i32>,
    pub(super) on_update: String,
    pub(super) on_delete: String,
    pub(super) deferrable: bool,
    pub(super) deferred: bool,
    pub(super) enforced: bool,
    pub(super) valid: bool,
    pub(super) match_full: bool,
    /// The columns of `ON DELETE SET NULL (…)`. Empty where it names none.
    pub(super) set_columns: Vec<i32>,
    /// The operators that compare the parent's columns with the child's, whatever the search path.
    pub(super) operators: Vec<String>,
    pub(super) comment: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Index {
    pub(super) table: i64,
    pub(super) name: String,
    pub(super) method: String,
    pub(super) unique: bool,
    pub(super) primary: bool,
    pub(super) valid: bool,
    pub(super) exclusion: bool,
    pub(super) identity: bool,
    /// Zero stands for an expression.
    pub(super) columns: Vec<i32>,
    pub(super) key_columns: usize,
    pub(super) options: Vec<i32>,
    pub(super) expressions: Option<String>,
    pub(super) predicate: Option<String>,
    pub(super) nulls_not_distinct: bool,
    pub(super) settings: Vec<String>,
    pub(super) tablespace: Option<String>,
    pub(super) default_class: Vec<bool>,
    pub(super) collations: Vec<Option<String>>,
    pub(super) clustered: bool,
    /// The extensions with which it is dropped.
    pub(super) extensions: Vec<String>,
    pub(super) comment: Option<String>,
    pub(super) constraint_comment: Option<String>,
    pub(super) constraint: Option<String>,
    pub(super) deferrable: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Dependent {
    pub(super) table: i64,
    pub(super) number: i32,
    pub(super) what: String,
    /// A sequence that the column owns.
    pub(super) is_sequence: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) text: String,
}

impl Catalog {
    pub(super) async fn read(session: &mut Session) -> Result<Catalog> {
        Ok(Catalog {
            tables: session.rows("tables", include_str!("queries/tables.sql")).await?,
            columns: session.rows("columns", include_str!("queries/columns.sql")).await?,
            foreign_keys: session.rows("foreign keys", include_str!("queries/foreign_keys.sql")).await?,
            indexes: session.rows("indexes", include_str!("queries/indexes.sql")).await?,
            dependents: session.rows("dependencies", include_str!("queries/dependents.sql")).await?,
            functions: session.rows("functions", include_str!("queries/functions.sql")).await?,
        })
    }

    /// The table with a name, which may have its schema before it.
    pub(super) fn find(&self, table: &str) -> Result<&Table> {
        let found = |schema: Option<&str>, name: &str| {
            let same = |at: &usize| {
                let table = &self.tables[*at];
                table.name == name && schema.is_none_or(|schema| schema == table.schema)
            };
            (0..self.tables.len()).filter(same).collect::<Vec<_>>()
        };
        let mut places = found(None, table);
        for (at, dot) in table.match_indices('.') {
            places.extend(found(Some(&table[..at]), &table[at + dot.len()..]));
        }
        match places[..] {
            [at] => Ok(&self.tables[at]),
            [] => Err(Error::new(format!("there is no table {table} in this database"))),
            _ => Err(Error::new(format!(
                "there are several tables with the name {table}: write one of {}",
                places
                    .iter()
                    .map(|&at| format!("{}.{}", self.tables[at].schema, self.tables[at].name))
                    .collect::<Vec<_>>()
                    .join(", ")
            ))),
        }
    }

    pub(super) fn table(&self, id: i64) -> Option<&Table> {
        self.tables.iter().find(|table| table.id == id)
    }

    pub(super) fn column(&self, (table, number): Place) -> Option<&Column> {
        self.columns.iter().find(|column| (column.table, column.number) == (table, number))
    }

    /// A column with its table, for messages.
    pub(super) fn shown(&self, place: Place) -> String {
        let table = self.table(place.0).map_or(String::new(), Table::shown);
        format!("{table}.{}", self.column(place).map_or("", |column| &column.name))
    }
}

impl Index {
    /// Returns true for an index of a single text for `LIKE`. An id has no use for it, so it is dropped with the old
    /// column.
    pub(super) fn serves_texts(&self) -> bool {
        !self.unique && self.columns.len() == 1 && (self.default_class == [false] || self.method == "gin")
    }
}

impl Table {
    /// Its name in a statement.
    pub(super) fn written(&self) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(&self.name))
    }

    /// Its name, with the schema unless that is `public`.
    pub(super) fn shown(&self) -> String {
        match self.schema.as_str() {
            "public" => self.name.clone(),
            schema => format!("{schema}.{}", self.name),
        }
    }
}
