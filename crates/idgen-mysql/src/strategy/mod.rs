//! How a pair is claimed. Each strategy answers the same question: the ids of these UUIDs, made where missing.

pub(crate) mod dedup;
mod import;
mod taken;
pub(crate) mod unique;
mod whereabouts;

use std::fmt::Write;
use std::sync::Arc;

use sqlx::mysql::{MySqlConnection, MySqlRow};
use sqlx::{AssertSqlSafe, Executor, Row};
use uuid::Uuid;

use crate::blocks::Blocks;
use crate::error::{Error, Kind};
use crate::failure::{Attempt, Failure, number};
use crate::nodes::{Lease, Nodes};
use crate::patience::Patience;
use crate::retry::Tries;
use crate::schema::{Installed, Strategy, Tables};
use crate::settle::settle;

/// UUIDs in one statement: a quarter of a second of work at most, and some 30 kB of text. MariaDB makes a
/// temporary table of a list of 1,000 or more (`in_predicate_conversion_threshold`), and may then read, and
/// lock, the whole table to join it.
pub(crate) const CHUNK: usize = 999;

/// A locking read: sees the latest committed rows at every isolation level. This spelling is known to both
/// servers.
const SHARED: &str = " LOCK IN SHARE MODE";

const ALL: &str = " LIMIT 18446744073709551615";

/// Fails with 1305 outside a transaction, and also where the server has ended the caller's, as after a deadlock.
/// What follows it in the same text is not carried out then.
const IN_TRANSACTION: &str = "SAVEPOINT idgen_map; RELEASE SAVEPOINT idgen_map;";

/// The failure of a text that begins with [`IN_TRANSACTION`].
fn refused_outside(error: sqlx::Error) -> Error {
    match number(&error) {
        Some(1305) => Error::new(Kind::NotInTransaction),
        _ => Error::once("map a UUID to an id")(error),
    }
}

/// What one call needs of the map.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    pub(crate) pool: Nodes,
    pub(crate) tables: Arc<Tables>,
    pub(crate) installed: Installed,
    pub(crate) blocks: Arc<Blocks>,
    pub(crate) patience: Patience,
    pub(crate) purge: Arc<dedup::Purge>,
    /// Nothing is written.
    pub(crate) read_only: bool,
}

/// A pair, and whether this call made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claimed {
    pub(crate) uuid: Uuid,
    pub(crate) id: u64,
    pub(crate) new: bool,
}

/// Which way to try first. A wrong guess costs a round trip, never the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    Known,
    New,
}

impl Ground {
    /// The same ground for another call.
    pub(crate) fn within(&self, patience: Patience) -> Ground {
        Ground { pool: self.pool.within(patience), patience, ..self.clone() }
    }

    /// Fails where the client writes nothing.
    pub(crate) fn writable(&self, what: &str) -> crate::Result<()> {
        if !self.read_only {
            return Ok(());
        }
        let problem = format!("{what}: this client was opened with read_only");
        Err(Error::new(Kind::Config { problem }))
    }

    /// A locking read, for a look after a duplicate key: it is made where the insert was made, also through a proxy
    /// that sends plain reads to replicas.
    fn where_written(&self) -> &'static str {
        // Vitess has no such proxy before it, and routes both by the same key.
        if self.tables.places.is_none() { SHARED } else { "" }
    }

    /// The map's epoch at this moment, in which ids are taken from here on.
    fn now(&self) -> u64 {
        self.pool.anchor().epoch()
    }

    /// Looks whether the server is as it must be, where that was not done a moment ago: the caller's own connection
    /// is not checked.
    async fn check(&self, action: &'static str) -> crate::Result<()> {
        Tries::run(self.patience, action, || self.pool.acquire()).await.map(drop)
    }

    /// The id of one UUID.
    pub(crate) async fn claim_one(&self, uuid: Uuid, guess: Guess) -> crate::Result<Claimed> {
        match self.installed.strategy {
            Strategy::Unique => unique::claim_one(self, uuid, guess).await,
            Strategy::Dedup => dedup::claim_one(self, uuid, guess).await,
        }
    }

    /// The ids of distinct UUIDs in ascending order, at most [`CHUNK`] of them.
    pub(crate) async fn claim_many(&self, uuids: &[Uuid], guess: Guess) -> crate::Result<Vec<Claimed>> {
        match self.installed.strategy {
            Strategy::Unique if self.tables.places.is_some() => unique::claim_each(self, uuids, guess).await,
            Strategy::Unique => unique::claim_many(self, uuids, guess).await,
            Strategy::Dedup => dedup::claim_many(self, uuids, guess).await,
        }
    }

    /// Ids for new pairs. `None` where too few are left, or the server takes no writes, and nobody has `looked` yet:
    /// UUIDs that have an id keep it, and there may be enough for the others.
    async fn propose(&self, count: usize, looked: bool) -> crate::Result<Option<Vec<u64>>> {
        if !looked && (self.read_only || self.blocks.are_read_only()) {
            return Ok(None);
        }
        self.writable("a UUID without an id cannot get one")?;
        if looked {
            return self.blocks.take(&self.pool, self.patience, count).await.map(Some);
        }
        match self.blocks.take_if_writable(&self.pool, self.patience, count).await {
            Err(error) if error.is_exhausted() || error.is_read_only() => Ok(None),
            ids => ids.map(Some),
        }
    }

    /// True if an attempt to store pairs failed because the server takes no writes, and nobody has `looked` yet: a
    /// UUID that has an id needs no write.
    fn look_instead(&self, failure: &Failure, looked: bool) -> bool {
        let instead = !looked && failure.is_read_only();
        if instead {
            self.blocks.note_read_only();
        }
        instead
    }

    /// Finds pairs as [`look_many`](Ground::look_many) does, in a call of its own, repeated where the server fails
    /// in ways that pass.
    pub(crate) async fn look_up(
        &self,
        action: &'static str,
        uuids: &[Uuid],
    ) -> crate::Result<Vec<(Uuid, u64)>> {
        Tries::run(self.patience, action, async || {
            let mut connection = self.pool.acquire().await?;
            let found = self.pool.timed(self.look_many(&mut connection, uuids, "")).await;
            connection.heed(found)
        })
        .await
    }

    /// Finds pairs that are committed and on disk, in no order, by a statement that commits itself.
    pub(crate) async fn look_many(
        &self,
        connection: &mut Lease,
        uuids: &[Uuid],
        lock: &str,
    ) -> Attempt<Vec<(Uuid, u64)>> {
        let found = self.find_many(connection, uuids, lock).await?;
        if !found.is_empty() {
            self.settled(connection).await?;
        }
        Ok(found)
    }

    /// Finds one pair that is committed and on disk.
    pub(crate) async fn look_one(
        &self,
        connection: &mut Lease,
        uuid: Uuid,
        lock: &str,
    ) -> Attempt<Option<u64>> {
        Ok(self.look_many(connection, &[uuid], lock).await?.first().map(|(_, id)| *id))
    }

    /// Rows of the map that are committed and on disk.
    pub(crate) async fn read_rows(
        &self,
        action: &'static str,
        statement: &str,
    ) -> crate::Result<Vec<MySqlRow>> {
        let read = async |connection: &mut Lease| {
            let rows = connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))).await?;
            if !rows.is_empty() {
                self.settled(connection).await?;
            }
            Ok(rows)
        };
        let look = async || {
            let mut connection = self.pool.acquire().await?;
            let rows = self.pool.timed(read(&mut connection)).await;
            connection.heed(rows)
        };
        Tries::run(self.patience, action, look).await
    }

    /// Waits until all that this connection has read is on disk. It has to be the same connection: over a crash
    /// in between it does not last.
    pub(crate) async fn settled(&self, connection: &mut Lease) -> Attempt<()> {
        if !connection.report().shows_commits_early() {
            return Ok(());
        }
        if self.read_only {
            return Ok(());
        }
        settle(connection, &self.tables.sync).await
    }

    /// Finds committed pairs, in no order.
    pub(crate) async fn find_many(
        &self,
        connection: &mut MySqlConnection,
        uuids: &[Uuid],
        lock: &str,
    ) -> Attempt<Vec<(Uuid, u64)>> {
        let Some((first, rest)) = uuids.split_first() else { return Ok(Vec::new()) };
        // Numbers and hexadecimal digits only: nothing that could be read as anything else.
        let item = |uuid: &Uuid| match self.installed.strategy {
            Strategy::Unique => literal(*uuid),
            Strategy::Dedup => hash(*uuid).to_string(),
        };
        let column = match self.installed.strategy {
            Strategy::Unique => "uuid",
            Strategy::Dedup => "hash",
        };
        // On a map that was just filled MariaDB takes its statistics to be those of an empty table, and reads all
        // of it.
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
        let rows = connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(statement))).await?;
        let mut pairs = Vec::with_capacity(rows.len());
        for row in rows {
            let uuid = uuid_at(&row, 1)?;
            // Two UUIDs may share a hash.
            if uuids.contains_sorted(uuid) {
                pairs.push((uuid, row.try_get(0)?));
            }
        }
        Ok(pairs)
    }

    /// Finds one committed pair.
    pub(crate) async fn find_one(
        &self,
        connection: &mut MySqlConnection,
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

/// `x'...'`, a hexadecimal literal.
pub(crate) fn literal(uuid: Uuid) -> String {
    format!("x'{}'", uuid.simple())
}

/// The server's `CRC32()` of the 16 bytes.
pub(crate) fn hash(uuid: Uuid) -> u32 {
    crc32fast::hash(uuid.as_bytes())
}

/// `(id,x'uuid'),(id,x'uuid')`
pub(crate) fn value_list<'a>(pairs: impl Iterator<Item = (&'a Uuid, &'a u64)>) -> String {
    let mut list = String::new();
    for (uuid, id) in pairs {
        let comma = if list.is_empty() { "" } else { "," };
        // Infallible: a String takes everything.
        let _ = write!(list, "{comma}({id},x'{}')", uuid.simple());
    }
    list
}

/// The UUID in a BINARY(16) column.
pub(crate) fn uuid_at(row: &sqlx::mysql::MySqlRow, column: usize) -> std::result::Result<Uuid, sqlx::Error> {
    let bytes: Vec<u8> = row.try_get(column)?;
    Uuid::from_slice(&bytes).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}
