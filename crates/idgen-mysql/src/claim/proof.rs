//! Proof that the server stores what the map acknowledges.
//!
//! A trigger can change a row before it is stored, and the server reports success all the same. Users without the privilege
//! TRIGGER do not see triggers, so pairs are read back: the first ones after each reading of the map's state, which is once a
//! second, and the first ones of each block of ids. Until that succeeds, all are.

use std::sync::atomic::Ordering;

use uuid::Uuid;

use crate::claim::context::Context;
use crate::error::damaged;
use crate::error::failure::Attempt;
use crate::installed::Index;
use crate::statement::caller::Connection;
use crate::statement::sql::{ALL, literal};
use crate::statement::values::{Values, number_at};
use crate::table::marker::marker;
use crate::table::tables::unquoted;

impl Context {
    /// Reads pairs back that this connection has just stored, if that is due.
    ///
    /// # Errors
    /// Other values are stored. The map is then damaged, or this transaction is to be rolled back.
    pub(super) async fn prove<C: Connection>(
        &self,
        connection: &mut C,
        pairs: &[(Uuid, u64)],
        lock: &str,
    ) -> Attempt<()> {
        let due = self.pool.identity().reading().wrapping_add(self.blocks.reservations());
        // Vitess has no triggers.
        if self.proof.after.load(Ordering::Relaxed) == due || self.tables.places.is_some() {
            return Ok(());
        }
        self.read_back(connection, pairs, lock).await?;
        self.proof.after.store(due, Ordering::Relaxed);
        Ok(())
    }

    /// Reads pairs back that this connection has just stored.
    ///
    /// # Errors
    /// As above.
    pub(super) async fn read_back<C: Connection>(
        &self,
        connection: &mut C,
        pairs: &[(Uuid, u64)],
        lock: &str,
    ) -> Attempt<()> {
        let map = &self.tables.map;
        let list: Vec<String> = pairs.iter().map(|(_, id)| id.to_string()).collect();
        // Without the index, MariaDB would read the whole table for a long list, and a locking read of it waits for
        // every open transaction with a new pair.
        let read = format!(
            "SELECT id, uuid FROM {map} FORCE INDEX (PRIMARY) WHERE id IN ({}){ALL}{lock}",
            list.join(",")
        );
        let mut rows = Vec::with_capacity(pairs.len());
        for row in connection.read(read).await? {
            rows.push((number_at(&row, 0)?, row.uuid(1)?));
        }
        rows.sort_unstable();
        for (uuid, id) in pairs {
            let stored = rows.binary_search_by_key(id, |(id, _)| *id).ok().map(|at| rows[at].1);
            // Another client may have forgotten it meanwhile.
            if stored != Some(*uuid) && stored != Some(marker(*id)) {
                return Err(damaged(not_stored(unquoted(map), *uuid, *id)));
            }
        }
        Ok(())
    }

    /// Reads the claims of a transaction back, if that is due.
    pub(super) async fn prove_claims<C: Connection>(
        &self,
        connection: &mut C,
        uuids: &[Uuid],
    ) -> Attempt<()> {
        let due = self.pool.identity().reading().wrapping_add(self.blocks.reservations());
        if self.proof.after.load(Ordering::Relaxed) == due || self.installed.index != Index::Dedup {
            return Ok(());
        }
        let (claim, list) = (&self.tables.claim, uuids.iter().map(|uuid| literal(*uuid)).collect::<Vec<_>>());
        let read = format!("SELECT uuid FROM {claim} WHERE uuid IN ({}){ALL}", list.join(","));
        let found = connection.read(read).await?.len();
        if found == uuids.len() {
            return Ok(());
        }
        Err(damaged(format!(
            "{found} of {} claims are in {claim} after they were made: a trigger changes them; drop the trigger",
            uuids.len()
        )))
    }
}

fn not_stored(map: &str, uuid: Uuid, id: u64) -> String {
    format!(
        "{uuid} was stored with the id {id} in {map}, and the row of this id does not hold it: a trigger changes what is \
         stored, and has to be dropped, or the server's answer was wrong"
    )
}
