//! Shows each way in which the published designs and their common repairs fail, and what the map does in that case.
//!
//! The first half of every test shows the failure; otherwise the second half would not test anything.

use std::time::Duration;

use idgen_mysql::{IdWidth, Index, UuidMap};
use idgen_server::{Database, Scratch};
use sqlx::{Connection, MySqlConnection};
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, number, run};

everywhere!(two_open_transactions, an_older_snapshot, a_race_of_two_statements, spellings_of_one_uuid);
everywhere!(
    a_lock_that_times_out,
    the_published_function_keeps_its_lock_after_an_error,
    a_purged_claim,
    repairs_of_the_published_function_have_faults,
    the_last_id
);

/// A map and the reference design in one schema.
async fn both(database: Database, index: Index) -> (Scratch, UuidMap, MySqlConnection) {
    let (scratch, _map) = map(database, index).await;
    let map = UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
    let mut connection = connect(scratch.url()).await;
    install_reference(&mut connection).await;
    (scratch, map, connection)
}

/// Creates the published tables and functions.
pub async fn install_reference(connection: &mut MySqlConnection) {
    for statement in idgen_server::reference::statements() {
        run(connection, statement).await;
    }
}

async fn ids(connection: &mut MySqlConnection, uuid: Uuid) -> i64 {
    number(connection, format!("SELECT COUNT(*) FROM uuid_to_id WHERE uuid = '{uuid}'")).await.unwrap()
}

pub fn lock(uuid: Uuid) -> String {
    format!("SELECT reference_lock('{uuid}')")
}

pub fn dedup(uuid: Uuid) -> String {
    format!("SELECT reference_dedup('{uuid}')")
}

/// The named lock is released before the transaction commits.
async fn two_open_transactions(database: Database, index: Index) {
    let (scratch, map, mut reference) = both(database, index).await;
    let uuid = Uuid::new_v4();
    let (mut one, mut two) = (connect(scratch.url()).await, connect(scratch.url()).await);
    let (mut first, mut second) = (one.begin().await.unwrap(), two.begin().await.unwrap());
    assert_eq!(number(&mut first, lock(uuid)).await, Ok(1));
    assert_eq!(number(&mut second, lock(uuid)).await, Ok(2));
    first.commit().await.unwrap();
    second.commit().await.unwrap();
    assert_eq!(ids(&mut reference, uuid).await, 2);
    // From now on, the published function cannot even find the UUID, because there is more than one row (error 1172).
    assert_eq!(number(&mut reference, lock(uuid)).await, Err(1172));

    let (mut first, mut second) = (one.begin().await.unwrap(), two.begin().await.unwrap());
    let id = map.id_of_within(&mut first, uuid).await.unwrap();
    let late = map.id_of_within(&mut second, uuid);
    let (late, ()) = tokio::join!(late, async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        first.commit().await.unwrap();
    });
    assert_eq!(late.unwrap(), id);
    second.commit().await.unwrap();
    assert_sound(scratch.url()).await;
}

/// The function looks up the UUID in its caller's snapshot.
async fn an_older_snapshot(database: Database, index: Index) {
    let (scratch, map, mut reference) = both(database, index).await;
    let uuid = Uuid::new_v4();
    let mut one = connect(scratch.url()).await;
    run(&mut one, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ").await;
    let mut old = one.begin().await.unwrap();
    assert_eq!(number(&mut old, "SELECT COUNT(*) FROM uuid_to_id").await, Ok(0));
    assert_eq!(number(&mut reference, lock(uuid)).await, Ok(1));
    let id = map.id_of(uuid).await.unwrap();
    assert_eq!(number(&mut old, lock(uuid)).await, Ok(2));
    assert_eq!(map.id_of_within(&mut old, uuid).await.unwrap(), id);
    old.commit().await.unwrap();
    assert_eq!(ids(&mut reference, uuid).await, 2);
    assert_sound(scratch.url()).await;
}

/// If two clients call the dedup design at the same time, the second gets an error and never the id.
async fn a_race_of_two_statements(database: Database, index: Index) {
    let (scratch, map, mut reference) = both(database, index).await;
    let uuid = Uuid::new_v4();
    let mut one = connect(scratch.url()).await;
    let mut first = one.begin().await.unwrap();
    assert_eq!(number(&mut first, dedup(uuid)).await, Ok(1));
    let (late, ()) = tokio::join!(number(&mut reference, dedup(uuid)), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        first.commit().await.unwrap();
    });
    assert_eq!(late, Err(1062));

    let mut first = one.begin().await.unwrap();
    let id = map.id_of_within(&mut first, uuid).await.unwrap();
    let (late, ()) = tokio::join!(map.register(uuid), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        first.commit().await.unwrap();
    });
    assert_eq!(late.unwrap_err().existing_id(), Some(id));
    assert_sound(scratch.url()).await;
}

/// A UUID in upper case and the same UUID in lower case have two hashes.
async fn spellings_of_one_uuid(database: Database, index: Index) {
    let (_scratch, map, mut reference) = both(database, index).await;
    let small = "6ccd780c-baba-1026-9564-5b8c656024db";
    let capital = small.to_uppercase();
    for function in ["reference_lock", "reference_dedup"] {
        run(&mut reference, "DELETE FROM uuid_to_id").await;
        for spelling in [small, &capital] {
            assert!(number(&mut reference, format!("SELECT {function}('{spelling}')")).await.is_ok());
        }
        assert_eq!(number(&mut reference, "SELECT COUNT(*) FROM uuid_to_id").await, Ok(2));
    }
    // The map takes the UUID itself and not a spelling of it.
    let ids = map.ids_of(&[small, &capital].map(|text| text.parse().unwrap())).await.unwrap();
    assert_eq!(ids[0], ids[1]);
}

/// GET_LOCK times out, and the function continues without the lock.
async fn a_lock_that_times_out(database: Database, index: Index) {
    let (scratch, map, mut reference) = both(database, index).await;
    let mut holder = connect(scratch.url()).await;
    assert_eq!(number(&mut holder, "SELECT GET_LOCK(CONCAT('uuid_lock ', DATABASE()), 60)").await, Ok(1));
    assert!(number(&mut reference, lock(Uuid::new_v4())).await.is_ok(), "it should have gone on, unlocked");
    // The map takes no named lock, so nobody can block it with one.
    map.id_of(Uuid::new_v4()).await.unwrap();
    assert_eq!(number(&mut holder, "SELECT RELEASE_LOCK(CONCAT('uuid_lock ', DATABASE()))").await, Ok(1));
}

/// If an INSERT fails, the session keeps the named lock, and a pool passes it on.
async fn the_published_function_keeps_its_lock_after_an_error(database: Database, index: Index) {
    let (_scratch, map, mut reference) = both(database, index).await;
    let too_long = "SELECT reference_lock('6ccd780c-baba-1026-9564-5b8c656024db-and-more')";
    assert_eq!(number(&mut reference, too_long).await, Err(1406));
    let leaked = "SELECT IS_USED_LOCK(CONCAT('uuid_lock ', DATABASE())) = CONNECTION_ID()";
    assert_eq!(number(&mut reference, leaked).await, Ok(1));
    // Texts that are not UUIDs are not sent to the server.
    assert!("6ccd780c-baba-1026-9564-5b8c656024db-and-more".parse::<Uuid>().is_err());
    map.id_of(Uuid::new_v4()).await.unwrap();
}

/// If a claim is purged after five seconds, it no longer protects older snapshots.
async fn a_purged_claim(database: Database, index: Index) {
    let (scratch, map, mut reference) = both(database, index).await;
    let uuid = Uuid::new_v4();
    let mut one = connect(scratch.url()).await;
    run(&mut one, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ").await;
    let mut old = one.begin().await.unwrap();
    assert_eq!(number(&mut old, "SELECT COUNT(*) FROM uuid_to_id").await, Ok(0));
    assert_eq!(number(&mut reference, dedup(uuid)).await, Ok(1));
    let id = map.id_of(uuid).await.unwrap();
    // Does what the purge does, without waiting for it.
    run(&mut reference, "DELETE FROM dedup").await;
    if index == Index::Dedup {
        run(&mut reference, "DELETE FROM uuid_map_claim").await;
    }
    assert_eq!(number(&mut old, dedup(uuid)).await, Ok(2));
    assert_eq!(map.id_of_within(&mut old, uuid).await.unwrap(), id);
    old.commit().await.unwrap();
    assert_eq!(ids(&mut reference, uuid).await, 2);
    assert_sound(scratch.url()).await;
}

/// Common repairs of the published design, and what goes wrong with them.
async fn repairs_of_the_published_function_have_faults(database: Database, index: Index) {
    let (scratch, map, mut reference) = both(database, index).await;
    let table = "CREATE TABLE repaired (id INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, \
        uuid BINARY(16) NOT NULL UNIQUE) ENGINE=InnoDB";
    run(&mut reference, table).await;

    // INSERT IGNORE and a plain SELECT find nothing in an older snapshot.
    let uuid = Uuid::new_v4();
    let insert = format!("INSERT IGNORE INTO repaired (uuid) VALUES (x'{}')", uuid.simple());
    let select = format!("SELECT COUNT(*) FROM repaired WHERE uuid = x'{}'", uuid.simple());
    let mut one = connect(scratch.url()).await;
    run(&mut one, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ").await;
    let mut old = one.begin().await.unwrap();
    assert_eq!(number(&mut old, "SELECT COUNT(*) FROM repaired").await, Ok(0));
    run(&mut reference, insert.clone()).await;
    let id = map.id_of(uuid).await.unwrap();
    run(&mut old, insert).await;
    assert_eq!(number(&mut old, select).await, Ok(0));
    assert_eq!(map.id_of_within(&mut old, uuid).await.unwrap(), id);
    old.commit().await.unwrap();

    // IGNORE truncates 17 bytes to 16, which are another UUID.
    run(&mut reference, "INSERT IGNORE INTO repaired (uuid) VALUES (REPEAT('x', 17))").await;
    let cut = "SELECT COUNT(*) FROM repaired WHERE uuid = REPEAT('x', 16)";
    assert_eq!(number(&mut reference, cut).await, Ok(1));
    assert!(Uuid::from_slice(&[b'x'; 17]).is_err());

    // Every duplicate wastes an AUTO_INCREMENT id. For the map, see `repeats_waste_no_ids`.
    for _ in 0..10 {
        run(&mut reference, "INSERT INTO repaired (uuid) VALUES (REPEAT('y', 16)) ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id)").await;
    }
    run(&mut reference, "INSERT INTO repaired (uuid) VALUES (REPEAT('z', 16))").await;
    let gap = "SELECT MAX(id) - COUNT(*) FROM repaired";
    assert!(number(&mut reference, gap).await.unwrap() >= 9);
    assert_sound(scratch.url()).await;
}

/// At 4,000 ids per second, INT UNSIGNED is used up after 12.4 days.
async fn the_last_id(database: Database, index: Index) {
    let (scratch, _map, mut reference) = both(database, index).await;
    let last = u64::from(u32::MAX);
    run(&mut reference, format!("ALTER TABLE uuid_to_id AUTO_INCREMENT = {last}")).await;
    let error = match number(&mut reference, lock(Uuid::new_v4())).await {
        Ok(id) => {
            assert_eq!(id, i64::from(u32::MAX));
            number(&mut reference, lock(Uuid::new_v4())).await.unwrap_err()
        }
        Err(error) => error,
    };
    // Depending on the server: a "duplicate" that is not one, a value out of range, or a failure to read the counter.
    assert!([1062, 167, 1467].contains(&error), "{error}");

    let narrow = UuidMap::builder().table("narrow").index(index).id_width(IdWidth::Bits32);
    let narrow = narrow.connect(scratch.url()).await.unwrap();
    narrow.install().await.unwrap();
    run(&mut reference, format!("UPDATE narrow_state SET next_id = {}", last + 1)).await;
    let error = narrow.id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_exhausted() && error.to_string().contains("has assigned all 32-bit ids"), "{error}");
}
