//! The check finds nothing wrong with the ids of this repository: a million of each kind, or as many as the environment
//! variable IDGEN_CHECK_IDS says.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::time::Instant;

use common::assert_only;
use idgen::{ShortId, Timestamp, Uuid};
use idgen_check::{Checker, Options, Reading, Report, Status};

fn count() -> u64 {
    std::env::var("IDGEN_CHECK_IDS").ok().map_or(1_000_000, |ids| ids.replace('_', "").parse().unwrap())
}

/// Checks ids while they are made: three quarters in batches, and the rest one at a time.
fn checked(reading: Reading, ids: u64, one: impl Fn() -> Uuid, fill: impl Fn(&mut [Uuid])) -> Report {
    let mut checker = Checker::new(Options::default());
    let stream = checker.stream("idgen");
    let mut batch = vec![Uuid::nil(); 1_000];
    let begin = Instant::now();
    for number in 0..ids / 1_000 {
        match number % 4 {
            0 => batch.fill_with(&one),
            _ => fill(&mut batch),
        }
        let now = Timestamp::from(std::time::SystemTime::now());
        checker.push(stream, reading, &batch, Some(now)).unwrap();
    }
    let read = begin.elapsed();
    let report = checker.finish().unwrap();
    println!(
        "{ids} ids in {:.1} s, {:.1} s of it for the merge\n{report}",
        begin.elapsed().as_secs_f64(),
        (begin.elapsed() - read).as_secs_f64()
    );
    assert_eq!(report.ids, ids / 1_000 * 1_000);
    report
}

#[track_caller]
fn assert_met(report: &Report, requirements: &str) {
    for requirement in requirements.split_whitespace() {
        let unmet = report.unmet(requirement.parse().unwrap());
        assert_eq!(unmet, None, "{requirement}\n{report}");
    }
}

#[test]
fn v7() {
    let report = checked(Reading::Uuid, count(), idgen::v7, idgen::fill_v7);
    assert_met(
        &report,
        "v7 variant layout no-duplicates time-ordered monotonic counter-no-wrap not-ahead not-future random unguessable",
    );
    assert_only(&report, &[]);
    let counter = report.kinds[0].counter.clone().unwrap();
    assert_eq!(counter.method, Some(3), "{}", counter.looks_like);
    assert!(counter.looks_like.contains("a counter of 14 bits follows"), "{}", counter.looks_like);
    assert_eq!(report.kinds[0].random.as_ref().unwrap().bits, 48);
}

/// A column with ids of the layout before, of the present one and of `uuidv7()` of PostgreSQL 18, which has a fraction and no counter.
#[test]
fn a_mixed_column_of_version_7() {
    let mut random = fastrand::Rng::with_seed(5);
    let now = common::NOON_MS;
    let mut ids = Vec::new();
    for n in 0..9_000u64 {
        let ms = now - 60_000 + n / 10;
        let rest = match n / 3_000 {
            0 => (u128::from(n / 10 * 7_919 % (1 << 25)) + u128::from(n % 10)) << 48 | random.u128(..1 << 48),
            1 => {
                u128::from(n % 10 * 409) << 62
                    | u128::from(random.u16(..1 << 13)) << 48
                    | random.u128(..1 << 48)
            }
            _ => u128::from(n % 10 * 409 + 3) << 62 | random.u128(..1 << 62),
        };
        ids.push(common::v7(ms, rest));
    }
    let report = common::check(&[&ids]);
    assert_met(&report, "v7 variant layout no-duplicates time-ordered monotonic not-future");
    assert!(report.verdicts.iter().all(|verdict| verdict.status != Status::Fails), "{report}");
}

#[test]
fn ulid() {
    let report = checked(Reading::Ulid, count(), idgen::ulid, idgen::fill_ulid);
    assert_met(
        &report,
        "ulid no-duplicates time-ordered monotonic counter-no-wrap not-ahead not-future random unguessable",
    );
    assert_only(&report, &[]);
    let counter = report.kinds[0].counter.clone().unwrap();
    assert_eq!((counter.method, counter.width), (Some(1), Some(26)));
}

#[test]
fn v4() {
    let report = checked(Reading::Uuid, count(), idgen::v4, idgen::fill_v4);
    assert_met(&report, "v4 variant no-duplicates random unguessable");
    assert_only(&report, &[]);
    assert_eq!(report.kinds[0].random.as_ref().unwrap().bits, 122);
}

#[test]
fn v1_and_v6() {
    for (kind, report) in [
        ("v1", checked(Reading::Uuid, count(), idgen::v1, idgen::fill_v1)),
        ("v6", checked(Reading::Uuid, count(), idgen::v6, idgen::fill_v6)),
    ] {
        assert_met(&report, kind);
        assert_met(
            &report,
            "variant no-duplicates time-ordered monotonic counter-no-wrap not-future not-ahead no-host",
        );
        // They show their time and node, as the RFC defines them.
        assert_only(&report, &["unguessable"]);
    }
}

/// Their prefix is the same in all ids, which the check says; the other bits are random.
#[test]
fn week() {
    let report = checked(Reading::Uuid, count(), idgen::week, idgen::fill_week);
    assert_met(&report, "v4 variant no-duplicates unguessable");
    assert_only(&report, &["random"]);
    let verdict = common::verdict(&report, "random");
    assert!(
        verdict.status == Status::Warns && verdict.found.contains("a prefix; of the others, 106 bits pass"),
        "{verdict:?}"
    );
}

#[test]
fn prefixed() {
    let report = checked(Reading::Uuid, count(), idgen::prefixed, idgen::fill_prefixed);
    assert_met(&report, "v8 variant no-duplicates");
    assert_only(&report, &["monotonic"]);
}

/// A generator of device ids waits for the next second after 65,536.
#[test]
fn short() {
    let fill = |ids: &mut [Uuid], make: fn(&mut [ShortId])| {
        let mut shorts = vec![ShortId::default(); ids.len()];
        make(&mut shorts);
        ids.iter_mut().zip(shorts).for_each(|(id, short)| *id = Uuid::from_u128(short.get().into()));
    };
    let uuid = |short: ShortId| Uuid::from_u128(short.get().into());
    let report = checked(
        Reading::Short,
        count().min(131_000),
        || uuid(idgen::short()),
        |ids| fill(ids, idgen::fill_short),
    );
    assert_met(&report, "short no-duplicates");
    let report = checked(
        Reading::Short,
        count(),
        || uuid(idgen::mysql_short(4)),
        |ids| fill(ids, |shorts| idgen::fill_mysql_short(4, shorts)),
    );
    assert_met(&report, "short no-duplicates monotonic");
    assert_only(&report, &[]);
}

/// Four threads, each a stream of its own.
#[test]
fn threads() {
    let mut checker = Checker::new(Options::default());
    let streams: Vec<Vec<Uuid>> = std::thread::scope(|scope| {
        let made: Vec<_> =
            (0..4).map(|_| scope.spawn(|| (0..100_000).map(|_| idgen::v7()).collect())).collect();
        made.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (number, ids) in streams.iter().enumerate() {
        let stream = checker.stream(&format!("thread {number}"));
        checker.push(stream, Reading::Uuid, ids, None).unwrap();
    }
    let report = checker.finish().unwrap();
    assert_met(&report, "v7 no-duplicates monotonic random");
    assert_only(&report, &[]);
    assert_eq!(report.streams.len(), 4);
}

/// Ids of two threads in turns: the counters of both are in one stream, and the check must not take them for broken randomness.
#[test]
fn two_generators_in_one_stream() {
    let make = || std::thread::spawn(|| (0..20_000).map(|_| idgen::v7()).collect::<Vec<_>>());
    let (one, two) = (make(), make());
    let (one, two) = (one.join().unwrap(), two.join().unwrap());
    let mut ids: Vec<Uuid> = one.into_iter().zip(two).flat_map(|(a, b)| [a, b]).collect();
    // A server receives them in the order of their times.
    ids.sort_by_key(|id| id.as_u128() >> 80);
    let report = common::check_now(&ids);
    assert_met(&report, "v7 no-duplicates time-ordered");
    for rule in ["random", "unguessable"] {
        assert_ne!(common::verdict(&report, rule).status, Status::Fails, "{rule}: {report}");
    }
}

/// A generator that seldom makes two ids in one millisecond, and whose counter starts at zero.
#[test]
fn a_counter_that_is_hardly_used() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut ms = common::NOON_MS;
    let ids: Vec<Uuid> = (0..4_000_u64)
        .map(|n| {
            ms += u64::from(n % 300 != 7);
            common::v7(ms, u128::from(n % 300 == 7) << 62 | common::tail(&mut random) >> 12)
        })
        .collect();
    let report = common::check(&[&ids]);
    assert_met(&report, "v7 no-duplicates monotonic random unguessable");
}

/// uuid-creator makes version 7 in this way: a fraction of the millisecond in 12 bits, and behind it a counter of 14
/// bits for the ids of one reading of the clock.
#[test]
fn a_counter_behind_a_fraction() {
    let mut random = fastrand::Rng::with_seed(5);
    let ids: Vec<Uuid> = (0..40_000_u64)
        .map(|n| {
            let (ms, fraction, counter) = (common::NOON_MS + n / 400, n % 400 / 8 * 4096 / 50, n % 8);
            let tail =
                u128::from(fraction) << 62 | u128::from(counter) << 48 | common::tail(&mut random) >> 26;
            common::v7(ms, tail)
        })
        .collect();
    let report = common::check(&[&ids]);
    assert_met(&report, "v7 no-duplicates monotonic");
    for rule in ["random", "unguessable"] {
        assert_ne!(common::verdict(&report, rule).status, Status::Fails, "{rule}: {report}");
    }
}
