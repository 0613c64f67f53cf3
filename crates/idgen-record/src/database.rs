//! The database of a record, and the ids that it can make.

use idgen_database::Database;
use serde::{Deserialize, Serialize};

use crate::strategy::IdKind;

/// The database that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineInfo {
    /// The name for people: [`Database::name`], or the name of a model.
    pub name: String,
    /// The version that the database reports.
    pub version: String,
    /// A sentence about the setup of the database.
    pub setup: String,
    /// The figures that the database does not provide: a sentence for each, which says why, and what would
    /// provide it. Usually empty.
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

    /// Returns whether this is the embedded engine; false for a model.
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
