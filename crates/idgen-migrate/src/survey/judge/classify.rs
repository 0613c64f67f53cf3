//! Decides which kind each value of a column has, and of which values this is certain.
//!
//! The bits of one value may fit several kinds: one ULID in 64 looks like version 4, and so does one random text in 64. So a kind
//! counts only if more values of the column fit it than chance gives ([`chance`]). The kind that chance explains least is taken
//! first, and its values are no evidence for others.

mod wide;

use std::collections::{BTreeMap, HashMap};

use crate::survey::judge::chance;
use crate::survey::judge::integers;
use crate::survey::judge::kinds::Kind;
use crate::survey::judge::parse::parse;
use crate::survey::judge::parsed::Parsed;
use crate::survey::judge::reading::{EARLIEST, Reading, SECOND, YEAR};
use crate::survey::read::sample::Value;
use wide::Wide;

/// Ids of 128 bits whose clock is wrong by fewer years than this are still of their kind.
const WRONG_YEARS: i64 = 30;
/// The share of a pattern's values that follow it in a column of its kind.
const MOST: f64 = 0.9;

/// Parses each value, and finds its kind. Equal values count once: repetitions are no more evidence than the first one.
/// `is_counted`: the server counts the integers of this column.
pub(crate) fn read_all(values: &[Value], now: i64, is_counted: bool) -> (Vec<Parsed>, Vec<Reading>) {
    let mut places: HashMap<&Value, usize> = HashMap::new();
    let mut distinct: Vec<Value> = Vec::new();
    let place: Vec<usize> = values
        .iter()
        .map(|value| {
            *places.entry(value).or_insert_with(|| {
                distinct.push(value.clone());
                distinct.len() - 1
            })
        })
        .collect();
    let parsed = parse_all(&distinct);
    let readings = classify(&parsed, now, is_counted);
    (place.iter().map(|&at| parsed[at]).collect(), place.iter().map(|&at| readings[at]).collect())
}

/// Reads each value alone, and drops forms that only chance gives: of 16 random texts of 22 characters, one ends like base64.
fn parse_all(values: &[Value]) -> Vec<Parsed> {
    let mut parsed: Vec<Parsed> = values.iter().map(parse).collect();
    let length = |value: &Value| match value {
        Value::Text(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::Null | Value::Int(_) => 0,
    };
    let mut lengths: HashMap<usize, usize> = HashMap::new();
    let mut forms: HashMap<(usize, &str), usize> = HashMap::new();
    for (value, parsed) in values.iter().zip(&parsed) {
        *lengths.entry(length(value)).or_default() += 1;
        if let Some(spelling) = parsed.spelling() {
            *forms.entry((length(value), spelling.format)).or_default() += 1;
        }
    }
    for (value, parsed) in values.iter().zip(&mut parsed) {
        let Some(spelling) = parsed.spelling() else { continue };
        let (fitting, all) = (forms[&(length(value), spelling.format)], lengths[&length(value)]);
        if (spelling.needs_case() || spelling.format == "base32") && (fitting as f64) < MOST * all as f64 {
            *parsed = Parsed::Text;
        }
    }
    parsed
}

/// The kind of each of the values of a column, which differ.
fn classify(parsed: &[Parsed], now: i64, is_counted: bool) -> Vec<Reading> {
    let mut readings: Vec<Reading> = parsed.iter().map(plain).collect();
    let integer = |at: &usize| match parsed[*at] {
        Parsed::Integer(number) => Some(number),
        _ => None,
    };
    let places: Vec<usize> = (0..parsed.len()).filter(|at| integer(at).is_some()).collect();
    let numbers: Vec<i128> = places.iter().filter_map(integer).collect();
    for (&at, reading) in places.iter().zip(integers::classify(&numbers, now, is_counted)) {
        readings[at] = reading;
    }
    patterns(parsed, now, &mut readings);
    Wide::of(parsed, now).classify(&mut readings);
    readings
}

/// A value without the rest of its column.
fn plain(parsed: &Parsed) -> Reading {
    match parsed {
        Parsed::Digest => Reading::certain(Kind::Digest, None),
        Parsed::Wide { .. } => Reading::guess(Kind::Other128),
        Parsed::Object { spelling: None, .. } | Parsed::Bytes => Reading::guess(Kind::Bytes),
        // Any bytes of this length.
        Parsed::Pattern { each, .. } if *each >= 1.0 => Reading::guess(Kind::Bytes),
        _ => Reading::guess(Kind::Text),
    }
}

/// The milliseconds in which the times of a kind are repeated.
fn period(kind: Kind) -> f64 {
    match kind {
        Kind::V1 | Kind::V6 | Kind::V1Swapped => 2_f64.powi(60) / 1e4,
        Kind::ObjectId | Kind::Xid | Kind::Ksuid => 2_f64.powi(32) * 1e3,
        Kind::Cuid => 36_f64.powi(8),
        Kind::Tsid => 2_f64.powi(42),
        _ => 2_f64.powi(48),
    }
}

/// Kinds that have characters of their own, and ObjectIds: nearly all values of the column follow them.
fn patterns(parsed: &[Parsed], now: i64, readings: &mut [Reading]) {
    let candidate = |parsed: &Parsed| match *parsed {
        Parsed::Pattern { kind, time, each } => Some((kind, time, each)),
        Parsed::Object { seconds, .. } => Some((Kind::ObjectId, Some(i64::from(seconds) * SECOND), 1.0)),
        _ => None,
    };
    let latest = |kind| now.saturating_add(if kind == Kind::TypeId { WRONG_YEARS * YEAR } else { YEAR });
    let fits = |kind, time: Option<i64>| time.is_none_or(|time| (EARLIEST..latest(kind)).contains(&time));
    let mut counts: BTreeMap<(Kind, bool), (usize, f64)> = BTreeMap::new();
    for (kind, time, each) in parsed.iter().filter_map(candidate).filter(|&(kind, time, _)| fits(kind, time))
    {
        let of_time = match time {
            Some(_) => (latest(kind) - EARLIEST) as f64 / period(kind),
            None => 1.0,
        };
        let entry = counts.entry((kind, time.is_some())).or_insert((0, 0.0));
        entry.0 += 1;
        entry.1 = entry.1.max(each * of_time.min(1.0));
    }
    let all = parsed.len();
    for ((kind, timed), (fitting, each)) in counts {
        if (fitting as f64) < MOST * all as f64 || !chance::is_certain(fitting, all, each) {
            continue;
        }
        for (reading, parsed) in readings.iter_mut().zip(parsed) {
            match candidate(parsed) {
                Some((of, time, _)) if of == kind && time.is_some() == timed && fits(kind, time) => {
                    *reading = Reading::certain(kind, time);
                }
                _ => {}
            }
        }
    }
}
