//! Two processes of the server, on one database.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use idgen_server::Wait;

pub const TOKEN: &str = "a token of the simulation";

struct Process {
    child: Child,
    url: String,
}

/// The processes. Each is there, or starts again.
pub struct Servers {
    database: String,
    running: [Mutex<Process>; 2],
    /// Where they can be reached.
    urls: Mutex<[String; 2]>,
}

impl Servers {
    pub fn start(database: &str) -> Servers {
        let running = [(); 2].map(|()| start(database));
        let urls = Mutex::new([running[0].url.clone(), running[1].url.clone()]);
        Servers { database: database.to_owned(), running: running.map(Mutex::new), urls }
    }

    pub fn url(&self, at: usize) -> String {
        self.urls.lock().unwrap()[at].clone()
    }

    /// Kills one with `SIGKILL`, and starts another in its place.
    pub fn kill_one(&self, at: usize) {
        let mut process = self.running[at].lock().unwrap();
        process.child.kill().unwrap();
        process.child.wait().unwrap();
        *process = start(&self.database);
        self.urls.lock().unwrap()[at].clone_from(&process.url);
    }

    /// Asks both to end, as an operator does.
    pub fn stop(&self) {
        for process in &self.running {
            let child = &mut process.lock().unwrap().child;
            assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
            assert!(child.wait().unwrap().success());
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a process, again and again while the database is away.
fn start(database: &str) -> Process {
    let wait = Wait::until("a server finds its database");
    loop {
        wait.check();
        let mut child = Command::new(env!("CARGO_BIN_EXE_sync-server"))
            .env("DATABASE_URL", database)
            .env("LISTEN", "127.0.0.1:0")
            .env("SYNC_TOKEN", TOKEN)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        if let Some(url) = line.trim().strip_prefix("listening on ") {
            let url = url.to_owned();
            return Process { child, url };
        }
        child.wait().unwrap();
    }
}
