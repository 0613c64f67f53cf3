//! Inserts and reads the rows of one run: the key of a row is the strategy's key in bytes, and its value is the payload.

use std::collections::BTreeMap;
use std::time::{Instant, SystemTime};

use rocksdb::{IteratorMode, ReadOptions, WriteBatch};
use tokio::runtime::Runtime;

use super::doing;
use super::folder::Folder;
use crate::cancel::Cancel;
use crate::engine::clients::{self, Client};
use crate::engine::{Batch, Contents, Counters, Feed, Inserted, Latencies, Numbered, Seen, Table, Tree};
use crate::key::Key;
use crate::strategy::Strategy;
use crate::{Error, Result};
use idgen_record::{Column, Latency, Role, Workload};

/// A database with the rows of one run.
pub struct Rows {
    store: Store,
    column: Column,
    writers: u32,
    latencies: Latencies,
    runtime: Runtime,
}

/// The database and the settings that all clients share.
struct Store {
    folder: Folder,
    statement_rows: usize,
    /// True if a client waits for compactions after each statement; false if the load has a pace of its own.
    waits: bool,
    /// True if the second half of each value is zeros, so that it can be compressed.
    half_zeros: bool,
    cancel: Cancel,
}

impl Rows {
    /// Makes the table of a strategy in this empty database.
    pub fn new(folder: Folder, strategy: &Strategy, workload: &Workload, cancel: &Cancel) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_time()
            .build()
            .map_err(|error| Error::engine("cannot start the clients' runtime", error))?;
        Ok(Rows {
            store: Store {
                folder,
                statement_rows: workload.statement_rows as usize,
                waits: !workload.paced,
                half_zeros: workload.lsm.unwrap_or_default().lz4,
                cancel: cancel.clone(),
            },
            column: strategy.column,
            writers: workload.writers,
            latencies: Latencies::new()?,
            runtime,
        })
    }

    /// Passes each row to `visit`, in the order of the keys.
    pub fn scan(&self, mut visit: impl FnMut(&[u8], &[u8]) -> Result<()>) -> Result<()> {
        let mut options = ReadOptions::default();
        options.fill_cache(false);
        for row in self.store.folder.db.iterator_opt(IteratorMode::Start, options) {
            let (key, value) = row.map_err(doing("read the rows back"))?;
            visit(&key, &value)?;
        }
        Ok(())
    }
}

impl Store {
    /// Inserts the rows of a statement in one batch, after a search for each key as a uniqueness check makes it. Returns the time
    /// immediately before the write: one thread writes the batches of others too, and those may get a processor long after
    /// their rows are in the memtable.
    fn statement(&self, rows: &[Numbered<'_>]) -> Result<SystemTime> {
        let db = &self.folder.db;
        let mut batch = WriteBatch::default();
        let mut value = Vec::new();
        for (_, key, payload) in rows {
            let bytes = stored(key)?;
            if db.get_pinned(&bytes).map_err(doing("look for a key"))?.is_some() {
                return Err(Error::unverified(format!("the key {key} is in the table already")));
            }
            value.clear();
            value.extend_from_slice(payload);
            if self.half_zeros {
                value[payload.len() / 2..].fill(0);
            }
            batch.put(&bytes, &value);
        }
        let at = SystemTime::now();
        db.write(batch).map_err(doing("insert"))?;
        Ok(at)
    }

    fn wait(&self) -> Result<()> {
        if self.waits { self.folder.until_compacted(&self.cancel) } else { Ok(()) }
    }
}

/// One client, with the times of its inserts that were not reported yet.
struct Inserting<'a> {
    store: &'a Store,
    times: Vec<i64>,
}

impl Client for Inserting<'_> {
    async fn insert(&mut self, rows: &[Numbered<'_>]) -> Result<Vec<Inserted>> {
        let at = self.store.statement(rows)?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        self.times.extend(std::iter::repeat_n(at.as_micros() as i64, rows.len()));
        Ok(rows.iter().map(|(_, key, _)| Inserted { key: *key, number: None }).collect())
    }

    /// Waits for compactions here, after the statement was timed.
    async fn times(&mut self, _: bool) -> Result<Vec<i64>> {
        self.store.wait()?;
        Ok(std::mem::take(&mut self.times))
    }
}

impl Table for Rows {
    fn settings(&mut self) -> Result<BTreeMap<String, String>> {
        self.store.folder.settings()
    }

    fn insert(&mut self, _: usize, batch: &Batch<'_>) -> Result<Vec<Inserted>> {
        let rows: Vec<_> = batch.rows().collect();
        for statement in rows.chunks(self.store.statement_rows) {
            let began = Instant::now();
            self.store.statement(statement)?;
            self.latencies.record(began);
            self.store.wait()?;
        }
        Ok(batch.keys.iter().map(|key| Inserted { key: *key, number: None }).collect())
    }

    fn serve(&mut self, feed: &mut dyn Feed) -> Result<()> {
        let Rows { store, writers, latencies, runtime, .. } = self;
        let store = &*store;
        let all = (0..*writers).map(|_| Inserting { store, times: Vec::new() });
        clients::serve(runtime.handle(), &store.cancel, all, feed, latencies)
    }

    fn rows_at_once(&self, workload: &Workload) -> u64 {
        workload.statement_rows.into()
    }

    fn begin(&mut self) -> Result<()> {
        self.latencies.clear();
        Ok(())
    }

    fn counters(&mut self) -> Result<Counters> {
        self.store.folder.counters()
    }

    fn flush(&mut self) -> Result<Option<Counters>> {
        let before = self.store.folder.counters()?;
        self.store.folder.until_compacted(&self.store.cancel)?;
        Ok(Some(self.store.folder.counters()?.since(&before)))
    }

    fn lap(&mut self) -> Option<Latency> {
        Some(self.latencies.lap())
    }

    fn latency(&self) -> Option<Latency> {
        Some(self.latencies.laps())
    }

    fn seen(&mut self) -> Result<Option<Seen>> {
        let roles = vec![Role::Rows];
        Ok(Some(Seen { roles, fills: Vec::new(), mean_fill: None, bytes: None, map_bytes: None }))
    }

    fn allocated_bytes(&mut self) -> Result<Option<u64>> {
        self.store.folder.file_bytes().map(Some)
    }

    fn trees(&mut self) -> Result<Vec<Tree>> {
        Err(Error::mistake("RocksDB has no pages to read".to_owned()))
    }

    fn keys(&mut self, role: Role, visit: &mut dyn FnMut(Key) -> Result<()>) -> Result<()> {
        if role != Role::Rows {
            return Err(Error::unverified("RocksDB has no second table"));
        }
        self.scan(|key, _| visit(read(key, self.column)?))
    }

    fn contents(&mut self) -> Result<Contents> {
        let mut contents = Contents { rows: 0, payload_bytes: 0, unmapped: 0 };
        self.scan(|_, value| {
            contents.rows += 1;
            contents.payload_bytes += value.len() as u64;
            Ok(())
        })?;
        Ok(contents)
    }
}

/// Returns the bytes of a key. RocksDB compares them byte by byte.
fn stored(key: &Key) -> Result<Vec<u8>> {
    match key {
        Key::Uint(number) => Ok(number.to_be_bytes().to_vec()),
        Key::Binary(bytes) => Ok(bytes.to_vec()),
        Key::Text(text) => Ok(text.as_bytes().to_vec()),
        Key::Assigned => Err(Error::mistake("RocksDB assigns no numbers to rows".to_owned())),
    }
}

/// Reads the key of a column from its bytes.
fn read(bytes: &[u8], column: Column) -> Result<Key> {
    let key = match column {
        Column::Integer => bytes.try_into().ok().map(|bytes| Key::Uint(u64::from_be_bytes(bytes))),
        Column::Text36 | Column::Base64 | Column::Base32 => {
            std::str::from_utf8(bytes).ok().and_then(Key::text)
        }
        _ => bytes.try_into().ok().map(Key::Binary),
    };
    key.ok_or_else(|| Error::unverified(format!("the table holds a key that nobody inserted: {bytes:02x?}")))
}
