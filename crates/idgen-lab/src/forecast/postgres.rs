//! The model of a PostgreSQL index, and of the bytes that a row adds to the write-ahead log.

use serde::Serialize;

use super::load::key_bytes;
use super::{Load, Modeled, refused, room};
use crate::strategy::Strategy;
use crate::{Error, Result};
use btree_model::{PostgresTable, Table};
use idgen_record::{Column, Database};

/// The settings of a PostgreSQL server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PostgresSettings {
    /// Seconds between two checkpoints.
    pub checkpoint_secs: u32,
}

impl PostgresSettings {
    /// The largest number of rows: the model follows all of them.
    pub const MAX_ROWS: u64 = 100_000_000;
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
        room::check_rows(load, key)?;
        // The rest of a row is one value with a length header.
        let length = match load.row_bytes {
            0 => 0,
            1..=126 => 1,
            _ => 4,
        };
        let first_column = (strategy.column == Column::TwoIntegers).then_some(8);
        let data = load.row_bytes.saturating_add(key + length);
        let table = PostgresTable::new(key, first_column, data).map_err(refused)?;
        Ok((Box::new(table), 1))
    }

    fn checkpoint_rows(&self, load: &Load) -> Option<u64> {
        Some((load.reached_rate() * f64::from(self.checkpoint_secs)).max(1.0) as u64)
    }

    fn describe(&self, _: &Load) -> String {
        format!("a checkpoint every {} s", self.checkpoint_secs)
    }
}
