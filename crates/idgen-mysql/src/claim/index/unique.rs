//! Index `unique`: the unique index decides which pair exists.
//!
//! Every statement is its own transaction. So a canceled call leaves no transaction open, and no snapshot hides another
//! client's pair: a statement after a duplicate-key error sees the row that caused it.

use futures_util::stream::{self, StreamExt, TryStreamExt};
use sqlx::{AssertSqlSafe, Executor};
use uuid::Uuid;

use crate::claim::context::{ACTION, Context};
use crate::claim::index::attempts::Attempts;
use crate::claim::index::taken::TakenIds;
use crate::claim::pair::{Claimed, Guess};
use crate::claim::within::Caller;
use crate::connection::nodes::{PooledConnection, Take};
use crate::connection::own_session::ELSEWHERE;
use crate::connection::own_session::{check_of, value_in};
use crate::error::damaged;
use crate::error::failure::{Attempt, Failure};
use crate::error::{Error, Result};
use crate::statement::caller::Connection;
use crate::statement::sql::{INSERT_CHECKED, SHARED, literal, show, value_list};
use crate::table::tables::unquoted;

/// The number of statements of one batch that run at the same time on shards.
const AT_ONCE: usize = 8;

/// The result of an insert that the server answered.
enum Outcome {
    Made(u64),
    Found(u64),
    /// The id is in the table already, with another UUID.
    IdTaken(u64),
    Missing,
}

pub(super) async fn claim_one(context: &Context, uuid: Uuid, guess: Guess) -> Result<Claimed> {
    let mut attempts = Attempts::new(context, guess);
    loop {
        let (epoch, ids) = attempts.propose(1).await?;
        let id = ids.first().copied();
        let work = async |connection: &mut PooledConnection| match id {
            Some(id) => insert_one(context, connection, uuid, id).await,
            None => {
                let found = context.look_one(connection, uuid, "").await?;
                Ok(found.map_or(Outcome::Missing, Outcome::Found))
            }
        };
        match context.pool.attempt(Take::In(epoch), work).await {
            Ok(Outcome::Made(id)) => return Ok(Claimed { uuid, id, new: true }),
            // The server stored it, although it reported a duplicate: nobody else has this id.
            Ok(Outcome::Found(found)) if id == Some(found) => {
                return Ok(Claimed { uuid, id: found, new: true });
            }
            Ok(Outcome::Found(found)) => {
                context.blocks.give_back(epoch, ids);
                return Ok(Claimed { uuid, id: found, new: attempts.may_have_stored(found) });
            }
            Ok(Outcome::Missing) => attempts.has_looked(),
            Ok(Outcome::IdTaken(id)) => attempts.pass_over(id, 1)?,
            Err(failure) => attempts.failed(epoch, ids, false, failure).await?,
        }
    }
}

async fn insert_one(
    context: &Context,
    connection: &mut PooledConnection,
    uuid: Uuid,
    id: u64,
) -> Attempt<Outcome> {
    // The answer names the id, so it is the one to this statement, and says that the server evaluated it. Vitess keeps its
    // own last insert ids.
    let echoes = context.tables.places.is_none();
    let value = match connection.seen().mark {
        Some(mark) => format!("LAST_INSERT_ID({})", value_in(mark, "?")),
        None => "?".to_owned(),
    };
    // A statement text of its own for each table and session, so it is prepared once per connection.
    let statement = format!("INSERT INTO {} (id, uuid) VALUES ({value}, ?)", context.tables.map);
    let insert = sqlx::query(AssertSqlSafe(statement)).bind(id).bind(&uuid.as_bytes()[..]);
    match connection.execute(insert).await.map_err(Failure::Sql) {
        Ok(done) => {
            let (pair, lock) = ([(uuid, id)], context.where_written());
            // With any trigger on the table, MariaDB names 0.
            if echoes && (done.rows_affected(), done.last_insert_id()) != (1, id) {
                context.read_back(&mut **connection, &pair, lock).await?;
            }
            context.prove(&mut **connection, &pair, lock).await?;
            Ok(Outcome::Made(id))
        }
        Err(error) if error.is_duplicate_key() => Ok(context
            .look_one(connection, uuid, context.where_written())
            .await?
            .map_or(Outcome::IdTaken(id), Outcome::Found)),
        Err(error) if error.number() == Some(ELSEWHERE) => Err(connection.shared()),
        Err(error) => Err(error),
    }
}

/// Inserts each pair by its own statement, several at the same time, for shards. Two transactions over two shards can wait
/// for each other without either shard's server detecting the deadlock.
pub(super) async fn claim_each(context: &Context, uuids: &[Uuid], guess: Guess) -> Result<Vec<Claimed>> {
    let claims = uuids.iter().copied().map(|uuid| claim_one(context, uuid, guess));
    stream::iter(claims).buffer_unordered(AT_ONCE).try_collect().await
}

pub(super) async fn claim_many(context: &Context, uuids: &[Uuid], guess: Guess) -> Result<Vec<Claimed>> {
    let mut attempts = Attempts::new(context, guess);
    let mut claimed = Vec::with_capacity(uuids.len());
    let mut missing = uuids.to_vec();
    while !missing.is_empty() {
        let (epoch, ids) = attempts.propose(missing.len()).await?;
        let mut inserted = false;
        let doubt = attempts.skipped_many();
        let work = async |connection: &mut PooledConnection| match ids.is_empty() {
            true => context.look_many(connection, &missing, "").await,
            false => insert_many(context, connection, &missing, &ids, doubt, &mut inserted).await,
        };
        let mut found = match context.pool.attempt(Take::In(epoch), work).await {
            Ok(found) => found,
            // A failure of the look-up after the insert does not mean that the insert failed.
            Err(failure) => {
                attempts.failed(epoch, ids, inserted, failure).await?;
                continue;
            }
        };
        found.sort_unstable();
        let mut rest = Vec::new();
        let mut unused = Vec::new();
        let mut first_taken = None;
        for (at, uuid) in missing.iter().enumerate() {
            let proposed = ids.get(at).copied();
            match found.binary_search_by_key(uuid, |(uuid, _)| *uuid) {
                Ok(place) => {
                    let id = found[place].1;
                    let new = proposed == Some(id) || attempts.may_have_stored(id);
                    unused.extend(proposed.filter(|proposed| *proposed != id));
                    claimed.push(Claimed { uuid: *uuid, id, new });
                }
                // The pair is missing after an insert that should have created it, so the id was in use.
                Err(_) => {
                    first_taken = first_taken.or(proposed);
                    rest.push(*uuid);
                }
            }
        }
        context.blocks.give_back(epoch, unused);
        if let Some(id) = first_taken {
            attempts.pass_over(id, rest.len())?;
        }
        if ids.is_empty() {
            attempts.has_looked();
        }
        missing = rest;
    }
    Ok(claimed)
}

/// Inserts what is not there, in one statement, and gives all pairs as they then are. Sets `inserted` once the
/// insert is done, even if the look-up after it fails. With `doubt`, it finds out why pairs are missing.
///
/// The rows are in the order of the index, so that two batches wait for each other instead of deadlocking.
/// IGNORE passes over duplicates; what else it would pass over cannot occur: the values are 16 bytes and a
/// number within the column's range.
async fn insert_many(
    context: &Context,
    connection: &mut PooledConnection,
    uuids: &[Uuid],
    ids: &[u64],
    doubt: bool,
    inserted: &mut bool,
) -> Attempt<Vec<(Uuid, u64)>> {
    let list = value_list(uuids.iter().zip(ids));
    let statement = format!("INSERT IGNORE INTO {} (id, uuid) VALUES {list}", context.tables.map);
    // A batch has the time to ask whether a temporary table has the name.
    let checks = connection.seen().mark.map(|mark| vec![check_of(mark), show(&context.tables.map)]);
    let done = match connection.insert_after(&checks.unwrap_or_default(), &statement, true, inserted).await {
        // Only another client of the session can have made the table.
        Err(Failure::Refused(_)) => return Err(connection.shared()),
        Err(failure) if failure.number() == Some(ELSEWHERE) => return Err(connection.shared()),
        done => done?,
    };
    if done == Some(uuids.len() as u64) {
        let pairs: Vec<(Uuid, u64)> = uuids.iter().copied().zip(ids.iter().copied()).collect();
        context.prove(&mut **connection, &pairs, context.where_written()).await?;
        return Ok(pairs);
    }
    let found = context.look_many(connection, uuids, context.where_written()).await?;
    if doubt {
        refuse_lost(context, connection, uuids, ids, &found).await?;
    }
    Ok(found)
}

/// Fails if neither a UUID nor the id that was proposed for it is in the map after the insert: IGNORE also skips rows
/// that a CHECK constraint or a foreign key rejects. If this is seen only once, the UUID may have been forgotten in
/// between.
async fn refuse_lost(
    context: &Context,
    connection: &mut PooledConnection,
    uuids: &[Uuid],
    ids: &[u64],
    found: &[(Uuid, u64)],
) -> Attempt<()> {
    let missing = |uuid: &Uuid| !found.iter().any(|(known, _)| known == uuid);
    let Some((uuid, id)) = uuids.iter().zip(ids).find(|(uuid, _)| missing(uuid)) else { return Ok(()) };
    let map = &context.tables.map;
    let read = format!("SELECT uuid FROM {map} WHERE id = {id}{}", context.where_written());
    if !connection.read(read).await?.is_empty() {
        return Ok(());
    }
    Err(damaged(format!(
        "the server stored nothing for {uuid}, and the id {id} is not in use: a CHECK constraint, a foreign key or a trigger \
         of {} keeps rows out; remove it",
        unquoted(map)
    )))
}

/// Inside the caller's transaction: reads past its snapshot, and leaves retries to the caller.
pub(crate) async fn claim_within<C: Connection>(
    context: &Context,
    connection: &mut C,
    caller: &Caller,
    uuid: Uuid,
) -> Result<Claimed> {
    let mut taken = TakenIds::default();
    loop {
        let epoch = context.now();
        let id = match context.blocks.take(&context.pool, context.deadline, 1).await {
            Ok(ids) => ids[0],
            Err(error) if error.is_exhausted() => {
                context.check_within(connection, caller).await.map_err(Error::once(ACTION))?;
                let found = context.find_one(connection, uuid, SHARED).await.map_err(Error::once(ACTION))?;
                return found.map(|id| Claimed { uuid, id, new: false }).ok_or(error);
            }
            Err(error) => return Err(error),
        };
        let (table, value) = (&context.tables.map, caller.value(&literal(uuid)));
        let statement = format!("{INSERT_CHECKED} INTO {table} (id, uuid) VALUES ({id},{value})");
        match context.insert_within(connection, caller, &statement, false).await {
            Ok(count) => {
                let pair = [(uuid, id)];
                let proved = match count {
                    Some(1) => context.prove(connection, &pair, "").await,
                    _ => context.read_back(connection, &pair, "").await,
                };
                return proved.map(|()| Claimed { uuid, id, new: true }).map_err(Error::once(ACTION));
            }
            Err(failure) if failure.is_duplicate_key() => {}
            Err(failure) => return Err(Error::once(ACTION)(failure)),
        }
        // A plain read would show the snapshot of the caller's transaction, which may be old. Reading first
        // would lock the gap where the pair is missing, and two such readers deadlock.
        let found = context.find_one(connection, uuid, SHARED).await.map_err(Error::once(ACTION))?;
        if let Some(found) = found {
            // A server that reports a duplicate key may have stored the pair.
            let new = found == id;
            context.blocks.give_back(epoch, (!new).then_some(id));
            return Ok(Claimed { uuid, id: found, new });
        }
        taken.pass_over(context, id, 1)?;
    }
}

/// Claims many UUIDs inside the caller's transaction, in ascending order, at most [`CHUNK`](crate::claim::pair::CHUNK)
/// of them: with one statement if all are new, and with an additional locking read if some are not.
pub(crate) async fn claim_many_within<C: Connection>(
    context: &Context,
    connection: &mut C,
    caller: &Caller,
    uuids: &[Uuid],
) -> Result<Vec<Claimed>> {
    let mut taken = TakenIds::default();
    let mut claimed = Vec::with_capacity(uuids.len());
    let mut missing = uuids.to_vec();
    while !missing.is_empty() {
        let epoch = context.now();
        let known = async |connection: &mut C| {
            context.find_many(connection, &missing, SHARED).await.map_err(Error::once(ACTION))
        };
        let ids = match context.blocks.take(&context.pool, context.deadline, missing.len()).await {
            Ok(ids) => ids,
            Err(error) if error.is_exhausted() => {
                context.check_within(connection, caller).await.map_err(Error::once(ACTION))?;
                let found = known(connection).await?;
                if found.len() < missing.len() {
                    // There may be enough ids for those that have none.
                    if found.is_empty() {
                        return Err(error);
                    }
                    missing.retain(|uuid| !found.iter().any(|(known, _)| known == uuid));
                    claimed.extend(found.into_iter().map(|(uuid, id)| Claimed { uuid, id, new: false }));
                    continue;
                }
                claimed.extend(found.into_iter().map(|(uuid, id)| Claimed { uuid, id, new: false }));
                return Ok(claimed);
            }
            Err(error) => return Err(error),
        };
        let (table, first) = (&context.tables.map, literal(missing[0]));
        let list = value_list(missing.iter().zip(&ids)).replacen(&first, &caller.value(&first), 1);
        let statement = format!("{INSERT_CHECKED} IGNORE INTO {table} (id, uuid) VALUES {list}");
        let done = context.insert_within(connection, caller, &statement, true).await;
        let done = done.map_err(Error::once(ACTION))?;
        if done == Some(missing.len() as u64) {
            let pairs: Vec<(Uuid, u64)> = missing.iter().copied().zip(ids.iter().copied()).collect();
            context.prove(connection, &pairs, "").await.map_err(Error::once(ACTION))?;
            claimed.extend(missing.iter().zip(&ids).map(|(uuid, id)| Claimed {
                uuid: *uuid,
                id: *id,
                new: true,
            }));
            return Ok(claimed);
        }
        let mut found = known(connection).await?;
        found.sort_unstable();
        let (mut rest, mut first_taken) = (Vec::new(), None);
        for (uuid, proposed) in missing.iter().zip(&ids) {
            match found.binary_search_by_key(uuid, |(uuid, _)| *uuid) {
                Ok(at) => {
                    let id = found[at].1;
                    if id != *proposed {
                        context.blocks.give_back(epoch, [*proposed]);
                    }
                    claimed.push(Claimed { uuid: *uuid, id, new: id == *proposed });
                }
                Err(_) => {
                    first_taken = first_taken.or(Some(*proposed));
                    rest.push(*uuid);
                }
            }
        }
        if let Some(id) = first_taken {
            taken.pass_over(context, id, rest.len())?;
        }
        missing = rest;
    }
    Ok(claimed)
}
