//! The clock, and what to do if it is behind the last id.

use core::time::Duration;

use crate::timestamp::Timestamp;

/// Reads the time, and can wait.
pub trait Clock {
    /// The current time. It may step back: the generators handle that.
    fn now(&self) -> Timestamp;

    /// The current time, or up to 10 ms less if that is cheaper to read. For kinds that count in seconds.
    fn coarse(&self) -> Timestamp {
        self.now()
    }

    /// Waits for about this long. The callers read the clock again afterwards.
    fn sleep(&self, span: Duration);
}

impl<T: Clock + ?Sized> Clock for &T {
    #[inline]
    fn now(&self) -> Timestamp {
        (**self).now()
    }

    #[inline]
    fn coarse(&self) -> Timestamp {
        (**self).coarse()
    }

    fn sleep(&self, span: Duration) {
        (**self).sleep(span);
    }
}

#[cfg(feature = "alloc")]
impl<T: Clock + ?Sized> Clock for alloc::boxed::Box<T> {
    #[inline]
    fn now(&self) -> Timestamp {
        (**self).now()
    }

    #[inline]
    fn coarse(&self) -> Timestamp {
        (**self).coarse()
    }

    fn sleep(&self, span: Duration) {
        (**self).sleep(span);
    }
}

#[cfg(feature = "std")]
impl<T: Clock + ?Sized> Clock for std::sync::Arc<T> {
    #[inline]
    fn now(&self) -> Timestamp {
        (**self).now()
    }

    #[inline]
    fn coarse(&self) -> Timestamp {
        (**self).coarse()
    }

    fn sleep(&self, span: Duration) {
        (**self).sleep(span);
    }
}

/// The system's wall clock.
///
/// On x86-64 with the feature `fast`, and with a processor whose time-stamp counter has a constant rate, each
/// thread reads the system's clock at most once per millisecond, and computes the time in between from the
/// counter, which takes a third of the time. The result stays within a microsecond of the system's clock. If the
/// clock is set, or the machine sleeps, it follows within a millisecond.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[cfg(feature = "std")]
impl Clock for SystemClock {
    #[inline]
    fn now(&self) -> Timestamp {
        #[cfg(all(feature = "fast", target_arch = "x86_64"))]
        return super::tsc::now();
        #[cfg(not(all(feature = "fast", target_arch = "x86_64")))]
        std::time::SystemTime::now().into()
    }

    /// The time of the kernel's last clock tick.
    #[cfg(all(feature = "fast", target_os = "linux"))]
    #[inline]
    fn coarse(&self) -> Timestamp {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the C library writes one timespec, which lives here.
        if unsafe { libc::clock_gettime(libc::CLOCK_REALTIME_COARSE, &mut time) } != 0 {
            return self.now();
        }
        #[allow(clippy::useless_conversion, reason = "the fields have 32 bits on some targets")]
        let (secs, nanos) = (i64::from(time.tv_sec), i64::from(time.tv_nsec));
        Timestamp::from_unix_ticks(secs.saturating_mul(10_000_000) + nanos / 100)
    }

    fn sleep(&self, span: Duration) {
        std::thread::sleep(span);
    }
}

/// A clock that stands still until it is told to move, for tests and for simulated time.
///
/// `sleep` moves it, so that a generator that waits does not wait forever.
///
/// ```
/// use idgen::{Timestamp, generator::{Generate, V7}, source::{FixedClock, FixedEntropy}};
///
/// let clock = FixedClock::new(Timestamp::from_unix_millis(1_645_557_742_000));
/// let mut ids = V7::new(&clock, FixedEntropy::new(1));
/// let id = ids.next_id()?;
/// assert_eq!(&id.as_bytes()[..6], &1_645_557_742_000u64.to_be_bytes()[2..]);
/// # Ok::<(), idgen::Error>(())
/// ```
#[cfg(target_has_atomic = "64")]
#[derive(Debug)]
pub struct FixedClock {
    ticks: core::sync::atomic::AtomicI64,
}

#[cfg(target_has_atomic = "64")]
impl FixedClock {
    /// A clock that stands still at this time.
    pub const fn new(now: Timestamp) -> Self {
        FixedClock { ticks: core::sync::atomic::AtomicI64::new(now.unix_ticks()) }
    }

    /// Sets the clock, forward or back.
    pub fn set(&self, now: Timestamp) {
        self.ticks.store(now.unix_ticks(), core::sync::atomic::Ordering::SeqCst);
    }

    /// Moves the clock forward.
    pub fn advance(&self, span: Duration) {
        self.set(self.now().saturating_add(span));
    }
}

#[cfg(target_has_atomic = "64")]
impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_ticks(self.ticks.load(core::sync::atomic::Ordering::SeqCst))
    }

    fn sleep(&self, span: Duration) {
        self.advance(span);
    }
}

/// How far the clock may be behind the last id, and what happens beyond that.
///
/// The clock is behind if it was set back, if a state file has reserved a time that is still in the future, or if
/// ids were generated faster than the ticks of their kind. Up to `tolerance`, the generator continues from the
/// time of the last id, so that ids stay unique and in order. Source: RFC 9562 section 6.1, "Altering, Fuzzing,
/// or Smearing", and section 6.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockPolicy {
    /// How far the clock may be behind without any effect.
    pub tolerance: Duration,
    /// What to do beyond the tolerance.
    pub when_behind: WhenBehind,
}

/// What a generator does if the clock is behind the last id by more than the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenBehind {
    /// Return an error ([`Error::is_clock_behind`](crate::Error::is_clock_behind)), and generate no id.
    Error,
    /// Sleep until the clock is within the tolerance, for at most a second at a time, because someone may correct
    /// the clock in the meantime.
    Wait,
    /// Restart at the clock's time with fresh randomness: a new node or clock sequence for versions 1 and 6, a new
    /// random counter and tail for the others. Ids stay unique, but new ones sort before earlier ones. This cannot
    /// be combined with a state.
    Restart,
}

impl ClockPolicy {
    /// Tolerates ten seconds, and returns an error beyond that. This is the default of the generators.
    pub const DEFAULT: ClockPolicy =
        ClockPolicy { tolerance: Duration::from_secs(10), when_behind: WhenBehind::Error };

    /// Tolerates ten seconds, and restarts beyond that. The one-line functions of the 128-bit kinds use it, because
    /// they return no error and nobody can give them a policy.
    pub const RESTART: ClockPolicy = ClockPolicy { when_behind: WhenBehind::Restart, ..Self::DEFAULT };
}

impl Default for ClockPolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}
