//! Connection poolers before a PostgreSQL server.

use std::fs::{self, File};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::error::Error;
use crate::keeper::Keeper;
use crate::port::free_port;
use crate::process::user::{User, write_secret};
use crate::url;
use crate::wait::Wait;

/// Kills the pooler with its children, which are its group, and removes its directory.
const END: &str = r#"[ -s "$1/pid" ] && kill -9 "-$(cat "$1/pid")"; rm -rf "$1""#;
/// The name of the file with its settings.
const SETTINGS: &str = "settings";
/// The directories where Debian has the poolers. They are not in everybody's `PATH`.
const PLACES: [&str; 3] = ["/usr/sbin", "/usr/bin", "/usr/local/bin"];

/// The way in which a pooler shares sessions of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// PgBouncer gives the session to another client after each transaction, with the settings that it has then. Most hosted servers
    /// offer this.
    Transactions,
    /// PgBouncer resets the settings after the client has disconnected, and gives the session to another client.
    Sessions,
    /// pgpool-II sends statements that only read to a replica. Here this is another session of the same server.
    Reads,
}

/// A private pooler. PgBouncer has one connection to the server for each database, so that all clients of a database share it.
/// Dropping it ends the process.
#[derive(Debug)]
pub struct Pooler {
    // Kills the process and removes its directory. It is the first field because fields are dropped in order.
    _keeper: Keeper,
    child: Child,
    directory: PathBuf,
    address: String,
}

impl Pooler {
    /// Starts a pooler before the server of a URL, for all of its databases.
    ///
    /// # Errors
    /// The program is missing (the message says what to install), or does not start.
    pub fn start(server: &str, pooling: Pooling) -> Result<Pooler, Error> {
        let name = if pooling == Pooling::Reads { "pgpool" } else { "pgbouncer" };
        let program =
            PLACES.map(|place| PathBuf::from(place).join(name)).into_iter().find(|path| path.exists());
        let program = program.ok_or_else(|| {
            Error::new(format!("{name} is missing: run scripts/setup.sh, or install pgbouncer and pgpool2"))
        })?;
        let directory = tempfile::Builder::new().prefix("idgen-pooler-").tempdir();
        let directory = directory.map_err(|error| io("make a directory", error))?.keep();
        let keeper =
            Keeper::spawn(END, &[&directory.to_string_lossy()]).map_err(|error| io("run sh", error))?;
        let own = free_port()?;
        let as_user = User::other_than_root()?;
        as_user
            .map_or(Ok(()), |user| user.owns(&directory))
            .map_err(|error| io("write its settings", error))?;
        for (file, text) in files(server, pooling, own, &directory)? {
            write_secret(&directory.join(file), &text, as_user)
                .map_err(|error| io("write its settings", error))?;
        }
        let log = File::create(directory.join("log")).map_err(|error| io("write its log", error))?;
        let mut command = Command::new(program);
        match pooling {
            Pooling::Reads => command.arg("-n").arg("-f").arg(directory.join(SETTINGS)),
            Pooling::Transactions | Pooling::Sessions => command.arg(directory.join(SETTINGS)),
        };
        command.current_dir(&directory).stdin(Stdio::null());
        command
            .stdout(log.try_clone().map_err(|error| io("write its log", error))?)
            .stderr(log)
            .process_group(0);
        if let Some(user) = as_user {
            user.runs(&mut command);
        }
        let child = command.spawn().map_err(|error| io("run the pooler", error))?;
        fs::write(directory.join("pid"), child.id().to_string())
            .map_err(|error| io("write its process id", error))?;
        let mut pooler = Pooler { _keeper: keeper, child, directory, address: format!("127.0.0.1:{own}") };
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
        let wait = Wait::until("the pooler listens");
        while TcpStream::connect(&self.address).is_err() {
            wait.check();
            if !matches!(self.child.try_wait(), Ok(None)) {
                let log = fs::read_to_string(self.directory.join("log")).unwrap_or_default();
                return Err(Error::new(format!("the pooler ended: {}", log.trim())));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        // The keeper also kills the process, but only a parent can remove a dead child process.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The names and texts of a pooler's settings.
fn files(
    server: &str,
    pooling: Pooling,
    own: u16,
    directory: &Path,
) -> Result<Vec<(&'static str, String)>, Error> {
    let (user, password, host, port) = parts(server)?;
    let mode = match pooling {
        Pooling::Transactions => "transaction",
        Pooling::Sessions => "session",
        Pooling::Reads => {
            let of_server = |number: u8, weight: u8, flag: &str| {
                format!(
                    "backend_hostname{number} = '{host}'\nbackend_port{number} = {port}\nbackend_weight{number} = {weight}\n\
                     backend_flag{number} = '{flag}DISALLOW_TO_FAILOVER'\n"
                )
            };
            let (folder, control) = (directory.display(), free_port()?);
            let settings = format!(
                "backend_clustering_mode = 'streaming_replication'\nlisten_addresses = '127.0.0.1'\nport = {own}\n\
                 socket_dir = '{folder}'\npcp_socket_dir = '{folder}'\npcp_port = {control}\npid_file_name = '{folder}/pgpool.pid'\nlogdir = '{folder}'\n\
                 enable_pool_hba = off\nallow_clear_text_frontend_auth = on\nnum_init_children = 8\nload_balance_mode = on\n\
                 sr_check_period = 0\nhealth_check_period = 0\nfailover_on_backend_error = off\n{}{}",
                of_server(0, 0, "ALWAYS_PRIMARY|"),
                of_server(1, 1, ""),
            );
            return Ok(vec![(SETTINGS, settings), ("pool_passwd", format!("{user}:TEXT{password}\n"))]);
        }
    };
    let settings = format!(
        "[databases]\n* = host={host} port={port} user={user} password={password}\n\
         [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {own}\nunix_socket_dir =\nauth_type = any\n\
         pool_mode = {mode}\ndefault_pool_size = 1\nmax_client_conn = 100\nserver_tls_sslmode = disable\n\
         ignore_startup_parameters = extra_float_digits, options, IntervalStyle\nquery_wait_timeout = 60\n"
    );
    Ok(vec![(SETTINGS, settings)])
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
    Error::new(format!("cannot {doing} for the pooler: {error}"))
}
