//! Tests what a check finds in the tables themselves.

use idgen_mysql::{Index, Severity, UuidMap};
use idgen_server::Database;
use uuid::Uuid;

use crate::common::{connect, everywhere, map, on_both, run};

everywhere!(a_check_finds_what_was_done_to_the_tables);
on_both!(a_check_finds_history_and_partitions);

/// The finding with these words, after a change that is undone again.
async fn finding(url: &str, map: &UuidMap, change: &str, undo: &str, words: &str) -> Severity {
    let mut root = connect(url).await;
    for statement in change.split("; ") {
        run(&mut root, statement).await;
    }
    let findings = map.check().await.unwrap();
    for statement in undo.split("; ") {
        run(&mut root, statement).await;
    }
    assert_eq!(map.check().await.unwrap(), [], "{undo}");
    let found = findings.iter().find(|finding| finding.text().contains(words));
    found.unwrap_or_else(|| panic!("{change}: {findings:?}")).severity()
}

async fn a_check_finds_what_was_done_to_the_tables(database: Database, index: Index) {
    let (scratch, running) = map(database, index).await;
    running.id_of(Uuid::new_v4()).await.unwrap();
    assert_eq!(running.check().await.unwrap(), []);
    let mut root = connect(scratch.url()).await;
    run(&mut root, "CREATE TABLE parent (id BIGINT UNSIGNED NOT NULL PRIMARY KEY)").await;
    run(&mut root, "INSERT INTO parent SELECT id FROM uuid_map").await;
    // MySQL's MyISAM has no index on a generated column.
    let table = if index == Index::Dedup { "uuid_map_claim" } else { "uuid_map" };
    let engines =
        [format!("ALTER TABLE {table} ENGINE = MyISAM"), format!("ALTER TABLE {table} ENGINE = InnoDB")];
    for (change, undo, words) in [
        (&*engines[0], &*engines[1], "its engine is MyISAM"),
        (
            "INSERT INTO uuid_map_state SELECT 2, version, strategy, id_bits, next_id, map_id, epoch, stored_id, fence FROM \
             uuid_map_state",
            "DELETE FROM uuid_map_state WHERE one = 2",
            "uuid_map_state has 2 rows",
        ),
        (
            "UPDATE uuid_map_state SET next_id = 9223372036854775809",
            "UPDATE uuid_map_state SET next_id = 129",
            "the next id is 9223372036854775809",
        ),
        (
            "ALTER TABLE uuid_map ADD CONSTRAINT of_parent FOREIGN KEY (id) REFERENCES parent (id) ON DELETE CASCADE",
            "ALTER TABLE uuid_map DROP FOREIGN KEY of_parent",
            "the foreign key of_parent deletes or changes rows",
        ),
        (
            "RENAME TABLE uuid_map TO pairs; CREATE VIEW uuid_map AS SELECT * FROM pairs",
            "DROP VIEW uuid_map; RENAME TABLE pairs TO uuid_map",
            "is not one this version can use: a view has its name",
        ),
    ] {
        assert_eq!(finding(scratch.url(), &running, change, undo, words).await, Severity::Broken);
    }
    // A foreign key that only forbids is no fault.
    run(&mut root, "CREATE TABLE orders (id BIGINT UNSIGNED, FOREIGN KEY (id) REFERENCES uuid_map (id))")
        .await;
    assert_eq!(running.check().await.unwrap(), []);
    // The epoch 0, which a map never has.
    run(&mut root, "UPDATE uuid_map_state SET epoch = 0").await;
    let findings = running.check().await.unwrap();
    assert!(
        findings
            .iter()
            .any(|finding| finding.text().contains("the epoch in uuid_map_state is 0: epochs begin at 1")),
        "{findings:?}"
    );
}

async fn a_check_finds_history_and_partitions(database: Database) {
    let (scratch, map) = map(database, Index::Dedup).await;
    if database == Database::MariaDb {
        let change = "ALTER TABLE uuid_map ADD SYSTEM VERSIONING";
        let undo = "ALTER TABLE uuid_map DROP SYSTEM VERSIONING";
        let severity = finding(scratch.url(), &map, change, undo, "has system versioning").await;
        assert_eq!(severity, Severity::Broken);
    }
    let change = "ALTER TABLE uuid_map_claim PARTITION BY KEY () PARTITIONS 4";
    let undo = "ALTER TABLE uuid_map_claim REMOVE PARTITIONING";
    let severity = finding(scratch.url(), &map, change, undo, "is partitioned").await;
    assert_eq!(severity, Severity::Warning);
}
