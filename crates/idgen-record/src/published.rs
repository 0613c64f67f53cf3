//! Figures that others have published.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The name of a published figure that no single run has: its seconds as a multiple of those of the first case of the
/// experiment, among those with the same number of clients and of rows in a statement.
pub const TIMES_FIRST: &str = "times_first";

/// Published figures of one strategy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The strategy that corresponds to it.
    pub strategy: String,
    /// A short description of the published run; may be empty.
    pub setting: String,
    /// The rows of the published run at its end. If a run of the lab has more, the figures of its end are
    /// taken from the window that reached this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// The clients that inserted in the published run. Only runs with the same number are compared with it.
    #[serde(default = "one")]
    pub writers: u32,
    /// Figures by the name of their metric, and [`TIMES_FIRST`].
    pub figures: BTreeMap<String, f64>,
    /// The tolerances of the figures, by the names of these. Only runs that are as large as the published
    /// one, on a server that the lab set up for it, have tolerances.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tolerances: BTreeMap<String, Tolerance>,
}

impl Published {
    /// The known ones of these figures of a run, each with its tolerance; `None` where nothing is known.
    pub fn of<const N: usize>(
        strategy: &str,
        figures: [(&str, Option<f64>, Option<Tolerance>); N],
    ) -> Option<Published> {
        let known = figures.iter().filter(|(_, value, _)| value.is_some());
        let tolerance =
            |(name, _, tolerance): &(&str, _, Option<Tolerance>)| Some(((*name).into(), (*tolerance)?));
        let published = Published {
            strategy: strategy.into(),
            setting: String::new(),
            rows: None,
            writers: 1,
            tolerances: known.clone().filter_map(tolerance).collect(),
            figures: known.filter_map(|(name, value, _)| Some(((*name).into(), (*value)?))).collect(),
        };
        (!published.figures.is_empty()).then_some(published)
    }
}

/// The largest distance of a measured figure from the published one at which the two agree: the share of the
/// published figure, but at least `least`.
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
    /// Returns whether the figure `here`, measured by the lab, is within the tolerance of the published one.
    pub fn allows(self, published: f64, here: f64) -> bool {
        (here - published).abs() <= (self.share * published.abs()).max(self.least)
    }
}

fn one() -> u32 {
    1
}
