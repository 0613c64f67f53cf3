//! Executes files with the server's own client, `psql`.

use std::fs::File;
use std::process::{Command, Output};
use std::sync::LazyLock;

use idgen_plan::Plan;
use idgen_server::{Database, Provider, Server, Settings};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

/// One server for all tests; each has its own database.
pub static SERVER: LazyLock<Server> = LazyLock::new(|| {
    Server::start(Database::Postgres, &Settings::new().option("max_connections", "200")).unwrap()
});

/// A plan that was written, and the database that it is for.
pub struct Files {
    folder: tempfile::TempDir,
    pub names: Vec<String>,
    url: String,
}

impl Files {
    pub fn write(plan: &Plan, url: &str) -> Files {
        let folder = tempfile::tempdir().unwrap();
        plan.write(&folder.path().join("plan")).unwrap();
        let names = plan.files().into_iter().map(|(name, _)| name);
        let mut names: Vec<String> =
            names.filter(|name| name.ends_with(".sql") && !name.contains('/')).collect();
        names.sort();
        Files { folder, names, url: url.to_owned() }
    }

    /// The file of a step.
    pub fn step(&self, step: &str) -> &str {
        self.names.iter().find(|name| name[3..] == format!("{step}.sql")).unwrap()
    }

    /// Whether the step of a file changes anything.
    pub fn undo_of(&self, name: &str) -> bool {
        self.folder.path().join("plan/undo").join(name).exists()
    }

    /// The text of a file.
    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join("plan").join(name)).unwrap()
    }

    /// Executes a file, which may fail.
    pub fn attempt(&self, name: &str) -> Output {
        let file = File::open(self.folder.path().join("plan").join(name)).unwrap();
        self.client().args(["-f", "-"]).stdin(file).output().unwrap()
    }

    /// Executes a file, and returns what the client printed.
    pub fn run(&self, name: &str) -> String {
        let output = self.attempt(name);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{name}: {text}");
        println!("{name}: {text}{}", String::from_utf8_lossy(&output.stdout));
        text
    }

    fn client(&self) -> Command {
        let mut command = match &*CONTAINER {
            Some(name) => {
                let mut docker = Command::new("docker");
                docker.args(["exec", "-i", name, "psql"]);
                docker
            }
            None => Command::new("psql"),
        };
        command.args(["-X", "-q", "-d", &self.url]);
        command
    }
}

/// The container of the server, which has a client, too: starting another container takes longer than most files.
static CONTAINER: LazyLock<Option<String>> = LazyLock::new(|| {
    if SERVER.provider() != Provider::Container {
        return None;
    }
    let (_, address) = SERVER.url().rsplit_once('@').unwrap();
    let port = address.split(['/', '?']).next().unwrap().rsplit_once(':').unwrap().1;
    let list = ["ps", "--no-trunc", "--filter", "label=idgen-server", "--format", "{{.Names}} {{.Command}}"];
    let list = String::from_utf8(Command::new("docker").args(list).output().unwrap().stdout).unwrap();
    let line = list.lines().find(|line| line.contains(&format!("-cport={port} "))).unwrap();
    line.split(' ').next().map(str::to_owned)
});

pub async fn connect(url: &str) -> PgConnection {
    PgConnection::connect(url).await.unwrap()
}

pub async fn execute(connection: &mut PgConnection, sql: impl Into<String>) {
    let sql = sql.into();
    connection
        .execute(sqlx::raw_sql(AssertSqlSafe(sql.clone())))
        .await
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// One value as text.
pub async fn text(connection: &mut PgConnection, sql: &str) -> String {
    let sql = format!("SELECT ({sql})::text");
    let value: Option<String> =
        sqlx::query_scalar(AssertSqlSafe(sql)).persistent(false).fetch_one(connection).await.unwrap();
    value.unwrap_or_default()
}
