//! The state: the tables, the clients, and what was promised.

/// The ids of the map are 1 to `IDS`. Id 0 exists because a server may answer it.
pub const IDS: usize = 3;
pub const CLIENTS: usize = 2;
pub const UUIDS: usize = 2;
/// The number of ids that a client reserves at once.
pub const BLOCK: u8 = 2;

pub type Id = u8;
/// 1 to `UUIDS`; 0 for none.
pub type Uuid = u8;
/// Bit n is the id n, or the UUID n.
pub type Set = u8;

/// The marker in place of a forgotten UUID.
pub const FORGOTTEN: Uuid = 9;

/// The index with which the map keeps pairs unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// A unique index on the UUID.
    Unique,
    /// Claims, and an index on a hash of the UUID.
    Dedup,
}

/// The tables, as they are committed. This is what a backup contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tables {
    /// The UUID of each id; 0 where there is no row.
    pub rows: [Uuid; IDS + 1],
    pub next_id: Id,
    pub epoch: u8,
    /// The committed claims, where a defect reads them. In the design they decide nothing.
    pub claims: Set,
    /// The ids of forgotten UUIDs, whether or not a row says so.
    pub forgotten: Set,
}

/// The phase of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    Idle,
    /// The caller's transaction has begun, and has a snapshot.
    Open,
    /// The map was asked before the claim.
    Looked,
    /// `unique`: the insert met a duplicate key.
    Duplicate,
    /// `dedup`: the claim is held.
    Claimed,
    /// `dedup`: the claim is held, and there is no pair.
    Store,
    /// The caller's transaction has the pair, and is not committed.
    Holds,
    /// The answer to giving back a block was lost.
    Closing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call {
    pub phase: Phase,
    pub uuid: Uuid,
    /// The id that was taken from the block.
    pub id: Id,
    /// The id that the caller's transaction has for the UUID.
    pub found: Id,
    /// It is part of a caller's transaction.
    pub within: bool,
    /// The claim is not locked any more, which only defects do.
    pub unlocked: bool,
    /// It began before the last fence returned.
    pub old: bool,
}

pub const IDLE: Call =
    Call { phase: Phase::Idle, uuid: 0, id: 0, found: 0, within: false, unlocked: false, old: false };

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Client {
    /// The epoch that it read last.
    pub epoch: u8,
    /// The ids that it reserved and has not used.
    pub held: Set,
    /// A pair in its cache.
    pub cached: Option<(Uuid, Id)>,
    pub call: Call,
}

pub const NEW_CLIENT: Client = Client { epoch: 0, held: 0, cached: None, call: IDLE };

/// The caller's transaction. At most one is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transaction {
    pub client: u8,
    /// The UUID of each id, as REPEATABLE READ shows it to the transaction.
    pub snapshot: [Uuid; IDS + 1],
    /// The id of its row that is not committed, if it has one.
    pub row: Id,
}

/// An import that is not committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Import {
    pub uuid: Uuid,
    pub id: Id,
    /// The id was not below the next id when the pair was stored.
    pub was_above: bool,
}

/// The promises that were made so far. Nobody in the model reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Promised {
    /// The acknowledged id of each UUID, since the last restored backup.
    pub id: [Id; UUIDS + 1],
    /// The UUID for which each id was ever acknowledged.
    pub uuid: [Uuid; IDS + 1],
    pub fence: Id,
    /// The last fence has returned: a second has passed, in which every client has read the epoch.
    pub fence_returned: bool,
    pub epochs: u8,
    pub fences: u8,
    /// The properties that a step violated.
    pub broken: Set,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct World {
    pub tables: Tables,
    /// Ids whose rows are visible and not on disk.
    pub not_on_disk: Set,
    pub backup: Option<Tables>,
    /// A backup was restored, and clients cannot use the server yet.
    pub restoring: bool,
    /// The last fence was that of a restored backup, before which all connections ended. A new connection reads the epoch.
    pub reconnects: bool,
    /// The epoch before the last fence, which clients may use until it returns.
    pub previous: u8,
    pub clients: [Client; CLIENTS],
    pub transaction: Option<Transaction>,
    pub import: Option<Import>,
    /// A pair whose statement the client no longer waits for, and which the server may still carry out.
    pub late: Option<(Uuid, Id)>,
    pub promised: Promised,
}

pub fn bit(number: u8) -> Set {
    1 << number
}

pub fn contains(set: Set, number: u8) -> bool {
    set & bit(number) != 0
}

/// The smallest number of a set.
pub fn smallest(set: Set) -> Option<u8> {
    (set != 0).then(|| set.trailing_zeros() as u8)
}

impl World {
    pub fn begin() -> World {
        World {
            tables: Tables { rows: [0; IDS + 1], next_id: 1, epoch: 1, claims: 0, forgotten: 0 },
            not_on_disk: 0,
            backup: None,
            restoring: false,
            reconnects: false,
            previous: 0,
            clients: [NEW_CLIENT; CLIENTS],
            transaction: None,
            import: None,
            late: None,
            promised: Promised {
                id: [0; UUIDS + 1],
                uuid: [0; IDS + 1],
                fence: 0,
                fence_returned: true,
                epochs: 1,
                fences: 0,
                broken: 0,
            },
        }
    }

    /// The id of a UUID in the committed rows.
    pub fn find(&self, uuid: Uuid) -> Option<Id> {
        find(&self.tables.rows, uuid)
    }

    /// One of the states that differ only in the names of clients and UUIDs, or in what is never read.
    pub fn canonical(mut self) -> World {
        for client in &mut self.clients {
            if client.held == 0 && client.cached.is_none() && client.call == IDLE {
                // It has nothing of the epoch that it read, and is like a client that reads it now.
                client.epoch = self.tables.epoch;
            }
        }
        let swapped = self.swap_clients();
        let pairs = [self, swapped, self.swap_uuids(), swapped.swap_uuids()];
        pairs.into_iter().min().unwrap_or(self)
    }

    fn swap_clients(mut self) -> World {
        self.clients.swap(0, 1);
        if let Some(transaction) = &mut self.transaction {
            transaction.client = 1 - transaction.client;
        }
        self
    }

    fn swap_uuids(mut self) -> World {
        let other = |uuid: &mut Uuid| {
            if let 1 | 2 = *uuid {
                *uuid = 3 - *uuid;
            }
        };
        let set = |set: &mut Set| *set = (*set & 0b010) << 1 | (*set & 0b100) >> 1;
        let tables = |tables: &mut Tables| {
            tables.rows.iter_mut().for_each(other);
            set(&mut tables.claims);
        };
        tables(&mut self.tables);
        self.backup.as_mut().map(tables);
        for client in &mut self.clients {
            other(&mut client.call.uuid);
            if let Some((uuid, _)) = &mut client.cached {
                other(uuid);
            }
        }
        if let Some(transaction) = &mut self.transaction {
            transaction.snapshot.iter_mut().for_each(other);
        }
        if let Some(import) = &mut self.import {
            other(&mut import.uuid);
        }
        if let Some((uuid, _)) = &mut self.late {
            other(uuid);
        }
        self.promised.id.swap(1, 2);
        self.promised.uuid.iter_mut().for_each(other);
        self
    }
}

pub fn find(rows: &[Uuid; IDS + 1], uuid: Uuid) -> Option<Id> {
    rows.iter().position(|found| *found == uuid).map(|id| id as Id)
}
