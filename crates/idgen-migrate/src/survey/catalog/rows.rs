//! Makes tables, keys and foreign keys of the rows of a catalog, whichever database has it.

use std::collections::HashMap;

use crate::survey::schema::{Catalog, ForeignKey, Key, Table};
use crate::survey::session::{Cell, Rows, Session};
use idgen_database::Result;

/// Tables by schema and name, while a catalog is read.
#[derive(Default)]
pub(super) struct Places(HashMap<(String, String), usize>);

impl Places {
    pub(super) fn add(&mut self, catalog: &mut Catalog, table: Table) {
        self.0.insert(Places::name(&table.schema, &table.name), catalog.tables.len());
        catalog.tables.push(table);
    }

    pub(super) fn get(&self, schema: &str, name: &str) -> Option<usize> {
        self.0.get(&Places::name(schema, name)).copied()
    }

    /// SQLite, which has no schemas, does not distinguish the case of ASCII letters in names.
    fn name(schema: &str, name: &str) -> (String, String) {
        let name = if schema.is_empty() { name.to_ascii_lowercase() } else { name.to_owned() };
        (schema.to_owned(), name)
    }
}

/// The position of a column. A foreign key may write the name of a column in another case where the database allows it.
pub(super) fn column(table: &Table, name: &str) -> Option<usize> {
    let place = |is: &dyn Fn(&str) -> bool| table.columns.iter().position(|column| is(&column.name));
    place(&|of| of == name).or_else(|| place(&|of| of.eq_ignore_ascii_case(name)))
}

/// A column of a key, in the order of the key: its table, the key, and what the database adds.
pub(super) fn add_to_key(table: &mut Table, name: &str, column: Option<usize>, make: impl FnOnce() -> Key) {
    if table.keys.last().is_none_or(|key| key.name != name) {
        table.keys.push(make());
    }
    let key = table.keys.last_mut().expect("a key was added if there was none");
    match column {
        Some(column) => key.columns.push(column),
        // An expression.
        None => key.whole = false,
    }
}

/// Reads the columns of foreign keys in the order of the keys: schema, table, name, column, and the schema, table and
/// column that it refers to.
pub(super) async fn foreign_keys(
    session: &mut Session,
    catalog: &mut Catalog,
    places: &Places,
    sql: &str,
) -> Result<()> {
    let rows: Vec<_> =
        session.catalog("foreign keys", sql).await?.iter().map(|row| Cell::texts(row)).collect();
    for key in idgen_database::catalog::ForeignKey::of_rows(&rows) {
        let child = places.get(&key.schema, &key.table);
        let (Some(table), Some(parent)) = (child, places.get(&key.to_schema, &key.to_table)) else {
            continue;
        };
        for (column, to) in key.columns.iter().zip(&key.to_columns) {
            add_to_foreign(catalog, &key.name, (table, column), (parent, to));
        }
    }
    Ok(())
}

/// Adds a column to the foreign key of this name.
pub(super) fn add_to_foreign(catalog: &mut Catalog, name: &str, child: (usize, &str), parent: (usize, &str)) {
    let Some(column_at) = column(&catalog.tables[child.0], child.1) else { return };
    let Some(parent_at) = column(&catalog.tables[parent.0], parent.1) else { return };
    match catalog.foreign.last_mut() {
        Some(foreign) if foreign.name == name && foreign.table == child.0 => {
            foreign.columns.push(column_at);
            foreign.parent_columns.push(parent_at);
        }
        _ => catalog.foreign.push(ForeignKey {
            name: name.to_owned(),
            table: child.0,
            columns: vec![column_at],
            parent: parent.0,
            parent_columns: vec![parent_at],
            unreported: None,
        }),
    }
}

pub(super) fn number(text: &str) -> Option<u64> {
    text.parse().ok()
}

/// The first number of an answer.
pub(super) fn first_number(rows: &Rows) -> Option<u64> {
    number(&rows.first()?.first()?.text()?)
}
