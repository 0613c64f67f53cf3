//! Defects that people found in public generators, simulated: the check must find each of them.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::*;
use idgen::Uuid;
use idgen_check::{Checker, Form, Limits, Reading, Status};

/// oven-sh/bun#34022: 12 bits count from zero in each millisecond, and wrap after 4,096 ids.
#[test]
fn a_counter_of_12_bits_wraps_within_a_millisecond() {
    let mut random = fastrand::Rng::with_seed(1);
    let ids: Vec<_> = (0..200_000_u64)
        .map(|n| v7(NOON_MS + n / 4_700, u128::from(n % 4_700 % 4_096) << 62 | tail(&mut random) >> 12))
        .collect();
    let report = check(&[&ids]);
    assert_found(&report, "counter-no-wrap", Status::Fails, "a counter of 12 bits returns to zero 42 times");
    assert_found(&report, "monotonic", Status::Fails, "42 within one time");
    let verdict = verdict(&report, "counter-no-wrap");
    assert_eq!(verdict.places[0].line, 4_097);
    assert_only(&report, &["counter-no-wrap", "monotonic"]);
}

/// gofrs/uuid#254: one counter for all milliseconds, of which 12 bits reach the id.
#[test]
fn a_counter_that_is_never_reset_wraps_anywhere() {
    let mut random = fastrand::Rng::with_seed(2);
    let ids: Vec<_> = (0..200_000_u64)
        .map(|n| v7(NOON_MS + n / 700, u128::from((n + 3_071) % 4_096) << 62 | tail(&mut random) >> 12))
        .collect();
    let report = check(&[&ids]);
    assert_found(&report, "counter-no-wrap", Status::Fails, "a counter of 12 bits returns to zero");
    assert_found(&report, "monotonic", Status::Fails, "an order was intended");
    assert_found(&report, "counter-start", Status::Warns, "highest bit set");
}

/// python/cpython#138862: after one overflow of the counter, each id of the burst gets the next millisecond.
#[test]
fn times_run_ahead_after_an_overflow() {
    let mut random = fastrand::Rng::with_seed(3);
    let (mut last_ms, mut counter, mut ids) = (0, 0_u128, Vec::new());
    let full = (1_u128 << 42) - 1;
    for n in 0..30_000_u64 {
        let now = NOON_MS + n / 400;
        if now > last_ms {
            // One unlucky start.
            counter = if n == 12_000 { full } else { random.u128(..) >> 87 };
            last_ms = now;
        } else if now < last_ms || counter == full {
            last_ms += 1;
            counter = random.u128(..) >> 87;
        } else {
            counter += 1;
        }
        ids.push(v7(last_ms, counter << 32 | random.u128(..) >> 96));
    }
    let report = check(&[&ids]);
    assert_found(&report, "not-ahead", Status::Fails, "the generator counts in the time");
    assert_only(&report, &["not-ahead"]);
}

/// oittaa/uuid6-python#198: each id has at least the millisecond after that of the last one, in any burst.
#[test]
fn each_id_has_a_millisecond_of_its_own() {
    let mut random = fastrand::Rng::with_seed(4);
    let mut last = 0;
    let mut id = |now: u64| {
        last = now.max(last + 1);
        v7(last, tail(&mut random))
    };
    let ids: Vec<_> = (0..10_000).map(|n| id(NOON_MS + n / 200)).collect();
    assert_found(&check(&[&ids]), "not-ahead", Status::Fails, "9,999 ids in a row");

    // While the generator runs, any lead shows, also that of few ids.
    let mut checker = Checker::new(options());
    let stream = checker.stream("live");
    let few: Vec<_> = ids[..40].to_vec();
    checker
        .push(stream, Reading::Uuid, &few, Some(idgen::Timestamp::from_unix_millis(NOON_MS as i64 + 1)))
        .unwrap();
    let report = checker.finish().unwrap();
    assert_found(&report, "not-ahead", Status::Fails, "38 ms ahead of the clock");
    assert_eq!(report.kinds[0].time.as_ref().unwrap().ahead_ms, Some(38.0));
}

/// cowtowncoder/java-uuid-generator#124: the rest of the id counts from a random number, which can be the last one.
#[test]
fn counters_start_at_their_end() {
    let mut random = fastrand::Rng::with_seed(5);
    let mut counter = 0;
    let mut ids: Vec<_> = Vec::new();
    for n in 0..50_000_u64 {
        counter = if n % 50 == 0 { tail(&mut random) } else { counter + 1 };
        ids.push(v7(NOON_MS + n / 50, counter));
    }
    let report = check(&[&ids]);
    assert_found(&report, "counter-start", Status::Warns, "counters start with their highest bit set");
    assert_found(&report, "unguessable", Status::Warns, "the last one plus one");
    // And if it is the last one each time, the second id of each millisecond goes back to zero.
    let last = (1_u128 << 74) - 1;
    let ids: Vec<_> = (0..5_000_u64)
        .map(|n| v7(NOON_MS + n / 5, if n % 5 == 0 { last } else { u128::from(n % 5) - 1 }))
        .collect();
    let report = check(&[&ids]);
    assert_found(&report, "counter-start", Status::Fails, "999 of 999 counters start in the last sixteenth");
    assert_found(&report, "counter-no-wrap", Status::Fails, "1,000 times");
}

/// python/cpython#105337: parent and child of a fork make the same ids.
#[test]
fn ids_are_repeated_after_a_fork() {
    let mut parent = fastrand::Rng::with_seed(6);
    let before: Vec<_> = (0..1_500).map(|_| v4(parent.u128(..))).collect();
    let mut child = parent.clone();
    let one: Vec<_> = before.iter().copied().chain((0..1_500).map(|_| v4(parent.u128(..)))).collect();
    let two: Vec<_> = (0..1_500).map(|_| v4(child.u128(..))).collect();
    let report = check(&[&one, &two]);
    assert_found(
        &report,
        "no-duplicates",
        Status::Fails,
        "1,500 ids are equal to an earlier one, 1,500 of them to one of another",
    );
    let first = &report.duplicates.as_ref().unwrap().first[0];
    assert_eq!((first.first.line, first.again.stream, first.again.line), (1_501, 1, 1));
}

fn v4(bits: u128) -> Uuid {
    Uuid::from_u128(bits & !(0xF << 76 | 0b11 << 62) | 0x4 << 76 | 0b10 << 62)
}

/// Packages of the name uuid7 with the layout of an early draft: seconds in 36 bits, then fractions.
#[test]
fn a_draft_goes_by_the_name_of_version_7() {
    let mut random = fastrand::Rng::with_seed(7);
    let ids: Vec<_> = (0..5_000_u64)
        .map(|n| {
            let (seconds, fraction) = (NOON_MS / 1_000 + n / 1_000, u128::from(n % 1_000 * 16_777));
            let bits =
                u128::from(seconds) << 92 | (fraction >> 12) << 80 | 0x7 << 76 | (fraction & 0xFFF) << 64;
            Uuid::from_u128(bits | 0b10 << 62 | random.u128(..) >> 66)
        })
        .collect();
    let report = check(&[&ids]);
    assert_found(&report, "layout", Status::Fails, "seconds in 36 bits");
    assert_found(&report, "not-future", Status::Fails, "5,000 ids are from the future");
}

/// ULID readers that take I and L for 1 and O for 0: several texts become one id.
#[test]
fn ulids_with_letters_that_stand_for_digits() {
    let texts = "01ARZ3NDEKTSV4RRFFQ69G5FA1\n01ARZ3NDEKTSV4RRFFQ69G5FAL\nO1ARZ3NDEKTSV4RRFFQ69G5FAV\n";
    let mut checker = Checker::new(options());
    let stream = checker.stream("texts");
    checker.read(stream, texts.as_bytes(), Form::Lines, Limits::default()).unwrap();
    let report = checker.finish().unwrap();
    assert_eq!((report.ids, report.bad), (1, 2));
    assert_found(&report, "readable", Status::Fails, "2 are a ULID with I, L or O");

    // Such a reader passes these texts on.
    let read: String =
        texts.lines().map(|text| text.replace(['I', 'L'], "1").replace('O', "0") + "\n").collect();
    let mut checker = Checker::new(options());
    let stream = checker.stream("read");
    checker.read(stream, read.as_bytes(), Form::Lines, Limits::default()).unwrap();
    let report = checker.finish().unwrap();
    assert_found(&report, "no-duplicates", Status::Fails, "1 id is equal to an earlier one; first line 2");
}

/// Version 6 with a clock sequence that counts within a tick and wraps; and with a clock that stands still, version 1
/// begins to repeat ids at number 16,385. Both were seen in a crate.
#[test]
fn clock_sequences_wrap() {
    let node = 0x9F6B_DECE_D846_u128;
    let ticks = u128::from(NOON_MS * 10_000) + 0x01B2_1DD2_1381_4000;
    let id = |version: u8, ticks: u128, sequence: u64| {
        let time = match version {
            6 => (ticks >> 12) << 80 | ticks & 0xFFF,
            _ => (ticks & 0xFFFF_FFFF) << 96 | (ticks >> 32 & 0xFFFF) << 80 | ticks >> 48 << 64,
        };
        let time = if version == 6 { time & !0xFFF | (ticks & 0xFFF) << 64 } else { time };
        Uuid::from_u128(
            time | u128::from(version) << 76 | 0b10 << 62 | u128::from(sequence % 16_384) << 48 | node,
        )
    };
    // Six wraps, of which one is at the beginning of a tick, where it does no harm.
    let ids: Vec<_> = (0..100_000_u64).map(|n| id(6, ticks + u128::from(n / 30), n + 5_000)).collect();
    let report = check(&[&ids]);
    assert_found(&report, "counter-no-wrap", Status::Fails, "a counter of 14 bits returns to zero 5 times");
    assert_found(&report, "monotonic", Status::Fails, "5 within one time");
    let ids: Vec<_> = (0..20_000_u64).map(|n| id(1, ticks, n)).collect();
    let report = check(&[&ids]);
    assert_found(&report, "no-duplicates", Status::Fails, "3,616 ids are equal to an earlier one");
    assert_eq!(report.duplicates.unwrap().first[0].again.line, 16_385);
    // The clock steps back, and nothing else changes.
    let ids: Vec<_> = (0..2_000_u64)
        .map(|n| id(1, ticks + 10_000 - u128::from(n / 1_000 * 5_000) + u128::from(n), 7))
        .collect();
    assert_found(
        &check(&[&ids]),
        "clock-sequence",
        Status::Fails,
        "goes back 1 time while node and clock sequence stay",
    );
}

/// Version 4 from a generator that is not random enough: a small seed, or a seed for each id.
#[test]
fn random_bits_come_from_small_seeds() {
    let mut seeds = fastrand::Rng::with_seed(8);
    let ids: Vec<_> = (0..100_000)
        .map(|_| {
            let mut seeded = fastrand::Rng::with_seed(u64::from(seeds.u32(..)) >> 8);
            v4(seeded.u128(..))
        })
        .collect();
    let report = check(&[&ids]);
    assert_found(&report, "random", Status::Fails, "of the random bits repeats");
    // A generator whose numbers have 32 bits, used as if they had 64.
    let ids: Vec<_> =
        (0..5_000).map(|_| v4(u128::from(seeds.u32(..)) << 64 | u128::from(seeds.u32(..)))).collect();
    assert_found(&check(&[&ids]), "random", Status::Fails, "of 122 bits do not change");
}
