//! Fencing a restored map: ids that were assigned after the backup must not be assigned again.

use sqlx::AssertSqlSafe;

use crate::error::{Error, Result};
use crate::failure::Kind;
use crate::map::UuidMap;
use crate::retry::Retries;

const ACTION: &str = "fence the map";

impl UuidMap {
    /// Starts a new epoch of the map, whose new ids are `next_id` and above.
    ///
    /// Call it after restoring the map from a backup and before clients use it again. Pairs that were stored after the backup
    /// are lost, and other tables or systems may still contain their ids, so `next_id` must be above all of these. If the
    /// map's next id is larger already, it is kept. All clients, including running ones, drop the ids that they reserved
    /// and the pairs that they cached in an earlier epoch.
    ///
    /// ```no_run
    /// # async fn example(map: idgen_mysql::UuidMap, largest_id_in_orders: u64) -> idgen_mysql::Result<()> {
    /// map.fence(largest_id_in_orders + 1).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `next_id` is 0 or larger than the ids of the map can be, the map is on Vitess, or the server fails.
    pub async fn fence(&self, next_id: u64) -> Result<()> {
        let context = self.context().await?;
        let instead = "its ids come from a sequence: raise next_id of that table";
        crate::sharded::refuse(&context.tables, "a fence", instead)?;
        let max = context.installed.width.max_id();
        if !(1..=max).contains(&next_id) {
            let problem = format!("the next id cannot be {next_id}: ids of this map are 1 to {max}");
            return Err(Error::new(Kind::Config { problem }));
        }
        let statement = format!(
            "UPDATE {} SET epoch = epoch + 1, next_id = GREATEST(next_id, {next_id}) WHERE one = 1",
            context.tables.state
        );
        // Repeating it starts another epoch, which is harmless.
        let update = || context.pool.execute(AssertSqlSafe(statement.clone()));
        Retries::run(context.deadline, ACTION, update).await.map(drop)
    }
}
