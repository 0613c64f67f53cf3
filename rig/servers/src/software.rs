//! The images and environment variables from which a server of a database is started.

use idgen_database::Database;

use crate::error::Error;

/// The image that `scripts/images.sh` builds.
///
/// # Errors
/// The database runs in the process of its client: SQLite.
pub(crate) fn image(database: Database) -> Result<&'static str, Error> {
    match database {
        Database::MySql => Ok("idgen-mysql:9.7"),
        Database::MariaDb => Ok("idgen-mariadb:10.11"),
        Database::Postgres => Ok("idgen-postgres:18"),
        Database::Sqlite => {
            Err(Error::new("SQLite runs in the process of its client: it has no server to start"))
        }
    }
}

/// The environment variable whose URL is taken before a server is started, as in `IDGEN_MYSQL_URL`.
pub fn url_variable(database: Database) -> String {
    variable(database, "URL")
}

/// The environment variable for one setting of a database's tests, as in `IDGEN_MYSQL_IMAGE`.
pub(crate) fn variable(database: Database, setting: &str) -> String {
    format!("IDGEN_{}_{setting}", database.id().to_uppercase())
}
