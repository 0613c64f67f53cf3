//! A device with rows that agree with each other, and the tables that a server has for them.

use std::collections::{BTreeMap, BTreeSet};

use idgen_mysql::sync::{Change, Operation, Value};
use uuid::Uuid;

use crate::sync::id;

/// The effect of the deletion of a parent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    #[default]
    Restrict,
    SetNull,
    Cascade,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Schema {
    pub rule: Rule,
    pub nullable: bool,
    /// The uniqueness of the names of parents: none, as a whole, by their first characters, or with a column that no
    /// change names.
    pub unique: u8,
    /// The child's place in its parent is unique.
    pub placed: bool,
    /// The constraint that refuses bad rows.
    pub guard: u8,
    /// A note is deleted with the child to which it refers; otherwise it loses the reference.
    pub notes_go: bool,
}

impl Schema {
    pub fn draw(random: &mut fastrand::Rng) -> Schema {
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

    pub fn statements(self) -> Vec<String> {
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

pub type Key = (&'static str, Uuid);
pub type Parents = BTreeMap<Uuid, (String, i64)>;
pub type Children = BTreeMap<Uuid, (Option<Uuid>, i64)>;
pub type Notes = BTreeMap<Uuid, Option<Uuid>>;

/// A device whose rows agree with each other.
#[derive(Default)]
pub struct Device {
    pub schema: Schema,
    pub parents: Parents,
    pub children: Children,
    pub notes: Notes,
    pub numbers: BTreeMap<Key, u64>,
    pub history: Vec<Change>,
    /// Rows that the server refuses.
    pub bad: BTreeSet<Uuid>,
    pub made: u128,
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

    pub fn step(&mut self, random: &mut fastrand::Rng) {
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
    pub fn extends(&self, change: &Change) -> bool {
        let goes_on = match change.table.as_str() {
            "parents" => self.schema.rule == Rule::Cascade,
            "children" => self.schema.notes_go,
            _ => false,
        };
        change.operation == Operation::Delete && goes_on
    }

    /// The rows as the newest changes say: a reference is set if its row is there.
    pub fn expected(&self) -> (Parents, Children, Notes) {
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
