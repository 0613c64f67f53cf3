//! The times at which the rows of a run with revisited buckets are made.

use idgen::{Interval, PrefixKey, Timestamp};

use crate::workload::Arrivals;
use crate::{Error, Result};
use idgen_record::{Visits, Workload};

/// The number of prefixes of 16 bits: a round ends after this many intervals, and each prefix has come once.
const ROUND: i64 = 1 << 16;

/// The times of a run that repeatedly visits a few of the 65,536 buckets of a minute prefix.
///
/// Only the minutes of these buckets are taken from each round, in the order of time. This does not change the result,
/// because the rows of the other buckets are on other pages. The key has another permutation for each round, so the buckets come in a
/// new random order each time.
///
/// Each named writer has its own key and visits each bucket once per round. All visits follow in the order of time.
pub(super) struct Tour {
    keys: Vec<PrefixKey>,
    visits: Visits,
    rows_per_visit: u64,
    round: i64,
    last_round: i64,
    /// The start times of the visits that are left in this round, with their writers, the next one last.
    left: Vec<(Timestamp, usize)>,
    /// How many rows of the current visit were made.
    given: u64,
    /// The arrivals within the current visit, if they are random, and the seed of the next ones.
    arrivals: Option<Arrivals>,
    seed: Option<u64>,
}

impl Tour {
    /// A tour with the key of each writer.
    pub(super) fn new(keys: Vec<PrefixKey>, visits: Visits, workload: &Workload) -> Self {
        let start = Interval::Minute.bucket(Timestamp::from_unix_secs(workload.start_unix_secs)).number;
        // The first round that begins after the start.
        let round = start.div_euclid(ROUND);
        let last_round = round + i64::from(visits.rounds);
        let rows_per_visit = workload.rows_per_visit();
        let seed = workload.random_arrivals.then_some(workload.seed);
        Tour {
            keys,
            visits,
            rows_per_visit,
            round,
            last_round,
            left: Vec::new(),
            given: 0,
            arrivals: None,
            seed,
        }
    }

    /// The time of the next row, and the number of its writer. The rows of a visit come at random times of its minute,
    /// or evenly spaced, as the load says.
    pub(super) fn next_moment(&mut self) -> Result<(Timestamp, usize)> {
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
        let (start, writer) = self.left[self.left.len() - 1];
        if let (0, Some(seed)) = (self.given, &mut self.seed) {
            self.arrivals = Some(Arrivals::within(start, 60.0, self.rows_per_visit, *seed));
            *seed = seed.wrapping_add(1);
        }
        self.given += 1;
        if let Some(arrivals) = &mut self.arrivals {
            return Ok((arrivals.next_moment()?.min(last_of_minute(start)), writer));
        }
        Ok((Timestamp::from_unix_ticks(start.unix_ticks() + offset as i64), writer))
    }

    /// The minutes of the visited buckets in this round, the last one first.
    fn of_round(&self, round: i64) -> Vec<(Timestamp, usize)> {
        let mut moments = Vec::new();
        for (writer, key) in self.keys.iter().enumerate() {
            let minutes = (round * ROUND..).zip(key.round(round));
            let visited = minutes.filter(|(_, prefix)| u32::from(*prefix) < self.visits.buckets);
            moments.extend(visited.map(|(minute, _)| (Timestamp::from_unix_secs(minute * 60), writer)));
        }
        moments.sort_unstable();
        moments.reverse();
        moments
    }
}

/// The last moment of the minute with this start: a row that arrives at the very end still belongs to the minute.
fn last_of_minute(start: Timestamp) -> Timestamp {
    Timestamp::from_unix_ticks(start.unix_ticks() + 60 * 10_000_000 - 1)
}
