//! The one opaque error of the whole crate.

use std::error::Error as StdError;
use std::fmt;

/// The result of a fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A measurement that could not be made, checked or saved.
///
/// ```
/// let error = idgen_lab::strategy::find("v5").unwrap_err();
/// assert!(error.is_config());
/// assert!(error.to_string().contains("\"v5\""));
/// ```
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Config,
    Engine,
    Unverified,
    Interrupted,
    Output,
    Input,
    Mistake,
}

impl Error {
    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), source: None }
    }

    pub(crate) fn config(message: impl Into<String>) -> Self {
        Error::new(Kind::Config, message)
    }

    pub(crate) fn unverified(message: impl Into<String>) -> Self {
        Error::new(Kind::Unverified, message)
    }

    /// A mistake of this program.
    pub(crate) fn mistake(message: impl Into<String>) -> Self {
        Error::new(Kind::Mistake, message)
    }

    pub(crate) fn interrupted() -> Self {
        Error::new(Kind::Interrupted, "interrupted")
    }

    pub(crate) fn engine(
        doing: impl Into<String>,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Error { source: Some(source.into()), ..Error::new(Kind::Engine, doing) }
    }

    /// The error of an observer of runs that could not save its results.
    pub fn not_saved(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Error { source: Some(source.into()), ..Error::new(Kind::Output, "cannot save the results") }
    }

    pub(crate) fn input(
        doing: impl Into<String>,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Error { source: Some(source.into()), ..Error::new(Kind::Input, doing) }
    }

    /// True if a setting was refused.
    pub fn is_config(&self) -> bool {
        self.kind == Kind::Config
    }

    /// True if the rows found after a run are not the rows that were inserted.
    pub fn is_unverified(&self) -> bool {
        self.kind == Kind::Unverified
    }

    /// True if the user stopped the run.
    pub fn is_interrupted(&self) -> bool {
        self.kind == Kind::Interrupted
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

impl From<idgen::Error> for Error {
    fn from(source: idgen::Error) -> Self {
        Error {
            source: Some(Box::new(source)),
            ..Error::new(Kind::Config, "cannot make the ids of this run")
        }
    }
}

impl From<idgen_record::Error> for Error {
    fn from(refused: idgen_record::Error) -> Self {
        Error::config(refused.to_string())
    }
}
