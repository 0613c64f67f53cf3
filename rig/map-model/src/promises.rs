//! The promises of the map, and the steps that can break them.

use crate::world::{IDS, Id, Phase, Set, UUIDS, Uuid, World, bit, contains};

pub const ONE_ID: &str = "a UUID has one id";
pub const ONE_UUID: &str = "an id has one UUID, also after a restored backup";
pub const NOT_LOST: &str = "an acknowledged pair is in the map";
pub const NEXT_ID: &str = "ids are acknowledged only below the next id, which is never below the fence";
pub const FENCED: &str = "calls that begin after a fence store no id below it";
pub const FORGOTTEN_ID: &str = "the id of a forgotten UUID is not stored again";

const STEPS: [&str; 5] = [ONE_ID, ONE_UUID, NOT_LOST, FENCED, FORGOTTEN_ID];

impl World {
    fn break_property(&mut self, property: &str) {
        let at = STEPS.iter().position(|step| *step == property);
        self.promised.broken |= bit(at.expect("a property of steps") as u8);
    }

    pub fn keeps(&self, property: &str) -> bool {
        STEPS.iter().zip(0..).all(|(step, at)| *step != property || !contains(self.promised.broken, at))
    }

    /// A call, or a cache, gives an id to its caller.
    pub fn acknowledge(&mut self, uuid: Uuid, id: Id) {
        let other = self.promised.uuid[id as usize];
        if other != 0 && other != uuid {
            self.break_property(ONE_UUID);
        }
        self.promised.uuid[id as usize] = uuid;
        let stored = self.tables.rows[id as usize] == uuid;
        let before = self.promised.id[uuid as usize];
        if before != 0 && before != id {
            self.break_property(ONE_ID);
        } else if !stored {
            self.break_property(NOT_LOST);
        }
        self.promised.id[uuid as usize] = id;
    }

    /// A row is committed. `client` is set if the id is of a client's block.
    pub fn commit_row(&mut self, uuid: Uuid, id: Id, client: Option<usize>) {
        if contains(self.tables.forgotten, id) {
            self.break_property(FORGOTTEN_ID);
        }
        let old = client.is_none_or(|client| self.clients[client].call.old);
        if !old && self.promised.fence_returned && id < self.promised.fence {
            self.break_property(FENCED);
        }
        self.tables.rows[id as usize] = uuid;
        self.not_on_disk |= bit(id);
    }

    /// The largest id that was ever acknowledged, or 0.
    pub fn largest_acknowledged(&self) -> Id {
        (1..=IDS).rev().find(|id| self.promised.uuid[*id] != 0).unwrap_or(0) as Id
    }

    pub fn has_one_id(&self) -> bool {
        let rows = &self.tables.rows;
        let doubled = |uuid: Uuid| rows.iter().filter(|found| **found == uuid).count() > 1;
        self.keeps(ONE_ID) && !(1..=UUIDS as Uuid).any(doubled)
    }

    pub fn keeps_pairs(&self) -> bool {
        let kept = |uuid: usize| {
            let id = self.promised.id[uuid];
            id == 0 || self.tables.rows[id as usize] == uuid as Uuid
        };
        self.keeps(NOT_LOST) && (1..=UUIDS).all(kept)
    }

    pub fn is_above(&self) -> bool {
        let next = self.tables.next_id;
        let zero = self.promised.uuid[0] != 0;
        !zero && (self.restoring || (next >= self.promised.fence && next > self.largest_acknowledged()))
    }

    /// The claims of the transactions that run.
    pub fn claims_held(&self) -> Set {
        let calls = self.clients.iter().map(|client| client.call);
        let held = calls.filter(|call| {
            let phases = [Phase::Claimed, Phase::Store, Phase::Holds];
            phases.contains(&call.phase) && !call.unlocked
        });
        let calls = held.fold(0, |set, call| set | bit(call.uuid));
        let import = self.import.map_or(0, |import| bit(import.uuid));
        let late = self.late.map_or(0, |(uuid, _)| bit(uuid));
        calls | import | late
    }
}
