//! The program under test.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

pub const TOKEN: &str = "a token of the test";

/// The program, and the address that it has said.
pub struct Process {
    pub child: Child,
    pub url: String,
}

impl Process {
    /// Starts the program on a database. It says an address, or ends.
    pub fn start(database: &str, errors: Stdio) -> Result<Process, String> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sync-server"))
            .env("DATABASE_URL", database)
            .env("LISTEN", "127.0.0.1:0")
            .env("SYNC_TOKEN", TOKEN)
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap_or_default().to_owned();
        // Dropped here, a child without an address is waited for.
        let process = Process { child, url };
        if process.url.is_empty() { Err(line) } else { Ok(process) }
    }

    /// `kill -9`
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks the process to end, as an operator does.
    pub fn stop(mut self) {
        let done = Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(done.success());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
