//! Foreign keys that change other rows: the survey names them where MySQL does not report the errors of that.

use idgen_migrate::survey::{Code, Finding, Level, Options, survey};
use idgen_server::{Database, Server, Settings};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection};

const SCHEMA: &str = "
    CREATE TABLE `par'ent` (id INT PRIMARY KEY, v INT UNIQUE);
    CREATE TABLE deleted (id INT PRIMARY KEY, p INT,
      CONSTRAINT one FOREIGN KEY (p) REFERENCES `par'ent` (id) ON DELETE CASCADE);
    CREATE TABLE emptied (id INT PRIMARY KEY, p INT,
      CONSTRAINT two FOREIGN KEY (p) REFERENCES `par'ent` (id) ON DELETE SET NULL);
    CREATE TABLE renamed (id INT PRIMARY KEY, p INT,
      CONSTRAINT three FOREIGN KEY (p) REFERENCES deleted (id) ON UPDATE CASCADE);
    CREATE TABLE both_ways (id INT PRIMARY KEY, p INT,
      CONSTRAINT four FOREIGN KEY (p) REFERENCES `par'ent` (v) ON DELETE SET NULL ON UPDATE CASCADE);
    CREATE TABLE refusing (id INT PRIMARY KEY, p INT,
      CONSTRAINT five FOREIGN KEY (p) REFERENCES both_ways (id) ON DELETE RESTRICT);
    CREATE TABLE passive (id INT PRIMARY KEY, p INT,
      CONSTRAINT six FOREIGN KEY (p) REFERENCES refusing (id) ON DELETE NO ACTION);";

/// The findings, and how many rows the statement of each shows.
async fn findings(server: &Server) -> Vec<(Finding, usize)> {
    let scratch = server.scratch().unwrap();
    let mut connection = MySqlConnection::connect(scratch.url()).await.unwrap();
    connection.execute(sqlx::raw_sql(SCHEMA)).await.unwrap();
    let mut found = Vec::new();
    for finding in survey(scratch.url(), &Options::default()).await.unwrap().findings {
        assert_eq!(finding.table, scratch.name());
        let rows =
            connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(finding.statement.clone()))).await.unwrap();
        found.push((finding, rows.len()));
    }
    found
}

#[test]
fn a_server_that_hides_errors_of_cascades_is_a_danger_and_others_are_not() {
    let native = Settings::new().option("innodb_native_foreign_keys", "ON");
    let runtime = crate::common::runtime();
    for (database, settings) in [(Database::MySql, native), (Database::MariaDb, Settings::new())] {
        let server = Server::start(database, &settings).unwrap();
        assert_eq!(runtime.block_on(findings(&server)).len(), 0, "{database}");
    }
    let server = Server::start(Database::MySql, &Settings::new()).unwrap();
    let found = runtime.block_on(findings(&server));
    let [(finding, rows)] = &found[..] else { panic!("{found:?}") };
    assert_eq!((finding.code, finding.level, *rows), (Code::HiddenCascadeError, Level::Danger, 4));
    let all = "four of both_ways (ON DELETE SET NULL ON UPDATE CASCADE), one of deleted (ON DELETE CASCADE), \
               two of emptied (ON DELETE SET NULL), three of renamed (ON UPDATE CASCADE)";
    assert!(finding.what.contains(all), "{}", finding.what);
    assert!(finding.what.contains("UPDATE of deleted, par'ent reports success"), "{}", finding.what);
    assert!(finding.remedy.contains("--innodb-native-foreign-keys=ON"), "{finding:?}");
}
