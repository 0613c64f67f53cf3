//! Why a table cannot be modeled.

use std::fmt;

/// A value, or the [`Error`] that says why there is none.
pub type Result<T> = std::result::Result<T, Error>;

/// A setting that no sharded table can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    name: &'static str,
    value: u64,
    wanted: &'static str,
}

impl Error {
    pub(crate) fn setting(name: &'static str, value: u64, wanted: &'static str) -> Error {
        Error { name, value, wanted }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { name, value, wanted } = self;
        write!(f, "{name} is {value}: give {wanted}")
    }
}

impl std::error::Error for Error {}
