//! The server's own client, which executes the files of a plan.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use idgen_server::Server;

/// Executes files of a folder in one schema.
pub struct Client {
    words: Vec<String>,
    /// The number of words before the options.
    program: usize,
    password: String,
    folder: PathBuf,
}

impl Client {
    pub fn new(server: &Server, schema: &str, folder: &Path) -> Client {
        let [name, password, host, port] = address(server.url());
        Client::of_program(server.client(), [name, password, host, port], schema, folder)
    }

    /// The client of MariaDB, which connects to MySQL, too, without TLS: so it can be passed on by a [`SharedConnection`](idgen_server::SharedConnection).
    pub fn without_tls(url: &str, schema: &str, folder: &Path) -> Client {
        Client::of_program(
            ["mariadb", "--skip-ssl"].map(str::to_owned).to_vec(),
            address(url),
            schema,
            folder,
        )
    }

    fn of_program(
        mut words: Vec<String>,
        [name, password, host, port]: [&str; 4],
        schema: &str,
        folder: &Path,
    ) -> Client {
        let program = words.len();
        let options =
            ["--host", host, "--port", port, "--user", name, "--default-character-set=latin1", schema];
        words.extend(options.map(str::to_owned));
        Client { words, program, password: password.to_owned(), folder: folder.to_owned() }
    }

    /// The client of another account.
    pub fn of(mut self, name: &str, password: &str) -> Client {
        let at = self.words.iter().position(|word| word == "--user").unwrap();
        self.words[at + 1] = name.to_owned();
        self.password = password.to_owned();
        self
    }

    /// The client that continues after an error.
    pub fn with_force(mut self) -> Client {
        self.words.insert(self.program, "--force".to_owned());
        self
    }

    /// The name of the program, and the words that call it without options.
    pub fn program(&self) -> (&str, &[String]) {
        let words = &self.words[..self.program];
        (words.last().unwrap(), words)
    }

    fn spawn(&self, input: Stdio) -> Child {
        Command::new(&self.words[0])
            .args(&self.words[1..])
            .env("MYSQL_PWD", &self.password)
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Starts a dump of the schema by MySQL's program, in one transaction, with one statement for each row for which the condition is true.
    pub fn dump(&self, condition: &str) -> Child {
        Command::new(&self.words[0])
            .args(self.words[1..].iter().map(|word| if word == "mysql" { "mysqldump" } else { word }))
            .args([
                "--single-transaction",
                "--skip-extended-insert",
                "--no-tablespaces",
                &format!("--where={condition}"),
            ])
            .env("MYSQL_PWD", &self.password)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Starts the execution of a file.
    pub fn start(&self, file: &str) -> Child {
        self.spawn(std::fs::File::open(self.folder.join(file)).unwrap().into())
    }

    /// Executes a text, and returns its output, or its error.
    pub fn execute_text(&self, text: &str) -> Result<String, String> {
        let mut child = self.spawn(Stdio::piped());
        // A client that ends with an error does not read the rest.
        let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
        result(child.wait_with_output().unwrap())
    }

    /// Executes files in one session.
    pub fn execute_together(&self, files: impl Iterator<Item = String>) -> Result<String, String> {
        // The second one would take it for the session of a pooler.
        let text: String = files.flat_map(|file| self.statements(&file)).collect();
        self.execute_text(&format!("SET @idgen_own_session = CONNECTION_ID();\n{text}"))
    }

    /// The head of a file, and its statements, each with what ends it.
    pub fn statements(&self, file: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.join(file)).unwrap();
        text.split_inclusive("$$\n").map(str::to_owned).collect()
    }

    /// Executes a file, and returns its output, or its error with the output before it.
    pub fn execute(&self, file: &str) -> Result<String, String> {
        result(self.start(file).wait_with_output().unwrap())
    }

    /// The identity of the plan, as its files write it.
    pub fn id(&self) -> String {
        let text = std::fs::read_to_string(self.folder.join("01-check.sql")).unwrap();
        let before = text.split_once("_session = CONNECTION_ID()$$").unwrap().0;
        before[before.len() - 8..].to_owned()
    }

    /// A name that the plan makes from that of a table.
    pub fn made(&self, table: &str, ending: &str) -> String {
        format!("{table}_{}_{ending}", self.id())
    }

    /// A name of the plan itself.
    pub fn own(&self, name: &str) -> String {
        format!("idgen_{}_{name}", self.id())
    }

    /// Executes a file again while it fails to get a metadata lock, as its README says. It may be done already.
    pub fn must(&self, file: &str) -> String {
        for _ in 0..20 {
            match self.execute(file) {
                Ok(text) => return text,
                Err(text) if text.contains("this step is done: go on with") => return text,
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

/// User, password, host and port of a URL.
pub fn address(url: &str) -> [&str; 4] {
    let (user, rest) = url.strip_prefix("mysql://").unwrap().split_once('@').unwrap();
    let (name, password) = user.split_once(':').unwrap();
    let (host, port) = rest.split(['/', '?']).next().unwrap().rsplit_once(':').unwrap();
    [name, password, host, port]
}

pub fn result(output: Output) -> Result<String, String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(text) } else { Err(text + &String::from_utf8_lossy(&output.stderr)) }
}
