//! Which database a record is of.

use serde::{Deserialize, Serialize};

/// Which database measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineInfo {
    /// For people: `SQLite`, `MySQL`, `MariaDB`.
    pub name: String,
    /// As the database reports it.
    pub version: String,
    /// How it was set up, in a sentence.
    pub setup: String,
    /// What it does not show, why, and what would show it: a sentence each. Nothing, mostly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

impl EngineInfo {
    /// Whether it is the embedded one: it commits many rows together, and has one writer.
    pub fn is_embedded(&self) -> bool {
        self.name == "SQLite"
    }
}
