//! What the map promises, and how a step can break it.

use stateright::Property;

use crate::model::Map;
use crate::world::{IDS, Id, Index, Phase, Set, UUIDS, Uuid, World, bit, contains};

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

    fn keeps(&self, property: &str) -> bool {
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

    fn has_one_id(&self) -> bool {
        let rows = &self.tables.rows;
        let doubled = |uuid: Uuid| rows.iter().filter(|found| **found == uuid).count() > 1;
        self.keeps(ONE_ID) && !(1..=UUIDS as Uuid).any(doubled)
    }

    fn keeps_pairs(&self) -> bool {
        let kept = |uuid: usize| {
            let id = self.promised.id[uuid];
            id == 0 || self.tables.rows[id as usize] == uuid as Uuid
        };
        self.keeps(NOT_LOST) && (1..=UUIDS).all(kept)
    }

    fn is_above(&self) -> bool {
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

/// What always holds, and the states without which a check would show little.
pub fn properties(map: &Map) -> Vec<Property<Map>> {
    let mut properties = vec![
        Property::<Map>::always(ONE_ID, |_, world| world.has_one_id()),
        Property::<Map>::always(ONE_UUID, |_, world| world.keeps(ONE_UUID)),
        Property::<Map>::always(NOT_LOST, |_, world| world.keeps_pairs()),
        Property::<Map>::always(NEXT_ID, |_, world| world.is_above()),
        Property::<Map>::always(FENCED, |_, world| world.keeps(FENCED)),
        Property::<Map>::always(FORGOTTEN_ID, |_, world| world.keeps(FORGOTTEN_ID)),
    ];
    let sometimes = |reached: &mut Vec<Property<Map>>, name, condition| {
        reached.push(Property::<Map>::sometimes(name, condition));
    };
    sometimes(&mut properties, "both UUIDs have an id", |_, world| {
        (1..=UUIDS).all(|uuid| world.promised.id[uuid] != 0)
    });
    sometimes(&mut properties, "all ids are reserved", |_, world| world.tables.next_id as usize > IDS);
    sometimes(&mut properties, "both clients hold ids", |_, world| {
        world.clients.iter().all(|client| client.held != 0)
    });
    if map.scope.has_calls() {
        sometimes(&mut properties, "a call meets another one of its UUID", |map, world| match map.index {
            Index::Unique => world.clients.iter().any(|client| client.call.phase == Phase::Duplicate),
            Index::Dedup => world
                .clients
                .iter()
                .any(|client| client.call.phase == Phase::Claimed && world.find(client.call.uuid).is_some()),
        });
        sometimes(
            &mut properties,
            "a caller's transaction has a pair that its snapshot does not show",
            |_, world| {
                let caller = world.transaction.map(|of| (of, world.clients[of.client as usize].call));
                caller.is_some_and(|(of, call)| {
                    call.phase == Phase::Holds && of.row == 0 && of.snapshot[call.found as usize] != call.uuid
                })
            },
        );
        sometimes(&mut properties, "a visible pair is not on disk", |_, world| world.not_on_disk != 0);
        sometimes(&mut properties, "a late statement stores a pair", |_, world| {
            let Some((uuid, id)) = world.late else { return false };
            world.tables.rows[id as usize] == 0 && world.find(uuid).is_none()
        });
        sometimes(&mut properties, "a UUID was forgotten and has another id", |_, world| {
            let again = |id: usize| {
                let uuid = world.promised.uuid[id];
                let now = world.promised.id[uuid as usize];
                contains(world.tables.forgotten, id as Id) && now != 0 && now != id as Id
            };
            (1..=IDS).any(again)
        });
    } else {
        sometimes(&mut properties, "a pair is lost with the server", |_, world| {
            let lost = |id: usize| world.promised.uuid[id] != 0 && world.tables.rows[id] == 0;
            !world.restoring && (1..=IDS).any(lost)
        });
        sometimes(&mut properties, "a UUID has another id after a restored backup", |_, world| {
            let again = |id: usize| {
                let now = world.promised.id[world.promised.uuid[id] as usize];
                now != 0 && now != id as Id
            };
            (1..=IDS).any(again)
        });
        sometimes(&mut properties, "a client holds ids of an earlier epoch", |_, world| {
            world.clients.iter().any(|client| client.held != 0 && client.epoch != world.tables.epoch)
        });
    }
    properties
}
