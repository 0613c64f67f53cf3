//! The properties that the checker looks at in each state.

use stateright::Property;

use crate::map::Map;
use crate::promises::{FENCED, FORGOTTEN_ID, NEXT_ID, NOT_LOST, ONE_ID, ONE_UUID};
use crate::world::{IDS, Id, Index, Phase, UUIDS, contains};

/// Returns the properties that must always hold, and the states that must be reached, because a check without them
/// would show little.
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
