//! Tests that this version continues with the data of version 0.1: the tables of the map, of leases and of the sync's
//! log, as `tests/fixtures` keeps them.
//!
//! The files were written once, by [`write`], and are never written again: a later version must read them as they are.

use std::collections::HashMap;
use std::path::PathBuf;

use idgen_mysql::sync::{Change, Sync};
use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Scratch};
use sqlx::{AssertSqlSafe, Executor, MySqlConnection, Row};
use uuid::Uuid;

use crate::common::{connect, map, number, on_both, run, server};
use crate::sync::{APPLIED, REPEATED, apply, child, id, item, list, sync_of, synced_tables};

on_both!(tables_of_version_0_1_go_on);

async fn tables_of_version_0_1_go_on(database: Database) {
    for index in [Index::Unique, Index::Dedup] {
        let file = fixture(database, index);
        if std::env::var_os("IDGEN_WRITE_FIXTURES").is_some() && !file.exists() {
            std::fs::write(&file, write(database, index).await).unwrap();
        }
        let stored = std::fs::read_to_string(&file).unwrap();
        let scratch = server(database).scratch().unwrap();
        run(&mut connect(scratch.url()).await, stored).await;
        goes_on(&scratch, index).await;
    }
}

fn fixture(database: Database, index: Index) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/0.1");
    folder.join(format!("{database}-{index}.sql").to_lowercase())
}

/// The first id after the fence of the fixture.
const FENCE: u64 = 50_000;
/// A device with a lease, and one that has given its number back.
const DEVICES: [u128; 2] = [200, 201];

/// The changes that the fixture's devices sent: a list, an item of it, and a note that refers to an item that has not
/// arrived.
fn sent() -> [Change; 3] {
    let note = Change::put("notes", id(4), 7, [("item_id", id(3).into()), ("list_id", id(1).into())]);
    [note, item(id(2), 1, id(1), "milk"), list(id(1), 1, "shopping")]
}

/// Everything that is stored, as SQL.
async fn write(database: Database, index: Index) -> String {
    let (scratch, map) = map(database, index).await;
    map.ids_of(&[Uuid::nil(), Uuid::max(), id(100), id(101)]).await.unwrap();
    map.fence(FENCE).await.unwrap();
    map.id_of(id(102)).await.unwrap();
    let leases = map.device_leases();
    leases.install().await.unwrap();
    for device in DEVICES {
        leases.lease(id(device)).await.unwrap();
    }
    let lease = leases.lease(id(DEVICES[1])).await.unwrap();
    leases.release(lease.device(), lease.number(), lease.term(), lease.not_before()).await.unwrap();
    let sync = sync_of(&map, scratch.url()).await;
    let mut connection = connect(scratch.url()).await;
    apply(&sync, &mut connection, &sent()).await;
    apply(&sync, &mut connection, &[list(id(5), 1, "old")]).await;
    apply(&sync, &mut connection, &[Change::delete("lists", id(5), 2)]).await;
    map.close().await.unwrap();
    dump(&mut connection).await
}

/// The tables and their rows, bytes as hexadecimal literals.
async fn dump(connection: &mut MySqlConnection) -> String {
    let mut text = String::from("SET foreign_key_checks = 0;\n");
    for table in column(connection, "SHOW TABLES", 0).await {
        text += &column(connection, &format!("SHOW CREATE TABLE `{table}`"), 1).await[0];
        text += ";\n";
        let columns = format!(
            "SELECT column_name, data_type IN ('binary', 'varbinary', 'blob') AS is_binary FROM information_schema.columns \
             WHERE table_schema = DATABASE() AND table_name = '{table}' AND IFNULL(generation_expression, '') = '' ORDER BY ordinal_position"
        );
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for row in connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(columns))).await.unwrap() {
            let name: String = row.try_get_unchecked(0).unwrap();
            values.push(match row.try_get_unchecked::<bool, _>(1).unwrap() {
                true => format!("IFNULL(CONCAT('x''', HEX(`{name}`), ''''), 'NULL')"),
                false => format!("QUOTE(`{name}`)"),
            });
            names.push(name);
        }
        let rows = format!("SELECT CONCAT_WS(', ', {}) FROM `{table}`", values.join(", "));
        for row in column(connection, &rows, 0).await {
            text += &format!("INSERT INTO `{table}` ({}) VALUES ({row});\n", names.join(", "));
        }
    }
    text + "SET foreign_key_checks = 1;\n"
}

async fn column(connection: &mut MySqlConnection, query: &str, place: usize) -> Vec<String> {
    let rows = connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(query.to_owned()))).await.unwrap();
    rows.iter().map(|row| row.try_get_unchecked(place).unwrap()).collect()
}

async fn goes_on(scratch: &Scratch, index: Index) {
    let mut connection = connect(scratch.url()).await;
    let mut stored: HashMap<Uuid, u64> = HashMap::new();
    for row in connection.fetch_all("SELECT uuid, id FROM uuid_map").await.unwrap() {
        stored.insert(Uuid::from_slice(row.get(0)).unwrap(), row.try_get_unchecked(1).unwrap());
    }
    assert!(stored.len() > 8 && stored[&id(102)] >= FENCE && stored[&id(101)] < FENCE, "{stored:?}");

    let map = UuidMap::connect(scratch.url()).await.unwrap();
    assert_eq!((map.index().await.unwrap(), map.check().await.unwrap()), (index, vec![]));
    for (uuid, id) in &stored {
        assert_eq!(map.id_of(*uuid).await.unwrap(), *id);
    }
    let new = map.id_of(id(103)).await.unwrap();
    assert!(stored.values().all(|id| *id < new), "{new}");

    devices_keep_their_numbers(&map, &mut connection).await;
    let sync = map.sync(&synced_tables()).await.unwrap();
    the_log_is_known(&sync, &mut connection, &stored).await;
    // Called again, as each start of a program may.
    map.install().await.unwrap();
    assert_eq!(map.check().await.unwrap(), []);
    map.close().await.unwrap();
}

async fn devices_keep_their_numbers(map: &UuidMap, connection: &mut MySqlConnection) {
    let leases = map.device_leases();
    for device in DEVICES {
        let of_device = format!("FROM uuid_map_lease WHERE device = x'{}'", id(device).simple());
        let had = number(connection, format!("SELECT number {of_device}")).await.unwrap();
        let lease = leases.lease(id(device)).await.unwrap();
        assert_eq!(i64::from(lease.number()), had);
    }
    // The released number begins a new term, which no second of the term before belongs to.
    let again = leases.lease(id(DEVICES[1])).await.unwrap();
    assert_eq!(again.term(), 2);
}

/// Applied changes are not applied again, newer ones are, and the rows that changes waited for arrive.
async fn the_log_is_known(sync: &Sync, connection: &mut MySqlConnection, stored: &HashMap<Uuid, u64>) {
    let answer = apply(sync, connection, &sent()).await;
    assert_eq!(answer.outcomes(), vec![REPEATED; 3]);
    assert!(answer.ids().iter().all(|(uuid, id)| stored[uuid] == *id));
    let deleted = apply(sync, connection, &[list(id(5), 1, "old")]).await;
    assert_eq!(deleted.outcomes().len(), 1);
    assert_eq!(number(connection, "SELECT COUNT(*) FROM lists WHERE title = 'old'").await, Ok(0));
    assert_eq!(sync.open_references(10).await.unwrap().len(), 1);
    let next = [child(id(3), 1, id(1), id(2)), list(id(1), 2, "food")];
    assert_eq!(apply(sync, connection, &next).await.outcomes(), vec![APPLIED; 2]);
    assert_eq!(sync.open_references(10).await.unwrap(), []);
    let joined = format!("SELECT COUNT(*) FROM notes WHERE item_id = {}", stored[&id(3)]);
    assert_eq!(number(connection, joined).await, Ok(1));
}
