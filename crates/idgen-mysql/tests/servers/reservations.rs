//! Tests how ids are reserved, given back and fenced, and what may change the state row meanwhile.

use std::sync::{Arc, OnceLock};

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Scratch};
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, number, run, user};

everywhere!(
    a_block_of_an_earlier_epoch_is_not_given_back,
    no_client_goes_below_a_fence_that_has_returned,
    triggers_on_the_state_table_do_not_change_reservations,
    a_trigger_that_changes_the_state_row_is_refused,
    a_next_id_that_went_back_is_refused,
    a_state_row_that_cannot_be_right_is_refused,
);

const NEXT: &str = "SELECT next_id FROM uuid_map_state";

/// Closing gave the block back below the fence.
async fn a_block_of_an_earlier_epoch_is_not_given_back(database: Database, index: Index) {
    let (scratch, operator) = map(database, index).await;
    let mut root = connect(scratch.url()).await;
    let client = async || UuidMap::connect(scratch.url()).await.unwrap();
    // The fence is in the block, at its end, and above it.
    for above in [100, 128, 5000] {
        let holder = client().await;
        let id = holder.id_of(Uuid::new_v4()).await.unwrap();
        operator.fence(id + above).await.unwrap();
        let fenced = number(&mut root, NEXT).await.unwrap();
        holder.close().await.unwrap();
        assert_eq!(number(&mut root, NEXT).await, Ok(fenced));
        let next = client().await;
        assert!(next.id_of(Uuid::new_v4()).await.unwrap() >= id + above);
        next.close().await.unwrap();
    }
    // Another map in the place of the first one, with the same next id: nothing of it is given back.
    let holder = client().await;
    holder.id_of(Uuid::new_v4()).await.unwrap();
    let next = number(&mut root, NEXT).await.unwrap();
    run(&mut root, "UPDATE uuid_map_state SET map_id = REVERSE(map_id)").await;
    let _ = holder.close().await;
    assert_eq!(number(&mut root, NEXT).await, Ok(next));
}

/// The client is as busy as it can be, and holds ids below the fence.
async fn no_client_goes_below_a_fence_that_has_returned(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let busy = UuidMap::connect(scratch.url()).await.unwrap();
    busy.id_of(Uuid::new_v4()).await.unwrap();
    // A new pair can take long on a busy machine, and this is the largest id of a block of its size.
    let fence = 1 << 40;
    let returned = Arc::new(OnceLock::new());
    let worker = {
        let (busy, returned) = (busy.clone(), returned.clone());
        tokio::spawn(async move {
            let (mut below, mut above) = (0, 0);
            while above < 20 {
                let has_returned = returned.get().is_some();
                let id = busy.id_of(Uuid::new_v4()).await.unwrap();
                assert!(!has_returned || id >= fence, "the call for {id} began after the fence had returned");
                let count = if id < fence { &mut below } else { &mut above };
                *count += 1;
            }
            below
        })
    };
    UuidMap::connect(scratch.url()).await.unwrap().fence(fence).await.unwrap();
    returned.set(()).unwrap();
    assert!(worker.await.unwrap() > 0);
    assert_sound(scratch.url()).await;
}

/// With any trigger, the server reports a last insert id of 0, which was taken for the first id of the block.
async fn triggers_on_the_state_table_do_not_change_reservations(database: Database, index: Index) {
    let (scratch, first) = map(database, index).await;
    let mut root = connect(scratch.url()).await;
    run(&mut root, "CREATE TABLE audit (next_id BIGINT UNSIGNED)").await;
    for trigger in [
        "CREATE TRIGGER audit_before BEFORE UPDATE ON uuid_map_state FOR EACH ROW SET @seen = NEW.next_id",
        "CREATE TRIGGER audit_after AFTER UPDATE ON uuid_map_state FOR EACH ROW INSERT INTO audit VALUES (NEW.next_id)",
    ] {
        run(&mut root, trigger).await;
    }
    assert_eq!(first.id_of(Uuid::new_v4()).await.unwrap(), 1);
    let second = UuidMap::builder().largest_block(3).connect(scratch.url()).await.unwrap();
    let uuids: Vec<Uuid> = (0..7).map(|_| Uuid::new_v4()).collect();
    let mut ids = Vec::new();
    for uuid in &uuids {
        ids.push(second.id_of(*uuid).await.unwrap());
    }
    assert_eq!(ids, [129, 130, 131, 132, 133, 134, 135]);
    assert_eq!(number(&mut root, "SELECT MAX(next_id) FROM audit").await, Ok(138));
    second.fence(2000).await.unwrap();
    assert_eq!(second.id_of(Uuid::new_v4()).await.unwrap(), 2000);
    assert_sound(scratch.url()).await;
}

/// A user who does not see triggers is protected too.
async fn a_trigger_that_changes_the_state_row_is_refused(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let mut root = connect(scratch.url()).await;
    for change in [
        "SET NEW.next_id = OLD.next_id",
        "SET NEW.next_id = NEW.next_id - 1",
        "SET NEW.next_id = 1",
        "SET NEW.epoch = OLD.epoch + 7",
        "SET NEW.map_id = REVERSE(OLD.map_id)",
    ] {
        run(&mut root, format!("CREATE TRIGGER bad BEFORE UPDATE ON uuid_map_state FOR EACH ROW {change}"))
            .await;
        let blind = blind(&mut root, &scratch, index).await;
        let error = blind.id_of(Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_damaged() && error.to_string().contains("a trigger or a view"), "{change}: {error}");
        let error = blind.fence(5000).await.unwrap_err();
        assert!(error.is_damaged() && error.to_string().contains("a trigger or a view"), "{change}: {error}");
        run(&mut root, "DROP TRIGGER bad").await;
        // Nothing of it is stored.
        assert_eq!(number(&mut root, NEXT).await, Ok(1));
        assert_eq!(number(&mut root, "SELECT COUNT(*) FROM uuid_map").await, Ok(0));
    }
    let blind = blind(&mut root, &scratch, index).await;
    assert_eq!(blind.id_of(Uuid::new_v4()).await.unwrap(), 1);
}

/// The state row of an older backup under a running client.
async fn a_next_id_that_went_back_is_refused(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let client = UuidMap::builder().largest_block(4).connect(scratch.url()).await.unwrap();
    let uuids: Vec<Uuid> = (0..8).map(|_| Uuid::new_v4()).collect();
    for uuid in &uuids {
        client.id_of(*uuid).await.unwrap();
    }
    let mut root = connect(scratch.url()).await;
    run(&mut root, "UPDATE uuid_map_state SET next_id = 5").await;
    let error = client.id_of(Uuid::new_v4()).await.unwrap_err();
    let words = "next id in uuid_map_state is 5, but this client has reserved the ids up to 8 already";
    assert!(error.is_damaged() && error.to_string().contains(words), "{error}");
    UuidMap::connect(scratch.url()).await.unwrap().fence(9).await.unwrap();
    let id = client.id_of(Uuid::new_v4()).await.unwrap();
    assert!(id >= 9, "{id}");
    client.close().await.unwrap();
    assert_eq!(number(&mut root, NEXT).await, Ok(id as i64 + 1));
    assert_sound(scratch.url()).await;
}

async fn a_state_row_that_cannot_be_right_is_refused(database: Database, index: Index) {
    let (scratch, first) = map(database, index).await;
    first.id_of(Uuid::new_v4()).await.unwrap();
    let mut root = connect(scratch.url()).await;
    for (wrong, words) in [("0", "ids begin at 1"), ("9223372036854775809", "ids of this map end at")] {
        run(&mut root, format!("UPDATE uuid_map_state SET next_id = {wrong}")).await;
        let fresh = UuidMap::connect(scratch.url()).await.unwrap();
        let error = fresh.id_of(Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_damaged() && error.to_string().contains(words), "{error}");
    }
}

/// A client whose user has the documented privileges and no others, so that it does not see triggers.
pub async fn blind(root: &mut sqlx::MySqlConnection, scratch: &Scratch, index: Index) -> UuidMap {
    let claims = (index == Index::Dedup).then_some("uuid_map_claim");
    let tables = ["uuid_map", "uuid_map_state", "uuid_map_sync"].into_iter().chain(claims);
    let grants: Vec<_> = tables.map(|table| ("SELECT, INSERT, UPDATE, DELETE", table)).collect();
    UuidMap::connect(&user(root, scratch, &grants).await).await.unwrap()
}
