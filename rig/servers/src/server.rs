//! The handle of a running server.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::certificates::Certificates;
use crate::container::{self, Container};
use crate::error::Error;
use crate::port::free_port;
use crate::process::Process;
use crate::provider::{Provider, given_url};
use crate::scratch::Scratch;
use crate::settings::Settings;
use crate::software::url_variable;
use crate::{sql, url};
use idgen_database::Database;

/// The time that a server may take to accept its first query. InnoDB recovers from its log in this time too.
const START_LIMIT: Duration = Duration::from_secs(180);
/// The time that a server may take to shut down if it has not acknowledged the request.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(30);

#[derive(Debug)]
enum Way {
    Container(Container),
    Process(Process),
    Url,
}

/// A running server. Dropping it ends a server that this program started.
pub struct Server {
    database: Database,
    version: String,
    url: String,
    way: Way,
    /// The URL names a file of theirs.
    _certificates: Option<Certificates>,
}

impl Server {
    /// Starts a server, or takes the one that the user named; see the [crate's page](crate) for the order.
    ///
    /// # Errors
    /// This machine offers no way to start a server (the message says what to install), the server does not start (the end of
    /// its log is in the message), or it does not have the requested settings.
    pub fn start(database: Database, settings: &Settings) -> Result<Server, Error> {
        let image = container::image(database)?;
        match Provider::of(database) {
            Some(Provider::Url) => Server::external(database, settings),
            Some(Provider::Container) => Server::container(database, settings),
            Some(Provider::Process) => Server::process(database, settings),
            None => Err(Error::new(format!(
                "this machine has no {database} server program, and no container engine that answers and has the image {image}: \
                 install the program, set {} to the URL of a server for tests, or run make setup in a checkout of idgen, which \
                 builds the image",
                url_variable(database),
            ))),
        }
    }

    /// Checks that the reads and writes of a server from [`start`](Server::start) can be limited here.
    ///
    /// # Errors
    /// They could not; the message says why.
    pub fn can_limit_iops(database: Database) -> Result<(), Error> {
        match Provider::of(database) {
            Some(Provider::Container) => container::engine_disk().map(drop),
            _ => Err(Error::new("IOPS can be limited for containers only")),
        }
    }

    /// Starts a container.
    ///
    /// # Errors
    /// As for [`start`](Server::start).
    pub fn container(database: Database, settings: &Settings) -> Result<Server, Error> {
        Server::own(database, settings, |certificates, password, port| {
            Container::start(database, settings, certificates, password, port).map(Way::Container)
        })
    }

    /// Starts a process from this machine's binaries.
    ///
    /// # Errors
    /// As for [`start`](Server::start), and where a limit on IOPS is asked for.
    pub fn process(database: Database, settings: &Settings) -> Result<Server, Error> {
        Server::own(database, settings, |certificates, password, port| {
            Process::start(database, settings, certificates, password, port).map(Way::Process)
        })
    }

    /// Takes the server at `IDGEN_MYSQL_URL`, `IDGEN_MARIADB_URL` or `IDGEN_POSTGRES_URL`.
    ///
    /// # Errors
    /// The variable is not set, or the server is not reached, is of the other database, or lacks a setting.
    pub fn external(database: Database, settings: &Settings) -> Result<Server, Error> {
        let url = given_url(database)
            .ok_or_else(|| Error::new(format!("{} is not set", url_variable(database))))?;
        if settings.iops_limits().is_some() {
            return Err(Error::new("the IOPS of an external server cannot be limited: run without a limit"));
        }
        let server = Server::ready(database, url, Way::Url)?;
        server.check(settings)?;
        Ok(server)
    }

    /// Takes the server at this URL, `mysql://user:password@host:port` or `postgres://user:password@host:port`, as it
    /// is.
    ///
    /// # Errors
    /// The URL cannot be read, or nothing answers there.
    pub fn at(url: &str) -> Result<Server, Error> {
        let shown = url::redacted(url);
        if Database::of_scheme(url).is_none() {
            return Err(Error::new(format!(
                "{shown} is no URL of a server: write mysql://user:password@host or postgres://user:password@host"
            )));
        }
        let version = version(url).map_err(|error| Error::new(format!("no server at {shown}: {error}")))?;
        let database = Database::of_version(&version);
        Ok(Server { database, version, url: url.to_owned(), way: Way::Url, _certificates: None })
    }

    /// A port may be taken between its choice and its use, so a failed start is tried again.
    fn own(
        database: Database,
        settings: &Settings,
        start: impl Fn(Option<&Certificates>, &str, u16) -> Result<Way, Error>,
    ) -> Result<Server, Error> {
        if settings.wants_tls() && database == Database::Postgres {
            return Err(Error::new(
                "a PostgreSQL server that this program starts does not encrypt its connections",
            ));
        }
        let certificates = settings.wants_tls().then(Certificates::make).transpose()?;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let port = free_port()?;
            let password = uuid::Uuid::new_v4().simple().to_string();
            let url = match &certificates {
                None => url::local(database, &password, port),
                Some(made) => url::local_encrypted(&password, port, &made.authority().to_string_lossy()),
            };
            let started = start(certificates.as_ref(), &password, port)
                .and_then(|way| Server::ready(database, url, way));
            match started {
                Ok(mut server) => {
                    server._certificates = certificates;
                    server.check(settings)?;
                    return Ok(server);
                }
                Err(error) if attempt < 3 && error.to_string().contains("in use") => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits until the server answers.
    fn ready(database: Database, url: String, way: Way) -> Result<Server, Error> {
        let mut server = Server { database, version: String::new(), url, way, _certificates: None };
        server.version = server.wait_ready()?;
        if Database::of_version(&server.version) != database {
            return Err(Error::new(format!(
                "{} is version {}, which is not {database}",
                server.shown_url(),
                server.version
            )));
        }
        Ok(server)
    }

    fn wait_ready(&self) -> Result<String, Error> {
        let begin = Instant::now();
        loop {
            let error = match version(&self.url) {
                Ok(version) => return Ok(version),
                Err(error) => error,
            };
            let ended = self.ended();
            let code = error.inner().as_database_error().and_then(|error| error.code());
            let refused = code.is_some_and(|code| matches!(code.as_ref(), "28000" | "28P01"));
            let external = matches!(self.way, Way::Url);
            // Only another server, which has the port, refuses the password that this one was given.
            if refused && !external && ended.is_none() {
                return Err(Error::new(format!("{} is in use by another server: {error}", self.shown_url())));
            }
            if ended.is_some() || external || begin.elapsed() > START_LIMIT {
                let log = ended.unwrap_or_else(|| self.log());
                return Err(Error::new(format!(
                    "no {} at {}: {error}\n{log}",
                    self.database,
                    self.shown_url()
                )));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The connection URL of the administrator, with its password: not for logs.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The connection URL without its password.
    pub fn shown_url(&self) -> String {
        url::redacted(&self.url)
    }

    /// MySQL, MariaDB or PostgreSQL.
    pub fn database(&self) -> Database {
        self.database
    }

    /// Returns the answer to `SELECT version()`; on PostgreSQL, its part before the platform.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The name of its container, in which `docker exec` finds the server's own programs; `None` where it is in none that
    /// this value has started.
    pub fn container_name(&self) -> Option<&str> {
        match &self.way {
            Way::Container(container) => Some(container.name()),
            Way::Process(_) | Way::Url => None,
        }
    }

    /// The words that start the client of MySQL or MariaDB, which reads the password from `MYSQL_PWD`: MySQL's in the container where there
    /// is one, and MariaDB's on this machine, because one in a container takes a tenth of a second of the processor to start.
    pub fn client(&self) -> Vec<String> {
        let is_mysql = self.database == Database::MySql;
        let container = self.container_name().filter(|_| is_mysql);
        let inside = container.map(|name| ["docker", "exec", "-i", "--env", "MYSQL_PWD", name]);
        let program = if is_mysql { "mysql" } else { "mariadb" };
        inside.into_iter().flatten().chain([program]).map(str::to_owned).collect()
    }

    /// The way in which this server was provided.
    pub fn provider(&self) -> Provider {
        match self.way {
            Way::Container(_) => Provider::Container,
            Way::Process(_) => Provider::Process,
            Way::Url => Provider::Url,
        }
    }

    /// A new schema with a random name, dropped with the value. On PostgreSQL it is a database, because extensions
    /// belong to a database, and a temporary one leaves those of the others alone.
    ///
    /// # Errors
    /// The server refuses, for example because privileges are missing.
    pub fn scratch(&self) -> Result<Scratch, Error> {
        Scratch::create(&self.url, self.provider() == Provider::Url)
    }

    /// Kills the server with SIGKILL, as a crash would. [`start_again`](Server::start_again) brings it back,
    /// at the same URL. A PostgreSQL server that is a process of this machine consists of several: it gets SIGQUIT, on
    /// which all end at once without a checkpoint, and recovers from its log as after a crash.
    ///
    /// # Errors
    /// This program did not start the server, or the container engine refuses.
    pub fn kill(&self) -> Result<(), Error> {
        match &self.way {
            Way::Container(container) => container.kill(),
            Way::Process(process) => process.kill(),
            Way::Url => Err(self.not_ours("killed")),
        }
    }

    /// Shuts the server down cleanly.
    ///
    /// # Errors
    /// This program did not start the server, or the server does not shut down.
    pub fn stop(&self) -> Result<(), Error> {
        match &self.way {
            Way::Container(container) => container.stop(),
            Way::Process(process) if self.database == Database::Postgres => process.stop_postgres(),
            Way::Process(process) => {
                // A server that shuts down may end an encrypted connection before it has answered, so what the
                // process does decides.
                if let Err(error) = sql::rows(&self.url, "SHUTDOWN")
                    && !process.ends_within(SHUTDOWN_LIMIT)
                {
                    return Err(Error::new(format!("the server does not shut down: {error}")));
                }
                process.wait()
            }
            Way::Url => Err(self.not_ours("stopped")),
        }
    }

    /// Starts a stopped or killed server with its data, and waits until it answers.
    ///
    /// # Errors
    /// This program did not start the server before, or the server does not start.
    pub fn start_again(&self) -> Result<(), Error> {
        match &self.way {
            Way::Container(container) => container.start_again()?,
            Way::Process(process) => process.start_again()?,
            Way::Url => return Err(self.not_ours("started")),
        }
        self.wait_ready().map(drop)
    }

    /// Returns the errors in the log of a server that this program started and that no longer runs, and the end of that
    /// log; `None` while the server runs.
    pub fn ended(&self) -> Option<String> {
        let runs = match &self.way {
            Way::Container(container) => container.runs(),
            Way::Process(process) => process.runs(),
            Way::Url => true,
        };
        (!runs).then(|| self.log())
    }

    fn log(&self) -> String {
        match &self.way {
            Way::Container(container) => container.log(),
            Way::Process(process) => process.log(),
            Way::Url => String::new(),
        }
    }

    /// Copies a file of the data directory, such as `schema/table.ibd`. It is consistent only while the table
    /// is locked by `FLUSH TABLES ... FOR EXPORT`, or the server is stopped.
    ///
    /// # Errors
    /// The data directory is not accessible, as with a URL, or the file does not exist.
    pub fn copy_data_file(&self, relative: &str, to: &Path) -> Result<(), Error> {
        match &self.way {
            Way::Container(container) => container.copy_data_file(relative, to),
            Way::Process(process) => process.copy_data_file(relative, to),
            Way::Url => Err(Error::new(format!("the files of {} are out of reach", self.shown_url()))),
        }
    }

    /// The process id of the server on this machine, for the kernel's counters; `None` if it is not visible, as on another or
    /// on a virtual machine.
    pub fn process_id(&self) -> Option<u32> {
        let id = match &self.way {
            Way::Container(container) => container.process_id()?,
            Way::Process(process) => return process.id(),
            Way::Url => return None,
        };
        // A container engine elsewhere gives the numbers of its own machine.
        let name = std::fs::read_to_string(format!("/proc/{id}/comm")).ok()?;
        matches!(name.trim(), "mysqld" | "mariadbd" | "postgres").then_some(id)
    }

    fn not_ours(&self, what: &str) -> Error {
        Error::new(format!("{} is an external server, and is not {what} by this program", self.shown_url()))
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("database", &self.database)
            .field("version", &self.version)
            .field("url", &self.shown_url())
            .field("provider", &self.provider())
            .finish()
    }
}

/// The server's version. PostgreSQL adds the platform and the compiler, which are left out.
fn version(url: &str) -> Result<String, crate::plain::Plain> {
    let text = sql::rows(url, "SELECT version()")?.concat().concat();
    Ok(match text.split_once(" on ") {
        Some((version, _)) if version.starts_with("PostgreSQL") => version.to_owned(),
        _ => text,
    })
}
