//! The map: connecting, caching, and running calls.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use quick_cache::sync::Cache;
use tokio::sync::OnceCell;
use tokio::time::Instant;
use tracing::Instrument;
use uuid::Uuid;

use crate::call::deadline::Deadline;
use crate::call::observe::{self};
use crate::call::retry::Retries;
use crate::claim::blocks::Blocks;
use crate::claim::context::Context;
use crate::claim::index::claim_one;
use crate::claim::pair::{self, Claimed};
use crate::claim::state_row::lost;
use crate::connection::nodes::{Nodes, PooledConnection, Take};
use crate::connection::server::Topology;
use crate::error::damaged;
use crate::error::failure::{Attempt, Kind};
use crate::error::{Error, Result};
use crate::installed::Installed;
use crate::map::choices::Choices;
use crate::map::repeats::Repeats;
use crate::map::single_flight::SingleFlight;
use crate::statement::caller::Connection;
use crate::statement::one_by_one::OneByOne;
use crate::statement::sql::SHARED;
use crate::table::marker::refuse_marker;
use crate::table::schema::{self, Sound, State};
use crate::table::tables::Tables;

/// UUIDs mapped to integers. Cheap to clone; clones share connections, cache and reserved ids.
///
/// Calls may be canceled at any time by dropping their futures. Work on the server runs in a separate task, which is
/// completed.
#[derive(Clone)]
pub struct UuidMap {
    inner: Arc<Inner>,
}

struct Inner {
    pool: Nodes,
    tables: Tables,
    choices: Choices,
    context: OnceCell<Context>,
    cache: Option<Cache<Uuid, u64>>,
    /// The number of times that an entry was removed from the cache.
    drops: AtomicU64,
    cache_epoch: AtomicU64,
    /// Locked by the call that reads the epoch again.
    reading: tokio::sync::Mutex<()>,
    single_flight: SingleFlight<Claimed>,
    repeats: Repeats,
}

/// The time for which connecting is repeated if nothing listens at the addresses. A wrong port is then more probable than a server
/// that is being restarted.
const REFUSED_LIMIT: Duration = Duration::from_secs(2);

impl UuidMap {
    pub(crate) fn new(pool: Nodes, tables: Tables, choices: Choices) -> UuidMap {
        let cache = (choices.cache > 0).then(|| Cache::new(choices.cache));
        let inner = Inner {
            pool,
            tables,
            choices,
            context: OnceCell::new(),
            cache,
            drops: AtomicU64::new(0),
            cache_epoch: AtomicU64::new(0),
            reading: tokio::sync::Mutex::new(()),
            single_flight: SingleFlight::new(),
            repeats: Repeats::default(),
        };
        UuidMap { inner: Arc::new(inner) }
    }

    /// Waits until a server answers.
    pub(crate) async fn reach(&self) -> Result<()> {
        const ACTION: &str = "connect";
        let (deadline, nodes) = self.begin();
        let (begin, mut refused) = (Instant::now(), 0);
        let mut retries = Retries::new(deadline);
        loop {
            let Err(failure) = nodes.reach().await else { return Ok(()) };
            refused = if failure.is_connection_refused() { refused + 1 } else { 0 };
            if refused >= nodes.count() && begin.elapsed() >= REFUSED_LIMIT {
                return Err(retries.end(ACTION, failure));
            }
            retries.after(ACTION, failure).await?;
        }
    }

    /// The choices that were made before connecting.
    pub(crate) fn choices(&self) -> &Choices {
        &self.inner.choices
    }

    /// The kind of UUIDs that callers mostly pass: new or known ones.
    pub(crate) fn repeats(&self) -> &Repeats {
        &self.inner.repeats
    }

    /// The deadline of a call that begins, and the nodes as it uses them.
    pub(crate) fn begin(&self) -> (Deadline, Nodes) {
        let deadline = Deadline::after(self.inner.choices.timeout);
        (deadline, self.inner.pool.within(deadline))
    }

    /// The caller's connection, which is in a transaction.
    pub(crate) fn one_by_one<'c, C: Connection>(&self, connection: &'c mut C) -> OneByOne<'c, C> {
        self.inner.pool.one_by_one(connection)
    }

    /// The tables' names on this kind of server.
    pub(crate) async fn tables_on(&self, connection: &mut PooledConnection) -> Attempt<Tables> {
        let tables = &self.inner.tables;
        match connection.report().topology() {
            Topology::Vitess => crate::table::sharded::place(connection, tables).await,
            _ => Ok(tables.clone()),
        }
    }

    /// The context of a call that begins: how pairs are claimed here, which is read once. Fails if the map lacks what was stored in it.
    pub(crate) async fn context(&self) -> Result<Context> {
        self.context_if(Condition::Complete).await
    }

    /// The context of a call that reports or ends what is wrong with a map.
    pub(crate) async fn context_if(&self, condition: Condition) -> Result<Context> {
        const ACTION: &str = "read the map's state";
        let (deadline, nodes) = self.begin();
        let complete = condition == Condition::Complete && !nodes.accept_unsafe();
        let read = async || {
            let read = async |connection: &mut PooledConnection| self.read_on(connection, complete).await;
            nodes.attempt(Take::AtOnce, read).await
        };
        let open = async || {
            let (tables, installed, state) = Retries::run(deadline, ACTION, read).await?;
            let choices = &self.inner.choices;
            check_choices(choices, installed)?;
            nodes.identity().note(&tables, &state, installed);
            let blocks = Arc::new(Blocks::new(&tables, installed.width, choices.largest_block));
            let (tables, purge, proof) = (Arc::new(tables), Arc::default(), Arc::default());
            let (pool, read_only) = (nodes.clone(), choices.read_only);
            let allow_exhausting_import = choices.allow_exhausting_import;
            Ok(Context {
                pool,
                tables,
                installed,
                blocks,
                deadline,
                purge,
                known_places: Arc::default(),
                witness: Arc::default(),
                proof,
                read_only,
                allow_exhausting_import,
            })
        };
        let context = deadline.wait_for(ACTION, self.inner.context.get_or_try_init(open)).await??;
        Ok(context.within(deadline))
    }

    async fn read_on(
        &self,
        connection: &mut PooledConnection,
        complete: bool,
    ) -> Attempt<(Tables, Installed, State)> {
        let tables = self.tables_on(connection).await?;
        let Sound { installed, state, definitions } = schema::read(connection, &tables).await?;
        if complete && lost(&mut **connection, &tables.map, &state, "").await?.is_some() {
            // A proxy may have sent the plain read to a server that lags behind.
            let locking = if tables.places.is_none() { SHARED } else { "" };
            if let Some(problem) = lost(&mut **connection, &tables.map, &state, locking).await? {
                return Err(damaged(problem));
            }
        }
        self.inner.pool.identity().note_definitions(definitions);
        Ok((tables, installed, state))
    }

    /// The pair, and whether this call itself made the round trip.
    pub(crate) async fn claim(&self, uuid: Uuid) -> Result<(Claimed, bool)> {
        refuse_marker(uuid)?;
        let context = self.context().await?;
        let before = self.drops();
        let (guess, deadline) = (self.inner.repeats.guess(), context.deadline);
        let work = async || finish(async move { claim_one(&context, uuid, guess).await }).await;
        let (claimed, mine) = self.inner.single_flight.run(uuid, deadline, work).await?;
        self.remember(&claimed, before);
        if mine {
            self.inner.repeats.learn(claimed.new);
            pair::count(&[claimed]);
        } else {
            observe::found(1);
        }
        Ok((claimed, mine))
    }

    /// The id in the cache. The epoch of the cached pairs was read at most a second ago, or is read now.
    ///
    /// # Errors
    /// The server cannot be asked for the epoch: without it, nobody knows whether the map was restored meanwhile.
    pub(crate) async fn cached(&self, uuid: &Uuid) -> Result<Option<u64>> {
        let look = || self.cache()?.get(uuid);
        let mut id = look();
        if id.is_some() && !self.inner.pool.identity().is_fresh() {
            self.read_epoch().await?;
            id = look();
        }
        observe::cached(id.iter().len());
        Ok(id)
    }

    /// The ids of many UUIDs, in their order.
    pub(crate) async fn cached_of(&self, uuids: &[Uuid]) -> Result<Vec<Option<u64>>> {
        let look = || -> Vec<Option<u64>> {
            let cache = self.cache();
            uuids.iter().map(|uuid| cache?.get(uuid)).collect()
        };
        let mut ids = look();
        if ids.iter().any(Option::is_some) && !self.inner.pool.identity().is_fresh() {
            self.read_epoch().await?;
            ids = look();
        }
        observe::cached(ids.iter().flatten().count());
        Ok(ids)
    }

    /// Reads the epoch again. If many calls need it, one of them reads it.
    #[cold]
    async fn read_epoch(&self) -> Result<()> {
        const ACTION: &str = "check that cached pairs are still valid";
        let (deadline, nodes) = self.begin();
        // A reading that began after this call is new enough, however long it takes.
        let asked = Instant::now();
        let _one = deadline.wait_for(ACTION, self.inner.reading.lock()).await?;
        if nodes.identity().is_fresh_at(asked) {
            return Ok(());
        }
        // Taking a connection reads it, if that was not done within a second.
        Retries::run(deadline, ACTION, async || {
            let read = async |connection: &mut PooledConnection| match nodes.identity().is_fresh_at(asked) {
                true => Ok(()),
                false => connection.look_again().await,
            };
            nodes.attempt(Take::AtOnce, read).await
        })
        .await
    }

    /// Returns the number of removals from the cache, and the epoch of the map.
    pub(crate) fn drops(&self) -> (u64, u64) {
        (self.inner.drops.load(Ordering::SeqCst), self.inner.pool.identity().epoch())
    }

    /// Adds committed pairs to the cache. `before` is the result of [`drops`](Self::drops) before they were read: a pair that
    /// was forgotten while it was read must not be added to the cache again.
    pub(crate) fn remember(&self, pair: &Claimed, before: (u64, u64)) {
        self.inner.pool.identity().note_stored(before.1, pair.id, pair.uuid);
        if let Some(cache) = self.cache() {
            cache.insert(pair.uuid, pair.id);
            if self.drops() != before {
                cache.remove(&pair.uuid);
            }
        }
    }

    /// Drops a pair that is no longer in the table.
    pub(crate) fn drop_from_cache(&self, uuid: &Uuid) {
        self.inner.drops.fetch_add(1, Ordering::SeqCst);
        if let Some(cache) = &self.inner.cache {
            cache.remove(uuid);
        }
    }

    /// The kind of map that is installed here, if any call has asked for it yet.
    pub(crate) fn opened(&self) -> Option<Context> {
        let deadline = Deadline::after(self.inner.choices.timeout);
        Some(self.inner.context.get()?.within(deadline))
    }

    /// The pairs of this epoch.
    fn cache(&self) -> Option<&Cache<Uuid, u64>> {
        let cache = self.inner.cache.as_ref()?;
        let epoch = self.inner.pool.identity().epoch();
        // Cleared before it counts as cleared, because other threads look meanwhile.
        if self.inner.cache_epoch.load(Ordering::Acquire) != epoch {
            cache.clear();
            self.inner.cache_epoch.store(epoch, Ordering::Release);
        }
        Some(cache)
    }

    pub(crate) async fn close_pools(&self) {
        let (_, nodes) = self.begin();
        nodes.close().await;
    }
}

/// The maps that a call works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Maps that still have the pairs that were stored in them.
    Complete,
    Any,
}

impl fmt::Debug for UuidMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UuidMap").field("choices", &self.inner.choices).finish_non_exhaustive()
    }
}

fn check_choices(choices: &Choices, found: Installed) -> Result<()> {
    match (choices.index, choices.width) {
        (Some(asked), _) if asked != found.index => {
            Err(Error::new(Kind::OtherIndex { asked, found: found.index }))
        }
        (_, Some(asked)) if asked != found.width => {
            Err(Error::new(Kind::OtherWidth { asked, found: found.width }))
        }
        _ => Ok(()),
    }
}

/// Runs work in a separate task. If the future is dropped, the task still completes, so calls can be canceled at any time.
pub(crate) async fn finish<T: Send + 'static>(
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    match tokio::spawn(work.in_current_span()).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(Error::new(Kind::Config { problem: "the tokio runtime is shutting down".to_owned() })),
    }
}
