//! The calls of a run: an opening, a scene in which one answer is changed, and an end that asks for everything again.

use std::time::Duration;

use futures_util::TryStreamExt;
use idgen_mysql::{Position, Severity, Strategy};
use uuid::Uuid;

use super::client::{Client, End, LATE, Within, caller};
use super::tables::{seed, uuid};

/// The time within which a client notices what others changed.
const NOTICED: Duration = Duration::from_millis(1200);
/// Above the largest id.
const END: u64 = 1 << 63;

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
    Upgrade,
}

impl Scene {
    pub const ALL: [Scene; 23] = [
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
        Scene::Upgrade,
    ];

    /// Whether it begins without a map, or with one of an older version.
    pub fn makes_tables(self) -> bool {
        matches!(self, Scene::Install | Scene::Upgrade)
    }
}

/// New UUIDs of a family.
fn new<const N: usize>(family: u8) -> [Uuid; N] {
    std::array::from_fn(|at| uuid(family, at as u64))
}

impl Client<'_> {
    /// What comes before the scene, of which nothing is changed.
    pub async fn opening(&mut self, scene: Scene) {
        match scene {
            Scene::Open => return,
            Scene::Install => self.tables.drop_all().await,
            Scene::Upgrade => {
                self.tables.run("ALTER TABLE uuid_map_state DROP COLUMN map_id, DROP COLUMN epoch, DROP COLUMN stored_id").await;
                self.tables.run("UPDATE uuid_map_state SET version = 1; DROP TABLE uuid_map_sync").await;
                if self.strategy == Strategy::Dedup {
                    self.tables.run("ALTER TABLE uuid_map_claim DROP COLUMN turn").await;
                }
            }
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
            Scene::Open | Scene::Install | Scene::Upgrade => {
                if self.connect().await {
                    let map = self.map();
                    let _ = self.call("install", map.install()).await;
                    if scene == Scene::Open {
                        // What the calls send is changed in the scenes of their own.
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
            Scene::Fence => {
                let map = self.map();
                let fenced = self.call("fence", map.fence(5000)).await.is_ok();
                if fenced {
                    self.ledger.fenced(5000);
                }
                tokio::time::sleep(NOTICED).await;
                for uuid in new::<3>(2) {
                    if let Some(id) = self.id_of(uuid).await
                        && fenced
                        && id < 5000
                    {
                        self.ledger.violation("id_of", format!("{id} is below the fence"));
                    }
                }
            }
            Scene::OtherFence => {
                self.tables.run("UPDATE uuid_map_state SET epoch = epoch + 1, next_id = 6000").await;
                let mut above = false;
                for uuid in new::<6>(2) {
                    let Some(id) = self.id_of(uuid).await else { continue };
                    if above && id < 6000 {
                        self.ledger.violation("id_of", format!("{id} is below the fence, which was noticed"));
                    }
                    above |= id >= 6000;
                }
            }
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
        for _ in 0..5 {
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

    async fn import(&mut self) {
        let map = self.map();
        let groups = [
            vec![(2001, uuid(2, 1)), (2002, uuid(2, 2))],
            vec![(2, seed(2)), (2003, uuid(2, 3)), (3, seed(3))],
            vec![(4, seed(4)), (5, seed(5))],
        ];
        for group in groups {
            if let Ok(done) = self.call("import", map.import(&group)).await {
                if done.stored + done.present != group.len() {
                    self.ledger.violation("import", format!("{done:?} of {}", group.len()));
                }
                for (id, uuid) in group {
                    self.ledger.acknowledge("import", uuid, id);
                }
            }
        }
        for group in [[(2004, uuid(2, 4)), (2005, seed(6))], [(2006, uuid(2, 6)), (7, uuid(2, 7))]] {
            if self.call("import", map.import(&group)).await.is_ok() {
                self.ledger.violation("import", format!("{group:?} contradicts the map"));
            }
        }
        self.ids_of(&new::<5>(3)).await;
    }

    async fn export(&mut self) {
        let map = self.map();
        self.ids_of(&new::<3>(2)).await;
        if let Ok(pairs) = self.call("export", map.export(0).try_collect::<Vec<_>>()).await {
            self.ledger.listed("export", &pairs);
        }
        let (mut position, mut all) = (Position::default(), Vec::new());
        for _ in 0..5 {
            let Ok((pairs, next)) = self.call("changes", map.changes(&position, 1000)).await else { return };
            if pairs.is_empty() {
                self.ledger.listed("changes", &all);
                break;
            }
            all.extend(pairs);
            position = next;
            // A pair that comes later, with a lower id than others.
            self.id_of(uuid(3, 1)).await;
        }
    }

    async fn forget(&mut self) {
        let map = self.map();
        for uuid in [seed(20), uuid(9, 1)] {
            self.ledger.erasing(uuid);
            if let Ok(id) = self.call("forget", map.forget(uuid)).await {
                self.ledger.erased("forget", uuid, id);
            }
        }
        self.find(&[seed(20)]).await;
        self.uuids_of(&[20]).await;
        self.id_of(seed(20)).await;
    }

    async fn exhausted(&mut self) {
        let next = self.tables.next_id().await;
        self.tables.run(format!("UPDATE uuid_map_state SET next_id = {END}")).await;
        for uuid in new::<5>(2) {
            self.id_of(uuid).await;
        }
        self.id_of(seed(2)).await;
        self.ids_of(&[seed(3), uuid(2, 9), seed(4)]).await;
        self.ids_of(&[seed(5), seed(6)]).await;
        let mut caller = caller(self.adversary).await;
        let calls = [
            Within::IdOf(seed(7)),
            Within::IdOf(uuid(3, 1)),
            Within::IdsOf(&[seed(8), seed(9)]),
            Within::IdsOf(&[seed(8), uuid(3, 2)]),
        ];
        for call in calls {
            if !self.within(&mut caller, call, End::Commit).await {
                break;
            }
        }
        drop(caller);
        self.tables.run(format!("UPDATE uuid_map_state SET next_id = {next}")).await;
    }

    async fn check(&mut self) {
        let map = self.map();
        if let Ok(findings) = self.call("check", map.check()).await
            && !findings.is_empty()
        {
            self.ledger.violation("check", format!("the map is in order, but {findings:?}"));
        }
        let next = self.tables.next_id().await;
        if let Ok(stats) = self.call("stats", map.stats()).await
            && stats.next_id != next
        {
            self.ledger.violation("stats", format!("the next id is {next}, and not {}", stats.next_id));
        }
        if self.strategy != Strategy::Dedup {
            return;
        }
        let twice =
            format!("INSERT INTO uuid_map (id, uuid) VALUES (90, x'{0}'), (91, x'{0}')", uuid(8, 1).simple());
        self.tables.run(twice).await;
        if let Ok(findings) = self.call("check", map.check()).await
            && !findings.iter().any(|found| found.severity() == Severity::Broken)
        {
            self.ledger.violation("check", format!("a UUID has two ids, and it finds {findings:?}"));
        }
        self.tables.run("DELETE FROM uuid_map WHERE id IN (90, 91)").await;
    }

    async fn repair(&mut self) {
        let map = self.map();
        let next = self.tables.next_id().await;
        self.tables.run("UPDATE uuid_map_state SET next_id = 9").await;
        if let Ok(findings) = self.call("check", map.check()).await
            && !findings.iter().any(|found| found.severity() == Severity::Repairable)
        {
            self.ledger.violation("check", format!("next_id is too low, and it finds {findings:?}"));
        }
        let largest = self.tables.number("SELECT MAX(id) FROM uuid_map").await;
        if self.call("repair", map.repair()).await.is_ok() {
            let raised = self.tables.next_id().await;
            if raised <= largest {
                self.ledger.violation("repair", format!("the next id is {raised}, below {largest}"));
            }
        }
        self.tables.run(format!("UPDATE uuid_map_state SET next_id = GREATEST(next_id, {next})")).await;
    }
}
