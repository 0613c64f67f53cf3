//! The one opaque error of the whole crate.

use std::error::Error as StdError;
use std::fmt;

/// The result of the fallible functions of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A record that could not be read, compared, drawn or written.
///
/// ```
/// let error = idgen_report::read("{}").unwrap_err();
/// assert!(error.to_string().contains("not a results.json of the lab"));
/// ```
#[derive(Debug)]
pub struct Error {
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Error { message: message.into(), source: None }
    }

    pub(crate) fn caused(
        doing: impl Into<String>,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Error { message: doing.into(), source: Some(source.into()) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
