//! RocksDB, the library: an LSM tree in the process of the lab, with the counts of RocksDB's own statistics.
//!
//! Sources: RocksDB's `options.h` and `statistics.h`; the RocksDB wiki, Leveled Compaction.

mod folder;
mod rows;

use rocksdb::{BlockBasedOptions, Cache, DBCompressionType, Options};

use super::{Engine, Table};
use crate::cancel::Cancel;
use crate::strategy::Strategy;
use crate::{Error, Result};
use folder::Folder;
use idgen_record::{EngineInfo, Workload};
use rows::Rows;

/// The bytes that the cache of blocks has, at least.
const LEAST_CACHE: u64 = 1 << 20;
/// Bits of a filter for each key: 1 of 100 keys that are not in a file is not excluded.
const FILTER_BITS: f64 = 10.0;

/// The library. Each run uses a new folder.
pub struct RocksDb {
    directory: tempfile::TempDir,
    version: String,
    runs: u32,
    paced: bool,
    lz4: bool,
    cancel: Cancel,
}

impl RocksDb {
    /// Keeps its files in a new directory within the system's temporary directory.
    ///
    /// # Errors
    /// The directory cannot be made, or RocksDB cannot make files in it.
    pub fn new(workload: &Workload) -> Result<Self> {
        let directory = tempfile::Builder::new()
            .prefix("idgen-lab-")
            .tempdir()
            .map_err(|error| Error::engine("cannot make a temporary directory", error))?;
        // Its log begins with its version, which the library does not tell otherwise.
        let version = Folder::create(&directory, "version", &options(workload)?)?.version()?;
        Ok(RocksDb {
            directory,
            version,
            runs: 0,
            paced: workload.paced,
            lz4: workload.lsm.unwrap_or_default().lz4,
            cancel: Cancel::default(),
        })
    }
}

impl Engine for RocksDb {
    fn info(&self) -> EngineInfo {
        let files = if self.lz4 { "files compressed with LZ4" } else { "no compression" };
        let waits = match self.paced {
            true => "compactions run beside the inserts",
            false => "after each statement, its client waits until no compaction is left",
        };
        EngineInfo {
            name: "RocksDB".into(),
            version: self.version.clone(),
            setup: format!(
                "RocksDB as a library in this process; a statement looks for each of its keys, and writes its rows in one batch; \
                 log not synced, {files}; {waits}"
            ),
            missing: Vec::new(),
        }
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.cancel = cancel.clone();
    }

    fn check(&self, strategy: &Strategy, workload: &Workload) -> Result<()> {
        if workload.own.is_some() || workload.mix.is_some() {
            return Err(Error::config(
                "the lab only inserts one value for each key into RocksDB, without other indexes and other operations: choose \
                 --engine myrocks for them",
            ));
        }
        strategy.check_on(None)
    }

    fn cache_bytes(&self, workload: &Workload) -> Result<u64> {
        Ok(cache_bytes(workload))
    }

    fn isolation(&self) -> &'static str {
        "each run with a new database in a folder of its own"
    }

    fn create(&mut self, strategy: &Strategy, workload: &Workload) -> Result<Box<dyn Table>> {
        self.runs += 1;
        let name = format!("{}-{}", self.runs, strategy.name);
        let folder = Folder::create(&self.directory, &name, &options(workload)?)?;
        Ok(Box::new(Rows::new(folder, strategy, workload, &self.cancel)?))
    }
}

fn cache_bytes(workload: &Workload) -> u64 {
    (workload.cache_pages(1_024) * 1_024).max(LEAST_CACHE)
}

/// The settings of a database of the lab's own: RocksDB's defaults, except for the sizes, compression and filters.
fn options(workload: &Workload) -> Result<Options> {
    let given = workload.lsm.unwrap_or_default();
    let cache = cache_bytes(workload);
    let (memtable, base) = given.sizes(cache);
    let size = |bytes: u64| {
        usize::try_from(bytes)
            .map_err(|_| Error::config(format!("{bytes} bytes are more than the memory of this machine")))
    };
    let mut options = Options::default();
    options.create_if_missing(true);
    options.enable_statistics();
    options.set_write_buffer_size(size(memtable)?);
    options.set_target_file_size_base(memtable);
    options.set_max_bytes_for_level_base(base);
    options.set_level_compaction_dynamic_level_bytes(!given.fixed_levels);
    options.set_compression_type(if given.lz4 { DBCompressionType::Lz4 } else { DBCompressionType::None });
    let mut blocks = BlockBasedOptions::default();
    blocks.set_bloom_filter(FILTER_BITS, false);
    blocks.set_block_cache(&Cache::new_lru_cache(size(cache)?));
    options.set_block_based_table_factory(&blocks);
    Ok(options)
}

fn doing(what: &'static str) -> impl Fn(rocksdb::Error) -> Error {
    move |error| Error::engine(format!("RocksDB could not {what}"), error)
}

#[cfg(test)]
mod tests;
