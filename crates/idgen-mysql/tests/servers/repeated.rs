//! Tests an operation that is repeated: giving ids back after a lost answer, and restoring a backup a second time.

use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::adversary::{Adversary, Alteration, Rule};
use idgen_server::{Database, Wait};
use uuid::Uuid;

use crate::common::{assert_sound, connect, copy_rows, copy_table, everywhere, map, number, run};

everywhere!(ids_that_were_given_back_are_not_given_back_again, a_second_restore_of_one_backup_is_noticed,);

const NEXT: &str = "SELECT next_id FROM uuid_map_state";

/// The answer to the commit never comes. Meanwhile another client reserves the same ids, so that the state row looks as it
/// did before: a client that repeated it would give back what the other one holds.
async fn ids_that_were_given_back_are_not_given_back_again(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let adversary = Adversary::start(scratch.url()).await.unwrap();
    let builder = || UuidMap::builder().largest_block(8).answer_limit(Duration::from_secs(15));
    let holder = builder().connect(adversary.url()).await.unwrap();
    assert_eq!(holder.id_of(Uuid::new_v4()).await.unwrap(), 1);
    let mut root = connect(scratch.url()).await;
    assert_eq!(number(&mut root, NEXT).await, Ok(9));
    // With dedup, the client also commits the purge of its claims, first.
    let skip = usize::from(index == Index::Dedup);
    let rule = Rule { class: "COMMIT".to_owned(), skip, alteration: Alteration::Silence };
    adversary.set_rules(vec![rule]);
    adversary.watch(true);
    let closing = tokio::spawn(async move { holder.close().await });
    let wait = Wait::until("the ids are given back");
    while number(&mut root, NEXT).await != Ok(2) {
        wait.check();
        assert!(!closing.is_finished(), "nothing was given back");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Its pair is not committed, so the largest stored id does not show that the ids are in use.
    let other = UuidMap::builder().largest_block(7).connect(scratch.url()).await.unwrap();
    let mut transaction = connect(scratch.url()).await;
    run(&mut transaction, "BEGIN").await;
    let uuid = Uuid::new_v4();
    assert_eq!(other.id_of_within(&mut transaction, uuid).await.unwrap(), 2);
    assert_eq!(number(&mut root, NEXT).await, Ok(9));
    assert!(!closing.is_finished(), "the answer limit was too short");
    // The ids may be wasted, so this is no error.
    closing.await.unwrap().unwrap();
    assert_eq!(adversary.applied(), [true]);
    assert_eq!(number(&mut root, NEXT).await, Ok(9));
    let third = UuidMap::connect(scratch.url()).await.unwrap();
    assert_eq!(third.id_of(Uuid::new_v4()).await.unwrap(), 9);
    run(&mut transaction, "COMMIT").await;
    assert_eq!(third.id_of(uuid).await.unwrap(), 2);
    assert_sound(scratch.url()).await;
}

/// A client has read the epoch of the first fence, and nothing between the second restore and the second fence.
async fn a_second_restore_of_one_backup_is_noticed(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    map.id_of(Uuid::new_v4()).await.unwrap();
    let mut root = connect(scratch.url()).await;
    let tables = match index {
        Index::Unique => vec!["uuid_map", "uuid_map_state"],
        _ => vec!["uuid_map", "uuid_map_state", "uuid_map_claim"],
    };
    for table in &tables {
        copy_table(&mut root, table, &format!("backup_{table}")).await;
    }
    let mut epochs = Vec::new();
    let mut ids = Vec::new();
    let uuid = Uuid::new_v4();
    let running = UuidMap::connect(scratch.url()).await.unwrap();
    for fence in [1_000, 2_000] {
        for table in &tables {
            run(&mut root, format!("DELETE FROM {table}")).await;
            copy_rows(&mut root, &format!("backup_{table}"), table).await;
        }
        let operator = UuidMap::connect(scratch.url()).await.unwrap();
        operator.fence(fence).await.unwrap();
        epochs.push(number(&mut root, "SELECT epoch FROM uuid_map_state").await.unwrap());
        let id = UuidMap::connect(scratch.url()).await.unwrap().id_of(uuid).await.unwrap();
        assert!(id >= fence, "{id} {fence}");
        // It has the pair in its cache, and a block of ids, both of the first fence.
        assert_eq!(running.id_of(uuid).await.unwrap(), id, "after the fence of {fence}");
        assert!(running.id_of(Uuid::new_v4()).await.unwrap() >= fence);
        ids.push(id);
    }
    assert!(epochs[0] < epochs[1] && ids[0] < ids[1], "{epochs:?} {ids:?}");
    assert_sound(scratch.url()).await;
}
