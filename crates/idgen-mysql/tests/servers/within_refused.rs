//! Tests claims within a transaction that the map has to refuse.

use idgen_mysql::Strategy;
use idgen_server::Flavor;
use sqlx::Connection;
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, number, run};
use crate::within::other_than;

everywhere!(
    a_claim_outside_a_transaction_is_refused,
    a_claim_after_a_deadlock_is_refused,
    another_map_is_refused
);

/// Each statement would commit by itself, so the claim would not protect anything.
async fn a_claim_outside_a_transaction_is_refused(flavor: Flavor, strategy: Strategy) {
    let (scratch, map) = map(flavor, strategy).await;
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
async fn a_claim_after_a_deadlock_is_refused(flavor: Flavor, strategy: Strategy) {
    let (scratch, map) = map(flavor, strategy).await;
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
async fn another_map_is_refused(flavor: Flavor, strategy: Strategy) {
    let (scratch, ours) = map(flavor, strategy).await;
    let (beside, _theirs) = map(flavor, strategy).await;
    let (elsewhere, _others) = map(other_than(flavor), strategy).await;
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
        if strategy == Strategy::Dedup {
            assert_eq!(number(&mut root, "SELECT COUNT(*) FROM uuid_map_claim").await, Ok(0));
        }
        run(&mut root, "DROP TABLE uuid_map_state").await;
        let mut transaction = connection.begin().await.unwrap();
        let error = ours.id_of_within(&mut transaction, Uuid::new_v4()).await.unwrap_err();
        assert!(error.is_not_installed(), "{error}");
    }
    assert_sound(scratch.url()).await;
}
