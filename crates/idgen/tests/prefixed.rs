//! Prefixed ids with an ascending tail: layout, order over all visits of a prefix, and what they reveal.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/given.rs"]
mod given;

use std::collections::BTreeMap;
use std::time::Duration;

use given::{Given, now};
use idgen::generator::{FixedPrefix, Generate, PrefixBits, Prefixed, Tail};
use idgen::source::{ClockPolicy, FixedClock, FixedEntropy, MemoryState, WhenBehind};
use idgen::{Interval, Prefix, PrefixKey, Timestamp, Uuid, inspect_uuid};
use proptest::prelude::*;
use serde::Deserialize;

const NOON: Timestamp = Timestamp::from_unix_secs(1_795_262_400);

fn key() -> PrefixKey {
    PrefixKey::new(b"0123456789abcdef").unwrap()
}

fn keyed() -> Prefix {
    Prefix::Keyed(key())
}

fn named() -> Prefix {
    Prefix::Keyed(key().for_writer("a"))
}

fn interval(secs: u64) -> Interval {
    Interval::every(Duration::from_secs(secs)).unwrap()
}

#[derive(Deserialize)]
struct Vectors {
    keyed_id: Vec<KeyedId>,
    time_id: Vec<TimeId>,
    long_id: Vec<LongId>,
}

#[derive(Deserialize)]
struct KeyedId {
    secret: String,
    seconds: u64,
    unix_ms: i64,
    ticks: i64,
    prefix: u16,
    round: u32,
    offset_ms: u64,
    counter: u32,
    id: Uuid,
}

#[derive(Deserialize)]
struct TimeId {
    prefix: u16,
    unix_ms: i64,
    ticks: i64,
    counter: u32,
    id: Uuid,
}

#[derive(Deserialize)]
struct LongId {
    prefix: String,
    unix_ms: i64,
    ticks: i64,
    counter: u32,
    id: Uuid,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("vectors/prefixed.json")).unwrap()
}

#[test]
fn keyed_ids_are_those_of_the_reference() {
    let vectors = vectors().keyed_id;
    assert!(vectors.len() > 5);
    for v in vectors {
        let interval = interval(v.seconds);
        let seen = inspect_uuid(v.id).keyed(interval).unwrap();
        let offset = Duration::from_millis(v.offset_ms);
        assert_eq!(
            (seen.prefix, seen.round, seen.offset, seen.counter, seen.tail_time),
            (Some(v.prefix), Some(v.round), Some(offset), Some(v.counter), None)
        );
        assert!(seen.fraction.unwrap().as_nanos().abs_diff(v.ticks as u128 * 100) < 300);
        // A draw cannot begin in the upper half of the counters.
        if v.counter < 1 << 21 {
            let clock = FixedClock::new(now(v.unix_ms, v.ticks));
            let prefix = Prefix::Keyed(PrefixKey::new(v.secret.as_bytes()).unwrap());
            let mut ids =
                Prefixed::new(clock, Given::counter(v.counter), prefix, interval, Tail::Ascending).unwrap();
            assert_eq!(ids.next_id().unwrap(), v.id);
        }
    }
}

#[test]
fn ids_with_the_time_are_those_of_the_reference() {
    for v in vectors().time_id {
        let at = Timestamp::from_unix_millis(v.unix_ms);
        let seen = inspect_uuid(v.id);
        assert_eq!(
            (seen.prefix, seen.tail_time, seen.counter, seen.round),
            (Some(v.prefix), Some(at), Some(v.counter), None)
        );
        let (_, prefix) = Prefix::Sequential { bits: 16 }.at(Interval::Day, at);
        if v.counter < 1 << 17 && prefix == v.prefix {
            let prefix = Prefix::Sequential { bits: 16 };
            let clock = FixedClock::new(now(v.unix_ms, v.ticks));
            let mut ids =
                Prefixed::new(clock, Given::counter(v.counter), prefix, Interval::Day, Tail::Ascending)
                    .unwrap();
            assert_eq!(ids.next_id().unwrap(), v.id);
        }
    }
}

#[test]
fn ids_with_a_long_fixed_prefix_are_those_of_the_reference() {
    for v in vectors().long_id {
        if v.prefix == "ffffffff" {
            let seen = inspect_uuid(v.id);
            assert_eq!(
                (seen.prefix, seen.tail_time, seen.counter),
                (Some(0xffff), Some(Timestamp::from_unix_millis(v.unix_ms)), Some(v.counter))
            );
            assert!(seen.fraction.unwrap().as_nanos().abs_diff(v.ticks as u128 * 100) < 300);
        }
        if v.counter < 1 << 10 {
            let clock = FixedClock::new(now(v.unix_ms, v.ticks));
            let prefix: PrefixBits = v.prefix.parse().unwrap();
            let mut ids = FixedPrefix::new(clock, Given::counter(v.counter), prefix);
            assert_eq!(ids.next_id().unwrap(), v.id);
        }
    }
}

/// The kinds of prefix; with two bits, prefixes repeat every four seconds.
fn choices() -> Vec<(Prefix, Interval)> {
    vec![
        (Prefix::Sequential { bits: 2 }, interval(1)),
        (Prefix::Sequential { bits: 16 }, Interval::Minute),
        (keyed(), Interval::Hour),
        (named(), Interval::Hour),
        (named(), interval(1)),
        (Prefix::MD5_WEEK_UTC, Interval::Week),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// In each bucket, every id is greater than all earlier ids: for any steps of the clock, forward over days and back
    /// within the tolerance, and any mix of single ids, batches and restarts. The naive twin is a map of the greatest
    /// id of each prefix.
    #[test]
    fn ids_ascend_within_each_bucket(
        steps in prop::collection::vec((0u32..5, -9_000i64..9_000, 1usize..20, any::<bool>()), 1..40),
    ) {
        for (prefix, interval) in choices() {
            let (clock, state) = (FixedClock::new(NOON), MemoryState::default());
            let policy =
                ClockPolicy::DEFAULT.with_when_behind(WhenBehind::Wait).with_longest_wait(Duration::MAX);
            let new = |seed| {
                Prefixed::new(&clock, FixedEntropy::new(seed), prefix.clone(), interval, Tail::Ascending)
                    .unwrap().with_policy(policy).with_state(&state).unwrap()
            };
            let mut ids = new(0);
            let mut greatest = BTreeMap::new();
            for (seed, &(scale, step, batch, restarts)) in (1..).zip(&steps) {
                // Backward by milliseconds or seconds; forward by up to a day and more.
                let factor = if step < 0 { 10i64.pow(scale.min(1)) } else { 10i64.pow(scale) };
                clock.set(Timestamp::from_unix_millis(clock.now_ms() + step * factor));
                if restarts {
                    drop(ids);
                    ids = new(seed);
                }
                let mut made = vec![Uuid::nil(); batch];
                ids.fill(&mut made).unwrap();
                made.push(ids.next_id().unwrap());
                for id in made {
                    let bytes = id.as_bytes();
                    prop_assert_ne!(bytes[8], 0x80);
                    prop_assert_eq!(id.get_version_num(), 8);
                    let before = greatest.insert([bytes[0], bytes[1]], id);
                    prop_assert!(before < Some(id), "{} follows {:?}", id, before);
                }
            }
        }
    }
}

trait Milliseconds {
    fn now_ms(&self) -> i64;
}

impl Milliseconds for FixedClock {
    fn now_ms(&self) -> i64 {
        idgen::source::Clock::now(self).unix_millis()
    }
}

/// Each prefix is used once in a round of 65,536 intervals, and the next visit continues after the last one.
#[test]
fn later_visits_of_a_prefix_follow_the_earlier_ones() {
    let key = key();
    let (first, second) = (key.round(0), key.round(1));
    for interval_number in [0, 1, 777, 65_535] {
        let prefix = first[interval_number];
        let again = 65_536 + second.iter().position(|p| *p == prefix).unwrap();
        let at = |number: usize, secs: u64| Timestamp::from_unix_secs((number as u64 * 60 + secs) as i64);
        let clock = FixedClock::new(at(interval_number, 59));
        let mut ids =
            Prefixed::new(&clock, FixedEntropy::new(1), keyed(), Interval::Minute, Tail::Ascending).unwrap();
        let before = ids.next_id().unwrap();
        // The next id is at an earlier offset of the later visit.
        clock.set(at(again, 0));
        let after = ids.next_id().unwrap();
        assert_eq!((before.as_u128() >> 112, after.as_u128() >> 112), (prefix.into(), prefix.into()));
        assert!(before < after, "{before} {after}");
    }
}

#[test]
fn byte_8_is_never_0x80() {
    let clock = FixedClock::new(NOON);
    for (prefix, interval) in choices() {
        for tail in [Tail::Ascending, Tail::RandomV8] {
            let mut ids =
                Prefixed::new(&clock, FixedEntropy::new(1), prefix.clone(), interval, tail).unwrap();
            let mut made = vec![Uuid::nil(); 2_000];
            for _ in 0..3 {
                clock.advance(Duration::from_millis(1));
                ids.fill(&mut made).unwrap();
                made.push(ids.next_id().unwrap());
                assert!(made.iter().all(|id| id.as_bytes()[8] != 0x80));
            }
            // The pad is drawn again for each millisecond.
            for _ in 0..500 {
                clock.advance(Duration::from_millis(1));
                assert_ne!(ids.next_id().unwrap().as_bytes()[8], 0x80);
            }
        }
    }
}

#[test]
fn intervals_and_times_that_do_not_fit_are_refused_at_once() {
    let new = |prefix: &Prefix, interval: Interval, at: Timestamp| {
        let clock = FixedClock::new(at);
        Prefixed::new(clock, FixedEntropy::new(1), prefix.clone(), interval, Tail::Ascending)
    };
    let days = |days: u64| interval(days * 86_400);
    for prefix in [keyed(), named()] {
        let error = new(&prefix, days(50), NOON).err().unwrap();
        assert!(error.is_config() && error.to_string().contains("4320000s"), "{error}");
        assert!(new(&prefix, days(49), NOON).is_ok());
    }
    // After a sequential prefix, the time takes the same bits for any interval.
    assert!(new(&Prefix::Sequential { bits: 16 }, days(5_000), NOON).is_ok());

    let last_times = [
        // Round and offset take 32 bits: 2^48 intervals of a second over 2^10 milliseconds, and so on.
        (keyed(), interval(1), 1i64 << 38),
        (keyed(), Interval::Minute, 60 << 32),
        (named(), Interval::Minute, 60 << 32),
        (keyed(), interval(66), 66 << 31),
        (keyed(), Interval::Hour, 3_600 << 26),
        (keyed(), Interval::Day, 86_400 << 21),
        (keyed(), Interval::Week, ((7 * 86_400) << 18) - 4 * 86_400),
        (keyed(), Interval::Month, Timestamp::from_date(1970 + 5_461, 5, 1).unix_secs()),
        (Prefix::Sequential { bits: 16 }, Interval::Month, (1 << 44) / 1_000),
        (Prefix::MD5_WEEK_UTC, Interval::Week, (1 << 44) / 1_000),
    ];
    for (prefix, interval, end_secs) in last_times {
        let end = Timestamp::from_unix_secs(end_secs);
        assert!(end > Timestamp::from_date(2_527, 1, 1), "{interval}");
        let last = end.saturating_sub(Duration::from_secs(1));
        let id = new(&prefix, interval, last).unwrap().next_id().unwrap();
        assert_eq!(id.get_version_num(), 8, "{interval}");
        for outside in [
            end.saturating_add(Duration::from_secs(1)),
            Timestamp::UNIX_EPOCH.saturating_sub(Duration::from_millis(1)),
            Timestamp::from_unix_ticks(i64::MIN),
            Timestamp::from_unix_ticks(i64::MAX),
        ] {
            let error = new(&prefix, interval, outside).err().unwrap();
            assert!(error.is_time_out_of_range(), "{interval} at {outside}: {error}");
        }
        assert!(new(&prefix, interval, Timestamp::UNIX_EPOCH).unwrap().next_id().is_ok(), "{interval}");
    }
}

/// An id reveals nothing about its interval except the prefix and the round. With the same random bits and the same
/// offset, ids in two intervals of a round differ only in the prefix.
#[test]
fn only_the_prefix_depends_on_the_interval_within_a_round() {
    let at = |number: i64| Timestamp::from_unix_millis(number * 60_000 + 4_321);
    let id = |number: i64| {
        let clock = FixedClock::new(at(number));
        Prefixed::new(clock, FixedEntropy::new(9), keyed(), Interval::Minute, Tail::Ascending)
            .unwrap()
            .next_id()
            .unwrap()
            .as_u128()
    };
    let first = id(65_536);
    for number in [65_537, 65_600, 100_000, 131_071] {
        assert_eq!(id(number) << 16, first << 16, "interval {number}");
        assert_ne!(id(number) >> 112, first >> 112, "interval {number}");
    }
    assert_ne!(id(131_072) << 16, first << 16, "the next round shows");
}

/// The intervals of the second round whose ids the observer below knows.
const KNOWN: usize = 34_464;

/// Measures how well an observer guesses the intervals of ids. The observer knows the times of 10^5 ids of one key: one
/// for each interval of the first round, and one for each of the first [`KNOWN`] intervals of the second. The guesses
/// concern the other 31,072 intervals of the second round. Of several ways to guess, the result is the best one's
/// number of hits above chance, in standard deviations.
fn best_guess(old: &[u16], new: &[u16]) -> f64 {
    assert_eq!(old.len() + KNOWN, 100_000);
    let known: BTreeMap<u16, usize> = new[..KNOWN].iter().copied().zip(0..).collect();
    let mut in_old_round = vec![0; 65_536];
    for (interval, prefix) in old.iter().enumerate() {
        in_old_round[usize::from(*prefix)] = interval;
    }
    let unknown = 65_536 - KNOWN;
    let left: Vec<u16> = (0..=u16::MAX).filter(|p| !known.contains_key(p)).collect();
    let fold = |guess: usize| KNOWN + guess % unknown;
    let guesses: [&dyn Fn(u16) -> usize; 5] = [
        // The interval of the next known prefix, or of the last one.
        &|p| fold(known.range(p..).next().map_or(0, |(_, i)| *i)),
        &|p| fold(known.range(..p).next_back().map_or(0, |(_, i)| *i)),
        // The rank of the prefix among those that are left.
        &|p| KNOWN + left.partition_point(|q| *q < p),
        // The prefix itself, and the interval that had it in the round before.
        &|p| fold(usize::from(p)),
        &|p| fold(in_old_round[usize::from(p)]),
    ];
    let mut most = 0f64;
    for guess in guesses {
        // A hit is a guess that misses the interval by less than this.
        for window in [1usize, 100, 3_000] {
            let is_hit = |(p, interval): &(&u16, usize)| guess(**p).abs_diff(*interval) < window;
            let hits = new[KNOWN..].iter().zip(KNOWN..).filter(is_hit).count() as f64;
            // The most hits of a random guess: near the ends it has fewer.
            let chance = (2 * window - 1) as f64;
            most = most.max((hits - chance) / chance.sqrt());
        }
    }
    // In half the pairs, the prefixes of two unknown intervals show which one came first.
    let ordered = new[KNOWN..].chunks_exact(2).filter(|pair| pair[0] < pair[1]).count() as f64;
    let half = unknown as f64 / 4.0;
    most.max((ordered - half).abs() / (half / 2.0).sqrt())
}

#[test]
fn the_interval_of_an_id_is_not_predicted_better_than_by_chance() {
    let key = key();
    for round in [0, 453] {
        let excess = best_guess(&key.round(round), &key.round(round + 1));
        assert!(excess < 6.0, "a guess hits {excess} standard deviations above chance");
    }
    // The measure detects sequential prefixes, and a permutation that is used for two rounds.
    let sequence: Vec<u16> = (0..=u16::MAX).collect();
    assert!(best_guess(&sequence, &sequence) > 1_000.0);
    let rotated: Vec<u16> = sequence.iter().map(|p| p.wrapping_mul(40_503).rotate_left(3)).collect();
    assert!(best_guess(&key.round(0), &rotated) > 6.0);
}
