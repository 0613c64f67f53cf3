//! The context of one call, and how it finds pairs.

use std::sync::Arc;

use sqlx::mysql::MySqlRow;
use sqlx::{AssertSqlSafe, Executor};
use uuid::Uuid;

use crate::blocks::Blocks;
use crate::caller::{Connection, Values, number_at};
use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::failure::{Attempt, Failure, Kind};
use crate::installed::{Installed, Strategy};
use crate::nodes::{Nodes, PooledConnection};
use crate::retry::Retries;
use crate::schema;
use crate::server::Refusal;
use crate::session::{ELSEWHERE, elsewhere};
use crate::settle::settle;
use crate::sql::{ALL, IN_TRANSACTION, SHARED, hash, literal};
use crate::strategy::purge::Purge;
use crate::tables::Tables;

/// The context of one call.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) pool: Nodes,
    pub(crate) tables: Arc<Tables>,
    pub(crate) installed: Installed,
    pub(crate) blocks: Arc<Blocks>,
    pub(crate) deadline: Deadline,
    pub(crate) purge: Arc<Purge>,
    /// Whether the client writes nothing.
    pub(crate) read_only: bool,
    /// Whether imports may use up the ids.
    pub(crate) allow_exhausting_import: bool,
}

impl Context {
    /// The same context for another call.
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

    /// Checks the server if that was not done a moment ago, because the caller's own connection is not checked. The
    /// result names the server and the schema.
    pub(super) async fn check(&self, action: &'static str) -> Result<Option<String>> {
        let connection = Retries::run(self.deadline, action, || self.pool.acquire()).await?;
        Ok(connection.seen().server_and_schema.clone())
    }

    /// Carries out a statement on the caller's connection, which must be in a transaction and lead to this map.
    /// `server_and_schema` is what [`check`](Context::check) gave.
    pub(super) async fn execute_within<C: Connection>(
        &self,
        connection: &mut C,
        server_and_schema: Option<&str>,
        statement: &str,
    ) -> Attempt<u64> {
        let mut checks = IN_TRANSACTION.map(str::to_owned).to_vec();
        if let Some(name) = server_and_schema {
            checks.push(elsewhere(name));
            match connection.execute_after(&checks, statement).await {
                Err(failure) if failure.number() == Some(ELSEWHERE) => {}
                done => return done.map_err(outside),
            }
            checks.pop();
        }
        // Another node of a cluster, which holds the same map, or another map.
        let state = schema::state(connection, &self.tables).await?;
        match self.pool.identity().epoch_of(state.as_ref()) {
            Ok(Some(epoch)) if epoch != self.now() => return Err(Failure::OtherEpoch),
            Ok(_) => {}
            Err(reason) => {
                let server = "the caller's connection".to_owned();
                return Err(Failure::Refused(Box::new(Refusal { server, reason, elsewhere: false })));
            }
        }
        connection.execute_after(&checks, statement).await.map_err(outside)
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
        match self.blocks.take_if_writable(&self.pool, self.deadline, count).await {
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
            let mut connection = self.pool.acquire().await?;
            let found = self.pool.timed(self.look_many(&mut connection, uuids, "")).await;
            connection.conclude(found)
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
        let found = self.find_many(&mut **connection, uuids, lock).await?;
        if !found.is_empty() {
            self.settled(connection).await?;
        }
        Ok(found)
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
        let look = async || {
            let mut connection = self.pool.acquire().await?;
            let rows = self.pool.timed(read(&mut connection)).await;
            connection.conclude(rows)
        };
        Retries::run(self.deadline, action, look).await
    }

    /// Waits until everything that this connection has read is on disk. It must be the same connection, which does not survive
    /// a crash in between.
    pub(crate) async fn settled(&self, connection: &mut PooledConnection) -> Attempt<()> {
        if !connection.report().shows_commits_early() {
            return Ok(());
        }
        if self.read_only {
            return Ok(());
        }
        settle(connection, &self.tables.sync).await
    }

    /// Finds committed pairs, in no order.
    pub(crate) async fn find_many<C: Connection>(
        &self,
        connection: &mut C,
        uuids: &[Uuid],
        lock: &str,
    ) -> Attempt<Vec<(Uuid, u64)>> {
        let Some((first, rest)) = uuids.split_first() else { return Ok(Vec::new()) };
        // The list has only numbers and hexadecimal digits, so it needs no quoting.
        let item = |uuid: &Uuid| match self.installed.strategy {
            Strategy::Unique => literal(*uuid),
            Strategy::Dedup => hash(*uuid).to_string(),
        };
        let column = match self.installed.strategy {
            Strategy::Unique => "uuid",
            Strategy::Dedup => "hash",
        };
        // On a map that was just filled, MariaDB's statistics are still those of an empty table, and it would read the
        // whole table.
        let index = match self.installed.strategy {
            Strategy::Unique => "",
            Strategy::Dedup => " FORCE INDEX (hash)",
        };
        let mut statement =
            format!("SELECT id, uuid FROM {}{index} WHERE {column} IN ({}", self.tables.map, item(first));
        for uuid in rest {
            statement.push(',');
            statement.push_str(&item(uuid));
        }
        statement.push(')');
        // A limit of its own overrides `sql_select_limit` of a caller's connection.
        if self.tables.places.is_none() {
            statement.push_str(ALL);
        }
        statement.push_str(lock);
        let rows = connection.read(statement).await?;
        let mut pairs = Vec::with_capacity(rows.len());
        for row in rows {
            let uuid = row.uuid(1)?;
            // Two UUIDs may share a hash.
            if uuids.contains_sorted(uuid) {
                pairs.push((uuid, number_at(&row, 0)?));
            }
        }
        Ok(pairs)
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

trait ContainsSorted {
    fn contains_sorted(&self, uuid: Uuid) -> bool;
}

impl ContainsSorted for [Uuid] {
    fn contains_sorted(&self, uuid: Uuid) -> bool {
        self.binary_search(&uuid).is_ok()
    }
}

/// The failure of a statement after [`IN_TRANSACTION`].
fn outside(failure: Failure) -> Failure {
    match failure.number() {
        Some(1305) => Error::new(Kind::NotInTransaction).into(),
        _ => failure,
    }
}
