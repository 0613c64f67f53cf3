//! Tests that the notes of a plan are true.

use idgen_migrate::plan::{Options, Target};
use idgen_server::Database;
use sqlx::mysql::MySqlConnection;

use crate::ledger::world::Servers;

const ID: &str = "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL";

/// A transaction that began before the renaming reads the rows of its snapshot after it, and the check constraint of the plan refuses a text in
/// the place of bytes, of which a session without a strict `sql_mode` stores a part.
#[test]
fn old_snapshots_and_texts_in_the_place_of_bytes() {
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let schema = format!("CREATE TABLE p (id {ID} PRIMARY KEY); INSERT INTO p VALUES (UUID())");
        let world = servers.without_plan(&schema);
        let mut own = servers.connect(&world.scratch);
        let sql = |own: &mut MySqlConnection, sql: &str| servers.on(own, sql);
        let notes = servers.plan(&world, &Options::new("p", Target::Binary16)).notes;
        for said in [
            "reads the rows of its snapshot with the new keys",
            "each write of the tables fails with error 1449",
        ] {
            assert!(notes.iter().any(|note| note.contains(said)), "{database}: {said}: {notes:?}");
        }
        let (_, check) = notes.iter().find_map(|note| note.split_once("after the last step: ")).unwrap();
        for file in world.client.files("") {
            if file.ends_with("-rename.sql") {
                // The server shows the second in which a transaction began.
                sql(&mut own, "DO SLEEP(1.1); START TRANSACTION WITH CONSISTENT SNAPSHOT").unwrap();
            }
            world.client.must(&file);
            if file.ends_with("-rename.sql") {
                // The row that was there before, and not the one after it.
                let insert = "INSERT INTO p VALUES (UNHEX(REPLACE(UUID(), '-', '')))";
                servers.sql(&world.scratch, insert).unwrap();
                let rows = sqlx::query("SELECT id FROM p WHERE LENGTH(id) = 16").fetch_all(&mut own);
                assert_eq!(servers.runtime.block_on(rows).unwrap().len(), 1, "{database}");
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
    for database in Database::MYSQL_FAMILY {
        let servers = Servers::start(database);
        let analyze = match database {
            Database::MariaDb => "ANALYZE TABLE c PERSISTENT FOR ALL",
            _ => "ANALYZE TABLE c UPDATE HISTOGRAM ON v",
        };
        let schema = format!(
            "CREATE TABLE p (id {ID} PRIMARY KEY); CREATE TABLE c (id {ID} PRIMARY KEY, p_id {ID}, v INT, CONSTRAINT few CHECK (v < 9),
             CONSTRAINT of_p FOREIGN KEY (p_id) REFERENCES p (id));
             CREATE USER IF NOT EXISTS reader IDENTIFIED BY 'reads'; GRANT SELECT (p_id, v), INSERT (id) ON c TO reader; {analyze}"
        );
        let world = servers.without_plan(&schema);
        let map = crate::integers::map(world.scratch.url(), idgen_mysql::Index::Unique, &[]);
        servers.runtime.block_on(map);
        let notes = servers.plan(&world, &Options::new("p", Target::Integer)).notes.concat();
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
