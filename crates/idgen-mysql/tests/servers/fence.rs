//! Tests a map that was restored from a backup.

use idgen_mysql::{Index, Severity, UuidMap};
use idgen_server::Database;
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, number, run};

everywhere!(a_restored_map_does_not_repeat_ids, a_next_id_below_the_fence_gives_none_away);

async fn a_restored_map_does_not_repeat_ids(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let before: Vec<Uuid> = (0..10).map(|_| Uuid::new_v4()).collect();
    let after: Vec<Uuid> = (0..500).map(|_| Uuid::new_v4()).collect();
    map.ids_of(&before).await.unwrap();
    let mut connection = connect(scratch.url()).await;
    run(&mut connection, "CREATE TABLE backup AS SELECT id, uuid FROM uuid_map").await;
    let next = number(&mut connection, "SELECT next_id FROM uuid_map_state").await.unwrap();
    let lost = map.ids_of(&after).await.unwrap();
    // A client that keeps running: it has pairs in its cache, and a block.
    assert_eq!(map.id_of(after[0]).await.unwrap(), lost[0]);

    run(&mut connection, "DELETE FROM uuid_map").await;
    run(&mut connection, "INSERT INTO uuid_map (id, uuid) SELECT id, uuid FROM backup").await;
    run(&mut connection, format!("UPDATE uuid_map_state SET next_id = {next}")).await;
    let operator = UuidMap::connect(scratch.url()).await.unwrap();
    for wrong in [0, u64::MAX] {
        let error = operator.fence(wrong).await.unwrap_err();
        assert!(error.to_string().contains("ids of this map are 1 to"), "{error}");
    }
    let fence = lost.iter().max().unwrap() + 1;
    operator.fence(fence).await.unwrap();
    // The fence is never lowered.
    operator.fence(1).await.unwrap();

    let fresh = UuidMap::connect(scratch.url()).await.unwrap();
    let again = fresh.ids_of(&after[..100]).await.unwrap();
    assert!(again.iter().all(|id| *id >= fence), "{again:?}");
    // The running client notices it within a second.
    tokio::time::sleep(std::time::Duration::from_millis(1200)).await;
    let new = map.id_of(Uuid::new_v4()).await.unwrap();
    assert!(new >= fence, "{new} was reserved before the fence");
    assert_eq!(map.ids_of(&after[..100]).await.unwrap(), again, "the cache is of the epoch before");
    assert_sound(scratch.url()).await;
}

/// Another program may write such a next id, or a row of a backup that is older than the fence.
async fn a_next_id_below_the_fence_gives_none_away(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    map.id_of(Uuid::new_v4()).await.unwrap();
    map.fence(700).await.unwrap();
    let mut connection = connect(scratch.url()).await;
    run(&mut connection, "UPDATE uuid_map_state SET next_id = 129 WHERE one = 1 AND next_id = 700").await;
    let words = "the next id is 129, although the map was fenced at 700";
    let client = async || UuidMap::connect(scratch.url()).await.unwrap();
    let error = client().await.id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_damaged() && error.to_string().contains(words), "{error}");
    let operator = client().await;
    let findings = operator.check().await.unwrap();
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert!(finding.severity() == Severity::Repairable && finding.text().contains(words), "{finding}");
    assert_eq!(operator.repair().await.unwrap()[0], "raised the next id to 700");
    assert_eq!(operator.check().await.unwrap(), []);
    assert!(client().await.id_of(Uuid::new_v4()).await.unwrap() >= 700);
    // A fence below the old one does not undo it.
    run(&mut connection, "UPDATE uuid_map_state SET next_id = 129").await;
    operator.fence(1).await.unwrap();
    assert!(client().await.id_of(Uuid::new_v4()).await.unwrap() >= 700);
    // A later version of the tables is for a later version of the program, which the error says.
    run(&mut connection, "UPDATE uuid_map_state SET version = version + 1").await;
    let error = client().await.id_of(Uuid::new_v4()).await.unwrap_err();
    let said = error.to_string();
    assert!(
        error.is_schema() && said.contains("version 3, this program knows 2: use the newer program"),
        "{said}"
    );
    assert_eq!(
        number(&mut connection, "SELECT COUNT(*) FROM uuid_map WHERE id BETWEEN 2 AND 699").await,
        Ok(0)
    );
}
