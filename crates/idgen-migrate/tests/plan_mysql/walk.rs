//! Random walks: an operator executes files and ways back in whichever order, cuts some off, others drop triggers and change tables,
//! and a client writes. After each step the application's table has exactly the acknowledged rows.

use std::collections::BTreeSet;

use idgen_migrate::plan::{Options, Target, plan};
use idgen_server::{Database, Server};
use sqlx::mysql::MySqlConnection;
use sqlx::{Connection, Executor, Row};
use tokio::runtime::Runtime;

use crate::cascades::cascades_in_innodb;
use crate::client::Client;
use crate::shop::execute;

/// A foreign key refers to no row.
const NO_PARENT: u16 = 1452;

fn schema(to: Target) -> String {
    let id = match to {
        Target::Bigint => "INT",
        _ => "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin",
    };
    format!(
        "CREATE TABLE p (id {id} NOT NULL PRIMARY KEY, n INT NOT NULL DEFAULT 1);
         CREATE TABLE c (id {id} NOT NULL PRIMARY KEY, n INT NOT NULL DEFAULT 1, up {id} NULL,
           FOREIGN KEY (id) REFERENCES p (id) ON DELETE CASCADE, FOREIGN KEY (up) REFERENCES c (id) ON DELETE SET NULL);"
    )
}

/// Walks and steps of each in `make test`, and in the soak.
fn size() -> (u64, usize) {
    if crate::is_soak() { (300, 60) } else { (1, 40) }
}

/// The first seed; a walk is repeated with its own.
fn seed() -> u64 {
    std::env::var("IDGEN_WALK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

#[test]
fn mysql() {
    walks(Database::MySql);
}

#[test]
fn mariadb() {
    walks(Database::MariaDb);
}

fn walks(database: Database) {
    let server = Server::start(database, &cascades_in_innodb(database)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (count, steps) = size();
    for to in [Target::Binary16, Target::Bigint] {
        let mut finished = 0;
        for seed in seed()..seed() + count {
            println!("{database}: walk to {} with IDGEN_WALK_SEED={seed}", to.name());
            finished += u32::from(walk(&server, &runtime, to, seed, steps));
        }
        println!("{database}: {count} walks to {}, of which {finished} came to the last step", to.name());
    }
}

struct Walk<'a> {
    runtime: &'a Runtime,
    own: MySqlConnection,
    client: &'a Client,
    to: Target,
    random: fastrand::Rng,
    acknowledged: BTreeSet<u32>,
    next: u32,
    /// The place of the step that was executed last.
    at: usize,
    /// Whether somebody dropped a trigger of the plan.
    is_without_trigger: bool,
}

/// Whether the last step was executed.
fn walk(server: &Server, runtime: &Runtime, to: Target, seed: u64, steps: usize) -> bool {
    let scratch = server.scratch().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let client = Client::new(server, scratch.name(), folder.path());
    let mut own = runtime.block_on(MySqlConnection::connect(scratch.url())).unwrap();
    runtime.block_on(execute(&mut own, &schema(to))).unwrap();
    let random = fastrand::Rng::with_seed(seed);
    let mut walk = Walk {
        runtime,
        own,
        client: &client,
        to,
        random,
        acknowledged: BTreeSet::new(),
        next: 1,
        at: 0,
        is_without_trigger: false,
    };
    (0..20).for_each(|_| walk.write());
    let plan = runtime.block_on(plan(scratch.url(), &Options::new("p", to))).unwrap();
    plan.write(folder.path()).unwrap();
    for _ in 0..steps {
        let did = walk.step();
        if did.contains("there is no way back and no last step") {
            walk.remove_by_hand(&plan.id);
            walk.write();
            walk.assert_rows(&did);
            return false;
        }
        walk.write();
        walk.assert_rows(&did);
        if did.contains("-finish.sql: done") {
            return true;
        }
    }
    false
}

impl Walk<'_> {
    /// What was done, for people.
    fn step(&mut self) -> String {
        let files = self.client.files("");
        let any = files[self.random.usize(..files.len())].clone();
        let next = files[self.at.min(files.len() - 1)].clone();
        let did = match self.random.u8(0..100) {
            0..60 => self.execute(&next, self.at + 1),
            60..72 => self.execute(&any, self.at),
            72..80 => {
                let undo = self.client.files("undo");
                let file = undo[self.random.usize(..undo.len())].clone();
                self.execute(&format!("undo/{file}"), self.at)
            }
            80..88 => match self.client.files("undo").into_iter().rfind(|file| *file <= next) {
                Some(file) => {
                    let place = files.iter().position(|other| *other == file).unwrap();
                    self.execute(&format!("undo/{file}"), place)
                }
                None => String::new(),
            },
            88..95 => {
                let pieces = self.client.statements(&next);
                let cut = self.random.usize(2..pieces.len());
                let said = self.client.execute_text(&pieces[..cut].concat());
                format!("{next} cut after {cut} of {}: {said:?}", pieces.len())
            }
            95..98 => {
                let name = self.client.made("p", ["fi", "fu", "bi", "bd"][self.random.usize(..4)]);
                let sql = format!("DROP TRIGGER {name}");
                let dropped = self.runtime.block_on(execute(&mut self.own, &sql));
                self.is_without_trigger |= dropped.is_ok();
                format!("{sql}: {dropped:?}")
            }
            _ => {
                let sql = "ALTER TABLE c ALTER COLUMN n SET DEFAULT 2";
                let back = "ALTER TABLE c ALTER COLUMN n SET DEFAULT 1";
                let done = [sql, back].map(|sql| self.runtime.block_on(execute(&mut self.own, sql)));
                format!("{sql}: {done:?}")
            }
        };
        println!("  {did}");
        did
    }

    fn execute(&mut self, file: &str, then: usize) -> String {
        match self.client.execute(file) {
            Ok(_) => {
                self.at = then;
                format!("{file}: done")
            }
            Err(said) => {
                // The operator does what the file says.
                if said.contains("this step is done") {
                    self.at = self.at.max(then);
                }
                if let Some((before, _)) = said.split_once(" is not done: execute it first")
                    && let Some(named) = before.rsplit(": ").next()
                    && let Some(place) = self.client.files("").iter().position(|other| other == named)
                {
                    self.at = place;
                }
                format!("{file}: {}", said.lines().last().unwrap_or_default())
            }
        }
    }

    /// As the README of the plan says, after somebody dropped a trigger behind the renaming.
    fn remove_by_hand(&mut self, id: &str) {
        let list = format!(
            "SELECT CONCAT('DROP TRIGGER ', TRIGGER_NAME) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() AND TRIGGER_NAME \
             LIKE '%{id}%'"
        );
        let mut drops: Vec<String> = self
            .runtime
            .block_on(sqlx::query_scalar(sqlx::AssertSqlSafe(list)).fetch_all(&mut self.own))
            .unwrap();
        assert!(!drops.is_empty());
        drops.extend(["c", "p"].map(|table| format!("DROP TABLE {table}_{id}_old")));
        for drop in drops {
            self.runtime
                .block_on(execute(&mut self.own, &drop))
                .unwrap_or_else(|code| panic!("{drop}: {code}"));
        }
        self.is_without_trigger = false;
    }

    fn is_bytes(&mut self) -> bool {
        let sql = "SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'p' \
                   AND COLUMN_NAME = 'id' AND DATA_TYPE = 'binary'";
        let count: i64 = self.runtime.block_on(sqlx::query_scalar(sql).fetch_one(&mut self.own)).unwrap();
        count == 1
    }

    /// Inserts a row with a child, changes one, and sometimes deletes one.
    fn write(&mut self) {
        let is_bytes = self.is_bytes();
        let to = self.to;
        let id = |number: u32| {
            if to == Target::Bigint {
                return number.to_string();
            }
            let text = format!("{number:08x}-0000-4000-8000-000000000000");
            if is_bytes { format!("x'{}'", text.replace('-', "")) } else { format!("'{text}'") }
        };
        let new = self.next;
        let insert = format!(
            "BEGIN; INSERT INTO p (id) VALUES ({0}); INSERT INTO c (id) VALUES ({0}); COMMIT",
            id(new)
        );
        self.next += 1;
        match self.runtime.block_on(execute(&mut self.own, &insert)) {
            Ok(_) => _ = self.acknowledged.insert(new),
            // The other table of parents does not have the parent, because nothing wrote it there: the client is told so.
            Err(NO_PARENT) if self.is_without_trigger => {
                self.runtime.block_on(execute(&mut self.own, "ROLLBACK")).unwrap();
            }
            Err(code) => panic!("{insert}: error {code}"),
        }
        if self.acknowledged.is_empty() {
            return;
        }
        let some = *self.acknowledged.iter().nth(self.random.usize(..self.acknowledged.len())).unwrap();
        let change = format!("UPDATE p SET n = n + 1 WHERE id = {}", id(some));
        self.runtime.block_on(execute(&mut self.own, &change)).unwrap();
        if self.random.bool() && some != new {
            self.runtime
                .block_on(execute(&mut self.own, &format!("DELETE FROM p WHERE id = {}", id(some))))
                .unwrap();
            self.acknowledged.remove(&some);
        }
    }

    fn assert_rows(&mut self, did: &str) {
        for table in ["p", "c"] {
            let id = match self.to {
                Target::Bigint => "HEX(id)",
                _ => "LEFT(IF(LENGTH(id) = 16, HEX(id), id), 8)",
            };
            let sql = format!("SELECT CONVERT({id} USING ascii) FROM {table}");
            let rows =
                self.runtime.block_on(self.own.fetch_all(sqlx::raw_sql(sqlx::AssertSqlSafe(sql)))).unwrap();
            let found: BTreeSet<u32> = rows
                .iter()
                .map(|row| {
                    u32::from_str_radix(&String::from_utf8(row.get_unchecked(0)).unwrap(), 16).unwrap()
                })
                .collect();
            assert_eq!(found, self.acknowledged, "{table} after {did}");
        }
    }
}
