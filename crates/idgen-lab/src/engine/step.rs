//! Operations of several kinds, each on one row.

use std::time::Duration;

use super::Inserted;
use crate::key::Key;
use crate::{Error, Result};

/// One operation on one row. Where the database or a map gave the row an integer, that is its key.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// Inserts a row.
    Insert {
        /// The key that it is inserted with.
        key: Key,
        /// Its payload.
        payload: &'a [u8],
    },
    /// Reads the payload of a row.
    Read(Key),
    /// Gives a row another payload.
    Update {
        /// Its key.
        key: Key,
        /// Its new payload.
        payload: &'a [u8],
    },
    /// Deletes a row.
    Delete(Key),
}

/// What came of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A row was inserted.
    Inserted(Inserted),
    /// The payload of the row.
    Read(Vec<u8>),
    /// The row was changed or deleted.
    Changed,
}

impl Outcome {
    /// What came of an operation that must change one row.
    ///
    /// # Errors
    /// It changed another number of rows.
    pub(super) fn of_changed(step: &Step<'_>, rows: u64) -> Result<Self> {
        if rows == 1 {
            return Ok(Outcome::Changed);
        }
        Err(Error::unverified(format!("{rows} rows were changed by {}, not one", step.in_words())))
    }
}

impl Step<'_> {
    fn in_words(&self) -> String {
        match self {
            Step::Insert { key, .. } => format!("the insert of {key}"),
            Step::Read(key) => format!("the read of {key}"),
            Step::Update { key, .. } => format!("the update of {key}"),
            Step::Delete(key) => format!("the delete of {key}"),
        }
    }

    /// That a read found nothing.
    pub(super) fn missed(&self) -> Error {
        Error::unverified(format!("{} found no row", self.in_words()))
    }
}

/// Takes the outcome of each operation, and how long it took.
pub type OnDone<'a> = dyn FnMut(Outcome, Duration) -> Result<()> + 'a;
