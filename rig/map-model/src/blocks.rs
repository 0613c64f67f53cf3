//! Blocks of ids: `blocks.rs` and `close.rs`.

use crate::defect::Defect;
use crate::map::{Answer, Map};
use crate::world::{BLOCK, IDS, Id, NEW_CLIENT, Phase, Set, World, bit, contains};

impl Map {
    /// One transaction compares the epoch, raises the next id and reads the row back.
    pub fn reserve(&self, world: &mut World, client: usize, answer: Answer) -> bool {
        let of = world.clients[client];
        let asks = match of.call.phase {
            Phase::Idle | Phase::Open => true,
            // Inside a caller's transaction, an id is taken after the claim.
            Phase::Store => of.call.within,
            _ => false,
        };
        let same = of.epoch == world.tables.epoch && self.can_send(world, client);
        if !asks || of.held != 0 || !same {
            return false;
        }
        let first = world.tables.next_id;
        let size = BLOCK.min(IDS as Id + 1 - first);
        if size == 0 {
            // No ids are left, and the call fails.
            return false;
        }
        let block = |first: Id| (first..first + size).fold(0, |set: Set, id| set | bit(id));
        let trusts = self.has(Defect::AnswerBelieved);
        match answer {
            Answer::Received => (world.clients[client].held, world.not_on_disk) = (block(first), 0),
            Answer::Lost => {}
            // Not carried out.
            Answer::Late if self.has(Defect::BlockUsedBeforeCommit) => {
                world.clients[client].held = block(first);
                return true;
            }
            // The values that were read back contradict the answer: the transaction is rolled back.
            Answer::Wrong if trusts => world.clients[client].held = block(0),
            Answer::Late | Answer::Wrong => return false,
        }
        world.tables.next_id += size;
        true
    }

    /// The client ends, and gives the rest of its block back if no other client has reserved ids after it, no id of it is in
    /// use, and the epoch is that of the block. One transaction locks the state row meanwhile.
    pub fn close(&self, world: &mut World, client: usize, answer: Answer) -> bool {
        let of = world.clients[client];
        let closes = matches!(of.call.phase, Phase::Idle | Phase::Closing) && of.held != 0;
        if !closes || world.restoring || !matches!(answer, Answer::Received | Answer::Lost) {
            return false;
        }
        let end = Set::BITS as Id - of.held.leading_zeros() as Id;
        let start = (0..end).rev().take_while(|id| contains(of.held, *id)).last().unwrap_or(end);
        let same = of.epoch == world.tables.epoch || self.has(Defect::GiveBackIgnoresEpoch);
        let unused = world.tables.rows[start as usize..].iter().all(|uuid| *uuid == 0);
        if same && unused && world.tables.next_id == end {
            world.tables.next_id = start;
        }
        world.clients[client] = NEW_CLIENT;
        // It is not repeated after a lost answer: another client may have reserved the same ids since.
        if answer == Answer::Lost && self.has(Defect::GiveBackRepeated) {
            world.clients[client] = of;
            world.clients[client].call.phase = Phase::Closing;
        }
        true
    }
}
