//! Ids in blocks: one committed update of the state row reserves many ids for this client.
//!
//! The [reservation] is committed before any id of the block is used, so a crash can waste ids but never repeat one. Ids
//! that a statement did not use are returned to the block and used next.
//!
//! [reservation]: crate::reservation

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::call::deadline::Deadline;
use crate::call::observe;
use crate::call::retry::Retries;
use crate::claim::held::Held;
use crate::claim::reservation::Request;
use crate::connection::nodes::Nodes;
use crate::error::failure::Kind;
use crate::error::{Error, Result};
use crate::installed::IdWidth;
use crate::table::tables::{Tables, unquoted};

/// The first block of a client; a busy one soon takes larger ones.
const SMALLEST: u64 = 128;
/// If a block is used up within this time, the next one is larger.
const LASTS: Duration = Duration::from_secs(1);

const ACTION: &str = "reserve ids";

/// The ids that this client holds.
#[derive(Debug)]
pub(crate) struct Blocks {
    table: String,
    /// The map's table.
    map: String,
    /// Set on Vitess, which makes the blocks there.
    sequence: Option<String>,
    width: IdWidth,
    largest: u64,
    held: Mutex<Held>,
    /// The number of reservations that were made.
    reservations: AtomicU64,
    /// True if the server refused writes at the last attempt.
    read_only: AtomicBool,
    /// The largest share of the ids, in percent, of which a warning was given.
    warned: AtomicU8,
    // One refill at a time: others wait for its ids instead of reserving more.
    refill: tokio::sync::Mutex<()>,
}

/// The reaction to a server that takes no writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadOnly {
    /// A failover may make it writable.
    Retry,
    /// The caller can continue without writes.
    Fail,
}

impl Blocks {
    pub(crate) fn new(tables: &Tables, width: IdWidth, largest: u64) -> Blocks {
        let size = SMALLEST.min(largest);
        let held = Held::new(size);
        Blocks {
            table: tables.state.clone(),
            map: unquoted(&tables.map).to_owned(),
            sequence: tables.places.as_ref().map(|places| places.sequence.clone()),
            width,
            largest,
            held: Mutex::new(held),
            reservations: AtomicU64::new(0),
            read_only: AtomicBool::new(false),
            warned: AtomicU8::new(0),
            refill: tokio::sync::Mutex::new(()),
        }
    }

    /// Takes `count` ids, ascending.
    pub(crate) async fn take(&self, pool: &Nodes, deadline: Deadline, count: usize) -> Result<Vec<u64>> {
        self.take_or(pool, deadline, count, ReadOnly::Retry).await
    }

    /// Returns true if the server refused writes at the last attempt.
    pub(crate) fn are_read_only(&self) -> bool {
        self.read_only.load(Ordering::Relaxed)
    }

    /// The number of reservations that were made.
    pub(crate) fn reservations(&self) -> u64 {
        self.reservations.load(Ordering::Relaxed)
    }

    /// Records that the server takes no writes. The next reservation shows whether this has changed.
    pub(crate) fn note_read_only(&self) {
        self.read_only.store(true, Ordering::Relaxed);
    }

    /// Takes `count` ids, ascending.
    pub(crate) async fn take_or(
        &self,
        pool: &Nodes,
        deadline: Deadline,
        count: usize,
        read_only: ReadOnly,
    ) -> Result<Vec<u64>> {
        loop {
            {
                let mut held = self.held();
                held.keep_only(pool.identity().epoch());
                if let Some(ids) = held.take(count) {
                    observe::block_left(&self.map, held.available());
                    return Ok(ids);
                }
            }
            let _one = deadline.wait_for(ACTION, self.refill.lock()).await?;
            let (missing, size, above) = {
                let mut held = self.held();
                let have = held.available();
                if have >= count as u64 {
                    continue;
                }
                if held.since.is_some_and(|since| since.elapsed() < LASTS) {
                    held.size = (held.size * 2).min(self.largest);
                }
                (count as u64 - have, held.size, (held.epoch, held.above))
            };
            let (map, table, width) = (self.map.clone(), self.table.clone(), self.width);
            let request =
                Request { map, table, width, missing, size: size.max(missing).min(width.max_id()), above };
            let (epoch, block) = self.reserve(pool, deadline, &request, read_only).await?;
            self.reservations.fetch_add(1, Ordering::Relaxed);
            self.warn_of_width(block.end - 1);
            let mut held = self.held();
            // The reservation may have been the first to read a new epoch.
            held.keep_only(pool.identity().epoch());
            if held.epoch == epoch {
                held.put(block);
            } else {
                observe::burned(block.end - block.start);
            }
        }
    }

    /// Takes back ids that are certain not to be in the table, unless they are of another epoch.
    pub(crate) fn give_back(&self, epoch: u64, ids: impl IntoIterator<Item = u64>) {
        let mut held = self.held();
        if held.epoch != epoch {
            observe::burned(ids.into_iter().count() as u64);
            return;
        }
        held.returned.extend(ids);
        // Largest first, since they are taken from the end.
        held.returned.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// Warns, once for each share, if the ids up to this one are most of the map's.
    pub(crate) fn warn_of_width(&self, largest: u64) {
        let Some(share) = observe::share_to_warn_at(largest, self.width) else { return };
        if self.warned.fetch_max(share, Ordering::Relaxed) < share {
            let (table, width) = (&self.map, self.width);
            tracing::warn!(table, %width, largest, "more than {share} % of the map's ids are used: plan a wider map");
        }
    }

    /// Discards the held ids because one of them was in the table already. Ids that were reserved later are kept.
    pub(crate) fn discard(&self, taken: u64) {
        self.held().discard(taken);
    }

    /// Takes out the unused ids at the end of the latest block, including returned ones, and the epoch in which they were
    /// reserved. No ids are held afterwards.
    pub(crate) fn take_rest(&self) -> Option<(u64, Range<u64>)> {
        self.held().take_rest()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves ids, and returns the epoch in which they were reserved.
    async fn reserve(
        &self,
        pool: &Nodes,
        deadline: Deadline,
        request: &Request,
        read_only: ReadOnly,
    ) -> Result<(u64, Range<u64>)> {
        let attempt = async || {
            let reserved = match &self.sequence {
                Some(sequence) => request.attempt_on(pool, sequence).await,
                None => request.attempt(pool).await,
            };
            match reserved {
                Err(failure) if failure.is_read_only() => {
                    self.note_read_only();
                    match read_only {
                        ReadOnly::Retry => Err(failure),
                        ReadOnly::Fail => Err(Error::failed(ACTION, failure, 1).into()),
                    }
                }
                done => done,
            }
        };
        let reserved = Retries::run(deadline, ACTION, attempt).await?;
        self.read_only.store(false, Ordering::Relaxed);
        let out = || Error::new(Kind::Exhausted { width: self.width, table: self.table.clone() });
        reserved.ok_or_else(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::nodes::tests::nobody;

    /// Not one after the other, each with a deadline that begins when the one before has expired.
    #[tokio::test(start_paused = true)]
    async fn waiting_for_a_block_counts_against_the_deadline() {
        let (nodes, begin) = (nobody(1), tokio::time::Instant::now());
        let tables = Tables::named("uuid_map").unwrap();
        let blocks = Blocks::new(&tables, IdWidth::Bits64, 1000);
        let call = async || {
            let deadline = Deadline::after(Duration::from_secs(30));
            blocks.take(&nodes.within(deadline), deadline, 1).await.unwrap_err()
        };
        let errors = futures_util::future::join_all((0..100).map(|_| call())).await;
        assert!(errors.iter().all(crate::Error::is_transient), "{:?}", errors[99]);
        assert_eq!(begin.elapsed().as_secs(), 30);
    }
}
