//! Finds out where new ids arrive in the order of a column: measured by the order in which the rows of the sample came,
//! if that is known.

use serde::Serialize;

use crate::survey::judge::came::{Came, LEAST_TIMES, is_counter, ranked};
use crate::survey::judge::integers;
use crate::survey::judge::kinds::Kind;
use crate::survey::judge::parse::parse;
use crate::survey::judge::parsed::Parsed;
use crate::survey::judge::reading::Reading;
use crate::survey::judge::tokens;
use crate::survey::read::sample::Value;
use crate::survey::schema::{Class, Column, Table};
use crate::survey::session::Engine;

/// The place at which new ids arrive in the order of a column.
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

/// The evidence for where new ids arrive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ArrivalBy {
    /// The server counts the column.
    Counter,
    /// This column of the table, a time or a counter, tells in which order the rows came.
    Column(String),
    /// Two looks at the table.
    SecondLook,
    /// The kind of the ids: their times, or that they are random.
    Kind,
    /// The first bytes of the values: those of random ids are everywhere.
    FirstBytes,
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
        Value::Text(text) if compares_bytes(engine, column) => text.clone().into_bytes(),
        Value::Text(text) => text.to_lowercase().into_bytes(),
    }
}

/// Returns true if texts of the column are sorted by their bytes. Other collations are treated as if they ignored case.
fn compares_bytes(engine: Engine, column: &Column) -> bool {
    let collation = column.collation.as_deref().unwrap_or_default();
    match engine {
        Engine::MySql | Engine::MariaDb => collation.ends_with("_bin"),
        Engine::Postgres => matches!(collation, "C" | "POSIX" | "ucs_basic"),
        Engine::Sqlite => !column.ignores_case,
    }
}

/// The values of a column, and what is known of them.
pub(crate) struct Values<'v> {
    pub(crate) engine: Engine,
    pub(crate) table: &'v Table,
    pub(crate) at: usize,
    pub(crate) values: &'v [Value],
    /// The rows of the sample in which they are.
    pub(crate) rows: &'v [usize],
    pub(crate) parsed: &'v [Parsed],
    pub(crate) readings: &'v [Reading],
}

/// The share of values that sort behind the newest ids, and where new ones arrive.
pub(crate) fn of_column(of: &Values<'_>, came: Option<&Came>) -> (f64, Arrival, Option<ArrivalBy>) {
    let column = &of.table.columns[of.at];
    let keys: Vec<Vec<u8>> = of.values.iter().map(|value| sort_key(of.engine, column, value)).collect();
    let behind = behind_newest(&keys, of.readings);
    let share = behind.unwrap_or(0.0);
    let integers = integers_of(of.parsed);
    if !are_negative(&integers)
        && (of.table.is_counted(of.at)
            || (is_counter(of.engine, of.table, of.at) && !integers::is_far(&integers)))
    {
        return (share, Arrival::RightEdge, Some(ArrivalBy::Counter));
    }
    let count = |is: fn(Kind) -> bool| of.readings.iter().filter(|reading| is(reading.kind)).count();
    let timed = of.readings.iter().filter(|one| one.certain && one.kind.is_time_first()).count();
    // Of ids that begin with their time and others, the newest rows show which of them programs still make.
    let is_everywhere = |reading: &Reading| reading.kind.is_everywhere();
    let everywhere = of.readings.iter().filter(|reading| is_everywhere(reading)).count();
    if timed > 0 && behind.is_some() && is_part(everywhere, of.readings.len()) {
        let Some((newest, by)) = newest(of, came) else { return (share, Arrival::Unknown, None) };
        let made = newest.iter().filter(|&&at| is_everywhere(&of.readings[at])).count();
        if is_part(made, newest.len()) {
            return (share, Arrival::Scattered, Some(by));
        }
    }
    let by_kind = match behind {
        Some(behind) if behind <= EDGE && timed > 0 => Some(Arrival::RightEdge),
        Some(_) if timed > 0 => Some(Arrival::Middle),
        Some(_) => Some(Arrival::Scattered),
        None if count(Kind::is_random) * 2 > of.readings.len() => Some(Arrival::Scattered),
        None => None,
    };
    if let Some(arrival) = by_kind {
        return (share, arrival, Some(ArrivalBy::Kind));
    }
    if let Some(came) = came.filter(|came| came.column != of.at)
        && let Some(arrival) = measured(&keys, of.rows, came)
    {
        return (share, arrival, Some(ArrivalBy::Column(came.name.clone())));
    }
    match begins_anywhere(of) {
        true => (share, Arrival::Scattered, Some(ArrivalBy::FirstBytes)),
        false => (share, Arrival::Unknown, None),
    }
}

/// Fewer of the newest rows than one of this many may be anywhere: 1,000 inserts at one place change about ten pages, and
/// those of random ids one page each.
const PART: usize = 20;

fn is_part(count: usize, of: usize) -> bool {
    count * PART > of
}

/// The newest tenth of the values, and what tells that they are: the order in which their rows came, or their own times if all
/// have one.
fn newest(of: &Values<'_>, came: Option<&Came>) -> Option<(Vec<usize>, ArrivalBy)> {
    let came = came.filter(|came| came.column != of.at);
    let time = |at: usize| match came {
        Some(came) => came.places[of.rows[at]],
        None => of.readings[at].time.map(|time| time as f64),
    };
    let mut order: Vec<(f64, usize)> =
        (0..of.readings.len()).filter_map(|at| Some((time(at)?, at))).collect();
    if order.len() * PART < of.readings.len() * (PART - 1) {
        return None;
    }
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    order.truncate(order.len().div_ceil(10));
    let by = came.map_or(ArrivalBy::Kind, |came| ArrivalBy::Column(came.name.clone()));
    Some((order.into_iter().map(|(_, at)| at).collect(), by))
}

/// New ids are at the right edge if at most this share of all sort behind them.
const EDGE: f64 = 0.15;

/// The share of values that sort behind the newest ids: the median of the newest tenth of those that have a time.
fn behind_newest(keys: &[Vec<u8>], readings: &[Reading]) -> Option<f64> {
    let mut timed: Vec<(i64, &Vec<u8>)> =
        readings.iter().zip(keys).filter_map(|(reading, key)| Some((reading.time?, key))).collect();
    if timed.len() * 100 < keys.len() || timed.len() < 2 {
        return None;
    }
    timed.sort();
    let newest = timed.len().div_ceil(10);
    let mut newest: Vec<&Vec<u8>> = timed[timed.len() - newest..].iter().map(|&(_, key)| key).collect();
    newest.sort();
    let median = newest[newest.len() / 2];
    Some(keys.iter().filter(|key| *key > median).count() as f64 / keys.len() as f64)
}

/// The deviation that random orders exceed in one of a million cases.
const DEVIATION: f64 = 4.9;
/// From so many rows on, no correlation means that rows arrive everywhere.
const ENOUGH: usize = 50;
/// The largest part of a column in which new ids are together.
const TOGETHER: f64 = 0.3;

/// Returns the place of the newest tenth of the rows, if they are there by no chance (Spearman's rank correlation), or
/// everywhere.
fn measured(keys: &[Vec<u8>], rows: &[usize], came: &Came) -> Option<Arrival> {
    let both: Vec<(f64, &Vec<u8>)> =
        rows.iter().zip(keys).filter_map(|(&row, key)| Some((came.places[row]?, key))).collect();
    let n = both.len();
    if n < LEAST_TIMES {
        return None;
    }
    let places: Vec<f64> =
        ranked(&both.iter().map(|one| Some(one.1)).collect::<Vec<_>>()).into_iter().flatten().collect();
    let mut times: Vec<Option<i64>> = both.iter().map(|one| Some((one.0 * 2.0) as i64)).collect();
    let times: Vec<f64> = ranked(&std::mem::take(&mut times)).into_iter().flatten().collect();
    let correlation = pearson(&times, &places)?;
    let is_order = correlation.abs() * ((n - 1) as f64).sqrt() > DEVIATION || correlation.abs() > 0.999;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| times[b].total_cmp(&times[a]));
    let mut newest: Vec<f64> =
        order[..n.div_ceil(10)].iter().map(|&at| places[at] / (n - 1) as f64).collect();
    newest.sort_by(f64::total_cmp);
    let part = |share: f64| newest[((newest.len() - 1) as f64 * share).round() as usize];
    let is_together = part(0.9) - part(0.1) <= TOGETHER;
    match is_order {
        true if part(0.5) >= 1.0 - EDGE => Some(Arrival::RightEdge),
        true if is_together => Some(Arrival::Middle),
        true => Some(Arrival::Scattered),
        false if n < ENOUGH => None,
        // The places of twenty random rows are not within a third of the column.
        false if is_together => (newest.len() >= 20).then_some(Arrival::Middle),
        false => Some(Arrival::Scattered),
    }
}

fn pearson(a: &[f64], b: &[f64]) -> Option<f64> {
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        a.iter().zip(b).map(|(&a, &b)| f(a - mean_a, b - mean_b)).sum()
    };
    let (both, of_a, of_b) = (sum(&|a, b| a * b), sum(&|a, _| a * a), sum(&|_, b| b * b));
    (of_a > 0.0 && of_b > 0.0).then(|| both / (of_a * of_b).sqrt())
}

fn integers_of(parsed: &[Parsed]) -> Vec<i128> {
    let integer = |parsed: &Parsed| match parsed {
        Parsed::Integer(number) => Some(*number),
        _ => None,
    };
    parsed.iter().filter_map(integer).collect()
}

/// Returns true if most of the integers are negative: a program chose them, or a counter that counts down.
fn are_negative(integers: &[i128]) -> bool {
    integers.iter().filter(|number| **number < 0).count() * 2 > integers.len()
}

/// Fewer values do not show where the first bytes of the others are.
const LEAST: usize = 8;

/// Returns true if the first bytes or characters of the values are spread over the whole range, as those of random
/// values are.
fn begins_anywhere(of: &Values<'_>) -> bool {
    if of.values.len() < LEAST {
        return false;
    }
    let column = &of.table.columns[of.at];
    let numbers = integers_of(of.parsed);
    if numbers.len() * 2 > of.values.len() {
        return integers::is_spread(&numbers);
    }
    let first_bytes = |bytes: &mut dyn Iterator<Item = u8>| {
        let first: std::collections::BTreeSet<u8> = bytes.collect();
        first.len() >= 4 && first.first() < Some(&64) && first.last() >= Some(&192)
    };
    let ids = || {
        of.parsed.iter().filter_map(|parsed| match parsed {
            Parsed::Wide { id, .. } => Some(id.as_bytes()[0]),
            _ => None,
        })
    };
    if ids().count() == of.values.len() {
        return first_bytes(&mut ids());
    }
    let texts: Vec<&str> = of.values.iter().filter_map(readable).collect();
    if texts.len() * 2 > of.values.len() {
        return tokens::begins_anywhere(&texts, column.ignores_case);
    }
    first_bytes(&mut of.values.iter().filter_map(|value| match value {
        Value::Bytes(bytes) => bytes.first().copied(),
        _ => None,
    }))
}

/// A text, or bytes that are one, as in the `VARBINARY` columns in which some programs keep their texts.
fn readable(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        Value::Bytes(bytes) if bytes.iter().all(|byte| (b' '..=b'~').contains(byte)) => {
            std::str::from_utf8(bytes).ok()
        }
        Value::Bytes(_) | Value::Int(_) | Value::Null => None,
    }
}
