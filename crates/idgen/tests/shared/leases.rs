//! The content of `leases.json`: leases of device numbers, and the 64-bit ids of devices that hold them.

use idgen::generator::DeviceLease;
use idgen::{Result, Timestamp};
use serde_json::{Value, json};

use super::generators::{Cases, HOUR, SECOND, at, end, then};
use super::{failure, replay};

/// 2026-11-21T12:00:00Z.
const BEGIN: i64 = 1_795_262_400 * SECOND;
const DAY: i64 = 24 * HOUR;
const LAST: i64 = 0xFFFF_FFFF * SECOND;
const NUMBER: u16 = 0xD846;

fn lease(number: u16, not_before: i64, not_after: i64) -> Value {
    json!({ "number": number, "not_before": not_before.to_string(), "not_after": not_after.to_string() })
}

/// A lease of the file, if it is one.
pub fn read(lease: &Value) -> Result<DeviceLease> {
    let time = |field: &str| Timestamp::from_unix_ticks(replay::number(&lease[field]));
    let number = lease["number"].as_u64().and_then(|number| number.try_into().ok()).expect("a number");
    DeviceLease::new(number, time("not_before"), time("not_after"))
}

/// Number, first and last second of a lease, computed in another way; nothing if it is refused.
pub fn of_step(lease: &Value) -> Option<(u64, u64, u64)> {
    let ticks = |field: &str| replay::number::<i128>(&lease[field]);
    let (begin, end) =
        ((ticks("not_before") + 9_999_999).div_euclid(10_000_000), ticks("not_after").div_euclid(10_000_000));
    let holds = begin <= end && begin > 0 && end <= 0xFFFF_FFFF;
    holds.then(|| (lease["number"].as_u64().expect("a number"), begin as u64, end as u64))
}

/// The step, with this lease from now on.
fn leased(mut step: Value, number: u16, not_before: i64, not_after: i64) -> Value {
    step["lease"] = lease(number, not_before, not_after);
    step
}

pub fn vectors() -> Value {
    let leases: Vec<Value> = leases().into_iter().map(complete).collect();
    let generators: Vec<Value> = generators().into_iter().map(replay::complete).collect();
    json!({ "leases": leases, "generators": generators })
}

fn complete(mut lease: Value) -> Value {
    match read(&lease) {
        Ok(read) => {
            lease["first_sec"] = json!(read.not_before().unix_secs());
            lease["last_sec"] = json!(read.not_after().unix_secs());
        }
        Err(error) => lease
            .as_object_mut()
            .expect("a lease")
            .extend(failure(&error).as_object().expect("an error").clone()),
    }
    lease
}

fn leases() -> Vec<Value> {
    [
        (BEGIN, BEGIN + DAY),
        // Seconds count as whole: the first fraction does not count, the last one does.
        (BEGIN + 1, BEGIN + SECOND),
        (BEGIN - 1, BEGIN + SECOND - 1),
        (BEGIN, BEGIN),
        (BEGIN + 1, BEGIN + SECOND - 1),
        (BEGIN, BEGIN - 1),
        (BEGIN + DAY, BEGIN),
        // The first and the last second of 64-bit ids.
        (SECOND, LAST + SECOND - 1),
        (1, SECOND),
        (0, BEGIN),
        (-1, BEGIN),
        (-SECOND, -1),
        (BEGIN, LAST + SECOND),
        (LAST + 1, LAST + SECOND),
        (-2_000_000_000_000_000_000, 2_000_000_000_000_000_000),
    ]
    .into_iter()
    .zip([NUMBER, 0, 0xFFFF].into_iter().cycle())
    .map(|((not_before, not_after), number)| lease(number, not_before, not_after))
    .collect()
}

fn generators() -> Vec<Value> {
    let mut cases = Cases(Vec::new());
    bounds(&mut cases);
    clocks(&mut cases);
    seconds(&mut cases);
    renewals(&mut cases);
    states(&mut cases);
    cases.0
}

/// Times before, in and after the lease.
fn bounds(cases: &mut Cases) {
    let none = json!({});
    cases.add(
        "before the begin, the boundary seconds, after the end",
        "short",
        &none,
        vec![
            leased(at(BEGIN - 1, "next", 1), NUMBER, BEGIN, BEGIN + 10 * SECOND),
            at(BEGIN - 1, "fill", 2),
            at(BEGIN, "next", 2),
            at(BEGIN + SECOND / 2, "fill", 2),
            at(BEGIN + 11 * SECOND - 1, "next", 1),
            then("fill", 2),
            at(BEGIN + 11 * SECOND, "next", 1),
            then("fill", 2),
            at(BEGIN + 10 * SECOND, "next", 1),
        ],
    );
    cases.add(
        "fractions of a second",
        "short",
        &none,
        vec![
            leased(at(BEGIN + SECOND / 2, "next", 1), 0, BEGIN + 1, BEGIN + 2 * SECOND + 1),
            at(BEGIN + SECOND, "next", 1),
            at(BEGIN + 3 * SECOND - 1, "next", 1),
            at(BEGIN + 3 * SECOND, "next", 1),
        ],
    );
    cases.add(
        "one second",
        "short",
        &none,
        vec![
            leased(at(BEGIN, "next", 1), 0xFFFF, BEGIN, BEGIN),
            at(BEGIN + SECOND, "next", 1),
            at(BEGIN - SECOND, "next", 1),
            at(BEGIN - HOUR, "next", 1),
        ],
    );
    cases.add(
        "the first and the last second of 64-bit ids",
        "short",
        &none,
        vec![
            leased(at(0, "next", 1), 1, SECOND, LAST),
            at(SECOND, "next", 1),
            at(LAST, "next", 1),
            at(LAST + SECOND, "next", 1),
        ],
    );
    // A server leases from a day before its own time, so that devices whose clocks are behind can begin.
    cases.add(
        "a margin of a day, and clocks that are behind by less and by more than that",
        "short",
        &none,
        vec![
            leased(at(BEGIN - 25 * HOUR, "next", 1), NUMBER, BEGIN - DAY, BEGIN + 30 * DAY),
            at(BEGIN - 23 * HOUR, "next", 1),
            at(BEGIN, "next", 1),
            at(BEGIN + 29 * DAY, "next", 1),
            at(BEGIN + 31 * DAY, "next", 1),
        ],
    );
}

/// A clock that is set back.
fn clocks(cases: &mut Cases) {
    for (settings, after) in [
        (json!({}), "restart"),
        (json!({ "when_behind": "error", "tolerance_ms": 2_000 }), "error"),
        (json!({ "when_behind": "wait", "tolerance_ms": 2_000 }), "wait"),
        (json!({ "node": "9f6bdeced846" }), "restart with a node"),
    ] {
        cases.add(
            &format!("the clock is set back: {after}"),
            "short",
            &settings,
            vec![
                leased(at(BEGIN + 100 * SECOND, "next", 1), 7, BEGIN, BEGIN + 200 * SECOND),
                at(BEGIN + 99 * SECOND, "next", 1),
                at(BEGIN + 60 * SECOND, "next", 1),
                at(BEGIN + 100 * SECOND, "fill", 2),
            ],
        );
    }
    cases.add(
        "the clock is set back to before the begin, but ids continue in the lease",
        "short",
        &json!({}),
        vec![
            leased(at(BEGIN + 2 * SECOND, "next", 1), 7, BEGIN, BEGIN + DAY),
            at(BEGIN - 5 * SECOND, "next", 1),
            at(BEGIN - 20 * SECOND, "next", 1),
        ],
    );
    cases.add(
        "the clock was set back before there was a lease",
        "short",
        &json!({}),
        vec![
            at(BEGIN + HOUR, "next", 1),
            at(BEGIN, "next", 1),
            leased(then("next", 1), 7, BEGIN, BEGIN + DAY),
            at(BEGIN - HOUR, "next", 1),
        ],
    );
}

/// Seconds that are full.
fn seconds(cases: &mut Cases) {
    for (settings, what) in
        [(json!({}), "waits into the time after it"), (json!({ "when_behind": "error" }), "is full")]
    {
        cases.add(
            &format!("the last second of the lease {what}"),
            "short",
            &settings,
            vec![
                leased(at(BEGIN + SECOND, "skip", 65_534), 7, BEGIN, BEGIN + SECOND),
                then("fill", 3),
                then("next", 1),
                leased(at(BEGIN + 2 * SECOND, "next", 1), 7, BEGIN, BEGIN + 2 * SECOND),
            ],
        );
    }
}

/// Leases that follow another.
fn renewals(cases: &mut Cases) {
    let none = json!({});
    cases.add(
        "renewed with the same number",
        "short",
        &none,
        vec![
            leased(at(BEGIN, "next", 2), NUMBER, BEGIN - DAY, BEGIN + DAY),
            at(BEGIN + 2 * DAY, "next", 1),
            leased(then("next", 1), NUMBER, BEGIN - DAY, BEGIN + 3 * DAY),
            leased(then("next", 2), NUMBER, BEGIN - DAY, BEGIN + 4 * DAY),
        ],
    );
    cases.add(
        "another number, whose lease begins later",
        "short",
        &none,
        vec![
            leased(at(BEGIN, "next", 2), NUMBER, BEGIN - DAY, BEGIN + DAY),
            leased(then("next", 1), 3, BEGIN + SECOND, BEGIN + DAY),
            at(BEGIN + SECOND, "next", 1),
            leased(then("fill", 2), 4, BEGIN, BEGIN + DAY),
        ],
    );
    cases.add(
        "ended earlier, and leases that are refused and change nothing",
        "short",
        &none,
        vec![
            leased(at(BEGIN, "next", 1), NUMBER, BEGIN - DAY, BEGIN + DAY),
            leased(then("next", 1), 3, BEGIN + DAY, BEGIN),
            leased(then("next", 1), 3, 0, BEGIN),
            then("next", 1),
            leased(at(BEGIN + SECOND, "next", 1), NUMBER, BEGIN - DAY, BEGIN),
        ],
    );
    for settings in [none, json!({ "node": "9f6bdeced846" })] {
        cases.add(
            "first without a lease",
            "short",
            &settings,
            vec![
                at(BEGIN, "next", 2),
                leased(then("next", 2), 5, BEGIN, BEGIN + DAY),
                at(BEGIN + DAY + SECOND, "next", 1),
            ],
        );
    }
}

/// A state beside the lease.
fn states(cases: &mut Cases) {
    for settings in [json!({}), json!({ "node": "9f6bdeced846" })] {
        for op in ["close", "crash"] {
            cases.add_state(
                &format!("a state: {op}, the same number and another one"),
                "short",
                &settings,
                vec![
                    leased(at(BEGIN, "next", 2), NUMBER, BEGIN - DAY, BEGIN + DAY),
                    end(op),
                    then("next", 1),
                    end(op),
                    leased(then("next", 1), 9, BEGIN - DAY, BEGIN + DAY),
                    leased(then("next", 1), 10, BEGIN - DAY, BEGIN + 2 * DAY),
                    at(BEGIN - HOUR, "next", 1),
                    end(op),
                    then("next", 1),
                    at(BEGIN + 3 * DAY, "next", 1),
                ],
            );
        }
    }
    cases.add_state(
        "a state that is ahead of the lease",
        "short",
        &json!({}),
        vec![
            at(BEGIN + 5 * SECOND, "next", 1),
            end("close"),
            leased(at(BEGIN, "next", 1), 9, BEGIN, BEGIN + 4 * SECOND),
            leased(then("next", 1), 9, BEGIN, BEGIN + 5 * SECOND),
        ],
    );
}
