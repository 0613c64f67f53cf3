//! Experiments that time statements on a server, rather than fill a table with keys.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Scale;
use crate::{Error, Result};

/// An experiment of statements. `{n}` stands for the number of the scale in all of them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statements {
    /// Its name on the command line.
    pub id: String,
    /// What it answers.
    pub question: String,
    /// What we make of it.
    pub analysis: String,
    /// Statements before the first case.
    #[serde(default)]
    pub setup: Vec<String>,
    scale: BTreeMap<Scale, u64>,
    /// What is compared; the others are set against the first.
    #[serde(rename = "case")]
    pub cases: Vec<Case>,
}

/// One thing that is compared.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// In a few words.
    pub name: String,
    /// Statements before each run, not timed.
    #[serde(default)]
    pub prepare: Vec<String>,
    /// The statement that is timed.
    pub sql: String,
    /// A statement that gives one number afterwards.
    pub check: Option<String>,
    /// What that number must be; where this is absent it is shown as found.
    pub expects: Option<String>,
    /// Seconds at full scale, as published.
    pub published_secs: Option<f64>,
}

/// One case that was run and checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// In a few words.
    pub name: String,
    /// The statement that was timed.
    pub sql: String,
    /// Seconds: the median of the runs.
    pub secs: f64,
    /// Seconds of each run.
    pub runs: Vec<f64>,
    /// The number that the check gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<String>,
    /// Seconds as published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_secs: Option<f64>,
}

const SOURCES: [&str; 3] = [
    include_str!("../../experiments/statements/key-comparison.toml"),
    include_str!("../../experiments/statements/partitions.toml"),
    include_str!("../../experiments/statements/function-calls.toml"),
];

/// All experiments of statements.
///
/// # Errors
/// Where a definition is wrong, which the tests rule out.
pub fn all() -> Result<Vec<Statements>> {
    SOURCES
        .iter()
        .map(|text| {
            toml::from_str(text).map_err(|error| Error::input("an experiment's definition is wrong", error))
        })
        .collect()
}

impl Statements {
    /// This experiment with the number of a scale in place of `{n}`.
    ///
    /// # Errors
    /// Where the definition lacks the scale.
    pub fn at(mut self, scale: Scale) -> Result<Self> {
        let number = self
            .scale
            .get(&scale)
            .ok_or_else(|| Error::config(format!("the experiment {} has no scale {scale}", self.id)))?
            .to_string();
        let fill = |text: &mut String| *text = text.replace("{n}", &number);
        self.setup.iter_mut().for_each(fill);
        for case in &mut self.cases {
            case.prepare.iter_mut().for_each(fill);
            fill(&mut case.sql);
            case.expects.as_mut().into_iter().for_each(fill);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_definition_has_its_scales_and_no_number_is_left_open() {
        for experiment in all().unwrap() {
            for scale in [Scale::Ci, Scale::Default, Scale::Full] {
                let ready = experiment.clone().at(scale).unwrap();
                assert!(!format!("{ready:?}").contains("{n}"), "{}", ready.id);
                assert!(ready.cases.len() > 1);
            }
        }
    }
}
