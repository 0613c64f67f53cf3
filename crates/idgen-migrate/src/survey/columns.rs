//! Which columns hold ids, of which kinds, and where new ids arrive in the order of the column.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::survey::kinds::{Kind, Parsed, Reading, classify, parse};
use crate::survey::sample::{Sample, Value};
use crate::survey::schema::{Catalog, Class, Column, Table};
use crate::survey::session::Engine;

/// Why a column is treated as one of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FoundBy {
    /// It is in the primary key.
    PrimaryKey,
    /// It has a unique constraint.
    UniqueKey,
    /// It refers to another table.
    ForeignKey,
    /// Its values are ids.
    Content,
}

/// Where new ids arrive in the order of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Arrival {
    /// Behind all others.
    RightEdge,
    /// Together at one place, before older ids.
    Middle,
    /// Everywhere.
    Scattered,
    /// The values do not show it.
    Unknown,
}

impl Arrival {
    /// A short name.
    ///
    /// ```
    /// assert_eq!(idgen_migrate::survey::Arrival::RightEdge.name(), "right edge");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Arrival::RightEdge => "right edge",
            Arrival::Middle => "middle",
            Arrival::Scattered => "scattered",
            Arrival::Unknown => "unknown",
        }
    }
}

/// A column of ids, while the survey looks for dangers.
pub(crate) struct IdColumn {
    pub(crate) table: usize,
    pub(crate) column: usize,
    pub(crate) found_by: Vec<FoundBy>,
    pub(crate) values: Vec<Value>,
    pub(crate) parsed: Vec<Parsed>,
    pub(crate) readings: Vec<Reading>,
    pub(crate) arrival: Arrival,
    /// The share of values that sort behind the newest ids.
    pub(crate) behind_newest: f64,
}

impl IdColumn {
    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.readings.iter().filter(|reading| reading.kind == kind).count()
    }

    /// How many values have each kind, the most first.
    pub(crate) fn shares(&self) -> Vec<(Kind, usize)> {
        let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
        for reading in &self.readings {
            *counts.entry(reading.kind).or_default() += 1;
        }
        let mut counts: Vec<(Kind, usize)> = counts.into_iter().collect();
        counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        counts
    }
}

/// The columns of a table that hold ids.
pub(crate) fn find(
    catalog: &Catalog,
    table_at: usize,
    sample: &Sample,
    engine: Engine,
    now: i64,
) -> Vec<IdColumn> {
    let table = &catalog.tables[table_at];
    let mut found = Vec::new();
    for (at, column) in table.columns.iter().enumerate() {
        let mut found_by = constraints(catalog, table_at, at);
        let values: Vec<Value> = sample.values(at).into_iter().cloned().collect();
        let parsed: Vec<Parsed> = values.iter().map(parse).collect();
        let readings = classify(&parsed, now);
        let has_ids = is_of_ids(column, &parsed, &readings);
        if has_ids {
            found_by.push(FoundBy::Content);
        }
        if !has_ids && !is_key_of_ids(catalog, (table_at, at), &found_by, &parsed) {
            continue;
        }
        let behind = behind_newest(engine, column, &values, &readings);
        let arrival = arrival(table, at, &readings, behind);
        found.push(IdColumn {
            table: table_at,
            column: at,
            found_by,
            values,
            parsed,
            readings,
            arrival,
            behind_newest: behind.unwrap_or(0.0),
        });
    }
    found
}

fn constraints(catalog: &Catalog, table_at: usize, at: usize) -> Vec<FoundBy> {
    let table = &catalog.tables[table_at];
    let mut found = Vec::new();
    if table.primary().is_some_and(|key| key.columns.contains(&at)) {
        found.push(FoundBy::PrimaryKey);
    } else if table.is_unique(at) {
        found.push(FoundBy::UniqueKey);
    }
    if catalog.foreign_of(table_at).any(|foreign| foreign.columns.contains(&at)) {
        found.push(FoundBy::ForeignKey);
    }
    found
}

/// Whether a key makes it a column of ids although its values do not show it: there are none, or they are integers, or
/// the table has no other key. A unique e-mail address is no id.
fn is_key_of_ids(
    catalog: &Catalog,
    (table_at, at): (usize, usize),
    found_by: &[FoundBy],
    parsed: &[Parsed],
) -> bool {
    if found_by.is_empty() {
        return false;
    }
    let table = &catalog.tables[table_at];
    let column = &table.columns[at];
    let refers = found_by.contains(&FoundBy::ForeignKey);
    match column.class {
        Class::Int { .. } | Class::Uuid => true,
        Class::Bytes { fixed: true } if matches!(column.length, Some(12 | 16)) => {
            table.is_unique(at) || refers
        }
        Class::Other => false,
        _ if parsed.is_empty() => is_made_for_ids(catalog, table_at, at),
        Class::Any if parsed.iter().all(|parsed| matches!(parsed, Parsed::Integer(_))) => true,
        // A text, as characters or as bytes, is an id if others refer to it or it identifies rows alone, and it is long enough.
        Class::Any | Class::Text { .. } | Class::Bytes { .. } => {
            let is_alone = table.primary().is_some_and(|key| key.columns == [at]);
            let is_wide = |parsed: &Parsed| matches!(parsed, Parsed::Wide { .. } | Parsed::Object { .. });
            let digests = parsed.iter().filter(|parsed| matches!(parsed, Parsed::Digest)).count();
            (is_alone || refers) && (parsed.iter().any(is_wide) || digests * 10 >= parsed.len() * 9)
        }
    }
}

/// Whether a key without values is one of ids, by the length of its column, by its name, and by that of the column that it refers
/// to: an app has just made an empty table, and its keys are those that it will have.
fn is_made_for_ids(catalog: &Catalog, table_at: usize, at: usize) -> bool {
    let column = &catalog.tables[table_at].columns[at];
    let is_id = |column: &Column| column.name.to_ascii_lowercase().ends_with("id");
    let refers_to_id = || {
        catalog.foreign_of(table_at).any(|foreign| {
            let pairs = foreign.columns.iter().zip(&foreign.parent_columns);
            let parents = &catalog.tables[foreign.parent].columns;
            pairs.filter(|&(&child, _)| child == at).any(|(_, &parent)| is_id(&parents[parent]))
        })
    };
    let is_named = || is_id(column) || refers_to_id();
    match (column.class, column.length) {
        (Class::Bytes { .. }, Some(length)) => matches!(length, 12 | 16 | 36),
        // Base64, ObjectIds, ULIDs, and UUIDs without hyphens, with them, and with braces.
        (Class::Text { .. } | Class::Any, Some(22 | 24 | 26 | 32 | 36 | 38)) => true,
        (Class::Text { .. } | Class::Any, Some(length)) => length >= 22 && is_named(),
        (Class::Text { .. } | Class::Bytes { .. } | Class::Any, None) => is_named(),
        _ => false,
    }
}

/// Whether the values are ids. Some forms are seldom anything else; digests and tokens have the other ones too.
fn is_of_ids(column: &Column, parsed: &[Parsed], readings: &[Reading]) -> bool {
    if column.class == Class::Uuid {
        return true;
    }
    let count = parsed.len();
    let is_most = |part: usize| part > 0 && part * 10 >= count * 9;
    let clear = parsed.iter().zip(readings).filter(|(parsed, reading)| match parsed {
        Parsed::Wide { spelling, .. } => {
            let form = spelling.map(|spelling| spelling.format);
            let is_form_of_ids = matches!(form, Some("hyphenated" | "braced" | "urn"));
            is_form_of_ids || reading.kind != Kind::Other128
        }
        Parsed::Object { .. } => reading.kind == Kind::ObjectId,
        Parsed::Digest | Parsed::Integer(_) | Parsed::No => false,
    });
    if is_most(clear.count()) {
        return true;
    }
    // Large integers in a pattern.
    let flakes = readings.iter().filter(|reading| matches!(reading.kind, Kind::Snowflake | Kind::Seconds64));
    let is_int = matches!(column.class, Class::Int { bits: 64, .. } | Class::Any);
    if is_int && count >= 5 && is_most(flakes.count()) {
        return true;
    }
    // Bytes in a CHAR(16) or with a changed length: most of them are ids.
    column.class == Class::Text { fixed: true }
        && column.length == Some(16)
        && parsed
            .iter()
            .zip(readings)
            .filter(|(_, reading)| !matches!(reading.kind, Kind::NotAnId | Kind::Other128))
            .count()
            * 10
            >= count * 8
        && count > 0
}

/// A value as its column sorts it, as far as ids of one column need it.
fn sort_key(engine: Engine, column: &Column, value: &Value) -> Vec<u8> {
    let is_mariadb_uuid = engine == Engine::MariaDb && column.class == Class::Uuid;
    match value {
        Value::Null => Vec::new(),
        Value::Int(number) => ((*number as u128) ^ 1 << 127).to_be_bytes().to_vec(),
        Value::Bytes(bytes) => bytes.clone(),
        Value::Text(_) if is_mariadb_uuid => match parse(value) {
            // Item_type_uuid: versions 1 to 5 are stored with the last group first.
            Parsed::Wide { id, .. } if (1..6).contains(&id.get_version_num()) => {
                let b = id.as_bytes();
                [&b[10..], &b[8..10], &b[6..8], &b[4..6], &b[..4]].concat()
            }
            Parsed::Wide { id, .. } => id.as_bytes().to_vec(),
            _ => Vec::new(),
        },
        Value::Text(text) => text.to_lowercase().into_bytes(),
    }
}

/// The share of values that sort behind the newest ids: the median of the newest tenth of those that have a time.
fn behind_newest(engine: Engine, column: &Column, values: &[Value], readings: &[Reading]) -> Option<f64> {
    let keys: Vec<Vec<u8>> = values.iter().map(|value| sort_key(engine, column, value)).collect();
    let mut timed: Vec<(i64, &Vec<u8>)> =
        readings.iter().zip(&keys).filter_map(|(reading, key)| Some((reading.time?, key))).collect();
    if timed.len() * 100 < values.len() || timed.len() < 2 {
        return None;
    }
    timed.sort();
    let newest = timed.len().div_ceil(10);
    let mut newest: Vec<&Vec<u8>> = timed[timed.len() - newest..].iter().map(|&(_, key)| key).collect();
    newest.sort();
    let median = newest[newest.len() / 2];
    Some(keys.iter().filter(|key| *key > median).count() as f64 / keys.len() as f64)
}

fn arrival(table: &Table, at: usize, readings: &[Reading], behind: Option<f64>) -> Arrival {
    if table.counters.iter().any(|counter| counter.column == at) {
        return Arrival::RightEdge;
    }
    let count = |is: fn(Kind) -> bool| readings.iter().filter(|reading| is(reading.kind)).count();
    let random = count(|kind| matches!(kind, Kind::V4 | Kind::OtherUuid | Kind::Other128 | Kind::Digest));
    match behind {
        Some(behind) if behind <= 0.15 && count(Kind::is_time_first) > 0 => Arrival::RightEdge,
        Some(_) if count(Kind::is_time_first) > count(|kind| kind == Kind::V1) => Arrival::Middle,
        Some(_) => Arrival::Scattered,
        None if random * 2 > readings.len() => Arrival::Scattered,
        None => Arrival::Unknown,
    }
}
