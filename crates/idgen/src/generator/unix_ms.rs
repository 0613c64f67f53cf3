//! What version 7 and ULID share: 48 bits of Unix milliseconds, a counter of 26 bits from a random
//! start in each millisecond, and a fresh random tail.

use uuid::Uuid;

use crate::error::Result;
use crate::fields::{Head, LAST_UNIX_MS};
use crate::generator::draws::counting;
use crate::generator::monotonic::{Counters, Monotonic, Run, Shape, Unit};
use crate::generator::{Bits, all_or_nothing, to_bits};
use crate::kind::Kind;
use crate::source::{Clock, ClockPolicy, Entropy, NoState, State};

const fn shape(kind: Kind) -> Shape {
    Shape { kind, unit: Unit::Milli, first: 0, last: LAST_UNIX_MS }
}

const COUNTER_BITS: u32 = 26;
/// A new millisecond starts in the lower half, which leaves at least 33 million ids for it.
const SEED_MASK: u64 = (1 << (COUNTER_BITS - 1)) - 1;

/// Ids with `RANDOM` random bits at the end.
pub(super) struct UnixMs<C, E, S: State, const RANDOM: u32> {
    monotonic: Monotonic<C, S>,
    entropy: E,
}

impl<C: Clock, E: Entropy, const RANDOM: u32> UnixMs<C, E, NoState, RANDOM> {
    pub(super) fn new(kind: Kind, clock: C, entropy: E) -> Self {
        let monotonic =
            Monotonic::new(shape(kind), clock, NoState).expect("without a state there is nothing to load");
        UnixMs { monotonic, entropy }
    }

    pub(super) fn with_state<T: State>(self, state: T) -> Result<UnixMs<C, E, T, RANDOM>> {
        Ok(UnixMs { monotonic: self.monotonic.with_state(state)?, entropy: self.entropy })
    }
}

impl<C: Clock, E: Entropy, S: State, const RANDOM: u32> UnixMs<C, E, S, RANDOM> {
    pub(super) fn set_policy(&mut self, policy: ClockPolicy) {
        self.monotonic.set_policy(policy);
    }

    #[inline(always)]
    fn next_run(&mut self, want: usize) -> Result<Run> {
        let entropy = &mut self.entropy;
        self.monotonic.next_run(want, |_| {
            Ok(Counters { first: (entropy.next_u64()? & SEED_MASK) as u32, limit: 1 << COUNTER_BITS })
        })
    }

    /// One id, from the head that milliseconds and counter give.
    #[inline(always)]
    pub(super) fn next_bits(&mut self, head: impl Fn(u64, u32) -> Head) -> Result<Bits> {
        let run = self.next_run(1)?;
        let random = self.entropy.next_u64()?;
        Ok(to_bits(head(run.time as u64, run.counter).with_random::<RANDOM>(random)))
    }

    pub(super) fn fill(&mut self, ids: &mut [Uuid], head: impl Fn(u64, u32) -> Head) -> Result<()> {
        all_or_nothing(ids, |mut ids| {
            while !ids.is_empty() {
                let run = self.next_run(ids.len())?;
                let (now, later) = ids.split_at_mut(run.count);
                counting::<RANDOM>(&mut self.entropy, now, run.counter, |counter| {
                    head(run.time as u64, counter)
                })?;
                ids = later;
            }
            Ok(())
        })
    }
}
