//! Inputs that are not one stream of one generator in its order: sorted ids, and ids of several generators.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{NOON_MS, assert_found, assert_only, check, v7, verdict};
use idgen::Uuid;
use idgen_check::{Checker, Reading, Report, Status};

fn of_ulids(ids: &[Uuid]) -> Report {
    let mut checker = Checker::new(common::options());
    let stream = checker.stream("ids");
    checker.push(stream, Reading::Ulid, ids, None).unwrap();
    checker.finish().unwrap()
}

fn v4s(count: usize) -> Vec<Uuid> {
    let mut random = fastrand::Rng::with_seed(11);
    (0..count)
        .map(|_| Uuid::from_u128(random.u128(..) & !(0xF << 76) & !(0b11 << 62) | 0x4 << 76 | 0b10 << 62))
        .collect()
}

const SORTED: &str = "order and independence cannot be tested; 122 bits pass";

#[test]
fn sorted_ids_are_recognized() {
    let mut ids = v4s(20_000);
    assert_found(&check(&[&ids]), "random", Status::Holds, "122 bits pass");
    for batch in ids.chunks_mut(20) {
        batch.sort();
    }
    assert_found(&check(&[&ids]), "random", Status::Unseen, "parts of the ids are sorted");
    for (number, batch) in ids.chunks_mut(5_000).enumerate() {
        batch.sort();
        if number % 2 == 1 {
            batch.reverse();
        }
    }
    // Half ascend, and half descend.
    ids[..10_000].sort();
    assert_found(&check(&[&ids]), "random", Status::Unseen, SORTED);
    ids.sort();
    let report = check(&[&ids]);
    assert_found(&report, "random", Status::Unseen, SORTED);
    assert_only(&report, &[]);
    assert_eq!(report.kinds[0].order.sorted, Some("ascending"));
    assert!(!report.outsider.iter().any(|line| line.contains("made first")), "{report}");
    ids.reverse();
    assert_found(&check(&[&ids]), "random", Status::Unseen, "the greatest first");
    // The other tests find defects of sorted ids.
    let mut stuck: Vec<_> = ids.iter().map(|id| Uuid::from_u128(id.as_u128() & !(1 << 33))).collect();
    stuck.sort();
    assert_found(&check(&[&stuck]), "random", Status::Warns, "1 of 122 bits do not change");
    let mut uneven: Vec<_> = ids
        .iter()
        .enumerate()
        .map(|(n, id)| Uuid::from_u128(id.as_u128() | u128::from(n % 8 == 0) << 33))
        .collect();
    uneven.sort();
    assert_found(&check(&[&uneven]), "random", Status::Fails, "bit 94 is set too often");
    // Few ids are too few for a statement about their order too.
    let mut few = v4s(20);
    few.sort();
    assert!(!check(&[&few]).outsider.iter().any(|line| line.contains("made first")));
}

/// Times of ids that arrive at random, `rate` in a millisecond.
fn times(count: usize, rate: f64) -> impl Iterator<Item = u64> {
    let mut random = fastrand::Rng::with_seed(5);
    let mut time = NOON_MS as f64;
    (0..count).map(move |_| {
        time -= random.f64().max(1e-12).ln() / rate;
        time as u64
    })
}

/// Ids of generators of method 2 in order of arrival: each has `bits` random bits for a new millisecond, and adds one, and
/// up to `most` more, within it.
fn merged(generators: usize, rate: f64, bits: u32, most: u64) -> Vec<(u64, u128)> {
    let mut random = fastrand::Rng::with_seed(7);
    let mut last = vec![(0, 0); generators];
    times(8_000, rate)
        .map(|ms| {
            let (time, tail) = &mut last[random.usize(..generators)];
            *tail = match *time == ms {
                true => *tail + 1 + u128::from(random.u64(..=most)),
                false => random.u128(..1 << (bits - 1)),
            };
            *time = ms;
            (ms, *tail)
        })
        .collect()
}

#[test]
fn several_counters_in_one_stream_only_warn() {
    for generators in [2, 3, 8] {
        for rate in [0.3, 3.0, 60.0] {
            let ids: Vec<_> = merged(generators, rate, 80, 0)
                .into_iter()
                .map(|(ms, tail)| Uuid::from_u128(u128::from(ms) << 80 | tail))
                .collect();
            let report = of_ulids(&ids);
            assert_only(&report, &["monotonic", "random", "unguessable"]);
            assert!(report.worst() == Status::Warns, "{report}");
            for most in [0, 15, 1 << 20, 1 << 40] {
                let ids: Vec<_> =
                    merged(generators, rate, 74, most).into_iter().map(|(ms, tail)| v7(ms, tail)).collect();
                let report = check(&[&ids]);
                assert!(report.worst() <= Status::Warns, "{generators} {rate} {most}: {report}");
            }
        }
    }
    let ids: Vec<_> = merged(2, 3.0, 74, 0).into_iter().map(|(ms, tail)| v7(ms, tail)).collect();
    let report = check(&[&ids]);
    assert_found(&report, "random", Status::Warns, "or in those of several generators in one stream");
    assert_found(&report, "unguessable", Status::Warns, "follows by a small increment");
}

/// A generator that never draws new bits, but counts on for each id, is not excused by ids of one time.
#[test]
fn a_counter_that_is_never_drawn_again_fails() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut counters = [1_u128 << 70, 1 << 60];
    let ids: Vec<_> = times(8_000, 3.0)
        .map(|ms| {
            let counter = &mut counters[random.usize(..2)];
            *counter += 1;
            v7(ms, *counter)
        })
        .collect();
    assert_eq!(verdict(&check(&[&ids]), "random").status, Status::Fails);
}

/// Method 3 without a rule for ids of one fraction, which are then in no order.
#[test]
fn ties_of_a_fraction_only_warn() {
    let mut random = fastrand::Rng::with_seed(9);
    let mut time = NOON_MS as f64;
    let ids: Vec<_> = (0..8_000)
        .map(|_| {
            time -= random.f64().max(1e-12).ln() / 60.0;
            let fraction = (time.fract() * 4096.0) as u128;
            v7(time as u64, fraction << 62 | random.u128(..1 << 62))
        })
        .collect();
    assert_found(
        &check(&[&ids]),
        "monotonic",
        Status::Warns,
        "several generators wrote one stream, or ids of one fraction",
    );
}

/// Counters of 12 bits of four generators that take turns: the first bits of two successive ones differ by one.
#[test]
fn counters_that_take_turns_are_no_narrow_counter() {
    let mut random = fastrand::Rng::with_seed(13);
    for generators in [4, 8, 16, 32] {
        let mut counters: Vec<u128> = (0..generators).map(|n| n * 4_000 / generators).collect();
        let ids: Vec<_> = times(20_000, 3.0)
            .enumerate()
            .map(|(n, ms)| {
                let counter = &mut counters[n % generators as usize];
                *counter = (*counter + 1) & 0xFFF;
                v7(ms, *counter << 62 | random.u128(..1 << 62))
            })
            .collect();
        let report = check(&[&ids]);
        assert!(report.worst() <= Status::Warns, "{generators}: {report}");
    }
}

#[test]
fn bits_that_do_not_change_are_found_in_each_kind() {
    let mut random = fastrand::Rng::with_seed(17);
    let mut with = |rate: f64, change: fn(u128) -> u128| {
        let tails: Vec<_> = times(20_000, rate).map(|ms| (ms, change(random.u128(..)))).collect();
        let v7 =
            check(&[&tails.iter().map(|(ms, bits)| v7(*ms, bits & ((1 << 74) - 1))).collect::<Vec<_>>()]);
        let ulids: Vec<_> = tails
            .iter()
            .map(|(ms, bits)| Uuid::from_u128(u128::from(*ms) << 80 | bits & ((1 << 80) - 1)))
            .collect();
        (v7, of_ulids(&ulids))
    };
    for rate in [0.1, 3.0, 60.0] {
        let (v7, ulid) = with(rate, |bits| bits);
        assert_found(&v7, "random", Status::Holds, "74 bits pass");
        assert_found(&ulid, "random", Status::Holds, "80 bits pass");
        for change in [
            (|bits| bits & !1) as fn(u128) -> u128,
            |bits| bits | 1 << 40,
            |bits| bits & !(0xFF << 20),
            |bits| bits & !(1 << 33),
        ] {
            let (v7, ulid) = with(rate, change);
            assert_found(&v7, "random", Status::Warns, "of 74 bits do not change; of the others,");
            assert_found(&ulid, "random", Status::Warns, "of 80 bits do not change; of the others,");
        }
        let (_, ulid) = with(rate, |bits| bits & u128::from(u64::MAX));
        assert_found(&ulid, "random", Status::Warns, "16 of 80 bits do not change");
        // The bit that guards a counter against an overflow is zero.
        let (v7, ulid) = with(rate, |bits| bits & !(1 << 73) & !(1 << 79));
        assert_found(&v7, "random", Status::Holds, "73 bits pass");
        assert_eq!(verdict(&ulid, "random").status, Status::Warns, "bit 73 of a ULID is none");
    }
}

#[test]
fn times_in_whole_seconds_are_remarked_on() {
    let mut random = fastrand::Rng::with_seed(19);
    let mut of = |unit: u64| -> Vec<_> {
        times(5_000, 1.0).map(|ms| v7(ms / unit * unit, random.u128(..1 << 74))).collect()
    };
    assert_found(&check(&[&of(1_000)]), "layout", Status::Warns, "all times are whole seconds");
    assert_found(&check(&[&of(100)]), "layout", Status::Holds, "milliseconds since 1970");
    let ulids: Vec<_> = of(1_000).iter().map(|id| Uuid::from_u128(id.as_u128() ^ 0x7 << 76)).collect();
    assert_found(&of_ulids(&ulids), "layout", Status::Warns, "all times are whole seconds");
}

/// Eight generators make an id each millisecond, and others 50 ids in one: no run crosses from one stream to the next.
#[test]
fn the_ids_of_a_stream_do_not_continue_those_of_another() {
    let mut random = fastrand::Rng::with_seed(23);
    let mut stream = |first: u64, per_ms: u64, count: u64| -> Vec<_> {
        (0..count).map(|n| v7(first + n / per_ms, random.u128(..1 << 74))).collect()
    };
    let streams: Vec<_> = (0..8).map(|_| stream(NOON_MS, 1, 10)).collect();
    let report = check(&streams.iter().map(Vec::as_slice).collect::<Vec<_>>());
    assert_eq!(verdict(&report, "not-ahead").status, Status::Unseen, "{report}");
    let report = check(&[&stream(NOON_MS, 50, 50), &stream(NOON_MS + 9, 50, 50)]);
    assert_eq!(report.kinds[0].time.as_ref().unwrap().most_in_one, 50, "{report}");
    let report = check(&[&stream(NOON_MS, 1, 65), &stream(NOON_MS, 1, 10)]);
    assert_found(&report, "not-ahead", Status::Fails, "64 ids in a row");
}

#[test]
fn an_empty_input_shows_nothing() {
    let report = check(&[&[]]);
    assert_found(&report, "readable", Status::Unseen, "the input is empty");
    assert_found(&report, "no-duplicates", Status::Unseen, "there is no id");
}
