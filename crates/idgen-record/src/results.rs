//! The file that holds the runs of one command.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{CaseRecord, EngineInfo, Machine, Protocol, Published, RunRecord, Workload};

/// All runs of one command, as `results.json` holds them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The version of this form; readers refuse another.
    pub format: u32,
    /// The question that the runs answer.
    pub question: String,
    /// The command that made them.
    pub command: String,
    /// The version of this library.
    pub idgen_version: String,
    /// When the first run began: RFC 3339, UTC.
    pub started: String,
    /// Where they ran.
    pub machine: Machine,
    /// Which database measured.
    pub engine: EngineInfo,
    /// What was inserted.
    pub workload: Workload,
    /// The server's settings, where statements were timed; each run has its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// How often and in which order the runs were made. Records of before have none: one run each, in the order of
    /// `runs`; cases with as many runs as each has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
    /// True where the user stopped before the last run.
    pub interrupted: bool,
    /// What was published of this question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Published>,
    /// In what the runs differ from those of the experiment's definition, and what was left out. Records of before have their
    /// author's conclusions here.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub analysis: String,
    /// The runs that were finished and verified.
    pub runs: Vec<RunRecord>,
    /// The statements that were timed and checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<CaseRecord>,
    /// The runs that failed: no figures of theirs are shown anywhere.
    pub failures: Vec<Failure>,
}

/// A run without result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The strategy's name.
    pub strategy: String,
    /// Why.
    pub error: String,
}

impl Results {
    /// The version of the file's form that this library writes and reads.
    pub const FORMAT: u32 = 1;

    /// No runs yet, of this machine, begun at this time: RFC 3339, UTC.
    pub fn new(
        question: &str,
        command: &str,
        engine: EngineInfo,
        workload: Workload,
        machine: Machine,
        started: String,
    ) -> Self {
        Results {
            format: Self::FORMAT,
            question: question.into(),
            command: command.into(),
            idgen_version: env!("CARGO_PKG_VERSION").into(),
            started,
            machine,
            engine,
            workload,
            settings: BTreeMap::new(),
            protocol: None,
            interrupted: false,
            published: Vec::new(),
            analysis: String::new(),
            runs: Vec::new(),
            cases: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Whether statements were timed, rather than keys compared; also where none of them was finished.
    pub fn times_statements(&self) -> bool {
        !self.cases.is_empty() || !self.settings.is_empty()
    }

    /// Whether there is anything to show but why there is not.
    pub fn has_any(&self) -> bool {
        !self.runs.is_empty() || !self.cases.is_empty()
    }

    /// Whether a strategy was run more than once.
    pub fn has_repeats(&self) -> bool {
        self.runs.iter().any(|run| run.run_count() > 1)
    }

    /// The run of this strategy.
    pub fn run(&self, strategy: &str) -> Option<&RunRecord> {
        self.runs.iter().find(|run| run.strategy.name == strategy)
    }
}
