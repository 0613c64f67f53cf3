//! Tests PostgreSQL in every form that this machine offers.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::process::Command;

use idgen_server::{Database, Provider, Server, Settings};
use sqlx::{Connection, Executor, PgConnection, Row};

async fn connect(url: &str) -> PgConnection {
    PgConnection::connect(url).await.expect("the server accepts a connection")
}

fn settings() -> Settings {
    Settings::new()
        .shared_buffers_mib(24)
        .option("checkpoint_timeout", "7min")
        .option("full_page_writes", "on")
}

/// Checks what every server has to do; the tests of the container and of the process share it.
async fn behaves(server: &Server) {
    let mut connection = connect(server.url()).await;
    let version: String = connection.fetch_one("SELECT version()").await.unwrap().get(0);
    assert!(version.starts_with(&format!("{} on ", server.version())), "{version}");
    assert_eq!((Database::of_version(&version), server.database()), (Database::Postgres, Database::Postgres));

    assert_eq!(server.variable("shared_buffers").unwrap().as_deref(), Some("24MB"));
    assert_eq!(server.variable("no_such_variable").unwrap(), None);
    if cfg!(target_os = "linux") {
        let id = server.process_id().unwrap();
        let command = std::fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap();
        assert!(command.contains("shared_buffers=24MB"), "{command}");
        let password = server.url().split([':', '@']).nth(2).unwrap();
        assert!(!command.contains(password), "the password is in the process list");
    }
    let shown = server.shown_settings().unwrap();
    for (name, value) in [("checkpoint_timeout", "7min"), ("full_page_writes", "on"), ("fsync", "on")] {
        assert!(shown.contains(&(name.to_owned(), value.to_owned())), "{name}: {shown:?}");
    }

    let scratch = server.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    let name: String = connection.fetch_one("SELECT current_database()::text").await.unwrap().get(0);
    assert_eq!(name, scratch.name());
    for extension in ["pageinspect", "pgstattuple"] {
        connection.execute(sqlx::AssertSqlSafe(format!("CREATE EXTENSION {extension}"))).await.unwrap();
    }
    connection.execute("CREATE TABLE kept (id INT PRIMARY KEY)").await.unwrap();
    connection.execute("INSERT INTO kept VALUES (1)").await.unwrap();

    // An orderly restart does not wait for clients and keeps the row. A crash after a commit keeps it as well.
    server.stop().unwrap();
    assert!(PgConnection::connect(scratch.url()).await.is_err(), "a stopped server answers");
    server.start_again().unwrap();
    let mut connection = connect(scratch.url()).await;
    connection.execute("INSERT INTO kept VALUES (2)").await.unwrap();
    server.kill().unwrap();
    assert!(connection.execute("SELECT 1").await.is_err(), "a killed server answers");
    server.start_again().unwrap();
    let mut connection = connect(scratch.url()).await;
    let count: i64 = connection.fetch_one("SELECT COUNT(*) FROM kept").await.unwrap().get(0);
    assert_eq!(count, 2);

    let file: String = connection.fetch_one("SELECT pg_relation_filepath('kept')").await.unwrap().get(0);
    connection.execute("CHECKPOINT").await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let copy = directory.path().join("kept");
    server.copy_data_file(&file, &copy).unwrap();
    assert_eq!(std::fs::metadata(&copy).unwrap().len(), 8_192);

    // The password is only in the URL.
    let password = server.url().split([':', '@']).nth(2).unwrap();
    assert!(!format!("{server:?}{scratch:?}{}", server.shown_url()).contains(password));

    // The database is dropped although a client is connected to it.
    let name = scratch.name().to_owned();
    drop(scratch);
    let mut admin = connect(server.url()).await;
    let left = admin.fetch_all("SELECT datname::text FROM pg_database").await.unwrap();
    assert!(left.iter().all(|row| row.get::<String, _>(0) != name));
    drop(connection);
}

#[tokio::test]
async fn postgres_in_a_container() {
    let server = Server::container(Database::Postgres, &settings()).unwrap();
    assert_eq!(server.provider(), Provider::Container);
    behaves(&server).await;

    // This names the same server by its URL.
    let given = Server::at(server.url()).unwrap();
    assert_eq!((given.database(), given.provider()), (Database::Postgres, Provider::Url));
    assert!(given.stop().is_err());
    let (_, address) = server.url().split_once('@').unwrap();
    let error = Server::at(&format!("postgres://postgres:s3cret@{address}")).unwrap_err().to_string();
    assert!(error.contains("password authentication failed") && !error.contains("s3cret"), "{error}");

    let url = server.url().to_owned();
    drop(server);
    assert!(PgConnection::connect(&url).await.is_err(), "the server outlived its handle");
}

/// The setup script installs Debian's server for this test.
#[tokio::test]
async fn postgres_as_a_process() {
    let server = Server::process(Database::Postgres, &settings()).unwrap();
    assert_eq!(server.provider(), Provider::Process);
    behaves(&server).await;
    let error = Server::process(Database::Postgres, &Settings::new().iops(10, 10)).unwrap_err();
    assert!(error.to_string().contains("IOPS"), "{error}");
    let url = server.url().to_owned();
    drop(server);
    assert!(PgConnection::connect(&url).await.is_err(), "the server outlived its handle");
}

#[test]
fn what_the_server_does_not_do_is_an_error() {
    let unknown = Settings::new().option("no_such_option", "1");
    let error = Server::start(Database::Postgres, &unknown).unwrap_err();
    // The error contains the server's own words, so that nobody has to look into a container for them.
    assert!(error.to_string().contains("no_such_option"), "{error}");
    let error = Server::start(Database::Postgres, &Settings::new().tls(true)).unwrap_err();
    assert!(error.to_string().contains("encrypt"), "{error}");
}

/// The program ends without dropping anything; the server and its data are removed nevertheless.
#[test]
fn a_killed_program_leaves_no_server() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_that_aborts", "--nocapture"])
        .env("IDGEN_TEST_ABORT", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix("started ")).expect("the child's URL");
    let (url, data) = line.split_once(' ').unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // The removal runs in another process, and may take as long as it needs within a generous bound.
    for _ in 0..600 {
        if runtime.block_on(PgConnection::connect(url)).is_err() && !std::path::Path::new(data).exists() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("the server of a killed program is left");
}

/// Not a test by itself: the program that `a_killed_program_leaves_no_server` runs.
#[test]
fn child_that_aborts() {
    if std::env::var_os("IDGEN_TEST_ABORT").is_some() {
        let server = Server::process(Database::Postgres, &Settings::new()).unwrap();
        let data = server.variable("data_directory").unwrap().unwrap();
        println!("started {} {data}", server.url());
        std::process::abort();
    }
}

/// A pooler gives the settings of one client to the next one, as those of hosted servers do; in the mode `session` it does not.
#[tokio::test]
async fn a_pooler_shares_sessions() {
    use idgen_server::{Pooler, Pooling};
    let server = Server::start(Database::Postgres, &settings()).unwrap();
    let scratch = server.scratch().unwrap();
    for (mode, expected) in [(Pooling::Transactions, "7s"), (Pooling::Sessions, "0")] {
        let pooler = Pooler::start(scratch.url(), mode).unwrap();
        let url = pooler.url(scratch.url());
        let mut one = connect(&url).await;
        one.execute(sqlx::raw_sql("SET statement_timeout = '7s'")).await.unwrap();
        one.close().await.unwrap();
        let mut other = connect(&url).await;
        let row = other.fetch_one(sqlx::raw_sql("SHOW statement_timeout")).await.unwrap();
        assert_eq!(row.get::<String, _>(0), expected, "{mode:?}");
    }
}
