//! Claiming inside the caller's own transaction.

use uuid::Uuid;

use crate::call::observe::count_call;
use crate::claim::context::Context;
use crate::claim::index::{dedup, unique};
use crate::claim::pair::{self, CHUNK, Claimed};
use crate::claim::within::Caller;
use crate::error::failure::Kind;
use crate::error::{Error, Result};
use crate::installed::Index;
use crate::map::uuid_map::UuidMap;
use crate::statement::caller::Connection;
use crate::statement::transaction::CallerConnection;
use crate::table::marker::refuse_marker;

impl UuidMap {
    /// Returns the id of a UUID, and creates it if there is none, as part of the caller's transaction on this server and
    /// schema. The pair and the rows that use it are committed together, or not at all.
    ///
    /// Differences from [`id_of`](UuidMap::id_of):
    /// - The UUID has the id only when **the caller commits**. Do not pass it on before. After a rollback the id is wasted,
    ///   and the UUID gets another one later.
    /// - Another client that asks for the same UUID waits until this transaction ends, for as long as
    ///   `innodb_lock_wait_timeout`. Claim late and commit soon; claim several UUIDs in ascending order.
    /// - No attempt is repeated. A deadlock ends the caller's transaction: after an error that
    ///   [`is_transient`](Error::is_transient), roll back and begin the transaction again.
    /// - The cache is neither read nor filled.
    /// - It needs a connection of the map for a moment, in addition to the caller's. It never waits for calls that wait for
    ///   this transaction: see [`Builder::connections`](crate::Builder::connections).
    /// - The map's time limits are for its own connections. How long an answer on this connection may take is up to the
    ///   caller.
    ///
    /// It works at every isolation level, even if the transaction's snapshot is older than the pair. On MariaDB before 11.4.2
    /// with `innodb_snapshot_isolation`, which is off by default there, the server ends such a transaction at REPEATABLE
    /// READ with error 1020: the error is transient. Newer versions of MariaDB have it on by default; there the map's
    /// statements switch it off for themselves alone.
    ///
    /// The transaction has to be in the schema of the map, on its server or on another node of its cluster (Group
    /// Replication, Galera). A copy of the schema, a replica and a restored backup are refused
    /// ([`is_other_map`](crate::Error::is_other_map)). On another node than the map uses, the index
    /// [`Dedup`](Index::Dedup) locks more and causes more deadlocks. A session that has a temporary table with the name of
    /// the map's table or of its claims, which would take the claim, is refused ([`is_schema`](crate::Error::is_schema)):
    /// roll back, because the claim may be in that table or without its pair.
    ///
    /// ```no_run
    /// # async fn example(map: idgen_mysql::UuidMap, pool: sqlx::MySqlPool, uuid: uuid::Uuid)
    /// #     -> Result<(), Box<dyn std::error::Error>> {
    /// let mut transaction = pool.begin().await?;
    /// let id = map.id_of_within(&mut transaction, uuid).await?;
    /// sqlx::query("INSERT INTO orders (id) VALUES (?)").bind(id).execute(&mut *transaction).await?;
    /// transaction.commit().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The connection is not in a transaction ([`is_not_in_transaction`](crate::Error::is_not_in_transaction)), perhaps because
    /// the server ended it after a deadlock; the connection leads to another map or to a copy of this one; the server refuses
    /// a statement; or no id is left.
    #[tracing::instrument(level = "debug", skip_all)]
    pub async fn id_of_within<C: CallerConnection>(&self, transaction: &mut C, uuid: Uuid) -> Result<u64> {
        count_call!("id_of_within");
        Ok(self.claim_within(&mut self.one_by_one(transaction.on()), uuid).await?.id)
    }

    /// [`ids_of`](UuidMap::ids_of) as part of the caller's transaction, with the terms of
    /// [`id_of_within`](UuidMap::id_of_within): the ids of many UUIDs, in their order, repeats allowed. UUIDs are
    /// claimed in ascending order, so that two such batches wait for each other instead of deadlocking.
    ///
    /// ```no_run
    /// # async fn example(map: idgen_mysql::UuidMap, pool: sqlx::MySqlPool, uuids: Vec<uuid::Uuid>)
    /// #     -> Result<(), Box<dyn std::error::Error>> {
    /// let mut transaction = pool.begin().await?;
    /// let ids = map.ids_of_within(&mut transaction, &uuids).await?;
    /// assert_eq!(ids.len(), uuids.len());
    /// transaction.commit().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`id_of_within`](UuidMap::id_of_within). Some of the pairs may be in the transaction then: roll it
    /// back.
    #[tracing::instrument(level = "debug", skip_all, fields(uuids = uuids.len()))]
    pub async fn ids_of_within<C: CallerConnection>(
        &self,
        transaction: &mut C,
        uuids: &[Uuid],
    ) -> Result<Vec<u64>> {
        count_call!("ids_of_within");
        let claimed = self.claims_within(&mut self.one_by_one(transaction.on()), uuids).await?;
        let find =
            |uuid: &Uuid| claimed.binary_search_by_key(uuid, |pair| pair.uuid).map(|at| claimed[at].id);
        let missing = |_| Error::new(Kind::Damaged { problem: "a claimed UUID has no id".to_owned() });
        uuids.iter().map(find).collect::<std::result::Result<_, _>>().map_err(missing)
    }

    /// [`register`](UuidMap::register) as part of the caller's transaction, with the terms of
    /// [`id_of_within`](UuidMap::id_of_within).
    ///
    /// # Errors
    /// The UUID has an id already, or as for [`id_of_within`](UuidMap::id_of_within).
    #[tracing::instrument(level = "debug", skip_all)]
    pub async fn register_within<C: CallerConnection>(&self, transaction: &mut C, uuid: Uuid) -> Result<u64> {
        count_call!("register_within");
        let claimed = self.claim_within(&mut self.one_by_one(transaction.on()), uuid).await?;
        if claimed.new { Ok(claimed.id) } else { Err(Error::new(Kind::Duplicate { uuid, id: claimed.id })) }
    }

    /// The pairs of these UUIDs, each once, in the order of the UUIDs.
    ///
    /// A pair that is new is locked until the transaction ends: whoever asks for its UUID waits. So nothing outside of the
    /// transaction can know its id.
    pub(crate) async fn claims_within<C: Connection>(
        &self,
        transaction: &mut C,
        uuids: &[Uuid],
    ) -> Result<Vec<Claimed>> {
        let mut wanted = uuids.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        wanted.iter().try_for_each(|uuid| refuse_marker(*uuid))?;
        let context = self.context_within().await?;
        let mut caller = Caller::default();
        let claimed = claims(&context, transaction, &mut caller, &wanted).await;
        let mut claimed = caller.ended(transaction, claimed).await?;
        pair::count(&claimed);
        claimed.sort_unstable_by_key(|pair| pair.uuid);
        Ok(claimed)
    }

    /// The index of the map, if a claim can be part of a transaction there.
    async fn context_within(&self) -> Result<Context> {
        let context = self.context().await?;
        context.writable("nothing can be claimed in a transaction")?;
        let instead = "a transaction over several shards is not committed as one; call id_of before it";
        crate::table::sharded::refuse(&context.tables, "a claim inside the caller's transaction", instead)?;
        Ok(context)
    }

    async fn claim_within<C: Connection>(&self, transaction: &mut C, uuid: Uuid) -> Result<Claimed> {
        refuse_marker(uuid)?;
        let context = self.context_within().await?;
        let mut caller = Caller::default();
        let claimed = claim(&context, transaction, &mut caller, uuid).await;
        let claimed = caller.ended(transaction, claimed).await?;
        pair::count(&[claimed]);
        Ok(claimed)
    }
}

async fn claim<C: Connection>(
    context: &Context,
    transaction: &mut C,
    caller: &mut Caller,
    uuid: Uuid,
) -> Result<Claimed> {
    context.check(transaction, caller).await?;
    match context.installed.index {
        Index::Unique => unique::claim_within(context, transaction, caller, uuid).await,
        Index::Dedup => dedup::claim_within(context, transaction, caller, uuid).await,
    }
}

async fn claims<C: Connection>(
    context: &Context,
    transaction: &mut C,
    caller: &mut Caller,
    uuids: &[Uuid],
) -> Result<Vec<Claimed>> {
    let mut claimed = Vec::with_capacity(uuids.len());
    match context.installed.index {
        Index::Unique => {
            for chunk in uuids.chunks(CHUNK) {
                context.check(transaction, caller).await?;
                claimed.extend(unique::claim_many_within(context, transaction, caller, chunk).await?);
            }
        }
        Index::Dedup => {
            for uuid in uuids {
                claimed.push(claim(context, transaction, caller, *uuid).await?);
            }
        }
    }
    Ok(claimed)
}
