//! Predicts what a key strategy will cost a table that does not exist yet: the model runs with ids from the real
//! generators.

mod buckets;
mod keys;
mod load;
mod postgres;
mod revisits;
mod room;
mod sqlite;
mod text;

use serde::Serialize;

use crate::strategy::Strategy;
use crate::{Error, Result};
use btree_model::{Model, Server, Setup, Shape, TreeState, Window};
use idgen_record::{Column, Database};
use keys::Keys;
pub use load::Load;
pub(crate) use load::PAGE_SIZE;
use load::key_bytes;
pub(crate) use postgres::predict_crowded as predict_crowded_postgres;
pub use postgres::{PostgresForecast, PostgresLoad, Stretch, predict_postgres};
pub use revisits::{model_info, revisit};
pub(crate) use sqlite::predict_crowded as predict_crowded_sqlite;
pub use sqlite::{SqliteForecast, SqliteLoad, predict_sqlite};

/// The parts of a run that have figures of their own.
const WINDOWS: u64 = 10;

/// What the model predicts for one strategy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// The strategy's name.
    pub strategy: &'static str,
    /// The load of the prediction.
    pub load: Load,
    /// Bytes of a row as stored, including its key, header and system columns.
    pub record_bytes: u32,
    /// The model followed one part of the keys out of this many; 1 if it followed all.
    pub parts: u32,
    /// The ten parts of the run, from the first to the last.
    pub windows: Vec<Window>,
    /// The table at the end.
    pub tree: TreeState,
}

impl Forecast {
    /// The last tenth of the run.
    pub fn last(&self) -> &Window {
        &self.windows[self.windows.len() - 1]
    }

    /// Bytes of the table at the end, without secondary indexes.
    pub fn table_bytes(&self) -> f64 {
        self.tree.page_bytes_per_row * self.tree.rows as f64
    }

    /// Pages that the device reads and writes per second in the last tenth.
    pub fn device_pages_per_sec(&self, rate: f64) -> f64 {
        let last = self.last();
        (last.reads_per_1k + last.writes_per_1k) * rate / 1_000.0
    }
}

/// Runs the model for one strategy.
///
/// ```
/// use idgen_lab::forecast::{Load, predict};
/// use btree_model::Server;
/// use idgen_lab::strategy;
///
/// let server = Server::mysql(128 << 20);
/// let load = Load {
///     rows: 50_000, row_bytes: 100, rate: 1_000.0, id_rate: None, writers: 1, commit_rows: 1, server,
///     existing: None,
/// };
/// let ordered = predict(strategy::find("v7-binary")?, &load)?;
/// let random = predict(strategy::find("v4-binary")?, &load)?;
/// assert!(ordered.tree.fill.mean > random.tree.fill.mean + 0.1);
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that a server could have, a generator refuses it, or its keys do not fit this machine's memory.
pub fn predict(strategy: &'static Strategy, load: &Load) -> Result<Forecast> {
    predict_crowded(strategy, load, 1)
}

/// The same for a part of a larger table. Its keyed prefixes come again after this many times fewer intervals, so that
/// each comes as often as in the larger table.
pub(crate) fn predict_crowded(strategy: &'static Strategy, load: &Load, crowd: u64) -> Result<Forecast> {
    load.check()?;
    if strategy.column.is_mapped() {
        return Err(Error::config(format!(
            "{} keeps two tables: predict auto-increment for the wide one and v4-binary for the map",
            strategy.name
        )));
    }
    let key_bytes = key_bytes(strategy.column);
    // An id that is not the key is an ordinary column.
    let id_bytes = if strategy.column == Column::Unkeyed16 { 16 } else { 0 };
    let other_bytes = load.row_bytes.saturating_add(id_bytes);
    let shape = Shape::clustered(PAGE_SIZE, key_bytes, other_bytes).map_err(refused)?;
    let setup = Setup { shape, server: load.server.clone(), rate: load.rate, commit_rows: load.commit_rows };
    // The load is checked before the ids are generated, because that takes minutes for a thousand million rows.
    setup.check().map_err(refused)?;
    load.check_existing(strategy)?;
    load.check_room(key_bytes)?;
    let ranges = load.ranges(strategy)?;
    let parts = ranges.parts();
    let mut model = Model::sampled(&setup, ranges).map_err(refused)?;
    let mut before = 0;
    if let Some((old, rows)) = load.existing {
        let mut keys = Keys::existing(old, load.id_rate(), rows)?;
        for _ in 0..rows {
            model.insert(keys.next_key()?).map_err(refused)?;
        }
        before = rows;
        model.window();
    }
    let mut keys = Keys::new(strategy, load.id_rate(), load.writers, crowd)?.after(before);
    let mut windows = Vec::new();
    // A multiple of a thousand, because leaves are counted for each thousand inserts.
    let stretch = load.rows.div_ceil(WINDOWS).next_multiple_of(1_000);
    for row in 1..=load.rows {
        model.insert(keys.next_key()?).map_err(refused)?;
        if row % stretch == 0 || row == load.rows {
            windows.push(model.window());
        }
    }
    Ok(Forecast {
        strategy: strategy.name,
        load: load.clone(),
        record_bytes: shape.record_bytes(),
        parts,
        windows,
        tree: model.tree(),
    })
}

/// Bytes of a row as stored, including a key of this many bytes, the header and the system columns.
///
/// # Errors
/// Such a row does not fit on a page.
pub(crate) fn record_bytes(key_bytes: u32, row_bytes: u32) -> Result<u32> {
    Ok(Shape::clustered(PAGE_SIZE, key_bytes, row_bytes).map_err(refused)?.record_bytes())
}

fn refused(error: btree_model::Error) -> Error {
    Error::config(error.to_string())
}

/// The versions of a database whose default settings the model knows; `None` if it knows none.
pub fn modeled(database: Database) -> Option<&'static str> {
    match database {
        Database::Sqlite => Some("SQLite 3: a table WITHOUT ROWID, one connection and a rollback journal"),
        Database::Postgres => {
            Some("PostgreSQL 16 to 18: the index of the primary key, and the write-ahead log")
        }
        Database::MySql => Some("MySQL 8.4 to 9.7"),
        Database::MariaDb => Some(
            "MariaDB 10.11, but with `innodb_flush_neighbors` off: with it on, random keys write twice the pages",
        ),
    }
}

/// The default settings, as the model knows them, of a server with this buffer pool.
///
/// # Errors
/// The model does not know such a server.
///
/// ```
/// use idgen_record::Database;
///
/// assert_eq!(idgen_lab::forecast::server(Database::MariaDb, 128 << 20)?.io_capacity, 200);
/// assert!(idgen_lab::forecast::server(Database::Sqlite, 128 << 20).unwrap_err().is_config());
/// # Ok::<(), idgen_lab::Error>(())
/// ```
pub fn server(database: Database, pool_bytes: u64) -> Result<Server> {
    match database {
        Database::MySql => Ok(Server::mysql(pool_bytes)),
        Database::MariaDb => Ok(Server::mariadb(pool_bytes)),
        Database::Sqlite | Database::Postgres => Err(Error::config(format!(
            "the model knows no buffer pool of {database}: choose mysql or mariadb"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy;

    fn load(rows: u64) -> Load {
        let server = Server::mysql(32 << 20);
        Load {
            rows,
            row_bytes: 100,
            rate: 2_000.0,
            id_rate: None,
            writers: 1,
            commit_rows: 1,
            server,
            existing: None,
        }
    }

    #[test]
    fn every_strategy_is_predicted() {
        for strategy in &strategy::ALL {
            if strategy.column.is_mapped() {
                assert!(predict(strategy, &load(30_000)).unwrap_err().is_config());
                continue;
            }
            let forecast = predict(strategy, &load(30_000)).unwrap();
            assert_eq!(forecast.windows.len(), 10, "{}", strategy.name);
            assert_eq!((forecast.last().rows, forecast.tree.rows), (30_000, 30_000), "{}", strategy.name);
            assert!(forecast.tree.fill.mean > 0.4, "{}: {}", strategy.name, forecast.tree.fill.mean);
        }
    }

    /// In the recorded runs: the bytes in use on all leaves, divided by the rows. `CHAR` has no length byte, `VARCHAR`
    /// has one.
    #[test]
    fn rows_take_as_many_bytes_as_on_the_servers() {
        for (name, bytes) in [
            ("v4-binary", 34),
            ("v4-text36", 54),
            ("minute-text36", 54),
            ("v4-base64", 40),
            ("v4-varchar36", 55),
            ("v4-varbinary36", 55),
            ("auto-increment", 26),
        ] {
            let load = Load { row_bytes: 0, ..load(10_000) };
            assert_eq!(predict(strategy::find(name).unwrap(), &load).unwrap().record_bytes, bytes, "{name}");
        }
    }

    /// Eight more rows than ten windows hold must not become a window of eight rows.
    #[test]
    fn windows_are_multiples_of_a_thousand_rows() {
        let forecast = predict(strategy::find("auto-increment").unwrap(), &load(15_508)).unwrap();
        let inserts: Vec<u64> = forecast.windows.iter().map(|window| window.inserts).collect();
        assert_eq!(inserts, [2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 1_508]);
        let leaves: Vec<f64> = forecast.windows.iter().map(|window| window.distinct_leaves_per_1k).collect();
        // Rows of 126 bytes: a thousand rows take 8 or 9 pages, and one more that was begun before.
        assert!(leaves.iter().all(|count| (8.0..=12.0).contains(count)), "{leaves:?}");
    }

    #[test]
    fn random_keys_cause_reads_and_ordered_keys_do_not() {
        let forecast = |name, writers| {
            predict(strategy::find(name).unwrap(), &Load { writers, ..load(300_000) }).unwrap()
        };
        let random = forecast("v4-binary", 1);
        assert!(random.last().reads_per_1k > 300.0, "{:?}", random.last());
        assert!(random.device_pages_per_sec(2_000.0) > 1_000.0);
        for (name, writers) in [("v7-binary", 1), ("v7-binary", 8), ("minute-ascending", 1)] {
            let ordered = forecast(name, writers);
            assert!(ordered.last().reads_per_1k < 3.0, "{name} {writers}: {:?}", ordered.last());
            // Ids of several writers interleave within the millisecond: pages are 76 % full, against 64 % with random
            // keys (measured).
            assert!(ordered.table_bytes() < 0.9 * random.table_bytes(), "{name} {writers}");
        }
    }

    #[test]
    fn the_simulated_clock_keeps_the_rate() {
        let strategy = strategy::find("minute-ascending").unwrap();
        let load = load(300_000);
        let mut keys = Keys::new(strategy, load.rate, load.writers, 1).unwrap();
        let mut prefixes = Vec::new();
        for _ in 0..load.rows {
            prefixes.push(keys.next_key().unwrap()[..2].to_vec());
        }
        // 2,000 inserts per second are 120,000 per minute, with a standard deviation of 346.
        let runs: Vec<_> = prefixes.chunk_by(|a, b| a == b).map(<[_]>::len).collect();
        assert_eq!(runs.len(), 3, "{runs:?}");
        assert!(runs[..2].iter().all(|rows| rows.abs_diff(120_000) < 1_500), "{runs:?}");
    }

    /// At 2,000 ids per second, all rows have one prefix, and go to all pages. At 20, about 1,200 rows share each
    /// prefix, and go to few pages. The speed of the inserts does not change that.
    #[test]
    fn prefixes_follow_the_clock_of_the_ids() {
        let strategy = strategy::find("minute-random").unwrap();
        let leaves = |rate, id_rate| {
            let load = Load { rate, id_rate, ..load(30_000) };
            predict(strategy, &load).unwrap().last().distinct_leaves_per_1k
        };
        let slow = leaves(2_000.0, Some(20.0));
        assert_eq!(slow, leaves(20.0, None));
        assert!(2.0 * slow < leaves(2_000.0, None), "{slow}");
    }

    #[test]
    fn nonsense_is_refused() {
        let strategy = strategy::find("v4-binary").unwrap();
        for bad in [
            load(10),
            Load { writers: 0, ..load(20_000) },
            Load { commit_rows: 0, ..load(20_000) },
            Load { rate: 0.0, ..load(20_000) },
            Load { rate: -5.0, ..load(20_000) },
            Load { rate: f64::INFINITY, ..load(20_000) },
            Load { rate: 1e12, ..load(20_000) },
            Load { id_rate: Some(0.0), ..load(20_000) },
            Load { row_bytes: 20_000, ..load(20_000) },
            Load { existing: Some((strategy, 20_000_000)), ..load(20_000) },
            Load { existing: Some((strategy::find("auto-increment").unwrap(), 20_000)), ..load(20_000) },
            Load { existing: Some((strategy::find("mapped").unwrap(), 20_000)), ..load(20_000) },
        ] {
            assert!(predict(strategy, &bad).unwrap_err().is_config(), "{bad:?}");
        }
    }
}
