//! One opaque error for the whole crate.

use std::fmt;

/// A value, or the [`Error`] that says why there is none.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed.
#[derive(Debug)]
pub struct Error(Kind);

#[derive(Debug)]
pub(crate) enum Kind {
    Sqlite(rusqlite::Error),
    NotInTransaction,
    Misuse(String),
    Damaged(String),
}

impl Error {
    pub(crate) fn misuse(problem: String) -> Error {
        Error(Kind::Misuse(problem))
    }

    pub(crate) fn damaged(problem: String) -> Error {
        Error(Kind::Damaged(problem))
    }

    pub(crate) fn not_in_transaction() -> Error {
        Error(Kind::NotInTransaction)
    }

    /// True if a change was written outside of a transaction, so that it could be stored without its row.
    pub fn is_not_in_transaction(&self) -> bool {
        matches!(self.0, Kind::NotInTransaction)
    }

    /// True if an argument cannot be used.
    pub fn is_misuse(&self) -> bool {
        matches!(self.0, Kind::Misuse(_))
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        Error(Kind::Sqlite(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Sqlite(error) => write!(f, "the database of the outbox failed: {error}"),
            Kind::NotInTransaction => f.write_str(
                "the connection is in no transaction: begin one, and write the row and its change in it",
            ),
            Kind::Misuse(problem) => f.write_str(problem),
            Kind::Damaged(problem) => write!(f, "the outbox is damaged: {problem}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Kind::Sqlite(error) => Some(error),
            _ => None,
        }
    }
}
