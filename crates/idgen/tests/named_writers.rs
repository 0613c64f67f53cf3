//! Prefixed ids of named writers: layout, order within a bucket, and what they reveal.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/given.rs"]
mod given;

use std::collections::HashSet;
use std::time::Duration;

use given::Given;
use idgen::generator::{Generate, Prefixed, Tail};
use idgen::source::{FixedClock, FixedEntropy, MemoryState, SystemClock, ThreadEntropy};
use idgen::{Interval, Prefix, PrefixKey, Timestamp, Uuid, inspect_uuid};
use serde::Deserialize;

/// Intervals and prefixes of a round.
const ROUND: i64 = 65_536;

fn key(writer: &str) -> PrefixKey {
    PrefixKey::new(b"0123456789abcdef").unwrap().for_writer(writer)
}

#[derive(Deserialize)]
struct Vectors {
    named_id: Vec<NamedId>,
}

#[derive(Deserialize)]
struct NamedId {
    secret: String,
    writer: String,
    seconds: u64,
    unix_ms: i64,
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
        // A draw cannot begin in the upper half of the counters.
        if v.counter < 1 << 27 {
            let clock = FixedClock::new(Timestamp::from_unix_millis(v.unix_ms));
            let key = PrefixKey::new(v.secret.as_bytes()).unwrap().for_writer(&v.writer);
            let entropy = Given::counter(v.counter);
            let mut ids =
                Prefixed::new(clock, entropy, Prefix::Keyed(key), interval, Tail::Ascending).unwrap();
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

/// Two generators that share a name share their tags, so only the random bits keep their ids distinct.
#[test]
fn generators_with_one_name_repeat_nothing() {
    let all: Vec<Uuid> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let prefix = Prefix::Keyed(key("a"));
                    let mut made = vec![Uuid::nil(); 20_000];
                    Prefixed::new(SystemClock, ThreadEntropy, prefix, Interval::Minute, Tail::Ascending)
                        .unwrap()
                        .fill(&mut made)
                        .unwrap();
                    made
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
}
