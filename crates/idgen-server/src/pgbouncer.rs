//! A connection pooler before a PostgreSQL server.

use std::fs::{self, File};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::error::Error;
use crate::keeper::Keeper;
use crate::port::free_port;
use crate::process::user::{User, write_secret};
use crate::url;
use crate::wait::Wait;

/// Kills the pooler and removes its directory.
const END: &str = r#"[ -s "$1/pid" ] && kill -9 "$(cat "$1/pid")"; rm -rf "$1""#;
/// Where Debian has it, which is not in the `PATH` of everybody.
const PLACES: [&str; 3] = ["/usr/sbin", "/usr/bin", "/usr/local/bin"];

/// When PgBouncer gives a connection to the server to another client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolMode {
    /// After each transaction, with the settings that the session has then. Most hosted servers offer this.
    Transaction,
    /// When the client has disconnected; the settings are reset before.
    Session,
}

/// A private PgBouncer with one connection to the server for each database, so that all clients of a database share it.
/// Dropping it ends the process.
#[derive(Debug)]
pub struct PgBouncer {
    // Kills the process and removes its directory. It is the first field because fields are dropped in order.
    _keeper: Keeper,
    child: Child,
    directory: PathBuf,
    address: String,
}

impl PgBouncer {
    /// Starts a pooler before the server of a URL, for all of its databases.
    ///
    /// # Errors
    /// The program is missing (the message says what to install), or does not start.
    pub fn start(server: &str, mode: PoolMode) -> Result<PgBouncer, Error> {
        let program =
            PLACES.map(|place| PathBuf::from(place).join("pgbouncer")).into_iter().find(|path| path.exists());
        let program = program
            .ok_or_else(|| Error::new("PgBouncer is missing: run scripts/setup.sh, or install pgbouncer"))?;
        let (user, password, host, port) = parts(server)?;
        let directory = tempfile::Builder::new().prefix("idgen-pgbouncer-").tempdir();
        let directory = directory.map_err(|error| io("make a directory", error))?.keep();
        let keeper =
            Keeper::spawn(END, &[&directory.to_string_lossy()]).map_err(|error| io("run sh", error))?;
        let own = free_port()?;
        let mode = if mode == PoolMode::Transaction { "transaction" } else { "session" };
        let text = format!(
            "[databases]\n* = host={host} port={port} user={user} password={password}\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {own}\nunix_socket_dir =\nauth_type = any\n\
             pool_mode = {mode}\ndefault_pool_size = 1\nmax_client_conn = 100\nserver_tls_sslmode = disable\n\
             ignore_startup_parameters = extra_float_digits, options, IntervalStyle\nquery_wait_timeout = 60\n"
        );
        let as_user = User::other_than_root()?;
        let file = directory.join("pgbouncer.ini");
        as_user
            .map_or(Ok(()), |user| user.owns(&directory))
            .and_then(|()| write_secret(&file, &text, as_user))
            .map_err(|error| io("write its settings", error))?;
        let log = File::create(directory.join("log")).map_err(|error| io("write its log", error))?;
        let mut command = Command::new(program);
        command.arg(&file).current_dir(&directory).stdin(Stdio::null());
        command
            .stdout(log.try_clone().map_err(|error| io("write its log", error))?)
            .stderr(log)
            .process_group(0);
        if let Some(user) = as_user {
            user.runs(&mut command);
        }
        let child = command.spawn().map_err(|error| io("run PgBouncer", error))?;
        fs::write(directory.join("pid"), child.id().to_string())
            .map_err(|error| io("write its process id", error))?;
        let mut pooler = PgBouncer { _keeper: keeper, child, directory, address: format!("127.0.0.1:{own}") };
        pooler.until_it_listens()?;
        Ok(pooler)
    }

    /// A URL of the server, through the pooler.
    ///
    /// # Panics
    /// The URL has no user and host.
    pub fn url(&self, server: &str) -> String {
        let (_, url) = url::through(server, &self.address).expect("a URL with a user and a host");
        url.replace("?ssl-mode=DISABLED", "?sslmode=disable")
    }

    fn until_it_listens(&mut self) -> Result<(), Error> {
        let wait = Wait::until("PgBouncer listens");
        while TcpStream::connect(&self.address).is_err() {
            wait.check();
            if !matches!(self.child.try_wait(), Ok(None)) {
                let log = fs::read_to_string(self.directory.join("log")).unwrap_or_default();
                return Err(Error::new(format!("PgBouncer ended: {}", log.trim())));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        // The keeper also kills the process, but only a parent can remove a dead child process.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// User, password, host and port of a URL.
fn parts(url: &str) -> Result<(&str, &str, &str, &str), Error> {
    let found = || {
        let (_, rest) = url.split_once("://")?;
        let (user, rest) = rest.split_once('@')?;
        let (user, password) = user.split_once(':')?;
        let (host, port) = rest.split(['/', '?']).next()?.rsplit_once(':')?;
        Some((user, password, host, port))
    };
    found().ok_or_else(|| Error::new("a pooler needs a URL with user, password, host and port"))
}

fn io(doing: &str, error: std::io::Error) -> Error {
    Error::new(format!("cannot {doing} for PgBouncer: {error}"))
}
