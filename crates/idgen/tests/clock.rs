//! Generators with a clock that stands still, runs, or steps back a little or far.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::cell::RefCell;
use std::collections::HashSet;
use std::time::Duration;

use common::{COUNTING, generator};
use idgen::source::{Clock, ClockPolicy, FixedClock, FixedEntropy, MemoryState, NoState, WhenBehind};
use idgen::{Timestamp, Uuid};
use proptest::prelude::*;

const NOON: Timestamp = Timestamp::from_unix_secs(1_795_262_400);

fn policy(tolerance: Duration, when_behind: WhenBehind) -> ClockPolicy {
    ClockPolicy::DEFAULT.with_tolerance(tolerance).with_when_behind(when_behind)
}

/// The 14-bit clock sequence of version 1 is full after 16,384 ids of one tick, where the uuid crate repeats ids. 70,000
/// ids fill it four times.
#[test]
fn no_id_is_repeated_while_the_clock_stands_still() {
    for (name, ascending) in COUNTING {
        let clock = FixedClock::new(NOON);
        let mut ids = generator(name, &clock, FixedEntropy::new(1), ClockPolicy::DEFAULT, NoState).unwrap();
        let mut all: Vec<Uuid> = (0..35_000).map(|_| ids.next_id().unwrap()).collect();
        let mut batch = vec![Uuid::nil(); 35_000];
        ids.fill(&mut batch).unwrap();
        all.extend(batch);
        assert!(!ascending || all.is_sorted_by(|a, b| a < b), "{name} is out of order");
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 70_000, "{name} repeats");
    }
}

#[test]
fn ids_ascend_over_a_small_step_back() {
    for (name, ascending) in COUNTING {
        let clock = FixedClock::new(NOON);
        let mut ids = generator(name, &clock, FixedEntropy::new(1), ClockPolicy::DEFAULT, NoState).unwrap();
        let mut all = Vec::new();
        for step in 0..2_000u64 {
            clock.set(NOON.saturating_sub(Duration::from_millis(step * 7 % 9_000)));
            all.push(ids.next_id().unwrap());
        }
        assert!(!ascending || all.is_sorted_by(|a, b| a < b), "{name} is out of order");
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{name} repeats");
    }
}

/// The default policy: ten seconds without effect, then a restart, or an error with a state.
#[test]
fn the_default_is_to_restart_or_to_fail_with_a_state() {
    for (name, _) in COUNTING {
        let clock = FixedClock::new(NOON);
        let state = MemoryState::default();
        let mut kept = generator(name, &clock, FixedEntropy::new(1), ClockPolicy::default(), &state).unwrap();
        let mut ids = generator(name, &clock, FixedEntropy::new(1), ClockPolicy::default(), NoState).unwrap();
        let (first, _) = (ids.next_id().unwrap(), kept.next_id().unwrap());
        let early = NOON.saturating_sub(Duration::from_secs(3_600));
        clock.set(early);
        let restarted = ids.next_id().unwrap();
        assert_ne!(restarted, first, "{name}");
        if let Some(time) = idgen::inspect_uuid(restarted).timestamp {
            assert_eq!(time, early, "{name}");
        }
        assert!(kept.next_id().unwrap_err().is_clock_behind(), "{name}");
        assert_eq!(clock.now(), early, "{name} waited");
    }
}

/// After a minute of sleeps there is an error, although the clock is an hour behind.
#[test]
fn no_wait_is_longer_than_the_policy_allows() {
    for (name, _) in COUNTING {
        let clock = FixedClock::new(NOON);
        let wait = policy(Duration::from_secs(10), WhenBehind::Wait);
        let mut ids = generator(name, &clock, FixedEntropy::new(1), wait, NoState).unwrap();
        ids.next_id().unwrap();
        let early = NOON.saturating_sub(Duration::from_secs(3_600));
        clock.set(early);
        assert!(ids.next_id().unwrap_err().is_clock_behind(), "{name}");
        assert_eq!(clock.now(), early.saturating_add(Duration::from_secs(60)), "{name}");
    }
}

#[test]
fn with_the_policy_error_a_large_step_back_is_an_error() {
    for (name, _) in COUNTING {
        let clock = FixedClock::new(NOON);
        let error = ClockPolicy::DEFAULT.with_when_behind(WhenBehind::Error);
        let mut ids = generator(name, &clock, FixedEntropy::new(1), error, NoState).unwrap();
        let before = ids.next_id().unwrap();
        clock.set(NOON.saturating_sub(Duration::from_secs(3_600)));
        let error = ids.next_id().unwrap_err();
        assert!(error.is_clock_behind(), "{name}: {error}");
        let text = error.to_string();
        assert!(text.contains("2026-11-21T11:00:00Z") && text.contains("2026-11-21T12:00:00Z"), "{text}");
        let mut batch = [before; 3];
        assert!(ids.fill(&mut batch).unwrap_err().is_clock_behind());
        assert_eq!(batch, [Uuid::nil(); 3], "{name} left part of a batch behind");
        clock.set(NOON.saturating_add(Duration::from_secs(1)));
        assert_ne!(ids.next_id().unwrap(), before);
    }
}

#[test]
fn with_the_policy_wait_a_large_step_back_is_waited_for() {
    for (name, ascending) in COUNTING {
        let clock = FixedClock::new(NOON);
        let wait = policy(Duration::from_secs(2), WhenBehind::Wait).with_longest_wait(Duration::MAX);
        let mut ids = generator(name, &clock, FixedEntropy::new(1), wait, NoState).unwrap();
        let before = ids.next_id().unwrap();
        clock.set(NOON.saturating_sub(Duration::from_secs(3_600)));
        let after = ids.next_id().unwrap();
        assert!(before != after && (!ascending || before < after), "{name}");
        // A sleep moves the fixed clock. The sleeps end at the tolerance, and last no longer than needed.
        assert_eq!(clock.now(), NOON.saturating_sub(Duration::from_secs(2)), "{name}");
    }
}

/// A clock that is corrected while a generator waits: after the tenth sleep.
struct SetRight {
    clock: FixedClock,
    sleeps: RefCell<Vec<Duration>>,
}

impl Clock for SetRight {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn sleep(&self, span: Duration) {
        let mut sleeps = self.sleeps.borrow_mut();
        sleeps.push(span);
        match sleeps.len() {
            10 => self.clock.set(NOON),
            _ => self.clock.advance(span),
        }
    }
}

/// A generator that sleeps for the whole hour at once would not notice.
#[test]
fn a_wait_ends_within_a_second_after_the_clock_is_corrected() {
    for (name, ascending) in COUNTING {
        let clock = SetRight { clock: FixedClock::new(NOON), sleeps: RefCell::default() };
        let wait = policy(Duration::from_secs(2), WhenBehind::Wait).with_longest_wait(Duration::MAX);
        let mut ids = generator(name, &clock, FixedEntropy::new(1), wait, NoState).unwrap();
        let before = ids.next_id().unwrap();
        clock.clock.set(NOON.saturating_sub(Duration::from_secs(3_600)));
        let after = ids.next_id().unwrap();
        assert!(before != after && (!ascending || before < after), "{name}");
        assert_eq!(*clock.sleeps.borrow(), [Duration::from_secs(1); 10], "{name}");
    }
}

/// A tolerance of a millisecond and a half is one millisecond for a kind that counts milliseconds. The wait must end
/// even so.
#[test]
fn a_wait_ends_with_a_tolerance_of_a_fraction() {
    for tolerance in [Duration::ZERO, Duration::from_nanos(50), Duration::from_micros(1_500)] {
        for (name, ascending) in COUNTING {
            let clock = FixedClock::new(NOON);
            let mut ids =
                generator(name, &clock, FixedEntropy::new(1), policy(tolerance, WhenBehind::Wait), NoState)
                    .unwrap();
            let before = ids.next_id().unwrap();
            clock.set(NOON.saturating_sub(Duration::from_millis(5)));
            let after = ids.next_id().unwrap();
            assert!(before != after && (!ascending || before < after), "{name}");
        }
    }
}

#[test]
fn ids_after_a_restart_at_an_earlier_time_are_new() {
    for (name, _) in COUNTING {
        let clock = FixedClock::new(NOON);
        let restart = policy(Duration::ZERO, WhenBehind::Restart);
        let mut ids = generator(name, &clock, FixedEntropy::new(1), restart, NoState).unwrap();
        let mut all = HashSet::new();
        for _ in 0..100 {
            clock.set(NOON);
            for _ in 0..100 {
                assert!(all.insert(ids.next_id().unwrap()), "{name} repeats");
            }
            clock.set(NOON.saturating_sub(Duration::from_secs(1)));
            assert!(all.insert(ids.next_id().unwrap()), "{name} repeats");
        }
    }
}

#[test]
fn with_a_state_a_large_step_back_is_an_error() {
    for (name, _) in COUNTING {
        let clock = FixedClock::new(NOON);
        let state = MemoryState::default();
        let restart = policy(Duration::ZERO, WhenBehind::Restart);
        let mut ids = generator(name, &clock, FixedEntropy::new(1), restart, &state).unwrap();
        ids.next_id().unwrap();
        clock.set(NOON.saturating_sub(Duration::from_secs(1)));
        assert!(ids.next_id().unwrap_err().is_clock_behind(), "{name}");
    }
}

#[test]
fn times_that_the_kind_cannot_hold_are_errors() {
    let ends = [Timestamp::from_unix_ticks(i64::MIN), Timestamp::from_unix_ticks(i64::MAX)];
    for (name, _) in COUNTING {
        for end in ends {
            let clock = FixedClock::new(end);
            let ids = generator(name, &clock, FixedEntropy::new(1), ClockPolicy::DEFAULT, NoState);
            // Some kinds return the error when they are created, the others at the first id.
            let error = ids.and_then(|mut ids| ids.next_id()).unwrap_err();
            // Version 7 holds more time than this crate's Timestamp after 1970, and none before.
            assert!(error.is_time_out_of_range(), "{name} at {end}: {error}");
        }
    }
}

/// There are ids for the last tick that a kind can hold, and then an error instead of a wrap-around.
#[test]
fn after_the_last_tick_there_is_an_error_instead_of_a_wrap() {
    let last_tick = Timestamp::from_gregorian_ticks((1 << 60) - 1);
    for name in ["v1", "v6", "v6 with a node"] {
        let clock = FixedClock::new(last_tick);
        let mut ids = generator(name, &clock, FixedEntropy::new(1), ClockPolicy::DEFAULT, NoState).unwrap();
        let made = (0..20_000).map_while(|_| ids.next_id().ok()).count();
        assert!((1..20_000).contains(&made), "{name} made {made}");
        assert!(ids.next_id().unwrap_err().is_time_out_of_range());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// No id is repeated for any steps of the clock within the tolerance, and any mix of single ids and batches.
    #[test]
    fn no_id_is_repeated_on_any_walk_of_the_clock(steps in prop::collection::vec((-4_000_000i64..4_000_000, 0usize..40), 1..60)) {
        for (name, ascending) in COUNTING {
            let clock = FixedClock::new(NOON);
            let wait = policy(Duration::from_secs(1), WhenBehind::Wait);
            let mut ids = generator(name, &clock, FixedEntropy::new(1), wait, NoState).unwrap();
            let mut all = Vec::new();
            for &(ticks, batch) in &steps {
                clock.set(Timestamp::from_unix_ticks(clock.now().unix_ticks() + ticks));
                all.push(ids.next_id().unwrap());
                let mut more = vec![Uuid::nil(); batch];
                ids.fill(&mut more).unwrap();
                all.extend(more);
            }
            prop_assert!(!ascending || all.is_sorted_by(|a, b| a < b), "{} is out of order", name);
            prop_assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{} repeats", name);
        }
    }
}
