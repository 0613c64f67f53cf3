//! Evidence that a look-up by the hash index returns what is there.
//!
//! A look-up that finds nothing proves nothing by itself: a server may choose a plan that returns no rows (MariaDB does with
//! `mrr=on` and an index on a virtual column). So a look-up asks for a pair that is known to exist, too. If that pair does not
//! come back, and the primary key still has it, the answer is refused.

use std::sync::{Mutex, PoisonError};

use uuid::Uuid;

use super::context::Context;
use crate::caller::{Connection, Values, number_at};
use crate::error::Error;
use crate::failure::{Attempt, Failure, Kind};
use crate::sql::{ALL, hash};

/// How often a look-up is repeated because the pair that it asked for was forgotten.
const LOOKS: u32 = 4;

/// A pair that was in the table when it was last seen.
#[derive(Debug, Default)]
pub(crate) struct Witness(Mutex<Option<(Uuid, u64)>>);

impl Witness {
    pub(super) fn get(&self) -> Option<(Uuid, u64)> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a committed pair.
    pub(super) fn set(&self, pair: Option<(Uuid, u64)>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = pair;
    }
}

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
            let pairs = self.by_hash(connection, uuids, witness).await?;
            let complete = uuids.iter().all(|uuid| pairs.iter().any(|(found, _)| found == uuid));
            let proved = witness.is_some_and(|witness| pairs.contains(&witness));
            if complete || proved || !self.choose_witness(connection).await? {
                return Ok(pairs.into_iter().filter(|(uuid, _)| uuids.binary_search(uuid).is_ok()).collect());
            }
        }
        Err(self.hidden_rows())
    }

    async fn by_hash<C: Connection>(
        &self,
        connection: &mut C,
        uuids: &[Uuid],
        witness: Option<(Uuid, u64)>,
    ) -> Attempt<Vec<(Uuid, u64)>> {
        let mut hashes: Vec<String> = uuids.iter().map(|uuid| hash(*uuid).to_string()).collect();
        hashes.extend(witness.map(|(uuid, _)| hash(uuid).to_string()));
        let (map, list) = (&self.tables.map, hashes.join(","));
        let look = format!("SELECT id, uuid FROM {map} FORCE INDEX (hash) WHERE hash IN ({list}){ALL}");
        let rows = connection.read(look).await?;
        rows.iter().map(|row| Ok((row.uuid(1)?, number_at(row, 0)?))).collect()
    }

    /// Chooses another pair to ask for, after the last one was not found; false where there is none, and a look-up has
    /// nothing to find.
    ///
    /// # Errors
    /// The last one is in the table, so the look-up has missed it.
    pub(super) async fn choose_witness<C: Connection>(&self, connection: &mut C) -> Attempt<bool> {
        let map = &self.tables.map;
        if let Some((uuid, id)) = self.witness.get() {
            let rows = connection.read(format!("SELECT uuid FROM {map} WHERE id = {id}")).await?;
            if rows.first().map(|row| row.uuid(0)).transpose()? == Some(uuid) {
                return Err(self.hidden_rows());
            }
        }
        let latest = format!("SELECT id, uuid FROM {map} ORDER BY id DESC LIMIT 1");
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
             optimizer_switch to its default, and check the index with CHECK TABLE {map} EXTENDED"
        );
        Error::new(Kind::Damaged { problem }).into()
    }
}
