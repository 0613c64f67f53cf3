//! The server killed in the middle of the work, again and again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use idgen_mysql::{Strategy, UuidMap};
use idgen_server::{Flavor, Server};
use uuid::Uuid;

use crate::checker::{Entry, assert_stored, check, now};
use crate::common::{assert_sound, on_both, settings};

on_both!(kills_lose_and_repeat_nothing);

/// 20 in a test; `make soak` asks for more.
fn kills() -> u32 {
    std::env::var("IDGEN_SOAK_KILLS").map_or(20, |text| text.parse().unwrap())
}

async fn kills_lose_and_repeat_nothing(flavor: Flavor) {
    let server = Arc::new(Server::start(flavor, &settings()).unwrap());
    let stop = Arc::new(AtomicBool::new(false));
    // Both strategies suffer the same kills.
    let mut schemas = Vec::new();
    for strategy in [Strategy::Unique, Strategy::Dedup] {
        let scratch = server.scratch().unwrap();
        let patience = Duration::from_secs(180);
        let map = UuidMap::builder().strategy(strategy).cache(0).patience(patience).connections(8);
        let map = map.connect(scratch.url()).await.unwrap();
        map.install().await.unwrap();
        let history = Arc::new(Mutex::new(Vec::new()));
        let clients: Vec<_> = (0..6)
            .map(|client| {
                let (map, stop, history) = (map.clone(), stop.clone(), history.clone());
                tokio::spawn(async move {
                    while !stop.load(Ordering::Relaxed) {
                        let batch: Vec<Uuid> = (0..4).map(|_| Uuid::new_v4()).collect();
                        let begin = now();
                        let pairs: Vec<(Uuid, u64)> = if client % 2 == 0 {
                            batch.iter().copied().zip(map.ids_of(&batch).await.unwrap()).collect()
                        } else {
                            vec![(batch[0], map.id_of(batch[0]).await.unwrap())]
                        };
                        let end = now();
                        let entries =
                            pairs.into_iter().map(|(uuid, id)| Entry { uuid, id, begin, end, made: false });
                        history.lock().unwrap().extend(entries);
                    }
                })
            })
            .collect();
        schemas.push((scratch, history, clients));
    }
    for round in 0..kills() {
        let acknowledged = |at: usize| schemas[at].1.lock().unwrap().len();
        let (before_one, before_two) = (acknowledged(0), acknowledged(1));
        // Work goes on between two kills, however slow the machine: otherwise nothing is tested.
        while acknowledged(0) < before_one + 20 || acknowledged(1) < before_two + 20 {
            tokio::time::sleep(Duration::from_millis(5)).await;
            let dead =
                schemas.iter().any(|(_, _, clients)| clients.iter().any(|client| client.is_finished()));
            assert!(!dead, "a client gave up in round {round}");
        }
        tokio::time::sleep(Duration::from_millis(fastrand::u64(0..100))).await;
        let server = server.clone();
        tokio::task::spawn_blocking(move || {
            server.kill().unwrap();
            server.start_again().unwrap();
        })
        .await
        .unwrap();
    }
    stop.store(true, Ordering::Relaxed);
    for (scratch, history, clients) in schemas {
        for client in clients {
            client.await.unwrap();
        }
        let history = std::mem::take(&mut *history.lock().unwrap());
        check(&history);
        assert_stored(scratch.url(), &history).await;
        assert_sound(scratch.url()).await;
    }
}
