//! The experiments: each has a question, a load at three scales, and the published figures, if there are any.
//!
//! Each experiment is a TOML file in this crate, parsed when it is requested.

mod differs;
mod keys;
mod loads;
mod statements;

use std::collections::BTreeMap;

use idgen_record::Database;
use serde::{Deserialize, Serialize};

use crate::unknown::unknown;
use crate::{Error, Result};

pub(crate) use differs::differs;
pub use keys::Keys;
pub use loads::{Loads, ReadyLoad};
pub use statements::{Case, File, Statements};

/// An experiment; `mode` in its definition selects the form. All forms have a name on the command line and a
/// question that they answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "mode", rename_all = "lowercase")]
pub enum Experiment {
    /// Fills tables with keys.
    Keys(Keys),
    /// Times statements on a server.
    Statements(Statements),
    /// Lets several clients load tables at once, on a server.
    Loads(Loads),
}

/// The definitions, in the order in which they are listed.
const SOURCES: [&str; 17] = [
    include_str!("../experiments/uuid-representation.toml"),
    include_str!("../experiments/uuid-order.toml"),
    include_str!("../experiments/uuid-mapping.toml"),
    include_str!("../experiments/device-ids.toml"),
    include_str!("../experiments/switch.toml"),
    include_str!("../experiments/switch-integers.toml"),
    include_str!("../experiments/mixed.toml"),
    include_str!("../experiments/wal-volume.toml"),
    include_str!("../experiments/serializable.toml"),
    include_str!("../experiments/key-comparison.toml"),
    include_str!("../experiments/partitions.toml"),
    include_str!("../experiments/function-calls.toml"),
    include_str!("../experiments/rebuild.toml"),
    include_str!("../experiments/storage-amplification.toml"),
    include_str!("../experiments/no-primary-key.toml"),
    include_str!("../experiments/auto-increment.toml"),
    include_str!("../experiments/myisam-key-cache.toml"),
];

/// All experiments, in the order in which they are listed.
///
/// # Errors
/// A definition is wrong; the tests make sure that none is.
pub fn all() -> Result<Vec<Experiment>> {
    SOURCES.iter().map(|text| Experiment::parse(text)).collect()
}

impl Experiment {
    /// Parses a definition.
    ///
    /// # Errors
    /// The text is not TOML of one of these forms.
    pub fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).map_err(|error| Error::input("an experiment's definition is wrong", error))
    }

    /// The name on the command line.
    pub fn id(&self) -> &str {
        match self {
            Experiment::Keys(experiment) => &experiment.id,
            Experiment::Statements(experiment) => &experiment.id,
            Experiment::Loads(experiment) => &experiment.id,
        }
    }

    /// The question that it answers.
    pub fn question(&self) -> &str {
        match self {
            Experiment::Keys(experiment) => &experiment.question,
            Experiment::Statements(experiment) => &experiment.question,
            Experiment::Loads(experiment) => &experiment.question,
        }
    }

    /// The servers for which it has statements of its own; empty if the lab makes the statements for any database.
    pub fn servers(&self) -> &'static [Database] {
        match self {
            Experiment::Statements(experiment) => experiment.servers(),
            Experiment::Loads(_) => statements::MYSQL,
            Experiment::Keys(_) => &[],
        }
    }
}

/// The experiment with this id.
///
/// # Errors
/// There is none: the message lists the existing ones.
///
/// ```
/// let experiment = idgen_lab::experiment::find("uuid-order")?;
/// assert!(experiment.question().ends_with('?'));
/// assert!(idgen_lab::experiment::find("uuid-odor").unwrap_err().to_string().contains("uuid-order"));
/// # Ok::<(), idgen_lab::Error>(())
/// ```
pub fn find(id: &str) -> Result<Experiment> {
    let mut all = all()?;
    match all.iter().position(|experiment| experiment.id() == id) {
        Some(place) => Ok(all.swap_remove(place)),
        None => {
            let ids: Vec<_> = all.iter().map(Experiment::id).collect();
            Err(unknown("experiment", id, &ids))
        }
    }
}

/// The size of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Takes seconds: shows that the experiment works, and the order of the strategies.
    Ci,
    /// Takes minutes: the table is many times larger than the pool.
    Default,
    /// The size of the published runs.
    Full,
}

impl std::str::FromStr for Scale {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "ci" => Ok(Scale::Ci),
            "default" => Ok(Scale::Default),
            "full" => Ok(Scale::Full),
            _ => Err(Error::config(format!("no scale \"{text}\": choose from ci, default, full"))),
        }
    }
}

impl std::fmt::Display for Scale {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Scale::Ci => "ci",
            Scale::Default => "default",
            Scale::Full => "full",
        })
    }
}

/// The part of a definition for this scale.
fn at<'a, T>(scales: &'a BTreeMap<Scale, T>, scale: Scale, id: &str) -> Result<&'a T> {
    scales.get(&scale).ok_or_else(|| Error::config(format!("the experiment {id} has no scale {scale}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_without_mode_or_with_unknown_fields_is_refused() {
        let text = SOURCES[0];
        for (given, instead, says) in [
            ("mode = \"keys\"\n", "", "mode"),
            ("\"keys\"", "\"locks\"", "locks"),
            ("question", "questions", "questions"),
        ] {
            let wrong = text.replacen(given, instead, 1);
            assert_ne!(wrong, text);
            let error = Experiment::parse(&wrong).unwrap_err();
            let cause = std::error::Error::source(&error).unwrap().to_string();
            assert!(cause.contains(says), "{cause}");
        }
    }
}
