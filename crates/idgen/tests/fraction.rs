//! The fraction of the millisecond: the order of several generators, batches, and coarse clocks.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::cell::Cell;
use std::collections::HashSet;
use std::time::Duration;

use common::{Ids, generator};
use idgen::source::{Clock, ClockPolicy, FixedClock, FixedEntropy, MemoryState, NoState};
use idgen::{Interval, Timestamp, Uuid, bounds, inspect_uuid};
use proptest::prelude::*;

/// 2026-11-21T12:00:00.123Z, in milliseconds.
const MS: i64 = 1_795_262_400_123;

/// The kinds with a fraction.
const KINDS: [&str; 6] = [
    "v7",
    "prefixed, ascending",
    "prefixed, keyed",
    "prefixed, named",
    "fixed prefix",
    "fixed prefix of 16 bits",
];

fn new<'a>(name: &str, clock: impl Clock + 'a, seed: u64) -> Ids<'a> {
    generator(name, clock, FixedEntropy::new(seed), ClockPolicy::DEFAULT, NoState).unwrap()
}

fn fraction(name: &str, id: Uuid) -> Duration {
    let interval: Interval = "49d".parse().unwrap();
    let seen = inspect_uuid(id);
    let seen = match name {
        "prefixed, keyed" => seen.keyed(interval).unwrap(),
        "prefixed, named" => seen.keyed_named(interval).unwrap(),
        _ => seen,
    };
    seen.fraction.unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Each id is greater than all ids that other generators made at an earlier unit of the clock.
    #[test]
    fn ids_of_several_generators_are_in_the_order_of_the_clock(
        steps in prop::collection::vec((0usize..8, 3u64..4_000, 1usize..9), 1..60),
    ) {
        for name in KINDS {
            let clock = FixedClock::new(Timestamp::from_unix_millis(MS));
            let mut generators: Vec<Ids<'_>> = (0..8).map(|seed| new(name, &clock, seed)).collect();
            let mut last = Uuid::nil();
            for &(writer, ticks, count) in &steps {
                clock.advance(Duration::from_nanos(100 * ticks));
                let mut ids = vec![Uuid::nil(); count];
                generators[writer].fill(&mut ids).unwrap();
                prop_assert!(ids.is_sorted_by(|a, b| a < b) && last < ids[0], "{}", name);
                last = ids[count - 1];
            }
        }
    }

    /// Any steps of the clock, a part of a unit or hours, forward and back within the tolerance, single ids and batches that
    /// fill counters.
    #[test]
    fn a_generator_ascends_for_any_clock(
        steps in prop::collection::vec((prop_oneof![-50i64..50, -99_999_999i64..99_999_999], prop_oneof![1usize..4, 1usize..40_000], any::<bool>()), 1..20),
        step in prop_oneof![Just(100u64), 100u64..2_000_000],
    ) {
        for name in KINDS {
            let state = MemoryState::default();
            let clock = Coarse { clock: FixedClock::new(Timestamp::from_unix_millis(MS)), step: Duration::from_nanos(step) };
            let policy = ClockPolicy::DEFAULT.with_tolerance(Duration::from_secs(3_600));
            let make = || generator(name, &clock, FixedEntropy::new(1), policy, &state).unwrap();
            let mut ids = make();
            let mut last = Uuid::nil();
            for &(ticks, count, restart) in &steps {
                if restart {
                    drop(ids);
                    ids = make();
                }
                clock.clock.set(Timestamp::from_unix_ticks(clock.clock.now().unix_ticks() + ticks));
                let mut batch = vec![Uuid::nil(); count];
                ids.fill(&mut batch).unwrap();
                prop_assert!(batch.is_sorted_by(|a, b| a < b) && last < batch[0], "{}", name);
                prop_assert!(batch.iter().all(|id| id.as_bytes()[8] != 0x80 || name == "v7"));
                last = ids.next_id().unwrap();
                prop_assert!(batch[count - 1] < last);
            }
        }
    }
}

/// A clock that a millisecond passes at each reading.
struct Running(Cell<i64>);

impl Clock for &Running {
    fn now(&self) -> Timestamp {
        self.0.set(self.0.get() + 1);
        Timestamp::from_unix_millis(MS + self.0.get())
    }

    fn sleep(&self, _: Duration) {}
}

#[test]
fn a_batch_stays_together() {
    for name in KINDS {
        let clock = Running(Cell::new(0));
        let mut ids = new(name, &clock, 1);
        let before = clock.0.get();
        let mut batch = vec![Uuid::nil(); 1_000];
        ids.fill(&mut batch).unwrap();
        assert_eq!(clock.0.get(), before + 1, "{name} reads the clock once");
        let fractions: HashSet<Duration> = batch.iter().map(|id| fraction(name, *id)).collect();
        assert_eq!(fractions.len(), 1, "{name}");
        let mut batch = vec![Uuid::nil(); 200_000];
        ids.fill(&mut batch).unwrap();
        assert_eq!(clock.0.get(), before + 2, "{name} reads the clock once");
        let most = if name == "fixed prefix" { Duration::from_micros(50) } else { Duration::from_micros(7) };
        assert!(fraction(name, batch[199_999]) <= most, "{name} {:?}", fraction(name, batch[199_999]));
        assert!(ids.next_id().unwrap() > batch[199_999]);
    }
}

/// Readings in steps of this length.
struct Coarse {
    clock: FixedClock,
    step: Duration,
}

impl Clock for Coarse {
    fn now(&self) -> Timestamp {
        let step = self.step.as_nanos() as i64 / 100;
        Timestamp::from_unix_ticks(self.clock.now().unix_ticks().div_euclid(step) * step)
    }

    fn step(&self) -> Duration {
        self.step
    }

    fn sleep(&self, span: Duration) {
        self.clock.sleep(span);
    }
}

/// Bits below the step of a clock are random, so that they do not put the ids of two generators in an order that the clock did not
/// show, and they do not coincide more often.
#[test]
fn the_bits_below_the_step_of_a_clock_are_random() {
    for name in KINDS {
        for micros in [1_000, 16_000, 100, 5] {
            let clock = Coarse {
                clock: FixedClock::new(Timestamp::from_unix_ticks(MS * 10_000 + 4_567)),
                step: Duration::from_micros(micros),
            };
            let read = clock.now();
            let shown = Duration::from_nanos((read.unix_ticks() % 10_000) as u64 * 100);
            let step = Duration::from_micros(micros.min(1_000));
            let mut parts = [0; 4];
            for seed in 0..400 {
                let mut ids = new(name, &clock, seed);
                let id = ids.next_id().unwrap();
                let after = fraction(name, id);
                // A unit is 0.25 µs.
                let later =
                    (after + Duration::from_nanos(250)).checked_sub(shown).expect("not before the reading");
                assert!(later <= step + Duration::from_nanos(250), "{name} {after:?}");
                parts[((later.as_nanos() * 4 / step.as_nanos()) as usize).min(3)] += 1;
                assert_eq!(fraction(name, ids.next_id().unwrap()), after, "{name}");
            }
            assert!(parts.iter().all(|&count| (50..170).contains(&count)), "{name} {micros} µs {parts:?}");
        }
    }
}

/// Ids of the layout before, and those of other generators, which have a counter or random bits in place of the fraction.
#[test]
fn ids_of_all_layouts_are_in_the_order_of_their_milliseconds() {
    let clock = FixedClock::new(Timestamp::from_unix_ticks(MS * 10_000 + 9_999));
    let id = new("v7", &clock, 1).next_id().unwrap();
    // uuidv7() of PostgreSQL 18 has the same fraction in these bits.
    let of = |ms: i64, rest: u128| {
        Uuid::from_u128(
            (ms as u128) << 80 | 7 << 76 | (rest >> 64) << 64 | 0b10 << 62 | (rest as u64 >> 2) as u128,
        )
    };
    assert!(of(MS - 1, u128::MAX >> 52) < id && id < of(MS + 1, 0));
    assert!(of(MS, 0xffe << 64) < id, "an earlier fraction of PostgreSQL");
    let all = bounds::v7(bounds::moment(Timestamp::from_unix_millis(MS))).unwrap();
    for other in [id, of(MS, 0), of(MS, u128::MAX >> 52)] {
        assert!(all.contains(&other));
        assert_eq!(inspect_uuid(other).timestamp, Some(Timestamp::from_unix_millis(MS)));
    }
    assert_eq!(inspect_uuid(of(MS, 0x800 << 64)).fraction, Some(Duration::from_micros(500)));
}
