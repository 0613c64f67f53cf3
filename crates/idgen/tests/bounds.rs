//! The bounds of a time contain the ids that generators make at this time, and no id of another one.

use core::ops::Range;
use core::time::Duration;

use idgen::generator::{
    DeviceShort, FixedPrefix, Generate, MysqlShort, PrefixBits, Prefixed, Tail, Ulid, V1, V6, V7,
};
use idgen::source::{FixedClock, FixedEntropy};
use idgen::{Interval, Prefix, PrefixKey, Timestamp, Uuid, bounds, codec::swapped};
use proptest::prelude::*;

const TICK: Duration = Duration::from_nanos(100);

/// Times that every kind can hold: 1970 to 2100, in ticks.
fn times() -> impl Strategy<Value = (i64, i64)> {
    (0i64..41_000_000_000_000_000, prop_oneof![1i64..100_000, 1i64..1_000_000_000_000])
}

fn span((start, length): (i64, i64)) -> Range<Timestamp> {
    Timestamp::from_unix_ticks(start)..Timestamp::from_unix_ticks(start + length)
}

/// The first and the last moment, and one between; and the last before and the first after, a unit away.
fn moments(times: &Range<Timestamp>, unit: Duration) -> ([Timestamp; 3], [Timestamp; 2]) {
    let last = times.end.saturating_sub(TICK);
    let middle = times.start.saturating_add(last.since(times.start) / 2);
    ([times.start, middle, last], [times.start.saturating_sub(unit), last.saturating_add(unit)])
}

/// Returns five ids that one generator makes at a moment; `None` if it fails.
fn made<T: Copy + Default>(ids: idgen::Result<impl Generate<Id = T>>) -> Option<[T; 5]> {
    let mut some = [T::default(); 5];
    ids.ok()?.fill(&mut some).ok()?;
    Some(some)
}

/// Each of the ids of a moment within the times is in the range, and none of another moment.
fn check<T: Copy + Default + Ord + std::fmt::Debug>(
    times: &Range<Timestamp>,
    unit: Duration,
    contains: impl Fn(T) -> bool,
    make: impl Fn(Timestamp) -> Option<[T; 5]>,
) {
    let (within, outside) = moments(times, unit);
    for moment in within {
        for id in make(moment).expect("ids of a time that the kind can hold") {
            assert!(contains(id), "{id:?} of {moment}");
        }
    }
    for moment in outside {
        for id in make(moment).into_iter().flatten() {
            assert!(!contains(id), "{id:?} of {moment}");
        }
    }
}

fn at(moment: Timestamp) -> FixedClock {
    FixedClock::new(moment)
}

const MILLI: Duration = Duration::from_millis(1);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn generators_stay_within_the_bounds(times in times(), seed: u64) {
        let times = span(times);
        let entropy = || FixedEntropy::new(seed);
        let v7 = bounds::v7(times.clone()).unwrap();
        check(&times, MILLI, |id| v7.contains(&id), |moment| made(Ok(V7::new(at(moment), entropy()))));
        let ulid = bounds::ulid(times.clone()).unwrap();
        check(&times, MILLI, |id| ulid.contains(&id), |moment| made(Ok(Ulid::new(at(moment), entropy()))));
        let v6 = bounds::v6(times.clone()).unwrap();
        check(&times, TICK, |id| v6.contains(&id), |moment| made(Ok(V6::new(at(moment), entropy()))));
        let v1 = bounds::v1_swapped(times.clone()).unwrap();
        let in_v1 = |id| v1.contains(&swapped::to_bytes(&id));
        check(&times, TICK, in_v1, |moment| made(Ok(V1::new(at(moment), entropy()))));
        for prefix in [PrefixBits::ONES, "5".parse().unwrap()] {
            let fixed = bounds::fixed_prefix(prefix, times.clone()).unwrap();
            let make = |moment| made(Ok(FixedPrefix::new(at(moment), entropy(), prefix)));
            check(&times, MILLI, |id| fixed.contains(&id), make);
        }
        let second = Duration::from_secs(1);
        let short = bounds::short(times.clone()).unwrap();
        check(&times, second, |id| short.contains(&id), |moment| made(DeviceShort::new(at(moment), entropy())));
        let server = seed as u8;
        let mysql = bounds::mysql_short(server, times.clone()).unwrap();
        check(&times, second, |id| mysql.contains(&id), |moment| made(MysqlShort::new(at(moment), server)));
    }

    #[test]
    fn prefixed_generators_stay_within_the_bounds(start in 0i64..41_000_000_000_000_000, length in 1i64..2_000_000_000, seed: u64) {
        let times = span((start, length));
        let key = PrefixKey::new(b"sixteen bytes or more").unwrap();
        for prefix in [
            Prefix::Sequential { bits: 16 }, Prefix::Sequential { bits: 3 }, Prefix::Keyed(key.clone()),
            Prefix::Keyed(key.for_writer("a")), Prefix::MD5_WEEK_UTC, Prefix::Md5Week { utc_offset_secs: -18_000 },
        ] {
            let interval = if matches!(prefix, Prefix::Md5Week { .. }) { Interval::Week } else { Interval::Minute };
            for tail in [Tail::RandomV4, Tail::RandomV8, Tail::Ascending] {
                let ranges: Vec<_> = bounds::prefixed(&prefix, interval, tail, times.clone()).unwrap().collect();
                let contains = |id: Uuid| ranges.iter().any(|range| range.contains(&id));
                let make = |moment| {
                    made(Prefixed::new(at(moment), FixedEntropy::new(seed), prefix.clone(), interval, tail))
                };
                // With a random tail, the whole interval is in the range.
                let beyond = if tail == Tail::Ascending { MILLI } else { Duration::from_secs(8 * 86_400) };
                let (within, outside) = moments(&times, beyond);
                for id in within.into_iter().flat_map(|moment| make(moment).unwrap()) {
                    prop_assert!(contains(id), "{id} {prefix:?} {tail:?} {ranges:?}");
                }
                // Three bits repeat after eight minutes.
                if tail == Tail::Ascending {
                    for id in outside.into_iter().filter_map(make).flatten() {
                        prop_assert!(!contains(id), "{id} {prefix:?} {tail:?} {ranges:?}");
                    }
                }
                // Ranges of one minute each, and of the part that the times cover.
                let minutes = times.start.unix_secs().div_euclid(60)
                    ..=times.end.saturating_sub(TICK).unix_secs().div_euclid(60);
                if interval == Interval::Minute {
                    prop_assert_eq!(ranges.len(), minutes.count());
                }
            }
        }
    }
}

#[test]
fn bounds_reach_to_the_ends_of_each_kind() {
    let tick_after = |last: Timestamp| last.saturating_add(TICK);
    let last_ms = Timestamp::from_unix_millis((1 << 48) - 1).saturating_add(MILLI - TICK);
    let all = Timestamp::UNIX_EPOCH..tick_after(last_ms);
    assert_eq!(bounds::ulid(all.clone()).unwrap(), Uuid::nil()..=Uuid::max());
    let v7 = bounds::v7(all).unwrap();
    assert_eq!(v7.start().to_string(), "00000000-0000-7000-8000-000000000000");
    assert_eq!(v7.end().to_string(), "ffffffff-ffff-7fff-bfff-ffffffffffff");
    let gregorian = Timestamp::from_gregorian_ticks(0)..tick_after(Timestamp::from_gregorian_ticks(u64::MAX));
    let v6 = bounds::v6(gregorian.clone()).unwrap();
    assert_eq!(v6.end().to_string(), "ffffffff-ffff-6fff-bfff-ffffffffffff");
    assert_eq!(bounds::v1_swapped(gregorian).unwrap().end()[..8], [0x1f, 255, 255, 255, 255, 255, 255, 255]);
    let secs = Timestamp::UNIX_EPOCH..Timestamp::from_unix_secs(1 << 32);
    let short = bounds::short(secs.clone()).unwrap();
    assert_eq!((short.start().get(), short.end().get()), (0, u64::MAX));
    let mysql = bounds::mysql_short(255, secs).unwrap();
    assert_eq!((mysql.start().get(), mysql.end().get()), (255 << 56, u64::MAX));
}

#[test]
fn times_that_are_wrong_are_refused() {
    let now = Timestamp::from_unix_secs(1_800_000_000);
    for times in [now..now, now..Timestamp::UNIX_EPOCH] {
        assert!(bounds::v7(times.clone()).unwrap_err().is_config());
        assert!(bounds::short(times.clone()).unwrap_err().is_config());
        let prefixed = bounds::prefixed(&Prefix::MD5_WEEK_UTC, Interval::Week, Tail::RandomV4, times);
        assert!(prefixed.err().is_some_and(|error| error.is_config()));
    }
    let early = bounds::moment(Timestamp::from_unix_ticks(-1));
    let late = bounds::moment(Timestamp::from_unix_millis(1 << 48));
    for times in [early, late] {
        assert!(bounds::v7(times.clone()).unwrap_err().is_time_out_of_range());
        assert!(bounds::ulid(times.clone()).unwrap_err().is_time_out_of_range());
        assert!(bounds::mysql_short(1, times.clone()).unwrap_err().is_time_out_of_range());
        assert!(bounds::fixed_prefix(PrefixBits::ONES, times.clone()).unwrap_err().is_time_out_of_range());
        let prefix = Prefix::Sequential { bits: 16 };
        let prefixed = bounds::prefixed(&prefix, Interval::Day, Tail::Ascending, times);
        assert!(prefixed.err().is_some_and(|error| error.is_time_out_of_range()));
    }
    let before = Timestamp::from_gregorian_ticks(0).saturating_sub(TICK);
    assert!(bounds::v6(bounds::moment(before)).unwrap_err().is_time_out_of_range());
}

/// The times end with the last one that a `Timestamp` holds, in the middle of a week: an end without which the ranges would never end.
#[test]
fn the_ranges_of_all_times_have_an_end() {
    let end = Timestamp::from_unix_ticks(i64::MAX);
    let start = end.saturating_sub(Duration::from_secs(21 * 86_400));
    for utc_offset_secs in [0, 14 * 3_600, -14 * 3_600] {
        let prefix = Prefix::Md5Week { utc_offset_secs };
        let ranges = bounds::prefixed(&prefix, Interval::Week, Tail::RandomV4, start..end).unwrap();
        assert!((3..=5).contains(&ranges.take(100).count()), "{utc_offset_secs}");
    }
}
