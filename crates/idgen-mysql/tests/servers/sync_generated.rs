//! Schemas, histories and deliveries that are drawn at random: however the changes of a device are cut, repeated and shuffled, the
//! tables end as its newest changes say.
//!
//! `IDGEN_SYNC_SCHEMAS` sets how many schemas there are on each server.

use std::collections::{BTreeMap, BTreeSet};

use idgen_mysql::sync::{Change, Operation, Outcome, Sync, Table, Value};
use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Scratch};
use sqlx::{MySqlConnection, Row};
use uuid::Uuid;

use crate::common::{connect, map, on_both, run};
use crate::sync::{apply, id};

on_both!(tables_end_as_the_newest_changes_say);

/// What a deletion of a parent does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Restrict,
    SetNull,
    Cascade,
}

#[derive(Clone, Copy, Debug)]
struct Schema {
    rule: Rule,
    nullable: bool,
    /// How the names of parents are unique: not at all, as a whole, by their first characters, or with a column that no change
    /// names.
    unique: u8,
    /// The child's place in its parent is unique.
    placed: bool,
    /// How bad rows are refused.
    guard: u8,
    /// A note is deleted with the child to which it refers; otherwise it loses the reference.
    notes_go: bool,
}

impl Schema {
    fn draw(random: &mut fastrand::Rng) -> Schema {
        let rule = [Rule::Restrict, Rule::SetNull, Rule::Cascade][random.usize(..3)];
        let nullable = rule == Rule::SetNull || random.bool();
        Schema {
            rule,
            nullable,
            unique: random.u8(..4),
            placed: random.bool(),
            guard: random.u8(..5),
            notes_go: random.bool(),
        }
    }

    fn statements(self) -> Vec<String> {
        let unique =
            ["", ", UNIQUE (name)", ", UNIQUE (name(8))", ", UNIQUE (kind, name)"][usize::from(self.unique)];
        let bad = match self.guard {
            0 => ", CHECK (n > 0)",
            1 => ", inverse INT AS (100 / n) STORED",
            2 => ", CHECK (10 / n > 0)",
            _ => "",
        };
        let null = if self.nullable { "NULL" } else { "NOT NULL" };
        let rule = match self.rule {
            Rule::Restrict => "",
            Rule::SetNull => "ON DELETE SET NULL",
            Rule::Cascade => "ON DELETE CASCADE",
        };
        let placed = if self.placed { ", UNIQUE (parent, place)" } else { "" };
        let mut statements = vec![
            format!(
                "CREATE TABLE parents (id BIGINT UNSIGNED PRIMARY KEY, name VARCHAR(20) NOT NULL, n INT NOT NULL, \
                 kind INT NOT NULL DEFAULT 5, at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP{unique}{bad})"
            ),
            format!(
                "CREATE TABLE children (id BIGINT UNSIGNED PRIMARY KEY, parent BIGINT UNSIGNED {null}, place INT NOT NULL, \
                 FOREIGN KEY (parent) REFERENCES parents (id) {rule}{placed})"
            ),
            format!(
                "CREATE TABLE notes (id BIGINT UNSIGNED PRIMARY KEY, child BIGINT UNSIGNED NULL, \
                 FOREIGN KEY (child) REFERENCES children (id) ON DELETE {})",
                if self.notes_go { "CASCADE" } else { "SET NULL" }
            ),
        ];
        let body = match self.guard {
            3 => "INSERT INTO of_nobody VALUES (1)",
            4 => "SIGNAL SQLSTATE '40001'",
            _ => return statements,
        };
        for event in ["INSERT", "UPDATE"] {
            statements.push(format!(
                "CREATE TRIGGER of_{event} BEFORE {event} ON parents FOR EACH ROW BEGIN IF NEW.n = 0 THEN {body}; END IF; END"
            ));
        }
        statements
    }
}

type Key = (&'static str, Uuid);
type Parents = BTreeMap<Uuid, (String, i64)>;
type Children = BTreeMap<Uuid, (Option<Uuid>, i64)>;
type Notes = BTreeMap<Uuid, Option<Uuid>>;

/// A device whose rows agree with each other.
struct Device {
    schema: Schema,
    parents: Parents,
    children: Children,
    notes: Notes,
    numbers: BTreeMap<Key, u64>,
    history: Vec<Change>,
    /// Rows that the server refuses.
    bad: BTreeSet<Uuid>,
    made: u128,
}

impl Device {
    fn put_parent(&mut self, row: Uuid, name: String, n: i64) {
        let values = [("name", Value::Text(name.clone())), ("n", Value::Int(n))];
        let number = self.number(("parents", row));
        self.history.push(Change::put("parents", row, number, values));
        self.parents.insert(row, (name, n));
    }

    fn put_child(&mut self, row: Uuid, parent: Option<Uuid>, place: i64) {
        let values = [("parent", parent.map_or(Value::Null, Value::from)), ("place", Value::Int(place))];
        let number = self.number(("children", row));
        self.history.push(Change::put("children", row, number, values));
        self.children.insert(row, (parent, place));
    }

    fn put_note(&mut self, row: Uuid, child: Option<Uuid>) {
        let number = self.number(("notes", row));
        let child_value = child.map_or(Value::Null, Value::from);
        self.history.push(Change::put("notes", row, number, [("child", child_value)]));
        self.notes.insert(row, child);
    }

    /// A trigger on the device records the notes that go with it.
    fn delete_child(&mut self, row: Uuid) {
        if self.schema.notes_go {
            let of_row = |(note, child): (&Uuid, &Option<Uuid>)| (*child == Some(row)).then_some(*note);
            for note in self.notes.iter().filter_map(of_row).collect::<Vec<_>>() {
                self.notes.remove(&note);
                self.delete("notes", note);
            }
        }
        self.children.remove(&row);
        self.delete("children", row);
    }

    fn delete(&mut self, table: &'static str, row: Uuid) {
        let number = self.number((table, row));
        self.history.push(Change::delete(table, row, number));
    }

    fn number(&mut self, key: Key) -> u64 {
        let number = self.numbers.entry(key).or_default();
        *number += 1;
        *number
    }

    /// A name that no other row has here.
    fn name(&self, random: &mut fastrand::Rng) -> String {
        loop {
            let name = format!("name {}", random.u8(..12));
            if self.parents.values().all(|(other, _)| *other != name) {
                return name;
            }
        }
    }

    fn step(&mut self, random: &mut fastrand::Rng) {
        let parents: Vec<Uuid> = self.parents.keys().copied().filter(|row| !self.bad.contains(row)).collect();
        let some = |random: &mut fastrand::Rng| {
            (!parents.is_empty()).then(|| parents[random.usize(..parents.len())])
        };
        let child = self.children.keys().nth(random.usize(..self.children.len().max(1))).copied();
        self.made += 1;
        let new = id(self.made);
        match random.u8(..18) {
            0 | 1 if parents.len() < 6 => {
                // Some come back under their old key.
                let gone = self.numbers.keys().find(|(table, row)| {
                    *table == "parents" && !self.parents.contains_key(row) && !self.bad.contains(row)
                });
                let row = gone.filter(|_| random.bool()).map_or(new, |(_, row)| *row);
                let name = self.name(random);
                self.put_parent(row, name, random.i64(1..10));
            }
            2 if self.bad.len() < 3 => {
                self.bad.insert(new);
                self.put_parent(new, format!("bad {}", self.made), 0);
            }
            3 => {
                if let Some(row) = some(random) {
                    let name = self.name(random);
                    self.put_parent(row, name, random.i64(1..10));
                }
            }
            4 => {
                // Two names change places, by way of a third one.
                if let (Some(a), Some(b)) = (some(random), some(random))
                    && a != b
                {
                    let (first, second) = (self.parents[&a].0.clone(), self.parents[&b].0.clone());
                    let third = self.name(random);
                    self.put_parent(a, third, 1);
                    self.put_parent(b, first, 2);
                    self.put_parent(a, second, 3);
                }
            }
            5 => {
                let Some(row) = some(random) else { return };
                let referring: Vec<Uuid> = self
                    .children
                    .iter()
                    .filter(|(_, (parent, _))| *parent == Some(row))
                    .map(|(row, _)| *row)
                    .collect();
                match self.schema.rule {
                    Rule::Restrict if !referring.is_empty() => return,
                    Rule::Restrict | Rule::SetNull => {}
                    // The trigger on the device records it.
                    Rule::Cascade => {
                        for child in referring {
                            self.delete_child(child);
                        }
                    }
                }
                self.parents.remove(&row);
                self.delete("parents", row);
            }
            6..=8 => {
                let parent = some(random).filter(|_| !self.schema.nullable || random.u8(..4) > 0);
                if parent.is_some() || self.schema.nullable {
                    self.put_child(new, parent, self.made as i64);
                }
            }
            9 => {
                if let (Some(child), Some(parent)) = (child, some(random)) {
                    self.put_child(child, Some(parent), self.made as i64);
                }
            }
            10 => {
                if let Some(child) = child {
                    self.delete_child(child);
                }
            }
            12 => {
                // It comes back under its old key.
                let gone = self
                    .numbers
                    .keys()
                    .find(|(table, row)| *table == "children" && !self.children.contains_key(row));
                if let (Some((_, row)), Some(parent)) = (gone.copied(), some(random)) {
                    self.put_child(row, Some(parent), self.made as i64);
                }
            }
            13..=15 => self.put_note(new, child),
            16 => {
                if let Some(note) = self.notes.keys().nth(random.usize(..self.notes.len().max(1))).copied() {
                    self.put_note(note, child);
                }
            }
            17 => {
                if let Some(note) = self.notes.keys().nth(random.usize(..self.notes.len().max(1))).copied() {
                    self.notes.remove(&note);
                    self.delete("notes", note);
                }
            }
            _ => {}
        }
    }

    /// An older deletion that the schema extends to rows that refer to it, which may be newer: an outbox sends none.
    fn extends(&self, change: &Change) -> bool {
        let goes_on = match change.table.as_str() {
            "parents" => self.schema.rule == Rule::Cascade,
            "children" => self.schema.notes_go,
            _ => false,
        };
        change.operation == Operation::Delete && goes_on
    }

    /// The rows as the newest changes say: a reference is set if its row is there.
    fn expected(&self) -> (Parents, Children, Notes) {
        let parents: Parents = self
            .parents
            .iter()
            .filter(|(row, _)| !self.bad.contains(row))
            .map(|(row, of)| (*row, of.clone()))
            .collect();
        let there = |parent: Option<Uuid>| parent.filter(|parent| parents.contains_key(parent));
        let children: Children =
            self.children.iter().map(|(row, (parent, place))| (*row, (there(*parent), *place))).collect();
        let there = |child: Option<Uuid>| child.filter(|child| children.contains_key(child));
        let notes = self.notes.iter().map(|(row, child)| (*row, there(*child))).collect();
        (parents, children, notes)
    }
}

async fn stored(connection: &mut MySqlConnection) -> (Parents, Children, Notes) {
    let uuid = |bytes: &[u8]| Uuid::from_slice(bytes).unwrap();
    let rows = sqlx::query(
        "SELECT m.uuid, p.name, CAST(p.n AS SIGNED) FROM parents p JOIN uuid_map m ON m.id = p.id",
    );
    let rows = rows.fetch_all(&mut *connection).await.unwrap();
    let parents = rows.iter().map(|row| (uuid(row.get(0)), (row.get(1), row.get(2)))).collect();
    let rows = sqlx::query(
        "SELECT m.uuid, t.uuid, CAST(c.place AS SIGNED) FROM children c JOIN uuid_map m ON m.id = c.id \
         LEFT JOIN uuid_map t ON t.id = c.parent",
    );
    let rows = rows.fetch_all(&mut *connection).await.unwrap();
    let target = |row: &sqlx::mysql::MySqlRow| row.get::<Option<Vec<u8>>, _>(1).map(|bytes| uuid(&bytes));
    let children = rows.iter().map(|row| (uuid(row.get(0)), (target(row), row.get(2)))).collect();
    let rows = sqlx::query(
        "SELECT m.uuid, t.uuid FROM notes n JOIN uuid_map m ON m.id = n.id LEFT JOIN uuid_map t ON t.id = n.child",
    );
    let rows = rows.fetch_all(&mut *connection).await.unwrap();
    let notes = rows.iter().map(|row| (uuid(row.get(0)), target(row))).collect();
    (parents, children, notes)
}

/// Sends the newest changes until none is left, in any order and in batches of any size, beside older ones.
async fn deliver(
    sync: &Sync,
    connection: &mut MySqlConnection,
    device: &Device,
    random: &mut fastrand::Rng,
    told: &str,
) {
    let mut newest: BTreeMap<(String, String), Change> = BTreeMap::new();
    for change in &device.history {
        newest.insert((change.table.clone(), change.row.clone()), change.clone());
    }
    // Enough for a circle of all names.
    let largest = random.usize(6..12);
    for round in 0.. {
        if newest.is_empty() {
            return;
        }
        assert!(round < 400, "{told}: the queue does not drain: {newest:?}");
        let mut batch: Vec<Change> = newest.values().cloned().collect();
        random.shuffle(&mut batch);
        batch.truncate(random.usize(1..=largest));
        let older = (0..random.usize(..8)).map(|_| &device.history[random.usize(..device.history.len())]);
        batch.extend(older.filter(|change| !device.extends(change)).cloned());
        random.shuffle(&mut batch);
        let answer = apply(sync, connection, &batch).await;
        for (change, outcome) in batch.iter().zip(answer.outcomes()) {
            let key = (change.table.clone(), change.row.clone());
            if newest.get(&key) != Some(change) {
                continue;
            }
            let is_bad = device.bad.iter().any(|row| row.to_string() == change.row);
            match outcome {
                Outcome::Applied { .. } => {
                    assert!(!is_bad, "{told}: {change:?}");
                    newest.remove(&key);
                }
                Outcome::Waits { .. } => {}
                // A row of this device that has a newer change itself.
                Outcome::Blocked { table, row, reason, number } => {
                    let by = newest.get(&(table.clone(), row.to_string()));
                    assert!(
                        by.is_some_and(|by| by.number > *number),
                        "{told}: {change:?} is blocked: {reason}"
                    );
                }
                Outcome::Refused(reason) => {
                    assert!(is_bad && change.operation == Operation::Put, "{told}: {change:?}: {reason}");
                    newest.remove(&key);
                }
                Outcome::Older { newest } => panic!("{told}: {change:?} is older than {newest}"),
            }
        }
    }
}

async fn open(database: Database, schema: Schema) -> (Scratch, UuidMap, Sync) {
    let (scratch, map) = map(database, Index::Unique).await;
    let mut connection = connect(scratch.url()).await;
    for statement in schema.statements() {
        run(&mut connection, statement).await;
    }
    map.install_sync().await.unwrap();
    let sync = map.sync(&[Table::new("notes"), Table::new("children"), Table::new("parents")]).await.unwrap();
    (scratch, map, sync)
}

async fn tables_end_as_the_newest_changes_say(database: Database) {
    let schemas = std::env::var("IDGEN_SYNC_SCHEMAS").map_or(6, |text| text.parse().unwrap());
    for seed in std::env::var("SEED").map_or(0..schemas, |s| {
        let s: u64 = s.parse().unwrap();
        s..s + 1
    }) {
        let mut random = fastrand::Rng::with_seed(seed);
        let schema = Schema::draw(&mut random);
        let mut device = Device {
            schema,
            parents: BTreeMap::new(),
            children: BTreeMap::new(),
            notes: BTreeMap::new(),
            numbers: BTreeMap::new(),
            history: Vec::new(),
            bad: BTreeSet::new(),
            made: 0,
        };
        for _ in 0..90 {
            device.step(&mut random);
        }
        let told = format!("{database}, seed {seed}, {schema:?}");
        let (scratch, map, sync) = open(database, schema).await;
        let mut connection = connect(scratch.url()).await;
        deliver(&sync, &mut connection, &device, &mut random, &told).await;
        assert_eq!(stored(&mut connection).await, device.expected(), "{told}");
        assert_eq!(map.check().await.unwrap(), [], "{told}");
    }
}
