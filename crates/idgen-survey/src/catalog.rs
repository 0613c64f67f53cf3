//! The tables, columns, keys and foreign keys of a database, as its catalog describes them.

mod mysql;
mod postgres;
mod sqlite;

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::options::Options;
use crate::session::{Cell, Engine, Rows, Session};

/// How a column stores an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// An integer of so many bits.
    Int { bits: u32, unsigned: bool },
    /// A type for UUIDs.
    Uuid,
    /// Bytes; `fixed` are padded to their length.
    Bytes { fixed: bool },
    /// Text. `fixed` is `CHAR(n)`, from whose end spaces are cut.
    Text { fixed: bool },
    /// SQLite: each value has its own type.
    Any,
    /// Types that hold no ids.
    Other,
}

#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// The type as the catalog writes it.
    pub(crate) type_text: String,
    pub(crate) class: Class,
    pub(crate) nullable: bool,
    /// Characters or bytes that a value may have.
    pub(crate) length: Option<u64>,
    pub(crate) charset: Option<String>,
    pub(crate) collation: Option<String>,
    /// Whether the collation treats two letters that differ in case as equal.
    pub(crate) ignores_case: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) unique: bool,
    pub(crate) primary: bool,
    /// Positions in the table's columns.
    pub(crate) columns: Vec<usize>,
    /// Characters or bytes of a column that its entries hold, if they hold the beginning only.
    pub(crate) prefixes: HashMap<usize, u64>,
    /// Rows that have an entry, if it is a partial index and statistics count them.
    pub(crate) entries: Option<u64>,
    /// Positions of columns that its entries hold without being ordered by them.
    pub(crate) included: Vec<usize>,
    /// Whether its entries hold values of columns: those of full-text indexes are words.
    pub(crate) holds_values: bool,
    /// Whether it covers all rows, and whole values of columns: no partial index, no prefix, no expression.
    pub(crate) whole: bool,
    /// Pages of all levels, where the catalog says so.
    pub(crate) pages: Option<u64>,
    /// Leaf pages, where the catalog says so.
    pub(crate) leaf_pages: Option<u64>,
    /// The mean page fill of the leaves, where they were counted.
    pub(crate) fill: Option<f64>,
}

/// A counter of the server: `AUTO_INCREMENT`, or a sequence.
#[derive(Clone, Debug)]
pub(crate) struct Counter {
    pub(crate) column: usize,
    pub(crate) name: String,
    /// The share of its values that is used.
    pub(crate) used: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) schema: String,
    pub(crate) name: String,
    /// Rows, as the server's statistics estimate them.
    pub(crate) rows: Option<u64>,
    pub(crate) columns: Vec<Column>,
    pub(crate) keys: Vec<Key>,
    pub(crate) counters: Vec<Counter>,
    /// Whether rows are stored in the order of the primary key.
    pub(crate) clustered: bool,
    /// Bytes that the table takes for each row, where the catalog says so.
    pub(crate) bytes_per_row: Option<f64>,
    /// Whether this user may read its rows.
    pub(crate) readable: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ForeignKey {
    pub(crate) name: String,
    pub(crate) table: usize,
    pub(crate) columns: Vec<usize>,
    pub(crate) parent: usize,
    pub(crate) parent_columns: Vec<usize>,
    /// What the server does with the rows that refer to a row, if it does not report the errors of that: such as
    /// `ON DELETE CASCADE`.
    pub(crate) unreported: Option<String>,
}

/// What the catalog says.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) tables: Vec<Table>,
    pub(crate) foreign: Vec<ForeignKey>,
    /// The places in `foreign` of the keys that a table has.
    of_table: HashMap<usize, Vec<usize>>,
    /// The places in `foreign` of the keys that refer to a table.
    to_table: HashMap<usize, Vec<usize>>,
    /// Bytes of a page.
    pub(crate) page_bytes: u32,
    /// Bytes of the buffer pool, or of what takes its place.
    pub(crate) pool_bytes: Option<u64>,
    /// Privileges that were used.
    pub(crate) used: Vec<String>,
    /// What could not be seen, and what it takes.
    pub(crate) unseen: Vec<String>,
}

impl Key {
    fn new(name: &str, unique: bool, primary: bool, whole: bool) -> Key {
        Key {
            name: name.to_owned(),
            unique,
            primary,
            columns: Vec::new(),
            prefixes: HashMap::new(),
            entries: None,
            included: Vec::new(),
            holds_values: true,
            whole,
            pages: None,
            leaf_pages: None,
            fill: None,
        }
    }
}

impl Table {
    /// Its name, with the schema where the database has several.
    pub(crate) fn shown(&self) -> String {
        match self.schema.as_str() {
            "" | "public" => self.name.clone(),
            schema => format!("{schema}.{}", self.name),
        }
    }

    pub(crate) fn primary(&self) -> Option<&Key> {
        self.keys.iter().find(|key| key.primary)
    }

    /// The key that identifies rows: the primary key, or a unique one without nulls.
    pub(crate) fn identity(&self) -> Option<&Key> {
        let complete =
            |key: &&Key| key.unique && key.whole && key.columns.iter().all(|&at| !self.columns[at].nullable);
        self.primary().or_else(|| self.keys.iter().find(complete))
    }

    /// Whether a key says that values of this column alone are never repeated.
    pub(crate) fn is_unique(&self, column: usize) -> bool {
        self.keys.iter().any(|key| (key.unique || key.primary) && key.whole && key.columns == [column])
    }

    /// Whether an index begins with this column, so that a look-up reads few pages.
    pub(crate) fn is_led(&self, column: usize) -> bool {
        self.keys.iter().any(|key| key.whole && key.columns.first() == Some(&column))
    }
}

impl Catalog {
    /// Reads the catalog with a fixed number of statements, however many tables there are.
    pub(crate) async fn read(session: &mut Session, options: &Options) -> Result<Catalog> {
        let mut catalog = match session.engine {
            Engine::MySql | Engine::MariaDb => mysql::read(session).await?,
            Engine::Postgres => postgres::read(session).await?,
            Engine::Sqlite => sqlite::read(session).await?,
        };
        catalog.retain(&options.tables)?;
        for (at, foreign) in catalog.foreign.iter().enumerate() {
            catalog.of_table.entry(foreign.table).or_default().push(at);
            catalog.to_table.entry(foreign.parent).or_default().push(at);
        }
        Ok(catalog)
    }

    /// The foreign keys that a table has.
    pub(crate) fn foreign_of(&self, table: usize) -> impl Iterator<Item = &ForeignKey> {
        self.of_table.get(&table).into_iter().flatten().map(|&at| &self.foreign[at])
    }

    /// The foreign keys that refer to a table.
    pub(crate) fn foreign_to(&self, table: usize) -> impl Iterator<Item = &ForeignKey> {
        self.to_table.get(&table).into_iter().flatten().map(|&at| &self.foreign[at])
    }

    /// Keeps the tables with these names. Foreign keys to or from others are dropped.
    fn retain(&mut self, names: &[String]) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let is_named = |table: &Table, name: &String| *name == table.name || *name == table.shown();
        if let Some(missing) =
            names.iter().find(|name| !self.tables.iter().any(|table| is_named(table, name)))
        {
            return Err(Error::new(format!(
                "there is no table {missing}, or this user may not see it: check its name, and the schema of the URL"
            )));
        }
        let mut kept = HashMap::new();
        let mut tables = Vec::new();
        for (at, table) in std::mem::take(&mut self.tables).into_iter().enumerate() {
            if names.iter().any(|name| is_named(&table, name)) {
                kept.insert(at, tables.len());
                tables.push(table);
            }
        }
        self.tables = tables;
        self.foreign.retain_mut(|foreign| match (kept.get(&foreign.table), kept.get(&foreign.parent)) {
            (Some(&table), Some(&parent)) => {
                (foreign.table, foreign.parent) = (table, parent);
                true
            }
            _ => false,
        });
        Ok(())
    }
}

/// Tables by schema and name, while a catalog is read.
#[derive(Default)]
struct Places(HashMap<(String, String), usize>);

impl Places {
    fn add(&mut self, catalog: &mut Catalog, table: Table) {
        self.0.insert(Places::name(&table.schema, &table.name), catalog.tables.len());
        catalog.tables.push(table);
    }

    fn get(&self, schema: &str, name: &str) -> Option<usize> {
        self.0.get(&Places::name(schema, name)).copied()
    }

    /// SQLite, which has no schemas, does not distinguish the case of ASCII letters in names.
    fn name(schema: &str, name: &str) -> (String, String) {
        let name = if schema.is_empty() { name.to_ascii_lowercase() } else { name.to_owned() };
        (schema.to_owned(), name)
    }
}

/// The position of a column. A foreign key may write the name of a column in another case where the database allows it.
fn column(table: &Table, name: &str) -> Option<usize> {
    let place = |is: &dyn Fn(&str) -> bool| table.columns.iter().position(|column| is(&column.name));
    place(&|of| of == name).or_else(|| place(&|of| of.eq_ignore_ascii_case(name)))
}

/// The texts of a row; null is empty.
fn texts(row: &[Cell]) -> Vec<String> {
    row.iter().map(|cell| cell.text().unwrap_or_default()).collect()
}

/// A column of a key, in the order of the key: its table, the key, and what the database adds.
fn add_to_key(table: &mut Table, name: &str, column: Option<usize>, make: impl FnOnce() -> Key) {
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
async fn foreign_keys(
    session: &mut Session,
    catalog: &mut Catalog,
    places: &Places,
    sql: &str,
) -> Result<()> {
    for row in session.catalog("foreign keys", sql).await? {
        let [schema, table, name, of, parent_schema, parent, parent_column] = &texts(&row)[..] else {
            continue;
        };
        let (Some(table), Some(parent)) = (places.get(schema, table), places.get(parent_schema, parent))
        else {
            continue;
        };
        add_to_foreign(catalog, name, (table, of), (parent, parent_column));
    }
    Ok(())
}

/// Adds a column to the foreign key of this name.
fn add_to_foreign(catalog: &mut Catalog, name: &str, child: (usize, &str), parent: (usize, &str)) {
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

fn number(text: &str) -> Option<u64> {
    text.parse().ok()
}

/// The first number of an answer.
fn first_number(rows: &Rows) -> Option<u64> {
    number(&rows.first()?.first()?.text()?)
}
