//! Clients that call the map without pause and record every answer.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use idgen_mysql::UuidMap;
use idgen_server::Wait;
use sqlx::{Connection, Executor, MySqlConnection};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::checker::{Entry, call, now, some_uuid};

/// UUIDs of which all clients use a few often, and many rarely.
const POPULATION: f64 = 100_000.0;
const TASKS: u64 = 4;
const LONGEST_TRANSACTION: Duration = Duration::from_secs(3);

/// Running clients.
pub struct Traffic {
    clients: Vec<Arc<Mutex<Vec<Entry>>>>,
    tasks: Vec<JoinHandle<()>>,
    stop: Arc<AtomicBool>,
    within: Arc<AtomicUsize>,
}

impl Traffic {
    /// Each client has a map of its own. A call that fails ends the test: the clients' time limit is the upper bound
    /// for every failure of a node.
    ///
    /// If `nodes` are given, transactions of callers on each of them claim UUIDs, too.
    pub fn start(maps: Vec<UuidMap>, nodes: &[String]) -> Traffic {
        let stop = Arc::new(AtomicBool::new(false));
        let mut traffic = Traffic { clients: Vec::new(), tasks: Vec::new(), stop, within: Arc::default() };
        for (client, map) in maps.into_iter().enumerate() {
            let history = Arc::new(Mutex::new(Vec::new()));
            traffic.clients.push(history.clone());
            for task in 0..TASKS {
                let (map, history, stop) = (map.clone(), history.clone(), traffic.stop.clone());
                let (nodes, within) = (nodes.to_vec(), traffic.within.clone());
                let mut random = fastrand::Rng::with_seed(client as u64 * TASKS + task + 1);
                traffic.tasks.push(tokio::spawn(async move {
                    while !stop.load(Ordering::Relaxed) {
                        let entries = step(&map, &nodes, &mut random, &within).await;
                        history.lock().unwrap().extend(entries);
                    }
                }));
            }
        }
        traffic
    }

    /// Waits until every client has received `answers` more answers to calls that begin from now on, and returns the
    /// milliseconds until each had its first.
    pub async fn goes_on(&self, answers: usize) -> Vec<u64> {
        let since = now();
        let after = |history: &Arc<Mutex<Vec<Entry>>>| -> Vec<u64> {
            let history = history.lock().unwrap();
            history.iter().filter(|entry| entry.begin >= since).map(|entry| entry.end).collect()
        };
        let wait = Wait::until(format!("each client has {answers} more answers"));
        while !self.clients.iter().all(|history| after(history).len() >= answers) {
            wait.check();
            // A client that failed has printed the reason.
            assert!(!self.tasks.iter().any(JoinHandle::is_finished), "a call failed: see its message above");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.clients
            .iter()
            .map(|history| (after(history).into_iter().min().unwrap() - since) / 1000)
            .collect()
    }

    /// The number of committed transactions of callers.
    pub fn within(&self) -> usize {
        self.within.load(Ordering::Relaxed)
    }

    /// Stops the clients and returns all answers that they received.
    pub async fn stop(self) -> Vec<Entry> {
        self.stop.store(true, Ordering::Relaxed);
        for task in self.tasks {
            task.await.unwrap();
        }
        self.clients.iter().flat_map(|history| history.lock().unwrap().clone()).collect()
    }
}

/// One call, or one transaction of a caller on one of these nodes.
async fn step(
    map: &UuidMap,
    nodes: &[String],
    random: &mut fastrand::Rng,
    committed: &AtomicUsize,
) -> Vec<Entry> {
    let Some(node) = random.choice(nodes).filter(|_| random.u8(0..10) == 0) else {
        return call(map, random, POPULATION).await;
    };
    let begin = now();
    let pair = within(map, node, some_uuid(random, POPULATION)).await;
    committed.fetch_add(pair.iter().len(), Ordering::Relaxed);
    let end = now();
    pair.into_iter().map(|(uuid, id)| Entry { uuid, id, begin, end, made: false }).collect()
}

/// One transaction on a node that may be another one than the map's, with a snapshot from before the claim. If it
/// fails, a caller would have to repeat it; this one does not.
async fn within(map: &UuidMap, node: &str, uuid: Uuid) -> Option<(Uuid, u64)> {
    let claim = async {
        let mut connection = MySqlConnection::connect(node).await.ok()?;
        let mut transaction = connection.begin().await.ok()?;
        transaction.fetch_one("SELECT COUNT(*) FROM uuid_map_state").await.ok()?;
        // Another client may make the pair meanwhile.
        map.find(uuid).await.ok()?;
        let id = map.id_of_within(&mut transaction, uuid).await.ok()?;
        transaction.commit().await.ok()?;
        Some((uuid, id))
    };
    // A node that is cut off does not answer.
    tokio::time::timeout(LONGEST_TRANSACTION, claim).await.ok().flatten()
}
