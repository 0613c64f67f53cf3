//! Tests errors that repeating cannot cure: they are returned at once, with their reasons.

use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Server};
use sqlx::Connection;
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, on_both, run, settings};

everywhere!(
    errors_that_stay_are_returned_at_once,
    a_savepoint_of_the_caller_survives,
    read_only_transactions_are_not_repeated
);
on_both!(settings_that_forbid_writes_are_named);

/// With a time limit of an hour, an error that is repeated does not come back.
fn patient() -> idgen_mysql::Builder {
    UuidMap::builder().cache(0).timeout(Duration::from_secs(3600))
}

/// The error of a call that must not be repeated.
async fn at_once<T: std::fmt::Debug>(call: impl Future<Output = idgen_mysql::Result<T>>) -> String {
    let result = tokio::time::timeout(Duration::from_secs(100), call).await.expect("the call is repeated");
    let error = result.unwrap_err();
    let said = error.to_string();
    assert!(!error.is_transient() && !said.contains(" attempts"), "{said}");
    said
}

async fn errors_that_stay_are_returned_at_once(database: Database, index: Index) {
    let (scratch, owner) = map(database, index).await;
    owner.id_of(Uuid::new_v4()).await.unwrap();
    let mut root = connect(scratch.url()).await;
    let signal = "CREATE TRIGGER no BEFORE INSERT ON uuid_map FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not today'";
    let recursive =
        "CREATE TRIGGER no AFTER INSERT ON uuid_map FOR EACH ROW DELETE FROM uuid_map WHERE id = 0";
    let mut changes = vec![
        (
            "ALTER TABLE uuid_map ADD CONSTRAINT small CHECK (id < 130)",
            "ALTER TABLE uuid_map DROP CONSTRAINT small",
            "small",
        ),
        (signal, "DROP TRIGGER no", "not today"),
        (recursive, "DROP TRIGGER no", "uuid_map"),
        (
            "ALTER TABLE uuid_map ADD COLUMN note INT NOT NULL",
            "ALTER TABLE uuid_map DROP COLUMN note",
            "note",
        ),
    ];
    if index == Index::Dedup {
        changes.push((
            "RENAME TABLE uuid_map_claim TO away",
            "RENAME TABLE away TO uuid_map_claim",
            "uuid_map_claim",
        ));
    }
    let map = patient().connect(scratch.url()).await.unwrap();
    map.id_of(Uuid::new_v4()).await.unwrap();
    for (worse, better, words) in changes {
        run(&mut root, worse).await;
        let said = at_once(map.id_of(Uuid::new_v4())).await;
        assert!(said.contains(words), "{worse}: {said}");
        run(&mut root, better).await;
        map.id_of(Uuid::new_v4()).await.unwrap();
    }
    assert_sound(scratch.url()).await;
}

async fn a_savepoint_of_the_caller_survives(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let mut root = connect(scratch.url()).await;
    run(&mut root, "CREATE TABLE orders (id INT PRIMARY KEY) ENGINE=InnoDB").await;
    let mut connection = connect(scratch.url()).await;
    let mut transaction = connection.begin().await.unwrap();
    run(&mut transaction, "INSERT INTO orders VALUES (1)").await;
    run(&mut transaction, "SAVEPOINT idgen_map").await;
    run(&mut transaction, "INSERT INTO orders VALUES (2)").await;
    let uuid = Uuid::new_v4();
    map.id_of_within(&mut transaction, uuid).await.unwrap();
    map.ids_of_within(&mut transaction, &[uuid, Uuid::new_v4()]).await.unwrap();
    run(&mut transaction, "ROLLBACK TO SAVEPOINT idgen_map").await;
    transaction.commit().await.unwrap();
    assert_eq!(crate::common::number(&mut root, "SELECT COUNT(*) FROM orders").await, Ok(1));
    assert_eq!(map.find(uuid).await.unwrap(), None);
    assert_sound(scratch.url()).await;
}

/// Error 1792: the caller has begun a transaction that cannot write.
async fn read_only_transactions_are_not_repeated(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let mut connection = connect(scratch.url()).await;
    run(&mut connection, "START TRANSACTION READ ONLY").await;
    for uuids in [vec![Uuid::new_v4()], vec![Uuid::new_v4(), Uuid::new_v4()]] {
        let said = at_once(map.ids_of_within(&mut connection, &uuids)).await;
        assert!(said.contains("READ ONLY") && said.contains("begin a transaction that may write"), "{said}");
        at_once(map.id_of_within(&mut connection, uuids[0])).await;
    }
    run(&mut connection, "ROLLBACK").await;
    assert_sound(scratch.url()).await;
}

/// One server for all of it, because the settings affect every client.
async fn settings_that_forbid_writes_are_named(database: Database) {
    let server = Server::start(database, &settings()).unwrap();
    let mut root = connect(server.url()).await;
    let variable = if database == Database::MySql { "transaction_read_only" } else { "tx_read_only" };
    for index in [Index::Unique, Index::Dedup] {
        let scratch = server.scratch().unwrap();
        let owner = UuidMap::builder().index(index).connect(scratch.url()).await.unwrap();
        owner.install().await.unwrap();
        let known = Uuid::new_v4();
        let id = owner.id_of(known).await.unwrap();
        run(&mut root, format!("SET GLOBAL {variable} = 1")).await;
        for read_first in [false, true] {
            let map = patient().connect(scratch.url()).await.unwrap();
            if read_first {
                assert_eq!(map.id_of(known).await.unwrap(), id);
                assert_eq!(map.ids_of(&[known]).await.unwrap(), [id]);
            }
            for _ in 0..2 {
                let said = at_once(map.id_of(Uuid::new_v4())).await;
                assert!(said.contains(variable), "{said}");
                let said = at_once(map.ids_of(&[Uuid::new_v4(), Uuid::new_v4()])).await;
                assert!(said.contains(variable), "{said}");
            }
        }
        run(&mut root, format!("SET GLOBAL {variable} = 0")).await;
        run(&mut root, "SET GLOBAL max_allowed_packet = 8192").await;
        let map = patient().connect(scratch.url()).await.unwrap();
        let many: Vec<Uuid> = (0..UuidMap::GROUP).map(|_| Uuid::new_v4()).collect();
        let said = at_once(map.ids_of(&many)).await;
        assert!(said.contains("max_allowed_packet"), "{said}");
        // The server has closed that connection.
        assert_eq!(map.find(known).await.unwrap(), Some(id));
        run(&mut root, "SET GLOBAL max_allowed_packet = 67108864").await;
        if database == Database::MariaDb {
            run(&mut root, "SET GLOBAL enforce_storage_engine = Aria").await;
            let map = patient().index(index).table("more").connect(scratch.url()).await.unwrap();
            let said = at_once(map.install()).await;
            assert!(said.contains("NO_ENGINE_SUBSTITUTION"), "{said}");
            run(&mut root, "SET GLOBAL enforce_storage_engine = NULL").await;
        }
        assert_sound(scratch.url()).await;
    }
}
