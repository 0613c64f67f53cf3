//! Strategy `dedup`: the primary key of a small table of claims decides, and the map itself carries only an
//! index on a 32-bit hash.
//!
//! A new pair takes one transaction at READ COMMITTED: claim the UUID, then look it up, then store it. The
//! order is the point. A second client's claim waits for the first one's transaction to end; once it holds
//! the claim, or sees that somebody else committed one, every committed pair of that UUID is visible to its
//! look-up. So a committed claim has done its work and may be deleted at any time, by anybody, and no clock
//! has a say. Looking up before claiming, as the published design does, lets two clients both find nothing.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor};
use uuid::Uuid;

use super::taken::TakenIds;
use super::whereabouts::look;
use super::{
    CHUNK, Claimed, Ground, Guess, IN_TRANSACTION, SHARED, literal, refused_outside, uuid_at, value_list,
};
use crate::error::{Error, Kind, Result};
use crate::failure::{Attempt, Failure, Verdict};
use crate::nodes::{Lease, Nodes};
use crate::observe;
use crate::patience::Patience;
use crate::retry::Tries;

const ACTION: &str = "map a UUID to an id";

/// Sent as one text: a pooled connection may have any isolation level set.
pub(crate) const BEGIN: &str = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; START TRANSACTION";

/// Claims made by this client between two rounds of clearing away.
const PURGE_EVERY: u64 = 2000;

pub(super) async fn claim_one(ground: &Ground, uuid: Uuid, guess: Guess) -> Result<Claimed> {
    let claimed = claim_many(ground, &[uuid], guess).await?;
    claimed.into_iter().next().ok_or_else(|| {
        Error::new(Kind::Damaged { problem: format!("no id for {uuid} although it was claimed") })
    })
}

pub(super) async fn claim_many(ground: &Ground, uuids: &[Uuid], mut guess: Guess) -> Result<Vec<Claimed>> {
    let mut tries = Tries::new(ground.patience);
    let mut taken = TakenIds::default();
    let mut unclear: Vec<u64> = Vec::new();
    let mut claimed = Vec::with_capacity(uuids.len());
    let mut missing = uuids.to_vec();
    let mut looked = false;
    loop {
        if guess == Guess::Known {
            let found = ground.look_up(ACTION, &missing).await?;
            missing.retain(|uuid| !found.iter().any(|(known, _)| known == uuid));
            claimed.extend(found.into_iter().map(|(uuid, id)| Claimed {
                uuid,
                id,
                new: unclear.contains(&id),
            }));
            (guess, looked) = (Guess::New, true);
        }
        if missing.is_empty() {
            return Ok(claimed);
        }
        let epoch = ground.now();
        let Some(ids) = ground.propose(missing.len(), looked).await? else {
            guess = Guess::Known;
            continue;
        };
        match transact(ground, epoch, &missing, &ids).await {
            Ok(pairs) => {
                let made = |id: &u64| ids.contains(id) || unclear.contains(id);
                let used: Vec<u64> = pairs.iter().map(|(_, id)| *id).collect();
                let unused = ids.iter().copied().filter(|id| !used.contains(id));
                ground.blocks.give_back(epoch, unused);
                claimed.extend(pairs.iter().map(|(uuid, id)| Claimed {
                    uuid: *uuid,
                    id: *id,
                    new: made(id),
                }));
                ground.purge.after(ground, pairs.len() as u64);
                return Ok(claimed);
            }
            // One of the ids, at least, is in the map with another UUID, after an import.
            Err(error) if error.is_duplicate_key() => taken.pass_over(ground, ids[0], ids.len())?,
            Err(error) => {
                match error.verdict() {
                    Verdict::Unknown => {
                        observe::burned(ids.len() as u64);
                        unclear.extend(ids);
                    }
                    Verdict::Undone | Verdict::Final => ground.blocks.give_back(epoch, ids),
                }
                if ground.look_instead(&error, looked) {
                    guess = Guess::Known;
                    continue;
                }
                tries.after(ACTION, error).await?;
            }
        }
    }
}

/// One transaction: claim, look up, store.
async fn transact(ground: &Ground, epoch: u64, uuids: &[Uuid], ids: &[u64]) -> Attempt<Vec<(Uuid, u64)>> {
    let mut connection = ground.pool.acquire_in(epoch).await?;
    let result = ground.pool.timed(transact_on(ground, &mut connection, uuids, ids)).await;
    connection.heed(result)
}

async fn transact_on(
    ground: &Ground,
    connection: &mut Lease,
    uuids: &[Uuid],
    ids: &[u64],
) -> Attempt<Vec<(Uuid, u64)>> {
    let mut transaction = connection.begin_with(BEGIN).await?;
    let pairs = match store(ground, &mut transaction, uuids, ids).await {
        Ok(pairs) => pairs,
        Err(error) => {
            // The server may have ended it already; what counts is that nothing stays open.
            let _ = transaction.rollback().await;
            return Err(error);
        }
    };
    transaction.commit().await.map_err(Failure::of_commit)?;
    if pairs.iter().any(|(_, id)| !ids.contains(id)) {
        // Committed by now: whatever goes wrong, the ids are in use.
        let settled = ground.settled(connection).await;
        settled.map_err(|failure| Failure::CommitUnanswered(Box::new(failure)))?;
    }
    Ok(pairs)
}

async fn store(
    ground: &Ground,
    connection: &mut MySqlConnection,
    uuids: &[Uuid],
    ids: &[u64],
) -> Attempt<Vec<(Uuid, u64)>> {
    claim(ground, connection, uuids).await?;
    let mut pairs = ground.find_many(connection, uuids, "").await?;
    let absent: Vec<Uuid> =
        uuids.iter().copied().filter(|uuid| !pairs.iter().any(|(known, _)| known == uuid)).collect();
    if !absent.is_empty() {
        insert(ground, connection, &absent, ids).await?;
        pairs.extend(absent.into_iter().zip(ids.iter().copied()));
    }
    Ok(pairs)
}

/// A claim that is there already may have no pair: somebody deleted the pair, or its transaction was committed
/// without one. So it is claimed again by changing it, which locks it exclusively, and which a cluster certifies
/// against the same change on another node.
fn claim_text(ground: &Ground, uuids: &[Uuid]) -> String {
    let list: Vec<String> = uuids.iter().map(|uuid| format!("({})", literal(*uuid))).collect();
    let (table, list) = (&ground.tables.claim, list.join(","));
    format!("INSERT INTO {table} (uuid) VALUES {list} ON DUPLICATE KEY UPDATE turn = 1 - turn")
}

pub(crate) async fn claim(ground: &Ground, connection: &mut MySqlConnection, uuids: &[Uuid]) -> Attempt<()> {
    let claim = claim_text(ground, uuids);
    Ok(connection.execute(sqlx::raw_sql(AssertSqlSafe(claim))).await.map(drop)?)
}

async fn insert(
    ground: &Ground,
    connection: &mut MySqlConnection,
    uuids: &[Uuid],
    ids: &[u64],
) -> Attempt<()> {
    let list = value_list(uuids.iter().zip(ids));
    let insert = format!("INSERT INTO {} (id, uuid) VALUES {list}", ground.tables.map);
    Ok(connection.execute(sqlx::raw_sql(AssertSqlSafe(insert))).await.map(drop)?)
}

/// Inside the caller's transaction, whose isolation level and snapshot are the caller's.
///
/// With the claim held, the pair is looked for twice: by the caller's connection, which sees what its own
/// transaction made, and by another one, which sees everything committed on its server. That has to be the
/// caller's server: another node of a cluster may lag behind it, and where the pair was committed before this
/// transaction claimed, no certification tells the two inserts apart. When the other connection is elsewhere
/// a locking read of the caller's decides. It would do in any case, but at REPEATABLE READ it locks a gap of
/// the hash index, where the inserts of two such readers deadlock. An id that was found is confirmed by a locking read
/// of its row, unless the other connection found it on the caller's server.
pub(crate) async fn claim_within(
    ground: &Ground,
    connection: &mut MySqlConnection,
    uuid: Uuid,
) -> Result<Claimed> {
    ground.check(ACTION).await?;
    let claim = format!("{IN_TRANSACTION} {}", claim_text(ground, &[uuid]));
    connection.execute(sqlx::raw_sql(AssertSqlSafe(claim))).await.map_err(refused_outside)?;
    let here = look(ground, connection, uuid).await.map_err(Error::once(ACTION))?;
    let mut found = stored_here(ground, connection, uuid, here.id).await?;
    if found.is_none() {
        let there = Tries::run(ground.patience, ACTION, async || {
            let mut other = ground.pool.acquire().await?;
            let there = ground.pool.timed(look(ground, &mut other, uuid)).await;
            match other.heed(there) {
                Ok(there) => Ok(Some(there)),
                // The table is about to be altered, which waits for the caller's transaction.
                Err(failure) if failure.number() == Some(1205) => Ok(None),
                Err(failure) => Err(failure),
            }
        })
        .await?;
        let same = there.as_ref().is_some_and(|there| there.server == here.server);
        found = there.and_then(|there| there.id);
        if !same {
            found = stored_here(ground, connection, uuid, found).await?;
            if found.is_none() {
                found = ground.find_one(connection, uuid, SHARED).await.map_err(Error::once(ACTION))?;
            }
        }
    }
    if let Some(id) = found {
        return Ok(Claimed { uuid, id, new: false });
    }
    // This claim is cleared away in a later round, after its commit.
    ground.purge.after(ground, 1);
    let mut taken = TakenIds::default();
    loop {
        let id = ground.blocks.take(&ground.pool, ground.patience, 1).await?[0];
        match insert(ground, connection, &[uuid], &[id]).await {
            Ok(()) => return Ok(Claimed { uuid, id, new: true }),
            Err(error) if error.is_duplicate_key() => taken.pass_over(ground, id, 1)?,
            Err(error) => return Err(Error::once(ACTION)(error)),
        }
    }
}

/// The id, if its row holds the UUID at this moment: a pair in an old snapshot, or on a node that lags behind, may have
/// been forgotten since. The claim keeps it from being forgotten from here on. The read locks one row, and no gap.
async fn stored_here(
    ground: &Ground,
    connection: &mut MySqlConnection,
    uuid: Uuid,
    id: Option<u64>,
) -> Result<Option<u64>> {
    let Some(id) = id else { return Ok(None) };
    let read = format!("SELECT uuid FROM {} WHERE id = {id}{SHARED}", ground.tables.map);
    let row = connection.fetch_optional(sqlx::raw_sql(AssertSqlSafe(read))).await;
    let row = row.map_err(Error::once(ACTION))?;
    let stored = row.map(|row| uuid_at(&row, 0)).transpose().map_err(Error::once(ACTION))?;
    Ok((stored == Some(uuid)).then_some(id))
}

/// Clears committed claims away, now and then, beside the calls.
#[derive(Debug)]
pub(crate) struct Purge {
    claims: AtomicU64,
    made: AtomicBool,
    running: Arc<AtomicBool>,
}

impl Default for Purge {
    /// Clients that end after a few claims clear away as many as one that goes on: one in so many is the first to
    /// reach the number.
    fn default() -> Purge {
        Purge {
            claims: AtomicU64::new(fastrand::u64(0..PURGE_EVERY)),
            made: AtomicBool::new(false),
            running: Arc::default(),
        }
    }
}

impl Purge {
    fn after(&self, ground: &Ground, made: u64) {
        self.made.store(true, Ordering::Relaxed);
        if self.claims.fetch_add(made, Ordering::Relaxed) + made < PURGE_EVERY
            || self.running.swap(true, Ordering::Acquire)
        {
            return;
        }
        self.claims.store(0, Ordering::Relaxed);
        // It does not end with the call that began it.
        let pool = ground.pool.within(Patience::endless());
        let (table, running) = (ground.tables.claim.clone(), self.running.clone());
        tokio::spawn(async move {
            // A failure leaves rows for the next round; no promise depends on this one.
            warn_of(purge(&pool, &table).await, &table);
            running.store(false, Ordering::Release);
        });
    }
}

/// Clears all committed claims away, for somebody who waits for it; how many there were.
pub(crate) async fn purge_all(ground: &Ground) -> Result<usize> {
    Tries::run(ground.patience, "clear claims away", || purge(&ground.pool, &ground.tables.claim)).await
}

/// For a client that ends, and leaves claims behind.
pub(crate) async fn purge_at_the_end(ground: &Ground) {
    if ground.purge.made.load(Ordering::Relaxed) {
        // A failure leaves rows for other clients; no promise depends on this.
        warn_of(purge(&ground.pool, &ground.tables.claim).await, &ground.tables.claim);
    }
}

fn warn_of(purged: Attempt<usize>, table: &str) {
    if let Err(failure) = purged {
        tracing::warn!(table, %failure, "claims could not be deleted, which needs the privilege DELETE on their table");
    }
}

/// Deletes claims that are committed, and waits for nobody: whoever waited would hold up all who claim what
/// it has locked already.
async fn purge(pool: &Nodes, table: &str) -> Attempt<usize> {
    let mut cleared = 0;
    loop {
        let mut connection = pool.acquire().await?;
        let done = pool.timed(purge_some(&mut connection, table)).await;
        let some = connection.heed(done)?;
        cleared += some;
        if some < CHUNK {
            return Ok(cleared);
        }
    }
}

/// A claim under way is locked by its maker, and passed over; so is one that another client deletes. READ
/// COMMITTED locks no gaps, into which others claim.
async fn purge_some(connection: &mut MySqlConnection, table: &str) -> Attempt<usize> {
    let mut transaction = connection.begin_with(BEGIN).await?;
    let look = format!("SELECT uuid FROM {table} LIMIT {CHUNK} FOR UPDATE SKIP LOCKED");
    let rows = transaction.fetch_all(sqlx::raw_sql(AssertSqlSafe(look))).await?;
    if !rows.is_empty() {
        // Each row by a statement of its own, in one text. For a list of rows the server may read the whole
        // table instead, whatever index it is told to use (MariaDB does), and wait for every claim under way.
        let mut delete = String::new();
        for row in &rows {
            // Infallible: a String takes everything.
            let _ = write!(delete, "DELETE FROM {table} WHERE uuid = {};", literal(uuid_at(row, 0)?));
        }
        transaction.execute(sqlx::raw_sql(AssertSqlSafe(delete))).await?;
    }
    transaction.commit().await?;
    Ok(rows.len())
}
