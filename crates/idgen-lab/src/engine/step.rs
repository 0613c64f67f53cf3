//! Operations of several kinds, each on one row.

use std::time::Duration;

use super::Inserted;
use crate::key::Key;
use crate::{Error, Result};

/// One operation on one row. If the database or a map assigned an integer to the row, that integer is its key.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// Inserts a row.
    Insert {
        /// The key with which it is inserted.
        key: Key,
        /// Its payload.
        payload: &'a [u8],
    },
    /// Reads the payload of a row.
    Read(Key),
    /// Replaces the payload of a row.
    Update {
        /// Its key.
        key: Key,
        /// Its new payload.
        payload: &'a [u8],
    },
    /// Deletes a row.
    Delete(Key),
}

/// The result of an operation.
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
    /// The result of an operation that has to change one row.
    ///
    /// # Errors
    /// The operation changed no row, or several.
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

    /// The error of a read that found nothing.
    pub(super) fn missed(&self) -> Error {
        Error::unverified(format!("{} found no row", self.in_words()))
    }
}

/// Called with the result of each operation, and how long it took.
pub type OnDone<'a> = dyn FnMut(Outcome, Duration) -> Result<()> + 'a;
