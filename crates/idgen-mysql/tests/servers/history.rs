//! Runs many clients in several processes, and checks everything that was acknowledged.
//!
//! Workers record a history: each question, its answer, and when both happened. Afterwards it is checked, without the
//! server's help, that each UUID has one id and each id one UUID, and that `register` never succeeded after somebody
//! had the id. Then it is checked that every acknowledged pair is in the table.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::Database;

use crate::checker::{Entry, assert_stored, call, check};
use crate::common::{assert_sound, connect, everywhere, map, number};

everywhere!(histories_hold);

const PROCESSES: u64 = 4;
const TASKS: u64 = 16;

/// 20,000 operations in a test; `make soak` asks for more.
fn operations() -> u64 {
    std::env::var("IDGEN_SOAK_OPERATIONS").map_or(20_000, |text| text.parse().unwrap())
}

async fn histories_hold(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let directory = tempfile::tempdir().unwrap();
    let workers: Vec<Child> = (0..PROCESSES)
        .map(|number| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "history::worker", "--nocapture"])
                .env("IDGEN_TEST_WORKER_URL", scratch.url())
                .env("IDGEN_TEST_WORKER_SEED", number.to_string())
                .env("IDGEN_TEST_WORKER_OUT", directory.path().join(number.to_string()))
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut worker in workers {
        assert!(worker.wait().unwrap().success(), "a worker failed: see its message above");
    }
    let mut history = Vec::new();
    for number in 0..PROCESSES {
        history.extend(read(&directory.path().join(number.to_string())));
    }
    assert!(history.len() as u64 >= operations(), "only {} answers", history.len());
    let uuids = check(&history);
    assert_stored(scratch.url(), &history).await;
    let mut connection = connect(scratch.url()).await;
    assert_eq!(number(&mut connection, "SELECT COUNT(*) FROM uuid_map").await, Ok(uuids as i64));
    assert_sound(scratch.url()).await;
}

fn read(path: &Path) -> Vec<Entry> {
    let text = std::fs::read_to_string(path).unwrap();
    let entry = |line: &str| {
        let mut fields = line.split(' ');
        let uuid = fields.next().unwrap().parse().unwrap();
        let mut number = || fields.next().unwrap().parse::<u64>().unwrap();
        Entry { uuid, id: number(), begin: number(), end: number(), made: number() == 1 }
    };
    text.lines().map(entry).collect()
}

/// Not a test by itself: the program of one client process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker() {
    let Ok(url) = std::env::var("IDGEN_TEST_WORKER_URL") else { return };
    let seed: u64 = std::env::var("IDGEN_TEST_WORKER_SEED").unwrap().parse().unwrap();
    let out = std::fs::File::create(std::env::var("IDGEN_TEST_WORKER_OUT").unwrap()).unwrap();
    let out = Arc::new(Mutex::new(BufWriter::new(out)));
    let share = operations().div_ceil(PROCESSES * TASKS);
    let population = (share * PROCESSES * TASKS) as f64;
    // Half of the processes cache pairs, the others ask the server every time.
    let cache = if seed.is_multiple_of(2) { 1000 } else { 0 };
    // The processors may be busy with other tests for longer than the usual limits, and this test is not about these.
    let limit = Duration::from_secs(600);
    let map = UuidMap::builder().cache(cache).connections(16).answer_limit(limit).timeout(limit);
    let map = map.connect(&url).await.unwrap();
    let tasks: Vec<_> = (0..TASKS)
        .map(|task| {
            let (map, out) = (map.clone(), out.clone());
            tokio::spawn(async move {
                let mut random = fastrand::Rng::with_seed(seed * TASKS + task + 1);
                let mut done = 0;
                while done < share {
                    let entries = call(&map, &mut random, population).await;
                    done += entries.len() as u64;
                    let mut out = out.lock().unwrap();
                    for Entry { uuid, id, begin, end, made } in entries {
                        writeln!(out, "{uuid} {id} {begin} {end} {}", u8::from(made)).unwrap();
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    out.lock().unwrap().flush().unwrap();
}
