//! Tests tables that are replaced or altered under a running client.

use idgen_mysql::{Index, Severity, UuidMap};
use idgen_server::Database;
use uuid::Uuid;

use crate::common::{assert_sound, connect, copy_table, everywhere, map, run, until_it_is_read_again};

everywhere!(
    an_older_copy_of_the_map_is_noticed,
    new_clients_notice_an_older_copy,
    imports_notice_an_older_copy,
    maps_that_were_exchanged_are_noticed,
    altered_tables_are_the_same
);

/// Known UUIDs got second ids.
async fn an_older_copy_of_the_map_is_noticed(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let running = UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
    let uuids: Vec<Uuid> = (0..10).map(|_| Uuid::new_v4()).collect();
    running.ids_of(&uuids[..4]).await.unwrap();
    let mut root = connect(scratch.url()).await;
    copy_table(&mut root, "uuid_map", "older").await;
    let ids = running.ids_of(&uuids).await.unwrap();
    run(&mut root, "RENAME TABLE uuid_map TO newer, older TO uuid_map").await;
    until_it_is_read_again().await;
    let error = running.ids_of(&uuids).await.unwrap_err();
    assert!(error.is_damaged() && error.to_string().contains("no longer holds the pair"), "{error}");
    let findings = running.check().await.unwrap();
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert!(
        finding.severity() == Severity::Broken && finding.text().contains("no longer holds"),
        "{finding}"
    );
    // The right table comes back.
    run(&mut root, "RENAME TABLE uuid_map TO older, newer TO uuid_map").await;
    assert_eq!(running.ids_of(&uuids).await.unwrap(), ids);
    // An operator decides for the older one: after a fence it counts.
    run(&mut root, "RENAME TABLE uuid_map TO newer, older TO uuid_map").await;
    UuidMap::connect(scratch.url()).await.unwrap().fence(5000).await.unwrap();
    let again = running.ids_of(&uuids).await.unwrap();
    assert_eq!(again[..4], ids[..4]);
    assert!(again[4..].iter().all(|id| *id >= 5000), "{again:?}");
    assert_sound(scratch.url()).await;
}

/// They have seen no pair, and the state row names one.
async fn new_clients_notice_an_older_copy(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let mut root = connect(scratch.url()).await;
    let client = async || UuidMap::connect(scratch.url()).await.unwrap();
    let one = client().await;
    one.id_of(Uuid::new_v4()).await.unwrap();
    copy_table(&mut root, "uuid_map", "older").await;
    let known = Uuid::new_v4();
    let id = one.id_of(known).await.unwrap();
    one.close().await.unwrap();
    run(&mut root, "RENAME TABLE uuid_map TO newer, older TO uuid_map").await;
    let words = format!("uuid_map does not hold the id {id}, which was stored there");
    let error = client().await.id_of(known).await.unwrap_err();
    assert!(error.is_damaged() && error.to_string().contains(&words), "{error}");
    let findings = client().await.check().await.unwrap();
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert!(finding.severity() == Severity::Broken && finding.text().contains(&words), "{finding}");
    run(&mut root, "RENAME TABLE uuid_map TO older, newer TO uuid_map").await;
    assert_eq!(client().await.check().await.unwrap(), []);
    assert_eq!(client().await.id_of(known).await.unwrap(), id);
    run(&mut root, "RENAME TABLE uuid_map TO newer, older TO uuid_map").await;
    client().await.fence(700).await.unwrap();
    assert!(client().await.id_of(known).await.unwrap() >= 700);
    assert_sound(scratch.url()).await;
}

/// A client that only imports reserves no ids.
async fn imports_notice_an_older_copy(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let mut root = connect(scratch.url()).await;
    let client = async || UuidMap::connect(scratch.url()).await.unwrap();
    let importing = client().await;
    let uuids: Vec<Uuid> = (0..3).map(|_| Uuid::new_v4()).collect();
    importing.import(&[(10, uuids[0])]).await.unwrap();
    copy_table(&mut root, "uuid_map", "older").await;
    importing.import(&[(20, uuids[1])]).await.unwrap();
    run(&mut root, "RENAME TABLE uuid_map TO newer, older TO uuid_map").await;
    let words = "uuid_map does not hold the id 20, which was stored there";
    for id in [5, 30] {
        let error = importing.import(&[(id, uuids[2])]).await.unwrap_err();
        assert!(error.is_damaged() && error.to_string().contains(words), "{error}");
    }
    // A client that begins now gets the error, too, from every call: otherwise the answer might be that there is no
    // pair.
    let error = client().await.find(uuids[1]).await.unwrap_err();
    assert!(error.is_damaged() && error.to_string().contains(words), "{error}");
    let error = client().await.uuid_of(20).await.unwrap_err();
    assert!(error.is_damaged(), "{error}");
    // The remaining pairs can be read.
    let reading = UuidMap::builder().accept_unsafe_server(true).connect(scratch.url()).await.unwrap();
    assert_eq!(reading.find_many(&uuids).await.unwrap(), [Some(10), None, None]);
    client().await.fence(700).await.unwrap();
    importing.import(&[(30, uuids[2])]).await.unwrap();
    assert_eq!(client().await.find_many(&uuids).await.unwrap(), [Some(10), None, Some(30)]);
    assert_eq!(client().await.check().await.unwrap(), []);
    assert_sound(scratch.url()).await;
}

/// Their pairs were exchanged, and their state was not.
async fn maps_that_were_exchanged_are_noticed(database: Database, index: Index) {
    let (scratch, first) = map(database, index).await;
    let other = UuidMap::builder().table("other").index(index).connect(scratch.url()).await.unwrap();
    other.install().await.unwrap();
    for map in [&first, &other] {
        map.id_of(Uuid::new_v4()).await.unwrap();
    }
    let mut root = connect(scratch.url()).await;
    run(&mut root, "RENAME TABLE uuid_map TO t, other TO uuid_map, t TO other").await;
    until_it_is_read_again().await;
    for map in [&first, &other] {
        let error = map.id_of(Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_damaged() && error.to_string().contains("no longer holds the pair"), "{error}");
    }
    // With their states, too: the identity tells them apart.
    run(&mut root, "RENAME TABLE uuid_map_state TO t, other_state TO uuid_map_state, t TO other_state").await;
    until_it_is_read_again().await;
    for map in [&first, &other] {
        let error = map.id_of(Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_other_map(), "{error}");
    }
}

/// Altering and rebuilding a table, and forgetting the UUID that the client remembers, are no faults.
async fn altered_tables_are_the_same(database: Database, index: Index) {
    let (scratch, running) = map(database, index).await;
    let mut root = connect(scratch.url()).await;
    let mut uuid = Uuid::new_v4();
    for change in [
        "ALTER TABLE uuid_map ADD COLUMN note INT, ALGORITHM = COPY",
        "OPTIMIZE TABLE uuid_map",
        "ALTER TABLE uuid_map FORCE",
        "CREATE TABLE copied LIKE uuid_map",
        "INSERT INTO copied (id, uuid) SELECT id, uuid FROM uuid_map",
        "RENAME TABLE uuid_map TO gone, copied TO uuid_map",
    ] {
        let id = running.id_of(uuid).await.unwrap();
        if change.starts_with("OPTIMIZE") {
            let other = UuidMap::connect(scratch.url()).await.unwrap();
            assert_eq!(other.forget(uuid).await.unwrap(), Some(id));
            uuid = Uuid::new_v4();
        }
        run(&mut root, change).await;
        until_it_is_read_again().await;
        assert_eq!(running.check().await.unwrap(), []);
    }
    running.id_of(uuid).await.unwrap();
    assert_sound(scratch.url()).await;
}
