//! Loads, strategies and helpers that the tests of the lab share.

use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use idgen_lab::engine::Engine;
use idgen_lab::measure;
use idgen_lab::runner::{Cancel, Observer, run};
use idgen_lab::strategy::{self, Strategy};
use idgen_record::{Database, Failure, Results, Run, Window, Workload};
use idgen_server::{Server, Settings};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, PgConnection, Row};

/// Not a multiple of the rows per statement or per round, so the last statement and the last round are short.
pub const ROWS: u64 = 10_050;

/// The load of [`ROWS`] rows.
pub fn load(writers: u32, payload_bytes: u32) -> Workload {
    let load = Workload::of_rows(ROWS).unwrap().with_writers(writers).unwrap();
    Workload { statement_rows: 100, commit_rows: 500, payload_bytes, cache_bytes: Some(16 << 20), ..load }
}

/// Panics if a strategy failed.
pub struct Quiet;

impl Observer for Quiet {
    fn failed(&mut self, failure: &Failure) {
        panic!("{}: {}", failure.strategy, failure.error);
    }
}

/// Runs the strategies; the runner verifies rows and keys of every run that it gives.
pub fn results(engine: &mut dyn Engine, strategies: &[&Strategy], load: Workload) -> Results {
    let mut results = measure::begin("?", "test", engine.info(), load);
    run(engine, strategies, &mut results, &Cancel::new(), &mut Quiet).unwrap();
    assert_eq!(results.runs.len(), strategies.len());
    println!("{}", idgen_report::table(&results));
    results
}

/// The strategies of these names.
pub fn find(names: &[&str]) -> Vec<&'static Strategy> {
    names.iter().map(|name| strategy::find(name).unwrap()).collect()
}

/// `idgen lab`, without arguments.
pub fn lab() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("idgen"));
    command.arg("lab");
    command
}

/// The password of the user of an [`External`] server, which nothing may show.
pub const PASSWORD: &str = "Qx7-not-to-be-shown";

/// A server, and the URL of a user who may do what the lab needs and no more.
pub struct External {
    pub server: Server,
    pub url: String,
}

impl External {
    pub fn new(database: Database) -> External {
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
    pub fn sql(&self, statement: &str) -> Vec<String> {
        self.try_sql(self.server.url(), statement).unwrap()
    }

    /// The first column of a query in the database of this URL.
    pub fn try_sql(&self, url: &str, statement: &str) -> sqlx::Result<Vec<String>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let statement = AssertSqlSafe(statement.to_owned());
        runtime.block_on(async {
            if self.server.database() == Database::Postgres {
                let rows = PgConnection::connect(url).await?.fetch_all(statement).await?;
                rows.iter().map(|row| row.try_get_unchecked(0)).collect()
            } else {
                let rows = MySqlConnection::connect(url).await?.fetch_all(statement).await?;
                rows.iter().map(|row| row.try_get_unchecked(0)).collect()
            }
        })
    }

    /// The schemas of the lab, and others whose names begin as theirs do.
    pub fn schemas(&self) -> Vec<String> {
        self.sql(match self.server.database() {
            Database::Postgres => {
                "SELECT datname::text FROM pg_database WHERE datname LIKE 'idgen%' ORDER BY 1"
            }
            _ => "SHOW DATABASES LIKE 'idgen%'",
        })
    }

    /// `idgen lab` on this server.
    pub fn lab(&self, out: &Path, load: &[&str]) -> Command {
        let mut command = lab();
        command.env("IDGEN_LAB_ENGINE", &self.url).args(load).arg("--out").arg(out);
        command
    }
}

/// Waits until there is something, and panics with these words after a time that no working program needs.
pub fn until<T>(words: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(begin.elapsed() < Duration::from_secs(300), "{words}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Sends a signal, such as `-INT`, to a program.
pub fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Checks that a figure of the windows of a run, per row or per 1,000 rows, adds up to that of the whole run.
pub fn adds_up(run: &Run, what: &str, figure: fn(&Window) -> Option<f64>, total: Option<f64>) {
    let sum = |of: &Window| figure(of).unwrap() * of.rows as f64;
    let (windows, total) =
        (run.windows.iter().map(sum).sum::<f64>(), total.unwrap() * run.totals.rows as f64);
    let near = total * 1e-6 + 1e-6;
    assert!((windows - total).abs() <= near, "{}: {what} {windows} of {total}", run.strategy.name);
}

/// `idgen lab skew` measures a server on this machine, whose clock is that of the program, and shows no password.
pub fn skew_is_measured(url: &str, password: &str) {
    let skew = |url: &str| lab().arg("skew").env("IDGEN_LAB_ENGINE", url).output().unwrap();
    let output = skew(url);
    let all = said(&output);
    assert!(output.status.success() && output.stderr.is_empty() && !all.contains(password), "{all}");
    let shown = url.replace(password, "***");
    // The server reads the clock between the question and the answer, so the bounds contain zero.
    assert!(all.starts_with(&format!("{shown}: the clocks agree as far as can be measured")), "{all}");
    let output = skew(&url.replace(password, "another-password"));
    let all = said(&output);
    assert_eq!(output.status.code(), Some(1), "{all}");
    assert!(all.contains("cannot read the clock") && !all.contains("another-password"), "{all}");
}

/// Everything that a command wrote.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
