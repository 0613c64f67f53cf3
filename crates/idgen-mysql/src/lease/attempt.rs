//! One attempt of each call: a transaction that locks the row, decides from what it read, writes, reads back, and commits.

use idgen::Timestamp;
use sqlx::mysql::MySqlConnection;
use uuid::Uuid;

use crate::connection::nodes::PooledConnection;
use crate::error::Error;
use crate::error::failure::{Attempt, Failure, Kind};
use crate::lease::row::Lease;
use crate::lease::table;

/// The duration of a lease, and the margin for which its number rests afterwards, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) duration: u64,
    pub(super) margin: u64,
}

/// All numbers.
const ALL: usize = 1 << 16;
/// This many random numbers are looked up before all numbers are.
const DRAWN: usize = 16;

impl Terms {
    /// The first and the last second of a lease that begins now, after the last second of the number's old lease.
    fn seconds(self, now: u64, after: u32) -> Attempt<(u32, u32)> {
        let first = now.saturating_sub(self.margin).max(u64::from(after) + 1);
        let last = self.last(now);
        match u32::try_from(first) {
            Ok(first) if first <= last => Ok((first, last)),
            _ => {
                let problem = format!(
                    "no lease can begin at {}, by the clock of the database server: 64-bit ids end on 2106-02-07",
                    Timestamp::from_unix_secs(now as i64)
                );
                Err(Error::new(Kind::Config { problem }).into())
            }
        }
    }

    /// The last second of a lease that is made or renewed now.
    fn last(self, now: u64) -> u32 {
        u32::try_from(now.saturating_add(self.duration)).unwrap_or(u32::MAX)
    }

    /// The first second in which the number can go to another device.
    pub(super) fn free_at(self, lease: &Lease) -> u64 {
        u64::from(lease.last).saturating_add(self.margin).saturating_add(1)
    }
}

/// The decision of a transaction.
enum Outcome<T> {
    Commit(T),
    /// Nothing was changed.
    Keep(T),
}

/// Runs the decision in a transaction at READ COMMITTED.
macro_rules! transaction {
    ($connection:ident, $decide:expr) => {{
        let mut transaction = $connection.begin().await?;
        let decided: Attempt<Outcome<_>> = $decide(&mut transaction).await;
        if let Ok(Outcome::Commit(done)) = decided {
            transaction.commit().await.map_err(Failure::of_commit)?;
            $connection.note_end();
            return Ok(done);
        }
        // An error of the rollback would only hide the cause.
        if transaction.rollback().await.is_ok() {
            $connection.note_end();
        }
        match decided? {
            Outcome::Commit(done) | Outcome::Keep(done) => Ok(done),
        }
    }};
}

pub(super) async fn lease(
    connection: &mut PooledConnection,
    table: &str,
    terms: Terms,
    device: Uuid,
) -> Attempt<Lease> {
    transaction!(connection, async |transaction: &mut MySqlConnection| {
        let now = table::now(transaction).await?;
        match table::of_device(transaction, table, device).await? {
            Some(held) => extend(transaction, table, held, terms.last(now)).await,
            None => take(transaction, table, terms, device, now).await.map(Outcome::Commit),
        }
    })
}

pub(super) async fn renew(
    connection: &mut PooledConnection,
    table: &str,
    terms: Terms,
    held: Held,
) -> Attempt<Lease> {
    transaction!(connection, async |transaction: &mut MySqlConnection| {
        let now = table::now(transaction).await?;
        match table::of_number(transaction, table, held.number).await? {
            Some(found) if held.is(&found) => extend(transaction, table, found, terms.last(now)).await,
            found => Err(held.lost(found.as_ref())),
        }
    })
}

/// A device's word for the lease that it holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) device: Uuid,
    pub(super) number: u16,
    pub(super) term: u64,
}

impl Held {
    fn is(self, found: &Lease) -> bool {
        found.device == self.device && found.term == self.term
    }

    fn lost(self, found: Option<&Lease>) -> Failure {
        let problem = match found {
            Some(found) if found.device == self.device && found.term > self.term => {
                "it was released or ended"
            }
            Some(found) if found.device == self.device => {
                "no such lease was made: the table was restored or changed"
            }
            Some(_) => "the number went to another device",
            None => "the table has no such lease: it was restored or changed",
        };
        let Held { device, number, term } = self;
        Error::new(Kind::LeaseLost { device, number, term, problem }).into()
    }
}

pub(super) async fn release(
    connection: &mut PooledConnection,
    table: &str,
    held: Held,
    last: Timestamp,
) -> Attempt<bool> {
    transaction!(connection, async |transaction: &mut MySqlConnection| {
        let found = table::of_number(transaction, table, held.number).await?;
        let Some(found) = found.filter(|found| held.is(found)) else { return Ok(Outcome::Keep(false)) };
        let last = second_in(&found, last)?;
        table::update(transaction, table, &Lease { last, term: found.term + 1, ..found }).await?;
        Ok(Outcome::Commit(true))
    })
}

fn second_in(lease: &Lease, last: Timestamp) -> Attempt<u32> {
    let secs = u32::try_from(last.unix_secs()).ok();
    secs.filter(|secs| lease.first <= *secs && *secs <= lease.last).ok_or_else(|| {
        let (from, to) = (lease.not_before(), lease.not_after());
        let problem = format!(
            "the last id of a lease cannot be of {last}: the lease is from {from} to {to}; pass the time of the last id that \
             the device made with it, or its beginning if it made none"
        );
        Error::new(Kind::Config { problem }).into()
    })
}

pub(super) async fn expire(
    connection: &mut PooledConnection,
    table: &str,
    device: Uuid,
) -> Attempt<Option<Lease>> {
    transaction!(connection, async |transaction: &mut MySqlConnection| {
        let now = table::now(transaction).await?;
        let Some(found) = table::of_device(transaction, table, device).await? else {
            return Ok(Outcome::Keep(None));
        };
        if u64::from(found.last) <= now {
            return Ok(Outcome::Keep(Some(found)));
        }
        let last = u32::try_from(now).unwrap_or(u32::MAX).max(found.first);
        let ended = Lease { last, term: found.term + 1, ..found };
        table::update(transaction, table, &ended).await?;
        Ok(Outcome::Commit(Some(ended)))
    })
}

pub(super) async fn list(connection: &mut PooledConnection, table: &str) -> Attempt<(Timestamp, Vec<Lease>)> {
    let now = table::now(connection).await?;
    let leases = table::select(connection, table, "ORDER BY number").await?;
    Ok((Timestamp::from_unix_secs(now as i64), leases))
}

/// Makes a lease longer; never shorter, even if the clock of the server was set back, because the device knows the later end.
async fn extend(
    transaction: &mut MySqlConnection,
    table: &str,
    held: Lease,
    last: u32,
) -> Attempt<Outcome<Lease>> {
    if last <= held.last {
        return Ok(Outcome::Keep(held));
    }
    let longer = Lease { last, ..held };
    table::update(transaction, table, &longer).await?;
    Ok(Outcome::Commit(longer))
}

/// Gives a number to a device that has none: one that was never leased if there is any, otherwise one of those that
/// have rested longest.
async fn take(
    transaction: &mut MySqlConnection,
    table: &str,
    terms: Terms,
    device: Uuid,
    now: u64,
) -> Attempt<Lease> {
    table::check(transaction, table).await?;
    if let Some(number) = never_leased(transaction, table).await? {
        let (first, last) = terms.seconds(now, 0)?;
        let new = Lease { device, number, term: 1, first, last };
        table::insert(transaction, table, &new).await?;
        return Ok(new);
    }
    let rested =
        table::select(transaction, table, &format!("ORDER BY last_sec, number LIMIT {DRAWN}")).await?;
    let free: Vec<&Lease> = rested.iter().filter(|lease| terms.free_at(lease) <= now).collect();
    if free.is_empty() {
        let next = rested.first().map_or(now, |lease| terms.free_at(lease));
        return Err(Error::new(Kind::NoNumberFree { next: Timestamp::from_unix_secs(next as i64) }).into());
    }
    // Not all clients wait for the same row.
    let number = free[fastrand::usize(..free.len())].number;
    let old = table::of_number(transaction, table, number).await?;
    let old = old.filter(|old| terms.free_at(old) <= now);
    let old = old.ok_or(Failure::Contradicted("another client leased the same number at the same time"))?;
    let (first, last) = terms.seconds(now, old.last)?;
    let new = Lease { device, number, term: old.term + 1, first, last };
    table::update(transaction, table, &new).await?;
    Ok(new)
}

/// A random number that has no row.
async fn never_leased(transaction: &mut MySqlConnection, table: &str) -> Attempt<Option<u16>> {
    let drawn: Vec<u16> = (0..DRAWN).map(|_| fastrand::u16(..)).collect();
    let used = table::numbers(transaction, table, Some(&drawn)).await?;
    if let Some(number) = drawn.into_iter().find(|number| !used.contains(number)) {
        return Ok(Some(number));
    }
    let used = table::numbers(transaction, table, None).await?;
    if used.len() >= ALL {
        return Ok(None);
    }
    let mut is_used = vec![false; ALL];
    used.into_iter().for_each(|number| is_used[usize::from(number)] = true);
    let unused: Vec<u16> = (0..=u16::MAX).filter(|number| !is_used[usize::from(*number)]).collect();
    Ok(unused.get(fastrand::usize(..unused.len())).copied())
}
