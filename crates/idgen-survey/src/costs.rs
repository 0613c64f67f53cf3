//! Bytes that a key takes: in its table, in indexes, and in the columns that refer to it.

use serde::Serialize;

use crate::catalog::{Catalog, Class, Column, Key, Table};
use crate::columns::IdColumn;
use crate::pages::FillFrom;
use crate::sample::Value;
use crate::session::Engine;

/// What the values of a key cost. Bytes are those of the values and their lengths, without the headers of records and
/// the free space of pages; they are computed from the number of rows, which is often an estimate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// Bytes of one value as stored, on average.
    pub value_bytes: f64,
    /// Bytes in the table itself.
    pub table_bytes: u64,
    /// Indexes of the table that carry the value. With InnoDB, every secondary index carries the primary key.
    pub indexes: u32,
    /// Bytes in these indexes.
    pub index_bytes: u64,
    /// Columns of other tables, and of this one, that refer to it.
    pub references: u32,
    /// Bytes in these columns and in the indexes that carry them.
    pub reference_bytes: u64,
    /// The same three with 16 bytes for each value (`BINARY(16)`, `uuid` or a `BLOB`), if a value takes more now.
    pub bytes_as_16: Option<u64>,
    /// The same three with integers of 8 bytes, if a value takes more now.
    pub bytes_as_8: Option<u64>,
    /// The share of the index's leaf pages that entries take, from 0 to 1.
    pub fill: Option<f64>,
    /// Whether the page fill was counted or estimated.
    pub fill_from: Option<FillFrom>,
    /// Pages of the index that identifies rows by this column, from the server's statistics.
    pub pages: Option<u64>,
    /// Its leaf pages: counted, or from the server's statistics.
    pub leaf_pages: Option<u64>,
}

impl Cost {
    /// Bytes in all three places.
    pub fn bytes(&self) -> u64 {
        self.table_bytes + self.index_bytes + self.reference_bytes
    }
}

/// Bytes of a value as stored, on average.
fn value_bytes(engine: Engine, column: &Column, values: &[Value]) -> Option<f64> {
    let fixed = match column.class {
        Class::Int { bits, .. } => Some(f64::from(bits / 8)),
        Class::Uuid => Some(16.0),
        Class::Bytes { fixed: true } => column.length.map(|length| length as f64),
        _ => None,
    };
    if fixed.is_some() {
        return fixed;
    }
    if values.is_empty() {
        return None;
    }
    // A byte for the length; SQLite's is in the record's header.
    let length_byte = match (engine, column.class, column.charset.as_deref()) {
        // Of one byte for each character, the length never differs.
        (
            Engine::MySql | Engine::MariaDb,
            Class::Text { fixed: true },
            Some("ascii" | "latin1" | "binary"),
        ) => 0.0,
        _ => 1.0,
    };
    let padded = |length: usize| match (column.class, column.length) {
        // A CHAR takes its characters in any case.
        (Class::Text { fixed: true }, Some(characters)) => (length as u64).max(characters) as f64,
        _ => length as f64,
    };
    let total: f64 = values
        .iter()
        .map(|value| match value {
            Value::Null => 0.0,
            Value::Text(text) => padded(text.len()),
            Value::Bytes(bytes) => padded(bytes.len()),
            // The bytes that SQLite's serial types have.
            Value::Int(number) => match number {
                0 | 1 => 0.0,
                -128..=127 => 1.0,
                -32_768..=32_767 => 2.0,
                -8_388_608..=8_388_607 => 3.0,
                -2_147_483_648..=2_147_483_647 => 4.0,
                -140_737_488_355_328..=140_737_488_355_327 => 6.0,
                _ => 8.0,
            },
        })
        .sum();
    Some(total / values.len() as f64 + length_byte)
}

/// Indexes of a table that carry a column beside the table itself.
fn carriers(table: &Table, column: usize) -> u32 {
    let in_primary = table.primary().is_some_and(|key| key.columns.contains(&column));
    let carries = |key: &&Key| match table.clustered {
        // The table is the primary key's index, and every other index ends with the primary key.
        true => !key.primary && (in_primary || key.columns.contains(&column)),
        false => key.columns.contains(&column),
    };
    table.keys.iter().filter(carries).count() as u32
}

/// The index that identifies rows by a column.
pub(crate) fn index_of(table: &Table, column: usize) -> Option<usize> {
    let place = |is: &dyn Fn(&Key) -> bool| table.keys.iter().position(is);
    place(&|key| key.primary && key.columns.first() == Some(&column))
        .or_else(|| place(&|key| key.unique && key.columns == [column]))
}

/// The cost of a column that is a primary key, or that others refer to.
pub(crate) fn of_column(
    engine: Engine,
    catalog: &Catalog,
    ids: &IdColumn,
    rows: &[Option<u64>],
) -> Option<Cost> {
    let table = &catalog.tables[ids.table];
    let refers_here = |table: usize, columns: &[usize]| table == ids.table && columns.contains(&ids.column);
    let is_key = table.identity().is_some_and(|key| key.columns.contains(&ids.column));
    if !is_key && !catalog.foreign.iter().any(|foreign| refers_here(foreign.parent, &foreign.parent_columns))
    {
        return None;
    }
    let here = rows[ids.table]?;
    let column = &table.columns[ids.column];
    let reference_each = value_bytes(engine, column, &ids.values)?;
    // SQLite's integer key is not stored in the record, and its varint in the cell is small.
    let is_rowid = is_rowid(engine, table, ids.column);
    let value_bytes = if is_rowid { 0.0 } else { reference_each };
    let indexes = if is_rowid { 0 } else { carriers(table, ids.column) };
    let mut references = 0;
    let mut referring_places = 0;
    for foreign in &catalog.foreign {
        for (&child, &parent) in foreign.columns.iter().zip(&foreign.parent_columns) {
            if refers_here(foreign.parent, &[parent]) {
                references += 1;
                let places = 1 + u64::from(carriers(&catalog.tables[foreign.table], child));
                referring_places += rows[foreign.table].unwrap_or(0) * places;
            }
        }
    }
    let here_places = here * (1 + u64::from(indexes));
    let bytes = |places: u64, each: f64| (places as f64 * each).round() as u64;
    let instead = |each: f64| (value_bytes > each).then(|| bytes(here_places + referring_places, each));
    let index = index_of(table, ids.column).map(|at| &table.keys[at]);
    let pages = index.and_then(|key| key.pages);
    let counted = index.and_then(|key| key.fill);
    let fill = counted.or_else(|| estimated_fill(engine, index, value_bytes, here, pages));
    let from = if counted.is_some() { FillFrom::Pages } else { FillFrom::Estimate };
    Some(Cost {
        value_bytes,
        table_bytes: bytes(here, value_bytes),
        indexes,
        index_bytes: bytes(here * u64::from(indexes), value_bytes),
        references,
        reference_bytes: bytes(referring_places, reference_each),
        bytes_as_16: instead(16.0),
        bytes_as_8: instead(8.0),
        fill,
        fill_from: fill.map(|_| from),
        pages,
        leaf_pages: index.and_then(|key| key.leaf_pages),
    })
}

/// SQLite's `INTEGER PRIMARY KEY`, which is the number of the row.
fn is_rowid(engine: Engine, table: &Table, column: usize) -> bool {
    engine == Engine::Sqlite
        && !table.clustered
        && table.primary().is_some_and(|key| key.columns == [column])
        && table.columns[column].type_text.eq_ignore_ascii_case("INTEGER")
}

/// The fill of an index of PostgreSQL with one column: entries times their size, divided by pages. Fewer than a hundred
/// pages show nothing.
fn estimated_fill(
    engine: Engine,
    index: Option<&Key>,
    value_bytes: f64,
    rows: u64,
    pages: Option<u64>,
) -> Option<f64> {
    let pages = pages.filter(|&pages| pages >= 100)?;
    if engine != Engine::Postgres || index.is_none_or(|key| key.columns.len() != 1) {
        return None;
    }
    let shape = btree_model::Shape::nbtree(value_bytes.round() as u32).ok()?;
    let room = f64::from(shape.page_size() - 40);
    Some((rows as f64 * f64::from(shape.record_bytes()) / (pages as f64 * room)).min(1.0))
}
