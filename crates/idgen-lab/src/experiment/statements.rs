//! Experiments that time statements on a server, rather than fill a table with keys.

use std::collections::BTreeMap;

use idgen_record::Tolerance;
use serde::Deserialize;

use super::{Scale, at};
use crate::{Error, Result};

/// An experiment of statements. `{n}` stands for the number of the scale in all of them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statements {
    /// Its name on the command line.
    pub id: String,
    /// What it answers.
    pub question: String,
    /// Statements before the first case.
    #[serde(default)]
    pub setup: Vec<String>,
    /// How often each case is run; the median counts.
    #[serde(default = "three")]
    pub runs: u32,
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
    /// The table whose file is surveyed afterwards.
    pub file: Option<File>,
}

/// A table whose file is of interest.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Its name.
    pub table: String,
    /// Bytes of its primary key, where the experiment is about the copies of it.
    pub key_bytes: Option<u32>,
    /// How full the leaf pages of the clustered index are, from 0 to 1, as published.
    pub published_fill: Option<f64>,
    /// The share of all storage that such keys took, from 0 to 1, as published.
    pub published_key_share: Option<f64>,
    /// How far these may be from what is measured here, at the full scale.
    pub tolerance: Option<Tolerance>,
}

fn three() -> u32 {
    3
}

impl Statements {
    /// This experiment with the number of a scale in place of `{n}`.
    ///
    /// # Errors
    /// Where the definition lacks the scale, or has no runs.
    pub fn at(mut self, scale: Scale) -> Result<Self> {
        if self.runs == 0 {
            return Err(Error::config(format!("the experiment {}: runs = 0, name at least one", self.id)));
        }
        let number = at(&self.scale, scale, &self.id)?.to_string();
        let fill = |text: &mut String| *text = text.replace("{n}", &number);
        self.setup.iter_mut().for_each(fill);
        for case in &mut self.cases {
            case.prepare.iter_mut().for_each(fill);
            fill(&mut case.sql);
            case.expects.as_mut().into_iter().for_each(fill);
            if let Some(file) = case.file.as_mut().filter(|_| scale != Scale::Full) {
                file.tolerance = None;
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Experiment, all};

    fn known() -> Vec<Statements> {
        let known = all().unwrap().into_iter().filter_map(|experiment| match experiment {
            Experiment::Statements(known) => Some(known),
            _ => None,
        });
        known.collect()
    }

    fn parse(text: &str) -> Result<Statements> {
        match Experiment::parse(&format!("mode = 'statements'\n{text}"))? {
            Experiment::Statements(experiment) => Ok(experiment),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_definition_has_its_scales_and_no_number_is_left_open() {
        for experiment in known() {
            for scale in [Scale::Ci, Scale::Default, Scale::Full] {
                let ready = experiment.clone().at(scale).unwrap();
                assert!(!format!("{ready:?}").contains("{n}"), "{}", ready.id);
                assert!(ready.cases.len() > 1);
            }
        }
    }

    #[test]
    fn what_cannot_be_run_is_refused() {
        let text = "id = 'x'\nquestion = '?'\n[scale]\nci = 1\n[[case]]\nname = 'a'\nsql = 'DO {n}'\n";
        assert_eq!(parse(text).unwrap().at(Scale::Ci).unwrap().cases[0].sql, "DO 1");
        let error = parse(text).unwrap().at(Scale::Full).unwrap_err();
        assert!(error.is_config() && error.to_string().contains("no scale full"), "{error}");
        let never = format!("runs = 0\n{text}");
        let error = parse(&never).unwrap().at(Scale::Ci).unwrap_err();
        assert!(error.is_config() && error.to_string().contains("runs = 0"), "{error}");
        assert!(parse(&format!("{text}file = {{ key_bytes = 36 }}")).is_err());
    }
}
