//! Why a tree cannot be modeled.

use std::fmt;

/// A value, or the [`Error`] that says why there is none.
pub type Result<T> = std::result::Result<T, Error>;

/// A setting that no LSM tree can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    name: &'static str,
    value: u64,
    wanted: String,
}

impl Error {
    pub(crate) fn setting(name: &'static str, value: u64, wanted: impl Into<String>) -> Error {
        Error { name, value, wanted: wanted.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { name, value, wanted } = self;
        write!(f, "{name} is {value}: give {wanted}")
    }
}

impl std::error::Error for Error {}
