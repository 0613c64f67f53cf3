//! Ids of UUIDs, and UUIDs of ids.

use sqlx::Row;
use uuid::Uuid;

use crate::call::observe::{self, count_call};
use crate::claim::index::claim_many;
use crate::claim::pair::{self, CHUNK, Claimed};
use crate::error::failure::Kind;
use crate::error::{Error, Result};
use crate::map::uuid_map::{UuidMap, finish};
use crate::statement::sql::uuid_at;
use crate::table::marker::{is_marker, refuse_marker};

impl UuidMap {
    /// Returns the id of a UUID, and creates it if there is none.
    ///
    /// Concurrent calls for one UUID make one round trip.
    ///
    /// # Errors
    /// The server fails for longer than the [timeout](crate::Builder::timeout), or no id is left. The pair may or may not be
    /// stored then; calling again is safe and returns its id.
    #[tracing::instrument(level = "debug", skip_all)]
    pub async fn id_of(&self, uuid: Uuid) -> Result<u64> {
        count_call!("id_of");
        if let Some(id) = self.cached(&uuid).await? {
            return Ok(id);
        }
        let (claimed, _) = self.claim(uuid).await?;
        Ok(claimed.id)
    }

    /// Returns the ids of many UUIDs in the order of the UUIDs, and creates those that do not exist. Repeats are allowed.
    ///
    /// Pairs are committed in groups of up to [`GROUP`](UuidMap::GROUP). After an error some may be stored;
    /// calling again with all of them completes the rest.
    ///
    /// # Errors
    /// As for [`id_of`](UuidMap::id_of).
    #[tracing::instrument(level = "debug", skip_all, fields(uuids = uuids.len()))]
    pub async fn ids_of(&self, uuids: &[Uuid]) -> Result<Vec<u64>> {
        count_call!("ids_of");
        let mut ids = self.cached_of(uuids).await?;
        let mut missing: Vec<Uuid> =
            uuids.iter().zip(&ids).filter(|(_, id)| id.is_none()).map(|(uuid, _)| *uuid).collect();
        missing.sort_unstable();
        missing.dedup();
        missing.iter().try_for_each(|uuid| refuse_marker(*uuid))?;
        let mut pairs: Vec<Claimed> = Vec::with_capacity(missing.len());
        for chunk in missing.chunks(CHUNK) {
            let context = self.context().await?;
            let before = self.drops();
            let (guess, chunk) = (self.repeats().guess(), chunk.to_vec());
            let claimed = finish(async move { claim_many(&context, &chunk, guess).await }).await?;
            pair::count(&claimed);
            for pair in &claimed {
                self.remember(pair, before);
            }
            let new = claimed.iter().filter(|pair| pair.new).count();
            self.repeats().learn(new * 2 > claimed.len());
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

    /// Creates an id for a UUID that must not have one.
    ///
    /// # Errors
    /// The UUID has an id: [`is_duplicate`](Error::is_duplicate), with
    /// [`existing_id`](Error::existing_id). Otherwise as for [`id_of`](UuidMap::id_of).
    #[tracing::instrument(level = "debug", skip_all)]
    pub async fn register(&self, uuid: Uuid) -> Result<u64> {
        count_call!("register");
        let duplicate = |id| Err(Error::new(Kind::Duplicate { uuid, id }));
        if let Some(id) = self.cached(&uuid).await? {
            return duplicate(id);
        }
        let (claimed, mine) = self.claim(uuid).await?;
        if claimed.new && mine { Ok(claimed.id) } else { duplicate(claimed.id) }
    }

    /// Returns the id of a UUID, if it has one. Creates nothing.
    ///
    /// # Errors
    /// The server fails for longer than the [timeout](crate::Builder::timeout).
    pub async fn find(&self, uuid: Uuid) -> Result<Option<u64>> {
        Ok(self.find_many(&[uuid]).await?[0])
    }

    /// Returns, in the order of the UUIDs, the id of each or `None`. Creates nothing.
    ///
    /// # Errors
    /// As for [`find`](UuidMap::find).
    #[tracing::instrument(level = "debug", skip_all, fields(uuids = uuids.len()))]
    pub async fn find_many(&self, uuids: &[Uuid]) -> Result<Vec<Option<u64>>> {
        const ACTION: &str = "look up UUIDs";
        count_call!("find");
        let mut ids = self.cached_of(uuids).await?;
        let mut missing: Vec<Uuid> =
            uuids.iter().zip(&ids).filter(|(_, id)| id.is_none()).map(|(uuid, _)| *uuid).collect();
        missing.sort_unstable();
        missing.dedup();
        missing.retain(|uuid| !is_marker(*uuid));
        let mut pairs = Vec::new();
        for chunk in missing.chunks(CHUNK) {
            let context = self.context().await?;
            let before = self.drops();
            let mut found = context.look_up(ACTION, chunk).await?;
            let absent: Vec<Uuid> =
                chunk.iter().copied().filter(|uuid| !found.iter().any(|(known, _)| known == uuid)).collect();
            if !absent.is_empty() {
                // An answer without a row proves nothing.
                let all = context.read_all(ACTION, &context.pairs_of_uuids(&absent)).await?;
                let asked = all.into_iter().filter(|(_, uuid)| absent.binary_search(uuid).is_ok());
                found.extend(asked.map(|(id, uuid)| (uuid, id)));
            }
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

    /// Returns the UUID of an id, if there is one.
    ///
    /// # Errors
    /// As for [`find`](UuidMap::find).
    pub async fn uuid_of(&self, id: u64) -> Result<Option<Uuid>> {
        Ok(self.uuids_of(&[id]).await?[0])
    }

    /// Returns, in the order of the ids, the UUID of each or `None`.
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
            let context = self.context().await?;
            let list: Vec<String> = chunk.iter().map(u64::to_string).collect();
            let statement =
                format!("SELECT id, uuid FROM {} WHERE id IN ({})", context.tables.map, list.join(","));
            for row in context.read_rows(ACTION, &statement).await? {
                let id = row.try_get(0).map_err(Error::once(ACTION))?;
                pairs.push((id, uuid_at(&row, 1).map_err(Error::once(ACTION))?));
            }
            // An answer without a row proves nothing.
            let absent: Vec<String> = chunk
                .iter()
                .filter(|id| !pairs.iter().any(|(found, _)| found == *id))
                .map(u64::to_string)
                .collect();
            if !absent.is_empty() {
                let map = &context.tables.map;
                let again = format!("SELECT id, uuid FROM {map} WHERE id IN ({})", absent.join(","));
                pairs.extend(context.read_all(ACTION, &again).await?);
            }
            pairs.retain(|(_, uuid)| !is_marker(*uuid));
        }
        pairs.sort_unstable();
        let find = |id: &u64| pairs.binary_search_by_key(id, |(id, _)| *id).ok().map(|at| pairs[at].1);
        Ok(ids.iter().map(find).collect())
    }
}
