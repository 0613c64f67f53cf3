//! Cleanup that runs whichever way this program ends.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// A shell that waits on a pipe from this program, and runs a command when the pipe closes: on drop, after a panic,
/// at exit (also for statics, which Rust never drops), and after a kill.
#[derive(Debug)]
pub(crate) struct Keeper {
    shell: Child,
}

impl Keeper {
    /// `script` runs at the end, with `arguments` as `$1`, `$2` ...
    pub(crate) fn spawn(script: &str, arguments: &[&str]) -> io::Result<Keeper> {
        let shell = Command::new("sh")
            .arg("-c")
            .arg(format!("read -r _ || :\n{script}"))
            .arg("sh")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C must reach the program only, not the keeper.
            .process_group(0)
            .spawn()?;
        Ok(Keeper { shell })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        // The next server may use the same port, so return only when the cleanup is done.
        let _ = self.shell.wait();
    }
}
