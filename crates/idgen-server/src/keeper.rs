//! Clearing up, whatever happens to this program.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// A shell that waits on a pipe from this program and runs a command once the pipe closes: on drop,
/// after a panic, at exit (also for statics, which Rust never drops), and after a kill.
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
            // A Ctrl-C is for the program, not for its keeper.
            .process_group(0)
            .spawn()?;
        Ok(Keeper { shell })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        // The next server may want the same port: return only when all is cleared.
        let _ = self.shell.wait();
    }
}
