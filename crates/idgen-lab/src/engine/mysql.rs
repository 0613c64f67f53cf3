//! MySQL and MariaDB: InnoDB, with a buffer pool that holds a part of the table.
//!
//! The counts are those of the whole server, so nothing else may run on it during a measurement. The leaf pages are
//! read from the table's file, which `FLUSH TABLES ... FOR EXPORT` makes consistent.

mod counters;
mod counts;
mod files;
mod flush;
mod loads;
mod myrocks;
mod others;
mod reach;
mod statements;
mod status;
mod survey;
mod tables;

use std::collections::BTreeMap;
use std::rc::Rc;

use idgen_server::{Server, Settings};
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Row};

use super::host::{self, doing, refused};
use super::{Done, Engine, Table, timed};
use crate::cancel::Cancel;
use crate::experiment::{Loads, Scale, Statements};
use crate::own::Own;
use crate::strategy::Strategy;
use crate::{Error, Result};
use idgen_record::{Database, EngineInfo, Workload};

/// A server, started for this purpose or named by the user.
pub struct Mysql {
    host: Rc<Host>,
    runs: u32,
    iops: Option<u32>,
}

type Host = host::Host<reach::Reach>;

/// The variables that influence these counts, in the order in which a report shows them.
const SHOWN: [&str; 27] = [
    "innodb_buffer_pool_size",
    "innodb_page_size",
    "innodb_flush_method",
    "innodb_flush_log_at_trx_commit",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_flush_neighbors",
    "innodb_doublewrite",
    "innodb_extend_and_initialize",
    "innodb_change_buffering",
    "innodb_fill_factor",
    "innodb_log_file_size",
    "innodb_redo_log_capacity",
    "innodb_adaptive_hash_index",
    "innodb_adaptive_flushing_lwm",
    "innodb_lru_scan_depth",
    "innodb_max_dirty_pages_pct",
    "innodb_max_dirty_pages_pct_lwm",
    "innodb_autoinc_lock_mode",
    "key_buffer_size",
    "performance_schema",
    "log_bin",
    "sync_binlog",
    "default_storage_engine",
    "rocksdb_default_cf_options",
    "rocksdb_block_cache_size",
    "rocksdb_flush_log_at_trx_commit",
];

impl Mysql {
    /// The smallest buffer pool, in MiB, that has room for the server's own pages.
    const MIN_POOL_MIB: u64 = 8;

    /// Starts a server for this load; see `idgen-server`.
    ///
    /// # Errors
    /// No server can be started, or it cannot be measured: the message says what is missing.
    pub fn start(database: Database, workload: &Workload) -> Result<Self> {
        let engine = Self::over(host::start(database, &settings(database, workload))?, workload)?;
        engine.host.runtime.block_on(async {
            let mut connection = connect(&engine.host).await?;
            // Off by default on both servers.
            run(&mut connection, "SET GLOBAL innodb_monitor_enable = 'module_index'").await?;
            // Counts what is read from and written to the tables' files. On by default on MySQL.
            run(
                &mut connection,
                "UPDATE performance_schema.setup_instruments SET ENABLED = 'YES' \
                 WHERE NAME IN ('wait/io/file/innodb/innodb_data_file', 'wait/io/file/sql/binlog')",
            )
            .await
        })?;
        Ok(engine)
    }

    /// Starts a server of MariaDB whose tables are those of MyRocks; see `idgen-server`.
    ///
    /// # Errors
    /// No such server can be started: the message says what is missing.
    pub fn start_myrocks(workload: &Workload) -> Result<Self> {
        let server = host::start(Database::MariaDb, &myrocks::settings(workload)).map_err(|error| match error {
            error if error.is_config() => error,
            error => Error::engine(
                "MyRocks does not start (MariaDB needs the plug-in ha_rocksdb, which Debian has in mariadb-plugin-rocksdb and \
                 scripts/images.sh adds to its image)",
                error,
            ),
        })?;
        Self::over(server, workload)
    }

    /// Connects to the server at this URL, `mysql://user:password@host:port`, without changing its settings. All that
    /// is made in it is a schema with a random name, which is dropped with this value; the user needs `ALL` on ``
    /// `idgen\_%`.* `` and, to see page fill and splits, `PROCESS`.
    ///
    /// # Errors
    /// No server answers there, or the user may not make the schema. No message contains a password.
    pub fn at(url: &str, workload: &Workload) -> Result<Self> {
        let mut engine = Self::over(host::at(url)?, workload)?;
        let pool_bytes = engine.cache_bytes(workload)?;
        let reach = engine.host.runtime.block_on(async {
            let mut connection = connect(&engine.host).await?;
            if engine.is_myrocks() {
                return Ok(reach::Reach::of_myrocks(&mut connection).await);
            }
            Ok::<_, Error>(reach::Reach::of(&mut connection, engine.host.server.database(), pool_bytes).await)
        })?;
        let host = Rc::get_mut(&mut engine.host)
            .ok_or_else(|| Error::engine("the server is in use already", "two owners"))?;
        host.reach = reach;
        Ok(engine)
    }

    fn over(server: Server, workload: &Workload) -> Result<Self> {
        let mut host = Host::new(server, &SHOWN, reach::Reach::everything())?;
        if myrocks::is_default(&host.settings) {
            host.settings.retain(|name, _| !name.starts_with("innodb"));
            host.reach = reach::Reach::of_own_myrocks();
        }
        Ok(Mysql { host: Rc::new(host), runs: 0, iops: workload.iops })
    }

    /// Returns true if the lab's tables are in MyRocks, which has no pages, splits or fill.
    fn is_myrocks(&self) -> bool {
        self.host.reach.is_myrocks
    }

    /// The figures that this server does not provide: a sentence for each, which says why, and how to make
    /// the server provide it. Nothing is missing on a server that the lab started.
    pub fn missing(&self) -> &[String] {
        &self.host.reach.missing
    }
}

/// Durability is switched off on purpose, as in the reference runs: page traffic is measured, not the speed of fsync.
/// Changed pages are written when the pool needs room, at the usual I/O capacity.
fn settings(database: Database, workload: &Workload) -> Settings {
    let wanted = workload.cache_pages(16_384) * 16_384;
    let settings = Settings::new()
        .buffer_pool_mib(wanted.div_ceil(1 << 20).max(Mysql::MIN_POOL_MIB))
        .flush_method("O_DIRECT")
        .option("innodb_flush_log_at_trx_commit", "0")
        .option("innodb_io_capacity", "100")
        .option("innodb_io_capacity_max", "500")
        // MariaDB has this on by default: a page is then written together with its changed neighbors, which
        // for random keys turns 180 pages into 450. MySQL 8.0 and later have it off by default.
        .option("innodb_flush_neighbors", "0");
    let settings = match workload.iops {
        Some(limit) => settings.iops(limit, limit),
        None => settings,
    };
    let settings = if workload.late_writes { written_late(database, settings) } else { settings };
    if database == Database::MariaDb {
        // Off by default here, on by default on MySQL: it counts what is read from and written to the tables' files.
        return settings.option("performance_schema", "ON");
    }
    // MySQL's binary log is on by default; it would be synced at each commit, and it forbids stored functions that
    // change data. By default MySQL also writes zeros ahead when a file grows, which would count as pages of the table.
    let settings = settings.option("innodb_extend_and_initialize", "OFF");
    settings.option("sync_binlog", "0").option("log_bin_trust_function_creators", "1")
}

/// The defaults of MySQL 5.7, and a log large enough that it forces no page to be written: newer versions begin to
/// write when a tenth of the pool is changed, or when a log of 100 MB is full. Few pages are kept free, because a free
/// page holds no leaf: the published runs cannot have kept more than about 500 of their 8,192 pages free (the default
/// is 1,024), or they would have read more than they did.
fn written_late(database: Database, settings: Settings) -> Settings {
    let log = if database == Database::MariaDb { "innodb_log_file_size" } else { "innodb_redo_log_capacity" };
    settings
        .option(log, (4u64 << 30).to_string())
        .option("innodb_adaptive_flushing_lwm", "70")
        .option("innodb_max_dirty_pages_pct", "75")
        .option("innodb_max_dirty_pages_pct_lwm", "0")
        .option("innodb_lru_scan_depth", "100")
}

impl Engine for Mysql {
    fn info(&self) -> EngineInfo {
        let server = &self.host.server;
        let place = self.host.place();
        let disk = match self.iops {
            Some(limit) => format!("{limit} reads and {limit} writes per second at most"),
            None => "reads and writes not limited".into(),
        };
        let setup = match self.host.is_own() {
            own if self.is_myrocks() => format!(
                "MyRocks {place}, clients over TCP, autocommit; {}compactions are counted for the whole server",
                if own { "log flushed once per second, no compression; " } else { "" }
            ),
            false => format!(
                "InnoDB {place}, clients over TCP, autocommit; pages are counted for the whole server, with the work \
                 of others"
            ),
            true => format!(
                "InnoDB {place}, clients over TCP, autocommit; log flushed once per second, O_DIRECT, {disk}; \
                 pages are counted for the whole server"
            ),
        };
        EngineInfo {
            name: if self.is_myrocks() { "MyRocks".into() } else { server.database().to_string() },
            version: server.version().into(),
            setup,
            missing: self.missing().to_vec(),
        }
    }

    fn settings(&self) -> BTreeMap<String, String> {
        self.host.settings.clone()
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.host.watch(cancel);
    }

    fn check(&self, strategy: &Strategy, workload: &Workload) -> Result<()> {
        strategy.check(self.host.server.database())?;
        if workload.own.is_some() {
            Own::check(strategy)?;
        }
        match self.host.reach.functions || !strategy.column.is_by_function() {
            true => Ok(()),
            false => Err(Error::config(format!(
                "this server cannot run {}: it has a binary log, and takes no stored function that changes data; \
                 SET GLOBAL log_bin_trust_function_creators = 1 lets it",
                strategy.name
            ))),
        }
    }

    /// The buffer pool of the server, which was started with additional room for its own pages, or was set up by the
    /// user.
    fn cache_bytes(&self, _: &Workload) -> Result<u64> {
        let name = if self.is_myrocks() { "rocksdb_block_cache_size" } else { "innodb_buffer_pool_size" };
        reach::number(&self.host.settings, name)
    }

    fn renew(&mut self, workload: &Workload) -> Result<()> {
        if self.host.is_own() && self.is_myrocks() {
            *self = Self::start_myrocks(workload)?;
        } else if self.host.is_own() {
            *self = Self::start(self.host.server.database(), workload)?;
        }
        Ok(())
    }

    fn isolation(&self) -> &'static str {
        self.host.isolation()
    }

    fn create(&mut self, strategy: &Strategy, workload: &Workload) -> Result<Box<dyn Table>> {
        self.runs += 1;
        Ok(Box::new(tables::Tables::create(Rc::clone(&self.host), self.runs, strategy, workload)?))
    }

    fn time(&mut self, experiment: &Statements, cancel: &Cancel, done: &mut Done<'_>) -> Result<()> {
        self.watch(cancel);
        self.host.wait(async {
            let mut client = statements::Client::connect(&self.host).await?;
            timed::time_all(&mut client, experiment, done).await
        })
    }

    fn load(&mut self, experiment: &Loads, scale: Scale, cancel: &Cancel, done: &mut Done<'_>) -> Result<()> {
        self.watch(cancel);
        loads::load_all(&self.host, experiment, scale, done)
    }
}

async fn connect(host: &Host) -> Result<MySqlConnection> {
    let options: MySqlConnectOptions =
        host.scratch.url().parse().map_err(doing("understand the server's address"))?;
    MySqlConnection::connect_with(&options.disable_statement_logging()).await.map_err(doing("connect"))
}

async fn run(connection: &mut MySqlConnection, sql: &str) -> Result<()> {
    connection.execute(AssertSqlSafe(sql.to_owned())).await.map(drop).map_err(refused(sql))
}

/// The single value that a statement returns, as text.
async fn number(connection: &mut MySqlConnection, sql: &str) -> Result<String> {
    let failed = doing("check what a statement did");
    let row = connection.fetch_one(AssertSqlSafe(sql.to_owned())).await.map_err(&failed)?;
    row.try_get_unchecked(0).map_err(&failed)
}
