//! Tests that a claim in a caller's transaction never waits for calls that wait for this transaction.

use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::Database;
use sqlx::Connection;
use uuid::Uuid;

use crate::common::{assert_sound, connect, connection_list, everywhere, map, until};

everywhere!(a_claim_does_not_queue_behind_calls_that_wait_for_it);

/// A transaction has claimed a UUID, and as many batches as the pool has connections, or more, wait for it. Nothing that
/// the transaction does next waits for them.
async fn a_claim_does_not_queue_behind_calls_that_wait_for_it(database: Database, index: Index) {
    let (scratch, owner) = map(database, index).await;
    for (connections, batches) in [(10, 10), (10, 25), (1, 3)] {
        // No answer comes too late, and nothing is repeated: calls that wait continue to wait.
        let hour = Duration::from_secs(3600);
        let builder = UuidMap::builder().cache(0).connections(connections).largest_block(1);
        let map = builder.timeout(hour).answer_limit(hour).connect(scratch.url()).await.unwrap();
        let known = owner.id_of(Uuid::new_v4()).await.unwrap();
        let first = Uuid::new_v4();
        let mut connection = connect(scratch.url()).await;
        let mut transaction = connection.begin().await.unwrap();
        let id = map.id_of_within(&mut transaction, first).await.unwrap();
        let waiting: Vec<_> = (0..batches)
            .map(|_| {
                let map = map.clone();
                tokio::spawn(async move { map.ids_of(&[first, Uuid::new_v4()]).await })
            })
            .collect();
        let (list, schema) = (connection_list(database), scratch.name());
        let busy = format!("SELECT COUNT(*) FROM {list} WHERE db = '{schema}' AND info LIKE 'INSERT %'");
        let mut root = connect(scratch.url()).await;
        until(&mut root, "the pool's statements wait", &busy, |found| found == i64::from(connections)).await;
        // Reservations of ids, checks of the server, and look-ups.
        let more = async {
            let second = map.id_of_within(&mut transaction, Uuid::new_v4()).await.unwrap();
            assert_ne!(second, id);
            let third: Vec<Uuid> = (0..3).map(|_| Uuid::new_v4()).collect();
            map.ids_of_within(&mut transaction, &third).await.unwrap();
            map.register_within(&mut transaction, Uuid::new_v4()).await.unwrap();
            map.find(Uuid::new_v4()).await.unwrap();
            assert!(map.uuid_of(known).await.unwrap().is_some());
            map.stats().await.unwrap();
        };
        // Without a reserve this waits for an hour.
        let done = tokio::time::timeout(Duration::from_secs(100), more).await;
        assert!(waiting.iter().all(|call| !call.is_finished()), "a call went on before the commit");
        done.expect("the claim waits for calls that wait for its transaction");
        transaction.commit().await.unwrap();
        for call in waiting {
            assert_eq!(call.await.unwrap().unwrap()[0], id);
        }
    }
    assert_sound(scratch.url()).await;
}
