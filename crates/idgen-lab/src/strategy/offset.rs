//! The first layout of the ascending tail, kept for comparison. idgen no longer makes it.

use idgen::generator::Generate;
use idgen::source::Clock;
use idgen::{Result, Uuid};

const MINUTE_MILLIS: i64 = 60_000;
const COUNTER_BITS: u32 = 28;
const RANDOM_BITS: u32 = 40;

/// `prefix 16 | milliseconds since the minute began 32 | version 8 | counter 12 | variant | pad 6 | counter 16 |
/// random 40`.
///
/// The tail starts over in each minute. When a prefix is used again, the rows of the later minute go between those of the
/// earlier one, and each of them splits a page in the middle.
pub(super) struct OffsetTail<C, G> {
    clock: C,
    /// Supplies the prefix of the current minute, and random bits.
    random: G,
    last_millis: i64,
    counter: u32,
    pad: u64,
}

impl<C: Clock, G: Generate<Id = Uuid>> OffsetTail<C, G> {
    /// Replaces the tail of these ids, which is random.
    pub(super) fn new(clock: C, random: G) -> Self {
        OffsetTail { clock, random, last_millis: -1, counter: 0, pad: 1 }
    }
}

impl<C: Clock, G: Generate<Id = Uuid>> Generate for OffsetTail<C, G> {
    type Id = Uuid;

    fn next_id(&mut self) -> Result<Uuid> {
        let (high, random) = self.random.next_id()?.as_u64_pair();
        let millis = self.clock.now().unix_millis();
        if millis == self.last_millis {
            self.counter += 1;
        } else {
            self.last_millis = millis;
            self.counter = high as u32 & ((1 << (COUNTER_BITS - 5)) - 1);
            self.pad = (random >> 56 & 0x3F).max(1);
        }
        let offset = millis.rem_euclid(MINUTE_MILLIS) as u64;
        let counter = u64::from(self.counter);
        let top = high >> 48 << 48 | offset << 16 | 0x8000 | counter >> 16;
        let low =
            (0x80 | self.pad) << 56 | (counter & 0xFFFF) << RANDOM_BITS | random & ((1 << RANDOM_BITS) - 1);
        Ok(Uuid::from_u64_pair(top, low))
    }

    fn fill(&mut self, ids: &mut [Uuid]) -> Result<()> {
        ids.iter_mut().try_for_each(|id| self.next_id().map(|new| *id = new))
    }
}
