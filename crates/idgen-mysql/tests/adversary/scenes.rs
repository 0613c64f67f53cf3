//! The calls of a run: an opening, a scene in which one answer is changed, and an end that asks for everything again. What
//! operators do is in `operations`.

use std::time::Duration;

use uuid::Uuid;

use super::client::{Client, End, LATE, Within, caller};
use super::tables::{seed, uuid};

/// The time within which a client notices what others changed.
pub const NOTICED: Duration = Duration::from_millis(1200);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scene {
    Open,
    Create,
    Repeat,
    Find,
    FindIds,
    WithinCommit,
    WithinRollback,
    WithinMany,
    WithinDriver,
    WithinTaken,
    Import,
    Export,
    Forget,
    Fence,
    OtherFence,
    Taken,
    Exhausted,
    Check,
    Repair,
    Pause,
    Close,
    Install,
}

impl Scene {
    pub const ALL: [Scene; 22] = [
        Scene::Open,
        Scene::Create,
        Scene::Repeat,
        Scene::Find,
        Scene::FindIds,
        Scene::WithinCommit,
        Scene::WithinRollback,
        Scene::WithinMany,
        Scene::WithinDriver,
        Scene::WithinTaken,
        Scene::Import,
        Scene::Export,
        Scene::Forget,
        Scene::Fence,
        Scene::OtherFence,
        Scene::Taken,
        Scene::Exhausted,
        Scene::Check,
        Scene::Repair,
        Scene::Pause,
        Scene::Close,
        Scene::Install,
    ];

    /// Returns true if the scene begins without a map.
    pub fn makes_tables(self) -> bool {
        self == Scene::Install
    }
}

/// New UUIDs of a family.
pub fn new<const N: usize>(family: u8) -> [Uuid; N] {
    std::array::from_fn(|at| uuid(family, at as u64))
}

impl Client<'_> {
    /// Runs the part before the scene, in which nothing is changed.
    pub async fn opening(&mut self, scene: Scene) {
        match scene {
            Scene::Open => return,
            Scene::Install => self.tables.drop_all().await,
            _ => {
                assert!(self.connect().await, "{LATE}");
                self.surely(seed(1)).await;
                self.surely(uuid(1, 1)).await;
            }
        }
        if scene == Scene::Repeat {
            for id in 10..20 {
                self.surely(seed(id)).await;
            }
        }
    }

    pub async fn play(&mut self, scene: Scene) {
        match scene {
            Scene::Open | Scene::Install => {
                if self.connect().await {
                    let map = self.map();
                    let _ = self.call("install", map.install()).await;
                    if scene == Scene::Open {
                        // The results of these calls are changed in scenes of their own.
                        self.adversary.watch(false);
                    }
                    self.id_of(seed(2)).await;
                    self.id_of(uuid(2, 1)).await;
                }
            }
            Scene::Create => {
                self.id_of(uuid(2, 1)).await;
                self.id_of(uuid(2, 1)).await;
                self.id_of(seed(2)).await;
                self.ids_of(&[uuid(2, 2), seed(3), uuid(2, 3), seed(4), uuid(2, 2), uuid(2, 1)]).await;
                self.ids_of(&new::<6>(3)).await;
                // All are new but one: a number of rows that is one too large says that all are.
                self.ids_of(&[uuid(4, 1), seed(6), uuid(4, 2), uuid(4, 3)]).await;
                self.register(uuid(2, 4)).await;
                self.register(seed(5)).await;
            }
            Scene::Repeat => {
                self.id_of(seed(2)).await;
                self.id_of(uuid(2, 1)).await;
                self.ids_of(&[uuid(2, 2), seed(3), uuid(2, 3), seed(4)]).await;
                self.register(uuid(2, 4)).await;
                self.register(seed(5)).await;
            }
            Scene::Find => {
                self.find(&[seed(2)]).await;
                self.find(&[uuid(9, 1)]).await;
                self.find(&[seed(3), uuid(9, 2), seed(4), seed(5)]).await;
                self.find(&[seed(3), uuid(9, 2), seed(6)]).await;
            }
            Scene::FindIds => {
                self.uuids_of(&[2]).await;
                self.uuids_of(&[99]).await;
                self.uuids_of(&[3, 99, 4, 5]).await;
            }
            Scene::WithinCommit => {
                let mut caller = caller(self.adversary).await;
                let calls = [
                    Within::IdOf(uuid(2, 1)),
                    Within::IdOf(seed(2)),
                    Within::Register(uuid(2, 2)),
                    Within::Register(seed(3)),
                ];
                for call in calls {
                    if !self.within(&mut caller, call, End::Commit).await {
                        return;
                    }
                }
            }
            Scene::WithinRollback => {
                let mut caller = caller(self.adversary).await;
                let calls = [Within::IdOf(uuid(2, 1)), Within::IdOf(seed(2)), Within::Register(uuid(2, 2))];
                for call in calls {
                    if !self.within(&mut caller, call, End::Rollback).await {
                        break;
                    }
                }
                drop(caller);
                self.id_of(uuid(2, 2)).await;
            }
            Scene::WithinMany => {
                let mut caller = caller(self.adversary).await;
                let mixed = [uuid(2, 1), seed(2), uuid(2, 2), seed(3)];
                let one_known = [uuid(4, 1), seed(6), uuid(4, 2)];
                let calls = [
                    (&mixed[..], End::Rollback),
                    (&one_known, End::Commit),
                    (&mixed, End::Commit),
                    (&new::<3>(3), End::Commit),
                ];
                for (uuids, end) in calls {
                    if !self.within(&mut caller, Within::IdsOf(uuids), end).await {
                        return;
                    }
                }
            }
            Scene::WithinDriver => {
                let mut caller = caller(self.adversary).await;
                for (uuids, end) in [([uuid(2, 1), seed(2)], End::Commit), (new::<2>(3), End::Rollback)] {
                    if !self.within(&mut caller, Within::Driver(&uuids), end).await {
                        return;
                    }
                }
                for uuid in [uuid(4, 1), seed(3)] {
                    if !self.within(&mut caller, Within::DriverIdOf(uuid), End::Commit).await {
                        return;
                    }
                }
            }
            Scene::WithinTaken => {
                self.take_next().await;
                let mut caller = caller(self.adversary).await;
                for call in [Within::IdsOf(&new::<5>(2)), Within::IdOf(uuid(3, 1)), Within::IdOf(uuid(3, 2))]
                {
                    if !self.within(&mut caller, call, End::Commit).await {
                        return;
                    }
                }
            }
            Scene::Import => self.import().await,
            Scene::Export => self.export().await,
            Scene::Forget => self.forget().await,
            Scene::Fence => self.fence().await,
            Scene::OtherFence => self.other_fence().await,
            Scene::Taken => {
                self.take_next().await;
                for uuid in new::<4>(2) {
                    self.id_of(uuid).await;
                }
                self.take_next().await;
                self.ids_of(&new::<7>(3)).await;
            }
            Scene::Exhausted => self.exhausted().await,
            Scene::Check => self.check().await,
            Scene::Repair => self.repair().await,
            Scene::Pause => {
                tokio::time::sleep(NOTICED).await;
                self.id_of(seed(2)).await;
                self.find(&[seed(3)]).await;
                self.id_of(uuid(2, 1)).await;
            }
            Scene::Close => {
                self.ids_of(&new::<3>(2)).await;
                self.close().await;
            }
        }
    }

    /// Asks for everything again, through the same client and through one that opens then. Nothing is changed any more.
    pub async fn finale(&mut self) {
        let mut uuids: Vec<Uuid> = self.ledger.pairs().into_iter().map(|(_, uuid)| uuid).collect();
        uuids.extend(new::<5>(20));
        self.again(&uuids, 21).await;
        self.close().await;
        // On a busy machine, a call may be late.
        for _ in 0..20 {
            if self.connect().await {
                let map = self.map();
                if self.call("install", map.install()).await.is_ok() {
                    self.again(&uuids, 22).await;
                    self.close().await;
                    return;
                }
            }
            self.close().await;
        }
        self.ledger.violation("install", "it fails at the end");
    }

    async fn again(&mut self, uuids: &[Uuid], family: u8) {
        if self.is_open() {
            self.id_of(uuid(family, 1)).await;
            self.find(uuids).await;
            self.ids_of(uuids).await;
            self.id_of(uuid(family, 2)).await;
        }
    }

    /// Stores pairs with the ids that the next reservation gives.
    async fn take_next(&mut self) {
        let next = self.tables.next_id().await;
        for id in [next, next + 1] {
            let uuid = uuid(30, id);
            let pair = format!("INSERT INTO uuid_map (id, uuid) VALUES ({id}, x'{}')", uuid.simple());
            self.tables.run(pair).await;
            self.ledger.acknowledge("seed", uuid, id);
        }
    }
}
