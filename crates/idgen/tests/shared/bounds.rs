//! The content of `bounds.json`: the smallest and the largest id of a time.

use std::ops::Range;

use idgen::bounds::{self, Bounds};
use idgen::{Interval, Kind, Result, Timestamp};
use serde_json::{Value, json};

use super::replay::{Given, prefix, tail, text, uuid_text};
use super::{failure, hex};

/// 2026-11-21T12:00:00.1234567Z in units of 100 ns.
const NOON: i64 = 17_952_624_001_234_567;
const MS: i64 = 10_000;
const SECOND: i64 = 1_000 * MS;
const DAY: i64 = 86_400 * SECOND;
/// The ticks of 1582-10-15.
const GREGORIAN: i64 = -0x01B2_1DD2_1381_4000;
const SECRET: &[u8] = b"a secret of at least 16 bytes";

/// The kinds, with their settings and the first and the last tick that they can hold.
fn kinds() -> Vec<(&'static str, Value, i64, i64)> {
    let fixed = |prefix: &str| json!({ "prefix": prefix });
    let last = |bits: u32| ((1 << bits) - 1) * MS + 9_999;
    let last_second = i64::from(u32::MAX) * SECOND + SECOND - 1;
    vec![
        ("v1", json!({}), GREGORIAN, GREGORIAN + ((1 << 60) - 1)),
        ("v6", json!({}), GREGORIAN, GREGORIAN + ((1 << 60) - 1)),
        ("v7", json!({}), 0, last(48)),
        ("ulid", json!({}), 0, last(48)),
        ("fixed-prefix", fixed("ffffffff"), 0, last(42)),
        ("fixed-prefix", fixed("ffff"), 0, last(44)),
        ("fixed-prefix", fixed("0b10100000000000001"), 0, i64::MAX),
        ("fixed-prefix", fixed("0b1"), 0, i64::MAX),
        ("short", json!({}), 0, last_second),
        ("mysql-short", json!({ "server_id": 7 }), 0, last_second),
    ]
}

/// Returns the cases of each kind: a moment, spans, both ends, and refused ones.
fn cases() -> Vec<Value> {
    let mut cases = Vec::new();
    for (kind, settings, first, last) in kinds() {
        let mut add = |start: i64, end: i64| {
            cases.push(json!({
                "kind": kind, "settings": settings, "start": start.to_string(), "end": end.to_string(),
            }));
        };
        add(NOON, NOON + 1);
        add(NOON, NOON + 25 * MS);
        add(NOON - NOON % DAY, NOON - NOON % DAY + DAY);
        add(first, first + 1);
        add(first - 1, first);
        add(NOON, NOON);
        add(NOON, NOON - DAY);
        if last < i64::MAX {
            add(first, last + 1);
            add(NOON, last + 2);
        }
    }
    cases
}

fn prefixed_cases() -> Vec<Value> {
    let of = |prefix: &str, interval: &str, tail: &str| json!({ "prefix": prefix, "interval": interval, "tail": tail });
    let and = |mut settings: Value, name: &str, value: Value| {
        settings[name] = value;
        settings
    };
    let keyed = |interval: &str, tail: &str| and(of("keyed", interval, tail), "secret", json!(hex(SECRET)));
    let named = |interval: &str| and(keyed(interval, "ascending"), "writer", json!("büro"));
    let night = NOON - NOON % DAY;
    let next_new_year = Timestamp::from_date(2027, 1, 1).unix_ticks();
    let mut cases = Vec::new();
    let mut add = |settings: Value, start: i64, end: i64| {
        cases.push(json!({ "settings": settings, "start": start.to_string(), "end": end.to_string() }));
    };
    for tail in ["ascending", "random-v4", "random-v8"] {
        for settings in [
            of("sequential", "day", tail),
            and(of("sequential", "7h", tail), "bits", json!(12)),
            keyed("day", tail),
            of("md5-week", "week", tail),
        ] {
            add(settings.clone(), NOON, NOON + 1);
            add(settings.clone(), NOON, night + 3 * DAY);
            add(settings.clone(), next_new_year - 12 * DAY, next_new_year + 5 * DAY);
            add(settings.clone(), NOON, NOON);
            add(settings.clone(), -1, 1);
        }
        add(of("sequential", "month", tail), NOON, NOON + 70 * DAY);
        add(of("sequential", "ten-minutes", tail), NOON + 1, NOON + 1_800 * SECOND);
    }
    add(named("hour"), NOON, NOON + 2 * 3_600 * SECOND);
    add(named("49d"), NOON, NOON + 100 * DAY);
    add(keyed("month", "ascending"), NOON, NOON + 32 * DAY);
    add(and(of("md5-week", "week", "ascending"), "utc_offset_secs", json!(-18_000)), NOON, NOON + 9 * DAY);
    // Combinations that are not possible, and times that no ascending tail holds.
    add(of("md5-week", "day", "ascending"), NOON, NOON + DAY);
    add(keyed("50d", "ascending"), NOON, NOON + DAY);
    add(of("sequential", "day", "ascending"), NOON, (1 << 44) * MS + 1);
    add(keyed("10s", "ascending"), (1 << 48) * MS, (1 << 48) * MS + 1);
    cases
}

fn times(case: &Value) -> Range<Timestamp> {
    let ticks = |name| Timestamp::from_unix_ticks(text(case, name).parse().expect("ticks"));
    ticks("start")..ticks("end")
}

fn found(case: &Value) -> Result<(String, String)> {
    let kind: Kind = text(case, "kind").parse().expect("a kind");
    match bounds::of(kind, times(case), &Given::new(&case["settings"]))?.expect("the kind has bounds") {
        Bounds::Uuids(range) => {
            let format = kind.facts().text;
            Ok((uuid_text(format, range.start()), uuid_text(format, range.end())))
        }
        Bounds::Shorts(range) => Ok((range.start().to_string(), range.end().to_string())),
    }
}

fn found_prefixed(case: &Value) -> Result<Vec<(String, String)>> {
    let settings = &case["settings"];
    let interval: Interval = text(settings, "interval").parse().expect("an interval");
    let prefix = prefix(settings);
    let ranges = bounds::prefixed(&prefix, interval, tail(settings), times(case))?;
    Ok(ranges.map(|range| (range.start().to_string(), range.end().to_string())).collect())
}

/// The case with what was found, or with the error.
fn complete<T>(mut case: Value, found: Result<T>, add: impl FnOnce(&mut Value, T)) -> Value {
    match found {
        Ok(found) => add(&mut case, found),
        Err(error) => {
            let fields = failure(&error);
            case.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        }
    }
    case
}

pub fn vectors() -> Value {
    let bounds = cases().into_iter().map(|case| {
        let found = found(&case);
        complete(case, found, |case, (first, last)| {
            case["first"] = json!(first);
            case["last"] = json!(last);
        })
    });
    let prefixed = prefixed_cases().into_iter().map(|case| {
        let found = found_prefixed(&case);
        complete(case, found, |case, ranges| case["ranges"] = json!(ranges))
    });
    json!({ "bounds": bounds.collect::<Vec<_>>(), "prefixed": prefixed.collect::<Vec<_>>() })
}
