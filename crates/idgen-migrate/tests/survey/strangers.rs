//! Tests the survey on a database that it does not know: it writes nothing, it shows no values, it ends although tables
//! are locked or dropped, and one key far from all others does not hide the rest.

use std::time::Duration;

use idgen_migrate::survey::{Options, Survey, survey};
use idgen_server::{Database, Server, Settings, Wait};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, PgConnection};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

async fn texts(connection: &mut MySqlConnection, sql: &str) -> Vec<String> {
    sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_all(connection).await.unwrap()
}

/// Everything that the survey says.
fn said(survey: &Survey) -> String {
    format!("{survey} {survey:?} {}", serde_json::to_string(survey).unwrap())
}

#[test]
fn the_log_of_a_server_has_no_statement_that_writes() {
    for database in Database::MYSQL_FAMILY {
        let server = Server::start(database, &Settings::new()).unwrap();
        let scratch = server.scratch().unwrap();
        runtime().block_on(async {
            let mut own = MySqlConnection::connect(scratch.url()).await.unwrap();
            let sql = "CREATE TABLE t (id CHAR(36) PRIMARY KEY, n INT); INSERT INTO t VALUES (UUID(), 1), (UPPER(UUID()), 2);
                       SET GLOBAL log_output = 'TABLE'; SET GLOBAL general_log = 1;";
            own.execute(sqlx::raw_sql(sql)).await.unwrap();
            let options = Options { watch: Some(Duration::from_secs(1)), ..Options::default() };
            let survey = survey(scratch.url(), &options).await.unwrap();
            own.execute("SET GLOBAL general_log = 0").await.unwrap();
            let logged = "SELECT CONVERT(argument USING utf8mb4) FROM mysql.general_log \
                          WHERE command_type IN ('Query', 'Execute') AND thread_id <> CONNECTION_ID()";
            let logged = texts(&mut own, logged).await;
            assert!(logged.len() >= survey.statements.len(), "{database}: {logged:?}");
            for sql in &logged {
                let begin = sql.split_whitespace().next().unwrap_or_default().to_uppercase();
                assert!(matches!(begin.as_str(), "SELECT" | "SHOW" | "SET" | "START" | "COMMIT"), "{database}: {sql}");
                assert!(!sql.to_uppercase().contains("SET GLOBAL"), "{database}: {sql}");
            }
            let place = |part: &str| logged.iter().position(|sql| sql.contains(part)).unwrap();
            assert!(place("START TRANSACTION READ ONLY") < place("information_schema."), "{database}");
        });
    }
}

#[test]
fn no_value_is_shown_unless_asked_for() {
    for database in Database::MYSQL_FAMILY {
        let server = Server::start(database, &Settings::new()).unwrap();
        let scratch = server.scratch().unwrap();
        runtime().block_on(async {
            let mut own = MySqlConnection::connect(scratch.url()).await.unwrap();
            let sql =
                "CREATE TABLE t (id CHAR(36) COLLATE utf8mb4_bin PRIMARY KEY, secret VARCHAR(64) UNIQUE);
                CREATE TABLE none (id BIGINT PRIMARY KEY);
                INSERT INTO t VALUES ('6ccd780c-baba-4026-9564-5b8c656024db', 'planted-value-of-a-row');
                INSERT INTO t VALUES ('7CCD780C-BABA-4026-9564-5B8C656024DB', 'planted-value-of-another');";
            own.execute(sqlx::raw_sql(sql)).await.unwrap();
            let shown = |show_values| Options { show_values, ..Options::default() };
            let quiet = said(&survey(scratch.url(), &shown(false)).await.unwrap()).to_lowercase();
            for value in ["planted", "6ccd780c", "7ccd780c"] {
                assert!(!quiet.contains(value), "{database}: {value} in {quiet}");
            }
            let open = said(&survey(scratch.url(), &shown(true)).await.unwrap()).to_lowercase();
            assert!(open.contains("6ccd780c"), "{database}: {open}");
            assert!(open.contains("the key of an empty table is left out"), "{database}: {open}");
        });
    }
}

/// PostgreSQL names the value that it cannot convert.
#[test]
fn a_value_in_an_error_is_not_shown() {
    let server = Server::start(Database::Postgres, &Settings::new()).unwrap();
    let scratch = server.scratch().unwrap();
    runtime().block_on(async {
        let mut own = PgConnection::connect(scratch.url()).await.unwrap();
        let sql = "CREATE TABLE fails (id uuid PRIMARY KEY, secret text, made int GENERATED ALWAYS AS (secret::int) VIRTUAL);
                   INSERT INTO fails VALUES (gen_random_uuid(), 'planted-value-of-a-row')";
        own.execute(sqlx::raw_sql(sql)).await.unwrap();
        let shown = |show_values| Options { show_values, ..Options::default() };
        let quiet = survey(scratch.url(), &shown(false)).await.unwrap();
        assert_eq!(quiet.unseen, ["rows of fails: error 22P02 of the database"]);
        assert!(!said(&quiet).contains("planted"), "{quiet:?}");
        assert!(said(&survey(scratch.url(), &shown(true)).await.unwrap()).contains("planted"));
    });
}

/// A table that is locked is named after the time limit. Another one is dropped while the survey waits for the lock.
#[test]
fn locked_and_dropped_tables_are_named_and_the_others_are_read() {
    let server = Server::start(Database::Postgres, &Settings::new()).unwrap();
    let scratch = server.scratch().unwrap();
    runtime().block_on(async {
        let mut own = PgConnection::connect(scratch.url()).await.unwrap();
        let sql = "CREATE TABLE locked (id uuid PRIMARY KEY); CREATE TABLE dropped (id uuid PRIMARY KEY);
                   CREATE TABLE stays (id uuid PRIMARY KEY);
                   INSERT INTO locked SELECT gen_random_uuid() FROM generate_series(1, 3);
                   INSERT INTO dropped SELECT gen_random_uuid() FROM generate_series(1, 2);
                   INSERT INTO stays SELECT gen_random_uuid(); ANALYZE;";
        own.execute(sqlx::raw_sql(sql)).await.unwrap();
        let mut lock = PgConnection::connect(scratch.url()).await.unwrap();
        lock.execute(sqlx::raw_sql("BEGIN; LOCK TABLE locked")).await.unwrap();
        let options = Options { statement_time: Duration::from_secs(10), ..Options::default() };
        let drops = async {
            let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
                         AND application_name = 'idgen survey'";
            let wait = Wait::until("the survey waits for a lock");
            while sqlx::query_scalar::<_, i64>(waits).fetch_one(&mut own).await.unwrap() == 0 {
                wait.check();
            }
            own.execute("DROP TABLE dropped").await.unwrap();
        };
        let (found, ()) = tokio::join!(survey(scratch.url(), &options), drops);
        let found = found.unwrap();
        let unseen = found.unseen.join("\n");
        assert!(unseen.contains("rows of locked: it took longer than 10s"), "{unseen}");
        assert!(unseen.contains("rows of dropped: error 42P01"), "{unseen}");
        let stays = found.tables.iter().find(|table| table.table == "stays").unwrap();
        assert_eq!((stays.rows_read, stays.whole), (1, true));
    });
}

/// A key at the end of all integers, as a program writes it that marks a row, with nothing before it.
#[test]
fn one_far_key_does_not_hide_the_rows_between() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("far.db");
    let sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, u BLOB);
        WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 20000) INSERT INTO t SELECT n, NULL FROM s;
        INSERT INTO t VALUES (9223372036854775807, NULL), (-9223372036854775808, NULL);";
    rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let found = runtime().block_on(survey(path.to_str().unwrap(), &Options::default())).unwrap();
    assert_eq!((found.tables[0].rows_read, found.tables[0].ranges), (1_000, 5));
}

#[test]
fn tables_for_which_there_was_no_time_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.db");
    let sql: String = (0..20).map(|n| format!("CREATE TABLE t{n} (id TEXT PRIMARY KEY);")).collect();
    rusqlite::Connection::open(&path).unwrap().execute_batch(&sql).unwrap();
    let options = Options { sample_time: Duration::ZERO, ..Options::default() };
    let found = runtime().block_on(survey(path.to_str().unwrap(), &options)).unwrap();
    assert_eq!(found.rows_read, 0);
    assert!(found.unseen.iter().any(|line| line.starts_with("rows of 20 tables")), "{:?}", found.unseen);
}
