//! Clients that insert at the same time, each of which makes the ids of a statement immediately before it.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;

use super::latencies::Latencies;
use super::{Batch, Inserted, Numbered};
use crate::key::Key;
use crate::{Error, Result};

/// What a client does next.
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
    /// When the first of its ids was made.
    pub made: Instant,
}

impl Statement {
    /// The rows, as tables take them.
    pub fn batch(&self) -> Batch<'_> {
        Batch { first: self.first, keys: &self.keys, payloads: &self.payloads }
    }
}

/// Tells clients what to insert, and hears which rows were acknowledged.
pub trait Feed {
    /// What the client with this number, counted from 0, does now.
    ///
    /// # Errors
    /// A generator makes no id.
    fn next(&mut self, client: usize) -> Result<Turn>;

    /// The database acknowledged the rows of a statement. Calls come in the order of the acknowledgments.
    ///
    /// # Errors
    /// Other rows were acknowledged than were sent.
    fn acknowledged(&mut self, statement: &Statement, rows: &[Inserted]) -> Result<()>;
}

/// Lets all clients insert at the same time until the feed has nothing left for them. A client inserts the rows of one
/// statement.
pub(in crate::engine) async fn serve(
    clients: impl IntoIterator<Item = impl AsyncFnMut(&[Numbered<'_>]) -> Result<Vec<Inserted>>>,
    feed: &mut dyn Feed,
    latencies: &mut Latencies,
) -> Result<()> {
    let shared = RefCell::new((feed, latencies));
    let work = clients.into_iter().enumerate().map(async |(number, mut client)| {
        loop {
            let turn = shared.borrow_mut().0.next(number)?;
            let statement = match turn {
                Turn::Insert(statement) => statement,
                Turn::Wait(moment) => {
                    until(moment).await?;
                    continue;
                }
                Turn::Done => return Ok(()),
            };
            let rows: Vec<_> = statement.batch().rows().collect();
            let began = Instant::now();
            let inserted = client(&rows).await?;
            let (feed, latencies) = &mut *shared.borrow_mut();
            latencies.record(began);
            feed.acknowledged(&statement, &inserted)?;
        }
    });
    try_join_all(work).await.map(|_| ())
}

/// Waits until this moment, to a tenth of a millisecond. The runtime's own timer has steps of a millisecond: clients
/// whose rows arrive in the same step would all wake up together, and insert at the same time.
async fn until(moment: Instant) -> Result<()> {
    /// What is left to a thread.
    const LAST: Duration = Duration::from_millis(3);
    let left = moment.saturating_duration_since(Instant::now());
    if left > LAST {
        tokio::time::sleep(left - LAST).await;
    }
    let left = moment.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Ok(());
    }
    tokio::task::spawn_blocking(move || std::thread::sleep(left))
        .await
        .map_err(|error| Error::engine("cannot wait for the time of a row", error))
}
