//! Index `dedup`: the primary key of a small table of claims decides, and the map itself carries only an
//! index on a 32-bit hash.
//!
//! A new pair takes one transaction at READ COMMITTED: claim the UUID, then store it, then look it up, and commit only if
//! there is no older pair. The order matters. A second client's claim waits until the first client's transaction ends. When
//! it holds the claim, every committed pair of that UUID is visible to its look-up. So a committed claim is no longer needed,
//! any client may delete it at any time, and nothing depends on a clock. If clients looked up before they claimed, as in the
//! published design, two could find nothing.
//!
//! The look-up comes last so that it has to find something: the pair that the transaction has just stored. If it does not,
//! the server's plan hides rows, or the index is damaged, and nothing is committed. An older pair of the UUID has the same
//! hash, so it is next to the new one in the index.

use uuid::Uuid;

use crate::call::retry::Retries;
use crate::claim::context::{ACTION, Context};
use crate::claim::index::attempts::Attempts;
use crate::claim::index::server_identity::{look_proved, look_within};
use crate::claim::index::taken::TakenIds;
use crate::claim::pair::{Claimed, Guess};
use crate::claim::within::Caller;
use crate::connection::nodes::{PooledConnection, Take};
use crate::error::failure::{Attempt, Failure, Kind};
use crate::error::{Error, Result};
use crate::statement::caller::Connection;
use crate::statement::sql::{SHARED, WITH_SETTINGS, literal, value_list};
use crate::statement::values::Values;
use crate::table::marker::marker;

pub(super) async fn claim_one(context: &Context, uuid: Uuid, guess: Guess) -> Result<Claimed> {
    let claimed = claim_many(context, &[uuid], guess).await?;
    claimed.into_iter().next().ok_or_else(|| {
        Error::new(Kind::Damaged { problem: format!("no id for {uuid} although it was claimed") })
    })
}

pub(super) async fn claim_many(context: &Context, uuids: &[Uuid], guess: Guess) -> Result<Vec<Claimed>> {
    let mut attempts = Attempts::new(context, guess);
    let mut claimed = Vec::with_capacity(uuids.len());
    let mut missing = uuids.to_vec();
    while !missing.is_empty() {
        let (epoch, ids) = attempts.propose(missing.len()).await?;
        if ids.is_empty() {
            let found = context.look_up(ACTION, &missing).await?;
            missing.retain(|uuid| !found.iter().any(|(known, _)| known == uuid));
            claimed.extend(found.into_iter().map(|(uuid, id)| Claimed {
                uuid,
                id,
                new: attempts.may_have_stored(id),
            }));
            attempts.has_looked();
            continue;
        }
        match transact(context, epoch, &missing, &ids).await {
            Ok(pairs) => {
                let used: Vec<u64> = pairs.iter().map(|(_, id)| *id).collect();
                let unused = ids.iter().copied().filter(|id| !used.contains(id));
                context.blocks.give_back(epoch, unused);
                claimed.extend(pairs.iter().map(|(uuid, id)| Claimed {
                    uuid: *uuid,
                    id: *id,
                    new: ids.contains(id) || attempts.may_have_stored(*id),
                }));
                context.purge.after(&context.pool, &context.tables.claim, pairs.len() as u64);
                return Ok(claimed);
            }
            // One of the ids, at least, is in the map with another UUID, after an import.
            Err(failure) if failure.is_duplicate_key() => attempts.pass_over(ids[0], ids.len())?,
            Err(failure) => attempts.failed(epoch, ids, false, failure).await?,
        }
    }
    Ok(claimed)
}

/// One transaction: claim, look up, store.
async fn transact(context: &Context, epoch: u64, uuids: &[Uuid], ids: &[u64]) -> Attempt<Vec<(Uuid, u64)>> {
    let work = async |connection: &mut PooledConnection| transact_on(context, connection, uuids, ids).await;
    context.pool.attempt(Take::In(epoch), work).await
}

/// If some of the UUIDs have ids already, the transaction is rolled back and made again for the others alone. A savepoint
/// would save that, but Group Replication forgets the claims before it in its certification.
async fn transact_on(
    context: &Context,
    connection: &mut PooledConnection,
    uuids: &[Uuid],
    ids: &[u64],
) -> Attempt<Vec<(Uuid, u64)>> {
    let mut new: Vec<(Uuid, u64)> = uuids.iter().copied().zip(ids.iter().copied()).collect();
    let mut pairs = Vec::with_capacity(new.len());
    let (mut known, mut stored) = (false, false);
    while !new.is_empty() && !stored {
        let mut transaction = connection.begin().await?;
        let older = match store(context, &mut context.pool.one_by_one(&mut *transaction), &new).await {
            Ok(older) => older,
            Err(error) => {
                // If this fails, the connection is closed, which ends the transaction, too.
                if transaction.rollback().await.is_ok() {
                    connection.note_end();
                }
                return Err(error);
            }
        };
        if older.is_empty() {
            transaction.commit().await.map_err(Failure::of_commit)?;
            connection.note_commit();
            pairs.append(&mut new);
            stored = true;
        } else {
            transaction.rollback().await?;
            connection.note_end();
            new.retain(|(uuid, _)| !older.iter().any(|(known, _)| known == uuid));
            pairs.extend(older);
            known = true;
        }
    }
    if known {
        let settled = context.settled(connection).await;
        // If the transaction is committed, the ids are in use whatever happens next.
        settled
            .map_err(|failure| if stored { Failure::CommitUnanswered(Box::new(failure)) } else { failure })?;
    }
    context.witness.set(pairs.first().copied());
    Ok(pairs)
}

/// Claims the UUIDs, stores their pairs, and returns those that they had before: none, or the transaction is to be rolled
/// back.
///
/// # Errors
/// The look-up does not find what was just stored.
async fn store<C: Connection>(
    context: &Context,
    connection: &mut C,
    new: &[(Uuid, u64)],
) -> Attempt<Vec<(Uuid, u64)>> {
    let uuids: Vec<Uuid> = new.iter().map(|(uuid, _)| *uuid).collect();
    let statements = [claim_text(context, &literals(&uuids)), insert_text(context, new)];
    // Two UUIDs may share a hash.
    let found = context.select_all(connection, &statements, &context.pairs_of_uuids(&uuids)).await?;
    let found = found.into_iter().map(|(id, uuid)| (uuid, id)).filter(|(uuid, _)| uuids.contains(uuid));
    let older = context.older_than(new, &found.collect::<Vec<_>>())?;
    if older.is_empty() {
        context.prove_claims(connection, &uuids).await?;
        context.prove(connection, new, "").await?;
    }
    Ok(older)
}

/// An existing claim may have no pair, because the pair was deleted or the claiming transaction was committed without one.
/// So an existing claim is changed. This locks it exclusively, and a cluster certifies it against the same change on
/// another node.
fn claim_text(context: &Context, values: &[String]) -> String {
    let (table, list) = (&context.tables.claim, values.join("),("));
    format!("INSERT INTO {table} (uuid) VALUES ({list}) ON DUPLICATE KEY UPDATE turn = 1 - turn")
}

pub(crate) async fn claim<C: Connection>(
    context: &Context,
    connection: &mut C,
    uuids: &[Uuid],
) -> Attempt<()> {
    connection.run_one(&claim_text(context, &literals(uuids))).await.map(drop)
}

fn literals(uuids: &[Uuid]) -> Vec<String> {
    uuids.iter().copied().map(literal).collect()
}

fn insert_text(context: &Context, pairs: &[(Uuid, u64)]) -> String {
    let list = value_list(pairs.iter().map(|(uuid, id)| (uuid, id)));
    format!("INSERT INTO {} (id, uuid) VALUES {list}", context.tables.map)
}

/// Inside the caller's transaction, whose isolation level and snapshot are the caller's.
///
/// With the claim held, the pair is looked for twice: by the caller's connection, which sees what its own transaction
/// made, and by another one, which sees everything committed on its server. That has to be the caller's server: another
/// node of a cluster may lag behind it, and where the pair was committed before this transaction claimed, certification
/// does not detect the two inserts as a conflict. When the other connection is elsewhere a locking read of the caller's
/// decides. It would do in any case, but at REPEATABLE READ it locks a gap of the hash index, where the inserts of two
/// such readers deadlock. An id that was found is confirmed by a locking read of its row, unless the other connection
/// found it on the caller's server.
pub(crate) async fn claim_within<C: Connection>(
    context: &Context,
    connection: &mut C,
    caller: &Caller,
    uuid: Uuid,
) -> Result<Claimed> {
    let claim = claim_text(context, &[caller.value(&literal(uuid))]);
    context.execute_within(connection, caller, &claim).await.map_err(Error::once(ACTION))?;
    context.prove_claims(connection, &[uuid]).await.map_err(Error::once(ACTION))?;
    let here = look_within(context, connection, uuid).await.map_err(Error::once(ACTION))?;
    let mut found = stored_here(context, connection, uuid, here.id).await?;
    if found.is_none() {
        let there = Retries::run(context.deadline, ACTION, async || {
            let look = async |other: &mut PooledConnection| look_proved(context, &mut **other, uuid).await;
            match context.pool.attempt(Take::AtOnce, look).await {
                Ok(there) => Ok(Some(there)),
                // An ALTER TABLE is waiting for the caller's transaction.
                Err(failure) if failure.number() == Some(1205) => Ok(None),
                Err(failure) => Err(failure),
            }
        })
        .await?;
        let same = there.as_ref().is_some_and(|there| there.server == here.server);
        found = there.and_then(|there| there.id);
        if !same {
            found = stored_here(context, connection, uuid, found).await?;
            if found.is_none() {
                found = context.find_one(connection, uuid, SHARED).await.map_err(Error::once(ACTION))?;
            }
        }
    }
    if let Some(id) = found {
        return Ok(Claimed { uuid, id, new: false });
    }
    // A later round clears this claim away, after its commit.
    context.purge.after(&context.pool, &context.tables.claim, 1);
    let mut taken = TakenIds::default();
    loop {
        let id = context.blocks.take(&context.pool, context.deadline, 1).await?[0];
        // Without its claim, which another session does not hold, the pair could be a second one.
        let (map, value) = (&context.tables.map, caller.value(&literal(uuid)));
        let insert = format!("{WITH_SETTINGS}INSERT INTO {map} (id, uuid) VALUES ({id},{value})");
        let stored = match connection.run_one(&insert).await {
            // A server that reports a duplicate key may have stored the pair. Another id would then be its second one.
            Err(error) if error.is_duplicate_key() => {
                match stored_here(context, connection, uuid, Some(id)).await? {
                    Some(_) => Ok(0),
                    None => Err(error),
                }
            }
            stored => stored,
        };
        match stored {
            Ok(_) if here.proved => {
                let proved = context.prove(connection, &[(uuid, id)], "").await;
                return proved.map(|()| Claimed { uuid, id, new: true }).map_err(Error::once(ACTION));
            }
            Ok(_) => return inserted_within(context, connection, uuid, id).await,
            Err(error) if error.is_duplicate_key() => taken.pass_over(context, id, 1)?,
            Err(error) => return Err(Error::once(ACTION)(error)),
        }
    }
}

/// Looks for a pair that was just stored in the caller's transaction, because the look-up before it proved nothing. An
/// older pair that was missed there is returned, and a marker replaces the new one.
async fn inserted_within<C: Connection>(
    context: &Context,
    connection: &mut C,
    uuid: Uuid,
    id: u64,
) -> Result<Claimed> {
    let found = context.find_many(connection, &[uuid], "").await.map_err(Error::once(ACTION))?;
    let older = context.older_than(&[(uuid, id)], &found).map_err(Error::once(ACTION))?;
    for (_, older) in older {
        if stored_here(context, connection, uuid, Some(older)).await?.is_some() {
            let (map, marker) = (&context.tables.map, literal(marker(id)));
            let undo = format!("UPDATE {map} SET uuid = {marker} WHERE id = {id}");
            connection.run_one(&undo).await.map_err(Error::once(ACTION))?;
            return Ok(Claimed { uuid, id: older, new: false });
        }
    }
    Ok(Claimed { uuid, id, new: true })
}

/// The id, if its row holds the UUID at this moment: a pair in an old snapshot, or on a node that lags behind, may have
/// been forgotten since. The claim keeps it from being forgotten from here on. The read locks one row, and no gap.
async fn stored_here<C: Connection>(
    context: &Context,
    connection: &mut C,
    uuid: Uuid,
    id: Option<u64>,
) -> Result<Option<u64>> {
    let Some(id) = id else { return Ok(None) };
    let read = format!("{WITH_SETTINGS}SELECT uuid FROM {} WHERE id = {id}{SHARED}", context.tables.map);
    let rows = connection.read(read).await.map_err(Error::once(ACTION))?;
    let stored = rows.first().map(|row| row.uuid(0)).transpose().map_err(Error::once(ACTION))?;
    Ok((stored == Some(uuid)).then_some(id))
}
