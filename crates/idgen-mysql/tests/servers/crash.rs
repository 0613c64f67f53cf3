//! Kills the server repeatedly in the middle of the work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Server, Wait};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::checker::{Entry, assert_stored, check, now};
use crate::common::{assert_sound, connect, kill_and_start_again, number, on_both, run, settings};
use crate::control::Control;
use crate::reference::{install_reference, lock};

on_both!(kills_lose_no_pair_and_repeat_no_id, commits_that_are_not_on_disk_are_lost);

/// 12 kills in a test; `make soak` asks for more.
fn kills() -> u32 {
    std::env::var("IDGEN_SOAK_KILLS").map_or(12, |text| text.parse().unwrap())
}

/// Servers that may damage their own data before the test fails.
const SERVERS: u32 = 3;

/// If the server loses rows of plain SQL, too, or damages its tables, the test starts over with another one.
async fn kills_lose_no_pair_and_repeat_no_id(database: Database) {
    for attempt in 1..=SERVERS {
        let server =
            Arc::new(Server::start(database, &settings().tls(database == Database::MariaDb)).unwrap());
        let schemas = [Index::Unique, Index::Dedup].map(|index| (index, server.scratch().unwrap()));
        let urls = schemas.each_ref().map(|(index, scratch)| (*index, scratch.url().to_owned()));
        let control = Control::start(&server).await;
        let Err(failure) = tokio::spawn(kill_while_clients_work(server.clone(), urls)).await else { return };
        let damage = control.damage(&server, &schemas.each_ref().map(|(_, scratch)| scratch)).await;
        match damage {
            Some(damage) if attempt < SERVERS => {
                eprintln!(
                    "{database} damaged its own data, so the test starts over with another server: {damage}"
                );
            }
            Some(damage) => panic!("{SERVERS} servers in a row damaged their own data: {damage}"),
            None => std::panic::resume_unwind(failure.into_panic()),
        }
    }
}

/// Both indexes go through the same kills.
async fn kill_while_clients_work(server: Arc<Server>, urls: [(Index, String); 2]) {
    let stop = Arc::new(AtomicBool::new(false));
    let mut schemas = Vec::new();
    for (index, url) in urls {
        // The test waits for answers this long: a busy disk delays them.
        let timeout = Duration::from_secs(600);
        let map = UuidMap::builder().index(index).cache(0).timeout(timeout).connections(8);
        let map = map.connect(&url).await.unwrap();
        map.install().await.unwrap();
        let history = Arc::new(Mutex::new(Vec::new()));
        let latest = Arc::new(Mutex::new(Uuid::new_v4()));
        // Clients that are left when the test fails end with the set.
        let mut clients = JoinSet::new();
        for client in 0..6 {
            let (map, stop, history) = (map.clone(), stop.clone(), history.clone());
            let latest = latest.clone();
            clients.spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let mut batch: Vec<Uuid> = (0..4).map(|_| Uuid::new_v4()).collect();
                    // Clients also ask for each other's latest UUIDs, whose pairs may not be on disk yet.
                    batch[1] = std::mem::replace(&mut *latest.lock().unwrap(), batch[0]);
                    let begin = now();
                    let pairs: Vec<(Uuid, u64)> = if client % 2 == 0 {
                        batch.iter().copied().zip(map.ids_of(&batch).await.unwrap()).collect()
                    } else {
                        let uuid = batch[fastrand::usize(0..2)];
                        vec![(uuid, map.id_of(uuid).await.unwrap())]
                    };
                    let end = now();
                    let entries =
                        pairs.into_iter().map(|(uuid, id)| Entry { uuid, id, begin, end, made: false });
                    history.lock().unwrap().extend(entries);
                }
            });
        }
        schemas.push((url, history, clients));
    }
    let histories: Vec<_> = schemas.iter().map(|(_, history, _)| history.clone()).collect();
    let acknowledged = |at: usize| histories[at].lock().unwrap().len();
    for round in 0..kills() {
        let (before_one, before_two) = (acknowledged(0), acknowledged(1));
        // Clients get answers between two kills, however slow the machine is; otherwise the test would test nothing.
        let mut waits = 0;
        let wait = Wait::until(format!("clients have answers in round {round}"));
        while acknowledged(0) < before_one + 20 || acknowledged(1) < before_two + 20 {
            wait.check();
            tokio::time::sleep(Duration::from_millis(5)).await;
            let dead = schemas.iter_mut().any(|(_, _, clients)| clients.try_join_next().is_some());
            assert!(!dead, "a client gave up in round {round}");
            waits += 1;
            assert!(waits % 1_000 != 0 || server.ended().is_none(), "the server ended in round {round}");
        }
        tokio::time::sleep(Duration::from_millis(fastrand::u64(0..100))).await;
        kill_and_start_again(&server).await;
    }
    stop.store(true, Ordering::Relaxed);
    for (url, history, clients) in schemas {
        clients.join_all().await;
        let history = std::mem::take(&mut *history.lock().unwrap());
        check(&history);
        assert_stored(&url, &history).await;
        assert_sound(&url).await;
    }
}

/// The setting with which the published designs were measured. The map refuses such a server.
async fn commits_that_are_not_on_disk_are_lost(database: Database) {
    let server = Server::start(database, &settings().option("innodb_flush_log_at_trx_commit", "0")).unwrap();
    let scratch = server.scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    // Waits until the tables are on disk.
    run(&mut connection, "SET GLOBAL innodb_flush_log_at_trx_commit = 1").await;
    install_reference(&mut connection).await;
    number(&mut connection, lock(Uuid::new_v4())).await.unwrap();
    run(&mut connection, "SET GLOBAL innodb_flush_log_at_trx_commit = 0").await;
    // A server may write its log earlier than it has to.
    for attempt in 0.. {
        assert!(attempt < 10, "nothing was lost");
        let mut connection = connect(scratch.url()).await;
        // Otherwise the server writes its log once per second, perhaps between the last of these calls and the kill.
        run(&mut connection, "SET GLOBAL innodb_flush_log_at_timeout = 2700").await;
        let mut acknowledged: Vec<(Uuid, i64)> = Vec::new();
        for _ in 0..300 {
            let uuid = Uuid::new_v4();
            acknowledged.push((uuid, number(&mut connection, lock(uuid)).await.unwrap()));
        }
        server.kill().unwrap();
        server.start_again().unwrap();
        let mut connection = connect(scratch.url()).await;
        let (last, id) = *acknowledged.last().unwrap();
        let stored = format!("SELECT COUNT(*) FROM uuid_to_id WHERE uuid = '{last}'");
        if number(&mut connection, stored).await == Ok(0) {
            // The id of this UUID, or one that was acknowledged before it, is assigned to another UUID.
            let reissued = number(&mut connection, lock(Uuid::new_v4())).await.unwrap();
            assert!(reissued <= id, "{reissued} is above {id}");
            break;
        }
    }
    let map = UuidMap::connect(scratch.url()).await.unwrap();
    assert!(map.install().await.unwrap_err().is_unsafe_server());
}
