//! Other layouts of a named writer's tail, kept for comparison. idgen does not make them.

use idgen::generator::Generate;
use idgen::{Result, Uuid};

const RANDOM: u64 = (1 << 28) - 1;
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
        // prefix 16 | tag 12, round 16, offset 4 | version 4 | offset 12 | variant 2 | pad 6 | counter 28 | random 28
        let (top, low) = self.ids.next_id()?.as_u64_pair();
        let prefix = top >> 48 << 48;
        let (tag, round) = (top >> 36 & 0xFFF, top >> 20 & 0xFFFF);
        let offset = (top >> 16 & 0xF) << 12 | top & 0xFFF;
        Ok(match self.order {
            Order::Untagged => {
                let counter = low >> 28 & ((1 << 28) - 1);
                let top = prefix | round << 32 | offset << OFFSET_BITS | 0x8000 | counter >> 16;
                let low = low >> 56 << 56 | (counter & 0xFFFF) << 40 | (low & RANDOM) << 12 | tag;
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
