//! The `docker` command.
//!
//! This program runs the command and does not use the engine's HTTP interface. The command negotiates an API version, while
//! Rust's `testcontainers` requires a fixed one, which Debian 12's engine refuses. It also follows Docker contexts and
//! `DOCKER_HOST`, and works with Podman's replacement of the command.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// The command `docker` in its own process group, because a terminal's Ctrl-C is for the program, which must first end what
/// it started.
pub(crate) fn command() -> Command {
    let mut docker = Command::new("docker");
    docker.process_group(0);
    docker
}

/// Runs docker and returns its output; the error is what it printed to standard error.
pub(crate) fn docker(arguments: &[&str]) -> Result<String, String> {
    output(command().args(arguments))
}

/// Runs a command and returns its output; the error is what it printed to standard error.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}
