//! A schema of its own with a plan for it, and an operator who executes its files in whichever order.

use idgen_migrate::plan::{Options, Target, plan};
use idgen_server::{Database, Scratch, Server};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection};
use tokio::runtime::Runtime;

use crate::cascades::cascades_in_innodb;
use crate::client::Client;
use crate::shop::execute;
use crate::whole::named;

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

pub fn text(number: u32) -> String {
    format!("{number:08x}-0000-4000-8000-000000000000")
}

/// A schema of its own, and the files of a plan for it.
pub struct World {
    pub client: Client,
    // Dropped after what uses them.
    pub scratch: Scratch,
    pub folder: tempfile::TempDir,
}

pub struct Servers {
    pub server: Server,
    pub runtime: Runtime,
}

impl Servers {
    pub fn start(database: Database) -> Servers {
        let runtime = crate::runtime();
        Servers { server: Server::start(database, &cascades_in_innodb(database)).unwrap(), runtime }
    }

    pub fn world(&self) -> World {
        self.world_of(&schema(), "p")
    }

    pub fn world_of(&self, schema: &str, table: &str) -> World {
        let scratch = self.server.scratch().unwrap();
        let folder = tempfile::tempdir().unwrap();
        self.sql(&scratch, schema).unwrap();
        self.plan(&scratch, table, folder.path());
        World { client: Client::new(&self.server, scratch.name(), folder.path()), scratch, folder }
    }

    pub fn plan(&self, scratch: &Scratch, table: &str, folder: &std::path::Path) {
        let made =
            self.runtime.block_on(plan(scratch.url(), &Options::new(table, Target::Binary16))).unwrap();
        made.write(folder).unwrap();
    }

    pub fn connect(&self, scratch: &Scratch) -> MySqlConnection {
        self.runtime.block_on(MySqlConnection::connect(scratch.url())).unwrap()
    }

    pub fn sql(&self, scratch: &Scratch, sql: &str) -> Result<u64, u16> {
        self.on(&mut self.connect(scratch), sql)
    }

    pub fn on(&self, connection: &mut MySqlConnection, sql: &str) -> Result<u64, u16> {
        self.runtime.block_on(execute(connection, sql))
    }

    pub fn number(&self, scratch: &Scratch, sql: &str) -> i64 {
        self.number_on(&mut self.connect(scratch), sql)
    }

    pub fn number_on(&self, connection: &mut MySqlConnection, sql: &str) -> i64 {
        let sql = AssertSqlSafe(format!("SELECT CAST(({sql}) AS SIGNED)"));
        self.runtime.block_on(sqlx::query_scalar(sql).fetch_one(connection)).unwrap()
    }

    pub fn assert_rows(&self, world: &World, table: &str, rows: i64, of: &str) {
        let found = self.number(&world.scratch, &format!("SELECT COUNT(*) FROM {table}"));
        assert_eq!(found, rows, "{} {of}: {table}", self.server.database());
    }
}

impl World {
    /// The table that the plan has beside one of the application: `new` or `old`.
    pub fn beside(&self, servers: &Servers, table: &str, which: &str) -> String {
        let sql = format!(
            "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '{table}\\_%\\_{which}'"
        );
        let mut connection = servers.connect(&self.scratch);
        servers.runtime.block_on(sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut connection)).unwrap()
    }

    pub fn file(&self, step: &str) -> String {
        named(&self.client, step)
    }

    /// Executes the files before this step in one session.
    pub fn until(&self, step: &str) {
        self.between("check", step);
    }

    /// Executes the files from one step to before another in one session.
    pub fn between(&self, from: &str, step: &str) {
        let (begin, end) = (self.file(from), self.file(step));
        let files = self.client.files("").into_iter().filter(|file| *file >= begin && *file < end);
        self.client.execute_together(files).unwrap();
    }

    pub fn must(&self, step: &str) -> String {
        self.client.must(&self.file(step))
    }

    /// Executes the ways back from the last step to this one.
    pub fn back_to(&self, step: &str) {
        let end = self.file(step);
        for file in self.client.files("undo").iter().rev().filter(|file| **file >= end) {
            if let Err(said) = self.client.execute(&format!("undo/{file}")) {
                assert!(said.contains("nothing to undo here"), "{file}: {said}");
            }
        }
    }

    /// A file that must be refused, and what it says.
    pub fn refused(&self, file: &str, what: &str) {
        let said = self.client.execute(file).expect_err(file);
        assert!(said.contains(what), "{file}: {said}");
    }
}
