//! The counters of a load that was recorded, a line of JSON for each run, as rig/hbase prints them too.

use serde::{Deserialize, Serialize};

/// For each of 50 parts of a run. What HBase calls a region and a server are both a shard in Vitess.
#[derive(Clone, Default, Deserialize, Serialize)]
pub struct Recorded {
    pub load: String,
    pub rows: Vec<u64>,
    pub hottest_region: Vec<u64>,
    /// The rows of each server, the largest number first.
    pub servers: Vec<Vec<u64>>,
    pub regions: Vec<u64>,
    pub regions_per_statement: Vec<f64>,
}
