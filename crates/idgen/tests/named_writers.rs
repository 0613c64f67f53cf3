//! Prefixed ids of named writers: layout, order within a bucket, and what they reveal.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/given.rs"]
mod given;

use std::collections::HashSet;
use std::time::Duration;

use given::Given;
use idgen::generator::{Generate, Prefixed, Tail};
use idgen::source::{Clock, Entropy, FixedClock, FixedEntropy, MemoryState, SystemClock, ThreadEntropy};
use idgen::{Interval, Prefix, PrefixKey, Timestamp, Uuid, Writer, bounds, inspect_uuid};
use serde::Deserialize;

/// Intervals and prefixes of a round.
const ROUND: i64 = 65_536;

fn key(writer: &str) -> PrefixKey {
    PrefixKey::new(b"0123456789abcdef").unwrap().for_writer(writer)
}

#[derive(Deserialize)]
struct Vectors {
    named_id: Vec<NamedId>,
    sequential_named_id: Vec<SequentialId>,
}

#[derive(Deserialize)]
struct SequentialId {
    writer: String,
    seconds: u64,
    unix_ms: i64,
    ticks: i64,
    prefix: u16,
    tag: u16,
    counter: u32,
    id: Uuid,
}

#[derive(Deserialize)]
struct NamedId {
    secret: String,
    writer: String,
    seconds: u64,
    unix_ms: i64,
    ticks: i64,
    prefix: u16,
    tag: u16,
    round: u32,
    offset_ms: u64,
    counter: u32,
    id: Uuid,
}

#[test]
fn ids_are_those_of_the_reference() {
    let vectors: Vectors = serde_json::from_str(include_str!("vectors/prefixed.json")).unwrap();
    assert!(vectors.named_id.len() > 5);
    for v in vectors.named_id {
        let interval = Interval::every(Duration::from_secs(v.seconds)).unwrap();
        let seen = inspect_uuid(v.id).keyed_named(interval).unwrap();
        assert_eq!((seen.prefix, seen.writer_tag, seen.round), (Some(v.prefix), Some(v.tag), Some(v.round)));
        let offset = Duration::from_millis(v.offset_ms);
        assert_eq!((seen.offset, seen.counter, seen.tail_time), (Some(offset), Some(v.counter), None));
        assert!(seen.fraction.unwrap().as_nanos().abs_diff(v.ticks as u128 * 100) < 300);
        // A draw cannot begin in the upper half of the counters.
        if v.counter < 1 << 17 {
            let clock = FixedClock::new(given::now(v.unix_ms, v.ticks));
            let key = PrefixKey::new(v.secret.as_bytes()).unwrap().for_writer(&v.writer);
            let entropy = Given::counter(v.counter);
            let mut ids =
                Prefixed::new(clock, entropy, Prefix::Keyed(key), interval, Tail::Ascending).unwrap();
            assert_eq!(ids.next_id().unwrap(), v.id);
        }
    }
}

#[test]
fn sequential_ids_are_those_of_the_reference() {
    let vectors: Vectors = serde_json::from_str(include_str!("vectors/prefixed.json")).unwrap();
    assert_eq!(vectors.sequential_named_id.len(), 3);
    for v in vectors.sequential_named_id {
        let interval = Interval::every(Duration::from_secs(v.seconds)).unwrap();
        let now = Timestamp::from_unix_millis(v.unix_ms);
        let seen = inspect_uuid(v.id).sequential_named(interval).unwrap();
        assert_eq!((seen.prefix, seen.writer_tag), (Some(v.prefix), Some(v.tag)));
        assert_eq!((seen.tail_time, seen.counter), (Some(now), Some(v.counter)));
        assert!(seen.fraction.unwrap().as_nanos().abs_diff(v.ticks as u128 * 100) < 300);
        // A draw cannot begin in the upper half of the counters.
        if v.counter < 1 << 17 {
            let prefix = Prefix::SequentialOf(Writer::new(&v.writer));
            let entropy = Given::counter(v.counter);
            let mut ids = Prefixed::new(
                FixedClock::new(given::now(v.unix_ms, v.ticks)),
                entropy,
                prefix,
                interval,
                Tail::Ascending,
            )
            .unwrap();
            assert_eq!(ids.next_id().unwrap(), v.id);
        }
    }
}

/// The ids of three writers in one bucket over three rounds, with their writers, in the order of generation. Each visit
/// of a writer uses a new generator with the writer's state.
fn ids_of_a_bucket(prefix: u16, names: &[&str]) -> Vec<(usize, Uuid)> {
    let states: Vec<MemoryState> = names.iter().map(|_| MemoryState::default()).collect();
    let mut made = Vec::new();
    for round in 456..459 {
        let mut visits: Vec<(i64, usize)> = names
            .iter()
            .enumerate()
            .map(|(writer, name)| {
                let place = key(name).round(round).iter().position(|p| *p == prefix).unwrap();
                (round * ROUND + place as i64, writer)
            })
            .collect();
        visits.sort_unstable();
        for (interval, writer) in visits {
            let clock = FixedClock::new(Timestamp::from_unix_secs(interval * 60));
            let prefix = Prefix::Keyed(key(names[writer]));
            let entropy = FixedEntropy::new(interval as u64);
            let mut ids = Prefixed::new(&clock, entropy, prefix, Interval::Minute, Tail::Ascending)
                .unwrap()
                .with_state(&states[writer])
                .unwrap();
            for _ in 0..20 {
                made.push((writer, ids.next_id().unwrap()));
                clock.advance(Duration::from_millis(777));
            }
        }
    }
    made
}

#[test]
fn the_rows_of_a_writer_lie_together_and_in_order() {
    for prefix in [0, 0x1234, 0xFFFF] {
        let made = ids_of_a_bucket(prefix, &["a", "b", "c"]);
        assert_eq!(made.len(), 3 * 3 * 20);
        for (before, after) in (0..3).flat_map(|writer| {
            let ids: Vec<Uuid> = made.iter().filter(|(w, _)| *w == writer).map(|(_, id)| *id).collect();
            ids.clone().into_iter().zip(ids.into_iter().skip(1))
        }) {
            assert!(before < after, "{before} {after}");
        }
        let mut sorted = made.clone();
        sorted.sort_by_key(|(_, id)| *id);
        let runs = sorted.chunk_by(|a, b| a.0 == b.0).count();
        assert_eq!(runs, 3, "the rows of {prefix:04x} alternate between writers");
    }
}

/// An id reveals nothing about its interval except prefix, tag and round. With the same random bits and the same offset,
/// ids of a writer in two intervals of a round differ only in prefix and tag.
#[test]
fn only_prefix_and_tag_depend_on_the_interval_within_a_round() {
    let id = |writer: &str, number: i64| {
        let clock = FixedClock::new(Timestamp::from_unix_millis(number * 60_000 + 4_321));
        let prefix = Prefix::Keyed(key(writer));
        Prefixed::new(clock, FixedEntropy::new(9), prefix, Interval::Minute, Tail::Ascending)
            .unwrap()
            .next_id()
            .unwrap()
            .as_u128()
    };
    let (first, behind_tag) = (id("a", ROUND), |id: u128| id << 28);
    for (writer, number) in [("a", ROUND + 1), ("a", 2 * ROUND - 1), ("b", ROUND), ("b", ROUND + 7)] {
        let other = id(writer, number);
        assert_eq!(behind_tag(other), behind_tag(first), "{writer} {number}");
        assert_ne!(other >> 100, first >> 100, "{writer} {number}");
    }
    assert_ne!(behind_tag(id("a", 2 * ROUND)), behind_tag(first), "the next round shows");
}

/// The chi-squared statistic of values below 4,096, in standard deviations from its mean.
fn unevenness(values: impl Iterator<Item = u16>) -> f64 {
    let mut counts = vec![0f64; 4_096];
    values.for_each(|value| counts[usize::from(value)] += 1.0);
    let mean = counts.iter().sum::<f64>() / 4_096.0;
    let chi: f64 = counts.iter().map(|count| (count - mean).powi(2) / mean).sum();
    (chi - 4_095.0) / (2.0 * 4_095.0f64).sqrt()
}

/// Within a bucket, the tag shows which ids come from one writer. Between two buckets it shows nothing: neither the tags
/// of one writer nor the differences between those of two writers are related, and neither are tag and prefix.
#[test]
fn tags_of_different_buckets_are_unrelated() {
    let prefixes = || (0..=u16::MAX).step_by(2);
    let tags = |writer| prefixes().map(move |prefix| key(writer).writer_tag(prefix).unwrap()).collect();
    let (a, b): (Vec<u16>, Vec<u16>) = (tags("a"), tags("b"));
    let differences = |a: &[u16], b: &[u16]| -> Vec<u16> {
        a.iter().zip(b).map(|(a, b)| a.wrapping_sub(*b) & 0xFFF).collect()
    };
    let with_prefix = |tags: &[u16]| -> Vec<u16> {
        tags.iter().zip(prefixes()).map(|(tag, prefix)| tag ^ prefix >> 4).collect()
    };
    for (what, values) in [
        ("tags", a.clone()),
        ("neighbors", differences(&a, &a[1..])),
        ("two writers", differences(&a, &b)),
        ("tag and prefix", with_prefix(&a)),
    ] {
        let found = unevenness(values.into_iter());
        assert!(found.abs() < 5.0, "{what}: {found}");
    }
    // The statistic detects a tag that is the same for all prefixes.
    assert!(unevenness(differences(&a, &a).into_iter()) > 1_000.0);
}

/// Ids of many threads at once, at the system's time. Generators that share a name share their tags, too, so only the random bits keep their ids
/// distinct.
#[test]
fn generators_of_one_key_repeat_nothing_among_threads() {
    for key in [PrefixKey::new(b"0123456789abcdef").unwrap(), key("a")] {
        let make = || {
            let mut made = vec![Uuid::nil(); 20_000];
            let prefix = Prefix::Keyed(key.clone());
            let ids = Prefixed::new(SystemClock, ThreadEntropy, prefix, Interval::Minute, Tail::Ascending);
            ids.unwrap().fill(&mut made).unwrap();
            made
        };
        let all: Vec<Uuid> = std::thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(make));
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    }
}

/// A generator of this writer behind a sequential prefix.
fn sequential<'a>(clock: &'a FixedClock, seed: u64, name: &str) -> Prefixed<&'a FixedClock, FixedEntropy> {
    let prefix = Prefix::SequentialOf(Writer::new(name));
    Prefixed::new(clock, FixedEntropy::new(seed), prefix, Interval::Minute, Tail::Ascending).unwrap()
}

/// Writers take turns at random over three intervals, two of which are a round apart.
#[test]
fn sequential_rows_of_a_writer_lie_together_in_each_interval() {
    let (names, start) = (["a", "b", "c"], 1_795_219_200);
    let clock = FixedClock::new(Timestamp::from_unix_secs(start));
    let mut writers: Vec<_> =
        names.iter().enumerate().map(|(at, name)| sequential(&clock, at as u64, name)).collect();
    let mut entropy = FixedEntropy::new(5);
    let mut random = |below: u64| entropy.next_u64().unwrap() % below;
    let mut made: Vec<(usize, Uuid)> = Vec::new();
    for wait in [60, ROUND as u64 * 60 - 60, 60] {
        for _ in 0..300 {
            let writer = random(names.len() as u64) as usize;
            made.push((writer, writers[writer].next_id().unwrap()));
            clock.advance(Duration::from_millis(random(190)));
        }
        let passed = clock.now().unix_millis() - start * 1_000;
        let next = passed / 60_000 * 60_000 + wait as i64 * 1_000;
        clock.set(Timestamp::from_unix_millis(start * 1_000 + next));
    }
    // Ids of one writer and one prefix ascend in the order in which they were made, over rounds too.
    for writer in 0..names.len() {
        let mut by_prefix: std::collections::HashMap<u16, Vec<Uuid>> = std::collections::HashMap::new();
        for (_, id) in made.iter().filter(|(of, _)| *of == writer) {
            by_prefix.entry(inspect_uuid(*id).prefix.unwrap()).or_default().push(*id);
        }
        assert_eq!(by_prefix.len(), 2, "the first and the third interval have one prefix");
        assert!(by_prefix.values().all(|ids| ids.is_sorted() && ids.len() > 50));
    }
    let mut sorted = made.clone();
    sorted.sort_by_key(|(_, id)| *id);
    let runs = sorted.chunk_by(|a, b| a.0 == b.0 && a.1.as_bytes()[..2] == b.1.as_bytes()[..2]).count();
    assert_eq!(runs, 2 * names.len(), "the rows of an interval alternate between writers");
}

#[test]
fn sequential_ids_of_a_writer_show_their_time() {
    let now = Timestamp::from_unix_millis(1_795_219_234_567);
    let clock = FixedClock::new(now);
    let id = sequential(&clock, 1, "a").next_id().unwrap();
    let seen = inspect_uuid(id).sequential_named(Interval::Minute).unwrap();
    assert_eq!((seen.tail_time, seen.writer_tag), (Some(now), Some(Writer::new("a").tag())));
    assert_eq!(seen.prefix, Some((now.unix_secs() / 60) as u16));

    let times = now..now.saturating_add(Duration::from_millis(1));
    let prefix = Prefix::SequentialOf(Writer::new("a"));
    let ranges: Vec<_> =
        bounds::prefixed(&prefix, Interval::Minute, Tail::Ascending, times.clone()).unwrap().collect();
    assert!(ranges.len() == 1 && ranges[0].contains(&id), "{ranges:?} {id}");
    let other = Prefix::SequentialOf(Writer::new("b"));
    let mut ranges = bounds::prefixed(&other, Interval::Minute, Tail::Ascending, times).unwrap();
    assert!(!ranges.next().unwrap().contains(&id));
}

#[test]
fn a_writer_needs_an_ascending_tail_and_a_short_interval() {
    let of = |interval, tail| {
        let prefix = Prefix::SequentialOf(Writer::new("a"));
        Prefixed::new(SystemClock, ThreadEntropy, prefix, interval, tail).map(|_| ()).unwrap_err()
    };
    let error = of(Interval::Minute, Tail::RandomV8);
    assert!(error.is_config() && error.to_string().contains("ascending"), "{error}");
    let error = of(Interval::every(Duration::from_secs(50 * 86_400)).unwrap(), Tail::Ascending);
    assert!(error.to_string().contains("with a writer's tag cannot count"), "{error}");
}
