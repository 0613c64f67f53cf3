//! Tests claims on a caller's connection whose session has unusual settings: the map gives the right id, or an error.

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Server};
use sqlx::MySqlConnection;
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, number, on_both, run, settings};

everywhere!(settings_of_the_caller_give_no_second_id);
on_both!(a_cold_index_is_read);

const SETTINGS: &[&str] = &[
    "SET unique_checks = 0, foreign_key_checks = 0",
    "SET sql_mode = ''",
    "SET sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES,NO_AUTO_VALUE_ON_ZERO,HIGH_NOT_PRECEDENCE'",
    "SET sql_mode = 'TRADITIONAL,NO_UNSIGNED_SUBTRACTION'",
    "SET sql_select_limit = 1",
    "SET sql_safe_updates = 1, sql_auto_is_null = 1",
    "SET max_join_size = 1, sql_big_selects = 0",
    "SET sql_buffer_result = 1, big_tables = 1",
    "SET sql_quote_show_create = 0",
    "SET character_set_results = NULL",
    "SET character_set_results = binary",
    "SET character_set_results = ucs2",
    "SET character_set_results = utf16",
    "SET character_set_connection = ucs2",
    "SET character_set_client = latin1, collation_connection = latin1_bin",
    "SET insert_id = 7, last_insert_id = 7, timestamp = 1",
    "SET auto_increment_increment = 7, auto_increment_offset = 3",
    "SET innodb_lock_wait_timeout = 1, lock_wait_timeout = 1",
    "SET completion_type = 1",
    "SET autocommit = 0",
    "SET div_precision_increment = 0, time_zone = '+13:00'",
];

const MARIADB: &[&str] = &[
    "SET sql_mode = 'ORACLE'",
    "SET sql_mode = 'MSSQL,EMPTY_STRING_IS_NULL,SIMULTANEOUS_ASSIGNMENT'",
    "SET sql_mode = 'PAD_CHAR_TO_FULL_LENGTH'",
    "SET max_statement_time = 30, idle_transaction_timeout = 60",
    "SET tx_isolation = 'READ-UNCOMMITTED', sql_if_exists = 1",
    "SET optimizer_switch = 'mrr=on,mrr_sort_keys=on,join_cache_bka=on,rowid_filter=off', join_cache_level = 8",
];

const MYSQL: &[&str] = &[
    "SET transaction_isolation = 'READ-UNCOMMITTED'",
    "SET optimizer_switch = 'mrr=on,mrr_cost_based=off,batched_key_access=on,use_invisible_indexes=on'",
    "SET sql_generate_invisible_primary_key = 1, print_identified_with_as_hex = 1",
    "SET show_create_table_skip_secondary_engine = 1, explicit_defaults_for_timestamp = 0",
    "SET windowing_use_high_precision = 0, max_execution_time = 30000",
];

async fn settings_of_the_caller_give_no_second_id(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    // Another client, which has nothing in its cache.
    let witness = UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
    let of_server = if database == Database::MySql { MYSQL } else { MARIADB };
    for setting in SETTINGS.iter().chain(of_server) {
        let mut connection = connect(scratch.url()).await;
        run(&mut connection, *setting).await;
        for _ in 0..2 {
            claims(&map, &witness, &mut connection, setting).await;
        }
    }
    assert_sound(scratch.url()).await;
}

/// Claims known and new UUIDs of both kinds of calls, commits, and compares with what another client finds.
async fn claims(map: &UuidMap, witness: &UuidMap, connection: &mut MySqlConnection, setting: &str) {
    let known = [Uuid::new_v4(), Uuid::new_v4()];
    let ids = witness.ids_of(&known).await.unwrap();
    let new: Vec<Uuid> = (0..4).map(|_| Uuid::new_v4()).collect();
    // In the mode ORACLE, BEGIN begins a block.
    run(connection, "START TRANSACTION").await;
    let work = async {
        let mut found = vec![(known[0], map.id_of_within(connection, known[0]).await?)];
        for uuid in &new[..2] {
            for _ in 0..2 {
                found.push((*uuid, map.id_of_within(connection, *uuid).await?));
            }
        }
        let batch = [known[1], new[1], new[2], new[3], known[0]];
        found.extend(batch.into_iter().zip(map.ids_of_within(connection, &batch).await?));
        Ok::<_, idgen_mysql::Error>(found)
    };
    let found = match work.await {
        Ok(found) => found,
        Err(error) => {
            println!("{setting}: {error}");
            run(connection, "ROLLBACK").await;
            assert_eq!(witness.find_many(&new).await.unwrap(), [None; 4], "{setting}");
            return;
        }
    };
    run(connection, "COMMIT").await;
    for (uuid, id) in found {
        assert_eq!(witness.id_of(uuid).await.unwrap(), id, "{setting}");
    }
    assert_eq!(witness.ids_of(&known).await.unwrap(), ids, "{setting}");
}

/// Without `unique_checks`, InnoDB buffers the insert into a page of a unique index that is not in memory, and does not look
/// for the key.
async fn a_cold_index_is_read(database: Database) {
    let settings = settings().buffer_pool_mib(6).option("innodb_change_buffering", "all");
    let server = Server::start(database, &settings).unwrap();
    let scratch = server.scratch().unwrap();
    let map = UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
    map.install().await.unwrap();
    let mut root = connect(scratch.url()).await;
    let pairs = "INSERT INTO uuid_map (id, uuid) SELECT id + (SELECT MAX(id) FROM uuid_map), \
        UNHEX(LEFT(SHA2(id + (SELECT MAX(id) FROM uuid_map), 256), 32)) FROM uuid_map";
    run(&mut root, "INSERT INTO uuid_map (id, uuid) VALUES (1, UNHEX(LEFT(SHA2(1, 256), 32)))").await;
    for _ in 0..17 {
        run(&mut root, pairs).await;
    }
    let next = number(&mut root, "SELECT MAX(id) + 1 FROM uuid_map").await.unwrap();
    run(&mut root, format!("UPDATE uuid_map_state SET next_id = {next}")).await;
    let mut caller = connect(scratch.url()).await;
    run(&mut caller, "SET unique_checks = 0, foreign_key_checks = 0").await;
    for id in (1..next).step_by(2003) {
        let uuid = map.uuid_of(id as u64).await.unwrap().unwrap();
        run(&mut caller, "START TRANSACTION").await;
        assert_eq!(map.id_of_within(&mut caller, uuid).await.unwrap(), id as u64);
        run(&mut caller, "COMMIT").await;
    }
    for id in (7..next).step_by(4001) {
        let uuid = map.uuid_of(id as u64).await.unwrap().unwrap();
        run(&mut caller, "START TRANSACTION").await;
        let ids = map.ids_of_within(&mut caller, &[uuid, Uuid::new_v4()]).await.unwrap();
        assert_eq!(ids[0], id as u64);
        run(&mut caller, "COMMIT").await;
    }
    assert_sound(scratch.url()).await;
}
