//! The cases of `generators.json`, without their results.

use serde_json::{Value, json};

use super::hex;

/// 2026-11-21T12:00:00.1234567Z in units of 100 ns.
const NOON: i64 = 17_952_624_001_234_567;
const MS: i64 = 10_000;
pub const SECOND: i64 = 1_000 * MS;
pub const HOUR: i64 = 3_600 * SECOND;
const SECRET: &[u8] = b"a secret of at least 16 bytes";

/// A step with the clock at this time.
pub fn at(clock: i64, op: &str, count: usize) -> Value {
    json!({ "clock": clock.to_string(), "op": op, "count": count })
}

/// A step that leaves the clock as it is.
pub fn then(op: &str, count: usize) -> Value {
    json!({ "op": op, "count": count })
}

pub fn end(op: &str) -> Value {
    json!({ "op": op })
}

pub struct Cases(pub Vec<Value>);

impl Cases {
    pub fn add(&mut self, name: &str, kind: &str, settings: &Value, steps: Vec<Value>) -> &mut Value {
        let seed = self.0.len() + 1;
        self.0.push(json!({
            "name": name, "kind": kind, "settings": settings, "seed": seed, "entropy": "", "state": false,
            "steps": steps,
        }));
        self.0.last_mut().expect("just added")
    }

    /// Adds a case with these bytes instead of those of a seed.
    fn add_bytes(&mut self, name: &str, kind: &str, settings: &Value, entropy: &[u8], steps: Vec<Value>) {
        let case = self.add(name, kind, settings, steps);
        case["seed"] = Value::Null;
        case["entropy"] = json!(hex(entropy));
    }

    pub fn add_state(&mut self, name: &str, kind: &str, settings: &Value, steps: Vec<Value>) {
        self.add(name, kind, settings, steps)["state"] = json!(true);
    }
}

/// The settings with one more.
fn and(settings: &Value, name: &str, value: Value) -> Value {
    let mut settings = settings.clone();
    settings[name] = value;
    settings
}

fn prefixed(prefix: &str, interval: &str, tail: &str) -> Value {
    let settings = json!({ "prefix": prefix, "interval": interval, "tail": tail });
    if prefix == "keyed" { and(&settings, "secret", json!(hex(SECRET))) } else { settings }
}

fn named(interval: &str, writer: &str) -> Value {
    and(&prefixed("keyed", interval, "ascending"), "writer", json!(writer))
}

/// The kinds whose ids follow the clock, with their settings and the last time that they can hold.
fn counting() -> Vec<(&'static str, Value, i64)> {
    let gregorian = (1 << 60) - 1 - 0x01B2_1DD2_1381_4000;
    let node = json!({ "node": "9f6bdeced846" });
    let time = ((1 << 44) - 1) * MS + 9_999;
    vec![
        ("v1", json!({}), gregorian),
        ("v1", node.clone(), gregorian),
        ("v6", json!({}), gregorian),
        ("v6", node, gregorian),
        ("v7", json!({}), ((1 << 48) - 1) * MS + 9_999),
        ("ulid", json!({}), ((1 << 48) - 1) * MS + 9_999),
        ("prefixed", prefixed("sequential", "day", "ascending"), time),
        ("prefixed", and(&prefixed("sequential", "90s", "ascending"), "bits", json!(8)), time),
        ("prefixed", prefixed("keyed", "hour", "ascending"), (3_600 << 26) * SECOND - 1),
        ("prefixed", named("minute", "node-b"), (60i64 << 32) * SECOND - 1),
        ("prefixed", prefixed("md5-week", "week", "ascending"), time),
        ("fixed-prefix", json!({ "prefix": "ffff" }), time),
        ("fixed-prefix", json!({ "prefix": "ffffffff" }), ((1 << 42) - 1) * MS + 9_999),
        (
            "fixed-prefix",
            json!({ "prefix": "0b10000000000000001" }),
            ((1i64 << 57) - 1).min(i64::MAX / MS - 1) * MS,
        ),
        ("fixed-prefix", json!({ "prefix": "0b101" }), ((1i64 << 57) - 1).min(i64::MAX / MS - 1) * MS),
    ]
}

pub fn cases() -> Vec<Value> {
    let mut cases = Cases(Vec::new());
    cases.add("random", "v4", &json!({}), vec![then("next", 3), then("fill", 5), then("next", 1)]);
    cases.add_bytes("all bits set", "v4", &json!({}), &[0xff], vec![then("next", 1)]);
    cases.add_bytes("no bit set", "v4", &json!({}), &[0], vec![then("next", 1)]);
    for (kind, settings, last) in &counting() {
        clocks(&mut cases, kind, settings, *last);
        restarts(&mut cases, kind, settings);
        if !["v1", "v6", "ulid"].contains(kind) {
            fractions(&mut cases, kind, settings);
        }
    }
    full_counters(&mut cases);
    prefixes(&mut cases);
    short(&mut cases);
    mysql_short(&mut cases);
    for (kind, settings, _) in &counting() {
        longest_waits(&mut cases, kind, settings);
    }
    cases.0
}

/// Waits that end before the clock has caught up.
fn longest_waits(cases: &mut Cases, kind: &str, settings: &Value) {
    let waits = and(&and(settings, "when_behind", json!("wait")), "tolerance_ms", json!(50));
    cases.add(
        "a wait that is too long",
        kind,
        &and(&waits, "longest_wait_ms", json!(1_500)),
        vec![at(NOON, "next", 1), at(NOON - 3 * SECOND, "next", 1), then("next", 1)],
    );
    cases.add(
        "no wait",
        kind,
        &and(&waits, "longest_wait_ms", json!(0)),
        vec![at(NOON, "next", 1), at(NOON - SECOND, "fill", 2), at(NOON, "fill", 2)],
    );
}

/// A clock that stands still, moves, is set back a little and then far, and leaves the range.
fn clocks(cases: &mut Cases, kind: &str, settings: &Value, last: i64) {
    cases.add(
        "the clock moves",
        kind,
        settings,
        vec![
            at(NOON, "next", 2),
            then("fill", 3),
            at(NOON + MS, "next", 2),
            at(NOON + MS - 5 * SECOND, "next", 2),
            then("fill", 4),
            at(NOON + 61 * SECOND, "next", 1),
            at(NOON + 3 * HOUR, "next", 1),
            at(NOON + 3 * HOUR - 11 * SECOND, "next", 2),
            then("fill", 2),
            at(NOON, "next", 1),
        ],
    );
    cases.add(
        "an error when the clock is behind",
        kind,
        &and(settings, "when_behind", json!("error")),
        vec![
            at(NOON, "next", 1),
            at(NOON - 10 * SECOND, "next", 1),
            at(NOON - 11 * SECOND, "next", 1),
            at(NOON - HOUR, "fill", 2),
            at(NOON, "next", 1),
        ],
    );
    let waits = and(&and(settings, "when_behind", json!("wait")), "tolerance_ms", json!(50));
    cases.add(
        "a wait when the clock is behind",
        kind,
        &waits,
        vec![
            at(NOON, "next", 1),
            at(NOON - 3 * SECOND, "next", 1),
            then("next", 1),
            at(NOON - HOUR, "next", 1),
        ],
    );
    cases.add(
        "the limits of the time",
        kind,
        settings,
        vec![
            at(last - HOUR, "next", 1),
            at(last, "next", 1),
            at(last + MS, "next", 1),
            at(-0x01B2_1DD2_1381_4000 - MS, "next", 1),
            at(0, "next", 1),
        ],
    );
    let entropies: [(&str, &[u8]); 2] = [("no random bit set", &[0]), ("all random bits set", &[0xff])];
    for (name, bytes) in entropies {
        let steps = vec![at(NOON, "next", 2), at(NOON + MS, "fill", 3)];
        cases.add_bytes(name, kind, settings, bytes, steps);
    }
}

/// The fractions of a millisecond: their steps, the last one, and counters that are full.
fn fractions(cases: &mut Cases, kind: &str, settings: &Value) {
    let begin = NOON - NOON % MS;
    let steps = [0, 1, 2, 3, 4, 5, 2_499, 2_500, 9_996, 9_997, 9_998, 9_999, 10_000]
        .map(|ticks| at(begin + ticks, "next", 1));
    cases.add("fractions of a millisecond", kind, settings, steps.into());
    let steps = vec![
        at(begin + 9_995, "skip", 20_000),
        then("next", 2),
        at(begin + 9_999, "skip", 300_000),
        then("fill", 2),
    ];
    cases.add_bytes("full counters", kind, settings, &[0xff], steps);
}

/// A state over clean and unclean ends.
fn restarts(cases: &mut Cases, kind: &str, settings: &Value) {
    cases.add_state(
        "restarts with a state",
        kind,
        settings,
        vec![
            at(NOON, "next", 2),
            end("close"),
            then("next", 1),
            end("crash"),
            then("next", 1),
            then("fill", 3),
            end("crash"),
            then("next", 1),
            at(NOON + 20 * MS, "next", 1),
            at(NOON + 3 * SECOND, "next", 1),
            at(NOON + 5 * SECOND, "fill", 2),
            at(NOON - 4 * SECOND, "next", 1),
            at(NOON - HOUR, "next", 1),
            end("close"),
            then("next", 1),
            at(NOON + HOUR, "next", 1),
        ],
    );
}

fn full_counters(cases: &mut Cases) {
    for kind in ["v1", "v6"] {
        cases.add(
            "a full counter",
            kind,
            &json!({}),
            vec![
                at(NOON, "skip", 8_190),
                then("fill", 4),
                then("skip", 16_380),
                then("fill", 20),
                then("next", 2),
                at(NOON + 1, "next", 2),
            ],
        );
    }
    let steps =
        vec![at(NOON, "skip", (1 << 25) - 1), then("next", 3), at(NOON + MS, "next", 2), then("fill", 2)];
    cases.add_bytes("a full counter, after 33 million ids", "ulid", &json!({}), &[0xff], steps);
}

fn prefixes(cases: &mut Cases) {
    let steps = || {
        vec![
            at(NOON, "next", 2),
            then("fill", 3),
            at(NOON + 61 * SECOND, "next", 1),
            at(NOON + 25 * HOUR, "next", 1),
            at(NOON - 700 * 24 * HOUR, "next", 1),
            at(-1, "next", 1),
        ]
    };
    for tail in ["random-v4", "random-v8"] {
        for interval in ["minute", "ten-minutes", "hour", "day", "week", "month", "7s"] {
            cases.add("random tails", "prefixed", &prefixed("sequential", interval, tail), steps());
            cases.add("random tails", "prefixed", &prefixed("keyed", interval, tail), steps());
        }
        let random = prefixed("sequential", "day", tail);
        for bits in [1, 9, 15] {
            cases.add("random tails", "prefixed", &and(&random, "bits", json!(bits)), steps());
        }
        for offset in [0, 3_600, -43_200, 50_400] {
            let week = and(&prefixed("md5-week", "week", tail), "utc_offset_secs", json!(offset));
            cases.add("random tails", "prefixed", &week, week_steps());
        }
        for bytes in [[0], [0xff]] {
            cases.add_bytes(
                "the same bits",
                "prefixed",
                &random,
                &bytes,
                vec![at(NOON, "next", 1), then("fill", 2)],
            );
        }
    }
    for interval in ["minute", "ten-minutes", "day", "week", "month", "49d"] {
        for settings in [prefixed("keyed", interval, "ascending"), named(interval, "a"), named(interval, "é")]
        {
            cases.add("ascending tails", "prefixed", &settings, steps());
        }
    }
}

/// The ends of years and weeks, where MySQL's week changes.
fn week_steps() -> Vec<Value> {
    // 2026-12-31, 2027-01-01, 2027-01-03 (a Sunday), 2012-01-01 (a Sunday), 2012-12-30, 1970-01-01, at midnight in UTC.
    [1_798_675_200, 1_798_761_600, 1_798_934_400, 1_325_376_000, 1_356_825_600, 0]
        .into_iter()
        .flat_map(|secs: i64| [at(secs * SECOND - 1, "next", 1), at(secs * SECOND, "next", 1)])
        .collect()
}

fn short(cases: &mut Cases) {
    let node = json!({ "node": "9f6bdeced846" });
    for settings in [json!({}), node.clone()] {
        clocks(cases, "short", &settings, 0xFFFF_FFFF * SECOND + SECOND - 1);
        restarts(cases, "short", &settings);
        cases.add(
            "a full second: the generator waits",
            "short",
            &settings,
            vec![at(NOON, "skip", 65_534), then("next", 3), then("skip", 65_530), then("fill", 10)],
        );
        let error = and(&settings, "when_behind", json!("error"));
        cases.add(
            "a full second: an error",
            "short",
            &error,
            vec![at(NOON, "skip", 65_535), then("next", 1), then("next", 1), at(NOON + SECOND, "next", 1)],
        );
        cases.add_state(
            "blocks of a state",
            "short",
            &settings,
            vec![
                at(NOON, "next", 1),
                then("skip", 4_096),
                then("next", 2),
                end("crash"),
                then("next", 1),
                then("skip", 60_000),
                end("close"),
                then("fill", 2),
            ],
        );
    }
}

fn mysql_short(cases: &mut Cases) {
    let settings = json!({ "server_id": 7 });
    cases.add(
        "as UUID_SHORT()",
        "mysql-short",
        &settings,
        vec![
            at(NOON, "next", 2),
            then("fill", 2),
            at(NOON + HOUR, "next", 1),
            then("skip", (1 << 24) - 6),
            then("next", 3),
        ],
    );
    cases.add_state(
        "restarts with a state",
        "mysql-short",
        &settings,
        vec![
            at(NOON, "next", 2),
            end("crash"),
            then("next", 1),
            end("close"),
            at(NOON - HOUR, "next", 1),
            end("close"),
            at(NOON + HOUR, "next", 1),
        ],
    );
}
