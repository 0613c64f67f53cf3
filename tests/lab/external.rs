//! `idgen lab` on an external server, as a user with few privileges: which figures it shows, which it reports as
//! missing, and that it leaves no schema behind and shows no password.

use std::process::{Child, Output, Stdio};
use std::time::Duration;

use idgen_record::{Database, Results};
use sqlx::mysql::MySqlDatabaseError;
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection};
use tokio::runtime::Runtime;

use crate::common::{External, PASSWORD, lab, send, skew_is_measured, until};

/// Starts a server with a schema that the lab must not touch, and a user who has the privilege to see the pool, or not.
fn start(database: Database, grant_process: bool) -> External {
    let external = External::new(database);
    external.sql("CREATE DATABASE shop");
    external.sql("CREATE TABLE shop.kept (id INT PRIMARY KEY) ENGINE=InnoDB");
    if grant_process {
        external.sql("GRANT PROCESS ON *.* TO lab");
    }
    external
}

impl External {
    /// Locks a table until the returned value is dropped.
    fn locks(&self, table: &str) -> (MySqlConnection, Runtime) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let connection = runtime.block_on(async {
            let mut connection = MySqlConnection::connect(self.server.url()).await.unwrap();
            connection.execute(AssertSqlSafe(format!("LOCK TABLES {table} WRITE"))).await.unwrap();
            connection
        });
        (connection, runtime)
    }

    /// Ends a connection, unless it ended by itself: the lab closes one when it loses the other.
    fn kill(&self, number: &str) {
        /// ER_NO_SUCH_THREAD
        const GONE: u16 = 1094;
        if let Err(error) = self.try_sql(self.server.url(), &format!("KILL {number}")) {
            let error = error.into_database_error().unwrap();
            assert_eq!(error.downcast_ref::<MySqlDatabaseError>().number(), GONE, "{error}");
        }
    }

    /// Runs to the end, and checks that nothing shows the password and that no schema is left.
    fn run(&self, load: &[&str]) -> (Results, Output) {
        let directory = tempfile::tempdir().unwrap();
        let output = self.lab(directory.path(), load).output().unwrap();
        let mut all = [output.stdout.clone(), output.stderr.clone()].concat();
        for file in directory.path().read_dir().unwrap() {
            let path = file.unwrap().path();
            if path.is_file() {
                all.extend(std::fs::read(path).unwrap());
            }
        }
        let all = String::from_utf8_lossy(&all);
        assert!(!all.contains(PASSWORD), "{all}");
        assert_eq!(output.status.code(), Some(0), "{all}");
        assert_eq!(self.schemas(), [""; 0]);
        assert_eq!(self.sql("SHOW TABLES FROM shop"), ["kept"]);
        let text = std::fs::read_to_string(directory.path().join("results.json")).unwrap();
        (idgen_report::read(&text).unwrap(), output)
    }
}

const LOAD: [&str; 6] =
    ["--writers", "1", "--rows", "20000", "--strategies", "v4-binary,v7-binary,uuid-short,mapped-unique"];

/// A user who may only create schemas with the lab's names.
fn with_little(database: Database) {
    let external = start(database, false);
    let (results, output) = external.run(&LOAD);
    assert!(results.command.contains("--engine mysql://lab:***@"), "{}", results.command);
    let said = String::from_utf8(output.stderr).unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let in_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (said, shown) = (in_line(&said), in_line(&shown));
    for missing in [
        "No page fill and no page splits: the user lacks the privilege PROCESS, which GRANT PROCESS ON *.* TO",
        "out of reach on a server given by URL; --engine m",
    ] {
        let recorded = results.engine.missing.iter().any(|line| line.contains(missing));
        // Once: before the run.
        assert!(recorded && said.matches(missing).count() == 1 && !shown.contains(missing), "{said} {shown}");
    }
    assert!(shown.contains("Some figures are missing: the notes at the beginning"), "{shown}");
    assert_eq!(results.workload.cache_bytes, Some(16 << 20));
    assert_eq!(results.runs.len(), 4);
    for run in &results.runs {
        let totals = &run.totals;
        assert_eq!(totals.rows, 20_000);
        assert!(totals.distinct_leaves_per_1k.is_nan() && totals.fill_mean.is_nan() && run.trees.is_empty());
        assert!(totals.splits_per_1k.is_none() && totals.created_per_1k.is_some());
        // The server reports the size in whole extents, so the record has it as allocated bytes.
        let allocated = totals.allocated_bytes_per_row.unwrap();
        assert!(totals.bytes_per_row.is_nan() && (100.0..500.0).contains(&allocated), "{allocated}");
    }
    let allocated = |name| results.run(name).unwrap().totals.allocated_bytes_per_row.unwrap();
    assert!(allocated("mapped-unique") > allocated("uuid-short") + 40.0);

    skew_is_measured(&external.url, PASSWORD);

    // A counter of the server that was off stays off.
    let column = if database == Database::MySql { "STATUS" } else { "IF(ENABLED, 'enabled', 'disabled')" };
    let counter =
        format!("SELECT {column} FROM information_schema.INNODB_METRICS WHERE NAME = 'index_page_splits'");
    assert_eq!(external.sql(&counter), ["disabled"]);
}

/// A user with PROCESS lets the lab read the page fill from the pool, and the splits from a counter that is
/// on.
fn with_process(database: Database) {
    let external = start(database, true);
    external.sql("SET GLOBAL innodb_monitor_enable = 'module_index'");
    let (results, _) =
        external.run(&["--writers", "1", "--rows", "20000", "--strategies", "v4-binary,v7-binary"]);
    let totals = |name: &str| results.run(name).unwrap().totals;
    let (random, ascending) = (totals("v4-binary"), totals("v7-binary"));
    assert!((0.5..0.8).contains(&random.fill_mean), "{}", random.fill_mean);
    assert!(ascending.fill_mean > 0.85 && ascending.fill_p10 > 0.85, "{}", ascending.fill_mean);
    assert!(random.splits_per_1k > ascending.splits_per_1k && ascending.splits_per_1k > Some(1.0));
    assert!(random.distinct_leaves_per_1k.is_nan());
}

/// With a binary log, MySQL's default, a user may not create functions that change data. Strategies that need them
/// are left out, and it is an error if no other strategy was chosen.
#[test]
fn strategies_that_need_functions_are_left_out_under_a_binary_log() {
    let external = start(Database::MySql, false);
    let directory = tempfile::tempdir().unwrap();
    let run = |strategies: &str| {
        let part = ["run", "uuid-mapping", "--scale", "ci", "--strategies", strategies];
        external.lab(directory.path(), &part).output().unwrap()
    };
    let why = "this server cannot run mapped-ref-lock: it has a binary log";
    let output = run("mapped-ref-lock,auto-increment");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(directory.path().join("uuid-mapping/results.json")).unwrap();
    let results = idgen_report::read(&text).unwrap();
    assert!(results.notes.contains(&format!("Left out: {why}")), "{}", results.notes);
    assert_eq!(results.runs.len(), 1);

    let output = run("mapped-ref-lock");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(why) && said.contains("log_bin_trust_function_creators = 1"), "{said}");
    assert_eq!(external.schemas(), [""; 0]);
}

/// Ctrl-C, SIGTERM, a lost connection, and wrong addresses.
fn ends_well(database: Database) {
    let external = start(database, false);
    let directory = tempfile::tempdir().unwrap();
    let start_of = |strategy: &str| {
        let mut command = external
            .lab(directory.path(), &["--writers", "1", "--rows", "50000000", "--strategies", strategy]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let made = "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_NAME = 'rows_1'";
        until("no table was made", || external.sql(made).pop());
        child
    };
    let begin = || start_of("v4-text36");
    let ended = |child: Child| {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(!said.contains(PASSWORD), "{said}");
        said
    };
    for signal in ["-INT", "-TERM"] {
        let child = begin();
        assert_eq!(external.schemas().len(), 1);
        send(signal, &child);
        let said = ended(child);
        assert!(said.contains("stopping") && !said.contains("left at"), "{said}");
        assert_eq!(external.schemas(), [""; 0]);
    }

    // A map's claim is a transaction of several statements. It must end with the program's runtime, because dropping
    // the schema waits for it. Every second signal comes during a claim.
    for _ in 0..4 {
        let child = start_of("mapped-dedup");
        std::thread::sleep(Duration::from_millis(500));
        send("-INT", &child);
        let said = ended(child);
        assert!(!said.contains("left at"), "{said}");
        assert_eq!(external.schemas(), [""; 0]);
    }

    // A statement that waits for a lock is canceled, and the schema is dropped as soon as the lock is released.
    let child = begin();
    let [schema] = external.schemas().try_into().unwrap();
    let lock = external.locks(&format!("{schema}.rows_1"));
    send("-TERM", &child);
    let dropping = match database {
        Database::MySql => {
            "SELECT CAST(THREAD_ID AS CHAR) FROM performance_schema.events_statements_current WHERE \
             EVENT_NAME = 'statement/sql/drop_db' AND END_EVENT_ID IS NULL"
        }
        _ => "SELECT CAST(ID AS CHAR) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'DROP DATABASE%'",
    };
    until("the statement is still waited for", || external.sql(dropping).pop());
    drop(lock);
    ended(child);
    assert_eq!(external.schemas(), [""; 0]);

    // An error names a schema that cannot be removed.
    let child = begin();
    external.sql("REVOKE DROP ON `idgen\\_%`.* FROM lab");
    send("-TERM", &child);
    let said = ended(child);
    let [left] = external.schemas().try_into().unwrap();
    let advice = format!("remove it with DROP DATABASE IF EXISTS {left}");
    assert!(said.contains("is left at mysql://lab:***@") && said.contains(&advice), "{said}");
    external.sql(&format!("DROP DATABASE {left}"));
    external.sql("GRANT DROP ON `idgen\\_%`.* TO lab");

    let child = begin();
    // Ends both connections of the run: one inserts, one reads the counters. MySQL's PROCESSLIST would fail on
    // the random bytes in the statement that it shows; MariaDB's list of threads is empty by default.
    let connections = match database {
        Database::MySql => {
            "SELECT CAST(PROCESSLIST_ID AS CHAR) FROM performance_schema.threads WHERE \
             PROCESSLIST_USER = 'lab' AND PROCESSLIST_DB LIKE 'idgen\\_%'"
        }
        _ => {
            "SELECT CAST(ID AS CHAR) FROM information_schema.PROCESSLIST WHERE USER = 'lab' AND \
             DB LIKE 'idgen\\_%'"
        }
    };
    let two = || <[String; 2]>::try_from(external.sql(connections)).ok();
    let numbers = until("there are not two connections", two);
    numbers.iter().for_each(|number| external.kill(number));
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("v4-text36 failed") && !said.contains(PASSWORD), "{said}");
    assert_eq!(external.schemas(), [""; 0]);

    let address = external.server.url().rsplit_once('@').unwrap().1.replace("/mysql", "");
    for (engine, code, says) in [
        (format!("mysql://lab:{PASSWORD}@127.0.0.1:1"), 1, "no server at mysql://lab:***@127.0.0.1:1"),
        (format!("mysql://nobody:{PASSWORD}@{address}"), 1, "mysql://nobody:***@"),
        (format!("http://lab:{PASSWORD}@{address}"), 1, "write mysql://"),
        (format!("mysql:lab:{PASSWORD}@{address}"), 2, "choose sqlite, mysql, mariadb"),
    ] {
        let output = lab().args(["--rows", "1000", "--engine", &engine]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(says) && !said.contains(PASSWORD), "{said}");
    }
}

#[test]
fn mysql_measures_without_the_privilege_process() {
    with_little(Database::MySql);
}

#[test]
fn mariadb_measures_without_the_privilege_process() {
    with_little(Database::MariaDb);
}

#[test]
fn mysql_shows_fill_and_splits_with_the_privilege_process() {
    with_process(Database::MySql);
}

#[test]
fn mariadb_shows_fill_and_splits_with_the_privilege_process() {
    with_process(Database::MariaDb);
}

#[cfg(unix)]
#[test]
fn mysql_keeps_no_schema_after_signals_and_failures() {
    ends_well(Database::MySql);
}

#[cfg(unix)]
#[test]
fn mariadb_keeps_no_schema_after_signals_and_failures() {
    ends_well(Database::MariaDb);
}
