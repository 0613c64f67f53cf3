//! MyRocks, the storage engine of MariaDB that keeps rows in an LSM tree: what it counts, and when its compactions are done.
//!
//! Sources: MariaDB documentation, MyRocks Status Variables and MyRocks Column Families; the RocksDB wiki, Statistics.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use idgen_server::Settings;
use sqlx::mysql::MySqlConnection;
use sqlx::{Executor, Row};

use super::doing;
use super::status::{Status, number};
use crate::engine::{Counters, LsmCounters};
use crate::{Error, Result};
use idgen_record::Workload;

/// The server's name for the engine.
pub const NAME: &str = "ROCKSDB";
const STATUS: &str = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Rocksdb_flush_write_bytes', \
    'Rocksdb_compact_write_bytes', 'Rocksdb_bloom_filter_useful', 'Rocksdb_bloom_filter_full_positive', \
    'Rocksdb_bloom_filter_full_true_positive', 'Rocksdb_stall_micros', \
    'Rocksdb_block_cache_data_miss', 'Rocksdb_block_cache_data_hit', 'Rocksdb_wal_bytes')";
/// Bytes of the files that were moved; the server reports them in GiB with six digits.
const MOVED: &str = "SELECT CAST(CAST(COALESCE(SUM(VALUE), 0) * 1073741824 AS UNSIGNED) AS CHAR) \
    FROM information_schema.ROCKSDB_COMPACTION_STATS WHERE LEVEL = 'Sum' AND TYPE = 'MovedGB'";
/// Memtables that wait for a flush, and compactions that wait.
const WAITING: &str = "SELECT CAST(COALESCE(SUM(VALUE), 0) AS CHAR) FROM information_schema.ROCKSDB_CFSTATS \
    WHERE STAT_TYPE IN ('NUM_IMMUTABLE_MEM_TABLE', 'MEM_TABLE_FLUSH_PENDING', 'COMPACTION_PENDING')";
/// Files that are merged at this moment.
const RUNNING: &str = "SELECT CAST(COALESCE(ROUND(SUM(VALUE)), 0) AS CHAR) FROM information_schema.ROCKSDB_COMPACTION_STATS \
    WHERE TYPE = 'CompactedFiles'";
const STEP: Duration = Duration::from_millis(50);
const LIMIT: Duration = Duration::from_secs(600);
/// The bytes that a server of the lab's own has for blocks, at least.
const LEAST_CACHE: u64 = 1 << 20;

/// Returns true if `CREATE TABLE` makes tables of MyRocks on a server with these settings, unless it names another engine.
pub fn is_default(settings: &BTreeMap<String, String>) -> bool {
    settings.get("default_storage_engine").is_some_and(|name| name.eq_ignore_ascii_case(NAME))
}

/// The settings of a server of the lab's own. The block cache has the size of the load's cache, and so have the first level and
/// four memtables unless the load says otherwise, as with RocksDB's own defaults. Files are not compressed and have filters of 10 bits a key.
pub fn settings(workload: &Workload) -> Settings {
    let cache = (workload.cache_pages(1_024) * 1_024).max(LEAST_CACHE);
    let (memtable, base) = workload.lsm.unwrap_or_default().sizes(cache);
    Settings::new()
        .buffer_pool_mib(16)
        .plugin("ha_rocksdb")
        .option("default_storage_engine", NAME)
        .option("rocksdb_block_cache_size", cache.to_string())
        .option("rocksdb_flush_log_at_trx_commit", "0")
        .option("innodb_flush_log_at_trx_commit", "0")
        .option(
            "rocksdb_default_cf_options",
            format!(
                "write_buffer_size={memtable};max_bytes_for_level_base={base};target_file_size_base={memtable};\
                 compression=kNoCompression;level_compaction_dynamic_level_bytes=false;\
                 block_based_table_factory={{filter_policy=bloomfilter:10:false;whole_key_filtering=1}}"
            ),
        )
}

/// The counts since the server was started.
pub async fn counters(connection: &mut MySqlConnection) -> Result<Counters> {
    let status = Status::read(connection, STATUS).await?;
    let get = |name: &str| status.get(&format!("Rocksdb_{name}"));
    let failed = doing("ask for files that were moved");
    let row = connection.fetch_one(MOVED).await.map_err(&failed)?;
    let moved: String = row.try_get_unchecked(0).map_err(&failed)?;
    let positives = get("bloom_filter_full_positive")?;
    Ok(Counters {
        pages_read: get("block_cache_data_miss")?,
        cache_hits: Some(get("block_cache_data_hit")?),
        redo_bytes: Some(get("wal_bytes")?),
        lsm: Some(LsmCounters {
            flushed_bytes: get("flush_write_bytes")?,
            compacted_bytes: get("compact_write_bytes")?,
            filters: get("bloom_filter_useful")? + positives,
            false_positives: positives.saturating_sub(get("bloom_filter_full_true_positive")?),
            moved_bytes: number(&moved)?,
            stall_micros: get("stall_micros")?,
        }),
        ..Counters::default()
    })
}

/// Waits until no flush and no compaction waits or runs. What is in the memtable stays there.
pub async fn until_compacted(connection: &mut MySqlConnection) -> Result<()> {
    let began = Instant::now();
    loop {
        let before = counters(connection).await?.lsm;
        let mut waiting = String::new();
        for sql in [WAITING, RUNNING] {
            let row = connection.fetch_one(sql).await.map_err(doing("ask for compactions"))?;
            waiting += &row.try_get_unchecked::<String, _>(0).map_err(doing("ask for compactions"))?;
        }
        tokio::time::sleep(STEP).await;
        if waiting == "00" && counters(connection).await?.lsm == before {
            return Ok(());
        }
        if began.elapsed() > LIMIT {
            let waited = LIMIT.as_secs();
            return Err(Error::engine(
                "the server does not finish its compactions",
                format!("some are left after {waited} s"),
            ));
        }
    }
}
