//! Opens a database in a folder of its own, reads its counts and its log, and waits for its compactions.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rocksdb::statistics::Ticker;
use rocksdb::{DB, ErrorKind, Options, WaitForCompactOptions};

use super::doing;
use crate::cancel::Cancel;
use crate::engine::{Counters, LsmCounters};
use crate::{Error, Result};

/// The time that RocksDB waits before the lab checks for a cancellation.
const STEP: Duration = Duration::from_millis(200);
const LIMIT: Duration = Duration::from_secs(600);

/// The settings that influence the counts, as RocksDB names them in its file of options.
const SHOWN: [&str; 13] = [
    "write_buffer_size",
    "max_bytes_for_level_base",
    "target_file_size_base",
    "max_bytes_for_level_multiplier",
    "level0_file_num_compaction_trigger",
    "level_compaction_dynamic_level_bytes",
    "compaction_style",
    "compression",
    "bottommost_compression",
    "max_background_jobs",
    "max_subcompactions",
    "block_size",
    "filter_policy",
];

/// An open database. The fields are dropped in order, so it closes before its folder is removed.
pub struct Folder {
    pub db: DB,
    /// RocksDB keeps its statistics with the options.
    options: Options,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Folder {
    /// Opens a new database in a new folder within this directory.
    pub fn create(directory: &tempfile::TempDir, name: &str, options: &Options) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(name)
            .tempdir_in(directory.path())
            .map_err(|error| Error::engine("cannot make a folder for RocksDB", error))?;
        let db = DB::open(options, folder.path()).map_err(doing("open a new database"))?;
        let path = folder.path().to_owned();
        Ok(Folder { db, options: options.clone(), path, _folder: folder })
    }

    /// Returns the version of the library.
    pub fn version(&self) -> Result<String> {
        let log = self.log()?;
        let version = log.lines().find_map(|line| line.split_once("RocksDB version: "));
        version.map(|(_, version)| version.trim().to_owned()).ok_or_else(|| {
            Error::engine("RocksDB does not say its version", "its log has no line with \"RocksDB version\"")
        })
    }

    /// Reads the settings from the file that RocksDB writes when it opens a database.
    pub fn settings(&self) -> Result<BTreeMap<String, String>> {
        let failed = |error| Error::engine("cannot read the options of RocksDB", error);
        let mut settings = BTreeMap::new();
        for entry in std::fs::read_dir(&self.path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if !entry.file_name().to_string_lossy().starts_with("OPTIONS-") {
                continue;
            }
            for line in std::fs::read_to_string(entry.path()).map_err(failed)?.lines() {
                if let Some((name, value)) =
                    line.trim().split_once('=').filter(|(name, _)| SHOWN.contains(name))
                {
                    settings.insert(name.to_owned(), value.to_owned());
                }
            }
        }
        Ok(settings)
    }

    /// Returns the counts since the database was opened.
    pub fn counters(&self) -> Result<Counters> {
        let count = |ticker| self.options.get_ticker_count(ticker);
        let positives = count(Ticker::BloomFilterFullPositive);
        Ok(Counters {
            pages_read: count(Ticker::BlockCacheDataMiss),
            cache_hits: Some(count(Ticker::BlockCacheDataHit)),
            redo_bytes: Some(count(Ticker::WalFileBytes)),
            lsm: Some(LsmCounters {
                flushed_bytes: count(Ticker::FlushWriteBytes),
                compacted_bytes: count(Ticker::CompactWriteBytes),
                filters: count(Ticker::BloomFilterUseful) + positives,
                false_positives: positives.saturating_sub(count(Ticker::BloomFilterFullTruePositive)),
                moved_bytes: moved_bytes(&self.log()?),
                stall_micros: count(Ticker::StallMicros),
            }),
            ..Counters::default()
        })
    }

    /// Waits until no flush and no compaction waits or runs. What is in the memtable stays there.
    pub fn until_compacted(&self, cancel: &Cancel) -> Result<()> {
        let mut options = WaitForCompactOptions::default();
        options.set_timeout(STEP.as_micros() as u64);
        let began = Instant::now();
        loop {
            match self.db.wait_for_compact(&options) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::TimedOut => cancel.check()?,
                Err(error) => return Err(doing("finish its compactions")(error)),
            }
            if began.elapsed() > LIMIT {
                let waited = LIMIT.as_secs();
                return Err(Error::engine(
                    "RocksDB does not finish its compactions",
                    format!("some are left after {waited} s"),
                ));
            }
        }
    }

    /// Writes the memtable to a file, and returns the bytes of all files.
    pub fn file_bytes(&self) -> Result<u64> {
        self.db.flush().map_err(doing("flush its memtable"))?;
        let bytes = self.db.property_int_value(rocksdb::properties::LIVE_SST_FILES_SIZE);
        bytes
            .map_err(doing("report the size of its files"))?
            .ok_or_else(|| Error::engine("RocksDB does not report the size of its files", "no such property"))
    }

    /// Reads RocksDB's log. RocksDB buffers the last lines, and writes them out before this call returns.
    fn log(&self) -> Result<String> {
        // File deletions are enabled already, so this call only writes the buffered lines.
        self.db.enable_file_deletions().map_err(doing("write its log"))?;
        std::fs::read_to_string(self.path.join("LOG"))
            .map_err(|error| Error::engine("cannot read the log of RocksDB", error))
    }
}

/// Sums the bytes of the files that moved to another level, from RocksDB's log: its statistics do not count them.
fn moved_bytes(log: &str) -> u64 {
    let moves = log.lines().filter(|line| line.contains("\"event\": \"trivial_move\""));
    let bytes = moves.filter_map(|line| {
        let (_, rest) = line.split_once("\"total_files_size\": ")?;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
    });
    bytes.sum()
}
