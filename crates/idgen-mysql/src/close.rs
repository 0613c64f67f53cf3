//! Closing a client.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Connection, Executor, Row};

use crate::error::Result;
use crate::failure::{Attempt, Failure};
use crate::map::{UuidMap, finish};
use crate::retry::Retries;
use crate::sql::BEGIN;
use crate::strategy::context::Context;

const ACTION: &str = "give back unused ids";

impl UuidMap {
    /// Closes this map and its connections. Ids that it reserved and did not use are given back, unless another client has
    /// reserved ids after them. With the strategy [`Dedup`](crate::Strategy::Dedup), claims are cleared away.
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
        let Some(rest) = self.blocks.take_rest() else { return Ok(()) };
        let give = async || {
            let mut connection = self.pool.acquire().await?;
            let done = self.pool.timed(self.give_back_on(&mut connection, &rest)).await;
            connection.conclude(done)
        };
        // Repeating after a lost answer does nothing: the row is no longer at the end of the block.
        Retries::run(self.deadline, ACTION, give).await
    }

    /// The lock on the row prevents other clients from reserving or importing meanwhile.
    async fn give_back_on(
        &self,
        connection: &mut MySqlConnection,
        rest: &std::ops::Range<u64>,
    ) -> Attempt<()> {
        let (map, state) = (&self.tables.map, &self.tables.state);
        let number = async |connection: &mut MySqlConnection, statement: String| {
            let row = connection.fetch_one(sqlx::raw_sql(AssertSqlSafe(statement))).await?;
            row.try_get_unchecked::<Option<u64>, _>(0).map_err(Failure::Sql)
        };
        let mut transaction = connection.begin_with(BEGIN).await?;
        let next = format!("SELECT next_id FROM {state} WHERE one = 1 FOR UPDATE");
        let latest = number(&mut transaction, next).await? == Some(rest.end);
        // An import may have put pairs into the block.
        let free = latest && {
            let largest = number(&mut transaction, format!("SELECT MAX(id) FROM {map}")).await?;
            largest.is_none_or(|largest| largest < rest.start)
        };
        if free {
            let lower = format!("UPDATE {state} SET next_id = {} WHERE one = 1", rest.start);
            transaction.execute(sqlx::raw_sql(AssertSqlSafe(lower))).await?;
        }
        Ok(transaction.commit().await?)
    }
}
