//! Experiments that time statements on a server instead of filling a table with keys.

use std::collections::BTreeMap;

use idgen_record::{Database, Published, TIMES_FIRST, Tolerance};
use serde::Deserialize;

use super::{Scale, at};
use crate::{Error, Result};

/// An experiment of statements. In all of them, `{n}` stands for the number of the scale.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statements {
    /// The name on the command line.
    pub id: String,
    /// The question that it answers.
    pub question: String,
    /// Statements that run before the first case.
    #[serde(default)]
    pub setup: Vec<String>,
    /// The number of runs of each case; the median counts.
    #[serde(default = "three")]
    pub runs: u32,
    scale: BTreeMap<Scale, u64>,
    /// The cases to compare; the others are compared with the first one.
    #[serde(rename = "case")]
    pub cases: Vec<Case>,
    /// The statements in the SQL of PostgreSQL; `None` if PostgreSQL cannot answer the question.
    postgres: Option<Dialect>,
}

/// The statements of an experiment in another dialect of SQL.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dialect {
    /// See [`Statements::setup`].
    #[serde(default)]
    setup: Vec<String>,
    /// See [`Statements::cases`].
    #[serde(rename = "case")]
    cases: Vec<Case>,
}

/// A case of the comparison.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The name of the case, in a few words.
    pub name: String,
    /// Statements that run before each run and are not timed.
    #[serde(default)]
    pub prepare: Vec<String>,
    /// The statement that is timed.
    pub sql: String,
    /// A statement that returns one number afterwards.
    pub check: Option<String>,
    /// The expected number; if absent, the number is only shown.
    pub expects: Option<String>,
    /// Seconds at full scale, as published.
    pub published_secs: Option<f64>,
    /// The table whose file is surveyed afterwards.
    pub file: Option<File>,
}

/// A table whose file is surveyed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// The name of the table.
    pub table: String,
    /// Bytes of its primary key, if the experiment is about the copies of the key.
    pub key_bytes: Option<u32>,
    /// The published page fill of the leaf pages of the clustered index, from 0 to 1.
    pub published_fill: Option<f64>,
    /// The share of all storage that such keys took, from 0 to 1, as published.
    pub published_key_share: Option<f64>,
    /// The tolerance of the page fill and of the share of the keys.
    pub tolerance: Option<Tolerance>,
}

/// The servers for which every experiment has statements.
pub(super) const MYSQL: &[Database] = &[Database::MySql, Database::MariaDb];

fn three() -> u32 {
    3
}

impl Statements {
    /// Returns whether the cases may be successive steps on one table, which then run in the order of the
    /// definition: some of them survey its file.
    pub fn is_in_steps(&self) -> bool {
        self.cases.iter().any(|case| case.file.is_some())
    }

    /// The servers for which it has statements.
    pub fn servers(&self) -> &'static [Database] {
        const ALL: &[Database] = &[Database::MySql, Database::MariaDb, Database::Postgres];
        if self.postgres.is_some() { ALL } else { MYSQL }
    }

    /// The published figures of its cases.
    pub fn published(&self) -> Vec<Published> {
        let first = self.cases.first().and_then(|case| case.published_secs);
        let of_case = |(number, case): (usize, &Case)| {
            let times =
                case.published_secs.zip(first).filter(|_| number > 0).map(|(secs, first)| secs / first);
            let file = case.file.as_ref();
            let tolerance = file.and_then(|file| file.tolerance);
            let figures = [
                ("secs", case.published_secs, None),
                (TIMES_FIRST, times, None),
                ("fill_mean", file.and_then(|file| file.published_fill), tolerance),
                ("key_share", file.and_then(|file| file.published_key_share), tolerance),
            ];
            Published::of(&case.name, figures)
        };
        self.cases.iter().enumerate().filter_map(of_case).collect()
    }

    /// This experiment with the statements for a database, and with the number of a scale instead of `{n}`.
    ///
    /// # Errors
    /// The definition has no statements for the database, lacks the scale, or has no runs.
    pub fn at(mut self, scale: Scale, database: Database) -> Result<Self> {
        if !self.servers().contains(&database) {
            return Err(Error::config(format!(
                "the experiment {} has no statements for {database}",
                self.id
            )));
        }
        let dialect = self.postgres.take();
        if let Some(Dialect { setup, cases }) = dialect.filter(|_| database == Database::Postgres) {
            self.setup = setup;
            self.cases = cases;
        }
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
    fn every_definition_has_its_scales_and_no_placeholder_is_left() {
        for experiment in known() {
            for scale in [Scale::Ci, Scale::Default, Scale::Full] {
                for database in experiment.servers() {
                    let ready = experiment.clone().at(scale, *database).unwrap();
                    assert!(!format!("{ready:?}").contains("{n}"), "{}", ready.id);
                    assert!(ready.cases.len() > 1);
                }
            }
        }
    }

    #[test]
    fn definitions_that_cannot_be_run_are_refused() {
        let text = "id = 'x'\nquestion = '?'\n[scale]\nci = 1\n[[case]]\nname = 'a'\nsql = 'DO {n}'\n";
        let at = |text: &str, scale| parse(text).unwrap().at(scale, Database::MySql);
        assert_eq!(at(text, Scale::Ci).unwrap().cases[0].sql, "DO 1");
        let error = at(text, Scale::Full).unwrap_err();
        assert!(error.is_config() && error.to_string().contains("no scale full"), "{error}");
        let never = format!("runs = 0\n{text}");
        let error = at(&never, Scale::Ci).unwrap_err();
        assert!(error.is_config() && error.to_string().contains("runs = 0"), "{error}");
        assert!(parse(&format!("{text}file = {{ key_bytes = 36 }}")).is_err());
    }

    #[test]
    fn each_database_gets_its_own_statements() {
        let text = "id = 'x'\nquestion = '?'\nsetup = ['DO 0']\n[scale]\nci = 1\n[[case]]\nname = 'a'\nsql = 'DO {n}'\n";
        let error = parse(text).unwrap().at(Scale::Ci, Database::Postgres).unwrap_err();
        assert!(error.is_config() && error.to_string().contains("no statements for PostgreSQL"), "{error}");
        let both = format!("{text}[[postgres.case]]\nname = 'b'\nsql = 'SELECT {{n}}'\n");
        for (database, setup, sql) in [(Database::MariaDb, 1, "DO 1"), (Database::Postgres, 0, "SELECT 1")] {
            let ready = parse(&both).unwrap().at(Scale::Ci, database).unwrap();
            assert_eq!((ready.setup.len(), ready.cases.len(), ready.cases[0].sql.as_str()), (setup, 1, sql));
        }
        assert!(parse(&both).unwrap().at(Scale::Ci, Database::Sqlite).unwrap_err().is_config());
    }
}
