//! The core of kinds with a time, a counter and a random end: version 7, ULIDs and ascending tails. The counter starts at random
//! in each unit of time, and each id has fresh random bits at its end.

use uuid::Uuid;

use crate::error::Result;
use crate::fields::{Counter, Head};
use crate::generator::draws::counting;
use crate::generator::monotonic::{Begin, Counters, Monotonic, Shape};
use crate::generator::unit::CountsIn;
use crate::generator::{Bits, all_or_nothing, to_bits};
use crate::kind::Kind;
use crate::source::{Clock, ClockPolicy, Entropy, NoState, State};

/// `U` is the unit of time.
pub(super) struct Counted<U, C, E, S: State> {
    monotonic: Monotonic<U, C, S>,
    pub(super) entropy: E,
}

impl<U: CountsIn, C: Clock, E: Entropy> Counted<U, C, E, NoState> {
    /// Makes a generator for times from 1970 to `last_ms`.
    pub(super) fn new(kind: Kind, last_ms: i64, clock: C, entropy: E) -> Self {
        let shape = Shape { kind, first: 0, last: U::UNIT.last_of(last_ms) };
        let monotonic =
            Monotonic::new(shape, clock, NoState).expect("without a state there is nothing to load");
        Counted { monotonic, entropy }
    }

    /// Fails if the clock is outside these times.
    #[cfg(feature = "prefixed")]
    pub(super) fn check_clock(&self) -> Result<()> {
        self.monotonic.check_clock()
    }

    pub(super) fn with_state<T: State>(self, state: T) -> Result<Counted<U, C, E, T>> {
        Ok(Counted { monotonic: self.monotonic.with_state(state)?, entropy: self.entropy })
    }
}

impl<U: CountsIn, C: Clock, E: Entropy, S: State> Counted<U, C, E, S> {
    pub(super) fn set_policy(&mut self, policy: ClockPolicy) {
        self.monotonic.set_policy(policy);
    }

    /// The clock's time to some milliseconds, whatever was generated before.
    #[cfg(feature = "prefixed")]
    #[inline]
    pub(super) fn coarse_now(&self) -> crate::timestamp::Timestamp {
        self.monotonic.coarse_now()
    }

    /// One id. `head` gives the bits that all ids of a unit of time share; `with_counter` adds the counter.
    #[inline(always)]
    pub(super) fn next_bits<const RANDOM: u32>(
        &mut self,
        counter: Counter,
        head: impl FnOnce(i64) -> Head,
        with_counter: impl Fn(Head, u32) -> Head,
    ) -> Result<Bits> {
        let Counted { monotonic, entropy } = self;
        let run = monotonic.next_run(1, |_| counters(entropy, counter))?;
        let shared = head(run.time);
        let random = entropy.next_u64()?;
        Ok(to_bits(with_counter(shared, run.counter).with_random::<RANDOM>(random)))
    }

    /// Many ids, from one reading of the clock.
    #[inline]
    pub(super) fn fill<const RANDOM: u32>(
        &mut self,
        ids: &mut [Uuid],
        counter: Counter,
        mut head: impl FnMut(i64) -> Head,
        with_counter: impl Fn(Head, u32) -> Head,
    ) -> Result<()> {
        let Counted { monotonic, entropy } = self;
        all_or_nothing(ids, |mut ids| {
            let mut is_first = true;
            while !ids.is_empty() {
                let begin = |_: Begin| counters(entropy, counter);
                let run = match is_first {
                    true => monotonic.next_run(ids.len(), begin)?,
                    false => monotonic.follow_on(ids.len(), begin)?,
                };
                is_first = false;
                let shared = head(run.time);
                let (now, later) = ids.split_at_mut(run.count);
                counting::<RANDOM>(entropy, now, run.counter, |counter| with_counter(shared, counter))?;
                ids = later;
            }
            Ok(())
        })
    }
}

/// The counters of a new time, from one draw.
#[inline(always)]
fn counters(entropy: &mut impl Entropy, counter: Counter) -> Result<Counters> {
    let draw = entropy.next_u64()?.to_le();
    Ok(Counters { first: counter.first(draw), limit: counter.limit(), within: (draw >> 32) as u32 })
}
