//! A planned load of an LSM tree: what it consists of, and what is refused.

use idgen_record::{Column, Database, Skew};
use lsm_model::Settings;
use serde::Serialize;

use crate::forecast::{
    self, Arriving, Clients, Makers, check_existing, check_one_table, check_skew, key_bytes, within,
};
use crate::strategy::Strategy;
use crate::{Error, Result};

/// A larger tree is followed on a smaller one.
pub(super) const MOST_FOLLOWED: u64 = 20_000_000;
/// Memtables of fewer rows are too small to stand for larger ones.
const LEAST_MEMTABLE_ROWS: u64 = 2_000;

/// The software that keeps the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// The library RocksDB, from version 8.4 on.
    RocksDb,
    /// The storage engine of MariaDB, in which each table has `ENGINE=ROCKSDB`.
    MyRocks,
}

impl Engine {
    /// Both engines.
    pub const ALL: [Engine; 2] = [Engine::RocksDb, Engine::MyRocks];

    /// The name on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Engine::RocksDb => "rocksdb",
            Engine::MyRocks => "myrocks",
        }
    }

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Engine::RocksDb => "RocksDB",
            Engine::MyRocks => "MyRocks",
        }
    }

    /// The versions whose default settings the model has.
    pub fn about(self) -> &'static str {
        match self {
            Engine::RocksDb => "RocksDB 8.4 and later, without compression",
            Engine::MyRocks => "MyRocks of MariaDB 10.11, without compression",
        }
    }

    /// The default settings.
    pub fn settings(self) -> Settings {
        match self {
            Engine::RocksDb => Settings::rocksdb(),
            Engine::MyRocks => Settings::myrocks(),
        }
    }

    /// Bytes that the engine puts before each key: the number of the index.
    fn key_head(self) -> u32 {
        match self {
            Engine::RocksDb => 0,
            Engine::MyRocks => 4,
        }
    }

    /// Returns whether it makes numbers for rows.
    pub(super) fn counts_rows(self) -> bool {
        self == Engine::MyRocks
    }
}

/// A planned table and its inserts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Load {
    /// The software that keeps the tree.
    pub engine: Engine,
    /// Rows that are inserted.
    pub rows: u64,
    /// Bytes of a row without its key.
    pub row_bytes: u32,
    /// Inserts per second by all writers together. Compactions are done meanwhile.
    pub rate: f64,
    /// Ids per second by their own clock, if that is not the clock of the inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_rate: Option<f64>,
    /// Clients that generate ids, each with a generator of its own.
    pub writers: u64,
    /// The settings of the tree.
    pub settings: Settings,
    /// Rows that are in the table before, with ids of this strategy from one writer.
    #[serde(serialize_with = "forecast::existing_rows", skip_serializing_if = "Option::is_none")]
    pub existing: Option<(&'static Strategy, u64)>,
    /// The statements and delays of the writers. Without them, rows arrive in the order in which their ids
    /// are made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clients: Option<Clients>,
    /// The differences between the clocks of the writers; `None` if they agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
    /// The time of the first id, in seconds since 1970, if it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_unix_secs: Option<i64>,
}

impl Load {
    /// The largest number of rows, with those that are there before.
    pub const MAX_ROWS: u64 = 10_000_000_000;

    /// A new table that one writer inserts this many rows into, with 100 bytes beside the key, 1,000 a second, and the
    /// engine's default settings.
    pub fn new(rows: u64, engine: Engine) -> Load {
        Load {
            engine,
            rows,
            row_bytes: 100,
            rate: 1_000.0,
            id_rate: None,
            writers: 1,
            settings: engine.settings(),
            existing: None,
            clients: None,
            skew: None,
            start_unix_secs: None,
        }
    }

    /// The rows of the table at the end.
    pub(super) fn all_rows(&self) -> u64 {
        self.rows.saturating_add(self.existing.map_or(0, |(_, rows)| rows))
    }

    /// Bytes of a row's key as the engine stores it, and of the rest of the row.
    pub(super) fn bytes_of(&self, strategy: &Strategy) -> (u32, u32) {
        (self.engine.key_head() + key_bytes(strategy.column), self.row_bytes)
    }

    /// The factor by which the model's tree is smaller, so that it follows at most `most` rows.
    pub(super) fn scale(&self, most: u64) -> u64 {
        let memtable_rows = self.settings.memtable_bytes / u64::from(self.row_bytes + 50);
        let largest = (memtable_rows / LEAST_MEMTABLE_ROWS).max(1);
        self.all_rows().div_ceil(most).clamp(1, largest)
    }

    pub(super) fn makers(&self, scale: u64) -> Makers {
        Makers {
            writers: self.writers,
            rate: self.id_rate.unwrap_or(self.rate) / scale as f64,
            start_unix_secs: self.start_unix_secs,
            tenants: None,
        }
    }

    /// The order of the rows in a tree that is smaller by `scale`. A memtable then takes as long as in the large one to fill, so
    /// as large a part of its rows arrives late.
    pub(super) fn arriving(&self, scale: u64) -> Arriving<'_> {
        Arriving {
            clients: self.clients,
            rows: self.rows / scale,
            rate: self.rate / scale as f64,
            own_clock: self.id_rate.is_some(),
            skew: self.skew.as_ref(),
        }
    }

    /// Refuses a load that the model cannot follow for this strategy.
    pub(super) fn check(&self, strategy: &Strategy) -> Result<()> {
        self.check_strategy(strategy)?;
        within("rows", self.rows, forecast::Load::MIN_ROWS, Self::MAX_ROWS)?;
        within("rows with those that the table holds", self.all_rows(), 0, Self::MAX_ROWS)?;
        within("writers", self.writers, 1, forecast::Load::MAX_WRITERS)?;
        within("bytes of a row", self.row_bytes.into(), 0, 1 << 20)?;
        forecast::Load::check_rate("rate", self.rate)?;
        forecast::Load::check_rate("rate of the ids", self.id_rate.unwrap_or(self.rate))?;
        self.clients.as_ref().map_or(Ok(()), Clients::check)?;
        check_skew(self.skew.as_ref())?;
        let scale = self.scale(MOST_FOLLOWED);
        if self.all_rows() / scale > 10 * MOST_FOLLOWED {
            return Err(Error::config(format!(
                "{} rows with a memtable of {} bytes are too many to be followed: give fewer rows, or a larger --memtable",
                self.all_rows(),
                self.settings.memtable_bytes
            )));
        }
        check_existing(self.existing, strategy, |old| key_bytes(old) == key_bytes(strategy.column))
    }

    pub(super) fn check_strategy(&self, strategy: &Strategy) -> Result<()> {
        let engine = self.engine.name();
        check_one_table(strategy)?;
        let counted = matches!(strategy.column, Column::CountedInteger | Column::Unkeyed16);
        if !self.engine.counts_rows() && (counted || strategy.ids.is_server_made()) {
            return Err(Error::config(format!(
                "{engine} cannot run {}: a library makes no ids; choose v7-binary",
                strategy.name
            )));
        }
        strategy.check(Database::MariaDb)
    }
}
