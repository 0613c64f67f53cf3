//! Fencing a restored map: ids that were assigned after the backup must not be assigned again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::call::retry::Retries;
use crate::claim::state_row::exchange;
use crate::error::failure::Kind;
use crate::error::{Error, Result};
use crate::map::uuid_map::{Condition, UuidMap};
use crate::table::identity::FRESH;
use crate::table::schema::State;

const ACTION: &str = "fence the map";

/// After this time, every client has read the new epoch before it begins another statement, or answers from its cache.
const NOTICED: Duration = FRESH.saturating_add(Duration::from_millis(100));

impl UuidMap {
    /// Starts a new epoch of the map, whose new ids are `next_id` and above.
    ///
    /// Call it after restoring the map from a backup and before clients use it again. Pairs that were stored after the backup
    /// are lost, and other tables or systems may still contain their ids, so `next_id` must be above all of these. If the
    /// map's next id is larger already, it is kept, unless it is larger than any id of the map can be. All clients, including running ones, drop the ids that they reserved
    /// and the pairs that they cached in an earlier epoch.
    ///
    /// It returns 1.1 seconds after the commit of the new epoch. Each client reads the epoch again before it sends a
    /// statement or answers from its cache, if it last began to read it more than a second ago. So after this call no
    /// running client begins to assign an id below `next_id`. What a client began before may still end: a statement that
    /// is under way, for at most the [answer limit](crate::Builder::answer_limit) of that client; the caller's
    /// transactions, until they end; and a process that was stopped exactly between its check and its statement, when it
    /// continues. The ids of these are unique in the map, because one client has reserved them. To exclude them too, end
    /// the connections of stopped clients before this call.
    ///
    /// ```no_run
    /// # async fn example(map: idgen_mysql::UuidMap, largest_id_in_orders: u64) -> idgen_mysql::Result<()> {
    /// map.fence(largest_id_in_orders + 1).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `next_id` is 0 or larger than the ids of the map can be, the map is on Vitess, or the server fails. If the epoch has
    /// begun but all ids are assigned, the error is [`is_exhausted`](Error::is_exhausted).
    pub async fn fence(&self, next_id: u64) -> Result<()> {
        let context = self.context_if(Condition::Any).await?;
        let instead = "its ids come from a sequence: raise next_id of that table";
        crate::table::sharded::refuse(&context.tables, "a fence", instead)?;
        let max = context.installed.width.max_id();
        if !(1..=max).contains(&next_id) {
            let problem = format!("the next id cannot be {next_id}: ids of this map are 1 to {max}");
            return Err(Error::new(Kind::Config { problem }));
        }
        // The epoch of a backup may be older than one that clients have read before the restore. So the new epoch is the time,
        // and not the next number.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_micros() as u64);
        // No client can have reserved ids that the map cannot have.
        let width = context.installed.width;
        let raised = |state: &State| match width.can_be_next(state.next_id) {
            true => state.next_id.max(next_id).max(state.fenced_at(width)),
            false => next_id,
        };
        let decide = |state: &State| Ok(Some(state.with(raised(state), now.max(state.epoch + 1))));
        // Repeating it starts another epoch, which is harmless.
        let start = || exchange(&context.pool, &context.tables.state, None, &decide);
        let before = Retries::run(context.deadline, ACTION, start).await?;
        tokio::time::sleep(NOTICED).await;
        if before.is_some_and(|before| raised(&before) > max) {
            let table = context.tables.state.clone();
            return Err(Error::new(Kind::Exhausted { width, table }));
        }
        Ok(())
    }
}
