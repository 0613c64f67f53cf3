//! Restarts: within the same tick, with the same randomness, and after a crash.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::time::Duration;

use common::{COUNTING, generator};
use idgen::generator::{DeviceShort, Generate, MysqlShort};
use idgen::source::{ClockPolicy, FileState, FixedClock, FixedEntropy, MemoryState, Saved, State};
use idgen::{Error, Kind, Timestamp, Uuid};

const NOON: Timestamp = Timestamp::from_unix_secs(1_795_262_400);

/// Each run has the same clock and the same random bits, so only the state keeps the ids distinct.
#[test]
fn no_id_is_repeated_after_a_clean_restart_in_the_same_tick() {
    for (name, ascending) in COUNTING {
        let (clock, state) = (FixedClock::new(NOON), MemoryState::default());
        let mut all: Vec<Uuid> = Vec::new();
        for _ in 0..50 {
            let mut ids =
                generator(name, &clock, FixedEntropy::new(1), ClockPolicy::DEFAULT, &state).unwrap();
            all.extend((0..7).map(|_| ids.next_id().unwrap()));
        }
        assert!(!ascending || all.is_sorted_by(|a, b| a < b), "{name} is out of order");
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{name} repeats");
    }
}

/// Keeps every saved value, so that a test can simulate a crash at any moment.
#[derive(Default)]
struct Journal(RefCell<Vec<Saved>>);

impl State for &Journal {
    fn load(&mut self) -> Result<Option<Saved>, Error> {
        Ok(self.0.borrow().last().copied())
    }

    fn save(&mut self, saved: &Saved) -> Result<(), Error> {
        self.0.borrow_mut().push(*saved);
        Ok(())
    }
}

/// Runs that end without a final save: the next run knows only what was saved before the crash.
#[test]
fn no_id_is_repeated_after_a_crash() {
    for (name, ascending) in COUNTING {
        let clock = FixedClock::new(NOON);
        let mut saved_before_the_crash = Vec::new();
        let mut all: Vec<Uuid> = Vec::new();
        for run in 0..30 {
            let journal = Journal(RefCell::new(saved_before_the_crash.clone()));
            let mut ids =
                generator(name, &clock, FixedEntropy::new(1), ClockPolicy::DEFAULT, &journal).unwrap();
            for _ in 0..run % 9 + 1 {
                all.push(ids.next_id().unwrap());
                clock.advance(Duration::from_millis(run));
            }
            saved_before_the_crash = journal.0.borrow().clone();
        }
        assert!(!ascending || all.is_sorted_by(|a, b| a < b), "{name} is out of order");
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{name} repeats");
    }
}

/// A state whose disk is full from some save on.
struct Failing<'a> {
    inner: &'a MemoryState,
    saves_left: &'a Cell<u32>,
}

impl State for Failing<'_> {
    fn load(&mut self) -> Result<Option<Saved>, Error> {
        Ok(self.inner.saved())
    }

    fn save(&mut self, saved: &Saved) -> Result<(), Error> {
        let Some(left) = self.saves_left.get().checked_sub(1) else {
            return Err(Error::state("memory", "cannot be written", "no space left"));
        };
        self.saves_left.set(left);
        let mut inner = self.inner;
        inner.save(saved)
    }
}

#[test]
fn no_id_is_returned_if_the_state_cannot_be_saved() {
    for (name, _) in COUNTING {
        let (clock, memory, saves_left) = (FixedClock::new(NOON), MemoryState::default(), Cell::new(0));
        let state = Failing { inner: &memory, saves_left: &saves_left };
        let mut ids = generator(name, &clock, FixedEntropy::new(1), ClockPolicy::DEFAULT, state).unwrap();
        assert!(ids.next_id().unwrap_err().is_state(), "{name}");
        assert_eq!(memory.saved(), None);
        saves_left.set(1);
        let first = ids.next_id().unwrap();
        clock.advance(Duration::from_secs(60));
        assert!(ids.next_id().unwrap_err().is_state(), "{name}");
        saves_left.set(9);
        assert_ne!(ids.next_id().unwrap(), first);
    }
}

#[test]
fn device_ids_continue_after_a_restart_within_the_second() {
    let (clock, state) = (FixedClock::new(NOON), MemoryState::default());
    let mut all = HashSet::new();
    let mut nodes = HashSet::new();
    for run in 0..200 {
        // The random bits differ each time, so the same node must come from the state.
        let ids = DeviceShort::new(&clock, FixedEntropy::new(run)).unwrap();
        let mut ids = ids.with_state(&state).unwrap();
        for _ in 0..3 {
            let id = ids.next_id().unwrap();
            assert_eq!(id.device().timestamp(), NOON);
            nodes.insert(id.device().node);
            assert!(all.insert(id), "run {run} repeats {id}");
        }
    }
    assert_eq!(nodes.len(), 1, "the random node is kept over restarts");
}

#[test]
fn a_crash_loses_at_most_a_block_of_device_ids() {
    let clock = FixedClock::new(NOON);
    let mut saved = Vec::new();
    let mut all = HashSet::new();
    for run in 0..10 {
        let journal = Journal(RefCell::new(saved.clone()));
        let ids = DeviceShort::new(&clock, FixedEntropy::new(1)).unwrap().with_state(&journal);
        let mut ids = ids.unwrap();
        for _ in 0..1_000 {
            let id = ids.next_id().unwrap();
            assert!(all.insert(id), "run {run} repeats {id}");
        }
        saved = journal.0.borrow().clone();
        assert_eq!(saved.len(), 1 + run, "one save for a block of ids, not one for each");
    }
}

#[test]
fn mysql_short_ids_continue_after_a_restart_within_the_second() {
    let (clock, state) = (FixedClock::new(NOON), MemoryState::default());
    let mut last = None;
    for _ in 0..100 {
        let mut ids = MysqlShort::new(&clock, 5).unwrap().with_state(&state).unwrap();
        for _ in 0..3 {
            let id = Some(ids.next_id().unwrap());
            assert!(last < id);
            last = id;
        }
    }
    let other = MysqlShort::new(&clock, 6).unwrap().with_state(&state).err().unwrap();
    assert!(other.is_config() && other.to_string().contains('5'), "{other}");
}

#[test]
fn a_state_of_another_kind_is_refused() {
    let clock = FixedClock::new(NOON);
    for (name, _) in COUNTING {
        let state = MemoryState::holding(Saved { kind: Kind::Short, position: 5, node: None });
        let error =
            generator(name, &clock, FixedEntropy::new(1), ClockPolicy::DEFAULT, &state).err().unwrap();
        assert!(error.is_state() && error.to_string().contains("short"), "{error}");
    }
    let state = MemoryState::holding(Saved { kind: Kind::V7, position: 5, node: None });
    let ids = DeviceShort::new(&clock, FixedEntropy::new(1)).unwrap();
    assert!(ids.with_state(&state).err().unwrap().is_state());
}

/// Real files, and the real clock: many short runs within a second.
#[test]
fn short_runs_with_a_state_file_repeat_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (name, _) in COUNTING {
        let path = folder.path().join(name);
        let mut all = HashSet::new();
        for _ in 0..20 {
            let clock = FixedClock::new(NOON);
            let state = FileState::open(&path).unwrap();
            let mut ids = generator(name, clock, FixedEntropy::new(1), ClockPolicy::DEFAULT, state).unwrap();
            assert!((0..3).all(|_| all.insert(ids.next_id().unwrap())), "{name} repeats");
        }
    }
}

/// States of the layout without a fraction hold milliseconds and a counter of 26 or 28 bits. The next id follows all ids of that
/// millisecond, whatever their layout.
#[test]
fn states_of_the_layout_without_a_fraction_continue() {
    let ms = NOON.unix_millis();
    let kinds = [
        ("v7", Kind::V7),
        ("ulid", Kind::Ulid),
        ("prefixed, ascending", Kind::Prefixed),
        ("prefixed, keyed", Kind::Prefixed),
        ("prefixed, named", Kind::Prefixed),
        ("fixed prefix", Kind::FixedPrefix),
        ("fixed prefix of 16 bits", Kind::FixedPrefix),
    ];
    for (name, kind) in kinds {
        for counter in [0, 1, (1 << 26) - 1, (1 << 28) - 1, u32::MAX] {
            for (clock_ms, ticks) in [(0, 0), (0, 9_999), (1, 0), (1, 5_000), (-3_000, 5_000), (2, 0)] {
                let clock = FixedClock::new(Timestamp::from_unix_ticks((ms + clock_ms) * 10_000 + ticks));
                let position = (ms as u128) << 32 | u128::from(counter);
                let state = MemoryState::holding(Saved { kind, position, node: None });
                let mut ids =
                    generator(name, &clock, FixedEntropy::new(2), ClockPolicy::DEFAULT, &state).unwrap();
                let (first, second) = (ids.next_id().unwrap(), ids.next_id().unwrap());
                assert!(first < second, "{name}");
                drop(ids);
                let saved = state.saved().unwrap().time().unix_millis();
                assert_eq!(saved, (ms + 1).max(ms + clock_ms), "{name} {counter} {clock_ms} {ticks}");
                if kind == Kind::V7 {
                    assert!(first > *idgen::bounds::v7(idgen::bounds::moment(NOON)).unwrap().end());
                }
            }
        }
    }
}
