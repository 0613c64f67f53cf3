//! Records the map's answers during one run, and checks that they were right.
//!
//! It knows nothing of how the map works: an answer is compared with earlier answers, and at the end with the rows that
//! plain SQL reads over a connection of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use uuid::Uuid;

/// The rows of a map at rest.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    pub pairs: Vec<(u64, Uuid)>,
    pub next_id: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// Pairs that the map acknowledged, and those that were there before.
    acknowledged: BTreeMap<Uuid, u64>,
    /// UUIDs of which a call was made that may have erased them.
    doubtful: BTreeMap<Uuid, u64>,
    /// UUIDs that were erased, with the ids that nobody gets again.
    erased: BTreeMap<Uuid, u64>,
    /// UUIDs that were only claimed in transactions that were rolled back.
    rolled_back: BTreeSet<Uuid>,
    /// A lower bound of the fence of the map.
    fence: u64,
    said: Vec<String>,
    violations: Vec<String>,
}

impl Ledger {
    /// Returns all violations, and the map's answers for the reader.
    pub fn end(self) -> (Vec<String>, Vec<String>) {
        (self.violations, self.said)
    }

    /// The pairs that must be found.
    pub fn pairs(&self) -> Vec<(u64, Uuid)> {
        self.acknowledged.iter().map(|(uuid, id)| (*id, *uuid)).collect()
    }

    pub fn id_of(&self, uuid: &Uuid) -> Option<u64> {
        self.acknowledged.get(uuid).copied()
    }

    /// The last answer of the map.
    pub fn last(&self) -> Option<&str> {
        self.said.last().map(String::as_str)
    }

    /// Notes what a call gave.
    pub fn note(&mut self, call: &str, result: &dyn Debug) {
        self.said.push(format!("{call}: {result:?}"));
    }

    pub fn violation(&mut self, call: &str, text: impl Into<String>) {
        self.violations.push(format!("{call}: {}", text.into()));
    }

    /// The map says that the UUID has this id.
    pub fn acknowledge(&mut self, call: &str, uuid: Uuid, id: u64) {
        self.doubtful.remove(&uuid);
        if self.erased.values().any(|erased| *erased == id) {
            self.violation(call, format!("{uuid} has the erased id {id}"));
        }
        if id == 0 {
            self.violation(call, format!("{uuid} has the id 0"));
        }
        let other = self.acknowledged.iter().find(|(other, known)| **known == id && **other != uuid);
        if let Some(other) = other.map(|(other, _)| *other) {
            self.violation(call, format!("{uuid} has the id {id}, which {other} has"));
        }
        match self.acknowledged.insert(uuid, id) {
            Some(before) if before != id => {
                self.violation(call, format!("{uuid} has the id {id}, and had {before}"));
            }
            _ => {}
        }
    }

    /// The map says that a UUID has this id, or none.
    pub fn found(&mut self, call: &str, uuid: Uuid, id: Option<u64>) {
        match (id, self.id_of(&uuid)) {
            (Some(id), _) => self.acknowledge(call, uuid, id),
            (None, Some(known)) => self.violation(call, format!("{uuid} has no id, and had {known}")),
            (None, None) => {}
        }
    }

    /// The map says that an id has this UUID, or none.
    pub fn found_uuid(&mut self, call: &str, id: u64, uuid: Option<Uuid>) {
        let known = self.acknowledged.iter().find(|(_, known)| **known == id).map(|(uuid, _)| *uuid);
        match (uuid, known) {
            (Some(uuid), _) => self.acknowledge(call, uuid, id),
            (None, Some(known)) => self.violation(call, format!("{id} has no UUID, and had {known}")),
            (None, None) => {}
        }
    }

    /// A list that must have all pairs, each once.
    pub fn listed(&mut self, call: &str, pairs: &[(u64, Uuid)]) {
        let mut seen = BTreeSet::new();
        for (id, _) in pairs {
            if !seen.insert(*id) {
                self.violation(call, format!("the id {id} is repeated"));
            }
        }
        for (id, uuid) in self.pairs() {
            if !pairs.contains(&(id, uuid)) {
                self.violation(call, format!("{uuid} with the id {id} is missing"));
            }
        }
        for (id, uuid) in pairs {
            self.acknowledge(call, *uuid, *id);
        }
    }

    /// A UUID may be erased from here on.
    pub fn erasing(&mut self, uuid: Uuid) {
        if let Some(id) = self.acknowledged.remove(&uuid) {
            self.doubtful.insert(uuid, id);
        }
    }

    /// The map says that it erased a UUID that had this id.
    pub fn erased(&mut self, call: &str, uuid: Uuid, id: Option<u64>) {
        let before = self.doubtful.remove(&uuid);
        if id != before {
            self.violation(call, format!("{uuid} had the id {before:?}, and not {id:?}"));
        }
        if let Some(before) = before {
            self.erased.insert(uuid, before);
        }
    }

    /// A transaction that claimed these was rolled back.
    pub fn rolled_back(&mut self, uuids: &[Uuid]) {
        self.rolled_back.extend(uuids);
    }

    /// The map says that ids from here on are above this one.
    pub fn fenced(&mut self, next_id: u64) {
        self.fence = next_id;
    }

    /// Compares with what is stored.
    pub fn compare(&mut self, stored: &Stored) {
        const CALL: &str = "tables";
        let (mut ids, mut uuids) = (BTreeMap::new(), BTreeMap::new());
        for (id, uuid) in &stored.pairs {
            if let Some(other) = ids.insert(*id, *uuid) {
                self.violation(CALL, format!("{other} and {uuid} have the id {id}"));
            }
            if let Some(other) = uuids.insert(*uuid, *id) {
                self.violation(CALL, format!("{uuid} has the ids {other} and {id}"));
            }
            if *id == 0 || *id >= stored.next_id {
                let next = stored.next_id;
                self.violation(CALL, format!("{uuid} has the id {id}, and the next id is {next}"));
            }
        }
        for (id, uuid) in self.pairs() {
            match uuids.get(&uuid) {
                Some(found) if *found == id => {}
                found => self.violation(CALL, format!("{uuid} with the id {id} has {found:?}")),
            }
        }
        for (uuid, id) in self.erased.clone() {
            if uuids.get(&uuid).is_some_and(|found| Some(*found) != self.id_of(&uuid)) {
                self.violation(CALL, format!("{uuid} is erased, and stored"));
            }
            if ids.get(&id).is_none_or(|holder| *holder == uuid) {
                self.violation(CALL, format!("the erased id {id} is free"));
            }
        }
        for uuid in self.rolled_back.clone() {
            if self.id_of(&uuid).is_none() && uuids.contains_key(&uuid) {
                self.violation(CALL, format!("{uuid} was rolled back, and is stored"));
            }
        }
        if stored.next_id < self.fence {
            let (next, fence) = (stored.next_id, self.fence);
            self.violation(CALL, format!("the next id is {next}, and the fence {fence}"));
        }
    }
}
