//! A planned load of a sharded table: what it consists of, and what is refused.

use range_model::{Key, Settings, Spread, Table};
use serde::Serialize;

use super::engine::Engine;
use crate::forecast::{self, Makers, check_existing, check_one_table, key_bytes, within};
use crate::strategy::Strategy;
use crate::{Error, Result};
use idgen_record::{Column, Database, Workload};

/// A larger table is followed on a smaller one.
pub(super) const MOST_FOLLOWED: u64 = 2_000_000;
/// Ranges of fewer rows are too small to stand for larger ones.
const LEAST_RANGE_ROWS: u64 = 200;

/// A planned table and its inserts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Load {
    /// The database that keeps the ranges.
    pub engine: &'static Engine,
    /// Rows that are inserted.
    pub rows: u64,
    /// Bytes of a row without its key.
    pub row_bytes: u32,
    /// Inserts per second by all writers together.
    pub rate: f64,
    /// Clients that generate ids, each with a generator of its own.
    pub writers: u64,
    /// Rows of a statement, which one writer makes.
    pub statement_rows: u64,
    /// Nodes that accept writes.
    pub nodes: u32,
    /// A range of more bytes is split.
    pub range_bytes: u64,
    /// The change of the key by the table before it sorts rows.
    pub spread: Spread,
    /// Consecutive inserts that are a moment: over these, shares are counted.
    pub moment_rows: u64,
    /// Rows that are in the table before, with ids of this strategy from one writer.
    #[serde(serialize_with = "forecast::existing_rows", skip_serializing_if = "Option::is_none")]
    pub existing: Option<(&'static Strategy, u64)>,
    /// The time of the first id, in seconds since 1970.
    pub start_unix_secs: i64,
}

impl Load {
    /// The largest number of rows, with those that are there before.
    pub const MAX_ROWS: u64 = 10_000_000_000;
    /// The most rows of a statement.
    pub const MAX_STATEMENT_ROWS: u64 = 10_000;

    /// A new table that one writer inserts this many rows into, with 100 bytes beside the key, 1,000 a second and 100 in a
    /// statement, on three nodes with the engine's default settings.
    pub fn new(rows: u64, engine: &'static Engine) -> Load {
        Load {
            engine,
            rows,
            row_bytes: 100,
            rate: 1_000.0,
            writers: 1,
            statement_rows: 100,
            nodes: 3,
            range_bytes: engine.range_bytes,
            spread: engine.spread,
            moment_rows: 1_000,
            existing: None,
            start_unix_secs: Workload::START_UNIX_SECS,
        }
    }

    pub(super) fn existing_rows(&self) -> u64 {
        self.existing.map_or(0, |(_, rows)| rows)
    }

    fn all_rows(&self) -> u64 {
        self.rows.saturating_add(self.existing_rows())
    }

    /// Bytes of a row, as the engine stores it.
    pub(super) fn bytes_of(&self, strategy: &Strategy) -> u64 {
        let key = key_bytes(strategy.column) + self.spread.head_bytes();
        u64::from(key) + u64::from(self.row_bytes) + u64::from(self.engine.overhead_bytes)
    }

    /// The factor by which the model's ranges are smaller, so that it follows at most `most` rows.
    pub(super) fn scale(&self, most: u64) -> u64 {
        let range_rows = self.range_bytes / (u64::from(self.row_bytes) + 50);
        self.all_rows().div_ceil(most).clamp(1, (range_rows / LEAST_RANGE_ROWS).max(1))
    }

    pub(super) fn settings(&self, scale: u64) -> Settings {
        let splits = self.engine.splits_by_size;
        Settings {
            nodes: self.nodes,
            split_bytes: if splits { self.range_bytes / scale } else { u64::MAX },
            // A share that no range can have is no limit.
            split_share: self
                .engine
                .split_rate
                .map(|rate| rate / self.rate)
                .filter(|share| *share <= 1.0)
                .map(|share| share.max(0.001)),
            first_ranges: if self.engine.starts_on_all_nodes { self.nodes.into() } else { 1 },
            balancer: self.engine.balancer,
            ..Settings::of_nodes(self.nodes)
        }
    }

    pub(super) fn makers(&self, scale: u64) -> Makers {
        Makers {
            writers: self.writers,
            rate: self.rate / scale as f64,
            start_unix_secs: Some(self.start_unix_secs),
            tenants: None,
        }
    }

    /// The makers of the ids after this many rows, at the real rate.
    pub(super) fn makers_at(&self, row: u64) -> Makers {
        let secs = (row as f64 / self.rate) as i64;
        Makers { start_unix_secs: Some(self.start_unix_secs + secs), ..self.makers(1) }
    }

    /// The mean number of ranges that a statement touches, over the statements of a moment. Writers make its
    /// rows in turn, and each inserts its own.
    pub(super) fn touched(&self, table: &Table, moment: &[Key]) -> f64 {
        let (mut statements, mut touched) = (0.0, 0.0);
        for writer in 0..(self.writers as usize).min(moment.len()) {
            let own: Vec<Key> = moment.iter().skip(writer).step_by(self.writers as usize).copied().collect();
            for statement in own.chunks(self.statement_rows as usize) {
                statements += 1.0;
                touched += table.shares(statement).ranges;
            }
        }
        touched / statements
    }

    /// Checks the numbers, and that the strategy fits them.
    ///
    /// # Errors
    /// A number is out of its limits, or the strategy is none for one table of such an engine.
    pub(super) fn check(&self, strategy: &Strategy) -> Result<()> {
        check_one_table(strategy)?;
        let counted = matches!(strategy.column, Column::CountedInteger | Column::Unkeyed16);
        if strategy.ids.is_server_made() && !counted {
            return Err(Error::config(format!(
                "the model of {} has no ids that a server makes: choose {} in place of {}",
                self.engine.name,
                strategy.portable(),
                strategy.name
            )));
        }
        strategy.check(Database::MariaDb)?;
        within("rows", self.rows, 1_000, Load::MAX_ROWS)?;
        within("rows, with those that are there before,", self.all_rows(), 1_000, Load::MAX_ROWS)?;
        within("writers", self.writers, 1, forecast::Load::MAX_WRITERS)?;
        within("rows of a statement", self.statement_rows, 1, Load::MAX_STATEMENT_ROWS)?;
        within("bytes of a row", self.row_bytes.into(), 0, 1 << 20)?;
        forecast::Load::check_rate("rate", self.rate)?;
        let scale = self.scale(MOST_FOLLOWED);
        if self.all_rows() / scale > 10 * MOST_FOLLOWED {
            return Err(Error::config(format!(
                "{} rows in ranges of {} bytes are too many to be followed: give fewer rows, or a larger --range-bytes",
                self.all_rows(),
                self.range_bytes
            )));
        }
        check_existing(self.existing, strategy, |old| key_bytes(old) == key_bytes(strategy.column))
    }
}
