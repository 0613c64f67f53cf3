//! The answers of a server, in words for its user.

use std::error::Error;
use std::fmt;

/// An error of a database driver, shown without what only the server's own developers need: the driver of PostgreSQL adds the
/// line of the server's source code.
///
/// ```
/// use idgen_server::Plain;
///
/// let error = Plain::from(sqlx::Error::RowNotFound);
/// assert_eq!(error.to_string(), sqlx::Error::RowNotFound.to_string());
/// ```
#[derive(Debug)]
pub struct Plain(sqlx::Error);

impl Plain {
    /// The driver's error.
    pub fn inner(&self) -> &sqlx::Error {
        &self.0
    }
}

impl From<sqlx::Error> for Plain {
    fn from(error: sqlx::Error) -> Self {
        Plain(error)
    }
}

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// invalid_catalog_name
        const NO_DATABASE: &str = "3D000";
        let Some(answer) = self.0.as_database_error() else { return self.0.fmt(f) };
        f.write_str(answer.message())?;
        if answer.code().is_some_and(|code| code == NO_DATABASE) {
            f.write_str(
                ". A URL without a database means the one with the user's name: name one that exists in the URL, as in \
                 postgres://user@host/postgres",
            )?;
        }
        Ok(())
    }
}

impl Error for Plain {}
