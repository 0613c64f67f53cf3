//! Tests the removal of a UUID.

use futures_util::TryStreamExt;
use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Wait};
use sqlx::Connection;
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, number, on_both, run};

everywhere!(a_forgotten_uuid_leaves_no_trace, a_forgotten_id_is_never_assigned_again);
everywhere!(forget_and_other_calls_for_one_uuid_at_the_same_time, markers_are_not_mapped);
on_both!(claims_are_removed_with_the_pair);

async fn a_forgotten_uuid_leaves_no_trace(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let (uuid, other) = (Uuid::new_v4(), Uuid::new_v4());
    let ids = map.ids_of(&[uuid, other]).await.unwrap();
    // Clones share a cache; the pair is in it for both.
    let clone = map.clone();
    assert_eq!(clone.id_of(uuid).await.unwrap(), ids[0]);
    assert_eq!(map.forget(uuid).await.unwrap(), Some(ids[0]));
    assert_eq!(map.forget(uuid).await.unwrap(), None);
    assert_eq!(clone.find(uuid).await.unwrap(), None);
    assert_eq!(clone.uuid_of(ids[0]).await.unwrap(), None);
    assert_eq!(clone.find(other).await.unwrap(), Some(ids[1]));
    assert_eq!(map.export(0).try_collect::<Vec<_>>().await.unwrap(), [(ids[1], other)]);
    let mut connection = connect(scratch.url()).await;
    let bytes = format!("x'{}'", uuid.simple());
    let left = format!("SELECT COUNT(*) FROM uuid_map WHERE uuid = {bytes}");
    assert_eq!(number(&mut connection, left).await, Ok(0));
    if index == Index::Dedup {
        let left = format!("SELECT COUNT(*) FROM uuid_map_claim WHERE uuid = {bytes}");
        assert_eq!(number(&mut connection, left).await, Ok(0));
    }
    // If the UUID is used again, it is a new one.
    let again = map.register(uuid).await.unwrap();
    assert!(!ids.contains(&again), "{again}");
    assert_eq!(map.check().await.unwrap(), []);
    assert_sound(scratch.url()).await;
}

/// This includes a client into whose block it was imported, another import, and a state row that was set back.
async fn a_forgotten_id_is_never_assigned_again(database: Database, index: Index) {
    let (scratch, holder) = map(database, index).await;
    assert_eq!(holder.id_of(Uuid::new_v4()).await.unwrap(), 1);
    let imported = Uuid::new_v4();
    let other = UuidMap::connect(scratch.url()).await.unwrap();
    other.import(&[(2, imported)]).await.unwrap();
    assert_eq!(other.forget(imported).await.unwrap(), Some(2));
    assert_eq!(holder.id_of(Uuid::new_v4()).await.unwrap(), 3);
    let error = other.import(&[(2, Uuid::new_v4())]).await.unwrap_err();
    assert!(error.is_conflict() && error.to_string().contains("forgotten"), "{error}");
    run(&mut connect(scratch.url()).await, "UPDATE uuid_map_state SET next_id = 1").await;
    let restored = UuidMap::connect(scratch.url()).await.unwrap();
    let ids = restored.ids_of(&[Uuid::new_v4(), Uuid::new_v4(), Uuid::new_v4()]).await.unwrap();
    assert!(ids.iter().all(|id| *id > 3), "{ids:?}");
    assert_sound(scratch.url()).await;
}

/// Each call returns an id that the UUID had at some moment during the call; in the end, all clients agree with the
/// table.
async fn forget_and_other_calls_for_one_uuid_at_the_same_time(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let another = UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
    for _ in 0..20 {
        let uuid = Uuid::new_v4();
        let first = map.id_of(uuid).await.unwrap();
        let (forgotten, one, two) =
            tokio::join!(map.forget(uuid), map.id_of(uuid), another.ids_of(std::slice::from_ref(&uuid)));
        assert_eq!(forgotten.unwrap(), Some(first));
        let (one, two) = (one.unwrap(), two.unwrap()[0]);
        let now = another.find(uuid).await.unwrap();
        assert_eq!(map.find(uuid).await.unwrap(), now, "the cache kept a forgotten pair");
        assert!([Some(first), now].contains(&Some(one)) && [Some(first), now].contains(&Some(two)));
        assert_ne!(now, Some(first));
    }
    assert_eq!(map.check().await.unwrap(), []);
    assert_sound(scratch.url()).await;
}

async fn markers_are_not_mapped(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let uuid = Uuid::new_v4();
    let id = map.id_of(uuid).await.unwrap();
    map.forget(uuid).await.unwrap();
    let marker = Uuid::from_u64_pair(u64::MAX, id);
    assert_eq!(map.find(marker).await.unwrap(), None);
    let mut connection = connect(scratch.url()).await;
    let mut transaction = connection.begin().await.unwrap();
    for error in [
        map.id_of(marker).await.unwrap_err(),
        map.ids_of(&[uuid, marker]).await.unwrap_err(),
        map.import(&[(77, marker)]).await.unwrap_err(),
        map.id_of_within(&mut transaction, marker).await.unwrap_err(),
        map.ids_of_within(&mut transaction, &[marker]).await.unwrap_err(),
        map.forget(marker).await.unwrap_err(),
    ] {
        assert!(error.to_string().contains("cannot be mapped"), "{error}");
    }
    // The largest UUID is an ordinary one.
    assert_eq!(map.id_of(Uuid::max()).await.unwrap(), map.find(Uuid::max()).await.unwrap().unwrap());
}

/// The claim contains the UUID too. Deleting it must not leave a pair that other clients do not see.
async fn claims_are_removed_with_the_pair(database: Database) {
    let (scratch, map) = map(database, Index::Dedup).await;
    let uuids: Vec<Uuid> = (0..50).map(|_| Uuid::new_v4()).collect();
    map.ids_of(&uuids).await.unwrap();
    let mut connection = connect(scratch.url()).await;
    let count = "SELECT COUNT(*) FROM uuid_map_claim";
    let claims: Vec<String> = uuids.iter().map(|uuid| format!("(x'{}')", uuid.simple())).collect();
    // The client may remove claims during any call, and begins to do so at a random one.
    let wait = Wait::until("all claims are there");
    while number(&mut connection, count).await != Ok(50) {
        wait.check();
        run(&mut connection, format!("INSERT IGNORE INTO uuid_map_claim (uuid) VALUES {}", claims.join(",")))
            .await;
    }
    for uuid in &uuids {
        assert!(map.forget(*uuid).await.unwrap().is_some());
    }
    assert_eq!(number(&mut connection, count).await, Ok(0));
}
