//! Steps of operators: `purge.rs`, `forget.rs`, `import.rs`, `fence.rs`, and backups.

use crate::defect::Defect;
use crate::map::Map;
use crate::world::{FORGOTTEN, Id, Import, Index, Phase, UUIDS, Uuid, World, bit, contains, find};

impl Map {
    /// Deletes committed claims that no transaction has locked.
    pub fn purge(&self, world: &mut World) -> bool {
        world.tables.claims &= world.claims_held();
        if self.has(Defect::RunningClaimsPurged) {
            for client in &mut world.clients {
                client.call.unlocked |= matches!(client.call.phase, Phase::Claimed | Phase::Store);
            }
        }
        true
    }

    /// One transaction: claim, look up with a lock, put a marker in place of the UUID, delete the claim.
    pub fn forget(&self, world: &mut World, uuid: Uuid) -> bool {
        let Some(id) = world.find(uuid) else { return false };
        if !self.scope.has_calls() || self.is_locked(world, uuid, id) {
            return false;
        }
        world.tables.rows[id as usize] = if self.has(Defect::ForgetFreesId) { 0 } else { FORGOTTEN };
        world.tables.forgotten |= bit(id);
        world.tables.claims &= !bit(uuid);
        world.not_on_disk = 0;
        world.promised.id[uuid as usize] = 0;
        true
    }

    /// Returns true if another transaction has claimed the UUID, stored it, or read it with a lock.
    fn is_locked(&self, world: &World, uuid: Uuid, id: Id) -> bool {
        let read = world.clients.iter().any(|client| {
            client.call.phase == Phase::Holds && client.call.uuid == uuid && client.call.found == id
        });
        let claimed = self.index == Index::Dedup && contains(world.claims_held(), uuid);
        read || claimed || self.must_wait(world, uuid, id)
    }

    /// Stores a pair with a given id, if neither is in the map. An operator may give a forgotten id to another UUID by mistake,
    /// and not the id of a pair that was lost.
    pub fn import_pair(&self, world: &mut World, uuid: Uuid, id: Id) -> bool {
        let before = world.promised.uuid[id as usize];
        let sensible = before == 0 || before == uuid || contains(world.tables.forgotten, id);
        let absent = world.find(uuid).is_none() && world.tables.rows[id as usize] == 0;
        if !self.scope.has_calls() || !sensible || !absent || world.import.is_some() {
            return false;
        }
        if self.is_locked(world, uuid, id) {
            return false;
        }
        world.import = Some(Import { uuid, id, was_above: id >= world.tables.next_id });
        true
    }

    /// The last statement of an import raises the next id, and locks the state row even if there is nothing to raise.
    pub fn commit_import(&self, world: &mut World) -> bool {
        let Some(Import { uuid, id, was_above }) = world.import.take() else { return false };
        world.commit_row(uuid, id, None);
        self.commit_claim(world, uuid);
        let raises = match self.defect {
            Some(Defect::ImportKeepsNextId) => false,
            Some(Defect::ImportComparesEarly) => was_above,
            _ => true,
        };
        if raises {
            world.tables.next_id = world.tables.next_id.max(id + 1);
        }
        world.not_on_disk = 0;
        world.acknowledge(uuid, id);
        true
    }

    /// One consistent snapshot of all tables.
    pub fn back_up(&self, world: &mut World) -> bool {
        let can = self.scope.fences() > 0 && world.backup.is_none() && !world.restoring;
        world.backup = Some(world.tables);
        can
    }

    /// The server loses what was committed after the backup, and clients cannot use it before the fence.
    pub fn restore(&self, world: &mut World) -> bool {
        let Some(backup) = world.backup else { return false };
        if world.restoring || world.promised.fences == self.scope.fences() {
            return false;
        }
        world.tables = backup;
        world.restoring = true;
        world.reconnects = !self.has(Defect::ConnectionsSurviveRestore);
        world.promised.fence_returned = false;
        self.disconnect(world);
        for uuid in 1..=UUIDS {
            if find(&backup.rows, uuid as Uuid) != Some(world.promised.id[uuid]) {
                world.promised.id[uuid] = 0;
            }
        }
        true
    }

    /// The operator names an id that is above all that were assigned, with or without a margin.
    pub fn fence(&self, world: &mut World, id: Id) -> bool {
        let largest = world.largest_acknowledged();
        let again = world.restoring || world.promised.fence_returned;
        if world.promised.fences == self.scope.fences()
            || !again
            || !(largest + 1..=largest + 2).contains(&id)
        {
            return false;
        }
        let epoch = world.tables.epoch;
        world.tables.epoch = match self.defect {
            Some(Defect::FenceKeepsEpoch) => epoch,
            Some(Defect::EpochsRepeat) => epoch + 1,
            _ => world.promised.epochs + 1,
        };
        if !self.has(Defect::FenceKeepsNextId) {
            world.tables.next_id = world.tables.next_id.max(id);
        }
        world.promised.epochs = world.promised.epochs.max(world.tables.epoch);
        world.promised.fences += 1;
        (world.promised.fence, world.promised.fence_returned) = (id, false);
        world.reconnects &= world.restoring;
        world.previous = epoch;
        world.restoring = false;
        true
    }

    /// A second later: no client uses the earlier epoch any more, except in calls that began before.
    pub fn fence_returns(&self, world: &mut World) -> bool {
        if world.restoring || world.promised.fence_returned {
            return false;
        }
        world.promised.fence_returned = true;
        for client in &mut world.clients {
            client.call.old = client.call.phase != Phase::Idle;
        }
        true
    }
}
