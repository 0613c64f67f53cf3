//! The program under test, and requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

pub const TOKEN: &str = "a token of the test";

/// The program, and the address that it has said.
pub struct Process {
    pub child: Child,
    pub url: String,
}

impl Process {
    pub fn start(database: &str) -> Process {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sync-server"))
            .env("DATABASE_URL", database)
            .env("LISTEN", "127.0.0.1:0")
            .env("SYNC_TOKEN", TOKEN)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line:?}")).to_owned();
        Process { child, url }
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

/// A request with a connection of its own; its headers end with an empty line.
pub fn request(url: &str, headers: &str, body: &[u8]) -> std::io::Result<TcpStream> {
    let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap())?;
    let head = format!(
        "POST /sync HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    Ok(stream)
}

pub fn authorized() -> String {
    format!("Authorization: Bearer {TOKEN}\r\n")
}

/// The status and the body of an answer.
pub fn answer(url: &str, headers: &str, body: &[u8]) -> (u16, Vec<u8>) {
    let mut all = Vec::new();
    // The server may close the connection before it has read a body that it refuses.
    let _ = request(url, headers, body).unwrap().read_to_end(&mut all);
    let end = all.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(all[..end].to_vec()).unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), all[end + 4..].to_vec())
}
