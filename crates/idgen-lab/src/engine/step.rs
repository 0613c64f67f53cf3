//! Operations of several kinds, each on one row.

use std::time::{Duration, Instant};

use super::Inserted;
use crate::key::Key;
use crate::{Error, Result};

/// An operation on one row. If the database or a map assigned an integer to the row, that integer is its key.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// Inserts a row. Its key is made when the client comes to it.
    Insert {
        /// The payload.
        payload: &'a [u8],
    },
    /// Reads the payload of a row.
    Read(Key),
    /// Replaces the payload of a row.
    Update {
        /// The key of the row.
        key: Key,
        /// The new payload.
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

/// Makes the key of the next row that the client with this number, counted from 0, inserts.
pub type MakeKey<'a> = dyn FnMut(usize) -> Result<Key> + 'a;

impl Step<'_> {
    /// The key of the row; that of an insert is made now.
    pub(super) fn key(&self, make: impl FnOnce() -> Result<Key>) -> Result<Key> {
        match self {
            Step::Insert { .. } => make(),
            Step::Read(key) | Step::Update { key, .. } | Step::Delete(key) => Ok(*key),
        }
    }

    fn in_words(&self) -> String {
        match self {
            Step::Insert { .. } => "the insert of a row".to_owned(),
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

/// The answer of the database to an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The result.
    pub outcome: Outcome,
    /// The duration of the operation, all attempts together.
    pub took: Duration,
    /// The number of times that it was repeated after a deadlock or a lock timeout.
    pub repeated: u32,
}

/// An operation that is refused this often makes the run fail, because it makes no progress.
const MOST_REPEATS: u32 = 20;

/// Attempts an operation, and repeats it while it fails with a deadlock or a lock timeout, in which case the database has
/// undone it.
///
/// # Errors
/// Any other failure, and that of the last attempt.
pub(super) async fn repeat(
    mut attempt: impl AsyncFnMut() -> Result<Outcome>,
    is_lock_failure: impl Fn(&Error) -> bool,
) -> Result<Answer> {
    let began = Instant::now();
    let mut repeated = 0;
    loop {
        match attempt().await {
            Err(error) if repeated < MOST_REPEATS && is_lock_failure(&error) => repeated += 1,
            result => return Ok(Answer { outcome: result?, took: began.elapsed(), repeated }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempts(failures: u32, is_lock_failure: bool) -> (Result<Answer>, u32) {
        let mut made = 0;
        let attempt = async || {
            made += 1;
            if made > failures { Ok(Outcome::Changed) } else { Err(Error::unverified("refused")) }
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let answer = runtime.block_on(repeat(attempt, |_| is_lock_failure));
        (answer, made)
    }

    #[test]
    fn only_lock_failures_are_repeated_and_each_repeat_is_counted() {
        for failures in [0, 1, MOST_REPEATS] {
            let (answer, made) = attempts(failures, true);
            assert_eq!((answer.unwrap().repeated, made), (failures, failures + 1));
        }
        let (answer, made) = attempts(MOST_REPEATS + 1, true);
        assert!(answer.is_err() && made == MOST_REPEATS + 1);
        let (answer, made) = attempts(1, false);
        assert!(answer.is_err() && made == 1);
    }
}
