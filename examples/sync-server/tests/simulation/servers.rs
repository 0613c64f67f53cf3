//! Two processes of the server, on one database.

use std::process::Stdio;
use std::sync::Mutex;

use idgen_server::Wait;

use crate::process::Process;

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
        process.kill();
        *process = start(&self.database);
        self.urls.lock().unwrap()[at].clone_from(&process.url);
    }

    /// Asks both to end, as an operator does.
    pub fn stop(self) {
        self.running.into_iter().for_each(|process| process.into_inner().unwrap().stop());
    }
}

/// Starts a process, again and again while the database is away.
fn start(database: &str) -> Process {
    let wait = Wait::until("a server finds its database");
    loop {
        wait.check();
        if let Ok(process) = Process::start(database, Stdio::null()) {
            return process;
        }
    }
}
