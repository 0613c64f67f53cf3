//! The context of one call, and how it finds pairs.

use std::sync::Arc;

use sqlx::mysql::MySqlRow;
use sqlx::{AssertSqlSafe, Executor};
use uuid::Uuid;

use crate::call::deadline::Deadline;
use crate::call::retry::Retries;
use crate::claim::blocks::{Blocks, ReadOnly};
use crate::claim::memory::KnownPlaces;
use crate::claim::memory::Proof;
use crate::claim::memory::Witness;
use crate::claim::purge::Purge;
use crate::connection::nodes::{Nodes, PooledConnection, Take};
use crate::connection::settle::{POSITIONS, Positions, positions_in, settle};
use crate::error::failure::{Attempt, Failure, Kind};
use crate::error::{Error, Result};
use crate::installed::{Index, Installed};
use crate::statement::caller::Connection;
use crate::statement::sql::{ALL, SHARED, WITH_SETTINGS, hash, literal};
use crate::statement::values::{Values, number_at};
use crate::table::tables::Tables;

/// The action that errors of a claim name.
pub(crate) const ACTION: &str = "map a UUID to an id";

/// The context of one call.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) pool: Nodes,
    pub(crate) tables: Arc<Tables>,
    pub(crate) installed: Installed,
    pub(crate) blocks: Arc<Blocks>,
    pub(crate) deadline: Deadline,
    pub(crate) purge: Arc<Purge>,
    pub(crate) known_places: Arc<KnownPlaces>,
    pub(crate) witness: Arc<Witness>,
    pub(crate) proof: Arc<Proof>,
    /// True if the client writes nothing.
    pub(crate) read_only: bool,
    /// True if imports may use up the ids.
    pub(crate) allow_exhausting_import: bool,
}

impl Context {
    /// Returns this context with the deadline of another call.
    pub(crate) fn within(&self, deadline: Deadline) -> Context {
        Context { pool: self.pool.within(deadline), deadline, ..self.clone() }
    }

    /// Fails if the client was opened with `read_only`.
    pub(crate) fn writable(&self, what: &str) -> Result<()> {
        if !self.read_only {
            return Ok(());
        }
        let problem = format!("{what}: this client was opened with read_only");
        Err(Error::new(Kind::Config { problem }))
    }

    /// The clause of a locking read, for the look-up after a duplicate key. A proxy that sends plain reads to replicas sends
    /// locking reads to the server of the insert.
    pub(super) fn where_written(&self) -> &'static str {
        // Vitess has no such proxy before it, and routes both by the same key.
        if self.tables.places.is_none() { SHARED } else { "" }
    }

    /// The map's epoch at this moment, in which ids are taken from here on.
    pub(super) fn now(&self) -> u64 {
        self.pool.identity().epoch()
    }

    /// Ids for new pairs. `None` where too few are left, or the server takes no writes, and nobody has `looked` yet:
    /// UUIDs that have an id keep it, and there may be enough for the others.
    pub(super) async fn propose(&self, count: usize, looked: bool) -> Result<Option<Vec<u64>>> {
        if !looked && (self.read_only || self.blocks.are_read_only()) {
            return Ok(None);
        }
        self.writable("a UUID without an id cannot get one")?;
        if looked {
            return self.blocks.take(&self.pool, self.deadline, count).await.map(Some);
        }
        match self.blocks.take_or(&self.pool, self.deadline, count, ReadOnly::Fail).await {
            Err(error) if error.is_exhausted() || error.is_read_only() => Ok(None),
            ids => ids.map(Some),
        }
    }

    /// True if an attempt to store pairs failed because the server takes no writes, and nobody has `looked` yet: a
    /// UUID that has an id needs no write.
    pub(super) fn look_instead(&self, failure: &Failure, looked: bool) -> bool {
        let instead = !looked && failure.is_read_only();
        if instead {
            self.blocks.note_read_only();
        }
        instead
    }

    /// Finds pairs as [`look_many`](Context::look_many) does, in a call of its own, repeated where the server fails
    /// in ways that pass.
    pub(crate) async fn look_up(&self, action: &'static str, uuids: &[Uuid]) -> Result<Vec<(Uuid, u64)>> {
        Retries::run(self.deadline, action, async || {
            let look = async |connection: &mut PooledConnection| self.look_many(connection, uuids, "").await;
            self.pool.attempt(Take::AtOnce, look).await
        })
        .await
    }

    /// Finds pairs that are committed and on disk, in no order, by a statement that commits itself.
    pub(crate) async fn look_many(
        &self,
        connection: &mut PooledConnection,
        uuids: &[Uuid],
        lock: &str,
    ) -> Attempt<Vec<(Uuid, u64)>> {
        let (found, positions) = match self.installed.index {
            Index::Dedup if uuids.len() > 1 => (self.find_proved(&mut **connection, uuids).await?, None),
            _ if self.settles(connection) => self.find_with_positions(connection, uuids, lock).await?,
            _ => (self.find_many(&mut **connection, uuids, lock).await?, None),
        };
        if let Some(pair) = found.first() {
            self.witness.set(Some(*pair));
        }
        if !found.is_empty() && self.settles(connection) {
            settle(connection, &self.tables.sync, positions).await?;
        }
        Ok(found)
    }

    /// Finds pairs, and reads in the same round trip how far the server's log was on disk after that.
    async fn find_with_positions(
        &self,
        connection: &mut PooledConnection,
        uuids: &[Uuid],
        lock: &str,
    ) -> Attempt<(Vec<(Uuid, u64)>, Option<Positions>)> {
        if uuids.is_empty() {
            return Ok((Vec::new(), None));
        }
        let rows = connection.read(format!("{}; {POSITIONS}", self.look_text(uuids, lock))).await?;
        let of_pairs = rows.iter().take_while(|row| !row.has("Variable_name")).count();
        let (pairs, positions) = rows.split_at(of_pairs);
        Ok((Self::pairs_of(pairs, uuids)?, positions_in(positions)?))
    }

    /// Returns true if rows that this connection reads may not be on disk yet, and the client has to wait for them.
    fn settles(&self, connection: &PooledConnection) -> bool {
        connection.report().shows_commits_early() && !self.read_only
    }

    /// Finds one pair that is committed and on disk.
    pub(crate) async fn look_one(
        &self,
        connection: &mut PooledConnection,
        uuid: Uuid,
        lock: &str,
    ) -> Attempt<Option<u64>> {
        Ok(self.look_many(connection, &[uuid], lock).await?.first().map(|(_, id)| *id))
    }

    /// Rows of the map that are committed and on disk.
    pub(crate) async fn read_rows(&self, action: &'static str, statement: &str) -> Result<Vec<MySqlRow>> {
        let read = async |connection: &mut PooledConnection| {
            let rows = connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))).await?;
            if !rows.is_empty() {
                self.settled(connection).await?;
            }
            Ok(rows)
        };
        let look = || self.pool.attempt(Take::AtOnce, read);
        Retries::run(self.deadline, action, look).await
    }

    /// Waits until everything that this connection has read is on disk. It must be the same connection, which does not survive
    /// a crash in between.
    pub(crate) async fn settled(&self, connection: &mut PooledConnection) -> Attempt<()> {
        if self.settles(connection) { settle(connection, &self.tables.sync, None).await } else { Ok(()) }
    }

    /// Finds committed pairs, in no order.
    pub(crate) async fn find_many<C: Connection>(
        &self,
        connection: &mut C,
        uuids: &[Uuid],
        lock: &str,
    ) -> Attempt<Vec<(Uuid, u64)>> {
        if uuids.is_empty() {
            return Ok(Vec::new());
        }
        let rows = connection.read(self.look_text(uuids, lock)).await?;
        Self::pairs_of(&rows, uuids)
    }

    /// The statement that looks UUIDs up, at least one.
    pub(super) fn look_text(&self, uuids: &[Uuid], lock: &str) -> String {
        // The list has only numbers and hexadecimal digits, so it needs no quoting.
        let item = |uuid: &Uuid| match self.installed.index {
            Index::Unique => literal(*uuid),
            Index::Dedup => hash(*uuid).to_string(),
        };
        let column = match self.installed.index {
            Index::Unique => "uuid",
            Index::Dedup => "hash",
        };
        // On a map that was just filled, MariaDB's statistics are still those of an empty table, and it would read the
        // whole table. A locking read of the whole table waits for every open transaction with a new pair.
        let index = match self.installed.index {
            Index::Unique if lock.is_empty() => "",
            Index::Unique => " FORCE INDEX (uuid)",
            Index::Dedup => " FORCE INDEX (hash)",
        };
        let prefix = if lock.is_empty() { "" } else { WITH_SETTINGS };
        let mut statement =
            format!("{prefix}SELECT id, uuid FROM {}{index} WHERE {column} IN (", self.tables.map);
        for (at, uuid) in uuids.iter().enumerate() {
            if at > 0 {
                statement.push(',');
            }
            statement.push_str(&item(uuid));
        }
        statement.push(')');
        // A limit of its own overrides `sql_select_limit` of a caller's connection.
        if self.tables.places.is_none() {
            statement.push_str(ALL);
        }
        statement.push_str(lock);
        statement
    }

    /// The pairs in the answer to such a statement. `uuids` are in ascending order.
    pub(super) fn pairs_of<R: Values>(rows: &[R], uuids: &[Uuid]) -> Attempt<Vec<(Uuid, u64)>> {
        let mut pairs = Vec::with_capacity(rows.len());
        for row in rows {
            let uuid = row.uuid(1)?;
            // Two UUIDs may share a hash.
            if uuids.binary_search(&uuid).is_ok() {
                pairs.push((uuid, number_at(row, 0)?));
            }
        }
        Ok(pairs)
    }

    /// The pairs that these UUIDs had before `new` were stored, by what a look-up found afterwards; one for each UUID, in
    /// ascending order.
    ///
    /// # Errors
    /// The look-up did not find what was just stored.
    pub(super) fn older_than(&self, new: &[(Uuid, u64)], found: &[(Uuid, u64)]) -> Attempt<Vec<(Uuid, u64)>> {
        let mut found = found.to_vec();
        found.sort_unstable();
        if new.iter().any(|pair| found.binary_search(pair).is_err()) {
            return Err(self.hidden_rows());
        }
        found.retain(|pair| new.binary_search(pair).is_err());
        found.dedup_by_key(|(uuid, _)| *uuid);
        Ok(found)
    }

    /// Finds one committed pair.
    pub(crate) async fn find_one<C: Connection>(
        &self,
        connection: &mut C,
        uuid: Uuid,
        lock: &str,
    ) -> Attempt<Option<u64>> {
        Ok(self.find_many(connection, &[uuid], lock).await?.first().map(|(_, id)| *id))
    }
}
