//! The 64-bit kinds at their limits.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use idgen::generator::{DeviceLease, DeviceShort, Generate, MysqlShort};
use idgen::source::{Clock, ClockPolicy, FixedClock, FixedEntropy, MemoryState, WhenBehind};
use idgen::{ShortId, Timestamp};

const NOON: Timestamp = Timestamp::from_unix_secs(1_795_262_400);

fn device(clock: &FixedClock, when_behind: WhenBehind) -> DeviceShort<&FixedClock> {
    let policy = ClockPolicy::DEFAULT.with_when_behind(when_behind);
    DeviceShort::new(clock, FixedEntropy::new(1)).unwrap().with_policy(policy)
}

/// A second has 65,536 ids, wherever the counter starts; the next id would repeat one.
#[test]
fn after_65536_ids_of_a_second_there_is_an_error_or_a_wait() {
    let clock = FixedClock::new(NOON);
    let mut ids = device(&clock, WhenBehind::Error);
    let mut all: HashSet<ShortId> = (0..65_536).map(|_| ids.next_id().unwrap()).collect();
    assert_eq!(all.len(), 65_536);
    let nodes: HashSet<u16> = all.iter().map(|id| id.device().node).collect();
    assert_eq!(nodes.len(), 1, "a carry of the counter must not reach the node");
    assert!(all.iter().all(|id| id.device().timestamp() == NOON));

    let error = ids.next_id().unwrap_err();
    assert!(error.is_exhausted() && error.to_string().contains("65,536"), "{error}");
    let mut batch = [ShortId::new(1); 2];
    assert!(ids.fill(&mut batch).unwrap_err().is_exhausted());
    assert_eq!(batch, [ShortId::default(); 2]);

    let mut ids = ids.with_policy(ClockPolicy::DEFAULT);
    assert!(all.insert(ids.next_id().unwrap()));
    assert_eq!(clock.now(), NOON.saturating_add(Duration::from_secs(1)));
}

/// The clock is not behind: the error must not say so.
#[test]
fn a_clock_that_stands_still_is_named_when_a_second_is_full() {
    struct Stopped;
    impl Clock for Stopped {
        fn now(&self) -> Timestamp {
            NOON.saturating_add(Duration::from_millis(200))
        }
        fn sleep(&self, _: Duration) {}
    }
    let policy = ClockPolicy::DEFAULT.with_longest_wait(Duration::from_secs(3));
    for policy in [policy, policy.with_when_behind(WhenBehind::Wait)] {
        let mut ids = DeviceShort::new(Stopped, FixedEntropy::new(1)).unwrap().with_policy(policy);
        ids.fill(&mut vec![ShortId::default(); 65_536]).unwrap();
        let error = ids.next_id().unwrap_err();
        assert!(error.is_exhausted() && error.to_string().contains("correct the clock"), "{error}");
    }
}

#[test]
fn a_batch_may_span_seconds() {
    let clock = FixedClock::new(NOON);
    let mut batch = vec![ShortId::default(); 150_000];
    device(&clock, WhenBehind::Wait).fill(&mut batch).unwrap();
    assert_eq!(batch.iter().collect::<HashSet<_>>().len(), 150_000);
    let seconds: HashSet<u32> = batch.iter().map(|id| id.device().unix_secs).collect();
    assert_eq!(seconds.len(), 3);
}

#[test]
fn the_policy_decides_beyond_the_tolerance() {
    for when_behind in [WhenBehind::Error, WhenBehind::Wait, WhenBehind::Restart] {
        let clock = FixedClock::new(NOON);
        let mut ids = device(&clock, when_behind);
        let mut all = HashSet::from([ids.next_id().unwrap()]);
        clock.set(NOON.saturating_sub(Duration::from_secs(10)));
        assert!(all.insert(ids.next_id().unwrap()));
        clock.set(NOON.saturating_sub(Duration::from_secs(100)));
        let id = ids.next_id();
        match when_behind {
            WhenBehind::Error => assert!(id.unwrap_err().is_clock_behind()),
            WhenBehind::Wait => {
                assert!(id.unwrap_err().is_clock_behind(), "after a minute");
                assert_eq!(clock.now(), NOON.saturating_sub(Duration::from_secs(40)));
                assert!(all.insert(ids.next_id().unwrap()));
                assert_eq!(clock.now(), NOON.saturating_sub(Duration::from_secs(10)));
            }
            _ => {
                assert_eq!(id.unwrap().device().timestamp(), clock.now());
                assert_eq!(clock.now(), NOON.saturating_sub(Duration::from_secs(100)));
            }
        }
    }
}

/// Each restart uses the next node, so ids of the repeated seconds are different.
#[test]
fn a_restart_takes_another_node() {
    let clock = FixedClock::new(NOON);
    let mut ids = device(&clock, WhenBehind::Restart);
    let mut all = HashSet::new();
    let mut batch = vec![ShortId::default(); 65_536];
    let mut first_node = None;
    for restart in 0..4 {
        clock.set(NOON);
        ids.fill(&mut batch).unwrap();
        assert!(batch.iter().all(|id| all.insert(*id)), "restart {restart} repeats");
        let first = *first_node.get_or_insert(batch[0].device().node);
        assert!(batch.iter().all(|id| id.device().node == first.wrapping_add(restart)));
        clock.set(NOON.saturating_sub(Duration::from_secs(60)));
        assert!(all.insert(ids.next_id().unwrap()));
    }
    // A state that comes later must not bring the first node back.
    let state = MemoryState::default();
    let mut ids = ids.with_state(&state).unwrap();
    clock.set(NOON.saturating_add(Duration::from_secs(1)));
    assert_eq!(ids.next_id().unwrap().device().node, batch[0].device().node.wrapping_add(1));
}

#[test]
fn a_fixed_node_or_a_state_does_not_restart() {
    let clock = FixedClock::new(NOON);
    let state = MemoryState::default();
    let node = "9f6bdeced846".parse().unwrap();
    let mut fixed = device(&clock, WhenBehind::Restart).with_node(node);
    let mut kept = device(&clock, WhenBehind::Restart).with_state(&state).unwrap();
    fixed.next_id().unwrap();
    kept.next_id().unwrap();
    clock.set(NOON.saturating_sub(Duration::from_secs(60)));
    assert!(fixed.next_id().unwrap_err().is_clock_behind());
    assert!(kept.next_id().unwrap_err().is_clock_behind());
}

/// There are 65,536 nodes, and each is used once.
#[test]
fn after_65535_restarts_there_is_a_permanent_error() {
    let clock = FixedClock::new(NOON);
    let mut ids =
        device(&clock, WhenBehind::Restart).with_policy(ClockPolicy::DEFAULT.with_tolerance(Duration::ZERO));
    let mut nodes = HashSet::new();
    for step in 0..65_536 {
        clock.set(NOON.saturating_sub(Duration::from_secs(step)));
        assert!(nodes.insert(ids.next_id().unwrap().device().node), "at restart {step}");
    }
    clock.set(NOON.saturating_sub(Duration::from_secs(65_536)));
    assert!(ids.next_id().unwrap_err().is_exhausted());
}

/// Threads see the clock step back at the same time, again and again: no id is repeated.
#[test]
fn threads_restart_together() {
    let clock = FixedClock::new(NOON);
    let ids =
        device(&clock, WhenBehind::Restart).with_policy(ClockPolicy::DEFAULT.with_tolerance(Duration::ZERO));
    let moving = AtomicBool::new(true);
    let make = || {
        // A limit, because the clock's thread takes long on a busy machine.
        let made = (0..200_000).map_while(|_| moving.load(SeqCst).then(|| ids.make().unwrap()));
        made.collect::<Vec<_>>()
    };
    let made: Vec<ShortId> = std::thread::scope(|scope| {
        let makers = [(); 3].map(|()| scope.spawn(make));
        for step in 0..2_000 {
            clock.set(NOON.saturating_sub(Duration::from_secs(step % 7)));
            std::thread::yield_now();
        }
        moving.store(false, SeqCst);
        makers.into_iter().flat_map(|maker| maker.join().unwrap()).collect()
    });
    assert_eq!(made.iter().collect::<HashSet<_>>().len(), made.len(), "ids were repeated");
}

#[test]
fn times_beyond_32_bits_are_errors() {
    for secs in [-1, 1 << 32] {
        let clock = FixedClock::new(Timestamp::from_unix_secs(secs));
        assert!(device(&clock, WhenBehind::Wait).next_id().unwrap_err().is_time_out_of_range());
        assert!(MysqlShort::new(&clock, 1).err().unwrap().is_time_out_of_range());
    }
}

/// The counter must not enter another server's range and must not wrap, and a state must record that it has ended.
#[test]
fn mysql_short_ids_end_at_the_last_number_of_their_server() {
    let last_second = FixedClock::new(Timestamp::from_unix_secs(u32::MAX.into()));
    for server_id in [0, 7, 255] {
        let state = MemoryState::default();
        let start = || MysqlShort::new(&last_second, server_id).unwrap().with_state(&state).unwrap();
        let mut ids = start();
        let mut batch = vec![ShortId::default(); (1 << 24) - 2];
        ids.fill(&mut batch).unwrap();
        let mut two = [ShortId::new(1); 2];
        drop(ids);
        let mut ids = start();
        // The number before the server's last one. The last one means that all are used.
        assert_eq!(ids.next_id().unwrap().get(), (u64::from(server_id) << 56) | ((1 << 56) - 2));
        assert!(ids.next_id().unwrap_err().is_time_out_of_range());
        assert!(ids.fill(&mut two).unwrap_err().is_time_out_of_range());
        drop(ids);
        for _ in 0..3 {
            assert!(start().next_id().unwrap_err().is_time_out_of_range());
        }
    }
}

/// A state that is added after the first ids must not set the generator back to its start.
#[test]
fn a_state_that_is_added_late_repeats_no_id() {
    let clock = FixedClock::new(NOON);
    let (first, second) = (MemoryState::default(), MemoryState::default());
    let mut mysql = MysqlShort::new(&clock, 1).unwrap();
    let mut all = HashSet::from([mysql.next_id().unwrap()]);
    let mut mysql = mysql.with_state(&first).unwrap();
    assert!(all.insert(mysql.next_id().unwrap()));
    let mut device = device(&clock, WhenBehind::Wait);
    let mut all = HashSet::from([device.next_id().unwrap(), device.next_id().unwrap()]);
    let mut device = device.with_state(&second).unwrap();
    assert!(all.insert(device.next_id().unwrap()));
}

#[test]
fn a_clock_behind_a_full_second_is_an_error() {
    let clock = FixedClock::new(NOON);
    let mut ids = device(&clock, WhenBehind::Error);
    ids.fill(&mut vec![ShortId::default(); 65_536]).unwrap();
    clock.set(NOON.saturating_sub(Duration::from_secs(60)));
    assert!(ids.next_id().unwrap_err().is_clock_behind());
}

/// A real MySQL 9.7.4 server returned these consecutive numbers.
#[test]
fn mysql_short_ids_are_those_of_the_server() {
    let text = include_str!("vectors/mysql-9.7.json");
    let vectors: serde_json::Value = serde_json::from_str(text).unwrap();
    let live = vectors["uuid_short_live"].as_array().unwrap();
    let number = |i: usize| ShortId::new(live[i]["short"].as_u64().unwrap());
    let server_id = live[0]["server_id"].as_u64().unwrap() as u8;
    let first = number(0).mysql();
    assert_eq!(first.server_id, server_id);
    assert_eq!(first.counter, 0);
    let startup = FixedClock::new(first.startup());
    let mut ids = MysqlShort::new(&startup, server_id).unwrap();
    assert_eq!(live.len(), 5);
    for i in 0..live.len() {
        assert_eq!(ids.next_id().unwrap(), number(i));
    }
    assert!(first.startup().unix_secs() <= live[0]["now"].as_i64().unwrap());
}

fn lease(number: u16, from: i64, to: i64) -> DeviceLease {
    let at = |secs: i64| Timestamp::from_unix_secs(NOON.unix_secs() + secs);
    DeviceLease::new(number, at(from), at(to)).unwrap()
}

/// Neither the clock nor the position of an earlier run leads out of the lease.
#[test]
fn a_leased_number_is_used_only_within_the_lease() {
    let clock = FixedClock::new(NOON);
    let mut ids = device(&clock, WhenBehind::Wait).with_lease(lease(0xBEEF, 0, 2));
    assert_eq!(ids.next_id().unwrap().device().node, 0xBEEF);
    for (second, good) in [(-1, false), (2, true), (3, false), (100_000, false), (1, true)] {
        clock.set(Timestamp::from_unix_secs(NOON.unix_secs() + second));
        let id = if second < 0 {
            device(&clock, WhenBehind::Wait).with_lease(lease(0xBEEF, 0, 2)).next_id()
        } else {
            ids.next_id()
        };
        match id {
            Ok(id) => assert!(good && id.device().unix_secs as i64 <= NOON.unix_secs() + 2, "{second}"),
            Err(error) => assert!(!good && error.is_outside_lease(), "{second}: {error}"),
        }
    }
    // The generator continues with the renewed lease.
    clock.set(Timestamp::from_unix_secs(NOON.unix_secs() + 3));
    assert!(ids.with_lease(lease(0xBEEF, 0, 10)).next_id().is_ok());
}

/// A batch does not run into the time after the lease, and nothing of it is handed out then.
#[test]
fn a_batch_ends_with_the_lease() {
    let clock = FixedClock::new(NOON);
    let mut ids = device(&clock, WhenBehind::Wait).with_lease(lease(7, 0, 1));
    let mut batch = vec![ShortId::new(1); 150_000];
    assert!(ids.fill(&mut batch).unwrap_err().is_outside_lease());
    assert!(batch.iter().all(|id| *id == ShortId::default()));
    let shared = device(&clock, WhenBehind::Wait).with_lease(lease(7, -9, -1));
    assert!(shared.make().unwrap_err().is_outside_lease());
}

/// The number is the lease's, whatever the state holds, and a position ahead of the lease is refused.
#[test]
fn a_lease_and_a_state_agree() {
    let (clock, state) = (FixedClock::new(NOON), MemoryState::default());
    let first = device(&clock, WhenBehind::Error).with_state(&state).unwrap().next_id().unwrap();
    let before = device(&clock, WhenBehind::Error).with_lease(lease(9, 0, 5)).with_state(&state).unwrap();
    let after = device(&clock, WhenBehind::Error).with_state(&state).unwrap().with_lease(lease(9, 0, 5));
    for mut ids in [before, after] {
        let id = ids.next_id().unwrap().device();
        assert_eq!(id.node, 9);
        assert_ne!(id.counter, first.device().counter);
    }
    clock.set(Timestamp::from_unix_secs(NOON.unix_secs() + 8));
    device(&clock, WhenBehind::Error).with_state(&state).unwrap().next_id().unwrap();
    // Within the tolerance of the clock, but the next id would be of the second 8.
    clock.set(Timestamp::from_unix_secs(NOON.unix_secs() + 5));
    let mut ids = device(&clock, WhenBehind::Error).with_state(&state).unwrap().with_lease(lease(9, 0, 5));
    assert!(ids.next_id().unwrap_err().is_outside_lease());
}

/// A restart takes the next number, which another device holds.
#[test]
fn a_leased_number_is_never_exchanged_for_the_next_one() {
    let clock = FixedClock::new(NOON);
    let mut ids = device(&clock, WhenBehind::Restart).with_lease(lease(7, -1_000, 1_000));
    ids.next_id().unwrap();
    clock.set(NOON.saturating_sub(Duration::from_secs(100)));
    assert!(ids.next_id().unwrap_err().is_clock_behind());
}
