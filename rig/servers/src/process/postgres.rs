//! The differences of PostgreSQL: its data directory, its options, its signals.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::user::{User, write_secret};
use crate::error::Error;
use crate::settings::Settings;
use idgen_database::Database;

/// Ends the server and removes its directory. The server has several processes: on SIGQUIT, the first one ends the others
/// and releases their shared memory. Processes that are left after ten seconds are killed.
pub(super) const END: &str = r#"
if [ -s "$1/pid" ]; then
  pid=$(cat "$1/pid")
  kill -QUIT "$pid"
  for _ in $(seq 100); do kill -0 "$pid" || break; sleep 0.1; done
  kill -9 "$pid"
fi
rm -rf "$1""#;

/// Folders of the server's programs that are not in `PATH`: Debian's, the newest first.
pub(super) fn places() -> Vec<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    versions.sort();
    versions.into_iter().rev().map(|(_, path)| path).collect()
}

/// Makes the data directory, and returns the server's options.
pub(super) fn prepare(
    binary: &Path,
    directory: &Path,
    user: Option<User>,
    settings: &Settings,
    password: &str,
    port: u16,
) -> Result<Vec<String>, Error> {
    let secret = directory.join("password");
    user.map_or(Ok(()), |user| user.owns(directory))
        .and_then(|()| write_secret(&secret, password, user))
        .map_err(|error| Error::new(format!("cannot write into {}: {error}", directory.display())))?;
    let data = directory.join("data");
    let program = binary.with_file_name("initdb");
    let mut command = Command::new(&program);
    command
        .args(["--username=postgres", "--auth=scram-sha-256", "--encoding=UTF8", "--no-locale", "--no-sync"])
        .arg("--pgdata")
        .arg(&data)
        .arg("--pwfile")
        .arg(&secret)
        .current_dir(directory)
        .stdin(Stdio::null())
        // A Ctrl-C is for the program, which must first end its work on the server.
        .process_group(0);
    if let Some(user) = user {
        user.runs(&mut command);
    }
    let output =
        command.output().map_err(|error| Error::new(format!("cannot run {}: {error}", program.display())))?;
    if !output.status.success() {
        return Err(Error::new(format!(
            "{} could not make a data directory: {}",
            program.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        )));
    }
    let mut arguments = vec![
        "-D".to_owned(),
        data.to_string_lossy().into_owned(),
        // No socket: its path would have to be short.
        "-cunix_socket_directories=".to_owned(),
        "-clisten_addresses=127.0.0.1".to_owned(),
        format!("-cport={port}"),
    ];
    arguments.extend(settings.arguments(Database::Postgres));
    Ok(arguments)
}

/// Sends a signal to the server's first process. PostgreSQL manual, section "Shutting Down the Server": INT is an orderly
/// and fast shutdown, QUIT an immediate one, after which the server recovers as from a crash.
pub(super) fn signal(process: u32, name: &str) -> io::Result<()> {
    let status = Command::new("kill").arg(format!("-{name}")).arg(process.to_string()).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("kill -{name} failed: {status}"))) }
}
