//! A schema of its own with a plan for it, and an operator who executes its files in whichever order.

use std::rc::Rc;

use idgen_migrate::plan::{Options, Plan, Target, plan};
use idgen_server::{Database, Scratch, Server};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection};
use tokio::runtime::Runtime;

use crate::cascades::cascades_in_innodb;
use crate::client::Client;
use crate::shop::{execute, texts};
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

pub fn text(number: u32) -> String {
    format!("{number:08x}-0000-4000-8000-000000000000")
}

/// A schema of its own, and a folder for the files of a plan for it.
pub struct World {
    pub client: Client,
    // Dropped after what uses them.
    pub scratch: Rc<Scratch>,
    pub folder: tempfile::TempDir,
}

pub struct Servers {
    pub server: Server,
    pub runtime: Runtime,
}

impl Servers {
    pub fn start(database: Database) -> Servers {
        Servers::with_runtime(database, crate::runtime())
    }

    pub fn with_runtime(database: Database, runtime: Runtime) -> Servers {
        Servers { server: Server::start(database, &cascades_in_innodb(database)).unwrap(), runtime }
    }

    pub fn world(&self) -> World {
        self.world_of(&schema(), "p")
    }

    pub fn world_of(&self, schema: &str, table: &str) -> World {
        self.world_to(schema, table, Target::Binary16)
    }

    pub fn world_to(&self, schema: &str, table: &str, to: Target) -> World {
        let world = self.without_plan(schema);
        self.plan(&world, &Options::new(table, to));
        world
    }

    /// A schema with these tables, for which no plan was made yet.
    pub fn without_plan(&self, schema: &str) -> World {
        let world = World::new(&self.server);
        self.sql(&world.scratch, schema).unwrap();
        world
    }

    /// Writes the files of a plan into the folder.
    pub fn plan(&self, world: &World, options: &Options) -> Plan {
        let made = self.runtime.block_on(plan(world.scratch.url(), options)).unwrap();
        made.write(world.folder.path()).unwrap();
        made
    }

    /// The reason why there is no such plan.
    pub fn plan_error(&self, world: &World, options: &Options) -> String {
        self.runtime.block_on(plan(world.scratch.url(), options)).unwrap_err().to_string()
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

    /// The first column of each row.
    pub fn texts(&self, scratch: &Scratch, sql: &str) -> Vec<String> {
        self.runtime.block_on(texts(&mut self.connect(scratch), sql))
    }

    /// Nothing of the plan is there any more.
    pub fn assert_nothing_left(&self, world: &World) {
        assert_eq!(self.runtime.block_on(left(world.scratch.url())), Vec::<String>::new());
    }

    pub fn assert_rows(&self, world: &World, table: &str, rows: i64, of: &str) {
        let found = self.number(&world.scratch, &format!("SELECT COUNT(*) FROM {table}"));
        assert_eq!(found, rows, "{} {of}: {table}", self.server.database());
    }
}

impl World {
    pub fn new(server: &Server) -> World {
        World::of(server, Rc::new(server.scratch().unwrap()))
    }

    /// A second plan for this schema has a folder of its own.
    pub fn another(&self, server: &Server) -> World {
        World::of(server, Rc::clone(&self.scratch))
    }

    fn of(server: &Server, scratch: Rc<Scratch>) -> World {
        let folder = tempfile::tempdir().unwrap();
        World { client: Client::new(server, scratch.name(), folder.path()), scratch, folder }
    }

    /// The files of the same plan, executed by an account with the password of the tests.
    pub fn client_of(&self, server: &Server, account: &str) -> Client {
        Client::new(server, self.scratch.name(), self.folder.path()).of(account, "of a test")
    }

    /// Executes all files, each in a session of its own.
    pub fn all(&self) {
        self.client.files("").iter().for_each(|file| drop(self.client.must(file)));
    }

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
