//! Reserved ids that turn out to be in the table with other UUIDs: an import put them there, or a hand.

use super::context::Context;
use crate::error::{Error, Result};
use crate::failure::Kind;
use crate::observe;
use crate::tables::unquoted;

/// After so many in a row the rest of what is held counts as taken too: an import covers whole ranges.
const IN_A_ROW: u32 = 8;

/// So many times in one call, each with ids reserved after the last, is no import but damage: the table's ids
/// run ahead of the state row, as after a restored backup.
const MOST_BLOCKS: u32 = 8;

/// The ids that one call passed over.
#[derive(Default)]
pub(super) struct TakenIds {
    count: u32,
}

impl TakenIds {
    /// Passes over an id, or over a batch of `count`, of which `id` is the smallest.
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
                "ids of {MOST_BLOCKS} blocks in a row, reserved one after the other, were in {map} already; set \
                 next_id in {state} above the largest id of {map}"
            );
            return Err(Error::new(Kind::Damaged { problem }));
        }
        context.blocks.discard(id);
        Ok(())
    }
}
