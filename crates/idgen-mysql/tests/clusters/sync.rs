//! The sync on a cluster: two nodes apply changes of the same rows at the same time.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use idgen_mysql::sync::{Change, Outcome, Sync, Table, Value};
use idgen_mysql::{Index, UuidMap};
use idgen_server::{Cluster, Wait};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, Row};
use uuid::Uuid;

use crate::replicated::{TIMEOUT, urls};

const BATCHES: usize = 40;
const ROWS: usize = 5;
const SCHEMA: [&str; 3] = [
    "CREATE DATABASE synced",
    "CREATE TABLE synced.lists (id BIGINT UNSIGNED PRIMARY KEY, title VARCHAR(20) NOT NULL)",
    "CREATE TABLE synced.items (id BIGINT UNSIGNED PRIMARY KEY, title VARCHAR(20) NOT NULL, list_id BIGINT UNSIGNED NULL, \
     FOREIGN KEY (list_id) REFERENCES synced.lists (id))",
];

/// The changes that were made so far, and the rows that they are of.
struct Devices {
    lists: Vec<Uuid>,
    items: Vec<Uuid>,
    newest: Mutex<BTreeMap<Uuid, Change>>,
}

impl Devices {
    fn change(&self, random: &mut fastrand::Rng) -> Change {
        let (list, item) = (self.lists[random.usize(..ROWS)], self.items[random.usize(..ROWS)]);
        let mut newest = self.newest.lock().unwrap();
        let number = |row| newest.get(&row).map_or(1, |change: &Change| change.number + 1);
        let title = |number: u64| ("title", number.to_string().as_str().into());
        let change = match random.bool() {
            true => Change::put("lists", list, number(list), [title(number(list))]),
            false => {
                Change::put("items", item, number(item), [title(number(item)), ("list_id", list.into())])
            }
        };
        newest.insert(if change.table == "lists" { list } else { item }, change.clone());
        change
    }
}

/// Applies batches, and repeats each until the node has committed it.
async fn send(devices: &Devices, sync: &Sync, url: &str, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut connection = MySqlConnection::connect(url).await.unwrap();
    for _ in 0..BATCHES {
        let batch: Vec<Change> = (0..4).map(|_| devices.change(&mut random)).collect();
        let wait = Wait::until("the node commits a batch");
        loop {
            wait.check();
            // On a busy machine, the node may leave the cluster for a moment.
            let Ok(mut transaction) = connection.begin().await else {
                tokio::time::sleep(Duration::from_millis(50)).await;
                if let Ok(again) = MySqlConnection::connect(url).await {
                    connection = again;
                }
                continue;
            };
            match sync.apply(&mut transaction, &batch).await {
                Ok(answer) if transaction.commit().await.is_ok() => {
                    let is_done = |outcome: &Outcome| {
                        matches!(outcome, Outcome::Applied { .. } | Outcome::Older { .. })
                    };
                    assert!(answer.outcomes().iter().all(is_done), "{:?}", answer.outcomes());
                    break;
                }
                // The cluster rolled it back.
                Ok(_) => {}
                Err(error) => assert!(error.is_transient(), "{error}"),
            }
        }
    }
}

/// The tables have the newest change of each row, whichever node it came to, and each reference.
pub async fn newest_changes_win(cluster: &Cluster) {
    let mut root = MySqlConnection::connect(&cluster.url(0)).await.unwrap();
    for statement in SCHEMA {
        root.execute(AssertSqlSafe(statement.to_owned())).await.unwrap();
    }
    let urls = urls(cluster, 0, "synced");
    let tables = [Table::new("lists"), Table::new("items")];
    let mut syncs = Vec::new();
    for url in &urls[..2] {
        let builder = UuidMap::builder().index(Index::Unique).cache(0).timeout(TIMEOUT);
        let map = builder.connect_any([url.clone()]).await.unwrap();
        map.install().await.unwrap();
        map.install_sync().await.unwrap();
        syncs.push((map.sync(&tables).await.unwrap(), map));
    }
    let uuids = || (0..ROWS).map(|_| Uuid::new_v4()).collect();
    let devices = Devices { lists: uuids(), items: uuids(), newest: Mutex::default() };
    tokio::join!(send(&devices, &syncs[0].0, &urls[0], 1), send(&devices, &syncs[1].0, &urls[1], 2));
    let newest = devices.newest.into_inner().unwrap();
    let map = &syncs[0].1;
    for (row, change) in &newest {
        let id = map.find(*row).await.unwrap().expect("an integer of each row");
        let list = match change.values.get("list_id") {
            Some(Value::Text(list)) if newest.contains_key(&list.parse().unwrap()) => {
                map.find(list.parse().unwrap()).await.unwrap()
            }
            _ => None,
        };
        let column = if change.table == "lists" { "NULL" } else { "list_id" };
        let read = format!(
            "SELECT COUNT(*) FROM {} WHERE id = {id} AND title = '{}' AND {column} <=> {}",
            change.table,
            change.number,
            list.map_or("NULL".to_owned(), |list| list.to_string())
        );
        for url in &urls {
            let mut connection = MySqlConnection::connect(url).await.unwrap();
            // A node may still be applying what another one has committed.
            let wait = Wait::until(format!("{change:?} is on each node: {read}"));
            while connection
                .fetch_one(sqlx::raw_sql(AssertSqlSafe(read.clone())))
                .await
                .unwrap()
                .get::<i64, _>(0)
                == 0
            {
                wait.check();
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
}
