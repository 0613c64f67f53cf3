//! A call with one UUID: `strategy/unique.rs` and `strategy/dedup.rs`.

use crate::defect::Defect;
use crate::map::{Answer, Map};
use crate::world::{Call, IDLE, Id, Index, Phase, Uuid, World, bit, contains, find, smallest};

impl Map {
    /// The client read the epoch more than a second ago: it reads it before it does anything else.
    pub fn must_read(&self, world: &World, client: usize) -> bool {
        let epoch = world.clients[client].epoch;
        let noticed = world.promised.fence_returned || world.reconnects || epoch != world.previous;
        epoch != world.tables.epoch && noticed
    }

    /// A statement can be sent.
    pub fn can_send(&self, world: &World, client: usize) -> bool {
        !world.restoring && !self.must_read(world, client)
    }

    /// A call can begin, or the first statement of a call inside the caller's transaction can be sent. A call whose
    /// attempt failed is like a call that begins.
    fn begins(&self, world: &World, client: usize) -> bool {
        let phase = world.clients[client].call.phase;
        self.can_send(world, client) && matches!(phase, Phase::Idle | Phase::Open)
    }

    /// In a new epoch, a client drops what it holds.
    pub fn read_epoch(&self, world: &mut World, client: usize) -> bool {
        let (epoch, restoring) = (world.tables.epoch, world.restoring);
        let client = &mut world.clients[client];
        if restoring || client.epoch == epoch || client.call.phase != Phase::Idle {
            return false;
        }
        client.epoch = epoch;
        if !self.has(Defect::BlockKeptOverFence) {
            client.held = 0;
        }
        if !self.has(Defect::CacheKeptOverFence) {
            client.cached = None;
        }
        true
    }

    /// Asks for the pair before anything is written, as calls do that expect known UUIDs, and returns it when it is on
    /// disk.
    pub fn find(&self, world: &mut World, client: usize, uuid: Uuid) -> bool {
        if world.clients[client].call.phase != Phase::Idle || !self.can_send(world, client) {
            return false;
        }
        let Some(found) = world.find(uuid) else { return false };
        self.return_found(world, client, uuid, found);
        true
    }

    /// `unique`: one statement, which commits itself unless it is part of a caller's transaction.
    pub fn insert(&self, world: &mut World, client: usize, uuid: Uuid, answer: Answer) -> bool {
        let within = world.clients[client].call.within;
        if self.index != Index::Unique || !self.begins(world, client) {
            return false;
        }
        let Some(id) = smallest(world.clients[client].held) else { return false };
        if self.must_wait(world, uuid, id) {
            return false;
        }
        world.clients[client].held &= !bit(id);
        let refused = world.tables.rows[id as usize] != 0 || world.find(uuid).is_some();
        let call = &mut world.clients[client].call;
        match answer {
            Answer::Received if refused => *call = Call { phase: Phase::Duplicate, uuid, id, ..*call },
            Answer::Received if within => {
                *call = Call { phase: Phase::Holds, uuid, found: id, ..*call };
                world.transaction.as_mut().expect("a transaction").row = id;
            }
            Answer::Received => self.store_and_return(world, client, uuid, id),
            _ if within || refused => return false,
            lost => return self.store_unanswered(world, client, (uuid, id), lost),
        }
        true
    }

    /// A row of another transaction that is not committed yet.
    pub fn must_wait(&self, world: &World, uuid: Uuid, id: Id) -> bool {
        let by_import = world.import.is_some_and(|import| import.id == id || import.uuid == uuid);
        let by_caller = world.transaction.is_some_and(|of| {
            of.row != 0 && (of.row == id || world.clients[of.client as usize].call.uuid == uuid)
        });
        // With `dedup`, the claims keep others of the UUID away.
        match self.index {
            Index::Unique => by_import || by_caller,
            Index::Dedup => {
                world.import.is_some_and(|import| import.id == id)
                    || world.transaction.is_some_and(|of| of.row == id)
            }
        }
    }

    /// Defect: the published design.
    pub fn look_first(&self, world: &mut World, client: usize, uuid: Uuid) -> bool {
        let begins = self.begins(world, client) && !world.clients[client].call.within;
        let missing = world.find(uuid).is_none();
        world.clients[client].call = Call { phase: Phase::Looked, uuid, ..IDLE };
        self.has(Defect::LookBeforeClaim) && begins && missing
    }

    /// `dedup`: waits for other transactions that claim the UUID.
    pub fn claim(&self, world: &mut World, client: usize, uuid: Uuid) -> bool {
        let call = world.clients[client].call;
        let looked = call.phase == Phase::Looked && call.uuid == uuid;
        let begins = self.begins(world, client) && (call.within || !self.has(Defect::LookBeforeClaim));
        if self.index != Index::Dedup || world.restoring || !(begins || looked) {
            return false;
        }
        if contains(world.claims_held(), uuid) {
            return false;
        }
        let mut id = 0;
        if !call.within {
            let Some(first) = smallest(world.clients[client].held) else { return false };
            world.clients[client].held &= !bit(first);
            id = first;
        }
        let new = self.has(Defect::NewClaimMeansNewUuid) && !contains(world.tables.claims, uuid);
        let phase = if new || looked { Phase::Store } else { Phase::Claimed };
        world.clients[client].call = Call { phase, uuid, id, ..call };
        true
    }

    /// The look-up after a claim, or after a duplicate key. A wrong answer has no rows. A pair that is found is returned with
    /// the commit, or when it is on disk.
    pub fn look(&self, world: &mut World, client: usize, answer: Answer) -> bool {
        let call = world.clients[client].call;
        if world.restoring || !matches!(call.phase, Phase::Claimed | Phase::Duplicate) {
            return false;
        }
        let found = match answer {
            Answer::Received => self.look_past_snapshot(world, client),
            Answer::Wrong if self.scope.has_calls() => None,
            _ => return false,
        };
        let again =
            Call { phase: if call.within { Phase::Open } else { Phase::Idle }, uuid: 0, id: 0, ..call };
        let to = &mut world.clients[client];
        match (found, call.phase) {
            (Some(found), _) => {
                to.held |= if call.id == 0 { 0 } else { bit(call.id) };
                if call.within {
                    to.call = Call { phase: Phase::Holds, found, id: 0, ..call };
                } else {
                    self.commit_claim(world, call.uuid);
                    self.return_found(world, client, call.uuid, found);
                }
            }
            // The look-up did not find what it must find: the transaction is rolled back, and the call fails.
            (None, Phase::Claimed) if answer == Answer::Wrong && !self.has(Defect::EmptyLookUpBelieved) => {
                self.end(world, client);
            }
            (None, Phase::Claimed) => to.call.phase = Phase::Store,
            // The id is in use: it is passed over.
            (None, _) => to.call = again,
        }
        true
    }

    fn look_past_snapshot(&self, world: &World, client: usize) -> Option<Id> {
        let call = world.clients[client].call;
        let committed = world.find(call.uuid);
        let Some(transaction) = world.transaction.filter(|of| of.client as usize == client) else {
            return committed;
        };
        if self.index == Index::Unique {
            // A locking read.
            return committed;
        }
        let here = find(&transaction.snapshot, call.uuid);
        if self.has(Defect::SnapshotBelieved) {
            return here;
        }
        let confirmed =
            |id: &Id| world.tables.rows[*id as usize] == call.uuid || self.has(Defect::SnapshotNotConfirmed);
        here.filter(confirmed).or(committed)
    }

    /// `dedup`: stores the pair, and commits unless it is part of a caller's transaction.
    pub fn store(&self, world: &mut World, client: usize, answer: Answer) -> bool {
        let call = world.clients[client].call;
        if call.phase != Phase::Store || world.restoring {
            return false;
        }
        let id = if call.within { smallest(world.clients[client].held) } else { Some(call.id) };
        let Some(id) = id.filter(|id| !self.must_wait(world, call.uuid, *id)) else { return false };
        let taken = world.tables.rows[id as usize] != 0;
        if call.within {
            world.clients[client].held &= !bit(id);
            if !taken {
                (world.clients[client].call.phase, world.clients[client].call.found) = (Phase::Holds, id);
                world.transaction.as_mut().expect("a transaction").row = id;
            }
            return answer == Answer::Received;
        }
        match answer {
            Answer::Received if taken => world.clients[client].call = IDLE,
            Answer::Received => self.store_and_return(world, client, call.uuid, id),
            _ if taken => return false,
            lost => return self.store_unanswered(world, client, (call.uuid, id), lost),
        }
        true
    }

    /// Defect: a named lock.
    pub fn release_lock(&self, world: &mut World, client: usize) -> bool {
        let call = &mut world.clients[client].call;
        let stored = call.phase == Phase::Store && !call.within;
        call.unlocked = true;
        self.has(Defect::LockReleasedBeforeCommit) && stored
    }

    /// A node of a Galera cluster rolls the transaction back, because another node has committed a change of the same row. The
    /// statement that follows fails.
    pub fn cluster_ends(&self, world: &mut World, client: usize) -> bool {
        let call = world.clients[client].call;
        let in_transaction = matches!(call.phase, Phase::Claimed | Phase::Store) && !call.within;
        if self.has(Defect::TextGoesOnAfterRollback) {
            world.clients[client].call.unlocked = true;
        } else {
            self.end(world, client);
        }
        self.scope.has_calls() && in_transaction
    }

    /// In the design, a committed claim decides nothing: whoever claims the UUID next locks it in any case.
    pub fn commit_claim(&self, world: &mut World, uuid: Uuid) {
        if self.has(Defect::NewClaimMeansNewUuid) {
            world.tables.claims |= bit(uuid);
        }
    }

    fn store_and_return(&self, world: &mut World, client: usize, uuid: Uuid, id: Id) {
        world.commit_row(uuid, id, Some(client));
        self.commit_claim(world, uuid);
        self.return_id(world, client, uuid, id);
    }

    /// The client does not use the id again.
    fn store_unanswered(
        &self,
        world: &mut World,
        client: usize,
        (uuid, id): (Uuid, Id),
        answer: Answer,
    ) -> bool {
        match answer {
            Answer::Lost => {
                world.commit_row(uuid, id, Some(client));
                self.commit_claim(world, uuid);
            }
            Answer::Late if self.scope.has_calls() && world.late.is_none() => world.late = Some((uuid, id)),
            _ => return false,
        }
        if self.has(Defect::IdReusedAfterLostAnswer) {
            world.clients[client].held |= bit(id);
        }
        world.clients[client].call = IDLE;
        true
    }

    fn return_found(&self, world: &mut World, client: usize, uuid: Uuid, id: Id) {
        let visible = world.not_on_disk;
        self.return_id(world, client, uuid, id);
        if self.has(Defect::ReadBeforeOnDisk) {
            world.not_on_disk = visible;
        }
    }

    /// Everything is on disk by now.
    fn return_id(&self, world: &mut World, client: usize, uuid: Uuid, id: Id) {
        world.not_on_disk = 0;
        world.acknowledge(uuid, id);
        if self.scope.fences() > 0 && world.clients.iter().all(|client| client.cached.is_none()) {
            world.clients[client].cached = Some((uuid, id));
        }
        world.clients[client].call = IDLE;
    }

    /// The server rolls the call's transaction back, and its id is used later.
    fn end(&self, world: &mut World, client: usize) {
        let call = world.clients[client].call;
        if call.id != 0 {
            world.clients[client].held |= bit(call.id);
        }
        world.clients[client].call = IDLE;
        if call.within {
            world.transaction = None;
        }
    }

    /// A pair that is in the cache is returned without any statement. One pair in one cache shows as much as many.
    pub fn answer_from_cache(&self, world: &mut World, client: usize) -> bool {
        let Some((uuid, id)) = world.clients[client].cached else { return false };
        if self.must_read(world, client) && !self.has(Defect::CacheWithoutAgeLimit) {
            return false;
        }
        // Until a fence returns, clients may answer as before.
        if world.restoring || !world.promised.fence_returned {
            return false;
        }
        world.acknowledge(uuid, id);
        true
    }
}
