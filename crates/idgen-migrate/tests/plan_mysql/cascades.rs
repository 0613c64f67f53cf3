//! Tests that a plan is refused if MySQL cascades outside of InnoDB, and what such a server acknowledges although it
//! did not do it.

use idgen_migrate::plan::{Options, Target, plan};
use idgen_server::{Database, Server, Settings};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection};

use crate::client::Client;
use crate::shop::{SCHEMA, execute};

/// The settings of a server for which a plan can be made.
pub fn cascades_in_innodb(database: Database) -> Settings {
    match database {
        Database::MySql => Settings::new().option("innodb_native_foreign_keys", "ON"),
        _ => Settings::new(),
    }
}

const FAMILY: &str = "
    CREATE TABLE parent (id INT PRIMARY KEY);
    CREATE TABLE child (id INT PRIMARY KEY, parent_id INT, v INT, KEY (v),
      FOREIGN KEY (parent_id) REFERENCES parent (id) ON DELETE CASCADE);
    INSERT INTO parent VALUES (10);
    INSERT INTO child VALUES (1, 10, 7)";

const COPY: &str = "
    CREATE TABLE parent_new LIKE parent;
    CREATE TABLE child_new LIKE child;
    ALTER TABLE child_new ADD FOREIGN KEY (parent_id) REFERENCES parent_new (id) ON DELETE CASCADE;
    INSERT INTO parent_new SELECT * FROM parent;
    INSERT INTO child_new SELECT * FROM child;
    CREATE TRIGGER parent_d AFTER DELETE ON parent FOR EACH ROW DELETE FROM parent_new WHERE id = OLD.id";

/// Deletes the parent while another connection locks an index of a table of children. What the server says, and then the rows of
/// `parent` and of the table that `locked` refers to.
async fn delete_in_vain(url: &str, locked: &str) -> (Result<u64, u16>, u64, u64) {
    let mut other = MySqlConnection::connect(url).await.unwrap();
    let mut own = MySqlConnection::connect(url).await.unwrap();
    execute(&mut other, "BEGIN").await.unwrap();
    let lock = format!("SELECT v FROM {locked} FORCE INDEX (v) WHERE v = 7 LOCK IN SHARE MODE");
    execute(&mut other, &lock).await.unwrap();
    execute(&mut own, "SET innodb_lock_wait_timeout = 1").await.unwrap();
    let said = execute(&mut own, "DELETE FROM parent WHERE id = 10").await;
    execute(&mut other, "COMMIT").await.unwrap();
    let copy = locked.replace("child", "parent");
    let mut counts = Vec::new();
    for table in ["parent", &copy] {
        let sql = AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
        counts.push(sqlx::query_scalar::<_, i64>(sql).fetch_one(&mut own).await.unwrap() as u64);
    }
    (said, counts[0], counts[1])
}

async fn both(server: &Server) -> [(Result<u64, u16>, u64, u64); 2] {
    let scratch = server.scratch().unwrap();
    let mut connection = MySqlConnection::connect(scratch.url()).await.unwrap();
    execute(&mut connection, FAMILY).await.unwrap();
    let alone = delete_in_vain(scratch.url(), "child").await;
    execute(&mut connection, COPY).await.unwrap();
    [alone, delete_in_vain(scratch.url(), "child_new").await]
}

/// If this fails on a newer MySQL, the server may report the errors of its cascades by now.
#[test]
fn a_mysql_that_cascades_outside_of_innodb_loses_changes_and_is_refused() {
    let server = Server::start(Database::MySql, &Settings::new()).unwrap();
    let error = crate::workers(1).block_on(async {
        let [alone, in_trigger] = both(&server).await;
        // No error and no row; in a trigger, the rows of one table are deleted and those of the other stay.
        assert_eq!(alone, (Ok(0), 1, 1));
        assert_eq!(in_trigger, (Ok(1), 0, 1));
        let scratch = server.scratch().unwrap();
        let mut connection = MySqlConnection::connect(scratch.url()).await.unwrap();
        execute(&mut connection, SCHEMA).await.unwrap();
        plan(scratch.url(), &Options::new("orders", Target::Binary16)).await.unwrap_err()
    });
    assert!(error.to_string().contains("--innodb-native-foreign-keys=ON"), "{error}");
}

/// The server may have been started otherwise since the plan was made.
#[test]
fn a_plan_is_not_executed_where_changes_would_be_lost() {
    let planned = Server::start(Database::MySql, &cascades_in_innodb(Database::MySql)).unwrap();
    let other = Server::start(Database::MySql, &Settings::new()).unwrap();
    let (scratch, elsewhere) = (planned.scratch().unwrap(), other.scratch().unwrap());
    let folder = tempfile::tempdir().unwrap();
    crate::workers(1).block_on(async {
        for url in [scratch.url(), elsewhere.url()] {
            let mut connection = MySqlConnection::connect(url).await.unwrap();
            execute(&mut connection, SCHEMA).await.unwrap();
        }
        let plan = plan(scratch.url(), &Options::new("orders", Target::Binary16)).await.unwrap();
        plan.write(folder.path()).unwrap();
    });
    Client::new(&planned, scratch.name(), folder.path()).must("01-check.sql");
    let client = Client::new(&other, elsewhere.name(), folder.path());
    // The first file is refused at once, and the second without the first.
    let error = client.execute("01-check.sql").unwrap_err();
    assert!(error.contains("innodb_native_foreign_keys is OFF"), "{error}");
    let error = client.execute("02-new-tables.sql").unwrap_err();
    assert!(error.contains("the first file is 01-check.sql"), "{error}");
    // The server behaves as if it had been started with other settings after these files.
    let as_before = |file: &str| {
        let text = client.statements(file).concat();
        client.execute_text(&text.replace("= 'innodb_native_foreign_keys'", "= 'as it was then'")).unwrap();
    };
    as_before("01-check.sql");
    as_before("02-new-tables.sql");
    for file in ["01-check.sql", "03-triggers-customers.sql"] {
        let error = client.execute(file).expect_err(file);
        assert!(error.contains("innodb_native_foreign_keys is OFF"), "{file}: {error}");
    }
}

#[test]
fn cascades_in_innodb_report_their_errors() {
    for database in Database::MYSQL_FAMILY {
        let server = Server::start(database, &cascades_in_innodb(database)).unwrap();
        let [alone, in_trigger] = crate::workers(1).block_on(both(&server));
        assert_eq!(alone, (Err(1205), 1, 1), "{database}");
        assert_eq!(in_trigger, (Err(1205), 1, 1), "{database}");
    }
}
