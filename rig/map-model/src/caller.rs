//! A call inside the caller's own transaction, at REPEATABLE READ: `within.rs`.

use crate::map::{Answer, Map};
use crate::world::{Call, IDLE, Phase, Transaction, World};

impl Map {
    /// The snapshot may be older than anything that the call meets later.
    pub fn open_transaction(&self, world: &mut World, client: usize) -> bool {
        let can = self.scope.has_calls() && world.transaction.is_none() && self.can_send(world, client);
        let idle = world.clients[client].call.phase == Phase::Idle;
        let snapshot = world.tables.rows;
        world.transaction = Some(Transaction { client: client as u8, snapshot, row: 0 });
        world.clients[client].call = Call { phase: Phase::Open, within: true, ..IDLE };
        can && idle
    }

    /// The caller's commit: only now the pair is acknowledged.
    pub fn commit_transaction(&self, world: &mut World, client: usize, answer: Answer) -> bool {
        let call = world.clients[client].call;
        if call.phase != Phase::Holds || !matches!(answer, Answer::Received | Answer::Lost) {
            return false;
        }
        let row = world.transaction.map_or(0, |transaction| transaction.row);
        if row != 0 {
            world.commit_row(call.uuid, row, Some(client));
        }
        self.commit_claim(world, call.uuid);
        if answer == Answer::Received {
            world.not_on_disk = 0;
            world.acknowledge(call.uuid, call.found);
        }
        world.transaction = None;
        world.clients[client].call = IDLE;
        true
    }

    /// The caller rolls back, or the server does so after a deadlock. The id is wasted.
    pub fn roll_back(&self, world: &mut World, client: usize) -> bool {
        let within = world.clients[client].call.within;
        world.clients[client].call = IDLE;
        world.transaction = None;
        within
    }
}
