//! A model of a table of SQLite, and of the pages that its cache reads and writes.

use serde::Serialize;

use super::keys::Keys;
use super::{Load, WINDOWS, key_bytes, refused};
use crate::strategy::Strategy;
use crate::{Error, Result};
use btree_model::{Model, SqliteShape, SqliteTable, TreeState, Window};
use idgen_record::{Column, Database};

/// A planned table and its inserts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SqliteLoad {
    /// Rows that are inserted.
    pub rows: u64,
    /// Bytes of a column beside the key.
    pub row_bytes: u32,
    /// Inserts per second by all writers together.
    pub rate: f64,
    /// Clients that generate ids, each with a generator of its own. One connection inserts all rows.
    pub writers: u64,
    /// Bytes of a page (`PRAGMA page_size`).
    pub page_bytes: u32,
    /// Bytes of the page cache (`PRAGMA cache_size`).
    pub cache_bytes: u64,
    /// Rows in a transaction.
    pub commit_rows: u64,
    /// Rows that are in the table before, with ids of this strategy from one writer.
    #[serde(serialize_with = "super::load::existing", skip_serializing_if = "Option::is_none")]
    pub existing: Option<(&'static Strategy, u64)>,
}

/// What the model predicts for one strategy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SqliteForecast {
    /// The strategy's name.
    pub strategy: &'static str,
    /// The load of the prediction.
    pub load: SqliteLoad,
    /// Bytes of the last row as stored, including its key and the lengths of its columns.
    pub record_bytes: u32,
    /// The ten parts of the run, from the first to the last.
    pub windows: Vec<Window>,
    /// The table at the end, including the rows that were there before.
    pub tree: TreeState,
}

impl SqliteForecast {
    /// The last tenth of the run.
    pub fn last(&self) -> &Window {
        &self.windows[self.windows.len() - 1]
    }

    /// Pages read and pages written per 1,000 inserts in the second half of the run. The region of a prefix grows from the
    /// beginning to the end of its interval, so a tenth of a run with few intervals says little about it.
    pub fn second_half(&self) -> (f64, f64) {
        let half = &self.windows[self.windows.len() / 2..];
        let inserts: u64 = half.iter().map(|window| window.inserts).sum();
        let mean = |of: fn(&Window) -> f64| {
            half.iter().map(|window| of(window) * window.inserts as f64).sum::<f64>() / inserts as f64
        };
        (mean(|window| window.reads_per_1k), mean(|window| window.writes_per_1k))
    }
}

/// Runs the model for one strategy, in a table `WITHOUT ROWID` unless the database counts the keys.
///
/// ```
/// use idgen_lab::forecast::{SqliteLoad, predict_sqlite};
/// use idgen_lab::strategy::find;
///
/// let load = SqliteLoad {
///     rows: 50_000, row_bytes: 100, rate: 1_000.0, writers: 1, page_bytes: 4_096, cache_bytes: 2_000 << 10,
///     commit_rows: 1_000, existing: None,
/// };
/// let ordered = predict_sqlite(find("v7-binary")?, &load)?;
/// let random = predict_sqlite(find("v4-binary")?, &load)?;
/// // Both tables have the same size, within 2 %, but random keys read and write many more pages.
/// assert!((ordered.tree.fill.mean / random.tree.fill.mean - 1.0).abs() < 0.02);
/// assert_eq!(ordered.last().reads_per_1k, 0.0);
/// assert!(random.last().reads_per_1k > 500.0);
/// assert!(random.last().writes_per_1k > 10.0 * ordered.last().writes_per_1k);
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that SQLite could have, or a generator refuses it.
pub fn predict_sqlite(strategy: &'static Strategy, load: &SqliteLoad) -> Result<SqliteForecast> {
    predict_crowded(strategy, load, 1)
}

/// The same for a part of a larger table, see [`super::predict_crowded`].
pub(crate) fn predict_crowded(
    strategy: &'static Strategy,
    load: &SqliteLoad,
    crowd: u64,
) -> Result<SqliteForecast> {
    load.check(strategy)?;
    let shape = load.shape(strategy.column)?;
    let cache_pages = u32::try_from(load.cache_bytes / u64::from(load.page_bytes)).unwrap_or(u32::MAX);
    let mut table = SqliteTable::new(shape, cache_pages).map_err(refused)?;
    let mut before = 0;
    if let Some((old, rows)) = load.existing {
        let mut keys = Keys::existing(old, load.rate, rows)?;
        for row in 1..=rows {
            table.insert(keys.next_key()?).map_err(refused)?;
            if row % load.commit_rows == 0 || row == rows {
                table.commit();
            }
        }
        before = rows;
        table.window();
    }
    let mut keys = Keys::new(strategy, load.rate, load.writers, crowd)?.after(before);
    let mut windows = Vec::new();
    // A multiple of a thousand, because leaves are counted for each thousand inserts.
    let stretch = load.rows.div_ceil(WINDOWS).next_multiple_of(1_000);
    let mut last = 0;
    for row in 1..=load.rows {
        let key = keys.next_key()?;
        table.insert(key).map_err(refused)?;
        last = leading_integer(key);
        if row % load.commit_rows == 0 || row == load.rows {
            table.commit();
        }
        if row % stretch == 0 || row == load.rows {
            windows.push(table.window());
        }
    }
    Ok(SqliteForecast {
        strategy: strategy.name,
        load: load.clone(),
        record_bytes: shape.cell_bytes(last),
        windows,
        tree: table.tree(),
    })
}

/// The number that an integer key is.
fn leading_integer(key: &[u8]) -> u64 {
    key.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

impl SqliteLoad {
    /// The largest number of rows: the model follows all of them.
    pub const MAX_ROWS: u64 = 100_000_000;
    /// SQLite's own default for `PRAGMA page_size`.
    pub const PAGE_BYTES: u32 = 4_096;
    /// SQLite's own default for `PRAGMA cache_size`, -2000.
    pub const CACHE_BYTES: u64 = 2_000 << 10;
    /// As many rows in a transaction as the lab inserts.
    pub const COMMIT_ROWS: u64 = 1_000;

    /// The rows of the table at the end.
    pub(crate) fn all_rows(&self) -> u64 {
        self.rows.saturating_add(self.existing.map_or(0, |(_, rows)| rows))
    }

    /// Bytes of the rows that are inserted within a minute, about; at least one.
    pub(crate) fn bytes_of_a_minute(&self) -> u64 {
        /// The key, the lengths of the columns and the room that pages keep free.
        const BESIDE_ROW: u64 = 35;
        let rows = (self.rate * 60.0).min(self.rows as f64) as u64;
        (rows * (u64::from(self.row_bytes) + BESIDE_ROW)).max(1)
    }

    fn check(&self, strategy: &Strategy) -> Result<()> {
        strategy.check(Database::Sqlite)?;
        Load::check_numbers(self.rows, self.writers, self.rate)?;
        if strategy.column.is_mapped() {
            return Err(Error::config(format!(
                "{} keeps two tables: predict auto-increment for the wide one and v4-binary for the map",
                strategy.name
            )));
        }
        if self.commit_rows == 0 {
            return Err(Error::config("a transaction has 0 rows: give at least one".to_owned()));
        }
        let all = self.all_rows();
        if all > Self::MAX_ROWS {
            return Err(Error::config(format!(
                "{all} rows are too many for the model of SQLite: give at most {}",
                Self::MAX_ROWS
            )));
        }
        if let Some((old, _)) = self.existing
            && !shares_a_table(old.column, strategy.column)
        {
            return Err(Error::config(format!(
                "rows of {} and of {} do not fit one table: choose strategies of one type",
                old.name, strategy.name
            )));
        }
        super::room::check_bytes(all * Model::bytes_per_row(key_bytes(strategy.column)), || {
            format!("{all} rows")
        })
    }

    fn shape(&self, column: Column) -> Result<SqliteShape> {
        let (page, other) = (self.page_bytes, self.row_bytes);
        match column {
            Column::CountedInteger => SqliteShape::rowid(page, &[other]),
            Column::Unkeyed16 => SqliteShape::unkeyed(page, &[16, other]),
            Column::Integer => SqliteShape::integer(page, &[other]),
            _ => SqliteShape::bytes(page, key_bytes(column), &[other]),
        }
        .map_err(refused)
    }
}

/// Whether new keys of one column can follow old keys of another in one table. Counted numbers would follow the largest
/// of those that devices made.
fn shares_a_table(old: Column, new: Column) -> bool {
    match (old, new) {
        (Column::Integer, Column::CountedInteger) => false,
        (Column::Unkeyed16, _) | (_, Column::Unkeyed16) => old == new,
        _ => key_bytes(old) == key_bytes(new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::{self, find};

    fn load(rows: u64) -> SqliteLoad {
        SqliteLoad {
            rows,
            row_bytes: 100,
            rate: 1_000.0,
            writers: 1,
            page_bytes: SqliteLoad::PAGE_BYTES,
            cache_bytes: SqliteLoad::CACHE_BYTES,
            commit_rows: SqliteLoad::COMMIT_ROWS,
            existing: None,
        }
    }

    #[test]
    fn every_strategy_of_sqlite_is_predicted() {
        let mut predicted = 0;
        for strategy in strategy::ALL.iter().filter(|one| one.check(Database::Sqlite).is_ok()) {
            let found = predict_sqlite(strategy, &load(20_000));
            if strategy.column.is_mapped() {
                assert!(found.unwrap_err().is_config(), "{}", strategy.name);
                continue;
            }
            let found = found.unwrap();
            assert_eq!((found.windows.len(), found.tree.rows), (10, 20_000), "{}", strategy.name);
            assert!((0.8..1.0).contains(&found.tree.fill.mean), "{}: {:?}", strategy.name, found.tree);
            predicted += 1;
        }
        assert!(predicted >= 15, "{predicted}");
    }

    /// Every row in a transaction of its own writes its leaf, and some write the neighbors of a full leaf too.
    #[test]
    fn single_rows_write_a_page_each_whatever_their_order() {
        for name in ["v7-binary", "v4-binary"] {
            let single = SqliteLoad { commit_rows: 1, ..load(20_000) };
            let writes = predict_sqlite(find(name).unwrap(), &single).unwrap().last().writes_per_1k;
            assert!((1_000.0..2_000.0).contains(&writes), "{name}: {writes}");
        }
    }

    #[test]
    fn new_keys_follow_existing_ones() {
        let v4 = find("v4-binary").unwrap();
        let both = SqliteLoad { existing: Some((v4, 20_000)), ..load(20_000) };
        let (stay, v7) =
            (predict_sqlite(v4, &both).unwrap(), predict_sqlite(find("v7-binary").unwrap(), &both).unwrap());
        assert_eq!((stay.tree.rows, v7.tree.rows, v7.last().rows), (40_000, 40_000, 40_000));
        assert!(v7.last().writes_per_1k < 0.1 * stay.last().writes_per_1k);
    }

    #[test]
    fn nonsense_is_refused() {
        let v4 = find("v4-binary").unwrap();
        let device = find("device").unwrap();
        for (name, bad) in [
            ("v4-uuid", load(20_000)),
            ("v4-binary", load(10)),
            ("v4-binary", SqliteLoad { rate: f64::NAN, ..load(20_000) }),
            ("v4-binary", SqliteLoad { commit_rows: 0, ..load(20_000) }),
            ("v4-binary", SqliteLoad { page_bytes: 5_000, ..load(20_000) }),
            ("v4-binary", SqliteLoad { cache_bytes: 10_000, ..load(20_000) }),
            ("v4-binary", SqliteLoad { row_bytes: 2_000, ..load(20_000) }),
            ("v4-text36", SqliteLoad { existing: Some((v4, 10_000)), ..load(20_000) }),
            ("auto-increment", SqliteLoad { existing: Some((device, 10_000)), ..load(20_000) }),
            ("v4-binary", SqliteLoad { existing: Some((v4, u64::MAX)), ..load(20_000) }),
        ] {
            assert!(predict_sqlite(find(name).unwrap(), &bad).unwrap_err().is_config(), "{name} {bad:?}");
        }
    }
}
