//! The settings of LSM trees, as options of a run.

use idgen_lab::session::Target;
use idgen_record::LsmOptions;

use crate::{failure, number};

/// The smallest memtable that RocksDB takes.
const LEAST_BYTES: u64 = 64 << 10;

// No documentation comment: it would become that of the command that takes these.
#[derive(clap::Args)]
pub struct LsmArgs {
    /// Bytes of a memtable (write_buffer_size), of rocksdb and myrocks; files have the same size [default: a quarter of --pool].
    #[arg(long, value_name = "BYTES", value_parser = number::size, allow_negative_numbers = true)]
    memtable: Option<u64>,
    /// Bytes of the first level below level 0 (max_bytes_for_level_base), of rocksdb and myrocks [default: --pool].
    #[arg(long, value_name = "BYTES", value_parser = number::size, allow_negative_numbers = true)]
    level_base: Option<u64>,
    /// Compress files with LZ4, on rocksdb. The second half of each payload is then zeros, because random bytes cannot be
    /// compressed.
    #[arg(long)]
    lz4: bool,
    /// Fill levels from the first one down, as RocksDB did before version 8.4, on rocksdb.
    #[arg(long)]
    fixed_levels: bool,
}

impl LsmArgs {
    /// Refuses options that the engine does not have.
    pub fn check(&self, engine: &Target) -> anyhow::Result<()> {
        let own = engine.is_own_lsm();
        let options = [
            ("--memtable", self.memtable.is_some() && !own, "which is no LSM tree of the lab's own"),
            ("--level-base", self.level_base.is_some() && !own, "which is no LSM tree of the lab's own"),
            ("--lz4", self.lz4 && engine.has_sql(), "whose files the lab does not compress"),
            ("--fixed-levels", self.fixed_levels && engine.has_sql(), "whose levels the lab does not set up"),
        ];
        if let Some((option, _, why)) = options.iter().find(|(_, refused, _)| *refused) {
            return Err(failure::usage(format_args!(
                "{option} does not apply to {engine}, {why}: leave it out, or choose --engine rocksdb"
            )));
        }
        for (option, bytes) in [("--memtable", self.memtable), ("--level-base", self.level_base)] {
            if let Some(bytes) = bytes.filter(|bytes| *bytes < LEAST_BYTES) {
                return Err(failure::usage(format_args!(
                    "{option} {bytes} is too small for an LSM tree: give at least {LEAST_BYTES} bytes"
                )));
            }
        }
        Ok(())
    }

    /// Returns the settings that were given; `None` if there are none.
    pub fn options(&self) -> Option<LsmOptions> {
        let given = LsmOptions {
            memtable_bytes: self.memtable,
            level_base_bytes: self.level_base,
            lz4: self.lz4,
            fixed_levels: self.fixed_levels,
        };
        (given != LsmOptions::default()).then_some(given)
    }

    /// Returns the given options as a part of the command.
    pub fn given(&self) -> String {
        let size = |name: &str, bytes: Option<u64>| {
            bytes.map(|bytes| format!(" --{name} {bytes}")).unwrap_or_default()
        };
        let flag = |name: &str, given: bool| if given { format!(" --{name}") } else { String::new() };
        [
            size("memtable", self.memtable),
            size("level-base", self.level_base),
            flag("lz4", self.lz4),
            flag("fixed-levels", self.fixed_levels),
        ]
        .concat()
    }
}
