//! One opaque error for whatever meets a live database.

use std::fmt;

/// The result of a fallible function of this crate, and of the crates above it.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a database could not be read, surveyed or planned for. The message says what to do, and contains neither passwords
/// nor values of rows.
#[derive(Debug)]
pub struct Error {
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Returns an error with this message. It must say what to do, and contain neither passwords nor values of rows.
    ///
    /// ```
    /// let error = idgen_database::Error::new("there is no table orders: name one of the schema");
    /// assert_eq!(error.to_string(), "there is no table orders: name one of the schema");
    /// ```
    pub fn new(message: impl Into<String>) -> Self {
        Error { message: message.into(), source: None }
    }

    /// Returns an error with a cause, whose message becomes part of this one. It must not contain values of rows.
    ///
    /// ```
    /// let cause = std::io::Error::other("refused");
    /// let error = idgen_database::Error::of("cannot connect", cause);
    /// assert_eq!(error.to_string(), "cannot connect: refused");
    /// ```
    pub fn of(doing: impl fmt::Display, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
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
