//! Reserved ids that the table already has with other UUIDs, because of an import or of a manual change.

use crate::call::observe;
use crate::claim::context::Context;
use crate::error::failure::Kind;
use crate::error::{Error, Result};
use crate::table::tables::unquoted;

/// After this many in a row, the rest of the held ids is discarded, too, because imports cover whole ranges.
const IN_A_ROW: u32 = 8;

/// If this happens this many times in one call, each time with newly reserved ids, the cause is damage and not an
/// import: the table's ids are ahead of the state row, as after a restored backup.
const MOST_BLOCKS: u32 = 8;

/// The ids that one call skipped.
#[derive(Default)]
pub(super) struct TakenIds {
    count: u32,
}

impl TakenIds {
    /// Returns true if so many ids were skipped that the caller should look for another cause.
    pub(super) fn are_many(&self) -> bool {
        self.count >= IN_A_ROW
    }

    /// Skips an id, or a batch of `count` ids of which `id` is the smallest.
    ///
    /// # Errors
    /// The map is damaged.
    pub(super) fn pass_over(&mut self, context: &Context, id: u64, count: usize) -> Result<()> {
        observe::burned(count as u64);
        self.count += 1;
        if !self.count.is_multiple_of(IN_A_ROW) {
            return Ok(());
        }
        if self.count >= IN_A_ROW * MOST_BLOCKS {
            let (map, state) = (unquoted(&context.tables.map), &context.tables.state);
            let problem = format!(
                "ids of {MOST_BLOCKS} blocks in a row, reserved one after the other, were in {map} already, so next_id in {state} \
                 is behind them: call repair (idgen map repair), or, if the map was restored from a backup, fence (idgen map \
                 fence) with an id above every id that was ever assigned"
            );
            return Err(Error::new(Kind::Damaged { problem }));
        }
        context.blocks.discard(id);
        Ok(())
    }
}
