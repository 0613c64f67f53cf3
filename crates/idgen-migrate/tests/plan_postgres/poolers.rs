//! Behind a connection pooler, neither the planning nor a file leaves anything in the sessions of others.

use std::collections::BTreeSet;
use std::process::{Command, Output, Stdio};

use idgen_migrate::plan::Plan;
use idgen_migrate::plan::run::{self, Direction, Folder};
use idgen_server::{Pooler, Pooling, Wait};
use sqlx::PgConnection;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Executor, Row};

use crate::psql::{Files, SERVER, connect, execute, text};
use crate::{UUIDS, planned, rows, shape};

/// All settings of a session that can differ from another's, and its locks.
const SETTINGS: &str = "SELECT string_agg(s, E'\\n' ORDER BY s) FROM (SELECT name || ' = ' || setting FROM pg_settings WHERE name <> 'application_name'
    UNION ALL SELECT 'lock ' || locktype FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'
    UNION ALL SELECT 'prepared ' || name FROM pg_prepared_statements) AS a (s)";

/// The settings that another client of the pooler finds.
async fn others(url: &str) -> String {
    let options: PgConnectOptions = url.parse().unwrap();
    let mut connection = options.disable_statement_logging().connect().await.unwrap();
    // The language has settings of its own, from its first use in a session on.
    connection.execute(sqlx::raw_sql("DO $$ BEGIN END $$")).await.unwrap();
    connection.fetch_one(sqlx::raw_sql(SETTINGS)).await.unwrap().get(0)
}

/// Fails with the settings that are not as they were.
async fn are_as_before(url: &str, before: &str, when: &str) {
    let now = others(url).await;
    let (now, before): (BTreeSet<&str>, BTreeSet<&str>) = (now.lines().collect(), before.lines().collect());
    let different: Vec<_> = now.symmetric_difference(&before).collect();
    assert!(different.is_empty(), "{when}: {different:?}");
}

/// The files of a plan, executed by this machine's psql.
struct Through {
    folder: tempfile::TempDir,
    url: String,
}

impl Through {
    fn new(plan: &Plan, url: String) -> Through {
        let folder = tempfile::tempdir().unwrap();
        plan.write(&folder.path().join("plan")).unwrap();
        Through { folder, url }
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new("psql");
        command.args(["-X", "-q", "-d", &self.url, "-f"]).arg(self.folder.path().join("plan").join(name));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn attempt(&self, name: &str) -> Output {
        self.command(name).output().unwrap()
    }

    /// Fails unless a file finds out that its connection goes through a pooler.
    fn assert_refused(&self, name: &str) {
        let output = tokio::task::block_in_place(|| self.attempt(name));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("goes through a pooler"), "{name}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_shares_transactions_is_refused_and_keeps_its_settings() {
    let scratch = SERVER.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    rows::fill(&mut connection, 40).await;
    let pooler = Pooler::start(scratch.url(), Pooling::Transactions).unwrap();
    let url = pooler.url(scratch.url());
    let before = others(&url).await;
    // The planning only reads, in transactions of its own.
    let plan = planned(&url).await;
    are_as_before(&url, &before, "planned").await;
    let files = Through::new(&plan, url.clone());
    let all: Vec<String> =
        plan.files().into_iter().map(|(name, _)| name).filter(|name| name.ends_with(".sql")).collect();
    assert!(all.len() > 15);
    for name in all {
        files.assert_refused(&name);
        are_as_before(&url, &before, name.as_ref()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_shares_sessions_gets_them_back_as_they_were() {
    let scratch = SERVER.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    rows::fill(&mut connection, 40).await;
    let pooler = Pooler::start(scratch.url(), Pooling::Sessions).unwrap();
    let url = pooler.url(scratch.url());
    let before = others(&url).await;
    let plan = planned(scratch.url()).await;
    let names = Files::write(&plan, scratch.url()).names;
    let files = Through::new(&plan, url.clone());
    for name in &names {
        if name.ends_with("-backfill.sql") {
            kill(&mut connection, &files, name, &plan.id).await;
            are_as_before(&url, &before, &format!("{name}, killed")).await;
        }
        let output = tokio::task::block_in_place(|| files.attempt(name));
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        are_as_before(&url, &before, name.as_ref()).await;
    }
    assert_eq!(shape(&mut connection).await, (UUIDS.into(), "0".into()));
}

/// Reads of the tables would go to a replica, and what they show would prove nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_load_balancer_is_refused() {
    let scratch = SERVER.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    rows::fill(&mut connection, 40).await;
    let pooler = Pooler::start(scratch.url(), Pooling::Reads).unwrap();
    let url = pooler.url(scratch.url());
    let plan = planned(&url).await;
    let files = Through::new(&plan, url.clone());
    for name in ["01-check.sql", "02-prepare.sql", "undo/02-prepare.sql"] {
        files.assert_refused(name);
    }
    let folder = Folder::open(&files.folder.path().join("plan")).unwrap();
    let (said, _lines) = tokio::sync::mpsc::unbounded_channel();
    let run = run::execute(&url, &folder, 0, Direction::Forward, &said, std::future::pending()).await;
    let error = run.map(drop).unwrap_err().to_string();
    assert!(error.contains("or to several servers (PgBouncer, pgpool-II"), "{error}");
    // Its children would go on to listen. A killed process closes its sockets a little after the signal.
    let options: PgConnectOptions = url.parse().unwrap();
    drop(pooler);
    let wait = Wait::until("no child of the pooler listens");
    while std::net::TcpStream::connect((options.get_host(), options.get_port())).is_ok() {
        wait.check();
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    // On the server itself, nothing of this has left a lock.
    let direct = Files::write(&plan, scratch.url());
    let output = tokio::task::block_in_place(|| direct.attempt("01-check.sql"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Kills the client in the middle of the copy, and waits until the server has noticed it: until then the next file is refused.
async fn kill(connection: &mut PgConnection, files: &Through, name: &str, id: &str) {
    execute(connection, format!("UPDATE idgen_{id}.settings SET pause = '300 ms', chunk_blocks = 1")).await;
    let mut child = files.command(name).spawn().unwrap();
    let sleeps = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep' AND query LIKE 'CALL%'";
    let wait = Wait::until("the copy sleeps");
    while text(connection, sleeps).await == "0" {
        wait.check();
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    execute(connection, format!("UPDATE idgen_{id}.settings SET pause = '0', chunk_blocks = 64")).await;
    let locks = "SELECT count(*) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database WHERE l.locktype = 'advisory' AND d.datname = current_database()";
    let wait = Wait::until("the copy of the killed client has ended");
    while text(connection, locks).await != "0" {
        wait.check();
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}
