//! The load of a run: how many rows, how wide, how many in a statement, and over how much simulated time.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::lsm::LsmOptions;
use crate::mix::Mix;
use crate::skew::Skew;
use crate::strategy::IdKind;

/// The load of one run. Every strategy of a comparison gets the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Rows to insert.
    pub rows: u64,
    /// Width of the payload column, in bytes. Its content is random, so that it cannot be compressed.
    pub payload_bytes: u32,
    /// Rows that a writer inserts before counters and throughput are read again. SQLite commits them in one transaction; a
    /// server commits each statement.
    pub commit_rows: u32,
    /// Rows per `INSERT` statement on servers. SQLite has no round trips and inserts single rows.
    pub statement_rows: u32,
    /// Clients that work at the same time, each with ids that it generates itself. Servers only.
    pub writers: u32,
    /// The page cache holds the expected table divided by this, where `cache_bytes` is not set.
    pub cache_divisor: u32,
    /// Size of the page cache in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_bytes: Option<u64>,
    /// Limit of reads a second from the disk, and of writes: container engines limit the two separately. Servers in
    /// containers only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<u32>,
    /// Changed pages are written when the pool needs space and not earlier, as in the published runs: the log is so large
    /// that it never forces a page to be written, no share of changed pages is too large, and few pages are kept free.
    /// Servers of the lab's own only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late_writes: bool,
    /// The number of intervals (weeks, minutes) of simulated time that the run spans, where it has no `rate`.
    pub intervals: u32,
    /// Ids are generated at random moments even without a `rate`: those of a Poisson process that has exactly
    /// these rows in these intervals. Otherwise they are evenly spaced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub random_arrivals: bool,
    /// Rows per second of simulated time, whose ids are generated at random moments (a Poisson process).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Rows are also inserted no faster than at the `rate`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paced: bool,
    /// Milliseconds of simulated time from making an id until its row is inserted, on average (an exponential distribution):
    /// rows of several clients are inserted one after another in the order of these arrivals. Without it, several clients
    /// insert at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<f64>,
    /// The differences between the clocks of the clients; `None` if they agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
    /// Seconds of the interval of a keyed prefix, where it is not a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_secs: Option<u32>,
    /// Simulated seconds between two checkpoints, where it is not [`Workload::CHECKPOINT_SECS`]. PostgreSQL servers of
    /// the lab's own only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_secs: Option<u32>,
    /// Each statement is a transaction at the isolation level `SERIALIZABLE` that first looks for its keys, and is
    /// repeated when the server could not serialize it. PostgreSQL only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub serializable: bool,
    /// The time of the first id, in seconds since 1970.
    pub start_unix_secs: i64,
    /// The number of devices that generate ids in turn, for the device strategy.
    pub devices: u32,
    /// The seed of all random numbers of the run: the same seed gives the same rows.
    pub seed: u64,
    /// The user's own tables and statements. The random bytes of a row are then `payload_bytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnTable>,
    /// The settings of an LSM tree that differ from those that follow from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lsm: Option<LsmOptions>,
    /// Rows that the table holds before the run. No figure counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub existing: Option<Existing>,
    /// Operations of other kinds between the inserts of each client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mix: Option<Mix>,
}

/// SQL with placeholders for the key and the other values of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnTable {
    /// The statements that create the tables.
    pub schema: String,
    /// The statements that insert a row.
    pub insert: String,
}

/// Rows that are loaded before the run, perhaps with another kind of id, in the order in which their ids are generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Existing {
    /// The source of their ids; if it is left out, that of the strategy itself. Their column is that of the
    /// strategy that follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<IdKind>,
    /// The number of these rows.
    pub rows: u64,
}

impl Workload {
    /// The default: large enough that the table is eight times the page cache and random keys show
    /// their steady state, small enough that all strategies take less than two minutes.
    pub const DEFAULT_ROWS: u64 = 500_000;
    /// The rows that `--quick` inserts: enough for an example of a report within seconds, and too few for
    /// figures to cite.
    pub const QUICK_ROWS: u64 = 40_000;
    /// A tree with fewer rows than this is too small to measure.
    pub const MIN_ROWS: u64 = 1_000;
    /// The most connections: a server's default limit is 151.
    pub const MAX_WRITERS: u32 = 64;
    /// The most points that a curve over the run has.
    pub const WINDOWS: u64 = 50;
    /// PostgreSQL's default distance between checkpoints, `checkpoint_timeout`.
    pub const CHECKPOINT_SECS: u32 = 300;
    /// The time of the first id of a run: 2026-01-04T00:00:00Z, the first Sunday of a year.
    pub const START_UNIX_SECS: i64 = 1_767_484_800;

    /// A load with this many rows and defaults for everything else.
    ///
    /// # Errors
    /// `rows` is below [`Workload::MIN_ROWS`] or above 2^32 - 1.
    ///
    /// ```
    /// use idgen_record::Workload;
    ///
    /// assert_eq!(Workload::of_rows(50_000)?.rows, 50_000);
    /// assert!(Workload::of_rows(10).is_err());
    /// # Ok::<(), idgen_record::Error>(())
    /// ```
    pub fn of_rows(rows: u64) -> Result<Self> {
        if !(Self::MIN_ROWS..=u64::from(u32::MAX)).contains(&rows) {
            return Err(Error::refused(format!(
                "rows is {rows}: choose a number from {} to {}",
                Self::MIN_ROWS,
                u32::MAX
            )));
        }
        Ok(Workload {
            rows,
            payload_bytes: 100,
            commit_rows: 1_000,
            statement_rows: 1,
            writers: 1,
            cache_divisor: 8,
            cache_bytes: None,
            iops: None,
            late_writes: false,
            intervals: 40,
            random_arrivals: true,
            rate: None,
            paced: false,
            delay_ms: None,
            skew: None,
            interval_secs: None,
            checkpoint_secs: None,
            serializable: false,
            start_unix_secs: Self::START_UNIX_SECS,
            devices: 5_000,
            seed: 2026,
            own: None,
            lsm: None,
            existing: None,
            mix: None,
        })
    }

    /// Returns this load with this many writers.
    ///
    /// # Errors
    /// `writers` is 0 or above [`Workload::MAX_WRITERS`].
    ///
    /// ```
    /// use idgen_record::Workload;
    ///
    /// assert_eq!(Workload::of_rows(50_000)?.with_writers(8)?.writers, 8);
    /// assert!(Workload::of_rows(50_000)?.with_writers(0).is_err());
    /// # Ok::<(), idgen_record::Error>(())
    /// ```
    pub fn with_writers(self, writers: u32) -> Result<Self> {
        if !(1..=Self::MAX_WRITERS).contains(&writers) {
            return Err(Error::refused(format!(
                "writers is {writers}: choose a number from 1 to {}",
                Self::MAX_WRITERS
            )));
        }
        Ok(Workload { writers, ..self })
    }

    /// Returns whether clients insert on their own, statement after statement, by the machine's clock.
    pub fn has_clients(&self) -> bool {
        (self.writers > 1 || self.paced) && self.delay_ms.is_none() && self.mix.is_none()
    }

    /// The expected size of the table in bytes, with a 16-byte key and pages 88 % full.
    ///
    /// It only decides the size of the page cache, so that all strategies get the same cache.
    pub fn expected_bytes(&self) -> u64 {
        const KEY_BYTES: u64 = 16;
        const ROW_OVERHEAD: u64 = 8;
        self.rows_at_end() * (u64::from(self.payload_bytes) + KEY_BYTES + ROW_OVERHEAD) * 100 / 88
    }

    /// Returns the rows to insert until the tree of the keys is twice as large as the cache, where random
    /// keys read pages and ordered ones do not. `None` if it does not fit the cache with random keys, so that
    /// this load is large enough, or without `cache_bytes`. Where rows are in a heap, that tree is an index.
    ///
    /// ```
    /// use idgen_record::Workload;
    ///
    /// let load = Workload { cache_bytes: Some(256 << 20), ..Workload::of_rows(100_000)? };
    /// let rows = load.rows_beyond_cache(false).unwrap();
    /// assert_eq!(rows, 3_900_000);
    /// assert_eq!(Workload { rows, ..load }.rows_beyond_cache(false), None);
    /// # Ok::<(), idgen_record::Error>(())
    /// ```
    pub fn rows_beyond_cache(&self, in_heap: bool) -> Option<u64> {
        /// Random keys leave pages two thirds as full as the expected ones, or a little less.
        const RANDOM: f64 = 1.45;
        /// The bytes of an entry in an index of PostgreSQL, with its pointer.
        const ENTRY_BYTES: u64 = 28;
        let all = self.rows_at_end().max(1);
        let tree = if in_heap { all * ENTRY_BYTES * 100 / 88 } else { self.expected_bytes() };
        let cache = self.cache_bytes?;
        (tree as f64 * RANDOM <= cache as f64).then(|| {
            let rows = 2.0 * cache as f64 * all as f64 / tree as f64 - self.existing_rows() as f64;
            // The number is rounded up to two digits.
            let unit = 10_f64.powf(rows.log10().floor() - 1.0);
            ((rows / unit).ceil() * unit) as u64
        })
    }

    /// Rows that the table holds before the run.
    pub fn existing_rows(&self) -> u64 {
        self.existing.map_or(0, |existing| existing.rows)
    }

    /// Rows of the table after the run.
    pub fn rows_at_end(&self) -> u64 {
        self.rows.saturating_add(self.existing_rows())
    }

    /// Pages of this size that the cache may hold; at least 16.
    pub fn cache_pages(&self, page_bytes: u64) -> u64 {
        let bytes = self.cache_bytes.unwrap_or(self.expected_bytes() / u64::from(self.cache_divisor.max(1)));
        (bytes / page_bytes).max(16)
    }

    /// Rows that are inserted between two checkpoints; at least one.
    ///
    /// ```
    /// use idgen_record::Workload;
    ///
    /// // 40 minutes.
    /// assert_eq!(Workload::of_rows(400_000)?.checkpoint_rows(), 50_000);
    /// # Ok::<(), idgen_record::Error>(())
    /// ```
    pub fn checkpoint_rows(&self) -> u64 {
        let minute = match self.rate {
            Some(rate) => rate * 60.0,
            None => {
                let secs = f64::from(self.intervals) * f64::from(self.interval_secs.unwrap_or(60));
                self.rows as f64 / secs * 60.0
            }
        };
        let secs = self.checkpoint_secs.unwrap_or(Self::CHECKPOINT_SECS);
        (minute * f64::from(secs) / 60.0).max(1.0) as u64
    }

    /// Rows that all writers together insert before they wait for each other.
    pub fn round_rows(&self) -> u64 {
        u64::from(self.commit_rows) * u64::from(self.writers)
    }

    /// Rounds per window of the record.
    pub fn rounds_per_window(&self) -> u64 {
        self.rows.div_ceil(self.round_rows()).div_ceil(Self::WINDOWS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_a_fraction_of_the_table() {
        let load = Workload::of_rows(400_000).unwrap();
        let table_pages = load.expected_bytes() / 16_384;
        assert!((table_pages / 8).abs_diff(load.cache_pages(16_384)) <= 1);
        assert_eq!(Workload::of_rows(1_000).unwrap().cache_pages(16_384), 16);
    }

    #[test]
    fn windows_cover_all_rows() {
        for rows in [1_000, 1_001, 50_000, 50_001, 400_000, 1_234_567] {
            let load = Workload::of_rows(rows).unwrap();
            for load in [load.clone(), load.with_writers(8).unwrap()] {
                let rounds = rows.div_ceil(load.round_rows());
                assert!(rounds.div_ceil(load.rounds_per_window()) <= Workload::WINDOWS);
            }
        }
    }
}
