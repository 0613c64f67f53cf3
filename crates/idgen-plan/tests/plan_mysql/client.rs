//! The server's own client, which executes the files of a plan.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use idgen_server::{Database, Server};

/// Executes files of a folder in one schema.
pub struct Client {
    program: Vec<String>,
    password: String,
    folder: PathBuf,
}

impl Client {
    pub fn new(server: &Server, schema: &str, folder: &Path) -> Client {
        let program = if server.database() == Database::MySql { "mysql" } else { "mariadb" };
        let (user, rest) = server.url().strip_prefix("mysql://").unwrap().split_once('@').unwrap();
        let (name, password) = user.split_once(':').unwrap();
        let (host, port) = rest.split(['/', '?']).next().unwrap().rsplit_once(':').unwrap();
        let mut words = Vec::new();
        if let Some(container) = container(port) {
            words = ["docker", "exec", "-i", "--env", "MYSQL_PWD"].map(str::to_owned).to_vec();
            words.push(container);
        }
        words.push(program.to_owned());
        let options =
            ["--host", host, "--port", port, "--user", name, "--default-character-set=utf8mb4", schema];
        words.extend(options.map(str::to_owned));
        Client { program: words, password: password.to_owned(), folder: folder.to_owned() }
    }

    /// Starts the execution of a file.
    pub fn start(&self, file: &str) -> Child {
        let input = std::fs::File::open(self.folder.join(file)).unwrap();
        Command::new(&self.program[0])
            .args(&self.program[1..])
            .env("MYSQL_PWD", &self.password)
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// What a file prints, or its error with what it printed before.
    pub fn execute(&self, file: &str) -> Result<String, String> {
        result(self.start(file).wait_with_output().unwrap())
    }

    /// Executes a file again while it waits for a metadata lock in vain, as its README says.
    pub fn must(&self, file: &str) -> String {
        for _ in 0..20 {
            match self.execute(file) {
                Ok(text) => return text,
                Err(text) if text.contains("ERROR 1205") || text.contains("ERROR 1213") => {}
                Err(text) => panic!("{file}: {text}"),
            }
        }
        panic!("{file} does not get its lock");
    }

    /// The files of the folder, or of undo/ in it, in their order.
    pub fn files(&self, under: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.join(under)).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".sql"))
            .collect();
        names.sort();
        names
    }
}

pub fn result(output: Output) -> Result<String, String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(text) } else { Err(text + &String::from_utf8_lossy(&output.stderr)) }
}

/// The container whose server listens on this port.
fn container(port: &str) -> Option<String> {
    let list = Command::new("docker")
        .args(["ps", "--no-trunc", "--filter", "label=idgen-server", "--format", "{{.Names}} {{.Command}}"])
        .output()
        .ok()?;
    let text = String::from_utf8(list.stdout).ok()?;
    let line = text.lines().find(|line| line.contains(&format!("--port={port} ")))?;
    line.split(' ').next().map(str::to_owned)
}
