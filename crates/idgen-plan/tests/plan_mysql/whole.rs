//! A whole change while clients change rows: nothing is lost, nothing is doubled, the copy is killed, and steps are undone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use idgen_mysql::Index;
use idgen_plan::{Options, Target, plan};
use idgen_server::{Database, Server};
use sqlx::mysql::MySqlConnection;
use sqlx::{Connection, Row};

use crate::cascades::cascades_in_innodb;
use crate::changer::Changer;
use crate::client::{Client, result};
use crate::integers;
use crate::shop::{Acknowledged, execute, fill};

const CLIENTS: usize = 8;

/// The soak has ten times as many rows as the test.
fn rows() -> usize {
    std::env::var("IDGEN_SOAK_OPERATIONS").map_or(20_000, |text| text.parse().unwrap())
}

#[test]
fn mysql() {
    change(Database::MySql, Target::Binary16);
}

#[test]
fn mariadb() {
    change(Database::MariaDb, Target::Binary16);
}

#[test]
fn integers_of_a_map_with_unique_ids_on_mysql() {
    change_with(Database::MySql, Target::Integer, Index::Unique);
}

#[test]
fn integers_of_a_map_with_unique_ids_on_mariadb() {
    change_with(Database::MariaDb, Target::Integer, Index::Unique);
}

#[test]
fn integers_of_a_map_with_hashes_on_mysql() {
    change_with(Database::MySql, Target::Integer, Index::Dedup);
}

#[test]
fn integers_of_a_map_with_hashes_on_mariadb() {
    change_with(Database::MariaDb, Target::Integer, Index::Dedup);
}

fn change(database: Database, to: Target) {
    change_with(database, to, Index::Unique);
}

/// `index` is that of the map, for integers.
fn change_with(database: Database, to: Target, index: Index) {
    let server = Server::start(database, &cascades_in_innodb(database)).unwrap();
    let scratch = server.scratch().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let url = scratch.url().to_owned();
    let client = Client::new(&server, scratch.name(), folder.path());
    runtime.block_on(async {
        let rows = fill(&url, CLIENTS, rows()).await;
        let is_integer = to == Target::Integer;
        let map = match is_integer {
            true => Some(integers::map(&url, index, &rows).await),
            false => None,
        };
        let options = Options { keep_text: !is_integer, ..Options::new("orders", to) };
        plan(&url, &options).await.unwrap().write(folder.path()).unwrap();
        let (stop, renamed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (mut changers, mut connections) = (Vec::new(), Vec::new());
        for (seed, rows) in rows.into_iter().enumerate() {
            let (changer, connection) =
                Changer::open(&url, rows, seed as u64, Arc::clone(&renamed), map.clone()).await;
            connections.push(connection);
            let stop = Arc::clone(&stop);
            changers.push(tokio::spawn(async move { changer.run(&stop).await }));
        }
        tokio::task::block_in_place(|| execute_plan(&client, &url, &connections, &renamed));
        stop.store(true, Ordering::Relaxed);
        let mut acknowledged = Acknowledged::default();
        let mut answers = std::collections::HashMap::new();
        let (mut changes, mut refused) = (0, std::collections::BTreeMap::new());
        for changer in changers {
            let changer = changer.await.unwrap();
            changes += changer.changes;
            changer.refused.iter().for_each(|(code, times)| *refused.entry(*code).or_insert(0) += times);
            acknowledged.add(changer.acknowledged);
            answers.extend(changer.integers);
        }
        println!("{database}: {changes} changes acknowledged, refused by code: {refused:?}");
        // A value of the other type, before and after the renaming; a deadlock. Nothing else may be refused.
        let known: &[u16] = match (is_integer, database) {
            (false, _) => &[1048, 1205, 1213, 1366, 1406, 1411, 1452],
            // A column that is not there or has no value, and an integer that is not the one of the id.
            (true, Database::MySql) => &[1054, 1205, 1213, 1364, 1644],
            // While the renaming waits, MariaDB tells some statements that a table of their triggers does not exist.
            (true, _) => &[1054, 1146, 1205, 1213, 1364, 1644],
        };
        assert!(refused.keys().all(|code| known.contains(code)), "{refused:?}");
        assert!(changes > 200, "{changes} changes are too few for a test");
        acknowledged.assert_equal(&Acknowledged::read(&url, "", is_integer).await, "the new tables");
        acknowledged.assert_equal(&Acknowledged::read(&url, "_plan_old", false).await, "the old tables");
        tokio::task::block_in_place(|| {
            client.must(&named(&client, "verify-renamed"));
            client.must(&named(&client, "finish"));
        });
        acknowledged.assert_equal(&Acknowledged::read(&url, "", is_integer).await, "after the last step");
        assert_eq!(left(&url).await, Vec::<String>::new());
        if let Some(map) = map {
            integers::assert_of_the_map(&url, &map, &answers).await;
        }
    });
}

fn named(client: &Client, step: &str) -> String {
    client.files("").into_iter().find(|file| file[3..] == format!("{step}.sql")).unwrap()
}

/// All steps before the last: undone as a whole once, and after the renaming once.
fn execute_plan(client: &Client, url: &str, connections: &[u64], renamed: &AtomicBool) {
    let runtime = tokio::runtime::Handle::current();
    let files = client.files("");
    let rename = named(client, "rename");
    let before: Vec<_> = files.iter().take_while(|file| **file != rename).collect();
    for pass in 0..2 {
        for file in &before {
            if file.contains("-copy-") {
                for _ in 0..3 {
                    kill_while_it_runs(client, file, url, connections, &runtime);
                }
            }
            client.must(file);
            if pass == 1 && file.ends_with("triggers-orders.sql") {
                runtime.block_on(integers::use_up_the_block(url));
            }
        }
        if pass == 0 {
            let undo = client.files("undo");
            undo.iter()
                .rev()
                .filter(|file| **file < rename)
                .for_each(|file| drop(client.must(&format!("undo/{file}"))));
        }
    }
    let verify = named(client, "verify");
    renamed.store(true, Ordering::Relaxed);
    client.must(&rename);
    std::thread::sleep(Duration::from_secs(1));
    client.must(&named(client, "verify-renamed"));
    client.must(&format!("undo/{rename}"));
    std::thread::sleep(Duration::from_secs(1));
    client.must(&verify);
    client.must(&rename);
    std::thread::sleep(Duration::from_secs(1));
}

/// Kills the connection of the server's client after a while, if it still runs.
fn kill_while_it_runs(
    client: &Client,
    file: &str,
    url: &str,
    connections: &[u64],
    runtime: &tokio::runtime::Handle,
) {
    let child = client.start(file);
    std::thread::sleep(Duration::from_millis(fastrand::u64(150..900)));
    runtime.block_on(async {
        let mut own = MySqlConnection::connect(url).await.unwrap();
        let kept: Vec<_> = connections.iter().map(u64::to_string).collect();
        // MySQL's information_schema cannot show statements with the bytes of the map's clients (error 3854).
        let version: String = sqlx::query_scalar("SELECT VERSION()").fetch_one(&mut own).await.unwrap();
        let [list, id, schema] = match version.contains("MariaDB") {
            true => ["information_schema.PROCESSLIST", "ID", "DB"],
            false => ["performance_schema.threads", "PROCESSLIST_ID", "PROCESSLIST_DB"],
        };
        let sql = format!(
            "SELECT CAST({id} AS CHAR) FROM {list} WHERE {schema} = DATABASE() AND {id} <> CONNECTION_ID() AND {id} NOT IN ({})",
            kept.join(", ")
        );
        for row in sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).fetch_all(&mut own).await.unwrap() {
            let id = String::from_utf8(row.try_get_unchecked::<Vec<u8>, _>(0).unwrap()).unwrap();
            // It may have ended by itself.
            let _ = execute(&mut own, &format!("KILL {id}")).await;
        }
    });
    let _ = result(child.wait_with_output().unwrap());
}

/// Tables, triggers and procedures of the plan.
async fn left(url: &str) -> Vec<String> {
    let mut connection = MySqlConnection::connect(url).await.unwrap();
    let sql = "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '%plan%' \
               UNION ALL SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() \
               UNION ALL SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE()";
    let rows = sqlx::raw_sql(sql).fetch_all(&mut connection).await.unwrap();
    rows.iter()
        .map(|row| String::from_utf8(row.try_get_unchecked::<Vec<u8>, _>(0).unwrap()).unwrap())
        .collect()
}
