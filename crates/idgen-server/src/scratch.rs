//! A temporary schema.

use std::fmt;
use std::io::Write;
use std::time::Duration;

use crate::{Error, Flavor, sql, url};

/// How long dropping may take: large tables are unlinked, and a canceled statement may still be running.
const DROP_TIMEOUT: Duration = Duration::from_secs(120);

/// A schema with a random name, dropped with this value. Nothing else on the server is touched.
///
/// If it cannot be dropped and the server continues to run, a line on standard error names it, because a destructor
/// cannot return an error.
pub struct Scratch {
    admin_url: String,
    url: String,
    name: String,
    server_stays: bool,
}

impl Scratch {
    pub(crate) fn create(admin_url: &str, server_stays: bool) -> Result<Scratch, Error> {
        let name = format!("idgen_{}", uuid::Uuid::new_v4().simple());
        sql::rows(admin_url, &format!("CREATE DATABASE {name}")).map_err(|error| {
            Error::new(format!(
                "cannot create the scratch schema {name} at {}: {error}; the user needs {}",
                url::redacted(admin_url),
                if is_postgres(admin_url) {
                    "the attribute CREATEDB"
                } else {
                    "CREATE and DROP on `idgen\\_%`.*"
                }
            ))
        })?;
        let url = url::with_schema(admin_url, &name);
        Ok(Scratch { admin_url: admin_url.to_owned(), url, name, server_stays })
    }

    /// The connection URL of this schema, with its password: not for logs.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The schema's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // By default, PostgreSQL does not drop a database with connected clients.
        let force = if is_postgres(&self.admin_url) { " WITH (FORCE)" } else { "" };
        let drop = format!("DROP DATABASE IF EXISTS {}{force}", self.name);
        let Err(error) = sql::rows_within(&self.admin_url, &drop, DROP_TIMEOUT) else { return };
        // A server that we started is removed together with the schema.
        if self.server_stays {
            let _ = writeln!(
                std::io::stderr(),
                "warning: the scratch schema {} is left at {} ({error}): remove it with {drop}",
                self.name,
                url::redacted(&self.admin_url)
            );
        }
    }
}

fn is_postgres(url: &str) -> bool {
    Flavor::of_scheme(url) == Some(Flavor::Postgres)
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").field("url", &url::redacted(&self.url)).finish()
    }
}
