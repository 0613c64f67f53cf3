//! Tests both servers in every form that this machine offers.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::process::Command;

use idgen_server::{Database, Provider, Server, Settings};
use sqlx::{Connection, Executor, MySqlConnection, Row};

async fn connect(url: &str) -> MySqlConnection {
    MySqlConnection::connect(url).await.expect("the server accepts a connection")
}

/// A pool whose size is not a multiple of MySQL's chunks of 128 MiB.
const POOL_MIB: u64 = 136;

fn settings() -> Settings {
    Settings::new()
        .buffer_pool_mib(POOL_MIB)
        .flush_method("O_DIRECT")
        .option("innodb_flush_log_at_trx_commit", "1")
}

/// Checks what every server has to do; the tests of the container and of the process share it.
async fn behaves(server: &Server) {
    let mut connection = connect(server.url()).await;
    let version: String = connection.fetch_one("SELECT VERSION()").await.unwrap().get(0);
    assert_eq!(version, server.version());
    assert_eq!(Database::of_version(&version), server.database());

    let cipher: String = connection.fetch_one("SHOW STATUS LIKE 'Ssl_cipher'").await.unwrap().get(1);
    assert_eq!(!cipher.is_empty(), server.url().contains("ssl-mode=VERIFY_IDENTITY"), "{cipher:?}");

    let pool = (POOL_MIB << 20).to_string();
    assert_eq!(server.variable("innodb_buffer_pool_size").unwrap(), Some(pool.clone()));
    assert_eq!(server.variable("no_such_variable").unwrap(), None);
    if cfg!(target_os = "linux") {
        let id = server.process_id().unwrap();
        let command = std::fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap();
        assert!(command.contains(&format!("innodb_buffer_pool_size={pool}")), "{command}");
    }
    let shown = server.shown_settings().unwrap();
    assert!(shown.contains(&("innodb_flush_method".to_owned(), "O_DIRECT".to_owned())), "{shown:?}");

    let scratch = server.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    connection.execute("CREATE TABLE kept (id INT PRIMARY KEY) ENGINE=InnoDB").await.unwrap();
    connection.execute("INSERT INTO kept VALUES (1)").await.unwrap();

    // An orderly restart keeps the row. A crash after a commit keeps it as well.
    server.stop().unwrap();
    assert!(MySqlConnection::connect(scratch.url()).await.is_err(), "a stopped server answers");
    server.start_again().unwrap();
    let mut connection = connect(scratch.url()).await;
    connection.execute("INSERT INTO kept VALUES (2)").await.unwrap();
    server.kill().unwrap();
    assert!(connection.execute("SELECT 1").await.is_err(), "a killed server answers");
    server.start_again().unwrap();
    let mut connection = connect(scratch.url()).await;
    let count: i64 = connection.fetch_one("SELECT COUNT(*) FROM kept").await.unwrap().get(0);
    assert_eq!(count, 2);

    let directory = tempfile::tempdir().unwrap();
    let copy = directory.path().join("kept.ibd");
    server.copy_data_file(&format!("{}/kept.ibd", scratch.name()), &copy).unwrap();
    assert_eq!(std::fs::metadata(&copy).unwrap().len() % 16_384, 0);
    let error = server.copy_data_file("no/such.ibd", &copy).unwrap_err();
    assert!(error.to_string().contains("such.ibd"), "{error}");

    // The password is only in the URL.
    let password = server.url().split([':', '@']).nth(2).unwrap();
    assert!(!format!("{server:?}{scratch:?}{}", server.shown_url()).contains(password));

    let name = scratch.name().to_owned();
    drop(scratch);
    let mut connection = connect(server.url()).await;
    let left = connection.fetch_all("SHOW DATABASES").await.unwrap();
    assert!(left.iter().all(|row| row.get::<String, _>(0) != name));
}

fn docker(arguments: &[&str]) -> String {
    let output = Command::new("docker").args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The memory limit of a server's container, as `docker inspect` shows it.
fn memory_limit_mib(server: &Server) -> u64 {
    let format = "{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}}";
    let own = docker(&["inspect", "--format", format, server.container_name().unwrap()]);
    let (memory, swap) = own.split_once(' ').unwrap();
    assert_eq!(memory, swap.trim(), "no swap beside the memory");
    memory.parse::<u64>().unwrap() >> 20
}

async fn container(database: Database, settings: Settings) {
    let server = Server::container(database, &settings).unwrap();
    assert_eq!(server.provider(), Provider::Container);
    // The buffer pool, a quarter of it, and 1,536 MiB.
    assert_eq!(memory_limit_mib(&server), POOL_MIB + POOL_MIB / 4 + 1536);
    behaves(&server).await;
    let url = server.url().to_owned();
    drop(server);
    assert!(MySqlConnection::connect(&url).await.is_err(), "the server outlived its handle");
}

#[tokio::test]
async fn mysql_in_a_container() {
    container(Database::MySql, settings().tls(true)).await;
}

#[tokio::test]
async fn mariadb_in_a_container() {
    container(Database::MariaDb, settings()).await;
}

/// Runs the MySQL server of an image without its container, using the image's own libraries and loader.
const OUTSIDE: &str = r#"#!/bin/sh
root=$(dirname "$0")
libraries=$(find "$root/usr/lib" "$root/usr/lib64" -name '*.so*' -not -path '*/plugin/*' -printf '%h\n' 2>/dev/null \
  | sort -u | tr '\n' ':')
loader=$(find "$root/usr/lib" "$root/usr/lib64" -name 'ld-linux*.so.*' -type f | head -n 1)
plugins=$(find "$root/usr/lib" "$root/usr/lib64" -path '*/mysql/plugin' -type d | head -n 1)
share=$(find "$root/usr/share" -name errmsg.sys -path '*/english/*' | head -n 1)
share=${share%/english/errmsg.sys}
exec "$loader" --library-path "$libraries" "$root/usr/sbin/mysqld" "$@" \
  --lc-messages-dir="$share" --character-sets-dir="$share/charsets" --plugin-dir="$plugins"
"#;

/// Debian 12 has no package of MySQL: unless this machine has a MySQL server, the one in the image runs as a plain
/// process.
#[test]
fn mysql_as_a_process() {
    if let Ok(server) = Server::process(Database::MySql, &settings()) {
        drop(server);
        return as_a_process(None);
    }
    let directory = tempfile::tempdir().unwrap();
    let image = std::env::var("IDGEN_MYSQL_IMAGE").unwrap_or("idgen-mysql:9.7".to_owned());
    let take = r#"set -e
        container=$(docker create --entrypoint sh "$1" -c true)
        trap 'docker rm "$container" >/dev/null' EXIT
        docker export "$container" | tar -x -C "$2" --no-same-owner --wildcards \
          usr/sbin/mysqld 'usr/lib*' 'usr/share/mysql*'"#;
    let taken = Command::new("sh").args(["-c", take, "sh", &image]).arg(directory.path()).status().unwrap();
    assert!(taken.success(), "the server cannot be taken from {image}");
    let program = directory.path().join("mysqld");
    std::fs::write(&program, OUTSIDE).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    as_a_process(Some(&program));
}

/// Runs in a program of its own, whose environment names the server.
fn as_a_process(program: Option<&std::path::Path>) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "child_with_a_process", "--nocapture"]).env("IDGEN_TEST_PROCESS", "1");
    if let Some(program) = program {
        child.env("IDGEN_MYSQLD", program);
    }
    let output = child.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("it behaves"), "{text}{errors}");
}

/// Not a test by itself: the program that `mysql_as_a_process` runs.
#[tokio::test]
async fn child_with_a_process() {
    if std::env::var_os("IDGEN_TEST_PROCESS").is_some() {
        let server = Server::process(Database::MySql, &settings()).unwrap();
        assert_eq!(server.provider(), Provider::Process);
        behaves(&server).await;
        println!("it behaves");
    }
}

/// The setup script installs Debian's MariaDB server for this test.
#[tokio::test]
async fn mariadb_as_a_process() {
    let server = Server::process(Database::MariaDb, &settings().tls(true)).unwrap();
    assert_eq!(server.provider(), Provider::Process);
    behaves(&server).await;
    let error = Server::process(Database::MariaDb, &Settings::new().iops(10, 10)).unwrap_err();
    assert!(error.to_string().contains("IOPS"), "{error}");
}

#[tokio::test]
async fn reads_and_writes_of_a_container_can_be_limited() {
    let server = Server::container(Database::MariaDb, &settings().iops(321, 123)).unwrap();
    let format = "{{json .HostConfig.BlkioDeviceReadIOps}} {{json .HostConfig.BlkioDeviceWriteIOps}}";
    let found = docker(&["inspect", "--format", format, server.container_name().unwrap()]);
    assert!(found.contains(":321}") && found.contains(":123}"), "{found}");
    drop(server);
}

#[test]
fn a_setting_that_the_server_refuses_is_an_error() {
    let unknown = Settings::new().option("no_such_option", "1");
    let error = Server::start(Database::MariaDb, &unknown).unwrap_err();
    // The error contains the server's own words, so that nobody has to look into a container for them.
    assert!(error.to_string().contains("no_such_option"), "{error}");
}

/// A buffer pool that is larger than the limit. The server allocates it at its start.
#[test]
fn a_server_that_exceeds_its_memory_limit_is_reported() {
    let settings = Settings::new().buffer_pool_mib(128).memory_mib(24);
    let error = Server::container(Database::MariaDb, &settings).unwrap_err();
    assert!(error.to_string().contains("at its memory limit of 24 MiB"), "{error}");
}

/// The program ends without dropping anything; the server is removed nevertheless.
#[test]
fn a_killed_program_leaves_no_server() {
    let test = std::env::current_exe().unwrap();
    let output = Command::new(test)
        .args(["--exact", "child_that_aborts", "--nocapture", "--include-ignored"])
        .env("IDGEN_TEST_ABORT", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let url = text.lines().find_map(|line| line.strip_prefix("started ")).expect("the child's URL");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // The removal runs in another process. The test only checks that it happens, within a generous bound.
    for _ in 0..600 {
        if runtime.block_on(MySqlConnection::connect(url)).is_err() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("the server of a killed program still answers");
}

/// Not a test by itself: the program that `a_killed_program_leaves_no_server` runs.
#[test]
fn child_that_aborts() {
    if std::env::var_os("IDGEN_TEST_ABORT").is_some() {
        let server = Server::start(Database::MariaDb, &Settings::new()).unwrap();
        println!("started {}", server.url());
        std::process::abort();
    }
}
