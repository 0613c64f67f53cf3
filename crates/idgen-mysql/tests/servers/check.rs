//! Checks a map, and repairs what has only one correct repair.

use idgen_mysql::{IdWidth, Index, Severity, UuidMap};
use idgen_server::Database;
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, number, on_both, run};

everywhere!(a_sound_map_has_no_findings, a_next_id_that_is_behind_is_raised, check_reports_ids_that_run_out);
on_both!(uuids_with_two_ids_are_found, claims_that_were_not_removed_are_found_and_cleared);

async fn a_sound_map_has_no_findings(database: Database, index: Index) {
    let (_scratch, map) = map(database, index).await;
    assert_eq!(map.check().await.unwrap(), []);
    assert_eq!(map.repair().await.unwrap(), [""; 0]);
    let uuids: Vec<Uuid> = (0..3000).map(|_| Uuid::new_v4()).collect();
    map.ids_of(&uuids).await.unwrap();
    map.forget(uuids[7]).await.unwrap();
    assert_eq!(map.check().await.unwrap(), []);
}

/// The state after the state row was restored from an older backup than the pairs.
async fn a_next_id_that_is_behind_is_raised(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let uuids: Vec<Uuid> = (0..500).map(|_| Uuid::new_v4()).collect();
    let largest = map.ids_of(&uuids).await.unwrap().into_iter().max().unwrap();
    let mut connection = connect(scratch.url()).await;
    run(&mut connection, "UPDATE uuid_map_state SET next_id = 7").await;
    let findings = map.check().await.unwrap();
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!(finding.severity(), Severity::Repairable);
    assert!(finding.to_string().contains(&format!("the next id is 7, and uuid_map has ids up to {largest}")));
    let done = map.repair().await.unwrap();
    assert!(done.contains(&format!("raised the next id to {}", largest + 1)), "{done:?}");
    assert_eq!(map.check().await.unwrap(), []);
    let other = UuidMap::connect(scratch.url()).await.unwrap();
    assert_eq!(other.id_of(Uuid::new_v4()).await.unwrap(), largest + 1);
    assert_sound(scratch.url()).await;
}

async fn check_reports_ids_that_run_out(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let narrow = UuidMap::builder().table("narrow").index(index).id_width(IdWidth::Bits32);
    let narrow = narrow.connect(scratch.url()).await.unwrap();
    narrow.install().await.unwrap();
    let share = |percent: u64| u64::from(u32::MAX) / 100 * percent;
    narrow.import(&[(share(79), Uuid::new_v4())]).await.unwrap();
    assert_eq!(narrow.check().await.unwrap(), []);
    narrow.import(&[(share(85), Uuid::new_v4())]).await.unwrap();
    let findings = narrow.check().await.unwrap();
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!(finding.severity(), Severity::Warning);
    assert!(finding.to_string().contains("84 % of the 32-bit ids are reserved"), "{finding}");
}

async fn uuids_with_two_ids_are_found(database: Database) {
    let (scratch, map) = map(database, Index::Dedup).await;
    let uuids: Vec<Uuid> = (0..50).map(|_| Uuid::new_v4()).collect();
    let ids = map.ids_of(&uuids).await.unwrap();
    let mut connection = connect(scratch.url()).await;
    let bytes = uuids[9].simple();
    run(&mut connection, format!("INSERT INTO uuid_map (id, uuid) VALUES (100, x'{bytes}')")).await;
    let findings = map.check().await.unwrap();
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!(finding.severity(), Severity::Broken);
    let words = format!("{} has more than one id: {},100", uuids[9], ids[9]);
    assert!(finding.to_string().contains(&words), "{finding}");
    // The check cannot know which of the two is correct.
    map.repair().await.unwrap();
    assert_eq!(map.check().await.unwrap().len(), 1);
}

async fn claims_that_were_not_removed_are_found_and_cleared(database: Database) {
    let (scratch, map) = map(database, Index::Dedup).await;
    let mut connection = connect(scratch.url()).await;
    for from in [0, 5000] {
        let rows: Vec<String> = (from..from + 5000).map(|n: u128| format!("(x'{n:032x}')")).collect();
        run(&mut connection, format!("INSERT INTO uuid_map_claim (uuid) VALUES {}", rows.join(","))).await;
    }
    let findings = map.check().await.unwrap();
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert!(finding.to_string().contains("10000 claims in uuid_map_claim"), "{finding}");
    assert_eq!(map.repair().await.unwrap(), ["cleared 10000 claims away"]);
    assert_eq!(map.check().await.unwrap(), []);
    assert_eq!(number(&mut connection, "SELECT COUNT(*) FROM uuid_map_claim").await, Ok(0));
}
