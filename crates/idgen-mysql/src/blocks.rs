//! Ids in blocks: one committed update of the state row reserves many ids, which are then this client's own.
//!
//! The update commits by itself before any id of the block is used, so a crash can waste ids but never give
//! one out twice. Ids that a statement did not use after all come back here and are used next.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, Executor, Row};

use crate::error::{Error, Kind, Result};
use crate::failure::Attempt;
use crate::nodes::Nodes;
use crate::observe;
use crate::patience::Patience;
use crate::retry::Tries;
use crate::schema::{IdWidth, Tables, VERSION, unquoted};
use crate::strategy::literal;

/// The first block of a client; a busy one soon takes larger ones.
const SMALLEST: u64 = 128;
/// A block that lasts less long than this was too small.
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
    /// The server took no writes when they were last tried.
    read_only: AtomicBool,
    /// The largest share of the ids, in percent, of which a warning was given.
    warned: AtomicU8,
    // One refill at a time: others wait for its ids instead of reserving more.
    refill: tokio::sync::Mutex<()>,
}

/// What to do about a server that takes no writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadOnly {
    /// A failover may make it writable.
    Retry,
    Fail,
}

#[derive(Debug)]
struct Held {
    returned: Vec<u64>,
    block: Range<u64>,
    // Where the latest reservation begins.
    latest: u64,
    size: u64,
    since: Option<Instant>,
    // In which the ids were reserved.
    epoch: u64,
}

impl Blocks {
    pub(crate) fn new(tables: &Tables, width: IdWidth, largest: u64) -> Blocks {
        let size = SMALLEST.min(largest);
        let held = Held { returned: Vec::new(), block: 0..0, latest: 0, size, since: None, epoch: 0 };
        Blocks {
            table: tables.state.clone(),
            map: unquoted(&tables.map).to_owned(),
            sequence: tables.places.as_ref().map(|places| places.sequence.clone()),
            width,
            largest,
            held: Mutex::new(held),
            read_only: AtomicBool::new(false),
            warned: AtomicU8::new(0),
            refill: tokio::sync::Mutex::new(()),
        }
    }

    /// Takes `count` ids, ascending.
    pub(crate) async fn take(&self, pool: &Nodes, patience: Patience, count: usize) -> Result<Vec<u64>> {
        self.take_or(pool, patience, count, ReadOnly::Retry).await
    }

    /// Takes `count` ids, and fails at once if the server takes no writes: the caller has something to do that needs none.
    pub(crate) async fn take_if_writable(
        &self,
        pool: &Nodes,
        patience: Patience,
        count: usize,
    ) -> Result<Vec<u64>> {
        self.take_or(pool, patience, count, ReadOnly::Fail).await
    }

    /// True if the server took no writes when they were last tried.
    pub(crate) fn are_read_only(&self) -> bool {
        self.read_only.load(Ordering::Relaxed)
    }

    /// Notes that the server takes no writes. Reserving ids the next time finds out whether this has changed.
    pub(crate) fn note_read_only(&self) {
        self.read_only.store(true, Ordering::Relaxed);
    }

    async fn take_or(
        &self,
        pool: &Nodes,
        patience: Patience,
        count: usize,
        read_only: ReadOnly,
    ) -> Result<Vec<u64>> {
        loop {
            {
                let mut held = self.held();
                held.keep_only(pool.anchor().epoch());
                if let Some(ids) = held.take(count) {
                    observe::block_left(&self.map, held.available());
                    return Ok(ids);
                }
            }
            let _one = patience.turn(ACTION, self.refill.lock()).await?;
            let (missing, size) = {
                let mut held = self.held();
                let have = held.available();
                if have >= count as u64 {
                    continue;
                }
                if held.since.is_some_and(|since| since.elapsed() < LASTS) {
                    held.size = (held.size * 2).min(self.largest);
                }
                (count as u64 - have, held.size)
            };
            let epoch = pool.anchor().epoch();
            let block = self.reserve(pool, patience, missing, size.max(missing), read_only).await?;
            self.warn_of_width(block.end - 1);
            let mut held = self.held();
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

    /// Gives up what is held, since an id of it was in the table already. Ids reserved later than that one's
    /// stay.
    pub(crate) fn discard(&self, taken: u64) {
        self.held().discard(taken);
    }

    /// Takes out the ids at the end of the latest block that nobody has used: its rest, and what came back of it.
    /// Nothing is held afterwards.
    pub(crate) fn take_rest(&self) -> Option<Range<u64>> {
        self.held().take_rest()
    }

    /// Reserves nothing, and raises the next id above one that is in use; true where it was not.
    pub(crate) async fn raise_above(&self, pool: &Nodes, patience: Patience, id: u64) -> Result<bool> {
        let (table, next) = (&self.table, id + 1);
        let raise = format!("UPDATE {table} SET next_id = {next} WHERE one = 1 AND next_id < {next}");
        let done =
            Tries::run(patience, "raise the next id", || pool.execute(AssertSqlSafe(raise.clone()))).await?;
        Ok(done.rows_affected() == 1)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves `size` ids, or what is left if that is at least `missing`.
    async fn reserve(
        &self,
        pool: &Nodes,
        patience: Patience,
        missing: u64,
        size: u64,
        read_only: ReadOnly,
    ) -> Result<Range<u64>> {
        let (table, max) = (&self.table, self.width.max_id());
        let mut size = size.min(max);
        let out = || Error::new(Kind::Exhausted { width: self.width, table: table.clone() });
        if let Some(sequence) = &self.sequence {
            let statement = format!("SELECT NEXT {size} VALUES FROM {sequence}");
            let next = || pool.fetch_one(sqlx::raw_sql(AssertSqlSafe(statement.clone())));
            let row = Tries::run(patience, ACTION, next).await?;
            let first: u64 = row.try_get_unchecked(0).map_err(Error::once(ACTION))?;
            let end = first.saturating_add(size).min(max + 1);
            return if first.saturating_add(missing) > end { Err(out()) } else { Ok(first..end) };
        }
        loop {
            // LAST_INSERT_ID(x) hands the old value back with the acknowledgement, without another look.
            let statement = format!(
                "UPDATE {table} SET next_id = LAST_INSERT_ID(next_id) + {size} \
                 WHERE one = 1 AND next_id <= {}{}",
                max - size + 1,
                self.conditions(pool)
            );
            // Repeating after a lost answer wastes the ids of the first attempt, no more.
            let attempt = async || match pool.execute(AssertSqlSafe(statement.clone())).await {
                Err(failure) if failure.is_read_only() => {
                    self.note_read_only();
                    match read_only {
                        ReadOnly::Retry => Err(failure),
                        ReadOnly::Fail => Err(Error::failed(ACTION, failure, 1).into()),
                    }
                }
                done => done,
            };
            let done = Tries::run(patience, ACTION, attempt).await?;
            self.read_only.store(false, Ordering::Relaxed);
            if done.rows_affected() == 1 {
                let first = done.last_insert_id();
                return Ok(first..first + size);
            }
            let left = Tries::run(patience, ACTION, || self.left(pool)).await?;
            if left < missing || left == 0 {
                return Err(out());
            }
            size = left.min(size);
        }
    }

    /// What must hold where the ids are reserved: the map and its epoch, and what keeps its log. The statement
    /// does nothing on another map, such as the one that an operator put in its place.
    fn conditions(&self, pool: &Nodes) -> String {
        let anchor = pool.anchor();
        let mut conditions = format!(" AND version = {VERSION} AND epoch = {}", anchor.epoch());
        if let Some(map_id) = anchor.map_id() {
            conditions.push_str(&format!(" AND map_id = {}", literal(map_id)));
        }
        if !pool.accept_unsafe() {
            conditions.push_str(
                " AND @@GLOBAL.innodb_flush_log_at_trx_commit = 1 \
                 AND (@@GLOBAL.log_bin = 0 OR @@GLOBAL.sync_binlog = 1)",
            );
        }
        conditions
    }

    /// Why nothing was reserved: the ids that are left, where all else is as it must be.
    async fn left(&self, pool: &Nodes) -> Attempt<u64> {
        let mut lease = pool.acquire().await?;
        let read = pool.timed(async {
            // What may have changed is compared, and refused or taken over.
            lease.look_again().await?;
            // A locking read is made where writes are made, also through a proxy that splits them from reads.
            let look = format!("SELECT next_id FROM {} WHERE one = 1 LOCK IN SHARE MODE", self.table);
            let row = lease.fetch_one(sqlx::raw_sql(AssertSqlSafe(look))).await?;
            let next: u64 = row.try_get(0)?;
            Ok((self.width.max_id() + 1).saturating_sub(next))
        });
        let read = read.await;
        lease.heed(read)
    }
}

impl Held {
    fn available(&self) -> u64 {
        self.returned.len() as u64 + (self.block.end - self.block.start)
    }

    /// Drops what was reserved in another epoch: the map may have been restored since.
    fn keep_only(&mut self, epoch: u64) {
        if self.epoch != epoch {
            observe::burned(self.available());
            self.returned.clear();
            self.block = 0..0;
            self.epoch = epoch;
        }
    }

    fn take(&mut self, count: usize) -> Option<Vec<u64>> {
        if self.available() < count as u64 {
            return None;
        }
        let mut ids = Vec::with_capacity(count);
        while ids.len() < count {
            match self.returned.pop().or_else(|| self.block.next()) {
                Some(id) => ids.push(id),
                None => break,
            }
        }
        Some(ids)
    }

    fn put(&mut self, block: Range<u64>) {
        self.latest = block.start;
        if self.block.end == block.start {
            // Nobody reserved in between.
            self.block.end = block.end;
        } else {
            let rest = std::mem::replace(&mut self.block, block);
            self.returned.extend(rest.rev());
            self.returned.sort_unstable_by(|a, b| b.cmp(a));
        }
        self.since = Some(Instant::now());
    }

    fn take_rest(&mut self) -> Option<Range<u64>> {
        let mut rest = std::mem::replace(&mut self.block, 0..0);
        // Largest first.
        for id in std::mem::take(&mut self.returned) {
            if id + 1 == rest.start {
                rest.start = id;
            }
        }
        (!rest.is_empty()).then_some(rest)
    }

    fn discard(&mut self, taken: u64) {
        let before = self.available();
        // Another call of this client may have given up the same ids, and reserved anew.
        let keep = if taken < self.latest { self.latest } else { u64::MAX };
        self.returned.retain(|id| *id >= keep);
        self.block.start = self.block.start.max(keep).min(self.block.end);
        observe::burned(before - self.available());
        // Not used up by being busy: the next block need not be larger.
        self.since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::tests::nobody;

    /// Not one after the other, each with a patience that begins when the one before has given up.
    #[tokio::test(start_paused = true)]
    async fn waiting_for_a_block_is_part_of_a_calls_patience() {
        let (nodes, begin) = (nobody(1), tokio::time::Instant::now());
        let tables = Tables::named("uuid_map").unwrap();
        let blocks = Blocks::new(&tables, IdWidth::Bits64, 1000);
        let call = async || {
            let patience = Patience::begin(Duration::from_secs(30));
            blocks.take(&nodes.within(patience), patience, 1).await.unwrap_err()
        };
        let errors = futures_util::future::join_all((0..100).map(|_| call())).await;
        assert!(errors.iter().all(crate::Error::is_transient), "{:?}", errors[99]);
        assert_eq!(begin.elapsed().as_secs(), 30);
    }

    #[test]
    fn held_ids_come_out_once_and_ascending() {
        let mut held = Held { returned: vec![], block: 0..0, latest: 0, size: 4, since: None, epoch: 0 };
        assert_eq!(held.take(1), None);
        held.put(10..14);
        assert_eq!(held.take(3), Some(vec![10, 11, 12]));
        held.put(14..16);
        assert_eq!(held.take(2), Some(vec![13, 14]));
        held.put(30..33);
        assert_eq!(held.take(4), Some(vec![15, 30, 31, 32]));
        assert_eq!(held.take(1), None);
    }

    #[test]
    fn the_rest_is_what_nobody_used_at_the_end() {
        let mut held = Held { returned: vec![], block: 0..0, latest: 0, size: 4, since: None, epoch: 0 };
        assert_eq!(held.take_rest(), None);
        held.put(10..20);
        assert_eq!(held.take(5), Some(vec![10, 11, 12, 13, 14]));
        held.returned = vec![14, 13, 11];
        assert_eq!(held.take_rest(), Some(13..20));
        assert_eq!((held.take(1), held.take_rest()), (None, None));
        held.put(20..21);
        assert_eq!(held.take(1), Some(vec![20]));
        assert_eq!(held.take_rest(), None);
    }

    #[test]
    fn given_up_ids_do_not_come_out_and_later_ones_do() {
        let mut held = Held { returned: vec![], block: 0..0, latest: 0, size: 4, since: None, epoch: 0 };
        held.put(10..14);
        held.put(30..34);
        held.discard(11);
        assert_eq!(held.take(1), Some(vec![30]));
        held.discard(11);
        assert_eq!(held.take(1), Some(vec![31]));
        held.discard(31);
        assert_eq!(held.available(), 0);
        held.put(40..42);
        assert_eq!(held.take(2), Some(vec![40, 41]));
    }
}
