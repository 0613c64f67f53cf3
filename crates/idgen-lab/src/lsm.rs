//! Predicts what a key strategy will cost an LSM tree, RocksDB's or MyRocks', and recommends a key for one.
//!
//! There are no pages, no page fill and no splits: what counts is how often compactions write a row again, and how many files
//! the check for an equal key has to ask.

mod advise;
mod load;
mod text;

use serde::Serialize;

use crate::forecast::{FORMAT, Keys};
use crate::strategy::Strategy;
use crate::{Error, Result};
pub use advise::{Advice, Candidate, advise};
pub use load::{Engine, Load};
use lsm_model::{Figures, Tree};

/// The parts of a run that have figures of their own.
const WINDOWS: u64 = 10;

/// The prediction of the model for one strategy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// The version of this form: a change that breaks readers raises it.
    pub format: u32,
    /// The strategy's name.
    pub strategy: &'static str,
    /// The load of the prediction.
    pub load: Load,
    /// The tree of the model is this many times smaller than the real one, with as many files.
    pub scale: u64,
    /// The ten parts of the run, from the first to the last.
    pub windows: Vec<Window>,
    /// The whole run.
    pub whole: Window,
    /// Bytes of all files at the end, with those of the rows that were there before.
    pub file_bytes: f64,
}

/// The figures of consecutive inserts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Window {
    /// Rows in the table at the end.
    pub rows: u64,
    /// Inserts.
    pub inserts: u64,
    /// Bytes written to files for each byte that was flushed from a memtable: RocksDB's W-Amp.
    pub write_amplification: f64,
    /// Bytes written to files per row, the log not included.
    pub written_bytes_per_row: f64,
    /// Filters that the check for an equal key asks, per 1,000 inserts.
    pub filters_per_1k: f64,
    /// Sorted runs at the end: files of level 0, and levels below it.
    pub sorted_runs: u64,
}

impl Window {
    /// The figures from one reading to a later one, of a tree that is smaller by `scale`.
    fn between(before: &Figures, now: &Figures, scale: u64) -> Window {
        let inserts = (now.rows - before.rows).max(1);
        let flushed = now.flushed_bytes - before.flushed_bytes;
        let compacted = now.compacted_bytes - before.compacted_bytes;
        Window {
            rows: now.rows * scale,
            inserts: inserts * scale,
            write_amplification: if flushed > 0.0 { 1.0 + compacted / flushed } else { 1.0 },
            written_bytes_per_row: (flushed + compacted) / inserts as f64,
            filters_per_1k: (now.filters - before.filters) as f64 * 1_000.0 / inserts as f64,
            sorted_runs: now.sorted_runs,
        }
    }
}

/// Runs the model for one strategy.
///
/// ```
/// use idgen_lab::lsm::{Engine, Load, predict};
/// use idgen_lab::strategy::find;
/// use lsm_model::Settings;
///
/// let settings = Settings { memtable_bytes: 1 << 20, level_base_bytes: 4 << 20, ..Settings::rocksdb() };
/// let load = Load { settings, ..Load::new(200_000, Engine::RocksDb) };
/// let (ordered, random) = (predict(find("v7-binary")?, &load)?, predict(find("v4-binary")?, &load)?);
/// assert_eq!(ordered.whole.write_amplification, 1.0);
/// assert!(random.whole.write_amplification > 2.0 && random.whole.filters_per_1k > 1_000.0);
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that such a tree could have, or a generator refuses it.
pub fn predict(strategy: &'static Strategy, load: &Load) -> Result<Forecast> {
    predict_on(strategy, load, load.scale(load::MOST_FOLLOWED))
}

/// Predicts on a tree that is smaller by `scale`. Each file then has fewer rows, and there are as many files:
/// memtables, files, levels and the rows of an interval of a prefix are all smaller by the same factor.
fn predict_on(strategy: &'static Strategy, load: &Load, scale: u64) -> Result<Forecast> {
    load.check(strategy)?;
    let (key_bytes, other_bytes) = load.bytes_of(strategy);
    let mut tree = Tree::new(&load.settings.scaled(scale), key_bytes, other_bytes).map_err(refused)?;
    let makers = load.makers(scale);
    let before = load.existing.map_or(0, |(_, rows)| rows / scale);
    if let Some((old, _)) = load.existing {
        let mut keys = Keys::existing(old, &makers, before)?;
        for _ in 0..before {
            tree.insert(keys.next_key()?);
        }
    }
    let rows = load.rows / scale;
    let mut keys = Keys::new(strategy, &makers, 1)?.after(before).by(&load.arriving(scale))?;
    let begin = tree.figures();
    let (mut since, mut windows) = (begin, Vec::new());
    let stretch = rows.div_ceil(WINDOWS);
    for row in 1..=rows {
        tree.insert(keys.next_key()?);
        if row % stretch == 0 || row == rows {
            let now = tree.figures();
            windows.push(Window::between(&since, &now, scale));
            since = now;
        }
    }
    Ok(Forecast {
        format: FORMAT,
        strategy: strategy.name,
        load: load.clone(),
        scale,
        windows,
        whole: Window::between(&begin, &since, scale),
        file_bytes: since.file_bytes * scale as f64,
    })
}

fn refused(error: lsm_model::Error) -> Error {
    Error::config(error.to_string())
}
