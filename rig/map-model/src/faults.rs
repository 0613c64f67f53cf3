//! Failures of clients and of the server, and answers that do not arrive.

use crate::map::Map;
use crate::world::{IDLE, Index, NEW_CLIENT, Phase, World, contains};

impl Map {
    /// The server rolls back what the client has not committed. A new process replaces the client.
    pub fn kill_client(&self, world: &mut World, client: usize) -> bool {
        if world.clients[client].call.within {
            world.transaction = None;
        }
        world.clients[client] = NEW_CLIENT;
        true
    }

    /// Pairs that are not on disk are lost. Clients keep what they hold, and their calls fail.
    pub fn kill_server(&self, world: &mut World) -> bool {
        for (id, uuid) in world.tables.rows.iter_mut().enumerate() {
            if contains(world.not_on_disk, id as u8) {
                *uuid = 0;
            }
        }
        self.disconnect(world);
        self.scope.has_calls()
    }

    /// Ends all connections.
    pub fn disconnect(&self, world: &mut World) {
        world.not_on_disk = 0;
        world.transaction = None;
        world.import = None;
        world.late = None;
        for client in world.clients.iter_mut().filter(|client| client.call.phase != Phase::Closing) {
            client.call = IDLE;
        }
    }

    /// The server carries out a statement for which its client no longer waits.
    pub fn late_statement(&self, world: &mut World) -> bool {
        let Some((uuid, id)) = world.late else { return false };
        if self.must_wait(world, uuid, id) {
            return false;
        }
        world.late = None;
        let free = world.tables.rows[id as usize] == 0;
        if free && (self.index == Index::Dedup || world.find(uuid).is_none()) {
            world.commit_row(uuid, id, None);
            self.commit_claim(world, uuid);
        }
        true
    }
}
