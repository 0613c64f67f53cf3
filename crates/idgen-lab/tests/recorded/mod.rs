//! Recorded runs on servers, as the model is asked about them.

use std::path::PathBuf;

use btree_model::Server;
use idgen_record::{Results, Run};
use idgen_report as report;

/// A run under docs/results, by its path there.
pub fn results(run: &str) -> Results {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../docs/results", run].iter().collect();
    report::open(&path).unwrap()
}

/// The server with the settings of a run. No `device_iops`: where reads and writes were limited, each was limited by
/// itself, above what either needed.
pub fn server_of(run: &Run) -> Server {
    let setting = |name: &str| run.settings[name].parse::<f64>().unwrap();
    let pool = setting("innodb_buffer_pool_size") as u64;
    let depth = setting("innodb_lru_scan_depth") as u32;
    // MariaDB's page cleaner begins when half of its depth is free.
    let (usual, log, free_low_pages) = match run.settings.contains_key("innodb_redo_log_capacity") {
        true => (Server::mysql(pool), "innodb_redo_log_capacity", 0),
        false => (Server::mariadb(pool), "innodb_log_file_size", depth / 2),
    };
    Server {
        free_pages: depth,
        free_low_pages,
        io_capacity: setting("innodb_io_capacity") as u32,
        io_capacity_max: setting("innodb_io_capacity_max") as u32,
        dirty_low_pct: setting("innodb_max_dirty_pages_pct_lwm"),
        dirty_max_pct: setting("innodb_max_dirty_pages_pct"),
        redo_bytes: setting(log) as u64,
        redo_low_pct: setting("innodb_adaptive_flushing_lwm"),
        ..usual
    }
}
