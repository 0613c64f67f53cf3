//! Time and counter that only increase, whatever the clock does.

use core::marker::PhantomData;
use core::time::Duration;

use crate::error::{Error, Kind as ErrorKind, Result};
use crate::generator::line::Line;
use crate::generator::unit::{CountsIn, Unit};
use crate::kind::Kind;
use crate::source::{Clock, ClockPolicy, State, Waits, WhenBehind};
use crate::timestamp::Timestamp;

/// The properties of one kind's sequence of ids.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) kind: Kind,
    /// The first unit that the kind's time field can hold.
    pub(crate) first: i64,
    /// The last one.
    pub(crate) last: i64,
}

/// The distance that a state reserves ahead.
const HORIZON: Duration = Duration::from_secs(1);

/// Returns pairs of time and counter, each greater than all before. `U` is the unit of time.
pub(crate) struct Monotonic<U, C, S: State> {
    unit: PhantomData<U>,
    clock: C,
    policy: ClockPolicy,
    tolerance: i64,
    /// The units between two readings of a coarse clock; 1 if the clock is as fine as the unit.
    step: u32,
    shape: Shape,
    line: Line<S>,
    /// Counters of the present time are below this.
    limit: u32,
}

/// The reason why a new time begins, and with it a new counter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begin {
    /// Time passed, or the counter of the last unit was full.
    Later,
    /// The clock was set back, and the policy says to restart at its time.
    Restart,
}

/// The counters of a new time: from `first` on, below `limit`.
pub(crate) struct Counters {
    pub(crate) first: u32,
    pub(crate) limit: u32,
    /// Random bits that choose a time between this reading of a coarse clock and the next one.
    pub(crate) within: u32,
}

/// A run of ids: `count` of them at one time, with counters from `counter` on.
pub(crate) struct Run {
    pub(crate) time: i64,
    pub(crate) counter: u32,
    pub(crate) count: usize,
}

impl<U: CountsIn, C: Clock, S: State> Monotonic<U, C, S> {
    const UNIT: Unit = U::UNIT;

    pub(crate) fn new(shape: Shape, clock: C, state: S) -> Result<Self> {
        let line = Line::restore(shape.kind, Self::UNIT, state)?;
        let step = Self::UNIT.step(clock.step());
        let policy = ClockPolicy::DEFAULT;
        let mut monotonic =
            Monotonic { unit: PhantomData, clock, policy, tolerance: 0, step, shape, line, limit: 0 };
        monotonic.set_policy(policy);
        Ok(monotonic)
    }

    /// Restores the state, and continues after it and after this one.
    pub(crate) fn with_state<T: State>(self, state: T) -> Result<Monotonic<U, C, T>> {
        let line = Line::restore(self.shape.kind, Self::UNIT, state)?.follow(&self.line);
        let Monotonic { unit, clock, policy, tolerance, step, shape, .. } = self;
        // Below no counter: the first id begins a time of its own.
        Ok(Monotonic { unit, clock, policy, tolerance, step, shape, line, limit: 0 })
    }

    pub(crate) fn set_policy(&mut self, policy: ClockPolicy) {
        self.policy = policy;
        self.tolerance = Self::UNIT.count(policy.tolerance);
    }

    pub(crate) fn line(&mut self) -> &mut Line<S> {
        &mut self.line
    }

    #[cfg(feature = "prefixed")]
    /// The clock's time to some milliseconds, whatever was made before.
    #[inline]
    pub(crate) fn coarse_now(&self) -> Timestamp {
        self.clock.coarse()
    }

    #[inline(always)]
    fn now(&self) -> i64 {
        Self::UNIT.of(self.clock.now())
    }

    /// The next run of up to `want` ids. `begin` gives the counters of a new time.
    #[inline(always)]
    pub(crate) fn next_run(
        &mut self,
        want: usize,
        begin: impl FnMut(Begin) -> Result<Counters>,
    ) -> Result<Run> {
        self.line.check_fork()?;
        let now = self.now();
        let last = self.line.time();
        if now > last {
            return self.begin_near(now, want, begin);
        }
        if last - now > self.tolerance {
            return self.begin_behind(want, begin);
        }
        self.follow_on(want, begin)
    }

    /// The next run without a reading of the clock, for the ids of a batch, which have the time of its first id as long as
    /// there are counters.
    #[inline(always)]
    pub(crate) fn follow_on(
        &mut self,
        want: usize,
        begin: impl FnMut(Begin) -> Result<Counters>,
    ) -> Result<Run> {
        let next = self.line.counter().saturating_add(1);
        if next < self.limit {
            return self.take(self.line.time(), next, self.limit, want);
        }
        self.begin_after(want, begin)
    }

    /// Begins at a reading of the clock, or if the clock is coarse, at a random time before its next one: bits below the
    /// clock's step do not order the ids of different generators (RFC 9562 section 6.2, method 3).
    ///
    /// This and the next two are functions of their own, so that most ids, which have the time of the one before, take less time.
    #[inline(never)]
    fn begin_near(
        &mut self,
        now: i64,
        want: usize,
        mut begin: impl FnMut(Begin) -> Result<Counters>,
    ) -> Result<Run> {
        let counters = begin(Begin::Later)?;
        self.begin_within(now, want, counters)
    }

    /// Begins after the last unit, whose counter is full.
    #[inline(never)]
    fn begin_after(&mut self, want: usize, mut begin: impl FnMut(Begin) -> Result<Counters>) -> Result<Run> {
        let counters = begin(Begin::Later)?;
        self.begin_at(Self::UNIT.after(self.line.time()), want, counters)
    }

    /// The clock is further behind than what is tolerated.
    #[cold]
    fn begin_behind(&mut self, want: usize, mut begin: impl FnMut(Begin) -> Result<Counters>) -> Result<Run> {
        if self.catch_up()? == Begin::Restart {
            let now = self.now();
            let counters = begin(Begin::Restart)?;
            return self.begin_within(now, want, counters);
        }
        self.follow_on(want, begin)
    }

    #[inline]
    fn begin_within(&mut self, now: i64, want: usize, counters: Counters) -> Result<Run> {
        let later = (u64::from(counters.within) * u64::from(self.step)) >> 32;
        self.begin_at(Self::UNIT.within(now, later as i64), want, counters)
    }

    #[inline]
    fn begin_at(&mut self, time: i64, want: usize, counters: Counters) -> Result<Run> {
        self.check_range(time)?;
        self.take(time, counters.first, counters.limit, want)
    }

    #[inline]
    fn check_range(&self, time: i64) -> Result<()> {
        match self.shape.first <= time && time <= self.shape.last {
            true => Ok(()),
            false => Err(self.out_of_range(time)),
        }
    }

    #[cfg(feature = "prefixed")]
    /// Fails where the clock is outside what the kind can hold.
    pub(crate) fn check_clock(&self) -> Result<()> {
        self.check_range(self.now())
    }

    #[inline(always)]
    fn take(&mut self, time: i64, first: u32, limit: u32, want: usize) -> Result<Run> {
        let count = want.min((limit - first) as usize);
        let horizon = const { U::UNIT.count(HORIZON) };
        self.line.step_to(time, first + (count - 1) as u32, horizon)?;
        // Changed only now, so that a step that could not be saved has no effect.
        self.limit = limit;
        Ok(Run { time, counter: first, count })
    }

    #[cold]
    fn out_of_range(&self, time: i64) -> Error {
        let (Shape { kind, first, last }, unit) = (self.shape, Self::UNIT);
        Error::out_of_range(kind.name(), unit.begin(time), unit.begin(first), unit.begin(last))
    }

    fn at(&self, units: i64) -> Timestamp {
        Self::UNIT.at(units)
    }

    /// The clock is too far behind: waits, fails, or says to restart.
    #[cold]
    fn catch_up(&mut self) -> Result<Begin> {
        match self.policy.when_behind {
            // A state forbids it: earlier times may belong to another run.
            WhenBehind::Restart if !self.line.is_kept() => return Ok(Begin::Restart),
            WhenBehind::Restart | WhenBehind::Error => return Err(self.clock_behind()),
            WhenBehind::Wait => {}
        }
        let mut waits = Waits::new(&self.policy);
        loop {
            let target = self.at(self.line.time() - self.tolerance);
            if !waits.sleep(&self.clock, target.since(self.clock.now())) {
                return Err(self.clock_behind());
            }
            if self.line.time() - self.now() <= self.tolerance {
                return Ok(Begin::Later);
            }
        }
    }

    fn clock_behind(&self) -> Error {
        Error::new(ErrorKind::ClockBehind {
            now: self.clock.now(),
            last: self.at(self.line.time()),
            tolerance_ms: self.policy.tolerance_ms(),
            has_state: self.line.is_kept(),
        })
    }
}

#[cfg(test)]
mod tests;
