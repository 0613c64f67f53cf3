//! Tests claims within the caller's own transaction.

use std::time::{Duration, Instant};

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Scratch};
use sqlx::{Connection, MySqlConnection};
use uuid::Uuid;

use crate::common::{
    assert_sound, connect, connection_list, everywhere, map, number, of_two, on_both, run, until,
};
use crate::proxy::{Mood, Proxy};

everywhere!(
    the_pair_is_committed_or_rolled_back_with_the_caller,
    a_pair_is_found_despite_an_old_snapshot,
    another_client_waits
);
everywhere!(
    two_transactions_with_different_uuids_do_not_wait_for_each_other,
    a_distributed_transaction_decides
);
on_both!(an_alter_table_does_not_block_clients);
everywhere!(a_batch_is_committed_or_rolled_back_with_the_caller, an_old_snapshot_shows_no_forgotten_id);
on_both!(a_lagging_node_shows_no_forgotten_id);
mod a_changed_record_is_a_transient_error {
    use idgen_mysql::Index::{Dedup, Unique};

    #[tokio::test(flavor = "multi_thread")]
    async fn mariadb_unique() {
        super::a_changed_record_is_a_transient_error(Unique).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn mariadb_dedup() {
        super::a_changed_record_is_a_transient_error(Dedup).await;
    }
}
on_both!(claims_of_transactions_are_removed_too, a_pair_is_found_while_a_node_lags);

/// Does what callers have to do: MariaDB 11.8 refuses reads of changes after the snapshot
/// (`innodb_snapshot_isolation`), and then the transaction has to begin again.
async fn within(map: &UuidMap, connection: &mut MySqlConnection, uuids: &[Uuid]) -> Vec<u64> {
    // This may happen more than once, because claims are removed meanwhile.
    for _ in 0..20 {
        match map.ids_of_within(connection, uuids).await {
            Err(error) if error.to_string().contains("Record has changed") => {
                assert!(error.is_transient(), "{error}");
                run(connection, "ROLLBACK").await;
                run(connection, "BEGIN").await;
            }
            ids => return ids.unwrap(),
        }
    }
    panic!("each of 20 transactions met a record that had changed");
}

async fn the_pair_is_committed_or_rolled_back_with_the_caller(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let mut connection = connect(scratch.url()).await;
    let uuid = Uuid::new_v4();

    let mut transaction = connection.begin().await.unwrap();
    let rolled_back = map.id_of_within(&mut transaction, uuid).await.unwrap();
    // The transaction itself sees its own pair.
    assert_eq!(map.id_of_within(&mut transaction, uuid).await.unwrap(), rolled_back);
    let error = map.register_within(&mut transaction, uuid).await.unwrap_err();
    assert_eq!(error.existing_id(), Some(rolled_back));
    // Other clients do not see it, not even through the cache.
    assert_eq!(map.find(uuid).await.unwrap(), None);
    transaction.rollback().await.unwrap();
    assert_eq!(map.find(uuid).await.unwrap(), None);

    let mut transaction = connection.begin().await.unwrap();
    let id = map.register_within(&mut transaction, uuid).await.unwrap();
    assert_ne!(id, rolled_back, "an id that was shown must not come back with another meaning");
    transaction.commit().await.unwrap();
    assert_eq!(map.id_of(uuid).await.unwrap(), id);
    assert_sound(scratch.url()).await;
}

async fn a_pair_is_found_despite_an_old_snapshot(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    for level in ["REPEATABLE READ", "READ COMMITTED", "SERIALIZABLE"] {
        let mut connection = connect(scratch.url()).await;
        run(&mut connection, format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}")).await;
        let uuid = Uuid::new_v4();
        let mut transaction = connection.begin().await.unwrap();
        // The snapshot is taken here, by reading another table.
        assert_eq!(number(&mut transaction, "SELECT COUNT(*) FROM uuid_map_state").await, Ok(1));
        let id = map.id_of(uuid).await.unwrap();
        assert_eq!(within(&map, &mut transaction, &[uuid]).await, [id], "{level}");
        transaction.commit().await.unwrap();
    }
    assert_sound(scratch.url()).await;
}

/// Error 1020: with `innodb_snapshot_isolation`, which is on by default since MariaDB 11.6, a statement refuses to read
/// a row that has changed since the transaction's snapshot. MySQL has no such setting.
async fn a_changed_record_is_a_transient_error(index: Index) {
    let (scratch, map) = map(Database::MariaDb, index).await;
    let mut connection = connect(scratch.url()).await;
    run(&mut connection, "SET SESSION innodb_snapshot_isolation = ON").await;
    run(&mut connection, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ").await;
    for batch in [1, 3] {
        let uuids: Vec<Uuid> = (0..batch).map(|_| Uuid::new_v4()).collect();
        run(&mut connection, "BEGIN").await;
        // The snapshot is taken here.
        number(&mut connection, "SELECT COUNT(*) FROM uuid_map").await.unwrap();
        let ids = map.ids_of(&uuids).await.unwrap();
        match map.ids_of_within(&mut connection, &uuids).await {
            // The server does not refuse every read of the index `unique`, and since 11.4.2 none of the map's.
            Ok(found) => {
                assert_eq!(found, ids);
                assert!(index == Index::Unique || reads_past_snapshots(&mut connection).await);
            }
            Err(error) => {
                let said = error.to_string();
                assert!(said.contains("Record has changed") && said.contains("repeat it"), "{said}");
                assert!(error.is_transient(), "{error}");
                run(&mut connection, "ROLLBACK").await;
                assert!(!reads_past_snapshots(&mut connection).await, "{said}");
            }
        }
        // After a rollback, the transaction can be repeated, as the documentation says.
        run(&mut connection, "ROLLBACK").await;
        run(&mut connection, "BEGIN").await;
        assert_eq!(within(&map, &mut connection, &uuids).await, ids);
        run(&mut connection, "COMMIT").await;
    }
    assert_sound(scratch.url()).await;
}

/// Returns true if a statement can switch the setting off for itself.
async fn reads_past_snapshots(connection: &mut MySqlConnection) -> bool {
    let version = sqlx::query_scalar::<_, String>("SELECT VERSION()").fetch_one(connection).await.unwrap();
    let numbers: Vec<u32> = version.split(['.', '-']).map_while(|part| part.parse().ok()).collect();
    numbers >= vec![11, 4, 2]
}

/// The snapshot still has the pair that was forgotten meanwhile, and not the pair that replaced it.
async fn an_old_snapshot_shows_no_forgotten_id(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    for level in ["REPEATABLE READ", "READ COMMITTED", "SERIALIZABLE"] {
        let mut connection = connect(scratch.url()).await;
        run(&mut connection, format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}")).await;
        let mut uuids = [Uuid::new_v4(), Uuid::new_v4(), Uuid::new_v4()];
        uuids.sort_unstable();
        let old = map.ids_of(&uuids).await.unwrap();
        let mut transaction = connection.begin().await.unwrap();
        // Reads another table, so that the rows of the map are not locked at levels at which every read locks.
        assert_eq!(number(&mut transaction, "SELECT COUNT(*) FROM uuid_map_state").await, Ok(1));
        for uuid in &uuids[..2] {
            map.forget(*uuid).await.unwrap();
        }
        let again = map.id_of(uuids[1]).await.unwrap();
        let ids = within(&map, &mut transaction, &uuids).await;
        assert!(!old.contains(&ids[0]), "{level}: {ids:?} has a forgotten id of {old:?}");
        assert_eq!(ids[1..], [again, old[2]], "{level}");
        assert_eq!(map.id_of_within(&mut transaction, uuids[0]).await.unwrap(), ids[0], "{level}");
        transaction.commit().await.unwrap();
        assert_eq!(map.ids_of(&uuids).await.unwrap(), ids, "{level}");
    }
    assert_eq!(map.check().await.unwrap(), []);
    assert_sound(scratch.url()).await;
}

/// The map's connections go to another server, which still has the pair that was forgotten.
async fn a_lagging_node_shows_no_forgotten_id(database: Database) {
    let TwoNodes { scratch, near, caller, far, _other } = two_nodes(database).await;
    let uuid = Uuid::new_v4();
    let mut connection = connect(caller.url()).await;
    let mut transaction = connection.begin().await.unwrap();
    assert_eq!(number(&mut transaction, "SELECT COUNT(*) FROM uuid_map_state").await, Ok(1));
    let forgotten = near.id_of(uuid).await.unwrap();
    far.import(&[(forgotten, uuid)]).await.unwrap();
    near.forget(uuid).await.unwrap();
    let id = near.id_of(uuid).await.unwrap();
    assert_ne!(id, forgotten);
    assert_eq!(within(&far, &mut transaction, &[uuid]).await, [id]);
    transaction.commit().await.unwrap();
    assert_sound(scratch.url()).await;
}

async fn another_client_waits(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let mut connection = connect(scratch.url()).await;
    let uuid = Uuid::new_v4();
    let mut transaction = connection.begin().await.unwrap();
    let id = map.id_of_within(&mut transaction, uuid).await.unwrap();
    let other = tokio::spawn({
        let map = map.clone();
        async move { map.id_of(uuid).await }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!other.is_finished(), "the other client got an id that may yet be rolled back");
    transaction.commit().await.unwrap();
    assert_eq!(other.await.unwrap().unwrap(), id);
    assert_sound(scratch.url()).await;
}

/// Locking reads of missing rows would make these two deadlock.
async fn two_transactions_with_different_uuids_do_not_wait_for_each_other(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let (mut one, mut two) = (connect(scratch.url()).await, connect(scratch.url()).await);
    let (mut one, mut two) = (one.begin().await.unwrap(), two.begin().await.unwrap());
    for _ in 0..20 {
        map.id_of_within(&mut one, Uuid::new_v4()).await.unwrap();
        map.id_of_within(&mut two, Uuid::new_v4()).await.unwrap();
    }
    one.commit().await.unwrap();
    two.commit().await.unwrap();
    assert_sound(scratch.url()).await;
}

/// This also holds if nothing else is ever called.
async fn claims_of_transactions_are_removed_too(database: Database) {
    let (scratch, map) = map(database, Index::Dedup).await;
    let mut connection = connect(scratch.url()).await;
    // A removal that begins with the last claim of a transaction cannot remove that transaction's own claims.
    for _ in 0..2 {
        let mut transaction = connection.begin().await.unwrap();
        for _ in 0..2000 {
            map.id_of_within(&mut transaction, Uuid::new_v4()).await.unwrap();
        }
        transaction.commit().await.unwrap();
    }
    let claims = "SELECT COUNT(*) FROM uuid_map_claim";
    until(&mut connection, "claims are cleared away", claims, |found| found <= 2000).await;
    assert_sound(scratch.url()).await;
}

/// The map's connections go to another server than the caller's, as on a cluster whose nodes are all in use. That
/// server does not have the pair yet, and the caller's snapshot is older than the pair.
async fn a_pair_is_found_while_a_node_lags(database: Database) {
    let TwoNodes { scratch, near, caller, far, _other } = two_nodes(database).await;
    for claim in ["there", "cleared away"] {
        let uuid = Uuid::new_v4();
        let mut connection = connect(caller.url()).await;
        let mut transaction = connection.begin().await.unwrap();
        assert_eq!(number(&mut transaction, "SELECT COUNT(*) FROM uuid_map_state").await, Ok(1));
        let id = near.id_of(uuid).await.unwrap();
        if claim == "cleared away" {
            run(&mut connect(scratch.url()).await, "DELETE FROM uuid_map_claim").await;
        }
        assert_eq!(within(&far, &mut transaction, &[uuid]).await, [id], "the claim is {claim}");
        transaction.commit().await.unwrap();
    }
    assert_sound(scratch.url()).await;
}

async fn a_batch_is_committed_or_rolled_back_with_the_caller(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let mut connection = connect(scratch.url()).await;
    // More UUIDs than one group has, some of them repeated. Half are known, and a third of these were made after the
    // snapshot.
    let mut uuids: Vec<Uuid> = (0..1200).map(|_| Uuid::new_v4()).collect();
    let mut known = map.ids_of(&uuids[..400]).await.unwrap();
    run(&mut connection, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ").await;
    let mut transaction = connection.begin().await.unwrap();
    assert_eq!(number(&mut transaction, "SELECT COUNT(*) FROM uuid_map").await, Ok(400));
    known.extend(map.ids_of(&uuids[400..600]).await.unwrap());
    uuids.push(uuids[3]);
    let ids = within(&map, &mut transaction, &uuids).await;
    assert_eq!(ids[..600], known);
    assert_eq!(ids[1200], ids[3]);
    let mut distinct = ids[..1200].to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 1200);
    assert_eq!(map.find_many(&uuids[600..]).await.unwrap()[..600], [None; 600]);
    // The transaction knows its own pairs.
    assert_eq!(map.ids_of_within(&mut transaction, &uuids).await.unwrap(), ids);
    transaction.rollback().await.unwrap();
    assert_eq!(map.find(uuids[700]).await.unwrap(), None);
    let mut transaction = connection.begin().await.unwrap();
    // Claims of earlier calls are removed meanwhile, which counts as a change after the snapshot.
    let ids = within(&map, &mut transaction, &uuids).await;
    transaction.commit().await.unwrap();
    assert_eq!(map.ids_of(&uuids).await.unwrap(), ids);
    assert!(map.ids_of_within(&mut connection, &[]).await.unwrap().is_empty());
    assert_sound(scratch.url()).await;
}

/// A claim in an XA transaction counts from `XA COMMIT` on, also if another connection commits it.
async fn a_distributed_transaction_decides(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let mut other = connect(scratch.url()).await;
    for (number, end) in ["COMMIT", "ROLLBACK"].into_iter().enumerate() {
        let xid = format!("'{}{number}'", scratch.name());
        let mut connection = connect(scratch.url()).await;
        let uuids = [Uuid::new_v4(), Uuid::new_v4()];
        run(&mut connection, format!("XA START {xid}")).await;
        let first = map.id_of_within(&mut connection, uuids[0]).await.unwrap();
        let ids = map.ids_of_within(&mut connection, &uuids).await.unwrap();
        assert_eq!(ids[0], first);
        run(&mut connection, format!("XA END {xid}")).await;
        // Neither active nor ended: no claim is possible.
        map.id_of_within(&mut connection, Uuid::new_v4()).await.unwrap_err();
        run(&mut connection, format!("XA PREPARE {xid}")).await;
        map.id_of_within(&mut connection, Uuid::new_v4()).await.unwrap_err();
        assert_eq!(map.find(uuids[1]).await.unwrap(), None);
        connection.close().await.unwrap();
        let waiting = tokio::spawn({
            let map = map.clone();
            async move { map.id_of(uuids[1]).await.unwrap() }
        });
        // The transaction belongs to no connection for a moment after this one is gone (error 1397 or 1399).
        let begin = Instant::now();
        while number_of(&mut other, format!("XA {end} {xid}")).await != 0 {
            assert!(begin.elapsed() < Duration::from_secs(300), "XA {end}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let found = waiting.await.unwrap();
        assert_eq!(found == ids[1], end == "COMMIT");
        assert_eq!(map.ids_of(&uuids).await.unwrap()[1], found);
        assert_ne!(map.id_of(uuids[0]).await.unwrap() == first, end == "ROLLBACK");
    }
    assert_sound(scratch.url()).await;
}

/// The number of a statement's error, or 0.
async fn number_of(connection: &mut MySqlConnection, statement: String) -> u16 {
    let done = sqlx::Executor::execute(connection, sqlx::raw_sql(sqlx::AssertSqlSafe(statement))).await;
    let Err(error) = done else { return 0 };
    error.as_database_error().unwrap().downcast_ref::<sqlx::mysql::MySqlDatabaseError>().number()
}

/// The ALTER TABLE waits for the caller's transaction, and the map's own connection waits for the ALTER TABLE.
async fn an_alter_table_does_not_block_clients(database: Database) {
    let (scratch, map) = map(database, Index::Dedup).await;
    let mut connection = connect(scratch.url()).await;
    let mut transaction = connection.begin().await.unwrap();
    let first = map.id_of_within(&mut transaction, Uuid::from_u128(1)).await.unwrap();
    let mut altering = connect(scratch.url()).await;
    let alteration =
        tokio::spawn(async move { run(&mut altering, "ALTER TABLE uuid_map COMMENT 'altered'").await });
    let mut root = connect(scratch.url()).await;
    let list = connection_list(database);
    let waits = format!(
        "SELECT COUNT(*) FROM {list} WHERE db = '{}' AND state LIKE '%metadata lock%'",
        scratch.name()
    );
    until(&mut root, "ALTER TABLE waits for the transaction", &waits, |found| found == 1).await;
    let second = map.id_of_within(&mut transaction, Uuid::from_u128(2)).await.unwrap();
    assert!(!alteration.is_finished());
    transaction.commit().await.unwrap();
    alteration.await.unwrap();
    assert_eq!(map.id_of(Uuid::from_u128(1)).await.unwrap(), first);
    assert_eq!(map.id_of(Uuid::from_u128(2)).await.unwrap(), second);
    assert_sound(scratch.url()).await;
}

pub fn other_than(database: Database) -> Database {
    of_two(database, Database::MariaDb, Database::MySql)
}

/// Two servers that hold the same map, as two nodes of a cluster.
struct TwoNodes {
    /// The caller's node, and a map that uses it.
    scratch: Scratch,
    near: UuidMap,
    caller: Proxy,
    /// A map that uses the other node.
    far: UuidMap,
    _other: (Scratch, Proxy),
}

async fn two_nodes(database: Database) -> TwoNodes {
    let (scratch, _) = map(database, Index::Dedup).await;
    let (other, other_map) = map(other_than(database), Index::Dedup).await;
    let identity = other_map.map_id().await.unwrap().simple();
    let mut root = connect(scratch.url()).await;
    run(&mut root, format!("UPDATE uuid_map_state SET map_id = x'{identity}'")).await;
    let near = UuidMap::connect(scratch.url()).await.unwrap();
    let (caller, beyond) = (Proxy::start(scratch.url()).await, Proxy::start(other.url()).await);
    caller.set(Mood::OneCluster);
    beyond.set(Mood::OneCluster);
    let far = UuidMap::connect(beyond.url()).await.unwrap();
    TwoNodes { scratch, near, caller, far, _other: (other, beyond) }
}
