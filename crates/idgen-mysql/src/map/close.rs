//! Closing a client.

use sqlx::{AssertSqlSafe, Executor, Row};

use crate::call::retry::Retries;
use crate::claim::context::Context;
use crate::claim::state_row::same_map;
use crate::connection::nodes::{PooledConnection, Take};
use crate::error::Result;
use crate::error::failure::Attempt;
use crate::error::numbers::Verdict;
use crate::map::uuid_map::{UuidMap, finish};
use crate::table::schema::State;

const ACTION: &str = "give back unused ids";

impl UuidMap {
    /// Closes this map and its connections. Ids that it reserved and did not use are given back, unless another client has
    /// reserved ids after them, or the map was [fenced](UuidMap::fence) since. With the index [`Dedup`](crate::Index::Dedup), claims are cleared away.
    ///
    /// It closes all clones, too. Running calls are completed, and later calls fail. A program that ends without closing
    /// the map only wastes the rest of its block.
    ///
    /// ```no_run
    /// # async fn example(uuid: uuid::Uuid) -> idgen_mysql::Result<()> {
    /// let map = idgen_mysql::UuidMap::connect("mysql://app:secret@localhost/shop").await?;
    /// let id = map.id_of(uuid).await?;
    /// map.close().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The server fails for longer than the [timeout](crate::Builder::timeout): the ids are wasted, and the
    /// connections closed all the same.
    pub async fn close(&self) -> Result<()> {
        let done = match self.opened() {
            Some(context) => finish(async move { context.wind_up().await }).await,
            None => Ok(()),
        };
        self.close_pools().await;
        done
    }
}

impl Context {
    async fn wind_up(&self) -> Result<()> {
        self.purge.at_the_end(&self.pool, &self.tables.claim).await;
        let Some((epoch, rest)) = self.blocks.take_rest() else { return Ok(()) };
        let give = async || {
            let give =
                async |connection: &mut PooledConnection| self.give_back_on(connection, epoch, &rest).await;
            match self.pool.attempt(Take::AtOnce, give).await {
                // It may have happened, and another client may have reserved the same ids since, after which the row is at the
                // end of the block again. So it is not repeated, and the ids are wasted.
                Err(failure) if failure.verdict() == Verdict::Unknown => Ok(()),
                done => done,
            }
        };
        Retries::run(self.deadline, ACTION, give).await
    }

    /// The lock on the row prevents other clients from reserving or importing meanwhile. The row must be the map's and of
    /// the epoch of the ids: after a fence, they may be below ids that were assigned before.
    async fn give_back_on(
        &self,
        connection: &mut PooledConnection,
        epoch: u64,
        rest: &std::ops::Range<u64>,
    ) -> Attempt<()> {
        let (map, state) = (&self.tables.map, &self.tables.state);
        let latest = format!("one = 1 AND next_id = {}{}", rest.end, same_map(&self.pool, epoch));
        let mut transaction = connection.begin().await?;
        let look = format!("SELECT * FROM {state} WHERE {latest} FOR UPDATE");
        let row = transaction.fetch_optional(sqlx::raw_sql(AssertSqlSafe(look))).await?;
        if let Some(row) = row.as_ref().map(State::of_row).transpose()? {
            let largest = format!("SELECT MAX(id) FROM {map}");
            let found = transaction.fetch_one(sqlx::raw_sql(AssertSqlSafe(largest))).await?;
            let largest: Option<u64> = found.try_get_unchecked(0)?;
            // An import may have put pairs into the block.
            if largest.is_none_or(|largest| largest < rest.start) {
                let start = rest.start;
                let stored = row.stored_id.max(self.pool.identity().largest_stored());
                let lower =
                    format!("UPDATE {state} SET next_id = {start}, stored_id = {stored} WHERE {latest}");
                transaction.execute(sqlx::raw_sql(AssertSqlSafe(lower))).await?;
            }
        }
        transaction.commit().await?;
        connection.note_end();
        Ok(())
    }
}
