//! Rows of a table: ranges of its primary key that begin at several places.

mod starts;

use std::collections::HashSet;

use crate::survey::options::Options;
use crate::survey::schema::{Catalog, Class, Column, Counter, Table};
use crate::survey::session::{Cell, Engine, Refused, Rows, Session};
use crate::survey::sql;

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    Null,
    Text(String),
    Bytes(Vec<u8>),
    Int(i128),
}

/// The rows that were read.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    /// Positions in the table's columns.
    pub(crate) columns: Vec<usize>,
    /// The rows, in the order of the key.
    pub(crate) rows: Vec<Vec<Value>>,
    /// True if these are all rows of the table.
    pub(crate) whole: bool,
    pub(crate) ranges: u32,
    /// The ranges of these rows by the leading column of the key, in its order.
    pub(crate) bounds: Vec<Bounds>,
}

/// A range of keys, both ends included.
#[derive(Debug)]
pub(crate) struct Bounds {
    pub(crate) first: Value,
    pub(crate) last: Value,
    pub(crate) rows: u64,
}

impl Bounds {
    fn of(rows: &[Vec<Value>]) -> Option<Bounds> {
        let (first, last) = (rows.first()?[0].clone(), rows.last()?[0].clone());
        Some(Bounds { first, last, rows: rows.len() as u64 })
    }
}

impl Sample {
    /// The values of a column with their rows, without nulls.
    pub(crate) fn values(&self, column: usize) -> Vec<(usize, &Value)> {
        let Some(at) = self.columns.iter().position(|&of| of == column) else { return Vec::new() };
        let rows = self.rows.iter().enumerate().map(|(row, values)| (row, &values[at]));
        rows.filter(|(_, value)| **value != Value::Null).collect()
    }
}

impl Sample {
    /// The share of rows in which a column has a value, if the sample has rows.
    pub(crate) fn filled(&self, column: usize) -> Option<f64> {
        let read = self.columns.contains(&column) && !self.rows.is_empty();
        read.then(|| self.values(column).len() as f64 / self.rows.len() as f64)
    }
}

/// Returns true if the column can hold ids, the first digits of ids, or the time at which a row was made.
fn is_candidate(column: &Column) -> bool {
    match column.class {
        Class::Text { .. } => column.length.is_none_or(|length| length >= LEAST_DIGITS),
        Class::Bytes { .. } => column.length.is_none_or(|length| length >= 12),
        Class::Int { bits, .. } => bits >= 32,
        Class::Uuid | Class::Any => true,
        Class::Other => column.is_creation_time(),
    }
}

/// Fewer digits of an id are not searched for.
const LEAST_DIGITS: u64 = 6;

/// Returns true if rows can show more than the catalog does: integers of 32 bits are integers, and below the next value
/// of a counter of MySQL and SQLite, there are only smaller ones.
fn is_telling(engine: Engine, table: &Table, at: usize, in_key: &dyn Fn(usize) -> bool) -> bool {
    let is_small = |counter: &Counter| {
        counter.column == at && counter.used.as_ref().is_ok_and(|&used| used < SMALL_COUNTER)
    };
    let is_counted = engine != Engine::Postgres && table.counters.iter().any(is_small);
    let is_narrow = matches!(table.columns[at].class, Class::Int { bits: ..=32, .. } | Class::Other);
    (is_candidate(&table.columns[at]) || in_key(at)) && !is_counted && !is_narrow
}

/// The share of 64 bits that integers below 2^40 use.
const SMALL_COUNTER: f64 = 1.0 / (1 << 24) as f64;

/// Returns true if a unique key or a foreign key has this column, and its values can be read as ids.
fn in_key(catalog: &Catalog, table_at: usize, at: usize) -> bool {
    let table = &catalog.tables[table_at];
    let is_unique = || table.keys.iter().any(|key| (key.unique || key.primary) && key.columns.contains(&at));
    let refers = || catalog.foreign_of(table_at).any(|foreign| foreign.columns.contains(&at));
    table.columns[at].class != Class::Other && (is_unique() || refers())
}

/// Returns the columns that the sample reads: the key, and all columns that can hold ids.
fn columns(table: &Table, in_key: &dyn Fn(usize) -> bool) -> Vec<usize> {
    let mut columns: Vec<usize> = table.identity().map(|key| key.columns.clone()).unwrap_or_default();
    for (at, column) in table.columns.iter().enumerate() {
        if (is_candidate(column) || in_key(at)) && !columns.contains(&at) {
            columns.push(at);
        }
    }
    columns
}

/// Reads a sample: with `Options::starts` statements, or with one if the table is small or has no key.
pub(crate) async fn take(
    session: &mut Session,
    catalog: &Catalog,
    table_at: usize,
    options: &Options,
) -> Result<Sample, Refused> {
    let table = &catalog.tables[table_at];
    let in_key = |at: usize| in_key(catalog, table_at, at);
    let mut sample = Sample { columns: columns(table, &in_key), ..Sample::default() };
    let engine = session.engine;
    let is_telling = (0..table.columns.len()).any(|at| is_telling(engine, table, at, &in_key));
    if sample.columns.is_empty() || !(is_telling || options.watch.is_some()) {
        return Ok(sample);
    }
    let reads: Vec<String> = sample.columns.iter().map(|&at| sql::read(engine, &table.columns[at])).collect();
    let from = format!("SELECT {} FROM {}", reads.join(", "), sql::rows_of(engine, table));
    let key: Vec<usize> = table.identity().map(|key| key.columns.clone()).unwrap_or_default();
    let order = |suffix: &str| {
        let names: Vec<String> =
            key.iter().map(|&at| sql::name(engine, &table.columns[at].name) + suffix).collect();
        names.join(", ")
    };
    if key.is_empty() {
        let purpose = format!("rows of {}, which has no key: as the database finds them", table.shown());
        let rows = session.rows(&purpose, &format!("{from} LIMIT {}", options.rows), &[]).await?;
        sample.whole = rows.len() < options.rows as usize;
        sample.ranges = 1;
        sample.rows = values(table, &sample.columns, rows);
        return Ok(sample);
    }
    let starts = options.starts.clamp(1, options.rows.max(1));
    let each = (options.rows / starts).max(1);
    let purpose = |what: &str| format!("rows of {}, {what}", table.shown());
    let ascending = format!("{from} ORDER BY {} LIMIT {each}", order(""));
    let rows = session.rows(&purpose("from the first key"), &ascending, &[]).await?;
    sample.ranges = 1;
    sample.whole = rows.len() < each as usize;
    let first = values(table, &sample.columns, rows);
    sample.bounds.extend(Bounds::of(&first));
    if sample.whole || starts == 1 {
        sample.rows = first;
        return Ok(sample);
    }
    // Ranges may overlap. Rows of one range are different ones, also if their keys read alike.
    let mut seen: HashSet<Vec<Value>> = HashSet::new();
    let mut add = |sample: &mut Sample, rows: Vec<Vec<Value>>| {
        let keys: Vec<Vec<Value>> = rows.iter().map(|row| row[..key.len()].to_vec()).collect();
        let new = rows.into_iter().zip(&keys).filter(|(_, key)| !seen.contains(*key)).map(|(row, _)| row);
        sample.rows.extend(new);
        seen.extend(keys);
    };
    let descending = format!("{from} ORDER BY {} LIMIT {each}", order(" DESC"));
    let rows = session.rows(&purpose("to the last key"), &descending, &[]).await?;
    let mut last = values(table, &sample.columns, rows);
    last.reverse();
    let leading = &table.columns[key[0]];
    // Between the two ranges, so that one key far from all others does not move every start into the gap.
    let ends = (first.last().map(|row| row[0].clone()), last.first().map(|row| row[0].clone()));
    let firsts: HashSet<&[Value]> = first.iter().map(|row| &row[..key.len()]).collect();
    // The two ranges meet, so there is nothing between them.
    let are_alike = firsts.len() < first.len() || are_alike(&last, key.len());
    sample.whole = !are_alike && last.iter().any(|row| firsts.contains(&row[..key.len()]));
    drop(firsts);
    add(&mut sample, first);
    sample.ranges = 2;
    // A place between two dates or decimals is none that their type can read, and only types of the database itself are compared.
    if let (Some(low), Some(high)) = ends
        && leading.class != Class::Other
        && leading.is_builtin
        && !sample.whole
    {
        for start in starts::between(&low, &high, starts - 2) {
            let condition =
                format!("{} >= {}", sql::name(engine, &leading.name), sql::parameter(engine, leading, 1));
            let range = format!("{from} WHERE {condition} ORDER BY {} LIMIT {each}", order(""));
            let rows = session.rows(&purpose("from a key between"), &range, &[bound(engine, start)]).await?;
            sample.ranges += 1;
            let rows = values(table, &sample.columns, rows);
            sample.bounds.extend(Bounds::of(&rows));
            add(&mut sample, rows);
        }
    }
    let last_bounds = Bounds::of(&last);
    add(&mut sample, last);
    if sample.whole {
        sample.bounds = Bounds::of(&sample.rows).into_iter().collect();
    } else {
        sample.bounds.extend(last_bounds);
    }
    Ok(sample)
}

/// Returns true if several of the rows have keys that read alike, such as NULL in a primary key of SQLite, or decimals.
fn are_alike(rows: &[Vec<Value>], key: usize) -> bool {
    let keys: HashSet<&[Value]> = rows.iter().map(|row| &row[..key]).collect();
    keys.len() < rows.len()
}

/// A value as a parameter: servers get text, and the digits of bytes.
pub(crate) fn bound(engine: Engine, value: Value) -> Cell {
    match (engine, value) {
        (_, Value::Null) => Cell::Null,
        (_, Value::Text(text)) => Cell::Text(text),
        (Engine::Sqlite, Value::Bytes(bytes)) => Cell::Bytes(bytes),
        (Engine::Sqlite, Value::Int(number)) => Cell::Int(number as i64),
        (_, Value::Bytes(bytes)) => Cell::Text(hex(&bytes)),
        (_, Value::Int(number)) => Cell::Text(number.to_string()),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn values(table: &Table, columns: &[usize], rows: Rows) -> Vec<Vec<Value>> {
    let row = |cells: Vec<Cell>| {
        cells.into_iter().zip(columns).map(|(cell, &at)| value(&table.columns[at], cell)).collect()
    };
    rows.into_iter().map(row).collect()
}

fn value(column: &Column, cell: Cell) -> Value {
    match (cell, column.class) {
        (Cell::Null, _) => Value::Null,
        (Cell::Int(number), _) => Value::Int(number.into()),
        (Cell::Bytes(bytes), _) => Value::Bytes(bytes),
        (Cell::Text(text), Class::Int { .. }) => text.parse().map_or(Value::Text(text), Value::Int),
        (Cell::Text(text), Class::Bytes { .. }) => Value::Bytes(bytes(&text)),
        // MySQL's CHAR(16): bytes, unless they can be read.
        (Cell::Text(text), Class::Text { fixed: true })
            if column.length == Some(16) && column.charset.is_some() =>
        {
            let bytes = bytes(&text);
            match String::from_utf8(bytes) {
                Ok(text) if !text.chars().any(char::is_control) => Value::Text(text),
                Ok(text) => Value::Bytes(text.into_bytes()),
                Err(error) => Value::Bytes(error.into_bytes()),
            }
        }
        (Cell::Text(text), _) => Value::Text(text),
    }
}

/// The bytes that these digits write.
fn bytes(digits: &str) -> Vec<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16).unwrap_or(0) as u8;
    digits.as_bytes().chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}
