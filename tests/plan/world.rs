//! A schema with two tables, a plan for them, the command and the server's own client.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use idgen_server::{Database, Scratch, Server, Settings, Wait};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, PgConnection, Row};

/// A server on which plans can be executed.
pub fn server(database: Database) -> Server {
    let settings = match database {
        Database::MySql => Settings::new().option("innodb_native_foreign_keys", "ON"),
        _ => Settings::new(),
    };
    Server::start(database, &settings).unwrap()
}

/// A schema or a database of its own with tables.
pub struct World<'a> {
    pub database: Database,
    folder: tempfile::TempDir,
    scratch: Scratch,
    server: &'a Server,
}

/// The exit code and the output of the command.
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl World<'_> {
    /// Eight parents `p`, each with a child `c`, and the plan in a folder.
    pub fn new(server: &Server) -> World<'_> {
        let database = server.database();
        let (scratch, folder) = (server.scratch().unwrap(), tempfile::tempdir().unwrap());
        let world = World { database, folder, scratch, server };
        let id = match database {
            Database::Postgres => "CHAR(36) NOT NULL",
            _ => "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL",
        };
        world.sql(&format!(
            "CREATE TABLE p (id {id} PRIMARY KEY, n INT); CREATE TABLE c (id {id} PRIMARY KEY, p_id {id}, \
             CONSTRAINT of_p FOREIGN KEY (p_id) REFERENCES p (id))"
        ));
        for number in 1..=8 {
            let id = format!("{number:08x}-0000-4000-8000-000000000000");
            world.sql(&format!(
                "INSERT INTO p (id, n) VALUES ('{id}', 1); INSERT INTO c (id, p_id) VALUES ('{id}', '{id}')"
            ));
        }
        let to = if database == Database::Postgres { "uuid" } else { "binary16" };
        let folder = world.plan_folder();
        let said = world.idgen(&["plan", "--table", "p", "--to", to, "--out", folder.to_str().unwrap()]);
        assert_eq!(said.code, 0, "{}", said.err);
        world
    }

    pub fn plan_folder(&self) -> PathBuf {
        self.folder.path().join("plan")
    }

    /// The identity of the plan.
    pub fn id(&self) -> String {
        let json = fs::read(self.plan_folder().join("plan.json")).unwrap();
        let plan: Value = serde_json::from_slice(&json).unwrap();
        plan["id"].as_str().unwrap().to_owned()
    }

    /// A table of the plan itself.
    pub fn own(&self, table: &str) -> String {
        match self.database {
            Database::Postgres => format!("idgen_{}.{table}", self.id()),
            _ => format!("idgen_{}_{table}", self.id()),
        }
    }

    /// The name of the step on PostgreSQL, or on the others.
    pub fn of<'a>(&self, postgres: &'a str, others: &'a str) -> &'a str {
        if self.database == Database::Postgres { postgres } else { others }
    }

    /// The file of a step.
    pub fn file(&self, step: &str) -> String {
        let files = fs::read_dir(self.plan_folder()).unwrap();
        let mut names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        names.find(|name| name.get(3..) == Some(&format!("{step}.sql"))).unwrap()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("idgen"));
        command.args(arguments).env("IDGEN_PLAN_URL", self.scratch.url()).stdin(Stdio::null());
        command
    }

    pub fn idgen(&self, arguments: &[&str]) -> Said {
        said(self.command(arguments).output().unwrap())
    }

    /// `idgen plan run` with options.
    pub fn run(&self, options: &[&str]) -> Said {
        let folder = self.plan_folder();
        self.idgen(&[&["plan", "run", folder.to_str().unwrap()], options].concat())
    }

    /// `idgen plan run`, which must succeed.
    pub fn must(&self, options: &[&str]) -> String {
        let said = self.run(options);
        assert_eq!(said.code, 0, "{options:?}: {}{}", said.out, said.err);
        said.out
    }

    /// `idgen plan run`, which must fail with these words.
    pub fn refused(&self, options: &[&str], part: &str) -> Said {
        let said = self.run(options);
        assert!(said.code == 1 && said.err.contains(part), "{options:?}: {}{}", said.out, said.err);
        said
    }

    /// Starts `idgen plan run`.
    pub fn start(&self, options: &[&str]) -> Child {
        let folder = self.plan_folder();
        let mut command = self.command(&[&["plan", "run", folder.to_str().unwrap()], options].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The plans as `idgen plan status --json` shows them.
    pub fn status(&self) -> Vec<Value> {
        let said = self.idgen(&["plan", "status", "--json"]);
        assert_eq!(said.code, 0, "{}", said.err);
        serde_json::from_str(&said.out).unwrap()
    }

    /// Changes settings of the copy.
    pub fn set(&self, settings: &[&str]) {
        let options = settings.iter().flat_map(|setting| ["--set", setting]);
        let said = self.idgen(&[&["plan", "status"][..], &options.collect::<Vec<_>>()].concat());
        assert_eq!(said.code, 0, "{settings:?}: {}", said.err);
    }

    /// The only plan.
    pub fn plan(&self) -> Value {
        let plans = self.status();
        assert_eq!(plans.len(), 1, "{plans:?}");
        plans.into_iter().next().unwrap()
    }

    /// The state of a step.
    pub fn state(&self, step: &str) -> String {
        let plan = self.plan();
        let steps = plan["steps"].as_array().unwrap();
        let found = steps.iter().find(|found| found["step"] == step);
        found.unwrap_or_else(|| panic!("{plan}"))["state"].as_str().unwrap().to_owned()
    }

    /// Waits until the status has this text.
    pub fn until(&self, text: &str) -> String {
        let wait = Wait::until(format!("the status contains {text}"));
        loop {
            let said = self.idgen(&["plan", "status"]);
            if said.out.contains(text) {
                return said.out;
            }
            wait.check();
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Executes a file with the server's own client.
    pub fn native(&self, file: &str) {
        let file = fs::File::open(self.plan_folder().join(file)).unwrap();
        let mut client = match self.database {
            Database::Postgres => {
                let mut psql = Command::new("psql");
                psql.args(["-X", "-q", "-d", self.scratch.url(), "-f", "-"]);
                psql
            }
            _ => self.mysql(),
        };
        let output = client.stdin(file).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn mysql(&self) -> Command {
        let (user, address) = self.server.url().strip_prefix("mysql://").unwrap().split_once('@').unwrap();
        let (name, password) = user.split_once(':').unwrap();
        let (host, port) = address.split(['/', '?']).next().unwrap().rsplit_once(':').unwrap();
        let words = self.server.client();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command.args(["--host", host, "--port", port, "--user", name, self.scratch.name()]);
        command.env("MYSQL_PWD", password);
        command
    }

    /// Executes statements.
    pub fn sql(&self, sql: &str) {
        self.session(|mut session| session.execute(sql));
    }

    /// Uses a session of its own.
    pub fn session<T>(&self, work: impl FnOnce(Session) -> T) -> T {
        work(Session::open(self.database, self.scratch.url()))
    }

    /// A session that stays open.
    pub fn open(&self) -> Session {
        Session::open(self.database, self.scratch.url())
    }
}

pub fn said(output: std::process::Output) -> Said {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// A session of either driver.
pub struct Session {
    runtime: tokio::runtime::Runtime,
    connection: Connected,
}

enum Connected {
    MySql(MySqlConnection),
    Postgres(PgConnection),
}

impl Session {
    fn open(database: Database, url: &str) -> Session {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let connection = match database {
            Database::Postgres => Connected::Postgres(runtime.block_on(PgConnection::connect(url)).unwrap()),
            _ => Connected::MySql(runtime.block_on(MySqlConnection::connect(url)).unwrap()),
        };
        Session { runtime, connection }
    }

    pub fn execute(&mut self, sql: &str) {
        let text = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        let done = match &mut self.connection {
            Connected::MySql(connection) => self.runtime.block_on(connection.execute(text)).map(drop),
            Connected::Postgres(connection) => self.runtime.block_on(connection.execute(text)).map(drop),
        };
        done.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// The first value of each row.
    pub fn texts(&mut self, sql: &str) -> Vec<String> {
        let text = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        match &mut self.connection {
            Connected::MySql(connection) => {
                let rows = self.runtime.block_on(connection.fetch_all(text)).unwrap();
                rows.iter().map(|row| row.get_unchecked(0)).collect()
            }
            Connected::Postgres(connection) => {
                let rows = self.runtime.block_on(connection.fetch_all(text)).unwrap();
                rows.iter().map(|row| row.get(0)).collect()
            }
        }
    }
}
