//! The `docker` command.
//!
//! The command, not the engine's HTTP interface: it settles on an API version that both sides speak
//! (Rust's `testcontainers` asks for a fixed one, which Debian 12's engine refuses), follows Docker contexts
//! and `DOCKER_HOST`, and works with Podman's stand-in.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// docker, out of the reach of a terminal's Ctrl-C: that is for the program, which has to end what it began.
pub(crate) fn command() -> Command {
    let mut docker = Command::new("docker");
    docker.process_group(0);
    docker
}

/// Runs docker and gives what it printed; the error is what it complained about.
pub(crate) fn docker(arguments: &[&str]) -> Result<String, String> {
    output(command().args(arguments))
}

/// The same of a command that is made already.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}
