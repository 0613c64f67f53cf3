//! Tests triggers and constraints of an operator on the map's tables: those that change what is stored are refused, and the
//! others do not disturb.

use idgen_mysql::{Index, Severity, UuidMap};
use idgen_server::Database;
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, number, on_both, run, until_it_is_read_again};
use crate::reservations::blind;

everywhere!(
    triggers_that_change_pairs_are_refused,
    a_client_that_sees_no_triggers_acknowledges_nothing_else_than_is_stored,
    harmless_triggers_go_on_working,
);
on_both!(rows_that_a_constraint_keeps_out_are_an_error, a_trigger_that_changes_claims_is_refused);

const BAD: [&str; 3] = [
    "CREATE TRIGGER bad BEFORE INSERT ON uuid_map FOR EACH ROW SET NEW.id = NEW.id + 1000000",
    "CREATE TRIGGER bad BEFORE INSERT ON uuid_map FOR EACH ROW SET NEW.uuid = REVERSE(NEW.uuid)",
    "CREATE TRIGGER bad BEFORE UPDATE ON uuid_map_state FOR EACH ROW SET NEW.next_id = 1",
];

async fn triggers_that_change_pairs_are_refused(database: Database, index: Index) {
    let (scratch, running) = map(database, index).await;
    let known = Uuid::new_v4();
    let id = running.id_of(known).await.unwrap();
    let mut root = connect(scratch.url()).await;
    for trigger in BAD {
        run(&mut root, trigger).await;
        let fresh = UuidMap::connect(scratch.url()).await.unwrap();
        let error = fresh.id_of(Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_schema() && error.to_string().contains("its trigger bad changes"), "{error}");
        let findings = fresh.check().await.unwrap();
        assert!(findings.iter().any(|finding| finding.severity() == Severity::Broken), "{findings:?}");
        until_it_is_read_again().await;
        let error = running.id_of(Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_schema() && error.to_string().contains("its trigger bad changes"), "{error}");
        let findings = running.check().await.unwrap();
        assert!(findings.iter().any(|finding| finding.text().contains("trigger bad")), "{findings:?}");
        run(&mut root, "DROP TRIGGER bad").await;
        assert_eq!(running.id_of(known).await.unwrap(), id);
    }
    running.id_of(Uuid::new_v4()).await.unwrap();
    assert_eq!(running.check().await.unwrap(), []);
    assert_sound(scratch.url()).await;
}

async fn a_client_that_sees_no_triggers_acknowledges_nothing_else_than_is_stored(
    database: Database,
    index: Index,
) {
    let (scratch, _map) = map(database, index).await;
    let mut root = connect(scratch.url()).await;
    for trigger in &BAD[..2] {
        let blind = blind(&mut root, &scratch, index).await;
        let known = Uuid::new_v4();
        let id = blind.id_of(known).await.unwrap();
        run(&mut root, *trigger).await;
        until_it_is_read_again().await;
        for _ in 0..3 {
            let error = blind.id_of(Uuid::new_v4()).await.unwrap_err();
            assert!(error.is_damaged() && error.to_string().contains("trigger"), "{error}");
        }
        let many: Vec<Uuid> = (0..20).map(|_| Uuid::new_v4()).collect();
        let error = blind.ids_of(&many).await.unwrap_err();
        assert!(error.is_damaged() && error.to_string().contains("trigger"), "{error}");
        let error = blind.import(&[(id + 500, Uuid::new_v4())]).await.unwrap_err();
        assert!(error.is_damaged(), "{error}");
        run(&mut root, "BEGIN").await;
        let error = blind.id_of_within(&mut root, Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_damaged(), "{error}");
        let others: Vec<Uuid> = (0..20).map(|_| Uuid::new_v4()).collect();
        let error = blind.ids_of_within(&mut root, &others).await.unwrap_err();
        assert!(error.is_damaged(), "{error}");
        run(&mut root, "ROLLBACK").await;
        run(&mut root, "DROP TRIGGER bad").await;
        assert_eq!(blind.id_of(known).await.unwrap(), id);
        blind.id_of(Uuid::new_v4()).await.unwrap();
    }
    // A trigger that keeps a UUID from being erased.
    let blind = blind(&mut root, &scratch, index).await;
    let kept = Uuid::new_v4();
    blind.id_of(kept).await.unwrap();
    run(&mut root, "CREATE TRIGGER keeps BEFORE UPDATE ON uuid_map FOR EACH ROW SET NEW.uuid = OLD.uuid")
        .await;
    let error = blind.forget(kept).await.unwrap_err();
    assert!(error.is_damaged() && error.to_string().contains("was not erased"), "{error}");
}

/// Audits, and the triggers of a tool that copies the table.
async fn harmless_triggers_go_on_working(database: Database, index: Index) {
    let (scratch, running) = map(database, index).await;
    let mut root = connect(scratch.url()).await;
    run(&mut root, "CREATE TABLE audit (id BIGINT UNSIGNED, uuid BINARY(16), created DATETIME(6))").await;
    run(&mut root, "ALTER TABLE uuid_map ADD COLUMN created DATETIME(6)").await;
    for trigger in [
        "CREATE TRIGGER t1 BEFORE INSERT ON uuid_map FOR EACH ROW SET NEW.created = NOW(6)",
        "CREATE TRIGGER t2 BEFORE INSERT ON uuid_map FOR EACH ROW INSERT INTO audit SET id = NEW.id, uuid = NEW.uuid",
        "CREATE TRIGGER t3 AFTER INSERT ON uuid_map FOR EACH ROW REPLACE INTO audit (id, uuid) VALUES (NEW.id, NEW.uuid)",
        "CREATE TRIGGER t4 AFTER UPDATE ON uuid_map FOR EACH ROW INSERT INTO audit (id) VALUES (NEW.id)",
        "CREATE TRIGGER t5 BEFORE UPDATE ON uuid_map_state FOR EACH ROW SET @next = NEW.next_id",
    ] {
        run(&mut root, trigger).await;
    }
    let fresh = UuidMap::connect(scratch.url()).await.unwrap();
    until_it_is_read_again().await;
    for client in [&running, &fresh] {
        let uuids: Vec<Uuid> = (0..300).map(|_| Uuid::new_v4()).collect();
        let ids = client.ids_of(&uuids).await.unwrap();
        assert_eq!(fresh.find_many(&uuids).await.unwrap(), ids.into_iter().map(Some).collect::<Vec<_>>());
        client.id_of(Uuid::new_v4()).await.unwrap();
        assert!(client.forget(uuids[0]).await.unwrap().is_some());
        assert_eq!(client.check().await.unwrap(), []);
    }
    assert_eq!(number(&mut root, "SELECT COUNT(*) FROM uuid_map WHERE created IS NULL").await, Ok(0));
    assert_sound(scratch.url()).await;
}

/// Two clients could claim one UUID.
async fn a_trigger_that_changes_claims_is_refused(database: Database) {
    let (scratch, _map) = map(database, Index::Dedup).await;
    let mut root = connect(scratch.url()).await;
    let blind = blind(&mut root, &scratch, Index::Dedup).await;
    run(
        &mut root,
        "CREATE TRIGGER bad BEFORE INSERT ON uuid_map_claim FOR EACH ROW SET NEW.uuid = RANDOM_BYTES(16)",
    )
    .await;
    let error = blind.id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_damaged() && error.to_string().contains("a trigger changes them"), "{error}");
    let fresh = UuidMap::connect(scratch.url()).await.unwrap();
    let error = fresh.id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_schema() && error.to_string().contains("its trigger bad changes"), "{error}");
}

/// `INSERT IGNORE` passes over such rows. The error said that ids were in use, after 64 attempts.
async fn rows_that_a_constraint_keeps_out_are_an_error(database: Database) {
    let (scratch, map) = map(database, Index::Unique).await;
    let mut root = connect(scratch.url()).await;
    run(&mut root, "ALTER TABLE uuid_map ADD CONSTRAINT small CHECK (id < 3)").await;
    let uuids: Vec<Uuid> = (0..10).map(|_| Uuid::new_v4()).collect();
    let error = map.ids_of(&uuids).await.unwrap_err();
    assert!(error.is_damaged() && error.to_string().contains("a CHECK constraint"), "{error}");
    assert!(map.id_of(Uuid::new_v4()).await.is_err());
    run(&mut root, "ALTER TABLE uuid_map DROP CONSTRAINT small").await;
    map.ids_of(&uuids).await.unwrap();
    assert_sound(scratch.url()).await;
}
