//! The end of the clock sequences of a fixed node. The test is a program of its own, because it uses up numbers that
//! all such generators of a process share.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use idgen::Timestamp;
use idgen::generator::{Generate, V1};
use idgen::source::{ClockPolicy, FixedClock, FixedEntropy};

const NOON: Timestamp = Timestamp::from_unix_secs(1_795_262_400);

#[test]
fn the_error_is_permanent_when_no_clock_sequence_is_left() {
    let clock = FixedClock::new(NOON);
    let policy = ClockPolicy::DEFAULT.with_tolerance(Duration::ZERO);
    let node = "9f6bdeced846".parse().unwrap();
    let make = || V1::new(&clock, FixedEntropy::new(1)).with_node(node).with_policy(policy);
    let start_over = |ids: &mut V1<_, _>| {
        clock.set(NOON);
        ids.next_id().unwrap();
        clock.set(NOON.saturating_sub(Duration::from_secs(1)));
        ids.next_id()
    };
    // Restarts use the same numbers as forks, and are faster.
    let mut ids = make();
    let made = (0..16_384).map_while(|_| start_over(&mut ids).ok()).count();
    assert_eq!(made, 16_383, "one clock sequence is the first, and each start takes another");
    let error = start_over(&mut ids).unwrap_err();
    assert!(error.is_exhausted(), "{error}");
    let text = error.to_string();
    assert!(text.contains("start the program again") && !text.contains("wait"), "{text}");

    // Clock sequences that others used before its first id do not count for a generator.
    let mut late = make();
    start_over(&mut late).unwrap();

    #[cfg(all(unix, feature = "fast"))]
    {
        clock.set(NOON.saturating_add(Duration::from_secs(3_600)));
        // SAFETY: the child only generates ids and exits; it takes no lock that another thread of the parent
        // may have held, but the allocator's, which the C library resets.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let as_promised =
                ids.next_id().is_err_and(|error| error.is_exhausted()) && late.next_id().is_ok();
            // SAFETY: ends the child at once, without the harness's clean-up.
            unsafe { libc::_exit(i32::from(!as_promised)) };
        }
        let mut status = 0;
        // SAFETY: waits for a child of this process; `status` outlives the call.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0, "in the child, only the later generator has clock sequences left");
        ids.next_id().unwrap();
    }
}
