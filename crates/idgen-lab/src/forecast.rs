//! Predicts what a key strategy will cost a table that does not exist yet: the model of its database runs with ids from the
//! real generators.

mod arrival;
mod buckets;
mod clients;
mod innodb;
mod keys;
mod load;
mod models;
mod parts;
mod postgres;
mod room;
mod sqlite;
#[cfg(test)]
mod tests;
mod text;

use serde::Serialize;

use crate::strategy::Strategy;
use crate::{Error, Result};
pub(crate) use arrival::Arriving;
use btree_model::{Figures, Table, TreeState};
pub use clients::{Clients, Delay};
use idgen_record::Arrival;
pub(crate) use innodb::record_bytes;
pub(crate) use keys::{Keys, Makers};
pub use load::Load;
pub(crate) use load::{check_existing, check_one_table, check_skew, existing_rows, key_bytes, within};
use models::Modeled;
pub use models::Settings;
#[doc(hidden)]
pub use models::{MODELS, Model, Options};
pub(crate) use parts::PAGE_SIZE;
pub use postgres::PostgresSettings;
#[doc(hidden)]
pub use sqlite::SqliteSettings;

/// The parts of a run that have figures of their own.
const WINDOWS: u64 = 10;
/// The version of the JSON of [`Forecast`] and of [`crate::advise::Advice`]: a change that breaks readers raises it.
pub(crate) const FORMAT: u32 = 1;

/// The prediction of the model for one strategy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// The version of this form: a change that breaks readers raises it.
    pub format: u32,
    /// The strategy's name.
    pub strategy: &'static str,
    /// The load of the prediction.
    pub load: Load,
    /// Bytes of a row as stored, the last one, including its key, header and system columns.
    pub record_bytes: u32,
    /// The model followed one part of the keys out of this many; 1 if it followed all.
    pub parts: u32,
    /// The ten parts of the run, from the first to the last.
    pub windows: Vec<Figures>,
    /// The tree that the key orders, at the end, including the rows that were there before: the table itself, or its
    /// index if the rows lie in a heap.
    pub tree: TreeState,
    /// Bytes of heap pages per row, if the rows lie in a heap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap_bytes_per_row: Option<f64>,
}

impl Forecast {
    /// The last tenth of the run.
    pub fn last(&self) -> &Figures {
        &self.windows[self.windows.len() - 1]
    }

    /// The second half of the run.
    fn late(&self) -> &[Figures] {
        &self.windows[self.windows.len() / 2..]
    }

    /// Pages read and pages written per 1,000 inserts in the last tenth of the run.
    pub fn last_pages(&self) -> (f64, f64) {
        let pool = self.last().pool;
        (pool.reads_per_1k, pool.writes_per_1k)
    }

    /// Pages read and pages written per 1,000 inserts in the second half of the run. The region of a prefix
    /// grows from the beginning to the end of its interval, so a tenth of a run with few intervals says
    /// little about it.
    pub fn late_pages(&self) -> (f64, f64) {
        let (mut inserts, mut reads, mut writes) = (0.0, 0.0, 0.0);
        for window in self.late() {
            let (pool, count) = (window.pool, window.inserts as f64);
            inserts += count;
            reads += pool.reads_per_1k * count;
            writes += pool.writes_per_1k * count;
        }
        (reads / inserts, writes / inserts)
    }

    /// Bytes of the log per row, and full-page images per 1,000 inserts, in the second half of the run, if the model has a
    /// log. The half contains a few checkpoints unless they are far apart.
    pub fn late_log(&self) -> Option<(f64, f64)> {
        let (mut bytes, mut images) = (0.0, 0.0);
        for window in self.late() {
            let log = window.log?;
            bytes += log.log_bytes_per_row;
            images += log.images_per_1k;
        }
        let count = self.late().len() as f64;
        Some((bytes / count, images / count))
    }
}

/// Runs the model of the load's database for one strategy. On SQLite, the table is one `WITHOUT ROWID` unless the database
/// counts the keys.
///
/// ```
/// use btree_model::Server;
/// use idgen_lab::forecast::{Load, PostgresSettings, SqliteSettings, predict};
/// use idgen_lab::strategy::find;
///
/// let load = Load::new(50_000, Server::mysql(128 << 20));
/// let ordered = predict(find("v7-binary")?, &load)?;
/// let random = predict(find("v4-binary")?, &load)?;
/// assert!(ordered.tree.fill.mean > random.tree.fill.mean + 0.1);
///
/// let load = Load::new(50_000, PostgresSettings { checkpoint_secs: 2, ..PostgresSettings::default() });
/// let ordered = predict(find("v7-binary")?, &load)?;
/// let random = predict(find("v4-binary")?, &load)?;
/// assert!(random.late_log().unwrap().0 > 1.5 * ordered.late_log().unwrap().0);
///
/// let load = Load::new(50_000, SqliteSettings::default());
/// let ordered = predict(find("v7-binary")?, &load)?;
/// let random = predict(find("v4-binary")?, &load)?;
/// // Both tables have the same size, within 2 %, but random keys read and write many more pages.
/// assert!((ordered.tree.fill.mean / random.tree.fill.mean - 1.0).abs() < 0.02);
/// let ((reads, writes), (random_reads, random_writes)) =
///     (ordered.last_pages(), random.last_pages());
/// assert!(reads == 0.0 && random_reads > 500.0 && random_writes > 10.0 * writes);
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that the database could have, a generator refuses it, or its keys do not fit this machine's memory.
pub fn predict(strategy: &'static Strategy, load: &Load) -> Result<Forecast> {
    predict_part(strategy, load, Part::default())
}

/// The settings in which a part of a larger table differs from a whole one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    /// Keyed prefixes repeat after this many times fewer intervals, so that each prefix is used as often as in the full table.
    pub crowd: u64,
    /// Rows between two checkpoints, where they are not those of the load.
    pub checkpoint_rows: Option<u64>,
}

impl Default for Part {
    fn default() -> Part {
        Part { crowd: 1, checkpoint_rows: None }
    }
}

/// Predicts as [`predict`] does, for a part of a larger table.
pub(crate) fn predict_part(strategy: &'static Strategy, load: &Load, part: Part) -> Result<Forecast> {
    let server = load.server.modeled();
    load.check(strategy)?;
    let (mut table, parts) = server.table(strategy, load)?;
    let mut before = 0;
    if let Some((old, rows)) = load.existing {
        let mut keys = Keys::existing(old, &load.makers(), rows)?;
        for row in 1..=rows {
            table.insert(keys.next_key()?).map_err(refused)?;
            if row % load.commit_rows == 0 || row == rows {
                table.commit();
            }
        }
        before = rows;
        table.checkpoint(0);
        table.figures();
    }
    let mut keys = Keys::new(strategy, &load.makers(), part.crowd)?.after(before).by(&load.arriving())?;
    let between = part.checkpoint_rows.or_else(|| server.checkpoint_rows(load));
    follow(strategy, load, (table, parts), between, |table| table.insert(keys.next_key()?).map_err(refused))
}

/// Predicts for rows that arrive in a known order: that of a run whose server reported the time of each
/// insert. Nothing is drawn, so the model has no error of order.
///
/// ```
/// use btree_model::Server;
/// use idgen_lab::forecast::{Load, replay};
/// use idgen_lab::strategy::find;
/// use idgen_record::Arrival;
///
/// let in_order: Vec<u32> = (0..20_000).collect();
/// // Each row arrives after the one that follows it: most pages split in the middle.
/// let swapped: Vec<u32> = in_order.iter().map(|row| row ^ 1).collect();
/// let load = Load::new(20_000, Server::mysql(16 << 20));
/// let of = |ranks: &[u32]| replay(find("v7-binary")?, &load, &Arrival::of(ranks).unwrap());
/// assert!(of(&in_order)?.tree.fill.mean > of(&swapped)?.tree.fill.mean);
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that the database could have, or the order is not that of its rows.
pub fn replay(strategy: &'static Strategy, load: &Load, order: &Arrival) -> Result<Forecast> {
    let server = load.server.modeled();
    load.check(strategy)?;
    let is_plain = load.existing.is_none() && load.tenants.is_none();
    let ranks = order.ranks().filter(|ranks| ranks.len() as u64 == load.rows && is_plain);
    let ranks = ranks.ok_or_else(|| {
        Error::config(format!("the recorded order is not that of {} rows of a new table", load.rows))
    })?;
    let width = server.key_bytes(strategy.column) as usize;
    let mut key = vec![0; width.max(size_of::<u32>())];
    let mut ranks = ranks.into_iter();
    let table = server.table(strategy, load)?;
    follow(strategy, load, table, server.checkpoint_rows(load), |table| {
        // The bytes after the rank stand for what is different in every key.
        key[..size_of::<u32>()].copy_from_slice(&ranks.next().unwrap_or(u32::MAX).to_be_bytes());
        table.insert(&key[..width]).map_err(refused)
    })
}

/// Follows a table while the rows of a load are inserted.
fn follow(
    strategy: &'static Strategy,
    load: &Load,
    (mut table, parts): (Box<dyn Table>, u32),
    between: Option<u64>,
    mut insert: impl FnMut(&mut dyn Table) -> Result<()>,
) -> Result<Forecast> {
    let mut windows = Vec::new();
    // A multiple of a thousand, because leaves are counted for each thousand inserts.
    let stretch = load.rows.div_ceil(WINDOWS).next_multiple_of(1_000);
    for row in 1..=load.rows {
        // A checkpoint after the last row is not part of the run.
        if let Some(between) = between.filter(|between| row > 1 && (row - 1) % between == 0) {
            table.checkpoint(between);
        }
        insert(&mut *table)?;
        if row % load.commit_rows == 0 || row == load.rows {
            table.commit();
        }
        if row % stretch == 0 || row == load.rows {
            windows.push(table.figures());
        }
    }
    Ok(Forecast {
        format: FORMAT,
        strategy: strategy.name,
        load: load.clone(),
        record_bytes: table.record_bytes(),
        parts,
        windows,
        tree: table.tree(),
        heap_bytes_per_row: table.heap_bytes_per_row(),
    })
}

fn refused(error: btree_model::Error) -> Error {
    Error::config(error.to_string())
}
