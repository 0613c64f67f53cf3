//! What the ascending tails of version 8 share: milliseconds, a pad and a counter of 28 bits that are drawn again for
//! each millisecond, and a fresh random end.

use uuid::Uuid;

use crate::error::Result;
use crate::fields::Head;
use crate::generator::draws::counting;
use crate::generator::monotonic::{Counters, Monotonic, Run, Shape, Unit};
use crate::generator::{Bits, all_or_nothing, to_bits};
use crate::kind::Kind;
use crate::source::{Clock, ClockPolicy, Entropy, NoState, State};
use crate::tail::COUNTER_BITS;

/// A new millisecond starts in the lower half, which leaves at least 134 million ids for it.
const SEED_MASK: u64 = (1 << (COUNTER_BITS - 1)) - 1;

pub(super) struct Padded<C, E, S: State> {
    monotonic: Monotonic<C, S>,
    pub(super) entropy: E,
    pad: u8,
}

impl<C: Clock, E: Entropy> Padded<C, E, NoState> {
    /// For times from 1970 to `last_ms`.
    pub(super) fn new(kind: Kind, last_ms: i64, clock: C, entropy: E) -> Self {
        let shape = Shape { kind, unit: Unit::Milli, first: 0, last: last_ms };
        let monotonic =
            Monotonic::new(shape, clock, NoState).expect("without a state there is nothing to load");
        Padded { monotonic, entropy, pad: 0 }
    }

    /// Fails if the clock is outside these times.
    #[cfg(feature = "prefixed")]
    pub(super) fn check_clock(&self) -> Result<()> {
        self.monotonic.check_clock()
    }

    pub(super) fn with_state<T: State>(self, state: T) -> Result<Padded<C, E, T>> {
        Ok(Padded { monotonic: self.monotonic.with_state(state)?, entropy: self.entropy, pad: 0 })
    }
}

impl<C: Clock, E: Entropy, S: State> Padded<C, E, S> {
    pub(super) fn set_policy(&mut self, policy: ClockPolicy) {
        self.monotonic.set_policy(policy);
    }

    /// The clock's time to some milliseconds, whatever was generated before.
    #[cfg(feature = "prefixed")]
    #[inline]
    pub(super) fn coarse_now(&self) -> crate::timestamp::Timestamp {
        self.monotonic.coarse_now()
    }

    #[inline(always)]
    fn next_run(&mut self, want: usize) -> Result<Run> {
        let (entropy, mut pad) = (&mut self.entropy, self.pad);
        let run = self.monotonic.next_run(want, |_| {
            let draw = entropy.next_u64()?;
            // 1 to 63; one value is twice as frequent, which does not matter.
            pad = ((draw >> 32) as u8 & 0x3F).max(1);
            Ok(Counters { first: (draw & SEED_MASK) as u32, limit: 1 << COUNTER_BITS })
        })?;
        // Set only now: a millisecond that could not be saved has not begun, and the last one keeps its pad.
        self.pad = pad;
        Ok(run)
    }

    /// One id. `head` gives the bits that all ids of a millisecond share, from the milliseconds and the pad;
    /// `with_counter` adds the counter.
    #[inline(always)]
    pub(super) fn next_bits<const RANDOM: u32>(
        &mut self,
        head: impl FnOnce(i64, u8) -> Head,
        with_counter: impl Fn(Head, u32) -> Head,
    ) -> Result<Bits> {
        let run = self.next_run(1)?;
        let shared = head(run.time, self.pad);
        let random = self.entropy.next_u64()?;
        Ok(to_bits(with_counter(shared, run.counter).with_random::<RANDOM>(random)))
    }

    #[inline]
    pub(super) fn fill<const RANDOM: u32>(
        &mut self,
        ids: &mut [Uuid],
        mut head: impl FnMut(i64, u8) -> Head,
        with_counter: impl Fn(Head, u32) -> Head,
    ) -> Result<()> {
        all_or_nothing(ids, |mut ids| {
            while !ids.is_empty() {
                let run = self.next_run(ids.len())?;
                let shared = head(run.time, self.pad);
                let (now, later) = ids.split_at_mut(run.count);
                counting::<RANDOM>(&mut self.entropy, now, run.counter, |counter| {
                    with_counter(shared, counter)
                })?;
                ids = later;
            }
            Ok(())
        })
    }
}
