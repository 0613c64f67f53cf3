//! Files in whichever order, and changes by others between any two of them: a file does its work, or says what is missing. What it
//! refuses it has not begun, and no acknowledged row is lost.

use std::time::{Duration, Instant};

use idgen_migrate::plan::{Options, Target, plan};
use idgen_server::{Database, Scratch, Server};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection};
use tokio::runtime::Runtime;

use crate::cascades::cascades_in_innodb;
use crate::client::{Client, result};
use crate::shop::execute;
use crate::whole::{left, named};

const ID: &str = "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL";

fn schema() -> String {
    format!(
        "CREATE TABLE p (id {ID} PRIMARY KEY, n INT NOT NULL DEFAULT 1, t TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, KEY of_n (n),
           CONSTRAINT few CHECK (n < 1000));
         CREATE TABLE c (id {ID} PRIMARY KEY, p_id {ID}, up CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NULL, v INT,
           CONSTRAINT of_p FOREIGN KEY (p_id) REFERENCES p (id) ON DELETE CASCADE,
           FOREIGN KEY (up) REFERENCES c (id) ON DELETE SET NULL);
         CREATE TABLE q (id {ID} PRIMARY KEY, n INT);
         INSERT INTO p (id) VALUES {};
         INSERT INTO c (id, p_id, v) SELECT id, id, 1 FROM p;
         INSERT INTO q SELECT id, 1 FROM p",
        (1..=8).map(|number| format!("('{}')", text(number))).collect::<Vec<_>>().join(", ")
    )
}

fn text(number: u32) -> String {
    format!("{number:08x}-0000-4000-8000-000000000000")
}

/// A schema of its own, and the files of a plan for it.
struct World {
    client: Client,
    // Dropped after what uses them.
    scratch: Scratch,
    folder: tempfile::TempDir,
}

struct Servers {
    server: Server,
    runtime: Runtime,
}

impl Servers {
    fn start(database: Database) -> Servers {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Servers { server: Server::start(database, &cascades_in_innodb(database)).unwrap(), runtime }
    }

    fn world(&self) -> World {
        let scratch = self.server.scratch().unwrap();
        let folder = tempfile::tempdir().unwrap();
        self.sql(&scratch, &schema()).unwrap();
        self.plan(&scratch, "p", folder.path());
        World { client: Client::new(&self.server, scratch.name(), folder.path()), scratch, folder }
    }

    fn plan(&self, scratch: &Scratch, table: &str, folder: &std::path::Path) {
        let made =
            self.runtime.block_on(plan(scratch.url(), &Options::new(table, Target::Binary16))).unwrap();
        made.write(folder).unwrap();
    }

    fn connect(&self, scratch: &Scratch) -> MySqlConnection {
        self.runtime.block_on(MySqlConnection::connect(scratch.url())).unwrap()
    }

    fn sql(&self, scratch: &Scratch, sql: &str) -> Result<u64, u16> {
        self.on(&mut self.connect(scratch), sql)
    }

    fn on(&self, connection: &mut MySqlConnection, sql: &str) -> Result<u64, u16> {
        self.runtime.block_on(execute(connection, sql))
    }

    fn number(&self, scratch: &Scratch, sql: &str) -> i64 {
        let mut own = self.connect(scratch);
        let sql = AssertSqlSafe(format!("SELECT CAST(({sql}) AS SIGNED)"));
        self.runtime.block_on(sqlx::query_scalar(sql).fetch_one(&mut own)).unwrap()
    }

    fn assert_rows(&self, world: &World, table: &str, rows: i64, of: &str) {
        let found = self.number(&world.scratch, &format!("SELECT COUNT(*) FROM {table}"));
        assert_eq!(found, rows, "{} {of}: {table}", self.server.database());
    }
}

impl World {
    fn file(&self, step: &str) -> String {
        named(&self.client, step)
    }

    /// Executes the files before this step in one session.
    fn until(&self, step: &str) {
        let end = self.file(step);
        let files = self.client.files("").into_iter().filter(|file| *file < end);
        let text: String = files.flat_map(|file| self.client.statements(&file)).collect();
        self.client.execute_text(&text).unwrap();
    }

    fn must(&self, step: &str) -> String {
        self.client.must(&self.file(step))
    }

    /// Executes the ways back from the last step to this one.
    fn back_to(&self, step: &str) {
        let end = self.file(step);
        for file in self.client.files("undo").iter().rev().filter(|file| **file >= end) {
            if let Err(said) = self.client.execute(&format!("undo/{file}")) {
                assert!(said.contains("nothing to undo here"), "{file}: {said}");
            }
        }
    }

    /// A file that must be refused, and what it says.
    fn refused(&self, file: &str, what: &str) {
        let said = self.client.execute(file).expect_err(file);
        assert!(said.contains(what), "{file}: {said}");
    }
}

macro_rules! on_both {
    ($name:ident, $of:ident) => {
        mod $name {
            #[test]
            fn mysql() {
                super::$of(&super::Servers::start(idgen_server::Database::MySql));
            }

            #[test]
            fn mariadb() {
                super::$of(&super::Servers::start(idgen_server::Database::MariaDb));
            }
        }
    };
}

on_both!(in_any_order, in_any_order);
on_both!(changes_by_others, changes_by_others);
on_both!(locks_of_others, locks_of_others);

fn in_any_order(servers: &Servers) {
    lost_triggers(servers);
    failed_verifications(servers);
    steps_left_out(servers);
    two_plans(servers);
    poolers(servers);
}

/// The step that makes the triggers empties the new table, so it is refused once the copy has begun.
fn lost_triggers(servers: &Servers) {
    let world = servers.world();
    let (rename, triggers) = (world.file("rename"), world.file("triggers-p"));
    world.until("rename");
    servers.sql(&world.scratch, &format!("DROP TRIGGER {}", world.client.made("p", "fu"))).unwrap();
    world.refused(&rename, "triggers of the plan on p are missing");
    world.refused(&triggers, "this step is done");
    world.refused(&rename, "triggers of the plan on p are missing");
    world.refused(&world.file("verify"), "undo to undo/");
    world.refused(&world.file("copy-p"), "this step is done");
    world.refused(&format!("undo/{triggers}"), "later steps stand");
    servers.assert_rows(&world, "p", 8, "lost triggers");
    // What clients changed without the trigger is there after another copy.
    servers.sql(&world.scratch, "UPDATE p SET n = 77").unwrap();
    world.back_to("triggers-p");
    for file in world.client.files("").iter().filter(|file| **file >= triggers && **file <= rename) {
        world.client.must(file);
    }
    assert_eq!(servers.number(&world.scratch, "SELECT COUNT(*) FROM p WHERE n = 77"), 8);
    // The way back needs the other triggers.
    servers.sql(&world.scratch, &format!("DROP TRIGGER {}", world.client.made("c", "bi"))).unwrap();
    world.refused(&format!("undo/{rename}"), "a table or trigger was dropped");
    world.refused(&world.file("verify-renamed"), "triggers of the plan on c are missing");
    world.refused(&world.file("finish"), "has not succeeded");
    servers.assert_rows(&world, "c", 8, "lost triggers");
}

fn failed_verifications(servers: &Servers) {
    let world = servers.world();
    world.until("verify");
    let new = world.client.made("c", "new");
    servers.sql(&world.scratch, &format!("DELETE FROM {new} LIMIT 3")).unwrap();
    world.refused(&world.file("verify"), "missing or different");
    world.must("triggers-back");
    world.refused(&world.file("rename"), "has not succeeded since the last change");
    world.back_to("copy-c");
    for step in ["copy-c", "own-references", "verify", "triggers-back"] {
        world.must(step);
    }
    // Nobody sees this; the verification after the renaming does.
    servers.sql(&world.scratch, &format!("DELETE FROM {new} LIMIT 3")).unwrap();
    world.must("rename");
    world.refused(&world.file("finish"), "has not succeeded since the renaming");
    world.refused(&world.file("verify-renamed"), "missing or different");
    world.refused(&world.file("finish"), "has not succeeded since the renaming");
    world.client.must(&format!("undo/{}", world.file("rename")));
    servers.assert_rows(&world, "c", 8, "failed verifications");
}

fn steps_left_out(servers: &Servers) {
    let world = servers.world();
    world.refused(&world.file("new-tables"), "the first file is 01-check.sql");
    world.refused(&world.file("finish"), "the first file is 01-check.sql");
    world.until("own-references");
    for step in ["verify", "triggers-back", "rename", "verify-renamed", "finish"] {
        world.refused(&world.file(step), "own-references.sql is not done: execute it first");
    }
    world.refused(&format!("undo/{}", world.file("rename")), "there is nothing to undo here");
    world.must("own-references");
    world.refused(&world.file("rename"), "is not done: execute it first");
    world.must("verify");
    world.must("triggers-back");
    world.must("rename");
    world.refused(&world.file("rename"), "this step is done: go on with");
    world.refused(&world.file("check"), "the tables are renamed");
    world.refused(&world.file("verify"), "the tables are renamed");
    world.must("verify-renamed");
    world.must("finish");
    assert_eq!(servers.runtime.block_on(left(world.scratch.url())), Vec::<String>::new());
    for file in world.client.files("") {
        if file != "01-check.sql" {
            world.refused(&file, "undone or finished");
        }
    }
    world.refused("01-check.sql", "is not as it was when the plan was made");
    servers.assert_rows(&world, "p", 8, "after the last step");
    let own = "SELECT COUNT(*) FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'c' \
               AND REFERENCED_TABLE_NAME = 'c'";
    assert_eq!(servers.number(&world.scratch, own), 1);
}

/// Two plans of one schema whose files are executed in turns share nothing.
fn two_plans(servers: &Servers) {
    let world = servers.world();
    let folder = tempfile::tempdir().unwrap();
    servers.plan(&world.scratch, "q", folder.path());
    let second = World {
        client: Client::new(&servers.server, world.scratch.name(), folder.path()),
        scratch: servers.server.scratch().unwrap(),
        folder,
    };
    assert_ne!(world.client.id(), second.client.id());
    world.until("triggers-back");
    second.until("rename");
    world.must("triggers-back");
    second.must("rename");
    second.must("verify-renamed");
    servers.sql(&world.scratch, &format!("INSERT INTO p (id) VALUES ('{}')", text(9))).unwrap();
    world.must("rename");
    servers
        .sql(
            &world.scratch,
            "INSERT INTO q VALUES (x'0102030405060708090a0b0c0d0e0f10', 5); DELETE FROM c LIMIT 1",
        )
        .unwrap();
    second.must("finish");
    servers.sql(&world.scratch, "UPDATE p SET n = 3").unwrap();
    world.client.must(&format!("undo/{}", world.file("rename")));
    for (table, rows) in [("p", 9), ("c", 7), ("q", 9)] {
        servers.assert_rows(&world, table, rows, "two plans");
    }
    assert_eq!(servers.number(&world.scratch, "SELECT COUNT(*) FROM p WHERE n = 3"), 9);
    drop((second.scratch, second.folder));
}

/// The statements of a file reach more than one session.
fn poolers(servers: &Servers) {
    let world = servers.world();
    let pieces = world.client.statements("01-check.sql");
    let marker = pieces.iter().position(|piece| piece.contains("_session = CONNECTION_ID()")).unwrap();
    let others: String =
        std::iter::once("DELIMITER $$\n").chain(pieces[marker + 1..].iter().map(String::as_str)).collect();
    let said = world.client.execute_text(&others).unwrap_err();
    assert!(said.contains("this connection goes through a pooler"), "{said}");
}

/// What somebody changes between the plan and the renaming, and how it is changed back.
const CHANGES: [(&str, &str); 11] = [
    ("ALTER TABLE p ALTER COLUMN n SET DEFAULT 7", "ALTER TABLE p ALTER COLUMN n SET DEFAULT 1"),
    (
        "ALTER TABLE p MODIFY t TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP",
        "ALTER TABLE p MODIFY t TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP",
    ),
    (
        "ALTER TABLE p MODIFY n INT NOT NULL DEFAULT 1 COMMENT 'new '",
        "ALTER TABLE p MODIFY n INT NOT NULL DEFAULT 1",
    ),
    ("ALTER TABLE p COMMENT 'new'", "ALTER TABLE p COMMENT ''"),
    ("ALTER TABLE p ADD KEY of_time (t, n DESC)", "ALTER TABLE p DROP KEY of_time"),
    ("ALTER TABLE p ALTER INDEX of_n INVISIBLE", "ALTER TABLE p ALTER INDEX of_n VISIBLE"),
    (
        "ALTER TABLE p DROP CONSTRAINT few, ADD CONSTRAINT few CHECK (n < 2000)",
        "ALTER TABLE p DROP CONSTRAINT few, ADD CONSTRAINT few CHECK (n < 1000)",
    ),
    (
        "ALTER TABLE c DROP FOREIGN KEY of_p; ALTER TABLE c ADD CONSTRAINT of_p FOREIGN KEY (p_id) REFERENCES p (id) ON DELETE RESTRICT",
        "ALTER TABLE c DROP FOREIGN KEY of_p",
    ),
    (
        // of_p is dropped now.
        "DO 0",
        "ALTER TABLE c ADD CONSTRAINT of_p FOREIGN KEY (p_id) REFERENCES p (id) ON DELETE CASCADE",
    ),
    (
        "CREATE TABLE x_plan_new (id INT PRIMARY KEY, o CHAR(36) CHARACTER SET ascii COLLATE ascii_bin, FOREIGN KEY (o) REFERENCES p (id))",
        "DROP TABLE x_plan_new",
    ),
    ("CREATE TRIGGER other BEFORE INSERT ON p FOR EACH ROW SET NEW.n = 1", "DROP TRIGGER other"),
];

/// The same between the renaming and its way back.
const LATER: [(&str, &str); 6] = [
    ("ALTER TABLE p ADD later INT", "ALTER TABLE p DROP later"),
    ("CREATE TRIGGER other BEFORE INSERT ON c FOR EACH ROW SET NEW.v = 1", "DROP TRIGGER other"),
    ("ALTER TABLE c ADD INDEX later (v)", "ALTER TABLE c DROP INDEX later"),
    ("ALTER TABLE c ADD UNIQUE KEY later (id, v)", "ALTER TABLE c DROP INDEX later"),
    ("ALTER TABLE p COMMENT 'new'", "ALTER TABLE p COMMENT ''"),
    ("CREATE TABLE late (o BINARY(16) PRIMARY KEY, FOREIGN KEY (o) REFERENCES p (id))", "DROP TABLE late"),
];

fn changes_by_others(servers: &Servers) {
    let world = servers.world();
    let is_mysql = servers.server.database() == Database::MySql;
    let rename = world.file("rename");
    world.until("rename");
    let written = |sql: &str| match is_mysql {
        true => sql.to_owned(),
        false => sql.replace("of_n INVISIBLE", "of_n IGNORED").replace("of_n VISIBLE", "of_n NOT IGNORED"),
    };
    for (change, back) in CHANGES {
        servers.sql(&world.scratch, &written(change)).unwrap();
        let said = world.client.execute(&rename).expect_err(change);
        assert!(said.contains("is not as it was when the plan was made"), "{change}: {said}");
        servers.sql(&world.scratch, &written(back)).unwrap();
    }
    // The new tables belong to the plan, too.
    let index = format!("ALTER TABLE {} DROP INDEX of_n", world.client.made("p", "new"));
    servers.sql(&world.scratch, &index).unwrap();
    world.refused(&rename, "is not what the step triggers-back left");
    servers
        .sql(&world.scratch, &format!("ALTER TABLE {} ADD INDEX of_n (n)", world.client.made("p", "new")))
        .unwrap();
    // Rebuilt by all these changes; the rows are compared again.
    let said = world.client.execute(&rename);
    if let Err(said) = said {
        assert!(said.contains("undo to undo/"), "{said}");
        world.back_to("triggers-p");
        world.until_again();
        world.must("rename");
    }
    for (change, back) in LATER {
        servers.sql(&world.scratch, change).unwrap();
        let said = world.client.execute(&format!("undo/{rename}")).expect_err(change);
        assert!(said.contains("something was made since the renaming"), "{change}: {said}");
        servers.sql(&world.scratch, back).unwrap();
    }
    let undo = format!("undo/{rename}");
    if world.client.execute(&undo).is_err() {
        world.must("verify-renamed");
        world.client.must(&undo);
    }
    servers.assert_rows(&world, "p", 8, "changes by others");
    servers.assert_rows(&world, "c", 8, "changes by others");
    truncated(servers);
}

impl World {
    /// Executes the files from the triggers to the renaming again.
    fn until_again(&self) {
        let (first, last) = (self.file("triggers-p"), self.file("rename"));
        self.client
            .files("")
            .iter()
            .filter(|file| **file >= first && **file < last)
            .for_each(|file| drop(self.client.must(file)));
    }
}

/// Triggers do not see TRUNCATE TABLE.
fn truncated(servers: &Servers) {
    let world = servers.world();
    world.until("rename");
    let truncate = |table: &str| format!("SET SESSION foreign_key_checks = 0; TRUNCATE TABLE {table}");
    servers.sql(&world.scratch, &truncate("c")).unwrap();
    world.refused(&world.file("rename"), "truncated");
    world.back_to("triggers-p");
    world.until_again();
    world.must("rename");
    servers
        .sql(&world.scratch, &format!("INSERT INTO c (id, p_id) SELECT id, id FROM p; {}", truncate("p")))
        .unwrap();
    world.refused(&format!("undo/{}", world.file("rename")), "truncated");
    world.refused(&world.file("verify-renamed"), "missing or different");
    world.refused(&world.file("finish"), "has not succeeded");
    servers.assert_rows(&world, &world.client.made("p", "old"), 8, "truncated");
}

fn locks_of_others(servers: &Servers) {
    readers(servers);
    old_snapshots(servers);
    open_transactions(servers);
}

/// The steps that only read wait for no row, and lock none.
fn readers(servers: &Servers) {
    let world = servers.world();
    let mut own = servers.connect(&world.scratch);
    let lock = "START TRANSACTION; UPDATE p SET n = n + 1; UPDATE c SET v = v + 1";
    servers.on(&mut own, lock).unwrap();
    world.client.execute("01-check.sql").unwrap();
    servers.on(&mut own, "ROLLBACK").unwrap();
    world.until("verify");
    servers.on(&mut own, lock).unwrap();
    world.client.execute(&world.file("verify")).unwrap();
    servers.on(&mut own, "ROLLBACK").unwrap();
}

fn old_snapshots(servers: &Servers) {
    let world = servers.world();
    let mut own = servers.connect(&world.scratch);
    world.until("copy-c");
    servers.on(&mut own, "START TRANSACTION WITH CONSISTENT SNAPSHOT").unwrap();
    for step in ["copy-c", "own-references", "verify", "triggers-back"] {
        world.must(step);
    }
    world.refused(&world.file("rename"), "began before the copy ended");
    servers.on(&mut own, "ROLLBACK").unwrap();
    world.must("rename");
}

/// While a transaction that wrote stays open, each step lets the writers pass, and ends when it does.
fn open_transactions(servers: &Servers) {
    let world = servers.world();
    world.until("triggers-p");
    let mut own = servers.connect(&world.scratch);
    let mut number = 20;
    for file in world.client.files("").iter().filter(|file| **file >= world.file("triggers-p")) {
        let is_renamed = *file > world.file("rename");
        let write = |number: u32| match is_renamed {
            true => format!("UNHEX(REPLACE('{}', '-', ''))", text(number)),
            false => format!("'{}'", text(number)),
        };
        number += 2;
        let (held, other) = (write(number), write(number + 1));
        // A snapshot of it is older than the copy only if it lasts longer.
        servers.on(&mut own, &format!("START TRANSACTION; INSERT INTO p (id) VALUES ({held}); INSERT INTO c (id, p_id) VALUES ({held}, {held})")).unwrap();
        let mut child = world.client.start(file);
        let begin = Instant::now();
        let mut writer = servers.connect(&world.scratch);
        while begin.elapsed() < Duration::from_secs(4) && child.try_wait().unwrap().is_none() {
            let start = Instant::now();
            let sql = format!("INSERT INTO p (id) VALUES ({other}); DELETE FROM p WHERE id = {other}");
            match servers.on(&mut writer, &sql) {
                // The renaming is one moment, and MariaDB tells some statements then that a table does not exist.
                Ok(_) | Err(1146 | 1205 | 1213) => {}
                Err(code) => panic!("{file}: {code}"),
            }
            assert!(
                start.elapsed() < Duration::from_secs(10),
                "{file}: a writer waited {:?}",
                start.elapsed()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        servers.on(&mut own, "UPDATE p SET n = 2; COMMIT").unwrap();
        if let Err(said) = result(child.wait_with_output().unwrap()) {
            // CREATE TRIGGER cannot be repeated in the file.
            assert!(said.contains("ERROR 1205"), "{file}: {said}");
            world.client.must(file);
        }
    }
    servers.assert_rows(&world, "c", 8 + i64::from(number - 20) / 2, "open transactions");
    assert_eq!(servers.runtime.block_on(left(world.scratch.url())), Vec::<String>::new());
}
