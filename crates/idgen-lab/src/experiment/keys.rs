//! Experiments that fill tables with keys.

use std::collections::BTreeMap;

use idgen_record::{Database, Existing, Mix, Published, Tolerance, Workload};
use serde::Deserialize;

use super::{Scale, at};
use crate::strategy::{self, Strategy};
use crate::{Error, Result};

/// An experiment that fills tables with keys.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// The name on the command line.
    pub id: String,
    /// The question that it answers.
    pub question: String,
    /// The only database that supports it, by its name on the command line; if absent, all databases do.
    #[serde(default)]
    only_on: Option<String>,
    /// The names of the strategies to compare.
    strategies: Vec<String>,
    scale: BTreeMap<Scale, Load>,
    /// The published figures.
    #[serde(default)]
    published: Vec<Published>,
    /// The tolerance of each figure at the full scale.
    #[serde(default)]
    tolerance: BTreeMap<String, Tolerance>,
}

/// The load of one scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Load {
    rows: u64,
    cache_mib: u64,
    statement_rows: u32,
    /// The reads per second, and also the writes per second, that the disk allows; see [`Workload::iops`].
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
    /// See [`Workload::payload_bytes`]. If absent, the table has key columns only, as published.
    #[serde(default)]
    payload_bytes: u32,
    /// See [`Workload::existing`].
    #[serde(default)]
    existing: Option<Existing>,
    /// See [`Workload::mix`].
    #[serde(default)]
    mix: Option<Mix>,
    /// See [`Workload::serializable`].
    #[serde(default)]
    serializable: bool,
}

fn one() -> u32 {
    1
}

impl Keys {
    /// The strategies to compare.
    ///
    /// # Errors
    /// The definition names a strategy that does not exist.
    pub fn strategies(&self) -> Result<Vec<&'static Strategy>> {
        self.strategies.iter().map(|name| strategy::find(name)).collect()
    }

    /// The only database that supports it; `None` if all do.
    ///
    /// # Errors
    /// The definition names a database that does not exist.
    pub fn only_on(&self) -> Result<Option<Database>> {
        let Some(name) = &self.only_on else { return Ok(None) };
        match Database::with_id(name) {
            None => Err(Error::config(format!("{} is only for {name}, which is not a database", self.id))),
            database => Ok(database),
        }
    }

    /// The published figures of runs with this number of writers.
    pub fn published(&self, writers: u32) -> Vec<Published> {
        self.published.iter().filter(|published| published.writers == writers).cloned().collect()
    }

    /// The published figures of runs with this number of writers, with the tolerances that decide whether a
    /// run at the full scale meets them.
    pub fn judged(&self, writers: u32) -> Vec<Published> {
        let mut published = self.published(writers);
        for published in &mut published {
            let of_figures =
                |(name, _): &(&String, &f64)| Some(((*name).clone(), *self.tolerance.get(*name)?));
            published.tolerances =
                published.figures.iter().filter_map(|figure| of_figures(&figure)).collect();
        }
        published
    }

    /// Returns whether the experiment repeats a published one.
    pub(super) fn is_published(&self) -> bool {
        !self.published.is_empty()
    }

    /// The load at this scale.
    ///
    /// # Errors
    /// The definition lacks the scale, or its load cannot be run.
    pub fn workload(&self, scale: Scale) -> Result<Workload> {
        let load = at(&self.scale, scale, &self.id)?;
        let defaults = Workload::of_rows(load.rows)?;
        Ok(Workload {
            payload_bytes: load.payload_bytes,
            statement_rows: load.statement_rows,
            cache_bytes: Some(load.cache_mib << 20),
            iops: load.iops,
            late_writes: load.late_writes,
            existing: load.existing,
            mix: load.mix,
            serializable: load.serializable,
            intervals: load.minutes.unwrap_or(defaults.intervals),
            ..defaults.with_writers(load.writers)?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Experiment, all};
    use idgen_record::Metric;

    fn keys() -> Vec<Keys> {
        let keys = all().unwrap().into_iter().filter_map(|experiment| match experiment {
            Experiment::Keys(keys) => Some(keys),
            _ => None,
        });
        keys.collect()
    }

    #[test]
    fn every_definition_can_be_run_and_compared() {
        for experiment in keys() {
            let strategies = experiment.strategies().unwrap();
            for database in
                Database::ALL.iter().filter(|database| experiment.only_on().unwrap() == Some(**database))
            {
                assert!(
                    strategies.iter().all(|strategy| strategy.check(*database).is_ok()),
                    "{}",
                    experiment.id
                );
            }
            let mut rows = 0;
            for scale in [Scale::Ci, Scale::Default, Scale::Full] {
                let load = experiment.workload(scale).unwrap();
                assert!(load.rows >= rows, "{} {scale}", experiment.id);
                for strategy in &strategies {
                    crate::runner::check_existing(strategy, &load).unwrap();
                    crate::runner::check_mix(strategy, &load).unwrap();
                }
                rows = load.rows;
            }
            for published in &experiment.judged(1) {
                assert_eq!(
                    published.tolerances.len(),
                    published.figures.len(),
                    "{}: {published:?}",
                    experiment.id
                );
                assert!(strategies.iter().any(|strategy| strategy.name == published.strategy));
                assert!(published.figures.keys().all(|name| Metric::named(name).is_some()), "{published:?}");
            }
        }
    }
}
