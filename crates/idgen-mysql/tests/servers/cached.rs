//! Tests how long the cache may answer after the map was restored.

use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::Database;
use uuid::Uuid;

use crate::common::{connect, everywhere, map, number, patiently, run};
use crate::proxy::{Mood, Proxy};

everywhere!(a_client_that_asks_only_for_cached_uuids_learns_of_a_fence, without_a_server_the_cache_is_silent);

/// It never had to ask the server, and returned the id of before the restore without any limit of time.
async fn a_client_that_asks_only_for_cached_uuids_learns_of_a_fence(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let [a, b] = [(); 2].map(|()| UuidMap::builder());
    let (a, b) = (a.connect(scratch.url()).await.unwrap(), b.connect(scratch.url()).await.unwrap());
    let uuids: Vec<Uuid> = (0..3).map(|_| Uuid::new_v4()).collect();
    let old = a.ids_of(&uuids).await.unwrap();
    let mut root = connect(scratch.url()).await;
    let busy = tokio::spawn({
        let (a, uuid) = (a.clone(), uuids[0]);
        async move {
            // Asked all the time, so that its connections are never idle and nothing else reads the epoch.
            for _ in 0..400 {
                // Between the two steps of the restore, the client may see that its pairs are missing.
                let answer = a.id_of(uuid).await;
                assert!(
                    answer.as_ref().is_ok_and(|id| *id > 0) || answer.is_err_and(|error| error.is_damaged())
                );
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    });
    run(&mut root, "DELETE FROM uuid_map").await;
    b.fence(1000).await.unwrap();
    let new = b.ids_of(&uuids).await.unwrap();
    assert!(new.iter().all(|id| *id >= 1000), "{new:?}");
    assert_eq!(a.id_of(uuids[0]).await.unwrap(), new[0], "not {}", old[0]);
    assert_eq!(a.ids_of(&uuids).await.unwrap(), new);
    assert_eq!(a.find(uuids[1]).await.unwrap(), Some(new[1]));
    assert_eq!(a.register(uuids[2]).await.unwrap_err().existing_id(), Some(new[2]));
    busy.await.unwrap();
    // The cache does work: its answers read no row.
    // The other pairs stay, since a client looks for the newest ones once a second.
    run(&mut root, &format!("DELETE FROM uuid_map WHERE id = {}", new[0])).await;
    assert_eq!(a.id_of(uuids[0]).await.unwrap(), new[0]);
    let rows = format!("SELECT COUNT(*) FROM uuid_map WHERE id = {}", new[0]);
    assert_eq!(number(&mut root, &rows).await, Ok(0));
}

/// Nobody knows then whether the map was restored.
async fn without_a_server_the_cache_is_silent(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let proxy = Proxy::start(scratch.url()).await;
    let builder = UuidMap::builder().timeout(Duration::from_secs(5));
    let client = patiently(async || builder.clone().connect(proxy.url()).await).await;
    let uuid = Uuid::new_v4();
    let id = patiently(async || client.id_of(uuid).await).await;
    proxy.set(Mood::Gone);
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let error = client.id_of(uuid).await.unwrap_err();
    assert!(error.is_transient() && error.to_string().contains("cached pairs are still valid"), "{error}");
    proxy.set(Mood::Fair);
    assert_eq!(patiently(async || client.id_of(uuid).await).await, id);
}
