//! Devices whose changes arrive in any order, more than once, at several servers at the same time, while transactions
//! fail. A checker compares the tables with the logs of the devices alone.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use idgen_mysql::sync::{Answer, Change, Operation, Outcome, Sync, Value};
use idgen_mysql::{DeviceLeases, Index, UuidMap};
use idgen_server::{Database, Server, Wait};
use sqlx::{Connection, MySqlConnection, Row};
use uuid::Uuid;

use crate::common::{connect, everywhere, kill_and_start_again, on_both, run, settings};
use crate::sync::{Synced, sync, sync_of};

everywhere!(every_change_arrives_exactly_once);
on_both!(the_checker_finds_each_fault, a_database_that_is_killed_loses_nothing);

/// The records of the devices: each change, and the integers in the answers.
#[derive(Clone, Default)]
struct Logs {
    changes: Vec<Change>,
    told: HashMap<Uuid, u64>,
}

/// A device's rows: a list, items in a tree, and notes about them, with later changes and deletions.
fn device(random: &mut fastrand::Rng) -> Vec<Change> {
    let list = Uuid::new_v4();
    let mut changes = vec![
        Change::put("lists", list, 1, [("title", list.simple().to_string()[..20].into())]),
        Change::put("lists", list, 2, [("title", list.simple().to_string()[12..].into())]),
    ];
    let mut items: Vec<Uuid> = Vec::new();
    for _ in 0..8 {
        let item = Uuid::new_v4();
        let parent =
            items.get(random.usize(..items.len() + 1)).map_or(Value::Null, |parent| (*parent).into());
        for number in 1..=random.u64(1..4) {
            let text = Value::Text(format!("{item} {number}"));
            changes.push(Change::put(
                "items",
                item,
                number,
                [("list_id", list.into()), ("parent_id", parent.clone()), ("text", text)],
            ));
        }
        let note = Uuid::new_v4();
        let references = [("item_id", item.into()), ("list_id", list.into())];
        changes.push(Change::put("notes", note, 1, references));
        if random.bool() {
            changes.push(Change::delete("notes", note, 2));
        }
        items.push(item);
    }
    changes
}

/// The result of an attempt, as a device notices it.
enum Attempt {
    Answered(Answer),
    /// The batch was rolled back, or its answer was lost.
    Lost,
    /// The server was killed, before the commit or after it.
    Disconnected,
}

/// A quarter of the transactions are rolled back, and the answers of another quarter are lost.
async fn attempt(sync: &Sync, connection: &mut MySqlConnection, batch: &[Change], fate: u8) -> Attempt {
    let Ok(mut transaction) = connection.begin().await else { return Attempt::Disconnected };
    match sync.apply(&mut transaction, batch).await {
        Ok(answer) => {
            let ended = if fate == 0 { transaction.rollback().await } else { transaction.commit().await };
            match (ended, fate) {
                (Err(_), _) => Attempt::Disconnected,
                (Ok(()), 0 | 1) => Attempt::Lost,
                (Ok(()), _) => Attempt::Answered(answer),
            }
        }
        Err(error) => {
            assert!(error.is_transient(), "{error}");
            if transaction.rollback().await.is_ok() { Attempt::Lost } else { Attempt::Disconnected }
        }
    }
}

/// Waits until the server is back.
async fn reconnect(url: &str) -> MySqlConnection {
    let wait = Wait::until("the server is back");
    loop {
        wait.check();
        match MySqlConnection::connect(url).await {
            Ok(connection) => return connection,
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Sends a device's changes until all are applied, or are older than applied ones.
async fn send(
    sync: Sync,
    url: String,
    mut changes: Vec<Change>,
    mut random: fastrand::Rng,
) -> HashMap<Uuid, u64> {
    let mut connection = reconnect(&url).await;
    let (mut told, mut done) = (HashMap::new(), Vec::new());
    for _ in 0..20_000 {
        if changes.is_empty() {
            return told;
        }
        random.shuffle(&mut changes);
        let mut batch: Vec<Change> = changes[..random.usize(1..=changes.len().min(9))].to_vec();
        // Changes whose answers were lost.
        batch.extend(done.get(random.usize(..done.len() + 1)).cloned());
        let answer = match attempt(&sync, &mut connection, &batch, random.u8(..4)).await {
            Attempt::Answered(answer) => answer,
            Attempt::Lost => continue,
            Attempt::Disconnected => {
                connection = reconnect(&url).await;
                continue;
            }
        };
        for (uuid, id) in answer.ids() {
            assert_eq!(*told.entry(*uuid).or_insert(*id), *id, "{uuid}");
        }
        for (change, outcome) in batch.iter().zip(answer.outcomes()) {
            match outcome {
                Outcome::Applied { .. } | Outcome::Older { .. } => {
                    changes.retain(|left| left != change);
                    done.push(change.clone());
                }
                Outcome::Waits { .. } | Outcome::Blocked { .. } => {}
                Outcome::Refused(reason) => panic!("{change:?}: {reason}"),
            }
        }
    }
    panic!("{} changes were not applied", changes.len());
}

/// Lists the errors in the tables, by the logs of the devices.
async fn check(connection: &mut MySqlConnection, logs: &Logs) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut uuids: HashMap<u64, Uuid> = HashMap::new();
    for row in sqlx::query("SELECT id, uuid FROM uuid_map").fetch_all(&mut *connection).await.unwrap() {
        let (id, uuid): (u64, Vec<u8>) = (row.get(0), row.get(1));
        uuids.insert(id, Uuid::from_slice(&uuid).unwrap());
    }
    for (uuid, id) in &logs.told {
        if uuids.get(id) != Some(uuid) {
            wrong.push(format!("a device was told {id} for {uuid}"));
        }
    }
    let mut newest: BTreeMap<(&str, Uuid), &Change> = BTreeMap::new();
    for change in &logs.changes {
        let key = (change.table.as_str(), change.row.parse().unwrap());
        let entry = newest.entry(key).or_insert(change);
        if change.number > entry.number {
            *entry = change;
        }
    }
    for (table, statement) in [
        ("lists", "SELECT id, title, NULL, NULL FROM lists"),
        ("items", "SELECT id, text, list_id, parent_id FROM items"),
        ("notes", "SELECT id, NULL, list_id, item_id FROM notes"),
    ] {
        let mut seen: HashMap<Uuid, usize> = HashMap::new();
        for row in sqlx::query(statement).fetch_all(&mut *connection).await.unwrap() {
            let (id, text): (u64, Option<String>) = (row.get(0), row.get(1));
            let targets: [Option<u64>; 2] = [row.get(2), row.get(3)];
            let Some(uuid) = uuids.get(&id) else {
                wrong.push(format!("{table} has the row {id}, which has no UUID"));
                continue;
            };
            *seen.entry(*uuid).or_default() += 1;
            let Some(change) =
                newest.get(&(table, *uuid)).filter(|change| change.operation == Operation::Put)
            else {
                wrong.push(format!("{table} has {uuid}, which no device has"));
                continue;
            };
            let named = |column: &str| match change.values.get(column) {
                Some(Value::Text(text)) => Some(text.clone()),
                _ => None,
            };
            let targets = targets.map(|target| {
                target.map(|id| uuids.get(&id).map_or_else(|| "an orphan".to_owned(), Uuid::to_string))
            });
            let is = match table {
                "lists" => text == named("title"),
                "items" => text == named("text") && targets == [named("list_id"), named("parent_id")],
                _ => targets == [named("list_id"), named("item_id")],
            };
            if !is {
                wrong.push(format!("{table} has other values of {uuid}: {text:?} {targets:?}"));
            }
        }
        for ((_, uuid), change) in newest.range((table, Uuid::nil())..=(table, Uuid::max())) {
            let count = seen.get(uuid).copied().unwrap_or(0);
            let expected = usize::from(change.operation == Operation::Put);
            if count != expected {
                wrong.push(format!("{table} has {uuid} {count} times"));
            }
        }
    }
    let orphans = "SELECT (SELECT COUNT(*) FROM items i LEFT JOIN lists l ON l.id = i.list_id WHERE l.id IS NULL) \
        + (SELECT COUNT(*) FROM notes n LEFT JOIN lists l ON l.id = n.list_id WHERE l.id IS NULL) \
        + (SELECT COUNT(*) FROM uuid_map_open)";
    let count: i64 = sqlx::query_scalar(orphans).fetch_one(&mut *connection).await.unwrap();
    if count > 0 {
        wrong.push(format!("{count} references lead nowhere, or are still open"));
    }
    wrong
}

/// Runs devices, each of which is served by two servers at once, and returns the logs.
async fn simulate(sync: &Sync, url: &str, devices: usize) -> Logs {
    let mut random = fastrand::Rng::with_seed(7);
    let (mut logs, mut tasks) = (Logs::default(), Vec::new());
    for _ in 0..devices {
        let changes = device(&mut random);
        logs.changes.extend(changes.iter().cloned());
        for _ in 0..2 {
            let (sync, url, changes, random) = (sync.clone(), url.to_owned(), changes.clone(), random.fork());
            tasks.push(tokio::spawn(send(sync, url, changes, random)));
        }
    }
    for task in tasks {
        for (uuid, id) in task.await.unwrap() {
            assert_eq!(*logs.told.entry(uuid).or_insert(id), id, "devices see the same integers");
        }
    }
    logs
}

async fn every_change_arrives_exactly_once(database: Database, index: Index) {
    let Synced { scratch, map, sync, mut connection } = sync(database, index).await;
    let logs = simulate(&sync, scratch.url(), setting("IDGEN_SYNC_DEVICES", 4)).await;
    assert_eq!(check(&mut connection, &logs).await, Vec::<String>::new());
    assert_eq!(map.check().await.unwrap(), []);
}

/// Otherwise its silence would say nothing.
async fn the_checker_finds_each_fault(database: Database) {
    let Synced { scratch, sync, mut connection, .. } = sync(database, Index::Unique).await;
    let logs = simulate(&sync, scratch.url(), 1).await;
    assert_eq!(check(&mut connection, &logs).await, Vec::<String>::new());
    for (fault, words) in [
        // Lost, twice, of nobody, with the values of another change, an orphan, a deleted row that is back.
        ("DELETE FROM notes LIMIT 1", "0 times"),
        (
            "INSERT INTO notes SELECT id + 1000000, item_id, list_id, score, data FROM notes LIMIT 1",
            "no UUID",
        ),
        ("UPDATE items SET text = 'older' LIMIT 1", "other values"),
        ("UPDATE notes SET item_id = NULL LIMIT 1", "other values"),
        ("UPDATE notes SET list_id = 999999 LIMIT 1", "lead nowhere"),
        ("INSERT INTO uuid_map_open VALUES ('notes', 1, 'item_id', 'items', 2, 3)", "still open"),
        ("UPDATE uuid_map SET uuid = x'01900000000070008000000000000001' LIMIT 1", "a device was told"),
        (
            "INSERT INTO notes (id) SELECT r.id FROM uuid_map_row r LEFT JOIN notes n ON n.id = r.id \
             WHERE r.tbl = 'notes' AND n.id IS NULL LIMIT 1",
            "no device has",
        ),
    ] {
        run(&mut connection, "START TRANSACTION").await;
        let done = sqlx::raw_sql(sqlx::AssertSqlSafe(fault.to_owned()));
        let changed = sqlx::Executor::execute(&mut connection, done).await.unwrap().rows_affected();
        assert_eq!(changed, 1, "{fault}");
        let wrong = check(&mut connection, &logs).await;
        assert!(wrong.iter().any(|wrong| wrong.contains(words)), "{fault}: {wrong:?}");
        run(&mut connection, "ROLLBACK").await;
    }
    let mut lost = logs.clone();
    lost.changes.push(Change::put("lists", Uuid::new_v4(), 1, [("title", "lost".into())]));
    assert!(!check(&mut connection, &lost).await.is_empty());
}

/// A number that a long run sets in the environment.
fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// Leases a number again and again, as a device does that loses answers.
async fn lease(leases: DeviceLeases, device: Uuid, times: usize) -> (Uuid, u16) {
    let number = leases.lease(device).await.unwrap().number();
    for _ in 1..times {
        assert_eq!(leases.lease(device).await.unwrap().number(), number);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    (device, number)
}

/// The database is killed with SIGKILL while devices send their changes and lease their numbers.
async fn a_database_that_is_killed_loses_nothing(database: Database) {
    let server = Arc::new(Server::start(database, &settings()).unwrap());
    let scratch = server.scratch().unwrap();
    let builder = UuidMap::builder().index(Index::Unique).timeout(Duration::from_secs(300));
    let map = builder.connect(scratch.url()).await.unwrap();
    map.install().await.unwrap();
    let (sync, leases) = (sync_of(&map, scratch.url()).await, map.device_leases());
    leases.install().await.unwrap();
    let devices = setting("IDGEN_SYNC_DEVICES", 4);
    let working = tokio::spawn({
        let (sync, url) = (sync.clone(), scratch.url().to_owned());
        async move { simulate(&sync, &url, devices).await }
    });
    let leased: Vec<_> =
        (0..devices).map(|_| tokio::spawn(lease(leases.clone(), Uuid::new_v4(), 100))).collect();
    for _ in 0..setting("IDGEN_SYNC_KILLS", 2) {
        tokio::time::sleep(Duration::from_millis(fastrand::u64(500..1_500))).await;
        kill_and_start_again(&server).await;
    }
    let logs = working.await.unwrap();
    let mut connection = connect(scratch.url()).await;
    assert_eq!(check(&mut connection, &logs).await, Vec::<String>::new());
    let mut numbers = HashSet::new();
    for task in leased {
        let (device, number) = task.await.unwrap();
        assert!(numbers.insert(number), "the number {number} was leased twice");
        let stored = "SELECT number FROM uuid_map_lease WHERE device = ?";
        let stored: u16 =
            sqlx::query_scalar(stored).bind(&device.as_bytes()[..]).fetch_one(&mut connection).await.unwrap();
        assert_eq!(stored, number);
    }
    assert_eq!(map.check().await.unwrap(), []);
}
