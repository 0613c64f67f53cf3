//! Other layouts of a named writer's tail, kept for comparison. idgen does not make them.

use idgen::generator::Generate;
use idgen::{Result, Uuid};

/// The counter and the random bits behind the fraction of the millisecond.
const BEHIND_FRACTION: u32 = 18 + 32;
const VARIANT: u64 = 2 << 62;
/// The bits of the offset within a minute.
const OFFSET_BITS: u32 = 16;

/// The position of the writer's tag in a tail that begins with round and offset.
#[derive(Clone, Copy)]
pub(super) enum Order {
    /// Among the random bits, so that it does not affect the order: the layout before there were tags.
    Untagged,
    /// After the round.
    RoundTag,
}

/// The ids of a named writer with a minute prefix, with another layout of their tails.
pub(super) struct Retagged<G> {
    ids: G,
    order: Order,
}

impl<G: Generate<Id = Uuid>> Retagged<G> {
    pub(super) fn new(ids: G, order: Order) -> Self {
        Retagged { ids, order }
    }
}

impl<G: Generate<Id = Uuid>> Generate for Retagged<G> {
    type Id = Uuid;

    fn next_id(&mut self) -> Result<Uuid> {
        // prefix 16 | tag 12, round 16, offset 4 | version 4 | offset 12 | variant 2 | fraction 12 | counter 18 | random 32
        let (top, low) = self.ids.next_id()?.as_u64_pair();
        let prefix = top >> 48 << 48;
        let (tag, round) = (top >> 36 & 0xFFF, top >> 20 & 0xFFFF);
        let offset = (top >> 16 & 0xF) << 12 | top & 0xFFF;
        Ok(match self.order {
            Order::Untagged => {
                let fraction = low >> BEHIND_FRACTION & 0xFFF;
                let top = prefix | round << 32 | offset << OFFSET_BITS | 0x8000 | fraction;
                let low = VARIANT | (low & ((1 << BEHIND_FRACTION) - 1)) << 12 | tag;
                Uuid::from_u64_pair(top, low)
            }
            Order::RoundTag => {
                let number = round << 28 | tag << OFFSET_BITS | offset;
                Uuid::from_u64_pair(prefix | number >> 12 << 16 | 0x8000 | number & 0xFFF, low)
            }
        })
    }

    fn fill(&mut self, ids: &mut [Uuid]) -> Result<()> {
        ids.iter_mut().try_for_each(|id| self.next_id().map(|new| *id = new))
    }
}
