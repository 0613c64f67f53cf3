//! When the rows of a run with revisited buckets are made.

use idgen::{Interval, PrefixKey, Timestamp};

use crate::{Error, Result};
use idgen_record::{Visits, Workload};

/// Prefixes of 16 bits: after so many intervals a round ends, and each prefix has come once.
const ROUND: i64 = 1 << 16;

/// The moments of a run that visits a few of the 65,536 buckets of a minute prefix again and again.
///
/// Of each round only the minutes of these buckets are taken, in the order of time. To the real generator that is
/// an ordinary clock, which stands still between the ids that are looked at: what the other buckets hold lies on
/// other pages. The key permutes each round anew, so the buckets come in a new random order each time.
pub(super) struct Tour {
    key: PrefixKey,
    visits: Visits,
    rows_per_visit: u64,
    round: i64,
    last_round: i64,
    /// The first moments of the visits of this round that are still to come, the next one last.
    left: Vec<Timestamp>,
    /// Rows of the current visit that were given.
    given: u64,
}

impl Tour {
    pub(super) fn new(key: PrefixKey, visits: Visits, workload: &Workload) -> Self {
        let start = Interval::Minute.bucket(Timestamp::from_unix_secs(workload.start_unix_secs)).number;
        // The first round that begins after the start.
        let round = start.div_euclid(ROUND);
        let last_round = round + i64::from(visits.rounds);
        let rows_per_visit = workload.rows_per_visit();
        Tour { key, visits, rows_per_visit, round, last_round, left: Vec::new(), given: 0 }
    }

    /// The moment of the next row: the rows of a visit are spread evenly over its minute.
    pub(super) fn next_moment(&mut self) -> Result<Timestamp> {
        if self.given == self.rows_per_visit {
            self.left.pop();
            self.given = 0;
        }
        while self.left.is_empty() {
            if self.round == self.last_round {
                return Err(Error::config("all visits of the run have been made"));
            }
            self.round += 1;
            self.left = self.of_round(self.round);
        }
        const MINUTE_TICKS: u64 = 60 * 10_000_000;
        let offset = MINUTE_TICKS * self.given / self.rows_per_visit;
        self.given += 1;
        let start = self.left[self.left.len() - 1];
        Ok(Timestamp::from_unix_ticks(start.unix_ticks() + offset as i64))
    }

    /// The minutes of the visited buckets in this round, the last one first.
    fn of_round(&self, round: i64) -> Vec<Timestamp> {
        let minutes = (round * ROUND..).zip(self.key.round(round));
        let visited = minutes.filter(|(_, prefix)| u32::from(*prefix) < self.visits.buckets);
        let mut moments: Vec<_> = visited.map(|(minute, _)| Timestamp::from_unix_secs(minute * 60)).collect();
        moments.reverse();
        moments
    }
}
