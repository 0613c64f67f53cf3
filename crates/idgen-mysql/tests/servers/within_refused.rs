//! Tests claims within a transaction that the map has to refuse.

use idgen_mysql::{Index, UuidMap};
use idgen_server::Database;
use sqlx::Connection;
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, number, run};
use crate::within::other_than;

everywhere!(
    a_claim_outside_a_transaction_is_refused,
    a_claim_after_a_deadlock_is_refused,
    another_map_is_refused,
    a_temporary_table_that_hides_the_map_is_refused,
    a_map_without_ids_refuses_the_same_transactions,
    a_session_without_a_binary_log_is_refused,
);

/// Each statement would commit by itself, so the claim would not protect anything.
async fn a_claim_outside_a_transaction_is_refused(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let mut connection = connect(scratch.url()).await;
    for _ in 0..2 {
        let error = map.id_of_within(&mut connection, Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_not_in_transaction(), "{error}");
        let error = map.ids_of_within(&mut connection, &[Uuid::new_v4()]).await.unwrap_err();
        assert!(error.is_not_in_transaction(), "{error}");
        // A transaction that the server has ended without its caller noticing.
        run(&mut connection, "START TRANSACTION").await;
        run(&mut connection, "ROLLBACK").await;
    }
    assert_eq!(number(&mut connection, "SELECT COUNT(*) FROM uuid_map").await, Ok(0));
    // A session without autocommit is always in a transaction.
    run(&mut connection, "SET autocommit = 0").await;
    let id = map.id_of_within(&mut connection, Uuid::nil()).await.unwrap();
    run(&mut connection, "COMMIT").await;
    assert_eq!(map.find(Uuid::nil()).await.unwrap(), Some(id));
}

/// The server has ended the transaction, and its caller continues as if nothing had happened.
async fn a_claim_after_a_deadlock_is_refused(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let mut root = connect(scratch.url()).await;
    run(&mut root, "CREATE TABLE orders (id INT PRIMARY KEY, text CHAR(200)) ENGINE=InnoDB").await;
    run(&mut root, "INSERT INTO orders VALUES (1, 'a'), (2, 'a')").await;
    let (mut one, mut two) = (connect(scratch.url()).await, connect(scratch.url()).await);
    run(&mut one, "BEGIN").await;
    run(&mut two, "BEGIN").await;
    // The server ends the transaction that has changed fewer rows.
    run(&mut one, "INSERT INTO orders VALUES (3, 'b'), (4, 'b'), (5, 'b')").await;
    run(&mut one, "UPDATE orders SET text = 'b' WHERE id = 1").await;
    run(&mut two, "UPDATE orders SET text = 'c' WHERE id = 2").await;
    let waits = tokio::spawn(async move {
        run(&mut one, "UPDATE orders SET text = 'b' WHERE id = 2").await;
        run(&mut one, "COMMIT").await;
    });
    // The later of the two statements completes the cycle.
    let deadlock = number(&mut two, "SELECT id FROM orders WHERE id = 1 FOR UPDATE").await;
    assert_eq!(deadlock, Err(1213));
    waits.await.unwrap();
    let uuid = Uuid::new_v4();
    for error in [
        map.id_of_within(&mut two, uuid).await.unwrap_err(),
        map.ids_of_within(&mut two, &[uuid]).await.unwrap_err(),
        map.register_within(&mut two, uuid).await.unwrap_err(),
    ] {
        assert!(error.is_not_in_transaction(), "{error}");
    }
    assert_eq!(number(&mut root, "SELECT COUNT(*) FROM uuid_map").await, Ok(0));
    assert_sound(scratch.url()).await;
}

/// Tested on one server, whose connection goes to another schema, and on another server.
async fn another_map_is_refused(database: Database, index: Index) {
    let (scratch, ours) = map(database, index).await;
    let (beside, _theirs) = map(database, index).await;
    let (elsewhere, _others) = map(other_than(database), index).await;
    for url in [beside.url(), elsewhere.url()] {
        let mut connection = connect(url).await;
        let mut transaction = connection.begin().await.unwrap();
        for uuids in [vec![Uuid::new_v4()], vec![Uuid::new_v4(), Uuid::new_v4()]] {
            let error = ours.ids_of_within(&mut transaction, &uuids).await.unwrap_err();
            assert!(error.is_other_map(), "{error}");
            let error = ours.id_of_within(&mut transaction, uuids[0]).await.unwrap_err();
            assert!(error.is_other_map(), "{error}");
        }
        transaction.commit().await.unwrap();
        let mut root = connect(url).await;
        assert_eq!(number(&mut root, "SELECT COUNT(*) FROM uuid_map").await, Ok(0));
        if index == Index::Dedup {
            assert_eq!(number(&mut root, "SELECT COUNT(*) FROM uuid_map_claim").await, Ok(0));
        }
        run(&mut root, "DROP TABLE uuid_map_state").await;
        let mut transaction = connection.begin().await.unwrap();
        let error = ours.id_of_within(&mut transaction, Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_not_installed(), "{error}");
    }
    assert_sound(scratch.url()).await;
}

/// Only the session that made a temporary table sees it, in the place of the map's table. It may hold everything that the
/// map's table holds, even a pair that the map does not have.
async fn a_temporary_table_that_hides_the_map_is_refused(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let (known, new, foreign) = (Uuid::from_u128(7), Uuid::from_u128(8), Uuid::from_u128(9));
    let id = map.id_of(known).await.unwrap();
    let tables = match index {
        Index::Dedup => vec!["uuid_map", "uuid_map_claim"],
        _ => vec!["uuid_map"],
    };
    let mut root = connect(scratch.url()).await;
    run(&mut root, "CREATE SCHEMA IF NOT EXISTS idgen_hidden").await;
    for table in tables {
        let mut connection = connect(scratch.url()).await;
        // A temporary table that is made `LIKE` one of its own name is not allowed everywhere.
        let copy = format!("{}_{table}", scratch.name());
        run(&mut root, format!("CREATE TABLE idgen_hidden.{copy} LIKE {table}")).await;
        run(&mut connection, format!("CREATE TEMPORARY TABLE {table} LIKE idgen_hidden.{copy}")).await;
        if table == "uuid_map" {
            let pair = format!("(77, x'{}')", foreign.simple());
            run(&mut connection, format!("INSERT INTO uuid_map (id, uuid) VALUES {pair}")).await;
        }
        for isolation in ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"] {
            run(&mut connection, format!("SET SESSION TRANSACTION ISOLATION LEVEL {isolation}")).await;
            for uuid in [known, new, foreign] {
                run(&mut connection, "BEGIN").await;
                for error in [
                    map.id_of_within(&mut connection, uuid).await.unwrap_err(),
                    map.register_within(&mut connection, uuid).await.unwrap_err(),
                    map.ids_of_within(&mut connection, &[uuid]).await.unwrap_err(),
                    map.ids_of_within(&mut connection, &[uuid, Uuid::new_v4()]).await.unwrap_err(),
                ] {
                    assert!(error.is_schema() && !error.is_transient(), "{table}: {error}");
                    let words = format!("table {table} on the caller's connection");
                    let text = error.to_string();
                    assert!(text.contains(&words) && text.contains("temporary table"), "{error}");
                }
                run(&mut connection, "ROLLBACK").await;
            }
        }
        // Without the temporary table, the session can be used.
        run(&mut connection, format!("DROP TEMPORARY TABLE {table}")).await;
        run(&mut connection, "BEGIN").await;
        assert_eq!(map.id_of_within(&mut connection, known).await.unwrap(), id);
        run(&mut connection, "ROLLBACK").await;
        run(&mut root, format!("DROP TABLE idgen_hidden.{copy}")).await;
    }
    assert_eq!(number(&mut root, "SELECT COUNT(*) FROM uuid_map").await, Ok(1));
    assert_sound(scratch.url()).await;
}

/// A UUID that has an id keeps it without a new id, but not wherever the transaction is.
async fn a_map_without_ids_refuses_the_same_transactions(database: Database, index: Index) {
    let (scratch, _) = map(database, index).await;
    let (beside, _theirs) = map(database, index).await;
    let uuid = Uuid::from_u128(7);
    let builder = || UuidMap::builder().allow_exhausting_import(true);
    let ours = builder().connect(scratch.url()).await.unwrap();
    let last = u64::try_from(i64::MAX).unwrap();
    ours.import(&[(5, uuid), (last, Uuid::new_v4())]).await.unwrap();
    builder().connect(beside.url()).await.unwrap().import(&[(6, uuid)]).await.unwrap();
    let map = UuidMap::connect(scratch.url()).await.unwrap();
    let (mut own, mut other) = (connect(scratch.url()).await, connect(beside.url()).await);
    for uuids in [vec![uuid], vec![uuid, uuid]] {
        let error = map.ids_of_within(&mut own, &uuids).await.unwrap_err();
        assert!(error.is_not_in_transaction(), "{error}");
        let mut transaction = other.begin().await.unwrap();
        let error = map.ids_of_within(&mut transaction, &uuids).await.unwrap_err();
        assert!(error.is_other_map(), "{error}");
        let error = map.id_of_within(&mut transaction, uuid).await.unwrap_err();
        assert!(error.is_other_map(), "{error}");
        transaction.rollback().await.unwrap();
        let mut transaction = own.begin().await.unwrap();
        assert_eq!(map.ids_of_within(&mut transaction, &uuids).await.unwrap(), vec![5; uuids.len()]);
        assert_eq!(map.id_of_within(&mut transaction, uuid).await.unwrap(), 5);
        assert!(map.id_of_within(&mut transaction, Uuid::new_v4()).await.unwrap_err().is_exhausted());
        transaction.rollback().await.unwrap();
    }
    let error = map.id_of_within(&mut own, uuid).await.unwrap_err();
    assert!(error.is_not_in_transaction(), "{error}");
}

/// The map's own connections are refused for the same reason.
async fn a_session_without_a_binary_log_is_refused(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let mut connection = connect(scratch.url()).await;
    let is_logged = number(&mut connection, "SELECT @@GLOBAL.log_bin").await == Ok(1);
    for first in [true, false] {
        run(&mut connection, "SET SESSION sql_log_bin = 0").await;
        run(&mut connection, "START TRANSACTION").await;
        for claimed in [
            map.id_of_within(&mut connection, Uuid::from_u128(1)).await.map(drop),
            map.ids_of_within(&mut connection, &[Uuid::from_u128(1)]).await.map(drop),
        ] {
            match claimed {
                Err(error) => {
                    assert!(is_logged && error.is_unsafe_server(), "{first}: {error}");
                    assert!(error.to_string().contains("sql_log_bin is OFF"), "{error}");
                }
                Ok(()) => assert!(!is_logged),
            }
        }
        run(&mut connection, "ROLLBACK").await;
        // Its place is known afterwards, which must not make a difference.
        run(&mut connection, "SET SESSION sql_log_bin = 1").await;
        run(&mut connection, "START TRANSACTION").await;
        map.id_of_within(&mut connection, Uuid::from_u128(2)).await.unwrap();
        run(&mut connection, "COMMIT").await;
    }
    assert_sound(scratch.url()).await;
}
