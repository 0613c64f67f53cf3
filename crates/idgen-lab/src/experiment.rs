//! The classic experiments: a question, a load at three scales, what was published, what we make of it.
//!
//! Each is a TOML file of this crate, read when it is asked for.

mod differs;
mod loads;
mod revisits;
mod statements;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use idgen_record::{Published, Workload};

use crate::strategy::{self, Strategy};
use crate::{Error, Result};

pub use differs::differs;
pub use loads::{Loads, ReadyLoad, all as all_loads};
pub use revisits::{Revisits, all as all_revisits};
pub use statements::{Case, File, Statements, all as all_statements};

/// One experiment.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its name on the command line.
    pub id: String,
    /// What it answers.
    pub question: String,
    /// What is compared, by name.
    strategies: Vec<String>,
    /// What we make of it.
    pub analysis: String,
    scale: BTreeMap<Scale, Load>,
    /// What was published.
    #[serde(default)]
    published: Vec<Published>,
}

/// How large an experiment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Seconds: shows that it runs, and the order of the strategies.
    Ci,
    /// Minutes: the table is many times the pool.
    Default,
    /// As published.
    Full,
}

/// The load of one scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Load {
    rows: u64,
    cache_mib: u64,
    statement_rows: u32,
    /// Reads, and as many writes, a second that the disk gives; see [`Workload::iops`].
    #[serde(default)]
    iops: Option<u32>,
    /// Simulated minutes; see [`Workload::intervals`].
    #[serde(default)]
    minutes: Option<u32>,
    /// See [`Workload::late_writes`].
    #[serde(default)]
    late_writes: bool,
    #[serde(default = "one")]
    writers: u32,
}

fn one() -> u32 {
    1
}

const SOURCES: [&str; 4] = [
    include_str!("../experiments/uuid-representation.toml"),
    include_str!("../experiments/uuid-order.toml"),
    include_str!("../experiments/uuid-mapping.toml"),
    include_str!("../experiments/device-ids.toml"),
];

/// The experiments that fill tables with keys.
///
/// # Errors
/// Where a definition is wrong, which the tests rule out.
pub fn all() -> Result<Vec<Experiment>> {
    SOURCES
        .iter()
        .map(|text| {
            toml::from_str(text).map_err(|error| Error::input("an experiment's definition is wrong", error))
        })
        .collect()
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Named {
    /// Keys fill tables.
    Keys(Experiment),
    /// Statements are timed, on a server.
    Statements(Statements),
    /// Several clients load tables at once, on a server.
    Loads(Loads),
    /// Keys fill tables whose buckets are visited again and again.
    Revisits(Revisits),
}

impl Named {
    /// Its name on the command line.
    pub fn id(&self) -> &str {
        match self {
            Named::Keys(experiment) => &experiment.id,
            Named::Statements(experiment) => &experiment.id,
            Named::Loads(experiment) => &experiment.id,
            Named::Revisits(experiment) => &experiment.id,
        }
    }

    /// What it answers.
    pub fn question(&self) -> &str {
        match self {
            Named::Keys(experiment) => &experiment.question,
            Named::Statements(experiment) => &experiment.question,
            Named::Loads(experiment) => &experiment.question,
            Named::Revisits(experiment) => &experiment.question,
        }
    }
}

/// All experiments of all forms, in the order in which they are listed.
///
/// # Errors
/// Where a definition is wrong, which the tests rule out.
pub fn named() -> Result<Vec<Named>> {
    let keys = all()?.into_iter().map(Named::Keys);
    let statements = all_statements()?.into_iter().map(Named::Statements);
    let loads = all_loads()?.into_iter().map(Named::Loads);
    let revisits = all_revisits()?.into_iter().map(Named::Revisits);
    Ok(keys.chain(revisits).chain(statements).chain(loads).collect())
}

/// The experiment with this id.
///
/// # Errors
/// Where there is none: the message lists those there are.
///
/// ```
/// let experiment = idgen_lab::experiment::find("uuid-order")?;
/// assert!(experiment.question().ends_with('?'));
/// assert!(idgen_lab::experiment::find("uuid-odor").unwrap_err().to_string().contains("uuid-order"));
/// # Ok::<(), idgen_lab::Error>(())
/// ```
pub fn find(id: &str) -> Result<Named> {
    let all = named()?;
    let ids: Vec<_> = all.iter().map(|experiment| experiment.id().to_owned()).collect();
    all.into_iter()
        .find(|experiment| experiment.id() == id)
        .ok_or_else(|| Error::config(format!("no experiment \"{id}\": choose from {}", ids.join(", "))))
}

impl Experiment {
    /// What is compared.
    ///
    /// # Errors
    /// Where the definition names a strategy that does not exist.
    pub fn strategies(&self) -> Result<Vec<&'static Strategy>> {
        self.strategies.iter().map(|name| strategy::find(name)).collect()
    }

    /// What was published of runs with as many writers.
    pub fn published(&self, writers: u32) -> Vec<Published> {
        self.published.iter().filter(|published| published.writers == writers).cloned().collect()
    }

    /// The load at this scale: key columns alone, as published.
    ///
    /// # Errors
    /// Where the definition lacks the scale or has a load that cannot be run.
    pub fn workload(&self, scale: Scale) -> Result<Workload> {
        let load = self
            .scale
            .get(&scale)
            .ok_or_else(|| Error::config(format!("the experiment {} has no scale {scale:?}", self.id)))?;
        let defaults = Workload::of_rows(load.rows)?;
        Ok(Workload {
            payload_bytes: 0,
            statement_rows: load.statement_rows,
            cache_bytes: Some(load.cache_mib << 20),
            iops: load.iops,
            late_writes: load.late_writes,
            intervals: load.minutes.unwrap_or(defaults.intervals),
            ..defaults.with_writers(load.writers)?
        })
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use idgen_record::Metric;

    #[test]
    fn every_definition_can_be_run_and_compared() {
        for experiment in all().unwrap() {
            let strategies = experiment.strategies().unwrap();
            let mut rows = 0;
            for scale in [Scale::Ci, Scale::Default, Scale::Full] {
                let load = experiment.workload(scale).unwrap();
                assert!(load.rows >= rows, "{} {scale}", experiment.id);
                rows = load.rows;
            }
            for published in &experiment.published {
                assert!(strategies.iter().any(|strategy| strategy.name == published.strategy));
                assert!(published.figures.keys().all(|name| Metric::named(name).is_some()), "{published:?}");
            }
        }
    }
}
