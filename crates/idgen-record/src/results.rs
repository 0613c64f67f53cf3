//! The file that holds the runs of one command.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::database::EngineInfo;
use crate::machine::Machine;
use crate::published::Published;
use crate::repeat::Protocol;
use crate::run::Run;
use crate::workload::Workload;

/// All runs of one command, as `results.json` holds them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// The version of this format. Readers refuse other versions.
    pub format: u32,
    /// The question of the experiment.
    pub question: String,
    /// The command that made the runs.
    pub command: String,
    /// The version of this library.
    pub idgen_version: String,
    /// The time at which the first run began: RFC 3339, UTC.
    pub started: String,
    /// The machine on which they ran.
    pub machine: Machine,
    /// The database that was measured.
    pub engine: EngineInfo,
    /// The load of each run.
    pub workload: Workload,
    /// The server's settings, where statements were timed; each run has its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// The repetitions and the order of the runs. Without it, they were made in the order of `runs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
    /// True if the user stopped the experiment before the last run.
    pub interrupted: bool,
    /// Published figures on this question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Published>,
    /// Notes on how the runs differ from those that were published, and on what was left out; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// The runs that were finished and verified.
    pub runs: Vec<Run>,
    /// The runs that failed. None of their figures are shown.
    pub failures: Vec<Failure>,
}

/// A run that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The strategy's name.
    pub strategy: String,
    /// The text of the error.
    pub error: String,
}

impl Results {
    /// The version of the format that this library writes and reads.
    pub const FORMAT: u32 = 1;

    /// Results without runs, of this machine, begun at this time: RFC 3339, UTC.
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
            notes: String::new(),
            runs: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Returns whether this experiment times statements instead of comparing keys, even if none was finished.
    pub fn times_statements(&self) -> bool {
        !self.settings.is_empty() || self.runs.iter().any(|run| run.strategy.key.is_none())
    }

    /// Returns whether any run was finished, so that there are figures to show and not only failures.
    pub fn has_any(&self) -> bool {
        !self.runs.is_empty()
    }

    /// Returns whether any strategy or statement was run more than once.
    pub fn has_repeats(&self) -> bool {
        self.runs.iter().any(|run| run.run_count() > 1)
    }

    /// The run of this strategy.
    pub fn run(&self, strategy: &str) -> Option<&Run> {
        self.runs.iter().find(|run| run.strategy.name == strategy)
    }
}
