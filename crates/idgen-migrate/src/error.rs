//! One opaque error for the whole crate.

use std::fmt;

/// What a fallible function of this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a database could not be surveyed, or why there is no plan. The message says what to do, and contains
/// neither passwords nor values of rows.
#[derive(Debug)]
pub struct Error {
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Error { message: message.into(), source: None }
    }

    /// Fails with all of `reasons` in one message, if there are any.
    pub(crate) fn of_reasons(reasons: &[String]) -> Result<()> {
        match reasons {
            [] => Ok(()),
            [one] => Err(Error::new(one)),
            all => Err(Error::new(format!("the keys cannot be changed yet:\n- {}", all.join("\n- ")))),
        }
    }

    /// The message of the cause is part of the error's own. It must not contain values of rows.
    pub(crate) fn of(
        doing: impl fmt::Display,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let source = source.into();
        Error { message: format!("{doing}: {source}"), source: Some(source) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
