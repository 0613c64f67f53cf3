//! `idgen lab clean` on an external server: it removes what a killed run left, and nothing else.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use idgen_record::Database;
use idgen_server::{Server, Settings};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, PgConnection, Row};

use crate::common::{lab, said};

const PASSWORD: &str = "Qx7-not-to-be-shown";

/// A server, and the URL of a user who may do what the lab needs and no more.
struct External {
    server: Server,
    url: String,
}

impl External {
    fn new(database: Database) -> External {
        let settings = match database {
            Database::Postgres => Settings::new().option("fsync", "off"),
            _ => Settings::new().buffer_pool_mib(16).option("innodb_flush_log_at_trx_commit", "0"),
        };
        let server = Server::start(database, &settings).unwrap();
        let (scheme, address) = server.url().split_once("://").unwrap();
        let address = address.rsplit_once('@').unwrap().1.replace("/mysql", "");
        let external = External { url: format!("{scheme}://lab:{PASSWORD}@{address}"), server };
        if database == Database::Postgres {
            external.sql(&format!("CREATE ROLE lab LOGIN CREATEDB PASSWORD '{PASSWORD}'"));
        } else {
            external.sql(&format!("CREATE USER lab IDENTIFIED BY '{PASSWORD}'"));
            external.sql("GRANT ALL ON `idgen\\_%`.* TO lab");
        }
        external
    }

    /// The first column of a query that the administrator runs.
    fn sql(&self, statement: &str) -> Vec<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let statement = AssertSqlSafe(statement.to_owned());
        runtime.block_on(async {
            match self.server.database() {
                Database::Postgres => {
                    let mut connection = PgConnection::connect(self.server.url()).await.unwrap();
                    let rows = connection.fetch_all(statement).await.unwrap();
                    rows.iter().map(|row| row.try_get_unchecked(0).unwrap()).collect()
                }
                _ => {
                    let mut connection = MySqlConnection::connect(self.server.url()).await.unwrap();
                    let rows = connection.fetch_all(statement).await.unwrap();
                    rows.iter().map(|row| row.try_get_unchecked(0).unwrap()).collect()
                }
            }
        })
    }

    fn schemas(&self) -> Vec<String> {
        match self.server.database() {
            Database::Postgres => {
                self.sql("SELECT datname::text FROM pg_database WHERE datname LIKE 'idgen%' ORDER BY 1")
            }
            _ => self.sql("SHOW DATABASES LIKE 'idgen%'"),
        }
    }

    fn lab(&self, out: &Path, load: &[&str]) -> Command {
        let mut command = lab();
        command.env("IDGEN_LAB_ENGINE", &self.url).args(load).arg("--out").arg(out);
        command
    }

    /// Starts a run that does not end by itself, and waits until it has made a schema. Returns its name.
    fn begin(&self, out: &Path) -> (Child, String) {
        let before = self.schemas();
        let load = ["--writers", "1", "--rows", "50000000", "--strategies", "v4-text36"];
        let child = self.lab(out, &load).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let begin = Instant::now();
        let name = loop {
            let name = self.schemas().into_iter().find(|name| !before.contains(name));
            if let Some(name) = name
                && self.is_in_use(&name)
            {
                break name;
            }
            assert!(begin.elapsed() < Duration::from_secs(300), "no schema was made");
            std::thread::sleep(Duration::from_millis(20));
        };
        (child, name)
    }

    /// PostgreSQL makes a database before a session can be in it.
    fn is_in_use(&self, name: &str) -> bool {
        let sessions = format!("SELECT pid::text FROM pg_stat_activity WHERE datname = '{name}'");
        self.server.database() != Database::Postgres || !self.sql(&sessions).is_empty()
    }

    /// Runs `lab clean`, and returns its output.
    fn clean(&self, options: &[&str]) -> String {
        let output = lab().arg("clean").args(options).env("IDGEN_LAB_ENGINE", &self.url).output().unwrap();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(!said.contains(PASSWORD), "{said}");
        said
    }
}

fn only_killed_runs_are_cleaned_up(database: Database) {
    let external = External::new(database);
    let folder = tempfile::tempdir().unwrap();
    assert!(external.clean(&[]).contains("runs have left nothing"));

    // Somebody else's, one of them in the form of our names.
    let foreign = ["idgen_0123456789abcdef0123456789abcdef", "idgen_orders"];
    for name in foreign {
        external.sql(&format!("CREATE DATABASE {name}"));
    }
    let (mut killed, left) = external.begin(&folder.path().join("killed"));
    let (running, used) = external.begin(&folder.path().join("running"));
    let said = external.clean(&["--dry-run"]);
    for name in [&left, &used] {
        assert!(said.contains(&format!("{name}: kept, a program uses it")), "{said}");
    }
    killed.kill().unwrap();
    killed.wait().unwrap();

    // The server ends the sessions of a killed client when it next reads from them.
    let begin = Instant::now();
    loop {
        let said = external.clean(&["--dry-run"]);
        if said.contains(&format!("{left}: would be removed")) {
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(300), "{said}");
    }
    assert_eq!(external.schemas().len(), 4, "a dry run removes nothing");

    let short = ["--writers", "1", "--rows", "1000", "--strategies", "v7-binary", "--repeat", "1"];
    let output = external.lab(&folder.path().join("short"), &short).output().unwrap();
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{notes}");
    assert!(
        notes.contains(&format!("killed have left {left} at")) && notes.contains("idgen lab clean"),
        "{notes}"
    );
    assert!(!notes.contains(&used) && !notes.contains(PASSWORD), "{notes}");

    let said = external.clean(&[]);
    assert!(said.contains(&format!("{left}: removed")), "{said}");
    assert!(said.contains(&format!("{used}: kept, a program uses it")), "{said}");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for name in foreign {
        assert!(said.contains(&format!("{name}: kept, because its name does not show")), "{said}");
    }
    let mut expected = vec![foreign[0].to_owned(), foreign[1].to_owned(), used.clone()];
    expected.sort();
    let mut found = external.schemas();
    found.sort();
    assert_eq!(found, expected);

    // The library refuses them, too, whatever its caller asks for.
    for name in foreign {
        assert!(external.server.remove_leftover(name).is_err());
    }
    assert!(!external.server.remove_leftover(&used).unwrap());

    // The run that went on was not disturbed.
    assert!(Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap().success());
    let output = running.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!external.schemas().contains(&used));
}

#[test]
fn mysql_keeps_nothing_of_killed_runs() {
    only_killed_runs_are_cleaned_up(Database::MySql);
}

#[test]
fn mariadb_keeps_nothing_of_killed_runs() {
    only_killed_runs_are_cleaned_up(Database::MariaDb);
}

#[test]
fn postgres_keeps_nothing_of_killed_runs() {
    only_killed_runs_are_cleaned_up(Database::Postgres);
}

#[test]
fn only_a_server_can_be_cleaned_up() {
    let output = lab().args(["clean", "sqlite"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("needs the URL of a server"), "{}", said(&output));
}
