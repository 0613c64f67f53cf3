//! Servers, maps and small helpers that the tests share.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Scratch, Server, Settings, Wait};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, Row};
use uuid::Uuid;

/// Selects the value for one of the two servers of the map. The map runs on no other database.
pub fn of_two<T>(database: Database, on_mysql: T, on_mariadb: T) -> T {
    match database {
        Database::MySql => on_mysql,
        Database::MariaDb => on_mariadb,
        Database::Sqlite | Database::Postgres => panic!("the map does not run on {database}"),
    }
}

/// One server of each kind for the whole program. It is removed when the program ends.
pub fn server(database: Database) -> &'static Server {
    static MYSQL: OnceLock<Server> = OnceLock::new();
    static MARIADB: OnceLock<Server> = OnceLock::new();
    let cell = of_two(database, &MYSQL, &MARIADB);
    // Half of the servers encrypt connections: here one of the two, in other tests the other.
    let settings = settings().tls(database == Database::MySql);
    cell.get_or_init(|| Server::start(database, &settings).unwrap())
}

/// Allows enough connections for the tests, and the functions of the published design.
pub fn settings() -> Settings {
    Settings::new()
        .buffer_pool_mib(64)
        .option("max_connections", "500")
        .option("log_bin_trust_function_creators", "1")
}

/// A schema for one test, with an installed map. Its calls wait long for a busy machine.
pub async fn map(database: Database, index: Index) -> (Scratch, UuidMap) {
    let scratch = server(database).scratch().unwrap();
    let builder = UuidMap::builder().answer_limit(Duration::from_secs(60)).timeout(Duration::from_secs(180));
    let map = builder.index(index).connect(scratch.url()).await.unwrap();
    map.install().await.unwrap();
    (scratch, map)
}

/// The result of a call whose time is short for the sake of another call. It is made again where a busy machine ends it.
pub async fn patiently<T>(call: impl AsyncFn() -> idgen_mysql::Result<T>) -> T {
    let wait = Wait::until("a call is in time");
    loop {
        wait.check();
        match call().await {
            Ok(value) => return value,
            // If the first node was late, the error may be about the second one.
            Err(error) => {
                assert!(error.is_transient() || error.is_unsafe_server() || error.is_other_map(), "{error}")
            }
        }
    }
}

pub async fn connect(url: &str) -> MySqlConnection {
    MySqlConnection::connect(url).await.unwrap()
}

pub async fn run(connection: &mut MySqlConnection, statement: impl Into<String>) {
    let statement: String = statement.into();
    connection.execute(sqlx::raw_sql(AssertSqlSafe(statement.clone()))).await.unwrap_or_else(|error| {
        panic!("{statement}: {error}");
    });
}

/// The first column of the first row.
pub async fn number(connection: &mut MySqlConnection, statement: impl Into<String>) -> Result<i64, u16> {
    match connection.fetch_one(sqlx::raw_sql(AssertSqlSafe(statement.into()))).await {
        Ok(row) => Ok(row.try_get_unchecked::<i64, _>(0).unwrap()),
        Err(error) => {
            let database = error.as_database_error().unwrap_or_else(|| panic!("{error}"));
            Err(database.downcast_ref::<sqlx::mysql::MySqlDatabaseError>().number())
        }
    }
}

/// The rows of a table, or of a table with a condition.
pub async fn count(connection: &mut MySqlConnection, what: &str) -> i64 {
    number(connection, format!("SELECT COUNT(*) FROM {what}")).await.unwrap()
}

/// The query that lists a server's connections. MySQL's information_schema.processlist can fail while connections open
/// and close (error 3854).
pub fn connection_list(database: Database) -> &'static str {
    of_two(database, "performance_schema.processlist", "information_schema.processlist")
}

/// Closes all connections to a schema except this one, as a restart of the server does.
pub async fn kill_connections(root: &mut MySqlConnection, database: Database, schema: &str) {
    let list = connection_list(database);
    let others = format!("SELECT id FROM {list} WHERE db = '{schema}' AND id <> CONNECTION_ID()");
    for row in root.fetch_all(sqlx::raw_sql(AssertSqlSafe(others))).await.unwrap() {
        let id: u64 = row.try_get_unchecked(0).unwrap();
        // The connection may have ended by itself.
        let _ = root.execute(sqlx::raw_sql(AssertSqlSafe(format!("KILL {id}")))).await;
    }
}

/// Kills a server without a warning, and starts it again on its data, while clients continue to work.
pub async fn kill_and_start_again(server: &Arc<Server>) {
    let server = server.clone();
    tokio::task::spawn_blocking(move || {
        server.kill().unwrap();
        server.start_again().unwrap();
    })
    .await
    .unwrap();
}

/// Creates a user with privileges on tables of the schema (`*` for all of them), and returns the user's URL.
pub async fn user(root: &mut MySqlConnection, scratch: &Scratch, grants: &[(&str, &str)]) -> String {
    let name = format!("u{}", &Uuid::new_v4().simple().to_string()[..20]);
    run(root, format!("CREATE USER '{name}'@'%' IDENTIFIED BY 'Secret-7'")).await;
    for (privileges, table) in grants {
        run(root, format!("GRANT {privileges} ON {}.{table} TO '{name}'@'%'", scratch.name())).await;
    }
    let (_, address) = scratch.url().rsplit_once('@').unwrap();
    format!("mysql://{name}:Secret-7@{address}")
}

/// Waits until a query gives such a number.
pub async fn until(connection: &mut MySqlConnection, state: &str, query: &str, is: impl Fn(i64) -> bool) {
    let wait = Wait::until(state);
    while !number(connection, query).await.is_ok_and(&is) {
        wait.check();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A client reads the map again after a second of use.
pub async fn until_it_is_read_again() {
    tokio::time::sleep(Duration::from_millis(1100)).await;
}

/// Creates a table like one of the map, with its rows.
pub async fn copy_table(root: &mut MySqlConnection, from: &str, to: &str) {
    run(root, format!("CREATE TABLE {to} LIKE {from}")).await;
    copy_rows(root, from, to).await;
}

/// Copies the rows of a table of the map. The column `hash` is computed, and takes no values.
pub async fn copy_rows(root: &mut MySqlConnection, from: &str, to: &str) {
    let (into, columns) = if from.ends_with("uuid_map") { ("(id, uuid)", "id, uuid") } else { ("", "*") };
    run(root, format!("INSERT INTO {to} {into} SELECT {columns} FROM {from}")).await;
}

/// Checks what holds for every map at rest: one id per UUID, one UUID per id, and no id that was never reserved.
pub async fn assert_sound(url: &str) {
    let mut connection = connect(url).await;
    let broken = "SELECT COUNT(*) - COUNT(DISTINCT uuid) + COUNT(*) - COUNT(DISTINCT id) FROM uuid_map";
    assert_eq!(number(&mut connection, broken).await, Ok(0));
    let unreserved = "SELECT COUNT(*) FROM uuid_map WHERE id >= (SELECT next_id FROM uuid_map_state)";
    assert_eq!(number(&mut connection, unreserved).await, Ok(0));
}

/// Defines tests for each database and index. `make test` executes each on both databases with one index each, in turn; the soak
/// executes the others.
macro_rules! everywhere {
    () => {};
    ($test:ident $(,)?) => {
        everywhere!(@each $test; ; #[ignore = "make soak executes it"]);
    };
    ($test:ident, $next:ident $(, $others:ident)* $(,)?) => {
        everywhere!(@each $test; ; #[ignore = "make soak executes it"]);
        everywhere!(@each $next; #[ignore = "make soak executes it"]; );
        everywhere!($($others),*);
    };
    (@each $test:ident; $(#[$one:meta])?; $(#[$other:meta])?) => {
        mod $test {
            use idgen_mysql::Index::{Dedup, Unique};
            use idgen_server::Database::{MariaDb, MySql};

            #[tokio::test(flavor = "multi_thread")]
            $(#[$one])?
            async fn mysql_unique() {
                super::$test(MySql, Unique).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            $(#[$other])?
            async fn mysql_dedup() {
                super::$test(MySql, Dedup).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            $(#[$other])?
            async fn mariadb_unique() {
                super::$test(MariaDb, Unique).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            $(#[$one])?
            async fn mariadb_dedup() {
                super::$test(MariaDb, Dedup).await;
            }
        }
    };
}

/// Defines a test for each database.
macro_rules! on_both {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            #[tokio::test(flavor = "multi_thread")]
            async fn mysql() {
                super::$test(idgen_server::Database::MySql).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn mariadb() {
                super::$test(idgen_server::Database::MariaDb).await;
            }
        }
    )+};
}

pub(crate) use {everywhere, on_both};
