//! The settings of a sharded table.

use serde::Serialize;

use crate::error::{Error, Result};

/// The settings that decide where the rows of a table are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Settings {
    /// Nodes that accept writes.
    pub nodes: u32,
    /// A range of more bytes is split in its middle. `u64::MAX` where ranges are not split.
    pub split_bytes: u64,
    /// A range that gets a larger share of the inserts than this, 0 to 1, is split where its inserts are, if the engine does
    /// that and the split divides them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split_share: Option<f64>,
    /// Ranges of a new table, which divide all possible keys evenly.
    pub first_ranges: u64,
    /// The quantity that the balancer equalizes.
    pub balancer: Balancer,
    /// The balancer's choices among equal ranges are random. It makes them this many times, independently of each other, and
    /// the share of the hottest node is the mean of all.
    pub trials: u32,
}

/// The quantity that a balancer equalizes among the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Balancer {
    /// Nothing: ranges stay where they are.
    None,
    /// The number of ranges. Which of them move is random.
    Count,
    /// The number of ranges, and then the inserts since the last time.
    Load,
}

impl Settings {
    /// A table of one range that is split at 512 MiB, on so many nodes, whose ranges are balanced by their number.
    pub fn of_nodes(nodes: u32) -> Settings {
        Settings {
            nodes,
            split_bytes: 512 << 20,
            split_share: None,
            first_ranges: 1,
            balancer: Balancer::Count,
            trials: 16,
        }
    }

    /// Checks that a table can have these settings.
    ///
    /// # Errors
    /// A number is too small or too large.
    pub(crate) fn check(&self) -> Result<()> {
        if !(1..=MOST_NODES).contains(&self.nodes) {
            return Err(Error::setting("the number of nodes", self.nodes.into(), "1 to 1,000"));
        }
        if self.split_bytes < LEAST_BYTES {
            return Err(Error::setting("the size of a range", self.split_bytes, "at least 4,096 bytes"));
        }
        if !(1..=MOST_RANGES).contains(&self.first_ranges) {
            return Err(Error::setting("the number of first ranges", self.first_ranges, "1 to 65,536"));
        }
        if !(1..=MOST_NODES).contains(&self.trials) {
            return Err(Error::setting("the number of trials", self.trials.into(), "1 to 1,000"));
        }
        match self.split_share {
            Some(share) if !(0.001..=1.0).contains(&share) => {
                let percent = (share * 100.0) as u64;
                Err(Error::setting("the share of a range that is split, in %,", percent, "1 to 100"))
            }
            _ => Ok(()),
        }
    }
}

const MOST_NODES: u32 = 1_000;
const MOST_RANGES: u64 = 65_536;
/// A range of fewer bytes has too few rows for a prediction.
const LEAST_BYTES: u64 = 4_096;
