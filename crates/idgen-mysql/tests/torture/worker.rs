//! A client process: it makes mixed calls, and records each answer after it was acknowledged.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use idgen_mysql::{Error, Result, UuidMap};
use sqlx::{Connection, Executor, MySqlConnection, Row};
use uuid::Uuid;

use crate::record::{Event, Recorder};

const TASKS: u64 = 4;

/// The largest number of UUIDs per call, so that millions of answers take minutes.
const BATCH: usize = 700;

struct Client {
    map: UuidMap,
    url: String,
    recorder: Recorder,
    population: f64,
    /// The largest id that it saw. Imports use ids near it, which may be in another client's block.
    largest: AtomicU64,
}

pub fn run() -> ExitCode {
    let text = |name: &str| std::env::var(name).unwrap();
    let number: u64 = text("IDGEN_TORTURE_WORKER").parse().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read(&mut [0]);
        stopped.store(true, Ordering::Relaxed);
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        // Half of the processes cache pairs.
        let builder = UuidMap::builder()
            .cache(if number.is_multiple_of(2) { 1000 } else { 0 })
            .largest_block(500)
            .connections(TASKS as u32 + 2)
            .timeout(Duration::from_secs(60));
        let map = loop {
            match builder.clone().connect(&text("IDGEN_TORTURE_URL")).await {
                Ok(map) => break map,
                Err(error) if passes(&error) => {}
                Err(error) => return failed(&error),
            }
        };
        let client = Arc::new(Client {
            map,
            url: text("IDGEN_TORTURE_URL"),
            recorder: Recorder::open(Path::new(&text("IDGEN_TORTURE_FILE"))),
            population: text("IDGEN_TORTURE_POPULATION").parse::<f64>().unwrap() / 4.0,
            largest: AtomicU64::new(1),
        });
        let tasks: Vec<_> = (0..TASKS)
            .map(|_| {
                let (client, stop) = (client.clone(), stop.clone());
                tokio::spawn(async move {
                    while !stop.load(Ordering::Relaxed) {
                        match client.step().await {
                            Ok(()) => client.recorder.call(),
                            Err(error) if passes(&error) => {
                                tokio::time::sleep(Duration::from_millis(20)).await;
                            }
                            Err(error) => return Err(error),
                        }
                    }
                    Ok(())
                })
            })
            .collect();
        for task in tasks {
            if let Err(error) = task.await.unwrap() {
                return failed(&error);
            }
        }
        // If an outage happens at the end, ids are wasted, but nothing else.
        let _ = client.map.close().await;
        ExitCode::SUCCESS
    })
}

/// Errors that a server may cause when it is killed, restarted or changed.
fn passes(error: &Error) -> bool {
    error.is_transient() || error.is_unsafe_server()
}

fn failed(error: &Error) -> ExitCode {
    eprintln!("a client failed: {error} ({error:?})");
    ExitCode::from(3)
}

impl Client {
    /// A UUID that all clients know: a few come often, many rarely (Zipf's law).
    fn shared(&self) -> Uuid {
        let rank = self.population.max(100.0).powf(fastrand::f64()) as u64;
        Uuid::from_u128(fastrand::Rng::with_seed(rank).u128(..))
    }

    fn record(&self, event: Event, pairs: &[(Uuid, u64)]) {
        self.recorder.write(event, pairs);
        if let Some(largest) = pairs.iter().map(|(_, id)| *id).max() {
            self.largest.fetch_max(largest, Ordering::Relaxed);
        }
    }

    async fn step(&self) -> Result<()> {
        // Every size; small ones are as frequent as large ones.
        let count = (BATCH as f64).powf(fastrand::f64()) as usize;
        let uuids: Vec<Uuid> = (0..count).map(|_| self.shared()).collect();
        let (map, uuid) = (&self.map, uuids[0]);
        match fastrand::u8(0..20) {
            0..=5 => self.record(Event::Shared, &[(uuid, map.id_of(uuid).await?)]),
            6..=12 => {
                let ids = map.ids_of(&uuids).await?;
                self.record(Event::Shared, &uuids.into_iter().zip(ids).collect::<Vec<_>>());
            }
            13 => {
                let id = match map.register(uuid).await {
                    Err(error) if error.is_duplicate() => error.existing_id().unwrap(),
                    id => id?,
                };
                self.record(Event::Shared, &[(uuid, id)]);
            }
            14 => {
                let found = map.find_many(&uuids).await?;
                let known = uuids.into_iter().zip(found).filter_map(|(uuid, id)| Some((uuid, id?)));
                self.record(Event::Shared, &known.collect::<Vec<_>>());
            }
            15 => {
                let id = map.id_of(uuid).await?;
                if let Some(back) = map.uuid_of(id).await? {
                    self.record(Event::Shared, &[(uuid, id), (back, id)]);
                }
            }
            16 | 17 => self.within(&uuids[..count.min(100)]).await?,
            18 => self.forget().await?,
            _ => self.import().await?,
        }
        Ok(())
    }

    /// Acknowledged by the commit, which the map does not see: so the client itself reads, on the connection of the commit,
    /// whether it is on disk. If a failure leaves the outcome open, nothing is recorded.
    async fn within(&self, uuids: &[Uuid]) -> Result<()> {
        let Ok(mut connection) = MySqlConnection::connect(&self.url).await else { return Ok(()) };
        // The server does not detect a deadlock between FLUSH TABLES, which waits for statements that wait for rows,
        // and the transaction with these rows, which waits for the flush: see docs/mapping.md.
        let Ok(_) = connection.execute("SET SESSION lock_wait_timeout = 1").await else { return Ok(()) };
        let Ok(mut transaction) = connection.begin().await else { return Ok(()) };
        let ids = self.map.ids_of_within(&mut transaction, uuids).await?;
        if fastrand::u8(0..5) == 0 || transaction.commit().await.is_err() {
            return Ok(());
        }
        let safe = "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit = 1";
        let Ok(row) = connection.fetch_one(safe).await else { return Ok(()) };
        if row.get_unchecked::<i64, _>(0) == 1 {
            self.record(Event::Shared, &uuids.iter().copied().zip(ids).collect::<Vec<_>>());
        }
        Ok(())
    }

    async fn forget(&self) -> Result<()> {
        let uuid = Uuid::new_v4();
        let id = self.map.id_of(uuid).await?;
        self.record(Event::Own, &[(uuid, id)]);
        self.record(Event::Forgetting, &[(uuid, id)]);
        if let Some(id) = self.map.forget(uuid).await? {
            self.record(Event::Forgotten, &[(uuid, id)]);
        }
        if fastrand::bool() {
            let id = self.map.id_of(uuid).await?;
            self.record(Event::Own, &[(uuid, id)]);
        }
        Ok(())
    }

    /// Ids in another client's block, or a little above all ids.
    async fn import(&self) -> Result<()> {
        let near = self.largest.load(Ordering::Relaxed) + fastrand::u64(1..2000);
        let count = fastrand::u64(1..100);
        let pairs: Vec<(u64, Uuid)> = (0..count).map(|n| (near + n * 3, Uuid::new_v4())).collect();
        match self.map.import(&pairs).await {
            Err(error) if error.is_conflict() => {}
            done => {
                done?;
                self.record(Event::Own, &pairs.iter().map(|(id, uuid)| (*uuid, *id)).collect::<Vec<_>>());
            }
        }
        Ok(())
    }
}
