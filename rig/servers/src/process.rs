//! A private server process, from the binaries of this machine.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::certificates::{self, Certificates};
use crate::error::Error;
use crate::keeper::Keeper;
use crate::log;
use crate::process::user::User;
use crate::settings::Settings;
use idgen_database::Database;

mod postgres;
pub(crate) mod user;

/// A server process with a temporary data directory.
#[derive(Debug)]
pub(crate) struct Process {
    // Kills the server and removes its directory. It is the first field because fields are dropped in order.
    _keeper: Keeper,
    database: Database,
    directory: PathBuf,
    binary: PathBuf,
    /// The user that runs it, if it is another one.
    user: Option<User>,
    arguments: Vec<String>,
    child: Mutex<Option<Child>>,
}

/// The commands that kill a server of MySQL's kind, and remove its directory.
const END: &str = r#"[ -s "$1/pid" ] && kill -9 "$(cat "$1/pid")"; rm -rf "$1""#;

/// The server binary of this machine, if there is one of this database. `IDGEN_MYSQLD`, `IDGEN_MARIADBD` and
/// `IDGEN_POSTGRES` name another.
pub(crate) fn binary(database: Database) -> Option<PathBuf> {
    let (variable, names): (_, &[&str]) = match database {
        Database::MySql => ("IDGEN_MYSQLD", &["mysqld"]),
        // Older MariaDB packages call theirs mysqld too.
        Database::MariaDb => ("IDGEN_MARIADBD", &["mariadbd", "mysqld"]),
        Database::Postgres => ("IDGEN_POSTGRES", &["postgres"]),
        Database::Sqlite => return None,
    };
    let named = std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
    let places = || {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut places: Vec<PathBuf> = std::env::split_paths(&path).collect();
        places.extend(["/usr/sbin", "/usr/local/sbin", "/usr/local/mysql/bin"].map(PathBuf::from));
        if database == Database::Postgres {
            places.extend(postgres::places());
        }
        places
    };
    let candidates = match named {
        Some(path) => vec![path],
        None => names.iter().flat_map(|name| places().into_iter().map(move |at| at.join(name))).collect(),
    };
    candidates.into_iter().find(|path| {
        let Ok(output) = Command::new(path).arg("--version").stdin(Stdio::null()).output() else {
            return false;
        };
        output.status.success() && Database::of_version(&String::from_utf8_lossy(&output.stdout)) == database
    })
}

fn io(what: &str, error: std::io::Error) -> Error {
    Error::new(format!("cannot {what}: {error}"))
}

impl Process {
    pub(crate) fn start(
        database: Database,
        settings: &Settings,
        certificates: Option<&Certificates>,
        password: &str,
        port: u16,
    ) -> Result<Process, Error> {
        if settings.iops_limits().is_some() {
            return Err(Error::new(
                "IOPS can be limited for containers only: start Docker, or run without a limit",
            ));
        }
        let binary =
            binary(database).ok_or_else(|| Error::new(format!("no {database} server on this machine")))?;
        let directory = tempfile::Builder::new()
            .prefix("idgen-server-")
            .tempdir()
            .map_err(|error| io("make a directory for the server", error))?
            .keep();
        let end = if database.speaks_mysql() { END } else { postgres::END };
        let keeper = Keeper::spawn(end, &[&directory.to_string_lossy()])
            .map_err(|error| io("run sh, which stops the server", error))?;
        let (user, arguments) = if database == Database::Postgres {
            let user = User::other_than_root()?;
            (user, postgres::prepare(&binary, &directory, user, settings, password, port)?)
        } else {
            (None, prepare(database, &binary, &directory, settings, certificates, password, port)?)
        };
        let process = Process {
            _keeper: keeper,
            database,
            directory,
            binary,
            user,
            arguments,
            child: Mutex::new(None),
        };
        process.start_again()?;
        Ok(process)
    }

    /// Kills the process, and waits until it has ended.
    pub(crate) fn kill(&self) -> Result<(), Error> {
        let Some(mut child) = self.child().take() else { return Ok(()) };
        let killed =
            if self.database.speaks_mysql() { child.kill() } else { postgres::signal(child.id(), "QUIT") };
        killed
            .and_then(|()| child.wait())
            .map(drop)
            .map_err(|error| Error::new(format!("cannot kill the server: {error}")))
    }

    /// Waits until a process that is shutting down has ended.
    pub(crate) fn wait(&self) -> Result<(), Error> {
        let Some(mut child) = self.child().take() else { return Ok(()) };
        child.wait().map(drop).map_err(|error| Error::new(format!("cannot wait for the server: {error}")))
    }

    /// Shuts PostgreSQL down cleanly, and waits until its process has ended.
    pub(crate) fn stop_postgres(&self) -> Result<(), Error> {
        if let Some(id) = self.id() {
            postgres::signal(id, "INT")
                .map_err(|error| Error::new(format!("cannot stop the server: {error}")))?;
        }
        self.wait()
    }

    /// Returns true if the process ended within the time.
    pub(crate) fn ends_within(&self, limit: Duration) -> bool {
        let begin = Instant::now();
        while self.runs() {
            if begin.elapsed() > limit {
                return false;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        true
    }

    pub(crate) fn start_again(&self) -> Result<(), Error> {
        let mut child = self.child();
        let spawn = || {
            let log = File::options().create(true).append(true).open(self.directory.join("log"))?;
            let mut command = Command::new(&self.binary);
            command
                .args(&self.arguments)
                .stdin(Stdio::null())
                .stdout(log.try_clone()?)
                .stderr(log)
                // A Ctrl-C is for the program, which must first end its work on the server.
                .process_group(0);
            if let Some(user) = self.user {
                user.runs(&mut command);
            }
            let child = command.spawn()?;
            fs::write(self.directory.join("pid"), child.id().to_string())?;
            Ok(child)
        };
        *child = Some(spawn().map_err(|error: std::io::Error| {
            Error::new(format!("cannot run {}: {error}", self.binary.display()))
        })?);
        Ok(())
    }

    pub(crate) fn runs(&self) -> bool {
        self.child().as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)))
    }

    pub(crate) fn id(&self) -> Option<u32> {
        self.child().as_ref().map(Child::id)
    }

    /// The errors in the server's log, and its end.
    pub(crate) fn log(&self) -> String {
        log::excerpt(&fs::read_to_string(self.directory.join("log")).unwrap_or_default())
    }

    pub(crate) fn copy_data_file(&self, relative: &str, to: &Path) -> Result<(), Error> {
        let from = self.directory.join("data").join(relative);
        fs::copy(&from, to).map(drop).map_err(|error| {
            Error::new(format!("cannot copy {} to {}: {error}", from.display(), to.display()))
        })
    }

    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The keeper also kills the process, but only a parent can remove a dead child process.
        let _ = self.kill();
    }
}

/// The option without which a server refuses to run as root.
fn user_option() -> Option<String> {
    let uid = Command::new("id").arg("-u").output().ok()?;
    (uid.stdout.trim_ascii() == b"0").then(|| "--user=root".to_owned())
}

/// Makes the data of a server of MySQL or MariaDB, and returns the arguments with which it starts.
fn prepare(
    database: Database,
    binary: &Path,
    directory: &Path,
    settings: &Settings,
    certificates: Option<&Certificates>,
    password: &str,
    port: u16,
) -> Result<Vec<String>, Error> {
    let data = directory.join("data");
    fs::create_dir(&data).map_err(|error| io("make the data directory", error))?;
    initialise(database, binary, directory, &data)?;

    let start_sql = directory.join("start.sql");
    // The password is hexadecimal digits: nothing to quote. MariaDB's installer leaves roots without a
    // password, which would match first.
    let statements = format!(
        "DROP USER IF EXISTS root@'127.0.0.1', root@'::1';\n\
         CREATE USER IF NOT EXISTS root@'%' IDENTIFIED BY '{password}';\n\
         GRANT ALL PRIVILEGES ON *.* TO root@'%' WITH GRANT OPTION;\n\
         ALTER USER root@localhost IDENTIFIED BY '{password}';\n"
    );
    fs::write(&start_sql, statements).map_err(|error| io("write the first statements", error))?;
    let mut arguments = vec![
        "--no-defaults".to_owned(),
        format!("--datadir={}", data.display()),
        format!("--socket={}", directory.join("s").display()),
        format!("--pid-file={}", directory.join("server.pid").display()),
        format!("--init-file={}", start_sql.display()),
        format!("--port={port}"),
        "--bind-address=127.0.0.1".to_owned(),
        "--skip-name-resolve".to_owned(),
    ];
    arguments.extend(user_option());
    if database == Database::MySql {
        arguments.push("--mysqlx=OFF".to_owned());
        arguments.push("--secure-file-priv=NULL".to_owned());
    }
    arguments.extend(settings.arguments(database));
    if let Some(certificates) = certificates {
        arguments.extend(certificates::options(&certificates.folder().to_string_lossy()));
    }
    Ok(arguments)
}

/// Creates the system tables.
fn initialise(database: Database, binary: &Path, directory: &Path, data: &Path) -> Result<(), Error> {
    let mut command = if database == Database::MariaDb {
        let mut command = Command::new("mariadb-install-db");
        command.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]);
        command
    } else {
        let mut command = Command::new(binary);
        command.args(["--no-defaults", "--initialize-insecure"]);
        command
    };
    command.arg(format!("--datadir={}", data.display())).args(user_option());
    // A Ctrl-C is for the program: see where the server is started.
    command.process_group(0);
    let output = command.current_dir(directory).stdin(Stdio::null()).output().map_err(|error| {
        Error::new(format!("cannot run {}: {error}", command.get_program().to_string_lossy()))
    })?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::new(format!(
        "{} could not make a data directory: {}{}",
        command.get_program().to_string_lossy(),
        String::from_utf8_lossy(&output.stdout).trim(),
        String::from_utf8_lossy(&output.stderr).trim()
    )))
}
