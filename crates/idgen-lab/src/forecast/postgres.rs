//! A model of a PostgreSQL index, and of the bytes that a row adds to the write-ahead log.

use serde::Serialize;

use super::keys::Keys;
use super::{Load, key_bytes, refused};
use crate::strategy::Strategy;
use crate::{Error, Result};
use btree_model::{Model, Nbtree, PostgresIndex, Shape, TreeState};
use idgen_record::{Column, Database};

/// The parts of a run that have figures of their own.
const STRETCHES: u64 = 10;
/// Bytes of a log record for a heap row without its data, plus the header of a heap tuple.
const HEAP_RECORD: u64 = 60;
const TUPLE_HEADER: u64 = 24;
/// Bytes of a heap page for tuples and their line pointers.
const PAGE: u64 = 8_192;
const HEAP_ROOM: u64 = PAGE - 24;
const LINE_POINTER: u64 = 4;

/// A planned table and its inserts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PostgresLoad {
    /// Rows that are inserted.
    pub rows: u64,
    /// Bytes of a row without its key.
    pub row_bytes: u32,
    /// Inserts per second by all writers together.
    pub rate: f64,
    /// Clients that generate ids and insert rows. Each has a generator of its own.
    pub writers: u64,
    /// Seconds between two checkpoints.
    pub checkpoint_secs: u32,
    /// Rows that are in the table before, with ids of this strategy from one writer.
    #[serde(serialize_with = "super::load::existing")]
    pub existing: Option<(&'static Strategy, u64)>,
}

/// What the model predicts for one strategy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PostgresForecast {
    /// The strategy's name.
    pub strategy: &'static str,
    /// The load of the prediction.
    pub load: PostgresLoad,
    /// Bytes of heap pages, per row.
    pub heap_bytes_per_row: f64,
    /// The ten parts of the run, from the first to the last.
    pub stretches: Vec<Stretch>,
    /// The index at the end, including the rows that were there before.
    pub index: TreeState,
}

/// A part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stretch {
    /// Rows in the table at its end.
    pub rows: u64,
    /// Bytes of the log per row, for the heap and the index; records of transactions are not included.
    pub log_bytes_per_row: f64,
    /// The part of those bytes that belongs to the index.
    pub index_log_bytes_per_row: f64,
    /// Pages of the index that were logged as a whole, per 1,000 inserts.
    pub images_per_1k: f64,
    /// Pages of the index that were split, per 1,000 inserts.
    pub splits_per_1k: f64,
    /// Different leaf pages into which 1,000 inserts go.
    pub leaves_per_1k: f64,
}

impl PostgresForecast {
    /// Bytes of the log per row in the second half of the run, which contains a few checkpoints unless they are far
    /// apart.
    pub fn log_bytes_per_row(&self) -> f64 {
        self.late(|stretch| stretch.log_bytes_per_row)
    }

    /// Full-page images per 1,000 inserts in the second half of the run.
    pub fn images_per_1k(&self) -> f64 {
        self.late(|stretch| stretch.images_per_1k)
    }

    fn late(&self, figure: impl Fn(&Stretch) -> f64) -> f64 {
        let late = &self.stretches[self.stretches.len() / 2..];
        late.iter().map(figure).sum::<f64>() / late.len() as f64
    }
}

/// Bytes of a key as PostgreSQL stores it, including the length header of text and `bytea`.
fn stored_bytes(column: Column) -> u32 {
    match column {
        Column::Text36 | Column::Base64 | Column::Base32 => 1 + key_bytes(column),
        column => key_bytes(column),
    }
}

/// Bytes of the data of a row: its key, and the rest as one value with a length header.
fn data_bytes(load: &PostgresLoad, column: Column) -> u64 {
    let length = match load.row_bytes {
        0 => 0,
        1..=126 => 1,
        _ => 4,
    };
    u64::from(stored_bytes(column)) + length + u64::from(load.row_bytes)
}

/// Runs the model of PostgreSQL for one strategy.
///
/// ```
/// use idgen_lab::forecast::{PostgresLoad, predict_postgres};
/// use idgen_lab::strategy::find;
///
/// let load = PostgresLoad {
///     rows: 50_000, row_bytes: 100, rate: 1_000.0, writers: 1, checkpoint_secs: 2, existing: None,
/// };
/// let ordered = predict_postgres(find("v7-binary")?, &load)?;
/// let random = predict_postgres(find("v4-binary")?, &load)?;
/// assert!(ordered.index.fill.mean > random.index.fill.mean + 0.1);
/// assert!(random.log_bytes_per_row() > 1.5 * ordered.log_bytes_per_row());
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that a server could have, or a generator refuses it.
pub fn predict_postgres(strategy: &'static Strategy, load: &PostgresLoad) -> Result<PostgresForecast> {
    predict_crowded(strategy, load, 1, load.checkpoint_rows())
}

/// The same for a part of a larger table, see [`super::predict_crowded`], with one checkpoint per this many rows.
pub(crate) fn predict_crowded(
    strategy: &'static Strategy,
    load: &PostgresLoad,
    crowd: u64,
    between: u64,
) -> Result<PostgresForecast> {
    load.check(strategy)?;
    let key = stored_bytes(strategy.column);
    let first_column = (strategy.column == Column::TwoIntegers).then_some(8);
    let shape = Shape::nbtree(key).map_err(refused)?;
    let mut index = PostgresIndex::new(Nbtree { first_column, ..Nbtree::default() }, shape);
    let mut before = 0;
    if let Some((old, rows)) = load.existing {
        let mut keys = Keys::existing(old, load.rate, rows)?;
        for _ in 0..rows {
            index.insert(keys.next_key()?).map_err(refused)?;
        }
        before = rows;
        index.checkpoint();
        index.log();
    }
    let data = data_bytes(load, strategy.column);
    let mut keys = Keys::new(strategy, load.rate, load.writers, crowd)?.after(before);
    let mut stretches = Vec::new();
    // A multiple of a thousand, because leaves are counted for each thousand inserts.
    let stretch = load.rows.div_ceil(STRETCHES).next_multiple_of(1_000);
    for row in 1..=load.rows {
        index.insert(keys.next_key()?).map_err(refused)?;
        if row % between == 0 {
            index.checkpoint();
        }
        if row % stretch == 0 || row == load.rows {
            let log = index.log();
            let per_row = |count: u64| count as f64 / log.inserts.max(1) as f64;
            stretches.push(Stretch {
                rows: before + row,
                log_bytes_per_row: per_row(log.bytes) + (HEAP_RECORD + data) as f64,
                index_log_bytes_per_row: per_row(log.bytes),
                images_per_1k: 1_000.0 * per_row(log.full_page_images),
                splits_per_1k: 1_000.0 * per_row(log.splits),
                leaves_per_1k: 1_000.0 * per_row(log.distinct_leaves),
            });
        }
    }
    let tuple = (TUPLE_HEADER + data).next_multiple_of(8) + LINE_POINTER;
    Ok(PostgresForecast {
        strategy: strategy.name,
        load: load.clone(),
        heap_bytes_per_row: PAGE as f64 / (HEAP_ROOM / tuple) as f64,
        stretches,
        index: index.tree(),
    })
}

impl PostgresLoad {
    /// The largest number of rows: the model follows all of them.
    pub const MAX_ROWS: u64 = 100_000_000;
    /// Wider rows do not fit on a page uncompressed.
    const MAX_ROW_BYTES: u32 = 8_000;

    /// Rows between two checkpoints; at least one.
    pub(crate) fn checkpoint_rows(&self) -> u64 {
        (self.rate * f64::from(self.checkpoint_secs)).max(1.0) as u64
    }

    pub(crate) fn check(&self, strategy: &Strategy) -> Result<()> {
        strategy.check(Database::Postgres)?;
        Load::check_numbers(self.rows, self.writers, self.rate)?;
        if self.checkpoint_secs == 0 {
            return Err(Error::config("checkpoints are 0 s apart: give at least one second".to_owned()));
        }
        if strategy.column.is_mapped() {
            return Err(Error::config(format!(
                "{} keeps two tables: predict auto-increment for the wide one and v4-binary for the map",
                strategy.name
            )));
        }
        let all = self.rows.saturating_add(self.existing.map_or(0, |(_, rows)| rows));
        if all > Self::MAX_ROWS {
            return Err(Error::config(format!(
                "{all} rows are too many for the model of PostgreSQL: give at most {}",
                Self::MAX_ROWS
            )));
        }
        if self.row_bytes > Self::MAX_ROW_BYTES {
            return Err(Error::config(format!(
                "a row has {} bytes: PostgreSQL keeps at most {} on a page as they are",
                self.row_bytes,
                Self::MAX_ROW_BYTES
            )));
        }
        if let Some((old, _)) = self.existing
            && stored_bytes(old.column) != stored_bytes(strategy.column)
        {
            return Err(Error::config(format!(
                "rows of {} and of {} do not fit one column: choose strategies of one type",
                old.name, strategy.name
            )));
        }
        super::room::check_bytes(all * Model::bytes_per_row(stored_bytes(strategy.column)), || {
            format!("{all} rows")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::find;

    fn load(rows: u64) -> PostgresLoad {
        PostgresLoad {
            rows,
            row_bytes: 100,
            rate: rows as f64 / 6_000.0,
            writers: 1,
            checkpoint_secs: 300,
            existing: None,
        }
    }

    /// Compares with the recorded tables of a million rows; the model's table has a fifth of that.
    #[test]
    fn pages_are_as_full_as_on_the_server() {
        for (name, density, heap) in [
            ("auto-increment", Some(0.900), 141.2),
            ("v7-binary", Some(0.900), 148.9),
            ("fixed-prefix", Some(0.900), 148.9),
            ("minute-random", Some(0.681), 148.9),
            ("minute-ascending", Some(0.518), 148.9),
            ("minute-bigints", Some(0.518), 148.9),
            // Random keys fill pages in waves, and a smaller table is in another phase of the wave.
            ("v4-text36", None, 174.3),
            ("v4-base64", None, 157.5),
        ] {
            let forecast = predict_postgres(find(name).unwrap(), &load(200_000)).unwrap();
            let fill = forecast.index.fill.mean;
            assert!(density.is_none_or(|density: f64| (fill - density).abs() < 0.035), "{name}: {fill}");
            assert!(
                (forecast.heap_bytes_per_row - heap).abs() < 0.1,
                "{name}: {}",
                forecast.heap_bytes_per_row
            );
            assert_eq!(forecast.stretches.len(), 10, "{name}");
        }
    }

    #[test]
    fn v7_after_v4_needs_more_pages_than_more_v4() {
        let v4 = find("v4-binary").unwrap();
        let load = PostgresLoad { existing: Some((v4, 100_000)), ..load(100_000) };
        let leaves = |name| predict_postgres(find(name).unwrap(), &load).unwrap().index.leaf_pages;
        let (stay, v7, fixed) = (leaves("v4-binary"), leaves("v7-binary"), leaves("fixed-prefix"));
        assert!(v7 as f64 > 1.1 * stay as f64, "{v7}, {stay}");
        assert!((fixed as f64) < 0.95 * stay as f64, "{fixed}, {stay}");
    }

    /// Counted integers and version 7 come after the old ones, so their pages are as full as in a new table.
    #[test]
    fn ascending_keys_go_on_after_existing_ones() {
        for name in ["auto-increment", "v7-binary"] {
            let strategy = find(name).unwrap();
            let load = PostgresLoad { existing: Some((strategy, 50_000)), ..load(50_000) };
            let forecast = predict_postgres(strategy, &load).unwrap();
            assert!((forecast.index.fill.mean - 0.90).abs() < 0.01, "{name}: {}", forecast.index.fill.mean);
            assert!(forecast.stretches[5].leaves_per_1k < 6.0, "{name}: {:?}", forecast.stretches[5]);
        }
    }

    /// New random keys are other keys than the old ones: no row has the key of another.
    #[test]
    fn existing_and_new_keys_differ() {
        for name in ["v4-binary", "v7-binary", "minute-random", "device", "auto-increment"] {
            let strategy = find(name).unwrap();
            let mut all = std::collections::HashSet::new();
            let mut old = Keys::existing(strategy, 100.0, 5_000).unwrap();
            let mut new = Keys::new(strategy, 100.0, 1, 1).unwrap().after(5_000);
            for _ in 0..5_000 {
                assert!(all.insert(old.next_key().unwrap().to_vec()), "{name}");
                assert!(all.insert(new.next_key().unwrap().to_vec()), "{name}");
            }
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let v4 = find("v4-binary").unwrap();
        for (name, bad) in [
            ("v4-uuid", load(20_000)),
            ("mapped", load(20_000)),
            ("v4-binary", load(10)),
            ("v4-binary", PostgresLoad { rate: f64::NAN, ..load(20_000) }),
            ("v4-binary", PostgresLoad { checkpoint_secs: 0, ..load(20_000) }),
            ("v4-binary", PostgresLoad { writers: 0, ..load(20_000) }),
            ("v4-binary", PostgresLoad { row_bytes: 9_000, ..load(20_000) }),
            ("v4-text36", PostgresLoad { existing: Some((v4, 10_000)), ..load(20_000) }),
            ("v4-binary", PostgresLoad { existing: Some((v4, u64::MAX)), ..load(20_000) }),
        ] {
            assert!(predict_postgres(find(name).unwrap(), &bad).unwrap_err().is_config(), "{name} {bad:?}");
        }
    }
}
