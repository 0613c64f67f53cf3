//! Exporting and importing pairs.

use futures_util::stream::{self, Stream, TryStreamExt};
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

use crate::call::observe::count_call;
use crate::call::retry::Retries;
use crate::claim::index::Imported;
use crate::claim::pair::CHUNK;
use crate::error::{Error, Result};
use crate::installed::Index;
use crate::map::uuid_map::UuidMap;
use crate::table::marker::is_marker;
use crate::table::tables::unquoted;

/// The size and the state of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// The first id that no client has reserved.
    pub next_id: u64,
    /// Reserved ids in percent of the width, rounded down.
    pub used_percent: u8,
    /// The server's estimate of the number of pairs.
    pub pairs_estimate: u64,
    /// Bytes of the table with its ids, by the server's estimate.
    pub data_bytes: u64,
    /// Bytes of its index on the UUID or the hash, by the server's estimate.
    pub index_bytes: u64,
    /// Claims not yet cleared away; `None` with the index `unique`.
    pub claims: Option<u64>,
}

impl UuidMap {
    /// The most pairs that are committed together: [`ids_of`](UuidMap::ids_of) and [`import`](UuidMap::import) divide their
    /// pairs into groups of this size. A call with at most this many has one commit.
    pub const GROUP: usize = CHUNK;

    /// All pairs with ids above `after`, in ascending order of ids; 0 for all pairs. To resume an export, pass the last id that
    /// was received.
    ///
    /// Pairs that are created meanwhile may be missing, because they become visible in the order of commits and not of ids. To
    /// follow a map that is in use, call [`changes`](UuidMap::changes). Forgotten UUIDs are not exported.
    pub fn export(&self, after: u64) -> impl Stream<Item = Result<(u64, Uuid)>> + '_ {
        let pages = stream::try_unfold(Some(after), move |after| async move {
            let Some(after) = after else { return Ok(None) };
            let page = self.page(after).await?;
            let next = if page.len() < CHUNK { None } else { page.last().map(|(id, _)| *id) };
            let pairs = page.into_iter().filter(|(_, uuid)| !is_marker(*uuid));
            Ok::<_, Error>(Some((stream::iter(pairs.map(Ok)), next)))
        });
        pages.try_flatten()
    }

    async fn page(&self, after: u64) -> Result<Vec<(u64, Uuid)>> {
        const ACTION: &str = "export the map";
        let context = self.context().await?;
        let map = &context.tables.map;
        let page = format!("SELECT id, uuid FROM {map} WHERE id > {after} ORDER BY id LIMIT {CHUNK}");
        context.read_all(ACTION, &page).await
    }

    /// Stores pairs with given ids, such as those of another map's [`export`](UuidMap::export).
    ///
    /// Pairs are stored in groups of up to [`GROUP`](UuidMap::GROUP), in their order. Repeating an import, or continuing an
    /// interrupted one, is safe: pairs that exist already count as present. Later reservations are above the imported ids.
    /// Clients that hold lower blocks skip ids that are in use, and discard the rest of a block after several in a row.
    ///
    /// # Errors
    /// A pair contradicts the map or another pair of its group ([`is_conflict`](Error::is_conflict)): earlier groups are
    /// stored, and nothing of its own group is. Or the server fails.
    #[tracing::instrument(level = "debug", skip_all, fields(pairs = pairs.len()))]
    pub async fn import(&self, pairs: &[(u64, Uuid)]) -> Result<Imported> {
        count_call!("import");
        let mut imported = Imported::default();
        for group in pairs.chunks(CHUNK) {
            let context = self.context().await?;
            let group = group.to_vec();
            let done = crate::map::uuid_map::finish(async move { context.import(&group).await }).await?;
            imported.stored += done.stored;
            imported.present += done.present;
        }
        Ok(imported)
    }

    /// Reads the size and the state of the map.
    ///
    /// # Errors
    /// The server fails.
    pub async fn stats(&self) -> Result<Stats> {
        const ACTION: &str = "read the map's size";
        let context = self.context().await?;
        let tables = &context.tables;
        crate::table::sharded::refuse(tables, "the map's size", "ask each shard's server")?;
        let number = async |statement: String| {
            let look = || context.pool.fetch_one(sqlx::raw_sql(AssertSqlSafe(statement.clone())));
            let row = Retries::run(context.deadline, ACTION, look).await?;
            let number: Option<u64> = row.try_get_unchecked(0).map_err(Error::once(ACTION))?;
            Ok::<u64, Error>(number.unwrap_or(0))
        };
        let size = async |what: &str| {
            let table = unquoted(&tables.map);
            let source = "information_schema.tables WHERE table_schema = DATABASE()";
            number(format!("SELECT CAST({what} AS UNSIGNED) FROM {source} AND table_name = '{table}'")).await
        };
        let next_id = number(format!("SELECT next_id FROM {} WHERE one = 1", tables.state)).await?;
        let claims = match context.installed.index {
            Index::Unique => None,
            Index::Dedup => Some(number(format!("SELECT COUNT(*) FROM {}", tables.claim)).await?),
        };
        let share =
            u128::from(next_id.saturating_sub(1)) * 100 / u128::from(context.installed.width.max_id());
        Ok(Stats {
            next_id,
            used_percent: share.min(100) as u8,
            pairs_estimate: size("table_rows").await?,
            data_bytes: size("data_length").await?,
            index_bytes: size("index_length").await?,
            claims,
        })
    }
}
