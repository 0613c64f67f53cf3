//! The odds against known values and simulations.

use super::*;
use crate::source::{Entropy, FixedEntropy};
use std::collections::HashSet;

fn p(kind: Kind, devices: u64, rate_per_sec: f64, years: f64) -> f64 {
    odds(kind, Fleet { devices, rate_per_sec, years }).unwrap().probability
}

#[test]
fn odds_are_the_known_values() {
    // 2.71e18 random ids: one chance in two (RFC 9562's 122 bits; sqrt(2 ln 2) · 2^61).
    let half = p(Kind::V4, 1, 2.715e18 / SECS_PER_YEAR, 1.0);
    assert!((half - 0.5).abs() < 0.001, "{half}");
    for kind in [Kind::V1, Kind::V6, Kind::V7, Kind::Ulid, Kind::Prefixed, Kind::Short, Kind::MysqlShort] {
        assert_eq!(p(kind, 1, 1e6, 10.0), 0.0, "{kind}: one generator never repeats");
    }
    assert_eq!(p(Kind::MysqlShort, 256, 10.0, 1.0), 0.0);
    assert!(p(Kind::MysqlShort, 257, 10.0, 1.0) > 0.0);
    assert!(p(Kind::Week, 100, 100.0, 1.0) > p(Kind::V4, 100, 100.0, 1.0));
}

#[test]
fn odds_rise_with_devices_rate_and_years() {
    for &kind in Kind::ALL {
        let base = p(kind, 1_000, 100.0, 1.0);
        for more in [p(kind, 2_000, 100.0, 1.0), p(kind, 1_000, 200.0, 1.0)] {
            assert!(more >= base && (0.0..=1.0).contains(&more), "{kind}: {base} {more}");
        }
    }
}

#[test]
fn bad_fleets_are_refused() {
    for (devices, rate_per_sec, years) in
        [(0, 1.0, 1.0), (1, -1.0, 1.0), (1, 1.0, f64::NAN), (1, f64::INFINITY, 1.0), (1, 1e31, 0.0)]
    {
        let error = odds(Kind::V4, Fleet { devices, rate_per_sec, years }).unwrap_err();
        assert!(error.is_config(), "{error}");
    }
}

#[test]
fn the_largest_fleets_have_finite_odds() {
    for &kind in Kind::ALL {
        for (devices, rate_per_sec, years) in
            [(u64::MAX, MOST, MOST), (1, MOST, MOST), (u64::MAX, MOST, 0.0), (u64::MAX, 0.0, MOST)]
        {
            let o = odds(kind, Fleet { devices, rate_per_sec, years }).unwrap();
            assert!(o.ids.is_finite() && o.expected_collisions.is_finite(), "{kind}: {o:?}");
            assert!((0.0..=1.0).contains(&o.probability), "{kind}: {o:?}");
        }
    }
}

/// With one interval to a round, or one round in all, a permutation leaves the pairs of an interval alone.
#[test]
fn a_permutation_has_no_collisions_between_the_intervals_of_a_round() {
    let fleet = Fleet { devices: 1_000, rate_per_sec: 1e6, years: 1_250.0 };
    let of = |prefix, tail| odds_prefixed(fleet, prefix, Interval::Week, tail).unwrap();
    let keyed = of(PrefixKind::Keyed, Tail::RandomV8);
    // These weeks are less than a round.
    let weeks = 1_250.0 * 365.25 / 7.0;
    let same_week = weeks * pairs(keyed.ids / weeks) * bits(106);
    assert!((keyed.expected_collisions / same_week - 1.0).abs() < 1e-9);
    assert_eq!(of(PrefixKind::Sequential, Tail::RandomV4), keyed);
    // The hashes of 65,223 weeks: nearly as many pairs again share a prefix by chance.
    let hashed = of(PrefixKind::Md5Week, Tail::RandomV4).expected_collisions;
    assert!((1.9..2.0).contains(&(hashed / same_week)), "{}", hashed / same_week);
    let error = odds_prefixed(fleet, PrefixKind::Md5Week, Interval::Hour, Tail::RandomV4).unwrap_err();
    assert!(error.is_config(), "{error}");
    // Twelve fewer random bits follow the time.
    let ascending = |prefix| of(prefix, Tail::Ascending).expected_collisions;
    assert!((ascending(PrefixKind::Sequential) / ascending(PrefixKind::Keyed) - 4_096.0).abs() < 1e-6);
}

/// In each of 64 intervals, 8 ids have one of 64 prefixes and a tail of 8 bits. Two are the same as often as
/// predicted, with a permutation and with a hash.
#[test]
fn simulated_permuted_and_hashed_prefixes_collide_as_predicted() {
    let mut entropy = FixedEntropy::new(4);
    let mut below = |n: u64| ((u128::from(entropy.next_u64().unwrap()) * u128::from(n)) >> 64) as u64;
    let trials = 400u32;
    let mut found = [0f64; 2];
    for _ in 0..trials {
        for (is_hash, found) in [false, true].into_iter().zip(&mut found) {
            let mut counts = std::collections::HashMap::new();
            for interval in 0..64 {
                // The permutation does not matter for tails that are drawn evenly.
                let prefix = if is_hash { below(64) } else { interval };
                for _ in 0..8 {
                    *counts.entry((prefix, below(256))).or_insert(0u32) += 1;
                }
            }
            *found += counts.values().map(|&n| pairs(n.into())).sum::<f64>();
        }
    }
    let same = 64.0 * pairs(8.0);
    let other = pairs(512.0) - same;
    for (found, pairs) in found.into_iter().zip([same, same + other / 64.0]) {
        let predicted = f64::from(trials) * pairs / 256.0;
        assert!((found - predicted).abs() < 5.0 * predicted.sqrt(), "{found} {predicted}");
    }
}

/// Two named writers, each with a permutation of 32 prefixes in every round, and an id in each of two milliseconds of
/// an interval. An id has a tag of 3 bits, which depends on writer and prefix, and 4 random bits. The ids coincide
/// as often as those of two writers without names and with 7 random bits, which share all milliseconds.
#[test]
fn simulated_named_writers_collide_as_predicted() {
    const PREFIXES: usize = 32;
    let mut entropy = FixedEntropy::new(5);
    let mut below = |n: usize| ((u128::from(entropy.next_u64().unwrap()) * n as u128) >> 64) as usize;
    let (fleets, rounds, per_interval) = (2_000, 4, 2);
    let mut hits = 0;
    for _ in 0..fleets {
        let tags: Vec<[usize; 2]> = (0..PREFIXES).map(|_| [below(8), below(8)]).collect();
        for round in 0..rounds {
            let mut ids = [HashSet::new(), HashSet::new()];
            for (writer, ids) in ids.iter_mut().enumerate() {
                let mut prefixes: Vec<usize> = (0..PREFIXES).collect();
                for last in (1..PREFIXES).rev() {
                    prefixes.swap(last, below(last + 1));
                }
                for prefix in prefixes {
                    for millisecond in 0..per_interval {
                        ids.insert((prefix, tags[prefix][writer], round, millisecond, below(16)));
                    }
                }
            }
            hits += ids[0].intersection(&ids[1]).count();
        }
    }
    let predicted = f64::from(fleets * rounds * per_interval * PREFIXES as i32) * bits(7);
    // If two tags are equal, they are equal in each round: the hits of a fleet are not independent.
    let variance = predicted * f64::from(rounds * per_interval);
    assert!((hits as f64 - predicted).abs() < 5.0 * variance.sqrt(), "{hits} {predicted}");
}

/// Random ids of 20 bits, drawn many times, collide as often as the formula says.
#[test]
fn simulated_random_ids_collide_as_predicted() {
    let (trials, count) = (2_000, 1_024);
    let mut entropy = FixedEntropy::new(1);
    let hits = (0..trials)
        .filter(|_| {
            let mut seen = HashSet::new();
            (0..count).any(|_| !seen.insert(entropy.next_u64().unwrap() as u32 >> 12))
        })
        .count();
    let predicted = at_least_one(pairs(count as f64) * bits(20));
    let found = hits as f64 / trials as f64;
    // Four standard deviations.
    assert!((found - predicted).abs() < 4.0 * (predicted * (1.0 - predicted) / trials as f64).sqrt());
}

/// Two devices with counters of 8 bits, which start at random in the lower half in each unit of time, and tails of 4
/// bits. This is the model of version 7, at a size that can be counted.
#[test]
fn simulated_counters_with_tails_collide_as_predicted() {
    let (units, per_unit) = (200_000u32, 3u64);
    let mut entropy = FixedEntropy::new(2);
    let mut hits = 0u32;
    for _ in 0..units {
        let mut device = || -> HashSet<(u64, u64)> {
            let start = entropy.next_u64().unwrap() & 0x7F;
            (0..per_unit).map(|i| (start + i, entropy.next_u64().unwrap() & 0xF)).collect()
        };
        let (a, b) = (device(), device());
        hits += a.intersection(&b).count() as u32;
    }
    let predicted = f64::from(units) * (per_unit * per_unit) as f64 * bits(7 + 4);
    assert!((f64::from(hits) - predicted).abs() < 5.0 * predicted.sqrt(), "{hits} {predicted}");
}

/// Expected pairs are pairs of ids for every kind: two devices with one node that make all 65,536 ids of each second
/// have 65,536 equal pairs in each.
#[test]
fn expected_collisions_are_pairs_of_ids() {
    let of = |kind, devices, rate_per_sec, years| odds(kind, Fleet { devices, rate_per_sec, years }).unwrap();
    let short = of(Kind::Short, 2, 65_536.0, 1.0);
    assert!((short.expected_collisions / SECS_PER_YEAR - 1.0).abs() < 1e-9, "{short:?}");
    assert!((short.probability / bits(16) - 1.0).abs() < 1e-4, "one pair of nodes in 65,536: {short:?}");
    for kind in [Kind::V1, Kind::V6] {
        let node = of(kind, 2, 1e7, 1.0);
        // One id in each tick of each device, of 2^60 pairs.
        assert!((node.expected_collisions / (SECS_PER_YEAR * 1e7 * bits(60)) - 1.0).abs() < 1e-9, "{node:?}");
        // The ids of a tick rarely reach farther than the next ones, but the ticks are many: a handful of first clock
        // sequences meet.
        assert!((2.0..64.0).contains(&(node.probability / bits(60))), "{node:?}");
    }
    // One in this many pairs of servers starts in the same second, and then all ids are equal.
    let servers = of(Kind::MysqlShort, 257, 0.1, 1.0);
    assert!((servers.expected_collisions - 0.1).abs() < 1e-6, "{servers:?}");
    assert!((servers.probability * SECS_PER_YEAR - 1.0).abs() < 1e-6, "{servers:?}");
    // Here the numbers of a start reach 18 seconds of starts further.
    let servers = of(Kind::MysqlShort, 257, 10.0, 1.0);
    assert!((180.0..190.0).contains(&servers.expected_collisions), "{servers:?}");
    assert!((36.9..37.0).contains(&(servers.probability * SECS_PER_YEAR)), "{servers:?}");
}

/// All pairs of starts of two servers, at a size that can be counted.
#[test]
fn starts_of_servers_are_counted_exactly() {
    let (secs, per_sec) = (7i64, 5i64);
    for count in 1..60i64 {
        let starts = (0..secs).flat_map(|a| (0..secs).map(move |b| (a - b).abs()));
        let shared: Vec<i64> = starts.map(|apart| (count - apart * per_sec).max(0)).collect();
        let all = shared.len() as f64;
        let found = Repeating::starts(count as f64, secs as f64, per_sec as u32);
        let expected = shared.iter().sum::<i64>() as f64 / all;
        let probability = shared.iter().filter(|shared| **shared > 0).count() as f64 / all;
        assert!((found.expected - expected).abs() < 1e-9, "{count}: {found:?} {expected}");
        assert!((found.probability - probability).abs() < 1e-9, "{count}: {found:?} {probability}");
    }
}

/// Runs of consecutive counters in a ring, as device ids use them within a second: every distance between two.
#[test]
fn runs_of_counters_are_counted_exactly() {
    let ring = 64i64;
    for rate in 1..=ring {
        let shared = |distance: i64| (0..rate).filter(|i| (i + distance) % ring < rate).count() as f64;
        let expected = (0..ring).map(shared).sum::<f64>() / ring as f64;
        let meet = (0..ring).filter(|distance| shared(*distance) > 0.0).count() as f64 / ring as f64;
        let found = Repeating::counters(rate as f64, 3.0, ring as u32);
        assert!((found.expected - 3.0 * expected).abs() < 1e-9, "{rate}: {found:?} {expected}");
        assert!((found.probability - at_least_one(3.0 * meet)).abs() < 1e-9, "{rate}: {found:?} {meet}");
    }
}

/// Two generators with one node, whose clock sequences begin at one of 8, over 40 ticks.
#[test]
fn simulated_nodes_collide_as_predicted() {
    let (fleets, ticks, per_tick, sequences) = (100_000u32, 40u32, 0.1f64, 8u32);
    let mut entropy = FixedEntropy::new(3);
    let mut part = || entropy.next_u64().unwrap() as f64 / 2f64.powi(64);
    let (mut pairs, mut squares, mut hits) = (0.0f64, 0.0f64, 0.0f64);
    for _ in 0..fleets {
        let starts = [0, 1].map(|_| (part() * f64::from(sequences)) as u32);
        let mut equal = 0.0;
        for _ in 0..ticks {
            // A Poisson number, by Knuth's method.
            let runs = starts.map(|start| {
                let (mut count, mut product) = (0u32, part());
                while product > (-per_tick).exp() {
                    (count, product) = (count + 1, product * part());
                }
                (start, start + count)
            });
            let (first, end) = (runs[0].0.max(runs[1].0), runs[0].1.min(runs[1].1));
            equal += f64::from(end.saturating_sub(first));
        }
        (pairs, squares) = (pairs + equal, squares + equal * equal);
        hits += f64::from(u8::from(equal > 0.0));
    }
    let found = Repeating::nodes(per_tick, ticks.into(), sequences);
    let count = f64::from(fleets);
    let spread = (squares / count).sqrt() / count.sqrt();
    assert!((pairs / count - found.expected).abs() < 5.0 * spread, "{} {found:?}", pairs / count);
    // That two starts are near each other at the ends of their range is rarer than `expected` assumes.
    let spread = (found.probability * (1.0 - found.probability) / count).sqrt();
    assert!((hits / count - found.probability).abs() < 5.0 * spread, "{} {found:?}", hits / count);
}
