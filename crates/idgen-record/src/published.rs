//! Figures that others have published.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What was published of one strategy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The strategy that is nearest to it.
    pub strategy: String,
    /// How it was, in a few words.
    pub setting: String,
    /// How many rows it had at the end. Where a run here has more, the figures of its end are taken from the
    /// window that reached this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// How many clients inserted: only a run with as many compares with it.
    #[serde(default = "one")]
    pub writers: u32,
    /// Figures by the name of their field in [`Totals`](crate::Totals).
    pub figures: BTreeMap<String, f64>,
}

fn one() -> u32 {
    1
}
