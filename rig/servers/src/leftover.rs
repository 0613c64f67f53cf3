//! Schemas that a program left on an external server because it was killed.
//!
//! Two things make their removal safe. The name of a schema that [`Server::scratch`] made has a checksum, so a schema of
//! somebody else is not taken for one. And a running program holds its schema: on MySQL and MariaDB by a lock of the server
//! with the name of the schema, on PostgreSQL by a session in the database, which `DROP DATABASE` without `FORCE` refuses to
//! drop. The server releases both when the program ends, however it ends.

use std::thread;
use std::time::Duration;

use crate::error::Error;
use crate::scratch::{DROP_TIMEOUT, is_name_of_ours};
use crate::server::Server;
use crate::session::Session;
use crate::sql::{self, TIMEOUT};
use idgen_database::Database;

/// The time in which a program that has made a PostgreSQL database connects to it.
const UNTIL_HELD: Duration = Duration::from_secs(2);

/// The schemas of a server whose names begin as those of [`Server::scratch`]; see [`Server::leftovers`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// Schemas that one of our programs made and that nobody uses any more.
    pub left: Vec<String>,
    /// Schemas that a program uses.
    pub in_use: Vec<String>,
    /// Schemas of somebody else, or of a version before the names had a checksum.
    pub foreign: Vec<String>,
}

impl Server {
    /// Finds the schemas that [`scratch`](Server::scratch) made and that were not dropped, without changing anything.
    ///
    /// # Errors
    /// The server does not answer, or it is a node of a cluster, whose other nodes do not show what they use.
    pub fn leftovers(&self) -> Result<Leftovers, Error> {
        self.check_alone()?;
        let list = if self.database().speaks_mysql() {
            "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME LIKE 'idgen\\_%' ORDER BY 1"
        } else {
            "SELECT datname::text FROM pg_database WHERE datname LIKE 'idgen\\_%' ORDER BY 1"
        };
        let mut found = Leftovers::default();
        for name in self.ask(list)?.concat() {
            if !is_name_of_ours(&name) {
                found.foreign.push(name);
            } else if self.is_in_use(&name)? {
                found.in_use.push(name);
            } else {
                found.left.push(name);
            }
        }
        Ok(found)
    }

    /// Drops a schema of [`Leftovers::left`], unless a program uses it meanwhile. Returns whether it was dropped.
    ///
    /// # Errors
    /// The name is not one of ours, or the server refuses.
    pub fn remove_leftover(&self, name: &str) -> Result<bool, Error> {
        if !is_name_of_ours(name) {
            return Err(Error::new(format!("idgen did not make a schema of the name {name}")));
        }
        self.check_alone()?;
        if self.database().speaks_mysql() { self.remove_locked(name) } else { self.remove_database(name) }
    }

    /// The session that drops the schema holds its lock meanwhile.
    fn remove_locked(&self, name: &str) -> Result<bool, Error> {
        let failed = |error| Error::new(format!("cannot remove {name} at {}: {error}", self.shown_url()));
        let session = Session::open(self.url(), Vec::new()).map_err(failed)?;
        let lock = format!("SELECT CAST(GET_LOCK('{name}', 0) AS CHAR)");
        let is_ours = session.rows(&lock, TIMEOUT).map_err(failed)?.concat() == ["1"];
        if !is_ours || self.has_sessions(name)? {
            return Ok(false);
        }
        session.rows(&format!("DROP DATABASE IF EXISTS {name}"), DROP_TIMEOUT).map_err(failed)?;
        Ok(true)
    }

    /// The server refuses to drop a database to which somebody is connected.
    fn remove_database(&self, name: &str) -> Result<bool, Error> {
        /// object_in_use
        const IN_USE: &str = "55006";
        thread::sleep(UNTIL_HELD);
        if self.has_sessions(name)? {
            return Ok(false);
        }
        match sql::rows_within(self.url(), &format!("DROP DATABASE IF EXISTS {name}"), DROP_TIMEOUT) {
            Ok(_) => Ok(true),
            Err(error) => match error.inner().as_database_error().and_then(|error| error.code()) {
                Some(code) if code == IN_USE => Ok(false),
                _ => Err(Error::new(format!("cannot remove {name} at {}: {error}", self.shown_url()))),
            },
        }
    }

    fn is_in_use(&self, name: &str) -> Result<bool, Error> {
        if self.database() != Database::Postgres {
            let locked = format!("SELECT CAST(IS_USED_LOCK('{name}') IS NOT NULL AS CHAR)");
            if self.ask(&locked)?.concat() == ["1"] {
                return Ok(true);
            }
        }
        self.has_sessions(name)
    }

    /// Returns true if sessions are connected to the schema, as far as the user sees them.
    fn has_sessions(&self, name: &str) -> Result<bool, Error> {
        /// The column db of `SHOW PROCESSLIST`.
        const SCHEMA: usize = 3;
        if self.database() == Database::Postgres {
            let sessions = format!("SELECT count(*)::text FROM pg_stat_activity WHERE datname = '{name}'");
            return Ok(self.ask(&sessions)?.concat() != ["0"]);
        }
        // The list in the information schema fails on MySQL if a statement in it is not valid text.
        let sessions = self.ask("SHOW PROCESSLIST")?;
        Ok(sessions.iter().any(|session| session.get(SCHEMA).is_some_and(|schema| schema == name)))
    }

    /// Refuses the node of a cluster: its locks and sessions are those of one node.
    fn check_alone(&self) -> Result<(), Error> {
        let sql = match self.database() {
            Database::Postgres | Database::Sqlite => return Ok(()),
            Database::MySql => "SHOW GLOBAL VARIABLES LIKE 'group_replication_group_name'",
            Database::MariaDb => "SHOW GLOBAL STATUS LIKE 'wsrep_cluster_size'",
        };
        let shown = self.ask(sql)?.concat().pop().unwrap_or_default();
        if matches!(shown.as_str(), "" | "0" | "1") {
            return Ok(());
        }
        Err(Error::new(format!(
            "{} is a node of a cluster, and only the node of a run shows that the run still uses its schema: find the \
             schemas with SHOW DATABASES LIKE 'idgen\\_%', and drop those of runs that have ended with DROP DATABASE",
            self.shown_url()
        )))
    }
}
