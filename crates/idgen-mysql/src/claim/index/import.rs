//! Stores pairs with given ids.

use std::collections::HashMap;

use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

use crate::call::observe;
use crate::call::retry::Retries;
use crate::claim::context::Context;
use crate::claim::index::dedup;
use crate::claim::state_row::{lost, same_map};
use crate::connection::nodes::{PooledConnection, Take};
use crate::error::Error;
use crate::error::Result;
use crate::error::damaged;
use crate::error::failure::Kind;
use crate::error::failure::{Attempt, Failure};
use crate::installed::Index;
use crate::statement::caller::Connection;
use crate::statement::sql::value_list;
use crate::statement::values::{Values, number_at};
use crate::table::marker::{is_marker, refuse_marker};
use crate::table::schema::State;

const ACTION: &str = "import pairs";

/// The result of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Pairs that are new in the map.
    pub stored: usize,
    /// Pairs that existed already with the same id.
    pub present: usize,
}

impl Context {
    /// Stores all pairs of a group or none.
    pub(crate) async fn import(&self, pairs: &[(u64, Uuid)]) -> Result<Imported> {
        let instead = "its sequence cannot be raised above the imported ids in one step with storing them";
        crate::table::sharded::refuse(&self.tables, "an import", instead)?;
        self.writable("nothing can be imported")?;
        let group = self.check_group(pairs)?;
        self.refuse_exhaustion(&group).await?;
        // Warns before the ids are used up.
        group.iter().for_each(|(_, id)| self.blocks.warn_of_width(*id));
        let mut retries = Retries::new(self.deadline);
        loop {
            match self.import_once(&group).await {
                Ok(imported) => return Ok(imported),
                // Another client stored one of the UUIDs or ids meanwhile, so the group is compared again.
                Err(failure) if failure.is_duplicate_key() => retries.pass_over(ACTION, failure)?,
                Err(failure) => retries.after(ACTION, failure).await?,
            }
        }
    }

    /// The pairs by UUID, in ascending order, without repeats.
    fn check_group(&self, pairs: &[(u64, Uuid)]) -> Result<Vec<(Uuid, u64)>> {
        pairs.iter().try_for_each(|(_, uuid)| refuse_marker(*uuid))?;
        let max = self.installed.width.max_id();
        let mut by_id = HashMap::new();
        let mut by_uuid = HashMap::new();
        for (id, uuid) in pairs {
            if !(1..=max).contains(id) {
                return Err(conflict(*uuid, *id, format!("ids of this map are 1 to {max}")));
            }
            if let Some(other) = by_id.insert(*id, *uuid).filter(|other| other != uuid) {
                return Err(conflict(*uuid, *id, format!("the import gives this id to {other} too")));
            }
            if let Some(other) = by_uuid.insert(*uuid, *id).filter(|other| other != id) {
                return Err(conflict(*uuid, *id, format!("the import gives this UUID the id {other} too")));
            }
        }
        let mut group: Vec<(Uuid, u64)> = by_uuid.into_iter().collect();
        group.sort_unstable();
        Ok(group)
    }

    /// Refuses an id that would leave too few ids, unless the map's next id is as large already.
    async fn refuse_exhaustion(&self, group: &[(Uuid, u64)]) -> Result<()> {
        let Some((uuid, id)) = group.iter().copied().max_by_key(|(_, id)| *id) else { return Ok(()) };
        let width = self.installed.width;
        if self.allow_exhausting_import || observe::share_to_warn_at(id, width) != Some(95) {
            return Ok(());
        }
        let next = format!("SELECT next_id FROM {} WHERE one = 1", self.tables.state);
        let read = || self.pool.fetch_one(sqlx::raw_sql(AssertSqlSafe(next.clone())));
        let row = Retries::run(self.deadline, ACTION, read).await?;
        let next: u64 = row.try_get(0).map_err(Error::once(ACTION))?;
        if id < next { Ok(()) } else { Err(Error::new(Kind::Exhausting { uuid, id, width })) }
    }

    async fn import_once(&self, group: &[(Uuid, u64)]) -> Attempt<Imported> {
        let import = async |connection: &mut PooledConnection| self.import_on(connection, group).await;
        self.pool.attempt(Take::Queued, import).await
    }

    async fn import_on(&self, connection: &mut PooledConnection, group: &[(Uuid, u64)]) -> Attempt<Imported> {
        let mut transaction = connection.begin().await?;
        let result = self.store_given(&mut self.pool.one_by_one(&mut *transaction), group).await;
        match &result {
            Ok(done) => {
                transaction.commit().await.map_err(Failure::of_commit)?;
                connection.note_end();
                if done.present > 0 {
                    self.settled(connection).await?;
                }
            }
            // Nothing of the group is stored. An error of the rollback would only hide the cause.
            _ => {
                if transaction.rollback().await.is_ok() {
                    connection.note_end();
                }
            }
        }
        result
    }

    async fn store_given<C: Connection>(
        &self,
        connection: &mut C,
        group: &[(Uuid, u64)],
    ) -> Attempt<Imported> {
        let uuids: Vec<Uuid> = group.iter().map(|(uuid, _)| *uuid).collect();
        if self.installed.index == Index::Dedup {
            dedup::claim(self, connection, &uuids).await?;
        }
        let present: HashMap<Uuid, u64> = self.find_many(connection, &uuids, "").await?.into_iter().collect();
        let mut missing = Vec::new();
        for (uuid, id) in group {
            match present.get(uuid) {
                Some(found) if found == id => {}
                Some(found) => {
                    return Err(conflict(*uuid, *id, format!("the map has the id {found} for it")).into());
                }
                None => missing.push((*uuid, *id)),
            }
        }
        if self.installed.index == Index::Dedup {
            // No key refuses a second id.
            let uuids: Vec<Uuid> = missing.iter().map(|(uuid, _)| *uuid).collect();
            self.has_none_of(connection, &uuids).await?;
        }
        if missing.is_empty() {
            return Ok(Imported { stored: 0, present: group.len() });
        }
        let list: Vec<String> = missing.iter().map(|(_, id)| id.to_string()).collect();
        let map = &self.tables.map;
        let taken = format!("SELECT id, uuid FROM {map} WHERE id IN ({})", list.join(","));
        for row in connection.read(taken).await? {
            let (id, other) = (number_at(&row, 0)?, row.uuid(1)?);
            if let Some((uuid, _)) = missing.iter().find(|(_, wanted)| *wanted == id) {
                let holder =
                    if is_marker(other) { "a UUID that was forgotten".to_owned() } else { other.to_string() };
                return Err(conflict(*uuid, id, format!("the map has this id for {holder}")).into());
            }
        }
        let values = value_list(missing.iter().map(|(uuid, id)| (uuid, id)));
        let insert = format!("INSERT INTO {map} (id, uuid) VALUES {values}");
        if self.installed.index == Index::Dedup {
            // The look-up must find exactly the rows that were stored, as in every claim.
            let uuids: Vec<Uuid> = missing.iter().map(|(uuid, _)| *uuid).collect();
            let look = self.look_text(&uuids, "");
            let (_, rows) = connection.read_after(&[insert], look).await?;
            if !self.older_than(&missing, &Context::pairs_of(&rows, &uuids)?)?.is_empty() {
                return Err(self.hidden_rows());
            }
        } else {
            connection.run_one(&insert).await?;
        }
        self.prove(connection, &missing, "").await?;
        self.raise(connection, group).await?;
        Ok(Imported { stored: missing.len(), present: group.len() - missing.len() })
    }

    /// Raises the next id: reservations after this commit are above the imported ids. A group that is refused raises
    /// nothing. It comes last, since an insert may have to wait for another client's transaction, and clients that
    /// reserve ids would wait behind it.
    async fn raise<C: Connection>(&self, connection: &mut C, group: &[(Uuid, u64)]) -> Attempt<()> {
        let Some(largest) = group.iter().map(|(_, id)| *id).max() else { return Ok(()) };
        let (next, state, map) = (largest + 1, &self.tables.state, &self.tables.map);
        // An id that the row names must be there, before the row names one of this group.
        let stored = format!(
            "stored_id = IF(stored_id = 0 OR EXISTS (SELECT 1 FROM {map} AS held WHERE held.id = {state}.stored_id), \
             GREATEST(stored_id, {largest}), stored_id)"
        );
        // It locks the row also where nothing is raised: a client that gives unused ids back looks for imported
        // ones under the same lock.
        let same = same_map(&self.pool, self.now());
        let raise =
            format!("UPDATE {state} SET next_id = GREATEST(next_id, {next}), {stored} WHERE one = 1{same}");
        let read = format!("SELECT * FROM {state} WHERE one = 1");
        let (changed, rows) = connection.read_after(&[raise], read).await?;
        let found = rows.first().map(State::of_row).transpose()?;
        let lost = match &found {
            Some(state) if !self.pool.accept_unsafe() => lost(connection, map, state, "").await?,
            _ => None,
        };
        if let Some(problem) = lost {
            return Err(damaged(problem));
        }
        let stored = found.map(|state| state.next_id);
        if changed == 1 && stored.is_some_and(|stored| stored >= next) {
            return Ok(());
        }
        if changed == 0 {
            return Err(Failure::Contradicted("the state row was not the one that this client knew"));
        }
        let stored = stored.unwrap_or(0);
        Err(damaged(format!(
            "an import raised next_id in {state} to {next}, and then it was {stored}: a trigger or a view changes what is \
             stored there; remove it"
        )))
    }
}

fn conflict(uuid: Uuid, id: u64, detail: String) -> Error {
    Error::new(Kind::Conflict { uuid, id, detail })
}
