//! The scenes of operators: an import, an export, what is erased, a fence, a map without ids left, a check and a repair.

use futures_util::TryStreamExt;
use idgen_mysql::{Index, Position, Severity};

use super::client::{Client, End, Within, caller};
use super::scenes::{NOTICED, new};
use super::tables::{seed, uuid};

/// Above the largest id.
const END: u64 = 1 << 63;

impl Client<'_> {
    pub async fn fence(&mut self) {
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

    pub async fn other_fence(&mut self) {
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

    pub async fn import(&mut self) {
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

    pub async fn export(&mut self) {
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

    pub async fn forget(&mut self) {
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

    pub async fn exhausted(&mut self) {
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

    pub async fn check(&mut self) {
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
        if self.index != Index::Dedup {
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

    pub async fn repair(&mut self) {
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
