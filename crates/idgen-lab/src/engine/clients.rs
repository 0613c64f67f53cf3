//! Clients that insert at the same time, each of which makes the ids of a statement immediately before it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::runtime::Handle;

use super::latencies::Latencies;
use super::{Batch, Inserted, Numbered};
use crate::cancel::Cancel;
use crate::key::Key;
use crate::{Error, Result};

/// Inserts a batch, statement after statement, and returns the rows in the order of their insertion.
pub async fn in_statements(
    batch: &Batch<'_>,
    statement_rows: usize,
    latencies: &mut Latencies,
    mut insert: impl AsyncFnMut(&[Numbered<'_>]) -> Result<Vec<Inserted>>,
) -> Result<Vec<Inserted>> {
    let rows: Vec<_> = batch.rows().collect();
    let mut inserted = Vec::with_capacity(rows.len());
    for part in rows.chunks(statement_rows) {
        let began = Instant::now();
        inserted.extend(insert(part).await?);
        latencies.record(began);
    }
    Ok(inserted)
}

/// The next step of a client.
pub enum Turn {
    /// It inserts these rows, whose ids were made just now.
    Insert(Statement),
    /// It asks again at this moment.
    Wait(Instant),
    /// It has nothing left to insert.
    Done,
}

/// The rows of one statement.
pub struct Statement {
    /// The number of the first row, from 0.
    pub first: u64,
    /// The keys.
    pub keys: Vec<Key>,
    /// The payloads, concatenated, all of the same length.
    pub payloads: Vec<u8>,
    /// The time at which the first of its ids was made, by a clock that only runs forward.
    pub made: Instant,
    /// The time at which the first of its ids was made, by the clock of the machine.
    pub made_at: SystemTime,
}

impl Statement {
    /// The rows, as tables take them.
    pub fn batch(&self) -> Batch<'_> {
        Batch { first: self.first, keys: &self.keys, payloads: &self.payloads }
    }
}

/// Tells clients what to insert, and receives which rows were acknowledged. Clients are threads that ask one after another.
pub trait Feed: Send {
    /// Returns the next step of the client with this number, counted from 0.
    ///
    /// # Errors
    /// A generator makes no id.
    fn next(&mut self, client: usize) -> Result<Turn>;

    /// The database acknowledged the rows of a statement of this client. Calls come in the order of the acknowledgments.
    ///
    /// # Errors
    /// Other rows were acknowledged than were sent.
    fn acknowledged(&mut self, client: usize, statement: &Statement, rows: &[Inserted]) -> Result<()>;

    /// The times on the server's clock, in microseconds since 1970, at which it inserted the next acknowledged rows of this
    /// client whose times are not known yet. Only databases that report them call this.
    fn inserted_at(&mut self, _client: usize, _micros: &[i64]) {}
}

/// A connection that inserts rows.
pub(in crate::engine) trait Client: Send {
    /// Inserts the rows of a statement.
    async fn insert(&mut self, rows: &[Numbered<'_>]) -> Result<Vec<Inserted>>;

    /// The times at which the server inserted rows since the last call, in microseconds since 1970 and in the order of the
    /// rows. Some servers return them only after many statements, or if these are all.
    async fn times(&mut self, all: bool) -> Result<Vec<i64>>;
}

/// Lets all clients insert at the same time, each on a thread of its own as in a service, until the feed has nothing left for
/// them. One thread for all of them would make ids in bursts: after a pause it makes those of many clients one after another,
/// and then sends them all.
///
/// The connections belong to the runtime of this handle, which has to have a thread of its own.
pub(in crate::engine) fn serve(
    runtime: &Handle,
    cancel: &Cancel,
    clients: impl IntoIterator<Item = impl Client>,
    feed: &mut dyn Feed,
    latencies: &mut Latencies,
) -> Result<()> {
    let shared = Mutex::new(Shared { feed, latencies, failed: false });
    let shared = &shared;
    std::thread::scope(|threads| {
        let all: Vec<_> = clients
            .into_iter()
            .enumerate()
            .map(|(number, mut client)| {
                threads.spawn(move || {
                    let done = runtime.block_on(cancel.or(one(number, &mut client, shared)));
                    if done.is_err() {
                        locked(shared).failed = true;
                    }
                    done
                })
            })
            .collect();
        let mut all: Vec<Result<()>> = all
            .into_iter()
            .map(|thread| {
                thread.join().unwrap_or_else(|_| Err(Error::mistake("a client panicked".to_owned())))
            })
            .collect();
        // A cancellation is the reason for every other failure.
        match all.iter().position(|done| done.as_ref().is_err_and(Error::is_interrupted)) {
            Some(place) => all.swap_remove(place),
            None => all.into_iter().collect(),
        }
    })
}

/// The state that the clients share.
struct Shared<'a> {
    feed: &'a mut dyn Feed,
    latencies: &'a mut Latencies,
    /// A client failed, so the others stop before their next statement.
    failed: bool,
}

fn locked<'a, 'b>(shared: &'a Mutex<Shared<'b>>) -> MutexGuard<'a, Shared<'b>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs one client, statement after statement.
async fn one(number: usize, client: &mut impl Client, shared: &Mutex<Shared<'_>>) -> Result<()> {
    loop {
        let turn = {
            let mut shared = locked(shared);
            if shared.failed { Turn::Done } else { shared.feed.next(number)? }
        };
        let statement = match turn {
            Turn::Insert(statement) => statement,
            Turn::Wait(moment) => {
                until(moment).await;
                continue;
            }
            Turn::Done => break,
        };
        let rows: Vec<_> = statement.batch().rows().collect();
        let began = Instant::now();
        let inserted = client.insert(&rows).await?;
        {
            let mut shared = locked(shared);
            shared.latencies.record(began);
            shared.feed.acknowledged(number, &statement, &inserted)?;
        }
        let times = client.times(false).await?;
        locked(shared).feed.inserted_at(number, &times);
    }
    let times = client.times(true).await?;
    locked(shared).feed.inserted_at(number, &times);
    Ok(())
}

/// Waits until this moment. The runtime's timer has steps of a millisecond, in which several clients would wake up together,
/// so the thread itself waits for the last milliseconds.
async fn until(moment: Instant) {
    /// The time for which the thread itself waits.
    const LAST: Duration = Duration::from_millis(3);
    let left = moment.saturating_duration_since(Instant::now());
    if left > LAST {
        tokio::time::sleep(left - LAST).await;
    }
    std::thread::sleep(moment.saturating_duration_since(Instant::now()));
}
