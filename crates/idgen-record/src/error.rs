//! The error of a load that is refused.

use std::fmt;

/// The result of the fallible functions of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A load that cannot be run.
///
/// ```
/// let error = idgen_record::Workload::of_rows(10).unwrap_err();
/// assert!(error.to_string().starts_with("rows is 10: choose a number from 1000"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    pub(crate) fn refused(message: String) -> Self {
        Error(message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
