//! The time between two readings of the system's clock, from the processor's time-stamp counter.
//!
//! Reading the system's clock takes about 25 ns, and reading the counter takes 10. So each thread keeps an
//! *anchor*, the last reading of the clock together with the counter's value, and adds the counts since then. After
//! a millisecond it reads the clock again. The counter may differ between two processors, or stop while a machine
//! sleeps or is moved; such an error shifts the time for at most a millisecond. A step of the clock takes effect within
//! a millisecond. The generators are correct with any clock; this one only has to be close.

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
    /// For how many counts the anchor is valid.
    span: u64,
    /// 100 ns ticks per count, times 2^32.
    rate: u64,
}

/// The readings at which this thread began to compare the counter with the monotonic clock.
#[derive(Clone, Copy)]
struct Baseline {
    counter: u64,
    instant: Instant,
}

std::thread_local! {
    static ANCHOR: Cell<Anchor> = const { Cell::new(Anchor { counter: 0, unix_ticks: 0, span: 0, rate: 0 }) };
    static BASELINE: Cell<Option<Baseline>> = const { Cell::new(None) };
}

/// The rate that some thread measured; 0 before the first.
static RATE: AtomicU64 = AtomicU64::new(0);
/// Stands for a counter that does not measure time.
const UNSTEADY: u64 = u64::MAX;

/// An anchor is valid for a millisecond.
const HOLDS_TICKS: u64 = 10_000;
/// The rate is measured over at least this time, because reading both clocks takes about 50 ns.
const MEASURE_NANOS: u128 = 2_000_000;
/// Two readings of the counter around a reading of a clock are this close, unless the thread was interrupted.
const CLOSE: u64 = 1_000;

#[inline(always)]
pub(super) fn now() -> Timestamp {
    let anchor = ANCHOR.get();
    if anchor.span != 0 {
        let counted = counter().wrapping_sub(anchor.counter);
        if counted < anchor.span {
            return Timestamp::from_unix_ticks(anchor.unix_ticks + ((counted * anchor.rate) >> 32) as i64);
        }
    }
    look()
}

#[inline]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has this instruction, and it accesses no memory. If a program made the system
    // forbid it (PR_SET_TSC), a signal ends the program, as it requested.
    unsafe { _rdtsc() }
}

/// Reads the system's clock, and stores a new anchor.
#[cold]
fn look() -> Timestamp {
    let rate = rate();
    if rate == UNSTEADY {
        return SystemTime::now().into();
    }
    let before = counter();
    let now = Timestamp::from(SystemTime::now());
    let counter = counter();
    // With the later reading as anchor, the time is never ahead of the clock; an interruption puts it behind.
    let usable = rate != 0 && counter.wrapping_sub(before) <= CLOSE;
    let span = if usable { (HOLDS_TICKS << 32) / rate } else { 0 };
    ANCHOR.set(Anchor { counter, unix_ticks: now.unix_ticks(), span, rate });
    now
}

/// The measured rate of the counter. It is measured now if enough time has passed.
fn rate() -> u64 {
    let rate = RATE.load(Relaxed);
    match BASELINE.get() {
        _ if rate == UNSTEADY => return UNSTEADY,
        // The interval need not be exact: at 3 GHz it is a second.
        Some(baseline) if rate != 0 && counter().wrapping_sub(baseline.counter) < 3_000_000_000 => {
            return rate;
        }
        None if rate == 0 && !runs_at_one_rate() => {
            RATE.store(UNSTEADY, Relaxed);
            return UNSTEADY;
        }
        _ => {}
    }
    let before = counter();
    let instant = Instant::now();
    let counter = counter();
    if counter.wrapping_sub(before) > CLOSE {
        return rate;
    }
    let Some(baseline) = BASELINE.get() else {
        BASELINE.set(Some(Baseline { counter, instant }));
        return rate;
    };
    let nanos = instant.duration_since(baseline.instant).as_nanos();
    if nanos < MEASURE_NANOS {
        return rate;
    }
    BASELINE.set(Some(Baseline { counter, instant }));
    let measured = measured(nanos, counter.wrapping_sub(baseline.counter));
    RATE.store(measured, Relaxed);
    measured
}

/// The rate, from a number of counts and a time.
fn measured(nanos: u128, counts: u64) -> u64 {
    let rate = (nanos << 32) / 100 / u128::from(counts.max(1));
    // From 10 GHz down to 0.1; a counter outside this range does not measure time.
    if ((1 << 32) / 1_000..(1 << 32) / 10).contains(&rate) { rate as u64 } else { UNSTEADY }
}

/// Whether the counter has a constant rate in all states of the processor (AMD64 Architecture
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
        let rate = measured(1_000_000_000, 2_500_000_000);
        assert_eq!((2_500_000 * rate).div_ceil(1 << 32), 10_000);
        for (nanos, counts) in [(1_000_000_000, 0), (1_000_000_000, 1_000), (1_000, u64::MAX)] {
            assert_eq!(measured(nanos, counts), UNSTEADY);
        }
    }
}
