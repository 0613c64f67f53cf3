//! Reserves ids: the state row's next id is raised by their number.

use std::ops::Range;

use sqlx::{AssertSqlSafe, Row};

use crate::claim::state_row::exchange;
use crate::connection::nodes::Nodes;
use crate::error::damaged;
use crate::error::failure::{Attempt, Failure};
use crate::installed::IdWidth;
use crate::table::schema::State;

/// The ids that a client wants to reserve.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The map's table, and the state table.
    pub(crate) map: String,
    pub(crate) table: String,
    pub(crate) width: IdWidth,
    /// The fewest ids that are of use.
    pub(crate) missing: u64,
    /// The number of ids that are wanted.
    pub(crate) size: u64,
    /// An epoch, and the id below which no reservation of this client can begin in it.
    pub(crate) above: (u64, u64),
}

impl Request {
    /// One attempt. `None` if too few ids are left. The ids are of the epoch that is returned with them.
    ///
    /// Repeating it after a lost answer only wastes the ids of the first attempt.
    pub(crate) async fn attempt(&self, pool: &Nodes) -> Attempt<Option<(u64, Range<u64>)>> {
        let end = |first: u64| {
            let left = (self.width.max_id() + 1).saturating_sub(first);
            (left >= self.missing && left > 0).then(|| first + self.size.min(left))
        };
        let decide = |state: &State| {
            self.refuse_implausible(state.epoch, state.next_id)?;
            if let Some(problem) = state.below_fence() {
                return Err(damaged(problem));
            }
            Ok(end(state.next_id).map(|end| state.with(end, state.epoch)))
        };
        // A client that accepts an unsafe server accepts that it loses pairs.
        let map = (!pool.accept_unsafe()).then_some(self.map.as_str());
        let before = exchange(pool, &self.table, map, &decide).await?;
        Ok(before.and_then(|state| Some((state.epoch, state.next_id..end(state.next_id)?))))
    }

    /// Like [`attempt`](Self::attempt), but with a Vitess sequence, which gives each client ascending ids.
    pub(crate) async fn attempt_on(
        &self,
        pool: &Nodes,
        sequence: &str,
    ) -> Attempt<Option<(u64, Range<u64>)>> {
        let (size, max) = (self.size, self.width.max_id());
        let epoch = pool.identity().epoch();
        let statement = format!("SELECT NEXT {size} VALUES FROM {sequence}");
        let row = pool.fetch_one(sqlx::raw_sql(AssertSqlSafe(statement))).await?;
        let first: u64 = row.try_get_unchecked(0).map_err(Failure::Sql)?;
        // A sequence continues past the largest id.
        self.refuse_implausible(epoch, first.min(max + 1))?;
        let end = first.saturating_add(size).min(max + 1);
        Ok((first.saturating_add(self.missing) <= end).then_some((epoch, first..end)))
    }

    /// Refuses a next id that cannot be right. Ids that this client has reserved are below it within an epoch, because only
    /// their own client gives them back.
    fn refuse_implausible(&self, epoch: u64, next: u64) -> Attempt<()> {
        let (table, max) = (&self.table, self.width.max_id());
        let (known_in, above) = self.above;
        let problem = if next == 0 {
            "ids begin at 1".to_owned()
        } else if next > max + 1 {
            format!("ids of this map end at {max}")
        } else if known_in == epoch && next < above {
            format!("this client has reserved the ids up to {} already", above - 1)
        } else {
            return Ok(());
        };
        Err(damaged(format!(
            "the next id in {table} is {next}, but {problem}: the row was restored or changed; call fence (idgen map \
             fence) with an id above every id that was ever assigned"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_next_id_that_cannot_be_right_is_refused() {
        let request = Request {
            map: "uuid_map".to_owned(),
            table: "uuid_map_state".to_owned(),
            width: IdWidth::Bits32,
            missing: 1,
            size: 128,
            above: (3, 257),
        };
        let last = u64::from(u32::MAX);
        for (epoch, next) in [(3, 257), (3, last + 1), (4, 1), (2, 256)] {
            assert!(request.refuse_implausible(epoch, next).is_ok(), "{epoch} {next}");
        }
        for (epoch, next, words) in [
            (3, 0, "is 0, but ids begin at 1"),
            (3, 256, "is 256, but this client has reserved the ids up to 256"),
            (3, last + 2, "ids of this map end at 4294967295"),
            (4, u64::MAX, "ids of this map end at"),
        ] {
            let failure = request.refuse_implausible(epoch, next).unwrap_err().to_string();
            assert!(failure.contains(words) && failure.contains("idgen map fence"), "{failure}");
        }
    }
}
