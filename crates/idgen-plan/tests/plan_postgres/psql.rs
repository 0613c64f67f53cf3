//! Executes files with the server's own client, `psql`.

use std::path::{Path, PathBuf};
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
        let mut command = self.client();
        command.arg("-f").arg(self.seen(name)).output().unwrap()
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
        let mut command = match SERVER.provider() {
            Provider::Container => {
                let image = std::env::var("IDGEN_POSTGRES_IMAGE").unwrap_or("idgen-postgres:18".into());
                let folder = format!("{}:/plan:ro", self.folder.path().join("plan").display());
                let mut docker = Command::new("docker");
                docker.args([
                    "run",
                    "--rm",
                    "--network",
                    "host",
                    "--volume",
                    &folder,
                    "--entrypoint",
                    "psql",
                    &image,
                ]);
                docker
            }
            _ => Command::new("psql"),
        };
        command.args(["-X", "-q", "-d", &self.url]);
        command
    }

    /// Where the client finds a file.
    fn seen(&self, name: &str) -> PathBuf {
        match SERVER.provider() {
            Provider::Container => Path::new("/plan").join(name),
            _ => self.folder.path().join("plan").join(name),
        }
    }
}

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
