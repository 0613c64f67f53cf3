//! Erasing a UUID: its pair and its claim are deleted, and its id is never used again.
//!
//! The row of the id is kept, with a marker in place of the UUID. The primary key then refuses the id for every other UUID,
//! even if a client holds the id in a block, imports it, or restores an old state row. The marker is computed from the id
//! alone, so it reveals nothing about the UUID.

use uuid::Uuid;

use crate::call::observe::count_call;
use crate::call::retry::Retries;
use crate::claim::context::Context;
use crate::claim::index::dedup;
use crate::connection::nodes::{PooledConnection, Take};
use crate::error::Result;
use crate::error::damaged;
use crate::error::failure::{Attempt, Failure};
use crate::error::numbers::Verdict;
use crate::installed::Index;
use crate::map::uuid_map::{UuidMap, finish};
use crate::statement::caller::Connection;
use crate::statement::sql::literal;
use crate::statement::values::Values;
use crate::table::marker::marker;
use crate::table::marker::refuse_marker;
use crate::table::tables::unquoted;

const ACTION: &str = "forget a UUID";

impl UuidMap {
    /// Erases a UUID, for example because of a privacy request, and returns the id that it had.
    ///
    /// Pair and claim are deleted in one transaction. The id is never assigned again: its row stays, with a marker in place
    /// of the UUID, so that [`uuid_of`](UuidMap::uuid_of) finds nothing and no other UUID can get the id. If the UUID is
    /// mapped again later, it gets a new id.
    ///
    /// This map and its clones drop the pair from their cache at once. Another process may return the id from its
    /// [cache](crate::Builder::cache) until the entry is displaced or the process ends. The UUID also remains in backups,
    /// binary logs and pages that InnoDB has not reused yet: docs/mapping.md says what to do about those.
    ///
    /// ```no_run
    /// # async fn example(map: idgen_mysql::UuidMap, uuid: uuid::Uuid) -> idgen_mysql::Result<()> {
    /// let id = map.id_of(uuid).await?;
    /// assert_eq!(map.forget(uuid).await?, Some(id));
    /// assert_eq!(map.find(uuid).await?, None);
    /// assert_eq!(map.uuid_of(id).await?, None);
    /// assert_ne!(map.id_of(uuid).await?, id);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The server fails for longer than the [timeout](crate::Builder::timeout), the user may not change the
    /// map's rows or delete claims, or the map is on Vitess, where the UUID decides in which shard a row is.
    #[tracing::instrument(level = "debug", skip_all)]
    pub async fn forget(&self, uuid: Uuid) -> Result<Option<u64>> {
        count_call!("forget");
        refuse_marker(uuid)?;
        let context = self.context().await?;
        context.writable("a UUID cannot be forgotten")?;
        let instead = "delete its row by SQL and restart the clients";
        crate::table::sharded::refuse(&context.tables, "forgetting a UUID", instead)?;
        let forgotten = finish(async move { context.forget(uuid).await }).await;
        // Also after an error, because the pair may be deleted.
        self.drop_from_cache(&uuid);
        forgotten
    }
}

impl Context {
    async fn forget(&self, uuid: Uuid) -> Result<Option<u64>> {
        let mut retries = Retries::new(self.deadline);
        let mut perhaps = None;
        loop {
            let mut seen = None;
            match self.forget_once(uuid, &mut seen).await {
                Ok(()) => return Ok(seen.or(perhaps)),
                Err(error) => {
                    // The commit may have happened, and then the next attempt finds nothing.
                    if error.verdict() == Verdict::Unknown {
                        perhaps = seen.or(perhaps);
                    }
                    retries.after(ACTION, error).await?;
                }
            }
        }
    }

    async fn forget_once(&self, uuid: Uuid, seen: &mut Option<u64>) -> Attempt<()> {
        let work = async |connection: &mut PooledConnection| {
            let mut transaction = connection.begin().await?;
            match self.forget_on(&mut self.pool.one_by_one(&mut *transaction), uuid, seen).await {
                Ok(()) => transaction.commit().await.map_err(Failure::of_commit)?,
                Err(error) => {
                    // If this fails, the connection is closed, which ends the transaction, too.
                    if transaction.rollback().await.is_ok() {
                        connection.note_end();
                    }
                    return Err(error);
                }
            }
            connection.note_end();
            Ok(())
        };
        self.pool.attempt(Take::Queued, work).await
    }

    async fn forget_on<C: Connection>(
        &self,
        connection: &mut C,
        uuid: Uuid,
        seen: &mut Option<u64>,
    ) -> Attempt<()> {
        if self.installed.index == Index::Dedup {
            // A client that is creating the pair holds the claim, and later clients wait for ours.
            dedup::claim(self, connection, &[uuid]).await?;
        }
        *seen = match self.installed.index {
            Index::Unique => self.find_one(connection, uuid, " FOR UPDATE").await?,
            // The claim keeps others away.
            Index::Dedup => self.find_proved(connection, &[uuid]).await?.first().map(|(_, id)| *id),
        };
        if seen.is_none() {
            self.has_none_of(connection, &[uuid]).await?;
        }
        if let Some(id) = *seen {
            let (map, erased) = (&self.tables.map, marker(id));
            let erase = format!("UPDATE {map} SET uuid = {} WHERE id = {id}", literal(erased));
            let read = format!("SELECT uuid FROM {map} WHERE id = {id}");
            let (_, rows) = connection.read_after(&[erase], read).await?;
            if rows.first().map(|row| row.uuid(0)).transpose()? != Some(erased) {
                return Err(damaged(format!(
                    "the row of the id {id} in {} was not erased: a trigger changes it; drop the trigger",
                    unquoted(map)
                )));
            }
        }
        if self.installed.index == Index::Dedup {
            let clear = format!("DELETE FROM {} WHERE uuid = {}", self.tables.claim, literal(uuid));
            connection.run_one(&clear).await?;
        }
        Ok(())
    }
}
