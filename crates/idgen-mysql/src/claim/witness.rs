//! Evidence that a look-up by the hash index returns what is there.
//!
//! A look-up that finds nothing proves nothing by itself: a server may choose a plan that returns no rows (MariaDB does with
//! `mrr=on` and an index on a virtual column). So a look-up asks for a pair that is known to exist, too: by its hash, and by
//! its id. If the primary key has it and the hash index does not return it, the answer is refused. One statement asks for
//! both, because a proxy may send two statements to servers of which one lags.

use uuid::Uuid;

use crate::claim::context::Context;
use crate::claim::pair::CHUNK;
use crate::error::Error;
use crate::error::failure::{Attempt, Failure, Kind};
use crate::statement::caller::Connection;
use crate::statement::sql::{ALL, hash};
use crate::statement::values::{Values, number_at};

/// A look-up is repeated this many times if the known pair that it includes was forgotten.
pub(super) const LOOKS: u32 = 4;

impl Context {
    /// Finds pairs by their hashes, in no order, and fails if the server does not find a pair that it has. Some UUIDs have
    /// no pair only if that is proved.
    pub(crate) async fn find_proved<C: Connection>(
        &self,
        connection: &mut C,
        uuids: &[Uuid],
    ) -> Attempt<Vec<(Uuid, u64)>> {
        for _ in 0..LOOKS {
            let witness = self.witness.get();
            let rows = connection.read(self.witnessed(uuids, witness)).await?;
            let mut pairs: Vec<(Uuid, u64)> = Vec::with_capacity(rows.len());
            for row in &rows {
                pairs.push((row.uuid(1)?, number_at(row, 0)?));
            }
            let seen = witness.map_or(0, |witness| pairs.iter().filter(|pair| **pair == witness).count());
            pairs.retain(|(uuid, _)| uuids.binary_search(uuid).is_ok());
            pairs.sort_unstable();
            pairs.dedup();
            let complete = uuids.iter().all(|uuid| pairs.iter().any(|(found, _)| found == uuid));
            match seen {
                // Only the primary key returned it.
                1 => return Err(self.hidden_rows()),
                _ if complete || seen > 1 || !self.choose_witness(connection).await? => return Ok(pairs),
                _ => {}
            }
        }
        Err(self.hidden_rows())
    }

    /// A look-up by hashes that also asks for the witness, which it returns twice.
    fn witnessed(&self, uuids: &[Uuid], witness: Option<(Uuid, u64)>) -> String {
        let map = &self.tables.map;
        let hashes: Vec<String> = uuids
            .iter()
            .copied()
            .chain(witness.map(|(uuid, _)| uuid))
            .map(|uuid| hash(uuid).to_string())
            .collect();
        // One more than a list may have, with the witness.
        let lists: Vec<String> =
            hashes.chunks(CHUNK).map(|list| format!("hash IN ({})", list.join(","))).collect();
        let by_hash = format!("SELECT id, uuid FROM {map} FORCE INDEX (hash) WHERE {}", lists.join(" OR "));
        match witness {
            Some((_, id)) => format!("{by_hash} UNION ALL SELECT id, uuid FROM {map} WHERE id = {id}{ALL}"),
            None => format!("{by_hash}{ALL}"),
        }
    }

    /// Chooses another pair to ask for, after the last one was found to be gone; false where there is none, and a look-up
    /// has nothing to find.
    pub(super) async fn choose_witness<C: Connection>(&self, connection: &mut C) -> Attempt<bool> {
        let latest = format!("SELECT id, uuid FROM {} ORDER BY id DESC LIMIT 1", self.tables.map);
        let rows = connection.read(latest).await?;
        let pair =
            rows.first().map(|row| Ok::<_, Failure>((row.uuid(1)?, number_at(row, 0)?))).transpose()?;
        self.witness.set(pair);
        Ok(pair.is_some())
    }

    /// The failure of a look-up that did not return what is there.
    pub(super) fn hidden_rows(&self) -> Failure {
        let map = &self.tables.map;
        let problem = format!(
            "a look-up by the index hash of {map} did not return a row that the table has, so nothing was stored: set \
             optimizer_switch to its default, and check the index with CHECK TABLE {map} EXTENDED; \
             drop a trigger that changes new rows"
        );
        Error::new(Kind::Damaged { problem }).into()
    }
}
