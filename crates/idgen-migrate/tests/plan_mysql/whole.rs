//! A whole change while clients change rows: nothing is lost, nothing is doubled, the copy is killed, and steps are undone.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use idgen_migrate::plan::{Options, Target, plan};
use idgen_mysql::Index;
use idgen_server::{Database, Server};
use sqlx::mysql::MySqlConnection;
use sqlx::{Connection, Row};

use crate::cascades::cascades_in_innodb;
use crate::client::Client;
use crate::clients::Clients;
use crate::integers;
use crate::ledger::world::World;
use crate::shop::{Acknowledged, fill, text, texts};

const CLIENTS: usize = 8;

/// Rows of a test, and many times as many in the soak.
fn rows(of_a_test: usize) -> usize {
    if crate::is_soak() { 200_000 } else { of_a_test }
}

#[test]
fn mysql() {
    change(Database::MySql, Target::Binary16, rows(20_000));
}

// `mariadb_uuid` copies on the same server.
#[test]
#[ignore = "minutes: make soak executes it"]
fn mariadb() {
    change(Database::MariaDb, Target::Binary16, rows(20_000));
}

// The copy and the triggers are the same for each target, so fewer rows are enough for the others, and `make test` executes
// only some of them. The test `forms` converts each form of an id to each target on both servers.

#[test]
#[ignore = "minutes: make soak executes it"]
fn mysql_swapped() {
    change(Database::MySql, Target::Swapped, rows(5_000));
}

#[test]
#[ignore = "minutes: make soak executes it"]
fn mariadb_swapped() {
    change(Database::MariaDb, Target::Swapped, rows(5_000));
}

#[test]
fn mariadb_uuid() {
    change(Database::MariaDb, Target::Uuid, rows(5_000));
}

#[test]
fn integers_of_a_map_with_unique_ids_on_mysql() {
    change_with(Database::MySql, Target::Integer, Index::Unique, rows(5_000));
}

#[test]
#[ignore = "minutes: make soak executes it"]
fn integers_of_a_map_with_unique_ids_on_mariadb() {
    change_with(Database::MariaDb, Target::Integer, Index::Unique, rows(5_000));
}

#[test]
#[ignore = "minutes: make soak executes it"]
fn integers_of_a_map_with_hashes_on_mysql() {
    change_with(Database::MySql, Target::Integer, Index::Dedup, rows(5_000));
}

#[test]
#[ignore = "minutes: make soak executes it"]
fn integers_of_a_map_with_hashes_on_mariadb() {
    change_with(Database::MariaDb, Target::Integer, Index::Dedup, rows(5_000));
}

fn change(database: Database, to: Target, rows: usize) {
    change_with(database, to, Index::Unique, rows);
}

/// `index` is that of the map, for integers.
fn change_with(database: Database, to: Target, index: Index, rows: usize) {
    let server = Server::start(database, &cascades_in_innodb(database)).unwrap();
    let World { client, scratch, folder } = World::new(&server);
    let url = scratch.url().to_owned();
    crate::workers(2).block_on(async {
        let rows = fill(&url, CLIENTS, rows, to).await;
        let is_integer = to == Target::Integer;
        let map = integers::map_for(to, &url, index, &rows).await;
        let options = Options { keep_text: !is_integer, ..Options::new("orders", to) };
        let made = plan(&url, &options).await.unwrap();
        println!("{database}: {made}");
        made.write(folder.path()).unwrap();
        let clients = Clients::start(&server, &url, rows, to, map.clone()).await;
        tokio::task::block_in_place(|| execute_plan(&client, &url, &clients));
        let (acknowledged, changes, answers) = clients.end().await;
        assert!(changes > 200, "{changes} changes are too few for a test");
        acknowledged.assert_equal(&Acknowledged::read(&url, "", to).await, "the new tables");
        acknowledged
            .assert_equal(&Acknowledged::read(&url, &client.made("", "old"), to).await, "the old tables");
        tokio::task::block_in_place(|| {
            client.must(&named(&client, "verify-renamed"));
            client.must(&named(&client, "finish"));
        });
        acknowledged.assert_equal(&Acknowledged::read(&url, "", to).await, "after the last step");
        assert_eq!(left(&url).await, Vec::<String>::new());
        if !is_integer {
            assert_texts(&url, &acknowledged).await;
        }
        if let Some(map) = map {
            if index == Index::Dedup {
                integers::assert_no_claims(&url).await;
            }
            integers::assert_of_the_map(&url, &map, &answers).await;
        }
    });
}

/// The old texts of `--keep-text`.
async fn assert_texts(url: &str, expected: &Acknowledged) {
    let mut connection = MySqlConnection::connect(url).await.unwrap();
    let sql = "SELECT id_text, customer_id_text FROM orders";
    let rows = sqlx::raw_sql(sql).fetch_all(&mut connection).await.unwrap();
    let cell = |row: &sqlx::mysql::MySqlRow, at: usize| {
        String::from_utf8(row.try_get_unchecked::<Vec<u8>, _>(at).unwrap()).unwrap()
    };
    let found: BTreeMap<_, _> = rows.iter().map(|row| (cell(row, 0), cell(row, 1))).collect();
    let orders = expected.orders.iter();
    let expected: BTreeMap<_, _> = orders.map(|(id, row)| (text(*id), text(row.0.unwrap()))).collect();
    assert_eq!(found, expected);
}

pub fn named(client: &Client, step: &str) -> String {
    client.files("").into_iter().find(|file| file[3..] == format!("{step}.sql")).unwrap()
}

/// All steps before the last: undone as a whole once, and after the renaming once.
fn execute_plan(client: &Client, url: &str, clients: &Clients) {
    let runtime = tokio::runtime::Handle::current();
    let files = client.files("");
    let rename = named(client, "rename");
    let before: Vec<_> = files.iter().take_while(|file| **file != rename).collect();
    for pass in 0..2 {
        for file in &before {
            if file.contains("-copy-") {
                for _ in 0..3 {
                    let after = Duration::from_millis(fastrand::u64(150..900));
                    clients.kill_while_it_runs(client, file, after);
                }
            }
            let begin = Instant::now();
            client.must(file);
            println!("{file}: {:.1} s", begin.elapsed().as_secs_f64());
            if pass == 1 && file.ends_with("triggers-orders.sql") {
                runtime.block_on(integers::use_up_the_block(url, client));
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
    clients.may_be_renamed();
    client.must(&rename);
    std::thread::sleep(Duration::from_secs(1));
    client.must(&named(client, "verify-renamed"));
    client.must(&format!("undo/{rename}"));
    std::thread::sleep(Duration::from_secs(1));
    client.must(&named(client, "verify"));
    client.must(&rename);
    std::thread::sleep(Duration::from_secs(1));
}

/// Tables, triggers and procedures of the plan.
pub async fn left(url: &str) -> Vec<String> {
    let mut connection = MySqlConnection::connect(url).await.unwrap();
    let sql = "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() \
               AND (TABLE_NAME LIKE 'idgen|_%' ESCAPE '|' OR TABLE_NAME RLIKE '_[a-z][a-z0-9]{7}_(new|old|at)$') \
               UNION ALL SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() \
               UNION ALL SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE()";
    texts(&mut connection, sql).await
}
