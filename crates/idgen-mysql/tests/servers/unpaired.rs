//! Claims without a pair, in index `dedup`, do not lead to two ids for a UUID.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use idgen_mysql::{IdWidth, Index, UuidMap};
use idgen_server::Database;
use sqlx::Connection;
use uuid::Uuid;

use crate::common::{assert_sound, connect, map, on_both, run, server};

on_both!(
    claims_without_a_pair_do_not_lead_to_two_ids,
    transactions_with_claims_without_a_pair_do_not_lead_to_two_ids,
    calls_that_fail_halfway_do_not_lead_to_two_ids,
);

/// A claim exists without its pair if somebody deletes the pair, or commits a transaction that failed halfway.
async fn claims_without_a_pair_do_not_lead_to_two_ids(database: Database) {
    let (scratch, _map) = map(database, Index::Dedup).await;
    let client = async || UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
    let (one, two) = (client().await, client().await);
    let uuids: Vec<Uuid> = (0..60).map(|_| Uuid::new_v4()).collect();
    one.ids_of(&uuids).await.unwrap();
    // Clients look for the newest pairs that they know once a second, and would refuse a table without them.
    let newest: Vec<Uuid> = (0..4).map(|_| Uuid::new_v4()).collect();
    let last = smallest(one.ids_of(&newest).await.unwrap(), two.ids_of(&newest).await.unwrap());
    let mut root = connect(scratch.url()).await;
    run(&mut root, &format!("DELETE FROM uuid_map WHERE id < {last}")).await;
    for (at, uuid) in uuids.iter().enumerate() {
        let batch = &uuids[at..(at + 3).min(uuids.len())];
        let (one, two) = if at % 2 == 0 {
            let (one, two) = tokio::join!(one.id_of(*uuid), two.id_of(*uuid));
            (vec![one.unwrap()], vec![two.unwrap()])
        } else {
            let (one, two) = tokio::join!(one.ids_of(batch), two.ids_of(batch));
            (one.unwrap(), two.unwrap())
        };
        assert_eq!(one, two);
    }
    assert_sound(scratch.url()).await;
}

/// The smallest of the ids that both clients see.
fn smallest(one: Vec<u64>, two: Vec<u64>) -> u64 {
    assert_eq!(one, two);
    one.into_iter().min().unwrap()
}

async fn transactions_with_claims_without_a_pair_do_not_lead_to_two_ids(database: Database) {
    let (scratch, map) = map(database, Index::Dedup).await;
    let uuid = Uuid::from_u128(5);
    let lost = map.id_of(uuid).await.unwrap();
    // A client refuses a table that has none of the newest pairs that it knows.
    map.id_of(Uuid::from_u128(6)).await.unwrap();
    let mut root = connect(scratch.url()).await;
    run(&mut root, &format!("DELETE FROM uuid_map WHERE id = {lost}")).await;
    let (mut one, mut two) = (connect(scratch.url()).await, connect(scratch.url()).await);
    let mut first = one.begin().await.unwrap();
    let id = map.id_of_within(&mut first, uuid).await.unwrap();
    let second = tokio::spawn(async move {
        let mut second = two.begin().await.unwrap();
        let id = map.id_of_within(&mut second, uuid).await.unwrap();
        second.commit().await.unwrap();
        id
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    first.commit().await.unwrap();
    assert_eq!(second.await.unwrap(), id);
    assert_sound(scratch.url()).await;
}

/// The callers commit the rest of their transactions: a claim is committed, and its pair is missing.
async fn calls_that_fail_halfway_do_not_lead_to_two_ids(database: Database) {
    let scratch = server(database).scratch().unwrap();
    let builder = || UuidMap::builder().index(Index::Dedup).id_width(IdWidth::Bits32).cache(0);
    let client = async || builder().connect(scratch.url()).await.unwrap();
    let (one, two, empty) = (client().await, client().await, client().await);
    one.install().await.unwrap();
    // Both have ids from here on. After that, no ids are left.
    one.id_of(Uuid::new_v4()).await.unwrap();
    two.id_of(Uuid::new_v4()).await.unwrap();
    let mut uuids = Vec::new();
    let mut connection = connect(scratch.url()).await;
    // On a busy machine, a call can get all of its answers before it is cancelled.
    for n in 0..600 {
        if n >= 30 && !uuids.is_empty() {
            break;
        }
        let mut transaction = connection.begin().await.unwrap();
        let uuid = Uuid::new_v4();
        if cancelled_after(n % 30 / 2, one.id_of_within(&mut transaction, uuid)).await {
            uuids.push(uuid);
        }
        transaction.commit().await.unwrap();
    }
    assert!(!uuids.is_empty(), "no call was cancelled");
    let last = builder().allow_exhausting_import(true).connect(scratch.url()).await.unwrap();
    last.import(&[(u64::from(u32::MAX), Uuid::new_v4())]).await.unwrap();
    for _ in 0..20 {
        let mut transaction = connection.begin().await.unwrap();
        let uuid = Uuid::new_v4();
        let error = empty.id_of_within(&mut transaction, uuid).await.unwrap_err();
        assert!(error.is_exhausted(), "{error}");
        transaction.commit().await.unwrap();
        uuids.push(uuid);
    }
    for uuid in &uuids {
        let (first, second) = tokio::join!(one.id_of(*uuid), two.id_of(*uuid));
        assert_eq!(first.unwrap(), second.unwrap());
    }
    assert_sound(scratch.url()).await;
}

/// True if a call was still waiting for the server after it was polled this often.
async fn cancelled_after<T>(wakes: usize, call: impl Future<Output = T>) -> bool {
    let mut call = pin!(call);
    let mut woken = 0;
    poll_fn(|context| match call.as_mut().poll(context) {
        Poll::Ready(_) => Poll::Ready(false),
        Poll::Pending if woken == wakes => Poll::Ready(true),
        Poll::Pending => {
            woken += 1;
            Poll::Pending
        }
    })
    .await
}
