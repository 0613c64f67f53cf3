//! Random walks: an operator executes files and ways back in whichever order, cuts some off, others drop triggers and change tables,
//! and a client writes. After each step the application's tables have exactly the acknowledged rows.

use std::collections::BTreeMap;

use idgen_migrate::plan::{Options, Target};
use idgen_mysql::{Index, UuidMap};
use idgen_server::Database;
use sqlx::mysql::MySqlConnection;
use uuid::Uuid;

use crate::client::Client;
use crate::integers::map_for;
use crate::ledger::world::Servers;
use crate::shop::{swapped, text, texts};

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

/// The types of keys to which there are walks. `make test` makes one half on each server.
fn targets(database: Database) -> Vec<Target> {
    let (first, second) = ([Target::Binary16, Target::Integer], [Target::Bigint, Target::Swapped]);
    match (crate::is_soak(), database) {
        (true, Database::MariaDb) => [&first[..], &second, &[Target::Uuid]].concat(),
        (true, _) => [first, second].concat(),
        (false, Database::MariaDb) => first.to_vec(),
        (false, _) => second.to_vec(),
    }
}

/// Walks on a server and steps of each in `make test`, and in the soak.
fn size() -> (usize, usize) {
    if crate::is_soak() { (300, 60) } else { (2, 40) }
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
    let servers = Servers::start(database);
    let (walks, steps) = size();
    let targets = targets(database);
    let count = walks.div_ceil(targets.len()) as u64;
    for to in targets {
        let mut finished = 0;
        for seed in seed()..seed() + count {
            println!("{database}: walk to {} with IDGEN_WALK_SEED={seed}", to.name());
            finished += u32::from(walk(&servers, to, seed, steps));
        }
        println!("{database}: {count} walks to {}, of which {finished} came to the last step", to.name());
    }
}

/// The form of the ids in the application's tables.
#[derive(Clone, Copy, PartialEq)]
enum Written {
    /// The form before the plan; the type UUID takes the same texts.
    Before,
    Bytes,
    /// Rows of `p` have their integer beside their text, and those of `c`, whose id refers to `p`, have only integers.
    Integers,
}

/// A row of `p` has the number, and that of `c` with the same id refers to the other one.
type Rows = BTreeMap<u32, (i64, Option<u32>)>;

struct Walk<'a> {
    servers: &'a Servers,
    own: MySqlConnection,
    client: &'a Client,
    to: Target,
    map: Option<UuidMap>,
    random: fastrand::Rng,
    acknowledged: Rows,
    next: u32,
    /// The place of the step that was executed last.
    at: usize,
    /// True if somebody dropped a trigger of the plan.
    is_without_trigger: bool,
}

/// Returns true if the last step was executed.
fn walk(servers: &Servers, to: Target, seed: u64, steps: usize) -> bool {
    let world = servers.without_plan(&schema(to));
    let mut walk = Walk {
        servers,
        own: servers.connect(&world.scratch),
        client: &world.client,
        to,
        map: servers.runtime.block_on(map_for(to, world.scratch.url(), Index::Unique, &[])),
        random: fastrand::Rng::with_seed(seed),
        acknowledged: Rows::new(),
        next: 1,
        at: 0,
        is_without_trigger: false,
    };
    (0..20).for_each(|_| walk.write());
    let plan = servers.plan(&world, &Options::new("p", to));
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
    /// Makes one step, and describes it to people.
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
                let name =
                    self.client.made("p", ["fi", "fu", "fd", "bi", "bu", "bd"][self.random.usize(..6)]);
                let sql = format!("DROP TRIGGER {name}");
                let dropped = self.servers.on(&mut self.own, &sql);
                self.is_without_trigger |= dropped.is_ok();
                format!("{sql}: {dropped:?}")
            }
            _ => {
                let sql = "ALTER TABLE c ALTER COLUMN n SET DEFAULT 2";
                let back = "ALTER TABLE c ALTER COLUMN n SET DEFAULT 1";
                let done = [sql, back].map(|sql| self.servers.on(&mut self.own, sql));
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
                if said.contains("were altered or rebuilt since") {
                    let compared = format!("DELETE FROM {}", self.client.own("altered"));
                    self.servers.on(&mut self.own, &compared).unwrap();
                }
                format!("{file}: {}", said.lines().last().unwrap_or_default())
            }
        }
    }

    /// Removes the plan's objects by hand, as the README of the plan says, after somebody dropped a trigger behind the
    /// renaming.
    fn remove_by_hand(&mut self, id: &str) {
        let list = format!(
            "SELECT CONCAT('DROP TRIGGER ', TRIGGER_NAME) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() AND TRIGGER_NAME \
             LIKE '%{id}%'"
        );
        let mut drops = self.servers.runtime.block_on(texts(&mut self.own, &list));
        assert!(!drops.is_empty());
        drops.extend(["c", "p"].map(|table| format!("DROP TABLE {table}_{id}_old")));
        for drop in drops {
            self.servers.on(&mut self.own, &drop).unwrap_or_else(|code| panic!("{drop}: {code}"));
        }
        self.is_without_trigger = false;
    }

    fn written(&mut self) -> Written {
        let sql = "SELECT COALESCE(SUM(IF(COLUMN_NAME = 'id_int', 2, DATA_TYPE = 'binary')), 0) FROM information_schema.COLUMNS \
                   WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'p' AND COLUMN_NAME IN ('id', 'id_int')";
        let found = self.servers.number_on(&mut self.own, sql);
        [Written::Before, Written::Bytes, Written::Integers][usize::try_from(found).unwrap()]
    }

    /// Writes an own id or a reference in this form.
    fn id(&self, number: u32, written: Written) -> String {
        if self.to == Target::Bigint {
            return number.to_string();
        }
        let id = uuid(self.to, number);
        match written {
            Written::Before => format!("'{}'", text(id)),
            Written::Bytes if self.to == Target::Swapped => format!("x'{:032x}'", swapped(id)),
            Written::Bytes => format!("x'{id:032x}'"),
            Written::Integers => {
                let map = self.map.as_ref().unwrap();
                self.servers.runtime.block_on(map.id_of(Uuid::from_u128(id))).unwrap().to_string()
            }
        }
    }

    /// Inserts a row with a child, changes both, and sometimes deletes them.
    fn write(&mut self) {
        let written = self.written();
        let new = self.next;
        self.next += 1;
        let parent = self.any().filter(|_| self.random.bool());
        let up = parent.map_or("NULL".to_owned(), |parent| self.id(parent, written));
        let key = self.id(new, written);
        let (own, to_up) = columns(written);
        let of_p = match written {
            Written::Integers => {
                format!("INSERT INTO p (n, id_int, id) VALUES (1, {key}, '{}')", text(uuid(self.to, new)))
            }
            _ => format!("INSERT INTO p (n, id) VALUES (1, {key})"),
        };
        let insert = format!("BEGIN; {of_p}; INSERT INTO c ({own}, {to_up}) VALUES ({key}, {up}); COMMIT");
        if self.change(&insert) {
            self.acknowledged.insert(new, (1, parent));
        }
        let Some(some) = self.any() else { return };
        let is = format!("{own} = {}", self.id(some, written));
        if self.change(&format!("UPDATE p SET n = n + 1 WHERE {is}")) {
            self.acknowledged.get_mut(&some).unwrap().0 += 1;
        }
        if self.change(&format!("UPDATE c SET {to_up} = {up} WHERE {is}")) {
            self.acknowledged.get_mut(&some).unwrap().1 = parent;
        }
        if self.random.bool() && some != new && self.change(&format!("DELETE FROM p WHERE {is}")) {
            self.acknowledged.remove(&some);
            self.acknowledged.values_mut().filter(|(_, up)| *up == Some(some)).for_each(|(_, up)| *up = None);
        }
    }

    fn any(&mut self) -> Option<u32> {
        let at = self.random.usize(..self.acknowledged.len().max(1));
        self.acknowledged.keys().nth(at).copied()
    }

    /// Returns true if the change was acknowledged.
    fn change(&mut self, sql: &str) -> bool {
        match self.servers.on(&mut self.own, sql) {
            Ok(_) => true,
            // The other table of parents does not have the parent, because nothing wrote it there: the client gets an
            // error.
            Err(NO_PARENT) if self.is_without_trigger => {
                self.servers.on(&mut self.own, "ROLLBACK").unwrap();
                false
            }
            Err(code) => panic!("{sql}: error {code}"),
        }
    }

    fn assert_rows(&mut self, did: &str) {
        let written = self.written();
        let number = |of: &str| match (self.to, written) {
            (Target::Bigint, _) => format!("HEX({of}.id)"),
            (Target::Swapped, Written::Bytes) => format!("SUBSTR(HEX({of}.id), 9, 8)"),
            (_, Written::Bytes) => format!("LEFT(HEX({of}.id), 8)"),
            (_, Written::Integers) => {
                format!("(SELECT LEFT(t.id, 8) FROM p AS t WHERE t.id_int = {of}.id_int)")
            }
            _ => format!("LEFT({of}.id, 8)"),
        };
        let (own, up) = columns(written);
        // The rows of each table, twice if they are there twice.
        let sql = format!(
            "SELECT CONVERT(CONCAT({}, ' ', p.n) USING ascii) FROM p; \
             SELECT CONVERT(CONCAT({}, ' ', COALESCE({}, '-')) USING ascii) FROM c LEFT JOIN c AS other ON other.{own} = c.{up}",
            number("p"),
            number("c"),
            number("other")
        );
        let found = self.servers.runtime.block_on(texts(&mut self.own, &sql));
        let mut found: Vec<_> = found.iter().map(|row| row.to_lowercase()).collect();
        let digits = |number: u32| match self.to {
            Target::Bigint => format!("{number:x}"),
            _ => format!("{number:08x}"),
        };
        let mut expected = Vec::new();
        for (&id, &(n, up)) in &self.acknowledged {
            expected.push(format!("{} {n}", digits(id)));
            expected.push(format!("{} {}", digits(id), up.map_or("-".to_owned(), digits)));
        }
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "after {did}");
    }
}

/// The key of both tables, and the reference to another row.
fn columns(written: Written) -> (&'static str, &'static str) {
    if written == Written::Integers { ("id_int", "up_int") } else { ("id", "up") }
}

/// The id has version 1 where the order of the bytes is that of version 1.
fn uuid(to: Target, number: u32) -> u128 {
    let version = if to == Target::Swapped { 1 } else { 4 };
    u128::from(number) << 96 | version << 76 | 0b10 << 62
}
