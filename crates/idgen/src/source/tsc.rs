//! The time between two readings of the system's clock, from the processor's time-stamp counter.
//!
//! Reading the system's clock takes about 25 ns, and reading the counter takes 10. So each thread keeps an
//! *anchor*, the last reading of the clock together with the counter's value, and adds the counts since then. After
//! a millisecond it reads the clock again. The counter may differ between two processors, or stop while a machine
//! sleeps or is moved; such an error shifts the time for at most a millisecond. A step of the clock takes effect within
//! a millisecond. The generators are correct with any clock; this one only has to be close.
//!
//! The rate of the counter is measured against the monotonic clock, once for the process. Until two milliseconds have
//! passed, each thread works with the rate of the time that it has measured so far, and an anchor is valid for half of that
//! time. So the error at its end is at most that of the two readings, and the clock is read about twenty times in
//! the first two milliseconds.
//!
//! A thread whose last anchor expired long ago generates few ids. For those, a new anchor takes longer than it saves, so
//! such a call returns the clock's time, and only a second call soon after it sets an anchor.

use core::arch::x86_64::{__cpuid, _rdtsc};
use core::cell::Cell;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Instant, SystemTime};

use crate::timestamp::Timestamp;

/// A reading of the system's clock.
#[derive(Clone, Copy)]
struct Anchor {
    counter: u64,
    unix_ticks: i64,
    /// The number of counts for which the anchor is valid.
    span: u64,
    /// 100 ns ticks per count, times 2^32.
    rate: u64,
}

impl Anchor {
    const NONE: Anchor = Anchor { counter: 0, unix_ticks: 0, span: 0, rate: 0 };
}

/// The readings at which this thread began to compare the counter with the monotonic clock.
#[derive(Clone, Copy)]
struct Baseline {
    counter: u64,
    instant: Instant,
}

/// Ticks per count, times 2^32, and for how many counts an anchor is valid with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rate {
    rate: u64,
    span: u64,
}

std::thread_local! {
    static ANCHOR: Cell<Anchor> = const { Cell::new(Anchor::NONE) };
    static BASELINE: Cell<Option<Baseline>> = const { Cell::new(None) };
}

/// The rate that some thread measured; 0 before the first.
static RATE: AtomicU64 = AtomicU64::new(0);
/// Marks a counter that does not measure time.
const UNSTEADY: u64 = u64::MAX;

/// An anchor is valid for a millisecond.
const HOLDS_TICKS: u64 = 10_000;
/// The rate is measured over at least this time, because reading both clocks takes about 50 ns.
const MEASURE_NANOS: u128 = 2_000_000;
/// Before that, a thread works with a rate that it measured over at least this time.
const FIRST_NANOS: u128 = 1_000;
/// Two readings of the counter around a reading of a clock are this close, unless the thread was interrupted.
const CLOSE: u64 = 1_000;
/// A call this many counts after the end of the last anchor belongs to a thread with few ids: 70 µs at 3 GHz.
const GAP: u64 = 200_000;
/// The rate is measured again after this many counts. The number need not be exact: at 3 GHz it is a second.
const REFRESH: u64 = 3_000_000_000;

#[inline(always)]
pub(super) fn now() -> Timestamp {
    let anchor = ANCHOR.get();
    let counter = counter();
    let counted = counter.wrapping_sub(anchor.counter);
    if counted < anchor.span {
        return Timestamp::from_unix_ticks(anchor.unix_ticks + ((counted * anchor.rate) >> 32) as i64);
    }
    look(counter)
}

#[inline]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has this instruction, and it accesses no memory. If a program made the system
    // forbid it (PR_SET_TSC), a signal ends the program, as it requested.
    unsafe { _rdtsc() }
}

/// Reads the system's clock, and stores a new anchor. `before` is the counter at the call.
#[cold]
fn look(before: u64) -> Timestamp {
    let now = Timestamp::from(SystemTime::now());
    let known = RATE.load(Relaxed);
    if known == UNSTEADY || is_after_gap(ANCHOR.get(), before) {
        ANCHOR.set(Anchor { counter: before, ..Anchor::NONE });
        return now;
    }
    let counter = counter();
    let measured = rate(known, counter);
    // With the later reading as anchor, the time is never ahead of the clock; an interruption puts it behind.
    let usable = measured.filter(|_| counter.wrapping_sub(before) <= CLOSE);
    let Rate { rate, span } = usable.unwrap_or(Rate { rate: 0, span: 0 });
    ANCHOR.set(Anchor { counter, unix_ticks: now.unix_ticks(), span, rate });
    now
}

fn is_after_gap(anchor: Anchor, counter: u64) -> bool {
    counter.wrapping_sub(anchor.counter) > anchor.span.saturating_add(GAP)
}

/// The rate of the counter, with what was measured until now.
fn rate(known: u64, before: u64) -> Option<Rate> {
    let baseline = BASELINE.get();
    let of_known = (known != 0).then(|| Rate::lasting(known));
    if of_known.is_some() && baseline.is_some_and(|at| before.wrapping_sub(at.counter) < REFRESH) {
        return of_known;
    }
    if baseline.is_none() && known == 0 && !runs_at_one_rate() {
        RATE.store(UNSTEADY, Relaxed);
        return None;
    }
    let before = counter();
    let instant = Instant::now();
    let counter = counter();
    if counter.wrapping_sub(before) > CLOSE {
        return of_known;
    }
    let Some(start) = baseline else {
        BASELINE.set(Some(Baseline { counter, instant }));
        return of_known;
    };
    let nanos = instant.duration_since(start.instant).as_nanos();
    let counts = counter.wrapping_sub(start.counter);
    if nanos < MEASURE_NANOS {
        return of_known.or_else(|| Rate::so_far(nanos, counts));
    }
    BASELINE.set(Some(Baseline { counter, instant }));
    let measured = measured(nanos, counts);
    RATE.store(measured.unwrap_or(UNSTEADY), Relaxed);
    measured.map(Rate::lasting)
}

impl Rate {
    /// The rate from a measurement that was long enough.
    fn lasting(rate: u64) -> Self {
        Rate { rate, span: (HOLDS_TICKS << 32) / rate }
    }

    /// The rate from a short measurement, valid for half as long as the measurement took.
    fn so_far(nanos: u128, counts: u64) -> Option<Self> {
        let Rate { rate, span } = measured(nanos, counts).map(Rate::lasting)?;
        (nanos >= FIRST_NANOS).then_some(Rate { rate, span: span.min(counts / 2) })
    }
}

/// The rate, from a number of counts and a time; `None` for a counter that does not measure time.
fn measured(nanos: u128, counts: u64) -> Option<u64> {
    let rate = (nanos << 32) / 100 / u128::from(counts.max(1));
    // The rates of counters from 10 GHz down to 0.1 GHz.
    ((1 << 32) / 1_000..(1 << 32) / 10).contains(&rate).then_some(rate as u64)
}

/// True if the counter has a constant rate in all states of the processor (AMD64 Architecture
/// Programmer's Manual, volume 3, CPUID function 8000_0007h, `TscInvariant`; Intel's has the same bit).
fn runs_at_one_rate() -> bool {
    const POWER: u32 = 0x8000_0007;
    #[allow(unused_unsafe, reason = "compilers before 1.94 call it unsafe")]
    // SAFETY: every x86-64 processor has the instruction.
    let cpuid = |leaf| unsafe { __cpuid(leaf) };
    cpuid(0x8000_0000).eax >= POWER && cpuid(POWER).edx & 1 << 8 != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::time::Duration;
    use proptest::prelude::*;

    /// Long enough to measure a rate, and for many anchors.
    #[test]
    fn the_time_is_that_of_the_system() {
        let slack = Duration::from_millis(2);
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(100) {
            let before = Timestamp::from(SystemTime::now());
            let time = now();
            let after = Timestamp::from(SystemTime::now());
            assert!(before.saturating_sub(slack) <= time && time <= after.saturating_add(slack));
        }
    }

    #[test]
    fn a_rate_is_ticks_for_each_count() {
        // 2.5 GHz: 2,500 counts in a microsecond, which is 10 ticks.
        let rate = measured(1_000_000_000, 2_500_000_000).unwrap();
        assert_eq!((2_500_000 * rate).div_ceil(1 << 32), 10_000);
        for (nanos, counts) in [(1_000_000_000, 0), (1_000_000_000, 1_000), (1_000, u64::MAX)] {
            assert_eq!(measured(nanos, counts), None);
        }
    }

    #[test]
    fn a_long_measurement_holds_for_a_millisecond() {
        let rate = measured(2_000_000, 5_000_000).unwrap();
        assert_eq!(Rate::lasting(rate).span.abs_diff(2_500_000), 0);
        assert_eq!(Rate::so_far(999, 2_500), None);
    }

    #[test]
    fn a_thread_with_few_ids_sets_no_anchor() {
        let anchor = Anchor { counter: 1_000_000, span: 2_500_000, ..Anchor::NONE };
        assert!(!is_after_gap(anchor, 3_500_000), "the next call of many");
        assert!(!is_after_gap(anchor, 3_700_000));
        assert!(is_after_gap(anchor, 3_700_001));
        let call = Anchor { counter: 3_700_001, ..Anchor::NONE };
        assert!(!is_after_gap(call, 3_800_000), "the second call soon after it");
        assert!(is_after_gap(call, 6_300_000), "the next of few");
        assert!(is_after_gap(Anchor::NONE, 1 << 40), "the first of all");
    }

    proptest! {
        /// At the end of an anchor, the time is off by no more than the two readings of the short measurement were.
        #[test]
        fn a_short_measurement_is_as_exact_as_its_readings(
            ghz in 0.2f64..8.0,
            nanos in 1_000u64..2_000_000,
            off in -1_000i64..=1_000,
        ) {
            let counts = (nanos as f64 * ghz) as i64 + off;
            if let Some(Rate { rate, span }) = Rate::so_far(nanos.into(), counts.max(0) as u64) {
                let ticks = ((u128::from(span) * u128::from(rate)) >> 32) as f64;
                let actual = span as f64 / ghz / 100.0;
                let error = off.unsigned_abs() as f64 / ghz / 100.0;
                prop_assert!((ticks - actual).abs() <= error + 2.0, "{ticks} {actual} {error}");
                prop_assert!(ticks <= HOLDS_TICKS as f64);
            }
        }
    }
}
