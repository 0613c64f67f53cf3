//! Tests that the notes of a plan are true.

use idgen_migrate::plan::{Options, Target, plan};
use idgen_server::{Database, Server};
use sqlx::Connection;
use sqlx::mysql::MySqlConnection;

use crate::cascades::cascades_in_innodb;
use crate::client::Client;
use crate::shop::execute;

const ID: &str = "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL";

/// A transaction that began before the renaming reads the rows of its snapshot after it, and the check constraint of the plan refuses a text in
/// the place of bytes, of which a session without a strict `sql_mode` stores a part.
#[test]
fn old_snapshots_and_texts_in_the_place_of_bytes() {
    let runtime = crate::runtime();
    for database in Database::MYSQL_FAMILY {
        let server = Server::start(database, &cascades_in_innodb(database)).unwrap();
        let scratch = server.scratch().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let client = Client::new(&server, scratch.name(), folder.path());
        let mut own = runtime.block_on(MySqlConnection::connect(scratch.url())).unwrap();
        let mut other = runtime.block_on(MySqlConnection::connect(scratch.url())).unwrap();
        let sql = |own: &mut MySqlConnection, sql: &str| runtime.block_on(execute(own, sql));
        let mut sql_of_others = |sql: &str| runtime.block_on(execute(&mut other, sql));
        sql(&mut own, &format!("CREATE TABLE p (id {ID} PRIMARY KEY); INSERT INTO p VALUES (UUID())"))
            .unwrap();
        let notes = runtime.block_on(async {
            let made = plan(scratch.url(), &Options::new("p", Target::Binary16)).await.unwrap();
            made.write(folder.path()).unwrap();
            made.notes
        });
        for said in [
            "reads the rows of its snapshot with the new keys",
            "each write of the tables fails with error 1449",
        ] {
            assert!(notes.iter().any(|note| note.contains(said)), "{database}: {said}: {notes:?}");
        }
        let (_, check) = notes.iter().find_map(|note| note.split_once("after the last step: ")).unwrap();
        for file in client.files("") {
            if file.ends_with("-rename.sql") {
                // The server shows the second in which a transaction began.
                sql(&mut own, "DO SLEEP(1.1); START TRANSACTION WITH CONSISTENT SNAPSHOT").unwrap();
            }
            client.must(&file);
            if file.ends_with("-rename.sql") {
                // The row that was there before, and not the one after it.
                sql_of_others("INSERT INTO p VALUES (UNHEX(REPLACE(UUID(), '-', '')))").unwrap();
                let rows = sqlx::query("SELECT id FROM p WHERE LENGTH(id) = 16").fetch_all(&mut own);
                assert_eq!(runtime.block_on(rows).unwrap().len(), 1, "{database}");
                sql(&mut own, "ROLLBACK").unwrap();
            }
        }
        sql(&mut own, "SET sql_mode = ''; INSERT INTO p VALUES ('0000000a-0000-4000-8000-000000000000')")
            .unwrap();
        assert_eq!(sql(&mut own, "DELETE FROM p WHERE id = '0000000a-0000-40'"), Ok(1), "{database}");
        sql(&mut own, check.trim_end_matches('.')).unwrap();
        let refused = sql(&mut own, "INSERT INTO p VALUES ('0000000a-0000-4000-8000-000000000000')");
        let violated = if database == Database::MySql { 3819 } else { 4025 };
        assert_eq!(refused, Err(violated), "{database}: {check}");
        assert_eq!(
            sql(&mut own, "INSERT INTO p VALUES (UNHEX(REPLACE(UUID(), '-', '')))"),
            Ok(1),
            "{database}"
        );
    }
}

/// Properties that the new tables do not get are listed, with the statements that make them again.
#[test]
fn names_rights_and_statistics_that_change_are_named() {
    let runtime = crate::runtime();
    for database in Database::MYSQL_FAMILY {
        let server = Server::start(database, &cascades_in_innodb(database)).unwrap();
        let scratch = server.scratch().unwrap();
        let schema = scratch.name();
        let notes = runtime.block_on(async {
            let mut own = MySqlConnection::connect(scratch.url()).await.unwrap();
            let statements = format!(
                "CREATE TABLE p (id {ID} PRIMARY KEY); CREATE TABLE c (id {ID} PRIMARY KEY, p_id {ID}, v INT, CONSTRAINT few CHECK (v < 9),
                 CONSTRAINT of_p FOREIGN KEY (p_id) REFERENCES p (id));
                 CREATE USER IF NOT EXISTS reader IDENTIFIED BY 'reads'; GRANT SELECT (p_id, v), INSERT (id) ON `{schema}`.c TO reader"
            );
            execute(&mut own, &statements).await.unwrap();
            if database == Database::MariaDb {
                execute(&mut own, "ANALYZE TABLE c PERSISTENT FOR ALL").await.unwrap();
            } else {
                execute(&mut own, "ANALYZE TABLE c UPDATE HISTOGRAM ON v").await.unwrap();
            }
            crate::integers::map(scratch.url(), idgen_mysql::Index::Unique, &[]).await;
            plan(scratch.url(), &Options::new("p", Target::Integer)).await.unwrap().notes.concat()
        });
        assert!(notes.contains("GRANT SELECT (`p_id_int`) ON `c` TO 'reader'@'%'."), "{database}: {notes}");
        assert!(notes.contains("of_p becomes of_p_plan"), "{database}: {notes}");
        assert_eq!(
            notes.contains("the check constraint few gets a name that begins with c_chk_"),
            database == Database::MySql,
            "{notes}"
        );
        let has_statistics = notes.contains("ANALYZE TABLE `c` PERSISTENT FOR ALL.");
        assert_eq!(
            notes.contains("have histograms, which the new tables do not have: c.v."),
            database == Database::MySql,
            "{notes}"
        );
        assert_eq!(has_statistics, database == Database::MariaDb, "{notes}");
    }
}
