//! Bytes that a key takes: in its table, in indexes, and in the columns that refer to it.

use serde::Serialize;

use crate::charset::least_bytes;
use crate::survey::judge::columns::{FoundBy, IdColumn};
use crate::survey::read::sample::Value;
use crate::survey::schema::{Catalog, Class, Column, Key, Table};
use crate::survey::session::Engine;

/// The cost of the values of a key. Bytes are those of the values and their lengths, without the headers of records and
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
    /// [`bytes`](Cost::bytes) with 16 bytes for each value (`BINARY(16)`, `uuid` or a `BLOB`), if a value takes more
    /// now and is not a hash.
    pub bytes_as_16: Option<u64>,
    /// [`bytes`](Cost::bytes) with integers of 8 bytes, if a value takes more now.
    pub bytes_as_8: Option<u64>,
    /// The share of the index's leaf pages that entries take, from 0 to 1.
    pub fill: Option<f64>,
    /// The origin of the page fill: counted or estimated.
    pub fill_from: Option<FillFrom>,
    /// Pages of the index that identifies rows by this column, from the server's statistics.
    pub pages: Option<u64>,
    /// Its leaf pages: counted, or from the server's statistics.
    pub leaf_pages: Option<u64>,
}

/// The origin of a page fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FillFrom {
    /// From the number of rows, the bytes of an entry, and the pages of the index.
    Estimate,
    /// The pages were counted, by pgstattuple or dbstat.
    Pages,
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
    let least = column.charset.as_deref().map_or(1, least_bytes);
    let padded = |length: usize| match (column.class, column.length) {
        // A CHAR takes its characters in any case.
        (Class::Text { fixed: true }, Some(characters)) => (length as u64).max(characters * least) as f64,
        _ => length as f64,
    };
    let total: f64 = values
        .iter()
        .map(|value| match value {
            Value::Null => 0.0,
            Value::Text(text) => padded(bytes_of(column, text)),
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
    Some(total / values.len() as f64 + length_byte(engine, column))
}

/// The bytes of a text in the character set of its column.
fn bytes_of(column: &Column, text: &str) -> usize {
    match column.charset.as_deref() {
        Some("ucs2" | "utf16" | "utf16le") => 2 * text.encode_utf16().count(),
        Some("utf32") => 4 * text.chars().count(),
        Some("ascii" | "latin1") => text.chars().count(),
        _ => text.len(),
    }
}

/// A byte for the length of a value; SQLite's is in the record's header.
fn length_byte(engine: Engine, column: &Column) -> f64 {
    match (engine, column.class, column.charset.as_deref()) {
        // In a character set in which all characters have as many bytes, the length never differs.
        (
            Engine::MySql | Engine::MariaDb,
            Class::Text { fixed: true },
            Some("ascii" | "latin1" | "binary" | "ucs2" | "utf32"),
        ) => 0.0,
        _ => 1.0,
    }
}

/// The size of a column in the indexes of a table, without the table itself.
#[derive(Default)]
struct Held {
    indexes: u32,
    /// Entries with a value, or with its beginning.
    entries: u64,
    bytes: f64,
}

/// Computes the size in indexes of a column that has a value in `rows` rows.
fn held(engine: Engine, table: &Table, at: usize, rows: u64, value_bytes: f64) -> Held {
    let mut held = Held::default();
    let in_primary = table.primary().is_some_and(|key| key.columns.contains(&at));
    // The table is the index of the primary key.
    for key in table.keys.iter().filter(|key| key.holds_values && !(table.clustered && key.primary)) {
        // Every other index of such a table ends with the primary key.
        let at_end = table.clustered && in_primary;
        let prefix = key.prefixes.get(&at).filter(|_| key.columns.contains(&at));
        let in_whole =
            at_end || key.included.contains(&at) || (key.columns.contains(&at) && prefix.is_none());
        let cut = prefix
            .map_or(0.0, |&prefix| value_bytes.min(prefix as f64 + length_byte(engine, &table.columns[at])));
        let whole = if in_whole { value_bytes } else { 0.0 };
        if whole + cut > 0.0 {
            let entries = key.entries.unwrap_or(rows).min(rows);
            held.indexes += 1;
            held.entries += entries;
            held.bytes += entries as f64 * (whole + cut);
        }
    }
    held
}

/// The index that identifies rows by a column.
pub(crate) fn index_of(table: &Table, column: usize) -> Option<usize> {
    let place = |is: &dyn Fn(&Key) -> bool| table.keys.iter().position(is);
    place(&|key| key.primary && key.columns.first() == Some(&column))
        .or_else(|| place(&|key| key.unique && key.columns == [column]))
}

/// The cost of a column of a key, or one that others refer to. What columns hold that refer to another one is counted there. `values_in` says in how many rows of a table a column
/// has a value.
pub(crate) fn of_column(
    engine: Engine,
    catalog: &Catalog,
    ids: &IdColumn,
    values_in: &dyn Fn(usize, usize) -> Option<u64>,
) -> Option<Cost> {
    let table = &catalog.tables[ids.table];
    let is_primary = table.identity().is_some_and(|key| key.columns.contains(&ids.column));
    let is_key = is_primary
        || (ids.found_by.contains(&FoundBy::UniqueKey) && !ids.found_by.contains(&FoundBy::ForeignKey));
    if !is_key && !catalog.foreign_to(ids.table).any(|foreign| foreign.parent_columns.contains(&ids.column)) {
        return None;
    }
    let here = values_in(ids.table, ids.column)?;
    let column = &table.columns[ids.column];
    let reference_each = value_bytes(engine, column, &ids.values)?;
    // SQLite's integer key is not stored in the record, and its varint in the cell is small.
    let is_rowid = is_rowid(engine, table, ids.column);
    let value_bytes = if is_rowid { 0.0 } else { reference_each };
    let own = held(engine, table, ids.column, here, value_bytes);
    let mut references = Held::default();
    for foreign in catalog.foreign_to(ids.table) {
        let columns = foreign.columns.iter().zip(&foreign.parent_columns);
        for (&child, _) in columns.filter(|&(_, &parent)| parent == ids.column) {
            let rows = values_in(foreign.table, child).unwrap_or(0);
            let carried = held(engine, &catalog.tables[foreign.table], child, rows, reference_each);
            references.indexes += 1;
            references.entries += rows + carried.entries;
            references.bytes += rows as f64 * reference_each + carried.bytes;
        }
    }
    let places = here + own.entries + references.entries;
    let instead = |each: f64| (value_bytes > each).then(|| (places as f64 * each).round() as u64);
    let index = index_of(table, ids.column).map(|at| &table.keys[at]);
    let pages = index.and_then(|key| key.pages);
    let counted = index.and_then(|key| key.fill);
    let fill = counted.or_else(|| estimated_fill(engine, index, value_bytes, here, pages));
    let from = if counted.is_some() { FillFrom::Pages } else { FillFrom::Estimate };
    Some(Cost {
        value_bytes,
        table_bytes: (here as f64 * value_bytes).round() as u64,
        indexes: own.indexes,
        index_bytes: own.bytes.round() as u64,
        references: references.indexes,
        reference_bytes: references.bytes.round() as u64,
        // Hashes and texts have more than 128 bits.
        bytes_as_16: instead(16.0).filter(|_| {
            let fitting = ids.readings.iter().filter(|reading| reading.kind.fits_16_bytes()).count();
            fitting * 2 >= ids.readings.len()
        }),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::judge::random::catalog;

    /// MySQL manual, "The utf16 Character Set" and its neighbors: two bytes for a character, four of which make one beyond U+FFFF, or four.
    #[test]
    fn texts_have_the_bytes_of_their_character_set() {
        let bytes = |fixed, charset: &str, text: &str| {
            let mut column = catalog(Class::Text { fixed }).tables[0].columns[0].clone();
            (column.charset, column.length) = (Some(charset.to_owned()), Some(36));
            value_bytes(Engine::MySql, &column, &[Value::Text(text.to_owned())]).unwrap()
        };
        let uuid = "6ccd780c-baba-1026-9564-5b8c656024db";
        for (fixed, charset, text, expected) in [
            (false, "utf8mb4", uuid, 37.0),
            (true, "utf8mb4", uuid, 37.0),
            (true, "latin1", uuid, 36.0),
            (false, "latin1", "\u{e9}\u{e9}", 3.0),
            (false, "utf8mb4", "\u{e9}\u{e9}", 5.0),
            (false, "ucs2", uuid, 73.0),
            (true, "ucs2", uuid, 72.0),
            (true, "ucs2", "x", 72.0),
            (true, "utf16le", uuid, 73.0),
            (false, "utf16", "\u{1f600}", 5.0),
            (true, "utf32", uuid, 144.0),
            (false, "utf32", "\u{1f600}", 5.0),
        ] {
            assert_eq!(bytes(fixed, charset, text), expected, "{fixed} {charset} {text}");
        }
    }
}
