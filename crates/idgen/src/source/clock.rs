//! The clock, and what to do if it is behind the last id.

use core::time::Duration;

use crate::atomic::AtomicI64;
use crate::timestamp::Timestamp;

/// Reads the time, and can wait.
///
/// ```
/// use core::time::Duration;
/// use idgen::generator::{Generate, V7};
/// use idgen::source::{Clock, FixedEntropy};
/// use idgen::Timestamp;
///
/// /// Milliseconds of a simulation that begins in 2030.
/// struct Simulated(i64);
///
/// impl Clock for Simulated {
///     fn now(&self) -> Timestamp {
///         Timestamp::from_date(2030, 1, 1).saturating_add(Duration::from_millis(self.0 as u64))
///     }
///     fn step(&self) -> Duration {
///         Duration::from_millis(1)
///     }
///     fn sleep(&self, _: Duration) {}
/// }
///
/// let id = V7::new(Simulated(5), FixedEntropy::new(1)).next_id()?;
/// assert_eq!(idgen::inspect_uuid(id).timestamp.unwrap().to_string(), "2030-01-01T00:00:00.005Z");
/// # Ok::<(), idgen::Error>(())
/// ```
pub trait Clock {
    /// The current time. It may step back: the generators handle that.
    fn now(&self) -> Timestamp;

    /// The time between two neighboring readings of this clock, if that is more than 100 ns: a clock of whole milliseconds
    /// returns a millisecond. Ids then do not hold a fraction of the millisecond that the clock does not show: the bits below
    /// the step are random. It must not change.
    fn step(&self) -> Duration {
        Duration::from_nanos(100)
    }

    /// The current time, or up to 10 ms less if that is cheaper to read. For kinds that count in seconds.
    fn coarse(&self) -> Timestamp {
        self.now()
    }

    /// Waits for about this long. The callers read the clock again afterwards.
    fn sleep(&self, span: Duration);
}

/// Implements [`Clock`] for a type that points to a clock.
macro_rules! pointer_to_a_clock {
    ($pointer:ty) => {
        impl<T: Clock + ?Sized> Clock for $pointer {
            #[inline]
            fn now(&self) -> Timestamp {
                (**self).now()
            }

            fn step(&self) -> Duration {
                (**self).step()
            }

            #[inline]
            fn coarse(&self) -> Timestamp {
                (**self).coarse()
            }

            fn sleep(&self, span: Duration) {
                (**self).sleep(span);
            }
        }
    };
}

pointer_to_a_clock!(&T);
#[cfg(feature = "alloc")]
pointer_to_a_clock!(alloc::boxed::Box<T>);
#[cfg(feature = "std")]
pointer_to_a_clock!(std::sync::Arc<T>);

/// The system's wall clock.
///
/// On x86-64 with the feature `fast`, it uses the processor's time-stamp counter if that has a constant rate. Each thread
/// then reads the system's clock at most once per millisecond, and computes the time in between from the counter, which
/// takes a third of the time. The result stays within a microsecond of the system's clock. If the clock is set, or the
/// machine sleeps, the result follows within a millisecond.
///
/// On wasm32-unknown-unknown with the feature `wasm-js`, it is the clock of JavaScript, which has whole milliseconds, and
/// `sleep` reads it until the time has passed, because the main thread of a browser may not sleep.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[cfg(feature = "std")]
impl Clock for SystemClock {
    #[inline(always)]
    fn now(&self) -> Timestamp {
        #[cfg(all(feature = "fast", target_arch = "x86_64"))]
        return super::tsc::now();
        #[cfg(not(all(feature = "fast", target_arch = "x86_64")))]
        wall_clock()
    }

    /// The clock of JavaScript has whole milliseconds.
    #[cfg(idgen_js)]
    fn step(&self) -> Duration {
        Duration::from_millis(1)
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
        pause(span);
    }
}

#[cfg(all(feature = "std", not(idgen_js), not(all(feature = "fast", target_arch = "x86_64"))))]
#[inline(always)]
fn wall_clock() -> Timestamp {
    std::time::SystemTime::now().into()
}

/// The clock of JavaScript, in whole milliseconds.
#[cfg(idgen_js)]
fn wall_clock() -> Timestamp {
    Timestamp::from_unix_millis(js_sys::Date::now() as i64)
}

#[cfg(all(feature = "std", not(idgen_js)))]
fn pause(span: Duration) {
    std::thread::sleep(span);
}

/// Reads the clock until the time has passed: a browser does not let its main thread sleep.
#[cfg(idgen_js)]
fn pause(span: Duration) {
    let start = js_sys::Date::now();
    // A clock that was set back ends the wait, and the caller reads it again.
    while (0.0..span.as_secs_f64() * 1e3).contains(&(js_sys::Date::now() - start)) {}
}

/// A clock that stands still until a call moves it, for tests and for simulated time.
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
#[derive(Debug)]
pub struct FixedClock {
    ticks: AtomicI64,
}

impl FixedClock {
    /// A clock that stands still at this time.
    pub const fn new(now: Timestamp) -> Self {
        FixedClock { ticks: AtomicI64::new(now.unix_ticks()) }
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

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_ticks(self.ticks.load(core::sync::atomic::Ordering::SeqCst))
    }

    fn sleep(&self, span: Duration) {
        self.advance(span);
    }
}

/// The one rule for a clock that is behind the last id. All generators and all one-line functions follow it.
///
/// 1. If the clock is behind by at most `tolerance` (ten seconds), ids continue from the time of the last id: they stay
///    unique and in order, and nothing waits.
/// 2. If it is further behind, `when_behind` decides. By default the generator restarts at the clock's time: ids stay
///    unique, but new ones sort before earlier ones. A generator that cannot restart returns an error instead: one with
///    a [state](crate::source::State), because earlier times may belong to another run, and a
///    [`DeviceShort`](crate::generator::DeviceShort) with a fixed node.
/// 3. No wait is longer than `longest_wait` (a minute): then the generator returns an error. By default only a
///    `DeviceShort` waits, for the next second, after 65,536 ids in one second.
///
/// The clock is behind if it was set back, if a state file has reserved a time that is still in the future, or if
/// ids were generated faster than the ticks of their kind. [`MysqlShort`](crate::generator::MysqlShort) reads the clock
/// once, when it starts, so it has no such rule. Source: RFC 9562 section 6.1, "Altering, Fuzzing, or Smearing", and
/// section 6.2.
///
/// ```
/// use core::time::Duration;
/// use idgen::source::{ClockPolicy, WhenBehind};
///
/// let policy = ClockPolicy::DEFAULT.with_when_behind(WhenBehind::Wait).with_longest_wait(Duration::from_secs(5));
/// assert_eq!((policy.tolerance, policy.longest_wait), (Duration::from_secs(10), Duration::from_secs(5)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClockPolicy {
    /// The tolerance: how far the clock may be behind without any effect.
    pub tolerance: Duration,
    /// The reaction beyond the tolerance.
    pub when_behind: WhenBehind,
    /// The total time that one call may wait.
    pub longest_wait: Duration,
}

/// The reaction of a generator whose clock is behind the last id by more than the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenBehind {
    /// Return an error ([`Error::is_clock_behind`](crate::Error::is_clock_behind)), and generate no id. A
    /// [`DeviceShort`](crate::generator::DeviceShort) does not wait for the next second either.
    Error,
    /// Sleep until the clock is within the tolerance, for at most a second at a time, because someone may correct
    /// the clock in the meantime. After [`longest_wait`](ClockPolicy::longest_wait), return the error.
    Wait,
    /// Restart at the clock's time with fresh randomness: another node or clock sequence for versions 1 and 6, another
    /// node for device ids, a new random counter and tail for the others. Ids stay unique, but new ones sort before
    /// earlier ones. If that is impossible (see [`ClockPolicy`]), return the error.
    Restart,
}

impl ClockPolicy {
    /// Tolerates ten seconds, restarts beyond that, and waits for at most a minute.
    pub const DEFAULT: ClockPolicy = ClockPolicy {
        tolerance: Duration::from_secs(10),
        when_behind: WhenBehind::Restart,
        longest_wait: Duration::from_secs(60),
    };

    /// This policy with another tolerance.
    #[must_use]
    pub const fn with_tolerance(self, tolerance: Duration) -> Self {
        ClockPolicy { tolerance, ..self }
    }

    /// This policy with another reaction beyond the tolerance.
    #[must_use]
    pub const fn with_when_behind(self, when_behind: WhenBehind) -> Self {
        ClockPolicy { when_behind, ..self }
    }

    /// This policy with another limit for the waits of one call.
    #[must_use]
    pub const fn with_longest_wait(self, longest_wait: Duration) -> Self {
        ClockPolicy { longest_wait, ..self }
    }

    /// The tolerance in whole milliseconds, for an error message.
    pub(crate) fn tolerance_ms(&self) -> u64 {
        self.tolerance.as_millis().min(u64::MAX.into()) as u64
    }
}

impl Default for ClockPolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The waits of one call, which together do not exceed the policy's limit.
pub(crate) struct Waits {
    left: Duration,
}

/// The longest sleep, because someone may correct the clock in the meantime.
const NAP: Duration = Duration::from_secs(1);

impl Waits {
    pub(crate) fn new(policy: &ClockPolicy) -> Self {
        Waits { left: policy.longest_wait }
    }

    /// Sleeps for at most this long, a second, and the rest of the limit. False if nothing is left of it.
    pub(crate) fn sleep(&mut self, clock: &impl Clock, span: Duration) -> bool {
        if self.left.is_zero() {
            return false;
        }
        let nap = span.min(NAP).min(self.left);
        clock.sleep(nap);
        // The requested time: the clock that would measure it is the one that is wrong.
        self.left = self.left.saturating_sub(nap.max(Duration::from_nanos(1)));
        true
    }
}
