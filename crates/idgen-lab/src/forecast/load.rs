//! A planned load: what it consists of, what is refused, and which part of its keys the model follows.

use btree_model::{Ranges, Server};
use idgen_record::Column;
use serde::Serialize;

use super::keys::Keys;
use crate::strategy::Strategy;
use crate::{Error, Result};

/// InnoDB's default page size.
pub(crate) const PAGE_SIZE: u32 = 16_384;
/// For tables with more rows than this, the model follows a sample of their key ranges.
pub(super) const WHOLE_ROWS: u64 = 10_000_000;
/// A sample is at least one part in this many: a smaller one would have too few pages.
pub(super) const MOST_PARTS: u32 = 64;
/// A sample has at least so many rows, because few leaves fill less evenly: with one part in 64 of 30 million random keys,
/// page fill is 1.4 points and pages read are 5 % off what following all of them gives, and with one in three 0.2 points
/// and 1 %.
const LEAST_FOLLOWED: u64 = 8_000_000;
/// The fewest pages in the sample's share of the pool with which it still behaves like a pool.
pub(super) const LEAST_FRAMES: u64 = 1_024;
/// The number of keys from which the ranges of a sample are determined.
const LEARNED_KEYS: u64 = 200_000;

/// A planned table and its inserts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Load {
    /// Rows that are inserted.
    pub rows: u64,
    /// Bytes of a row without its key: the columns with their length bytes and null bits.
    pub row_bytes: u32,
    /// Inserts per second by all writers together.
    pub rate: f64,
    /// Ids per second by their own clock, if that is not the clock of the inserts: a benchmark inserts as fast as the
    /// server goes, and may spread its ids over simulated minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_rate: Option<f64>,
    /// Clients that generate ids and insert rows. Each has a generator of its own.
    pub writers: u64,
    /// Rows in a transaction.
    pub commit_rows: u64,
    /// The server.
    pub server: Server,
    /// Rows that are in the table before, with ids of this strategy from one writer.
    #[serde(serialize_with = "existing", skip_serializing_if = "Option::is_none")]
    pub existing: Option<(&'static Strategy, u64)>,
}

pub(super) fn existing<S: serde::Serializer>(
    existing: &Option<(&'static Strategy, u64)>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    existing.map(|(strategy, rows)| (strategy.name, rows)).serialize(serializer)
}

impl Load {
    /// The fewest rows for which a prediction is useful.
    pub const MIN_ROWS: u64 = 10_000;
    /// The largest number of rows with which the model was tried.
    pub const MAX_ROWS: u64 = 2_000_000_000;
    /// The largest number of writers: each has a generator of its own in memory.
    pub const MAX_WRITERS: u64 = 10_000;
    /// The largest number of inserts per second: more than any single server can handle.
    pub const MAX_RATE: f64 = 10_000_000.0;
    /// The lowest rate: an insert in a quarter of an hour, as on a device.
    pub const MIN_RATE: f64 = 0.001;

    pub(crate) fn check(&self) -> Result<()> {
        Self::check_numbers(self.rows, self.writers, self.rate)?;
        Self::check_rate("rate of the ids", self.id_rate())
    }

    /// Ids per second by their own clock.
    pub(super) fn id_rate(&self) -> f64 {
        self.id_rate.unwrap_or(self.rate)
    }

    pub(super) fn check_numbers(rows: u64, writers: u64, rate: f64) -> Result<()> {
        if !(Self::MIN_ROWS..=Self::MAX_ROWS).contains(&rows) {
            return Err(Error::config(format!(
                "rows is {rows}: give a number from {} to {}",
                Self::MIN_ROWS,
                Self::MAX_ROWS
            )));
        }
        if !(1..=Self::MAX_WRITERS).contains(&writers) {
            return Err(Error::config(format!(
                "writers is {writers}: give a number from 1 to {}",
                Self::MAX_WRITERS
            )));
        }
        Self::check_rate("rate", rate)
    }

    fn check_rate(what: &str, rate: f64) -> Result<()> {
        // Also refuses a rate that is not a number.
        if !(Self::MIN_RATE..=Self::MAX_RATE).contains(&rate) {
            return Err(Error::config(format!(
                "the {what} is {rate}: give a number per second, from {} to {}",
                Self::MIN_RATE,
                Self::MAX_RATE
            )));
        }
        Ok(())
    }

    /// The rows of the table at the end.
    pub(crate) fn all_rows(&self) -> u64 {
        self.rows.saturating_add(self.existing.map_or(0, |(_, rows)| rows))
    }

    pub(super) fn check_existing(&self, strategy: &Strategy) -> Result<()> {
        let Some((old, _)) = self.existing else { return Ok(()) };
        if old.column.is_mapped() || key_bytes(old.column) != key_bytes(strategy.column) {
            return Err(Error::config(format!(
                "rows of {} and of {} do not fit one column: choose strategies of one type",
                old.name, strategy.name
            )));
        }
        if self.all_rows() > WHOLE_ROWS {
            return Err(Error::config(format!(
                "{} rows are too many for a table with existing rows: give at most {WHOLE_ROWS} together",
                self.all_rows()
            )));
        }
        Ok(())
    }

    pub(super) fn ranges(&self, strategy: &Strategy) -> Result<Ranges> {
        let parts = self.parts();
        if parts == 1 {
            return Ok(Ranges::all());
        }
        let mut keys = Keys::new(strategy, self.id_rate(), self.writers, 1)?;
        let step = (self.rows / LEARNED_KEYS).max(1);
        let mut learned = Vec::new();
        for row in 0..self.rows {
            let key = keys.next_key()?;
            if row % step == 0 {
                learned.push(key.to_vec());
            }
        }
        Ok(Ranges::learn(learned, parts))
    }

    pub(super) fn parts(&self) -> u32 {
        let frames = self.server.pool_bytes / u64::from(PAGE_SIZE);
        if self.rows <= WHOLE_ROWS {
            return 1;
        }
        u32::try_from(frames / LEAST_FRAMES).unwrap_or(MOST_PARTS).clamp(1, self.most_parts())
    }

    /// The parts that the rows can be divided into, whatever the pool is.
    pub(super) fn most_parts(&self) -> u32 {
        u32::try_from(self.rows / LEAST_FOLLOWED).unwrap_or(MOST_PARTS).clamp(1, MOST_PARTS)
    }
}

/// Bytes of the key column in a record, including its length byte if the column has one: `CHAR` in ASCII has none.
pub(super) fn key_bytes(column: Column) -> u32 {
    match column {
        Column::Binary16 | Column::Swapped16 | Column::Uuid | Column::TwoIntegers => 16,
        Column::Bytea => 1 + 16,
        // Without a key, InnoDB numbers the rows.
        Column::Unkeyed16 => 6,
        Column::Text36 => 36,
        Column::VarText36 | Column::VarBinary36 => 36 + 1,
        Column::Base64 => 22,
        Column::Base32 => 26,
        _ => 8,
    }
}
