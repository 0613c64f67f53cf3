//! Figures that others have published.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What was published of one strategy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The strategy that corresponds to it.
    pub strategy: String,
    /// A short description of the published run.
    pub setting: String,
    /// How many rows it had at the end. Where a run here has more, the figures of its end are taken from the
    /// window that reached this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// How many clients inserted. Only runs with the same number are compared with it.
    #[serde(default = "one")]
    pub writers: u32,
    /// Figures by the name of their field in [`Totals`](crate::Totals).
    pub figures: BTreeMap<String, f64>,
    /// How far the figures of the same name may be from the published ones. Only runs that are as large as the published
    /// one, on a server that the lab set up for it, have tolerances.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tolerances: BTreeMap<String, Tolerance>,
}

/// How far a figure may be from the published one.
///
/// ```
/// let tolerance = idgen_record::Tolerance { share: 0.25, least: 2.0 };
/// assert!(tolerance.allows(200.0, 249.0) && !tolerance.allows(200.0, 251.0));
/// assert!(tolerance.allows(0.0, 1.9) && !tolerance.allows(0.0, 2.1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// A share of the published figure.
    pub share: f64,
    /// The smallest tolerance, in the unit of the figure.
    #[serde(default)]
    pub least: f64,
}

impl Tolerance {
    /// Whether the figure measured here meets the published one.
    pub fn allows(self, published: f64, here: f64) -> bool {
        (here - published).abs() <= (self.share * published.abs()).max(self.least)
    }
}

fn one() -> u32 {
    1
}
