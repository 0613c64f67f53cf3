//! The one parser of connection URLs.

use std::path::Path;

use crate::database::Database;
use crate::error::{Error, Result};

/// The forms of a URL, for messages.
const FORMS: &str = "mysql://user:password@host:port/schema, mariadb://… in the same form, \
                     postgres://user:password@host:port/database, or sqlite: and the path of a file";

/// A connection URL, by the database that its scheme names.
///
/// ```
/// use idgen_database::DatabaseUrl;
///
/// assert_eq!(DatabaseUrl::parse("MariaDB://app@db/shop")?, DatabaseUrl::MySql("mysql://app@db/shop".into()));
/// assert_eq!(DatabaseUrl::parse("shop.db")?, DatabaseUrl::Sqlite("shop.db".into()));
/// let error = DatabaseUrl::parse("oracle://app:secret@db/shop").unwrap_err().to_string();
/// assert!(error.starts_with("oracle:// is the scheme of no known database") && !error.contains("secret"));
/// # Ok::<(), idgen_database::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// MySQL or MariaDB; the server says which. The scheme is `mysql`, the only one that drivers know.
    MySql(String),
    /// PostgreSQL.
    Postgres(String),
    /// The path of a SQLite file.
    Sqlite(String),
}

impl DatabaseUrl {
    /// Reads the scheme, in lower or upper case. A text without a scheme is the path of a SQLite file.
    ///
    /// # Errors
    ///
    /// The URL is empty or names no file, the scheme is of no known database, or the text contains an `@` and is neither a URL nor the path of an existing file. No
    /// message contains more of the text than its scheme, since it may hold a password.
    pub fn parse(url: &str) -> Result<DatabaseUrl> {
        let of_file = ["sqlite://", "file://", "sqlite:", "file:"].into_iter();
        let path = of_file.filter_map(|scheme| without(url, scheme)).next();
        if url.trim().is_empty() {
            return Err(Error::new(format!("the URL is empty: write {FORMS}")));
        }
        match path {
            Some(path) if path.trim().is_empty() => {
                return Err(Error::new(format!("{url} names no file: write {FORMS}")));
            }
            Some(path) if path.starts_with(":memory:") => {
                return Err(Error::new(format!(
                    "{url} is a new database in memory, which has no tables: write {FORMS}"
                )));
            }
            Some(path) => return Ok(DatabaseUrl::Sqlite(path.to_owned())),
            None => {}
        }
        for scheme in ["mysql://", "mariadb://"] {
            if let Some(rest) = without(url, scheme) {
                return Ok(DatabaseUrl::MySql(format!("mysql://{rest}")));
            }
        }
        for scheme in ["postgres://", "postgresql://"] {
            if let Some(rest) = without(url, scheme) {
                return Ok(DatabaseUrl::Postgres(format!("postgres://{rest}")));
            }
        }
        match url.split_once("://") {
            Some((scheme, _)) if scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) => {
                Err(Error::new(format!("{scheme}:// is the scheme of no known database: write {FORMS}")))
            }
            // A mistyped URL can hold a password, which an error about a file would show.
            _ if url.contains('@') && !Path::new(url).exists() => {
                Err(Error::new(format!("this is neither a URL nor the path of a file: write {FORMS}")))
            }
            _ => Ok(DatabaseUrl::Sqlite(url.to_owned())),
        }
    }

    /// Returns the database that the scheme names: [`Database::MySql`] for MariaDB too.
    pub fn database(&self) -> Database {
        match self {
            DatabaseUrl::MySql(_) => Database::MySql,
            DatabaseUrl::Postgres(_) => Database::Postgres,
            DatabaseUrl::Sqlite(_) => Database::Sqlite,
        }
    }
}

/// Shows the database only: the URL may hold a password.
impl std::fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("DatabaseUrl").field(&self.database()).finish_non_exhaustive()
    }
}

/// The rest of a URL after its scheme, which may be in upper case.
fn without<'u>(url: &'u str, scheme: &str) -> Option<&'u str> {
    let (begin, rest) = url.split_at_checked(scheme.len())?;
    begin.eq_ignore_ascii_case(scheme).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_shows_a_password() {
        for url in ["user:secret@host/db", "oracle://user:secret@host/db", "my sql://u:secret@h/d"] {
            let error = DatabaseUrl::parse(url).expect_err(url).to_string();
            assert!(
                !error.contains("secret") && error.contains("postgres://user:password@"),
                "{url}: {error}"
            );
        }
        let parsed = DatabaseUrl::parse("postgres://user:secret@host/db");
        assert!(!format!("{parsed:?}").contains("secret"));
    }

    #[test]
    fn schemes_are_read_in_any_case_and_paths_have_none() {
        for (url, expected) in [
            ("POSTGRESQL://h/d", DatabaseUrl::Postgres("postgres://h/d".into())),
            ("mysql://h/d", DatabaseUrl::MySql("mysql://h/d".into())),
            ("sqlite:///tmp/a.db", DatabaseUrl::Sqlite("/tmp/a.db".into())),
            ("SQLite:a.db", DatabaseUrl::Sqlite("a.db".into())),
            ("é.db", DatabaseUrl::Sqlite("é.db".into())),
        ] {
            assert_eq!(DatabaseUrl::parse(url).expect(url), expected, "{url}");
        }
    }
}
