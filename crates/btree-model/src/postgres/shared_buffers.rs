//! The shared buffers with those who write them: clients, the background writer and checkpoints.

use serde::Serialize;

use super::background::Background;
use super::checkpoint::Checkpoint;
use super::clock::Buffers;
use crate::error::{Error, Result};
use crate::nbtree_page::PAGE_BYTES;
use crate::pool::Counters;

/// A server's settings, as far as they decide which pages it reads and writes.
///
/// ```
/// let buffers = btree_model::SharedBuffers::new(128 << 20);
/// assert_eq!((buffers.background_pages, buffers.background_delay_ms), (100, 200.0));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharedBuffers {
    /// `shared_buffers`, in bytes.
    pub bytes: u64,
    /// `bgwriter_lru_maxpages`: pages that the background writer writes in a round, at most; 0 turns it off.
    pub background_pages: u32,
    /// `bgwriter_delay`: milliseconds between two rounds.
    pub background_delay_ms: f64,
    /// `checkpoint_completion_target`: the part of the time until the next checkpoint over which one spreads its writes; 0 for all at
    /// once.
    pub checkpoint_target: f64,
}

impl SharedBuffers {
    /// Shared buffers of this size on a server of PostgreSQL 16 to 18 with default settings.
    pub fn new(bytes: u64) -> SharedBuffers {
        SharedBuffers { bytes, background_pages: 100, background_delay_ms: 200.0, checkpoint_target: 0.9 }
    }

    /// Checks that a server could have them, without allocating memory, and returns their number.
    ///
    /// # Errors
    /// There are too few or too many of them, or they have no rounds.
    pub fn check(&self) -> Result<u32> {
        /// A server starts with 16 (the minimum of `shared_buffers`), and a tree of three levels needs more.
        const LEAST: u64 = 64;
        let frames = self.bytes / u64::from(PAGE_BYTES);
        if frames < LEAST {
            return Err(Error::pool_size(self.bytes, frames, LEAST));
        }
        if !(self.background_delay_ms.is_finite() && self.background_delay_ms > 0.0) {
            return Err(Error::setting(
                "the delay of the background writer",
                self.background_delay_ms,
                "milliseconds above 0",
            ));
        }
        if !(0.0..=1.0).contains(&self.checkpoint_target) {
            return Err(Error::setting(
                "the completion target of checkpoints",
                self.checkpoint_target,
                "a part from 0 to 1",
            ));
        }
        u32::try_from(frames).ok().filter(|frames| *frames < 1 << 31).ok_or_else(|| {
            Error::setting(
                "the size of the shared buffers",
                self.bytes,
                "fewer than 2^31 pages of 8192 bytes",
            )
        })
    }
}

/// The shared buffers under the load of one table.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) buffers: Buffers,
    background: Background,
    checkpoint: Checkpoint,
    checkpoint_target: f64,
    inserts: u64,
}

impl Memory {
    /// Empty buffers. `rate` is inserts a second.
    pub(super) fn new(settings: &SharedBuffers, rate: f64) -> Result<Self> {
        let buffers = Buffers::new(settings.check()?);
        if !(rate.is_finite() && rate > 0.0) {
            return Err(Error::setting("the rate", rate, "inserts per second above 0"));
        }
        let every = rate * settings.background_delay_ms / 1_000.0;
        Ok(Memory {
            buffers,
            background: Background::new(settings.background_pages, every),
            checkpoint: Checkpoint::none(),
            checkpoint_target: settings.checkpoint_target,
            inserts: 0,
        })
    }

    /// Advances the time by one insert.
    pub(super) fn tick(&mut self) {
        self.inserts += 1;
        self.background.work(&mut self.buffers, self.inserts);
        self.checkpoint.work(&mut self.buffers, self.inserts);
    }

    /// Begins a checkpoint. The next one begins after this many inserts.
    pub(super) fn begin_checkpoint(&mut self, next_after: u64) {
        let spread = (next_after as f64 * self.checkpoint_target) as u64;
        self.checkpoint.begin(&mut self.buffers, self.inserts, spread);
    }

    /// Returns the pages read, written and created since the last call.
    pub(super) fn count(&mut self) -> Counters {
        std::mem::take(&mut self.buffers.counters)
    }
}
