//! PostgreSQL: rows in a heap, an index of their key, and shared buffers that hold a part of both.
//!
//! The rows of a table lie in the order of their insertion, whatever the key is. The tree that is measured is the index
//! of the primary key. The counts are those of the whole server, so nothing else may run on it during a measurement.

mod counters;
mod keys;
mod operate;
mod others;
mod own;
mod pages;
mod plan;
mod reach;
mod statements;
mod tables;
mod writer;

use std::collections::BTreeMap;
use std::rc::Rc;

use idgen_server::{Server, Settings};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};

use super::host::{self, doing, refused};
use super::{Done, Engine, Table, timed};
use crate::cancel::Cancel;
use crate::experiment::Statements;
use crate::own::Own;
use crate::strategy::Strategy;
use crate::{Error, Result};
use idgen_record::{Column, Database, EngineInfo, IdKind, Workload};
use reach::Reach;

/// A server, started for this purpose or named by the user.
pub struct Postgres {
    host: Rc<Host>,
    runs: u32,
}

type Host = host::Host<Reach>;

/// The settings that influence these counts.
const SHOWN: [&str; 14] = [
    "autovacuum",
    "bgwriter_lru_maxpages",
    "block_size",
    "checkpoint_completion_target",
    "checkpoint_timeout",
    "data_checksums",
    "fsync",
    "full_page_writes",
    "max_wal_size",
    "shared_buffers",
    "synchronous_commit",
    "wal_compression",
    "wal_keep_size",
    "wal_level",
];

impl Postgres {
    /// The smallest size of the shared buffers, in MiB, that has room for the server's own pages.
    const MIN_POOL_MIB: u64 = 8;

    /// Starts a server for this load; see `idgen-server`.
    ///
    /// # Errors
    /// No server can be started, or it cannot be measured: the message says what is missing.
    pub fn start(workload: &Workload) -> Result<Self> {
        Self::over(host::start(Database::Postgres, &settings(workload))?)
    }

    /// Connects to the server at this URL, `postgres://user:password@host:port`, without changing its settings. All
    /// that is made on it is a database with a random name, which is dropped with this value. The user needs the
    /// attribute `CREATEDB` and, to see pages and page splits, the extensions `pageinspect` and `pg_walinspect`.
    ///
    /// # Errors
    /// No server answers there, the server is older than PostgreSQL 14, or the user may not make the database. No
    /// message contains a password.
    pub fn at(url: &str) -> Result<Self> {
        Self::over(host::at(url)?)
    }

    fn over(server: Server) -> Result<Self> {
        let mut host = Host::new(server, &SHOWN, Reach::default())?;
        host.reach = host.runtime.block_on(async {
            let mut connection = connect(&host).await?;
            Reach::of(&mut connection, host.is_own()).await
        })?;
        Ok(Postgres { host: Rc::new(host), runs: 0 })
    }
}

/// Durability is switched off on purpose, as on the other servers: page traffic is measured, not the speed of fsync.
/// Only the lab starts checkpoints, and no background process writes pages: a page is written when its buffer is
/// needed, or by a checkpoint.
fn settings(workload: &Workload) -> Settings {
    let wanted = workload.cache_pages(8_192) * 8_192;
    Settings::new()
        .shared_buffers_mib(wanted.div_ceil(1 << 20).max(Postgres::MIN_POOL_MIB))
        // The server reads and writes through the page cache of the kernel, which a memory limit would reduce.
        .unlimited_memory()
        .option("fsync", "off")
        .option("autovacuum", "off")
        .option("checkpoint_timeout", "1d")
        .option("max_wal_size", "16GB")
        // The log of a window is read at the end of the window, perhaps after a checkpoint.
        .option("wal_keep_size", "2GB")
        .option("wal_compression", "off")
        .option("full_page_writes", "on")
        .option("bgwriter_lru_maxpages", "0")
}

impl Engine for Postgres {
    fn info(&self) -> EngineInfo {
        let server = &self.host.server;
        let place = self.host.place();
        let rest = match self.host.is_own() {
            false => {
                "checkpoints and vacuum as the server is set; pages are counted for the whole server, with the work of others"
            }
            true => {
                "log not synced, no vacuum, checkpoints at a fixed distance, whose time is counted; pages are counted \
                 for the whole server, and are read and written through the page cache of the operating system"
            }
        };
        EngineInfo {
            name: Database::Postgres.name().into(),
            version: server.version().trim_start_matches("PostgreSQL ").into(),
            setup: format!(
                "a heap and the index of its primary key, {place}, clients over TCP, autocommit; {rest}"
            ),
            missing: self.host.reach.missing.clone(),
        }
    }

    fn settings(&self) -> BTreeMap<String, String> {
        self.host.settings.clone()
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.host.watch(cancel);
    }

    fn check(&self, strategy: &Strategy, workload: &Workload) -> Result<()> {
        /// The first version with `uuidv7()`.
        const WITH_UUIDV7: u32 = 18_00_00;
        strategy.check(Database::Postgres)?;
        if workload.own.is_some() {
            Own::check(strategy)?;
        }
        let is_made = strategy.column == Column::CountedInteger || strategy.ids.is_server_made();
        if workload.serializable && (is_made || strategy.column.is_mapped()) {
            return Err(Error::config(format!(
                "a transaction that is serializable looks for its key first, and {} has none before the insert: choose \
                 strategies whose ids the client makes",
                strategy.name
            )));
        }
        match strategy.ids {
            IdKind::ServerV7 if self.host.reach.version < WITH_UUIDV7 => Err(Error::config(format!(
                "{} cannot run {}: it has no function uuidv7(), which came with PostgreSQL 18: choose v7-binary",
                self.host.server.version(),
                strategy.name
            ))),
            _ => Ok(()),
        }
    }

    /// The shared buffers of the server, which was started with additional room for its own pages, or was set up by the
    /// user.
    fn cache_bytes(&self, _: &Workload) -> Result<u64> {
        Ok(self.host.reach.cache_bytes)
    }

    fn renew(&mut self, workload: &Workload) -> Result<()> {
        if self.host.is_own() {
            *self = Self::start(workload)?;
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
}

async fn connect(host: &Host) -> Result<PgConnection> {
    let options: PgConnectOptions =
        host.scratch.url().parse().map_err(doing("understand the server's address"))?;
    let options = options.disable_statement_logging().application_name("idgen lab");
    PgConnection::connect_with(&options).await.map_err(doing("connect"))
}

async fn run(connection: &mut PgConnection, sql: &str) -> Result<()> {
    connection.execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await.map(drop).map_err(refused(sql))
}
