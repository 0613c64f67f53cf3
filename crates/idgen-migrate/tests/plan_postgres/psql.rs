//! Executes files with PostgreSQL's own client, `psql`.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use idgen_migrate::plan::{Options, Plan, Statement, Target, plan};
use idgen_server::{Database, Scratch, Server, Settings, Wait};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

/// One server for all tests; each has its own database.
pub static SERVER: LazyLock<Server> = LazyLock::new(|| {
    Server::start(
        Database::Postgres,
        &Settings::new()
            .option("max_connections", "200")
            .option("wal_level", "logical")
            .option("max_prepared_transactions", "8"),
    )
    .unwrap()
});

/// Sessions of this database in which a step sleeps, as a part of a query. The beginning of a file sleeps, too, until the server has ended its first session,
/// which takes long on a busy machine.
pub const STEP_SLEEPS: &str = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep' AND query NOT LIKE '%idgen_try%'";

/// A plan that was written, and the database that it is for.
pub struct Files {
    folder: tempfile::TempDir,
    pub plan: Plan,
    /// The identity of the plan.
    pub id: String,
    pub names: Vec<String>,
    url: String,
}

impl Files {
    /// Makes a plan, and writes it.
    pub async fn of(url: &str, options: &Options) -> Files {
        Files::write(plan(url, options).await.unwrap(), url)
    }

    pub async fn to(target: Target, url: &str, table: &str) -> Files {
        Files::of(url, &Options::new(table, target)).await
    }

    /// A plan to UUIDs for the orders, which keeps their old texts.
    pub async fn with_texts(url: &str) -> Files {
        Files::of(url, &Options { keep_text: true, ..Options::new("orders", Target::Uuid) }).await
    }

    pub fn write(plan: Plan, url: &str) -> Files {
        let folder = tempfile::tempdir().unwrap();
        plan.write(&folder.path().join("plan")).unwrap();
        let names = plan.files().into_iter().map(|(name, _)| name);
        let mut names: Vec<String> =
            names.filter(|name| name.ends_with(".sql") && !name.contains('/')).collect();
        names.sort();
        Files { folder, id: plan.id.clone(), plan, names, url: url.to_owned() }
    }

    /// The same files for another database.
    pub fn at(self, url: &str) -> Files {
        Files { url: url.to_owned(), ..self }
    }

    /// The folder of the plan.
    pub fn folder(&self) -> std::path::PathBuf {
        self.folder.path().join("plan")
    }

    /// The file of a step.
    pub fn step(&self, step: &str) -> &str {
        self.names.iter().find(|name| name[3..] == format!("{step}.sql")).unwrap()
    }

    /// Returns true if the step of a file changes anything.
    pub fn undo_of(&self, name: &str) -> bool {
        self.folder().join("undo").join(name).exists()
    }

    /// The text of a file.
    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder().join(name)).unwrap()
    }

    /// Executes a file, which may fail.
    pub fn attempt(&self, name: &str) -> Output {
        self.attempt_file(&self.folder().join(name))
    }

    /// Executes a text.
    pub fn attempt_text(&self, text: &str) -> Output {
        let path = self.folder.path().join("text.sql");
        std::fs::write(&path, text).unwrap();
        self.attempt_file(&path)
    }

    /// Executes a file without stopping the clients of this runtime.
    fn attempt_file(&self, path: &Path) -> Output {
        let mut client = self.client();
        client.stdin(File::open(path).unwrap());
        tokio::task::block_in_place(|| client.output().unwrap())
    }

    /// Executes a file that must fail with these words, and returns its whole message.
    pub fn refused(&self, name: &str, part: &str) -> String {
        let output = self.attempt(name);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(part), "{name}: {said}");
        said
    }

    /// Executes a file, and returns what the client printed.
    pub fn run(&self, name: &str) -> String {
        let output = self.attempt(name);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{name}: {text}");
        println!("{name}: {text}{}", String::from_utf8_lossy(&output.stdout));
        text
    }

    pub fn run_all<'a>(&self, names: impl IntoIterator<Item = &'a String>) {
        names.into_iter().for_each(|name| drop(self.run(name)));
    }

    /// Executes the files of these steps.
    pub fn run_steps(&self, steps: &[&str]) {
        steps.iter().for_each(|step| drop(self.run(self.step(step))));
    }

    /// Executes the files before that of a step.
    pub fn run_before(&self, step: &str) {
        self.run_all(self.names.iter().take_while(|name| *name != self.step(step)));
    }

    /// Executes the file of a step and all that follow.
    pub fn run_from(&self, step: &str) {
        self.run_all(self.names.iter().skip_while(|name| *name != self.step(step)));
    }

    /// Executes the ways back of files, from the last one on.
    pub fn go_back(&self, names: &[String]) {
        for name in names.iter().rev().filter(|name| self.undo_of(name)) {
            self.run(&format!("undo/{name}"));
        }
    }

    /// Begins to execute a file.
    pub fn spawn(&self, name: &str) -> Running {
        let mut client = self.client();
        client.stdin(File::open(self.folder().join(name)).unwrap());
        Running { child: client.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap() }
    }

    /// This machine's client, which may be older than the server. One in the server's container takes longer to start than most
    /// files take.
    fn client(&self) -> Command {
        let mut command = Command::new("psql");
        command.args(["-X", "-q", "-d", &self.url, "-f", "-"]);
        command
    }
}

/// A program that has to be as new as the server, in the server's container where there is one.
pub fn program(name: &str) -> Command {
    let Some(container) = SERVER.container_name() else { return Command::new(name) };
    let mut docker = Command::new("docker");
    docker.args(["exec", "-i", container, name]);
    docker
}

/// A client at work.
pub struct Running {
    child: Child,
}

impl Running {
    /// Ends the client, which cannot tell the server.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for its end. Whether it has succeeded, and what it said.
    pub fn end(self) -> (bool, String) {
        let output = tokio::task::block_in_place(|| self.child.wait_with_output().unwrap());
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

pub async fn connect(url: &str) -> PgConnection {
    PgConnection::connect(url).await.unwrap()
}

/// A database with these tables, and a connection to it.
pub async fn database(sql: impl Into<String>) -> (Scratch, PgConnection) {
    let scratch = SERVER.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    execute(&mut connection, sql).await;
    (scratch, connection)
}

pub async fn execute(connection: &mut PgConnection, sql: impl Into<String>) {
    let sql = sql.into();
    connection
        .execute(sqlx::raw_sql(AssertSqlSafe(sql.clone())))
        .await
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// Executes those of these statements of a plan whose condition is true.
pub async fn execute_needed<'a>(
    session: &mut PgConnection,
    statements: impl IntoIterator<Item = &'a Statement>,
) {
    for statement in statements {
        let needed = match &statement.only_if {
            Some(query) => text(session, query).await == "true",
            None => true,
        };
        if needed {
            execute(session, statement.sql.clone()).await;
        }
    }
}

/// One value as text.
pub async fn text(connection: &mut PgConnection, sql: &str) -> String {
    let sql = format!("SELECT ({sql})::text");
    let value: Option<String> =
        sqlx::query_scalar(AssertSqlSafe(sql)).persistent(false).fetch_one(connection).await.unwrap();
    value.unwrap_or_default()
}

/// Waits until a query says `true`.
pub async fn until(connection: &mut PgConnection, query: &str) {
    let wait = Wait::until(query);
    while text(connection, query).await != "true" {
        wait.check();
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
