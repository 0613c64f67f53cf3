//! Finds the columns that hold ids: all columns of keys, and those whose values are ids.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::survey::judge::arrival::{self, Arrival, ArrivalBy, Values};
use crate::survey::judge::came::Came;
use crate::survey::judge::classify::read_all;
use crate::survey::judge::kinds::Kind;
use crate::survey::judge::parsed::Parsed;
use crate::survey::judge::reading::Reading;
use crate::survey::judge::tokens;
use crate::survey::read::sample::{Sample, Value};
use crate::survey::schema::{Catalog, Class, Column};
use crate::survey::session::Engine;

/// The reason why a column is treated as one of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FoundBy {
    /// It is in the primary key.
    PrimaryKey,
    /// It is in a unique key.
    UniqueKey,
    /// It refers to another table.
    ForeignKey,
    /// Its values are ids.
    Content,
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
    pub(crate) arrival_by: Option<ArrivalBy>,
    /// The characters of texts without a known layout.
    pub(crate) form: Option<String>,
    /// The share of values that sort behind the newest ids.
    pub(crate) behind_newest: f64,
    /// The places of the values, in the order in which their rows came as far as it is known, otherwise in that of the
    /// key.
    pub(crate) in_order: Vec<usize>,
}

impl IdColumn {
    /// Counts the values that certainly have this kind.
    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.readings.iter().filter(|reading| reading.certain && reading.kind == kind).count()
    }

    /// The values that are texts.
    pub(crate) fn texts(&self) -> Vec<&str> {
        texts(&self.values)
    }

    /// Counts the values of each kind, the most frequent kind first.
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
    let came = Came::of(engine, table, sample);
    let mut found = Vec::new();
    for (at, column) in table.columns.iter().enumerate() {
        let mut found_by = constraints(catalog, table_at, at);
        let (rows, values): (Vec<usize>, Vec<Value>) =
            sample.values(at).into_iter().map(|(row, value)| (row, value.clone())).unzip();
        let is_counted = table.is_counted(at);
        let (parsed, readings) = read_all(&values, now, is_counted);
        let is_key = !found_by.is_empty() && column.class != Class::Other;
        let has_ids = is_of_ids(column, &parsed, &readings);
        if has_ids {
            found_by.push(FoundBy::Content);
        }
        if !has_ids && !is_key {
            continue;
        }
        let of =
            Values { engine, table, at, values: &values, rows: &rows, parsed: &parsed, readings: &readings };
        let (behind_newest, arrival, arrival_by) = arrival::of_column(&of, came.as_ref());
        let unknown = readings.iter().filter(|reading| reading.kind == Kind::Text).count();
        let form = if unknown * 2 > values.len() { tokens::form(&texts(&values)) } else { None };
        let mut in_order: Vec<usize> = (0..values.len()).collect();
        if let Some(came) = &came {
            in_order.sort_by(|&a, &b| came.place(rows[a]).total_cmp(&came.place(rows[b])));
        }
        found.push(IdColumn {
            table: table_at,
            column: at,
            found_by,
            values,
            parsed,
            readings,
            arrival,
            arrival_by,
            form,
            behind_newest,
            in_order,
        });
    }
    found
}

fn texts(values: &[Value]) -> Vec<&str> {
    let mut found = Vec::new();
    for value in values {
        if let Value::Text(text) = value {
            found.push(text.as_str());
        }
    }
    found
}

fn constraints(catalog: &Catalog, table_at: usize, at: usize) -> Vec<FoundBy> {
    let table = &catalog.tables[table_at];
    let mut found = Vec::new();
    if table.primary().is_some_and(|key| key.columns.contains(&at)) {
        found.push(FoundBy::PrimaryKey);
    } else if table.keys.iter().any(|key| key.unique && key.columns.contains(&at)) {
        found.push(FoundBy::UniqueKey);
    }
    if catalog.foreign_of(table_at).any(|foreign| foreign.columns.contains(&at)) {
        found.push(FoundBy::ForeignKey);
    }
    found
}

/// Returns true if the values are ids. Some forms are seldom anything else; digests and tokens have the other ones too.
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
        Parsed::Object { .. } | Parsed::Pattern { .. } => reading.certain,
        Parsed::Digest | Parsed::Integer(_) | Parsed::Text | Parsed::Bytes => false,
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
            .filter(|(_, reading)| !matches!(reading.kind, Kind::Text | Kind::Bytes | Kind::Other128))
            .count()
            * 10
            >= count * 8
        && count > 0
}
