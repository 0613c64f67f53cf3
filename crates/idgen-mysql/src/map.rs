//! The map, as its users see it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use quick_cache::sync::Cache;
use sqlx::Row;
use tokio::sync::OnceCell;
use tokio::time::Instant;
use tracing::Instrument;
use uuid::Uuid;

use crate::blocks::Blocks;
use crate::builder::Builder;
use crate::error::{Error, Kind, Result};
use crate::failure::{Attempt, Failure};
use crate::flight::Flights;
use crate::forget::{is_marker, refuse_marker};
use crate::install;
use crate::nodes::{Lease, Nodes};
use crate::observe::{self, count_call};
use crate::patience::Patience;
use crate::repeats::Repeats;
use crate::retry::Tries;
use crate::schema::{self, IdWidth, Installed, State, Strategy, Tables};
use crate::server::{ServerReport, Topology};
use crate::strategy::{CHUNK, Claimed, Ground, uuid_at};

/// UUIDs mapped to integers. Cheap to clone; clones share connections, cache and reserved ids.
///
/// Calls may be cancelled by dropping their futures at any time: work on the server runs in a task of its
/// own, which ends in good order.
#[derive(Clone)]
pub struct UuidMap {
    inner: Arc<Inner>,
}

struct Inner {
    pool: Nodes,
    tables: Tables,
    choices: Builder,
    ground: OnceCell<Ground>,
    cache: Option<Cache<Uuid, u64>>,
    /// How often the cache was told to drop an entry.
    drops: AtomicU64,
    cache_epoch: AtomicU64,
    flights: Flights<Claimed>,
    repeats: Repeats,
}

/// How long connecting goes on if nothing listens at the addresses. A wrong port is a more probable cause than a server
/// that is being restarted.
const REFUSED_LIMIT: Duration = Duration::from_secs(2);

impl UuidMap {
    /// Connects to `mysql://user:password@host:port/schema`, with the defaults of [`Builder`].
    ///
    /// # Errors
    /// As for [`Builder::connect`].
    pub async fn connect(url: &str) -> Result<UuidMap> {
        UuidMap::builder().connect(url).await
    }

    /// For other than the default choices.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn new(pool: Nodes, tables: Tables, choices: Builder) -> UuidMap {
        let cache = (choices.cache > 0).then(|| Cache::new(choices.cache));
        let inner = Inner {
            pool,
            tables,
            choices,
            ground: OnceCell::new(),
            cache,
            drops: AtomicU64::new(0),
            cache_epoch: AtomicU64::new(0),
            flights: Flights::new(),
            repeats: Repeats::default(),
        };
        UuidMap { inner: Arc::new(inner) }
    }

    /// Waits for a server that answers.
    pub(crate) async fn reach(&self) -> Result<()> {
        const ACTION: &str = "connect";
        let (patience, nodes) = self.begin();
        let (begin, mut refused) = (Instant::now(), 0);
        let mut tries = Tries::new(patience);
        loop {
            let Err(failure) = nodes.reach().await else { return Ok(()) };
            refused = if failure.is_connection_refused() { refused + 1 } else { 0 };
            if refused >= nodes.count() && begin.elapsed() >= REFUSED_LIMIT {
                return Err(tries.end(ACTION, failure));
            }
            tries.after(ACTION, failure).await?;
        }
    }

    /// Makes the tables, or checks those that are there. Safe to call at every start and by many clients at
    /// once.
    ///
    /// # Errors
    /// The server's settings endanger the promise, the user may not create tables, or the tables that are
    /// there are of another layout, strategy or width than asked for.
    #[tracing::instrument(level = "debug", skip_all)]
    pub async fn install(&self) -> Result<()> {
        if self.inner.choices.read_only {
            let problem = "nothing can be installed: this client was opened with read_only".to_owned();
            return Err(Error::new(Kind::Config { problem }));
        }
        let (patience, nodes) = self.begin();
        let make = async || {
            let mut connection = nodes.acquire().await?;
            // Making tables takes its time, most of all on a cluster.
            let done = patience.bound(self.install_on(&mut connection)).await;
            connection.heed(done.unwrap_or(Err(Failure::NoAnswer)))
        };
        Tries::run(patience, "install the map", make).await?;
        self.ground().await.map(drop)
    }

    async fn install_on(&self, connection: &mut Lease) -> Attempt<()> {
        let choices = &self.inner.choices;
        let wanted = Installed {
            strategy: choices.strategy.unwrap_or(Strategy::Unique),
            width: choices.width.unwrap_or(IdWidth::Bits64),
        };
        let tables = self.tables_on(connection).await?;
        if wanted.strategy == Strategy::Dedup {
            let instead = "its claims and pairs would be on different shards; use the strategy unique";
            crate::sharded::refuse(&tables, "the strategy dedup", instead)?;
        }
        install::install(connection, &tables, wanted).await
    }

    /// What the server is, and what of it endangers the promise. Of a cluster: the node in use. Each connection
    /// asks when it is made, and once a second while it is used.
    ///
    /// # Errors
    /// The server cannot be asked, or endangers the promise and [`Builder::accept_unsafe_server`] was not
    /// chosen; of several nodes, none that can be reached keeps it.
    pub async fn server_report(&self) -> Result<ServerReport> {
        let (patience, nodes) = self.begin();
        let lease = Tries::run(patience, "read the server's settings", || nodes.acquire()).await?;
        Ok(lease.report().clone())
    }

    /// Which map this is: drawn when it was installed, and the same on every server that holds it. Compare it where
    /// two addresses should lead to the same map.
    ///
    /// # Errors
    /// The map is not installed or not readable.
    pub async fn map_id(&self) -> Result<Uuid> {
        let ground = self.ground().await?;
        ground
            .pool
            .anchor()
            .map_id()
            .ok_or_else(|| Error::new(Kind::NotInstalled { table: ground.tables.state.clone() }))
    }

    /// How pairs are kept unique.
    ///
    /// # Errors
    /// The map is not installed or not readable.
    pub async fn strategy(&self) -> Result<Strategy> {
        Ok(self.ground().await?.installed.strategy)
    }

    /// How wide the ids are.
    ///
    /// # Errors
    /// The map is not installed or not readable.
    pub async fn id_width(&self) -> Result<IdWidth> {
        Ok(self.ground().await?.installed.width)
    }

    /// The id of a UUID, made where there is none.
    ///
    /// Concurrent calls for one UUID make one round trip.
    ///
    /// # Errors
    /// The server fails for longer than the [patience](Builder::patience), or no id is left. The pair may or
    /// may not be stored then; calling again tells.
    #[tracing::instrument(level = "debug", skip_all)]
    pub async fn id_of(&self, uuid: Uuid) -> Result<u64> {
        count_call!("id_of");
        if let Some(id) = self.cached(&uuid) {
            return Ok(id);
        }
        let (claimed, _) = self.claim(uuid).await?;
        Ok(claimed.id)
    }

    /// The ids of many UUIDs, made where there is none; in their order, repeats allowed.
    ///
    /// Pairs are committed in groups of up to [`GROUP`](UuidMap::GROUP). After an error some may be stored;
    /// calling again with all of them completes the rest.
    ///
    /// # Errors
    /// As for [`id_of`](UuidMap::id_of).
    #[tracing::instrument(level = "debug", skip_all, fields(uuids = uuids.len()))]
    pub async fn ids_of(&self, uuids: &[Uuid]) -> Result<Vec<u64>> {
        count_call!("ids_of");
        let mut ids: Vec<Option<u64>> = uuids.iter().map(|uuid| self.cached(uuid)).collect();
        let mut missing: Vec<Uuid> =
            uuids.iter().zip(&ids).filter(|(_, id)| id.is_none()).map(|(uuid, _)| *uuid).collect();
        missing.sort_unstable();
        missing.dedup();
        missing.iter().try_for_each(|uuid| refuse_marker(*uuid))?;
        let mut pairs: Vec<Claimed> = Vec::with_capacity(missing.len());
        for chunk in missing.chunks(CHUNK) {
            let ground = self.ground().await?;
            let before = self.drops();
            let (guess, chunk) = (self.inner.repeats.guess(), chunk.to_vec());
            let claimed = finish(async move { ground.claim_many(&chunk, guess).await }).await?;
            observe::claimed(&claimed);
            for pair in &claimed {
                self.remember(pair, before);
            }
            let new = claimed.iter().filter(|pair| pair.new).count();
            self.inner.repeats.learn(new * 2 > claimed.len());
            pairs.extend(claimed);
        }
        pairs.sort_unstable_by_key(|pair| pair.uuid);
        for (uuid, id) in uuids.iter().zip(&mut ids) {
            if id.is_none() {
                *id = pairs.binary_search_by_key(uuid, |pair| pair.uuid).ok().map(|at| pairs[at].id);
            }
        }
        let all: Option<Vec<u64>> = ids.into_iter().collect();
        all.ok_or_else(|| Error::new(Kind::Damaged { problem: "a claimed UUID has no id".to_owned() }))
    }

    /// Makes an id for a UUID that must not have one.
    ///
    /// # Errors
    /// The UUID has an id: [`is_duplicate`](Error::is_duplicate), with
    /// [`existing_id`](Error::existing_id). Otherwise as for [`id_of`](UuidMap::id_of).
    #[tracing::instrument(level = "debug", skip_all)]
    pub async fn register(&self, uuid: Uuid) -> Result<u64> {
        count_call!("register");
        let duplicate = |id| Err(Error::new(Kind::Duplicate { uuid, id }));
        if let Some(id) = self.cached(&uuid) {
            return duplicate(id);
        }
        let (claimed, mine) = self.claim(uuid).await?;
        if claimed.new && mine { Ok(claimed.id) } else { duplicate(claimed.id) }
    }

    /// The id of a UUID, if it has one. Makes nothing.
    ///
    /// # Errors
    /// The server fails for longer than the [patience](Builder::patience).
    pub async fn find(&self, uuid: Uuid) -> Result<Option<u64>> {
        Ok(self.find_many(&[uuid]).await?[0])
    }

    /// The ids of those UUIDs that have one, in their order. Makes nothing.
    ///
    /// # Errors
    /// As for [`find`](UuidMap::find).
    #[tracing::instrument(level = "debug", skip_all, fields(uuids = uuids.len()))]
    pub async fn find_many(&self, uuids: &[Uuid]) -> Result<Vec<Option<u64>>> {
        count_call!("find");
        let mut ids: Vec<Option<u64>> = uuids.iter().map(|uuid| self.cached(uuid)).collect();
        let mut missing: Vec<Uuid> =
            uuids.iter().zip(&ids).filter(|(_, id)| id.is_none()).map(|(uuid, _)| *uuid).collect();
        missing.sort_unstable();
        missing.dedup();
        missing.retain(|uuid| !is_marker(*uuid));
        let mut pairs = Vec::new();
        for chunk in missing.chunks(CHUNK) {
            let ground = self.ground().await?;
            let before = self.drops();
            let found = ground.look_up("look up UUIDs", chunk).await?;
            observe::found(found.len());
            for (uuid, id) in &found {
                self.remember(&Claimed { uuid: *uuid, id: *id, new: false }, before);
            }
            pairs.extend(found);
        }
        pairs.sort_unstable();
        for (uuid, id) in uuids.iter().zip(&mut ids) {
            if id.is_none() {
                *id = pairs.binary_search_by_key(uuid, |(uuid, _)| *uuid).ok().map(|at| pairs[at].1);
            }
        }
        Ok(ids)
    }

    /// The UUID of an id, if it has one.
    ///
    /// # Errors
    /// As for [`find`](UuidMap::find).
    pub async fn uuid_of(&self, id: u64) -> Result<Option<Uuid>> {
        Ok(self.uuids_of(&[id]).await?[0])
    }

    /// The UUIDs of ids, in their order.
    ///
    /// # Errors
    /// As for [`find`](UuidMap::find).
    #[tracing::instrument(level = "debug", skip_all, fields(ids = ids.len()))]
    pub async fn uuids_of(&self, ids: &[u64]) -> Result<Vec<Option<Uuid>>> {
        count_call!("uuid_of");
        const ACTION: &str = "look up ids";
        let mut wanted = ids.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let mut pairs: Vec<(u64, Uuid)> = Vec::with_capacity(wanted.len());
        for chunk in wanted.chunks(CHUNK) {
            let ground = self.ground().await?;
            let list: Vec<String> = chunk.iter().map(u64::to_string).collect();
            let statement =
                format!("SELECT id, uuid FROM {} WHERE id IN ({})", ground.tables.map, list.join(","));
            for row in ground.read_rows(ACTION, &statement).await? {
                let id = row.try_get(0).map_err(Error::once(ACTION))?;
                pairs.push((id, uuid_at(&row, 1).map_err(Error::once(ACTION))?));
            }
            pairs.retain(|(_, uuid)| !is_marker(*uuid));
        }
        pairs.sort_unstable();
        let find = |id: &u64| pairs.binary_search_by_key(id, |(id, _)| *id).ok().map(|at| pairs[at].1);
        Ok(ids.iter().map(find).collect())
    }

    /// The patience of a call that begins, and the nodes as it uses them.
    fn begin(&self) -> (Patience, Nodes) {
        let patience = Patience::begin(self.inner.choices.patience);
        (patience, self.inner.pool.within(patience))
    }

    /// The tables' names on this kind of server.
    async fn tables_on(&self, connection: &mut Lease) -> Attempt<Tables> {
        let tables = &self.inner.tables;
        match connection.report().topology() {
            Topology::Vitess => crate::sharded::place(connection, tables).await,
            _ => Ok(tables.clone()),
        }
    }

    /// How pairs are claimed here, read once, for a call that begins.
    pub(crate) async fn ground(&self) -> Result<Ground> {
        const ACTION: &str = "read the map's state";
        let (patience, nodes) = self.begin();
        let read = async || {
            let mut connection = nodes.acquire().await?;
            let read = nodes.timed(self.read_on(&mut connection)).await;
            connection.heed(read)
        };
        let open = async || {
            let (tables, installed, state) = Tries::run(patience, ACTION, read).await?;
            let choices = &self.inner.choices;
            check_choices(choices, installed)?;
            nodes.anchor().drop_at(&tables, &state, installed);
            let blocks = Arc::new(Blocks::new(&tables, installed.width, choices.largest_block));
            let (tables, purge) = (Arc::new(tables), Arc::default());
            let (pool, read_only) = (nodes.clone(), choices.read_only);
            Ok(Ground { pool, tables, installed, blocks, patience, purge, read_only })
        };
        let ground = patience.turn(ACTION, self.inner.ground.get_or_try_init(open)).await??;
        Ok(ground.within(patience))
    }

    async fn read_on(&self, connection: &mut Lease) -> Attempt<(Tables, Installed, State)> {
        let tables = self.tables_on(connection).await?;
        let (installed, state) = schema::read(connection, &tables).await?;
        Ok((tables, installed, state))
    }

    /// The pair, and whether this very call made the round trip.
    async fn claim(&self, uuid: Uuid) -> Result<(Claimed, bool)> {
        refuse_marker(uuid)?;
        let ground = self.ground().await?;
        let before = self.drops();
        let (guess, patience) = (self.inner.repeats.guess(), ground.patience);
        let work = async || finish(async move { ground.claim_one(uuid, guess).await }).await;
        let (claimed, mine) = self.inner.flights.run(uuid, patience, work).await?;
        self.remember(&claimed, before);
        if mine {
            self.inner.repeats.learn(claimed.new);
            observe::claimed(&[claimed]);
        } else {
            observe::found(1);
        }
        Ok((claimed, mine))
    }

    fn cached(&self, uuid: &Uuid) -> Option<u64> {
        let id = self.cache()?.get(uuid)?;
        observe::cached();
        Some(id)
    }

    /// How often the cache was told to drop an entry, and the epoch of the map.
    fn drops(&self) -> (u64, u64) {
        (self.inner.drops.load(Ordering::SeqCst), self.inner.pool.anchor().epoch())
    }

    /// Only committed pairs come here. `before` is what [`drops`](Self::drops) gave before they were read: who
    /// forgets a UUID while another call reads it must not find it in the cache again.
    fn remember(&self, pair: &Claimed, before: (u64, u64)) {
        if let Some(cache) = self.cache() {
            cache.insert(pair.uuid, pair.id);
            if self.drops() != before {
                cache.remove(&pair.uuid);
            }
        }
    }

    /// For a pair that is no longer in the table.
    pub(crate) fn drop_from_cache(&self, uuid: &Uuid) {
        self.inner.drops.fetch_add(1, Ordering::SeqCst);
        if let Some(cache) = &self.inner.cache {
            cache.remove(uuid);
        }
    }

    /// How pairs are claimed here, if any call has asked for it yet.
    pub(crate) fn opened(&self) -> Option<Ground> {
        let patience = Patience::begin(self.inner.choices.patience);
        Some(self.inner.ground.get()?.within(patience))
    }

    /// The pairs of this epoch.
    fn cache(&self) -> Option<&Cache<Uuid, u64>> {
        let cache = self.inner.cache.as_ref()?;
        let epoch = self.inner.pool.anchor().epoch();
        if self.inner.cache_epoch.swap(epoch, Ordering::AcqRel) != epoch {
            cache.clear();
        }
        Some(cache)
    }

    pub(crate) async fn close_pools(&self) {
        let (_, nodes) = self.begin();
        nodes.close().await;
    }
}

impl fmt::Debug for UuidMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UuidMap").field("choices", &self.inner.choices).finish_non_exhaustive()
    }
}

fn check_choices(choices: &Builder, found: Installed) -> Result<()> {
    match (choices.strategy, choices.width) {
        (Some(asked), _) if asked != found.strategy => {
            Err(Error::new(Kind::OtherStrategy { asked, found: found.strategy }))
        }
        (_, Some(asked)) if asked != found.width => {
            Err(Error::new(Kind::OtherWidth { asked, found: found.width }))
        }
        _ => Ok(()),
    }
}

/// Runs work in a task of its own. A dropped future abandons the task, which then ends by itself: that is what makes calls
/// cancellable.
pub(crate) async fn finish<T: Send + 'static>(
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    match tokio::spawn(work.in_current_span()).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(Error::new(Kind::Config { problem: "the tokio runtime is shutting down".to_owned() })),
    }
}
