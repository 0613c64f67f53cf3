//! Which database a record is of, and what it can do.

use idgen_database::Database;
use serde::{Deserialize, Serialize};

use crate::strategy::IdKind;

/// Which database measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineInfo {
    /// The name for people: [`Database::name`], or the name of a model.
    pub name: String,
    /// As the database reports it.
    pub version: String,
    /// How it was set up, in a sentence.
    pub setup: String,
    /// What it does not show, why, and what would show it, in a sentence each. Usually empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

impl EngineInfo {
    /// The database; `None` for a model, or a database that this version does not know.
    ///
    /// ```
    /// use idgen_record::{Database, EngineInfo};
    ///
    /// let engine = EngineInfo { name: "SQLite".into(), version: "3".into(), setup: "embedded".into(), missing: vec![] };
    /// assert_eq!(engine.database(), Some(Database::Sqlite));
    /// assert!(engine.is_embedded());
    /// ```
    pub fn database(&self) -> Option<Database> {
        Database::ALL.iter().copied().find(|database| database.name() == self.name)
    }

    /// Whether it is the embedded engine.
    pub fn is_embedded(&self) -> bool {
        self.database().is_some_and(Database::is_embedded)
    }
}

impl IdKind {
    /// Returns whether this database has a function that makes these ids.
    pub const fn is_made_by(self, database: Database) -> bool {
        match database {
            Database::MySql | Database::MariaDb => matches!(self, IdKind::UuidShort | IdKind::ServerV1),
            Database::Postgres => matches!(self, IdKind::ServerV4 | IdKind::ServerV7),
            Database::Sqlite => false,
        }
    }
}
