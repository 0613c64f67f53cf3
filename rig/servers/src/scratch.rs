//! A temporary schema.

use std::fmt;
use std::io::Write;
use std::time::Duration;

use crate::error::Error;
use crate::session::Session;
use crate::{sql, url};
use idgen_database::Database;

/// The time that dropping may take: large tables are unlinked, and a canceled statement may still be running.
pub(crate) const DROP_TIMEOUT: Duration = Duration::from_secs(120);

/// A schema with a random name, dropped with this value. Nothing else on the server is touched.
///
/// If it cannot be dropped and the server continues to run, a line on standard error names it, because a destructor
/// cannot return an error.
pub struct Scratch {
    admin_url: String,
    url: String,
    name: String,
    server_stays: bool,
    /// Shows on a server that outlives this program that the program still runs; see the module `leftover`.
    _held: Option<Session>,
}

impl Scratch {
    pub(crate) fn create(admin_url: &str, server_stays: bool) -> Result<Scratch, Error> {
        let name = new_name();
        // Before the schema exists, so that it is never without the lock.
        let lock = if server_stays && !is_postgres(admin_url) { lock(admin_url, &name)? } else { None };
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
        let admin_url = admin_url.to_owned();
        let mut scratch = Scratch { admin_url, url, name, server_stays, _held: lock };
        if is_postgres(&scratch.admin_url) && server_stays {
            let session = Session::open(&scratch.url, Vec::new());
            scratch._held = Some(session.map_err(|error| {
                let shown = url::redacted(&scratch.admin_url);
                Error::new(format!(
                    "cannot connect to the scratch schema {} at {shown}: {error}",
                    scratch.name
                ))
            })?);
        }
        Ok(scratch)
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

/// A session with the lock that shows that this program uses the schema; `None` on a server that takes no such locks, as
/// nodes of some clusters do, where leftovers are not removed either.
fn lock(admin_url: &str, name: &str) -> Result<Option<Session>, Error> {
    match Session::open(admin_url, vec![format!("SELECT GET_LOCK('{name}', 0)")]) {
        Ok(session) => Ok(Some(session)),
        Err(error) if error.inner().as_database_error().is_some() => Ok(None),
        Err(error) => Err(Error::new(format!(
            "cannot lock the scratch schema {name} at {}: {error}",
            url::redacted(admin_url)
        ))),
    }
}

/// The beginning of each name.
const PREFIX: &str = "idgen_";
/// Random hexadecimal digits after it; the checksum follows them.
const RANDOM: usize = 24;

fn new_name() -> String {
    let random = uuid::Uuid::new_v4().simple().to_string();
    let name = format!("{PREFIX}{}", &random[..RANDOM]);
    let sum = crc32fast::hash(name.as_bytes());
    format!("{name}{sum:08x}")
}

/// Returns true if [`new_name`] made the name. One in four billion names of the same form has this checksum by chance.
pub(crate) fn is_name_of_ours(name: &str) -> bool {
    let Some((random, sum)) = name.split_at_checked(PREFIX.len() + RANDOM) else { return false };
    random.starts_with(PREFIX) && sum == format!("{:08x}", crc32fast::hash(random.as_bytes()))
}

fn is_postgres(url: &str) -> bool {
    Database::of_scheme(url) == Some(Database::Postgres)
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").field("url", &url::redacted(&self.url)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_were_made_here_are_ours() {
        let name = new_name();
        assert!(name.len() == 38 && is_name_of_ours(&name), "{name}");
        // A digit of the random part, or of the checksum, is another one.
        for place in [PREFIX.len(), name.len() - 1] {
            let mut other = name.clone().into_bytes();
            other[place] = if other[place] == b'0' { b'1' } else { b'0' };
            assert!(!is_name_of_ours(&String::from_utf8(other).unwrap()));
        }
        let uuid = uuid::Uuid::nil().simple();
        for other in
            ["", "idgen_", "idgen_orders", &name[..37], &format!("idgen_{uuid}"), &format!("{name}0")]
        {
            assert!(!is_name_of_ours(other), "{other}");
        }
    }
}
