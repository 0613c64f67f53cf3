//! The model of a PostgreSQL table: its index, its heap, the shared buffers, and the bytes that a row adds to the write-ahead log.

use serde::Serialize;

use super::load::key_bytes;
use super::{Load, Modeled, refused, room};
use crate::strategy::Strategy;
use crate::{Error, Result};
use btree_model::{PostgresTable, SharedBuffers, Table};
use idgen_record::{Column, Database, Workload};

/// The settings of a PostgreSQL server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PostgresSettings {
    /// Bytes of `shared_buffers`.
    pub pool_bytes: u64,
    /// Seconds between two checkpoints.
    pub checkpoint_secs: u32,
    /// The part of this time over which a checkpoint spreads its writes (`checkpoint_completion_target`); 0 for all at once.
    pub checkpoint_target: f64,
    /// Pages that the background writer writes in a round, at most (`bgwriter_lru_maxpages`); 0 turns it off.
    pub background_pages: u32,
    /// Milliseconds between two of these rounds (`bgwriter_delay`).
    pub background_delay_ms: f64,
    /// Page reads and writes per second that the device can do. The server does not adapt to it, so it changes no page.
    pub device_iops: Option<u32>,
}

impl Default for PostgresSettings {
    /// The server's own defaults.
    fn default() -> Self {
        let SharedBuffers { bytes, checkpoint_target, background_pages, background_delay_ms } =
            SharedBuffers::new(128 << 20);
        PostgresSettings {
            pool_bytes: bytes,
            checkpoint_secs: Workload::CHECKPOINT_SECS,
            checkpoint_target,
            background_pages,
            background_delay_ms,
            device_iops: None,
        }
    }
}

impl PostgresSettings {
    /// The largest number of rows: the model follows all of them.
    pub const MAX_ROWS: u64 = 100_000_000;

    /// Rows between two checkpoints; at least one.
    pub(crate) fn rows_between(&self, load: &Load) -> u64 {
        (load.reached_rate() * f64::from(self.checkpoint_secs)).max(1.0) as u64
    }

    fn buffers(&self) -> SharedBuffers {
        SharedBuffers {
            bytes: self.pool_bytes,
            background_pages: self.background_pages,
            background_delay_ms: self.background_delay_ms,
            checkpoint_target: self.checkpoint_target,
        }
    }
}

impl Modeled for PostgresSettings {
    fn name(&self) -> &'static str {
        "PostgreSQL"
    }

    fn check(&self, strategy: &Strategy) -> Result<()> {
        strategy.check(Database::Postgres)?;
        if self.checkpoint_secs == 0 {
            return Err(Error::config("checkpoints are 0 s apart: give at least one second".to_owned()));
        }
        Ok(())
    }

    fn most_rows(&self, _: &Load) -> u64 {
        Self::MAX_ROWS
    }

    /// Text has a length header.
    fn key_bytes(&self, column: Column) -> u32 {
        match column {
            Column::Text36 | Column::Base64 | Column::Base32 => 1 + key_bytes(column),
            column => key_bytes(column),
        }
    }

    fn table(&self, strategy: &Strategy, load: &Load) -> Result<(Box<dyn Table>, u32)> {
        let key = self.key_bytes(strategy.column) + load.tenant_bytes();
        // The load is checked before the ids are generated.
        self.buffers().check().map_err(refused)?;
        room::check_rows(load, key)?;
        // The rest of a row is one value with a length header.
        let length = match load.row_bytes {
            0 => 0,
            1..=126 => 1,
            _ => 4,
        };
        let first_column = (strategy.column == Column::TwoIntegers).then_some(8);
        let data = load.row_bytes.saturating_add(key + length);
        let (buffers, rate) = (self.buffers(), load.reached_rate());
        let table = PostgresTable::new(key, first_column, data, &buffers, rate).map_err(refused)?;
        Ok((Box::new(table), 1))
    }

    fn checkpoint_rows(&self, load: &Load) -> Option<u64> {
        Some(self.rows_between(load))
    }

    fn describe(&self, _: &Load) -> String {
        let pool = match self.pool_bytes {
            mib if mib.is_multiple_of(1 << 20) => format!("{} MiB", mib >> 20),
            kib => format!("{} KiB", kib >> 10),
        };
        let mut text = format!("a checkpoint every {} s, shared buffers of {pool}", self.checkpoint_secs);
        if let Some(iops) = self.device_iops {
            text += &format!(", {iops} page reads and writes per second");
        }
        text
    }
}
