//! The model of a table of SQLite, and of the pages that its cache reads and writes.

use serde::Serialize;

use super::load::key_bytes;
use super::{Load, Modeled, refused, room};
use crate::Result;
use crate::strategy::Strategy;
use btree_model::{SqliteShape, SqliteTable, Table};
use idgen_record::{Column, Database};

/// The settings of a database of SQLite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SqliteSettings {
    /// Bytes of the page cache (`PRAGMA cache_size`).
    pub pool_bytes: u64,
    /// Bytes of a page (`PRAGMA page_size`).
    pub page_bytes: u32,
}

impl Default for SqliteSettings {
    /// SQLite's own: 4,096 bytes in a page, and -2000 as the size of the cache.
    fn default() -> Self {
        SqliteSettings { pool_bytes: 2_000 << 10, page_bytes: 4_096 }
    }
}

impl SqliteSettings {
    /// The largest number of rows: the model follows all of them.
    pub const MAX_ROWS: u64 = 100_000_000;
    /// The rows of a transaction of the lab.
    pub const COMMIT_ROWS: u64 = 1_000;

    fn shape(&self, column: Column, other: u32) -> Result<SqliteShape> {
        let page = self.page_bytes;
        match column {
            Column::CountedInteger => SqliteShape::rowid(page, &[other]),
            Column::Unkeyed16 => SqliteShape::unkeyed(page, &[16, other]),
            Column::Integer => SqliteShape::integer(page, &[other]),
            _ => SqliteShape::bytes(page, key_bytes(column), &[other]),
        }
        .map_err(refused)
    }
}

impl Modeled for SqliteSettings {
    fn name(&self) -> &'static str {
        "SQLite"
    }

    fn check(&self, strategy: &Strategy) -> Result<()> {
        strategy.check(Database::Sqlite)
    }

    /// It stores a small number in fewer bytes than a large one.
    fn has_tenants(&self) -> bool {
        false
    }

    fn most_rows(&self, _: &Load) -> u64 {
        Self::MAX_ROWS
    }

    /// Counted numbers would follow the largest of those that devices made.
    fn shares_a_table(&self, old: Column, new: Column) -> bool {
        match (old, new) {
            (Column::Integer, Column::CountedInteger) => false,
            (Column::Unkeyed16, _) | (_, Column::Unkeyed16) => old == new,
            _ => key_bytes(old) == key_bytes(new),
        }
    }

    fn table(&self, strategy: &Strategy, load: &Load) -> Result<(Box<dyn Table>, u32)> {
        room::check_rows(load, self.key_bytes(strategy.column))?;
        let shape = self.shape(strategy.column, load.row_bytes)?;
        let cache_pages = u32::try_from(self.pool_bytes / u64::from(self.page_bytes)).unwrap_or(u32::MAX);
        let table = SqliteTable::new(shape, cache_pages).map_err(refused)?;
        Ok((Box::new(table), 1))
    }

    fn commit_rows(&self) -> u64 {
        Self::COMMIT_ROWS
    }

    fn describe(&self, load: &Load) -> String {
        format!(
            "{} in a transaction, pages of {} bytes, a cache of {} KiB",
            load.commit_rows,
            self.page_bytes,
            self.pool_bytes >> 10
        )
    }
}
