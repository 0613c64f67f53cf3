//! Schemas, histories and deliveries that are drawn at random: however the changes of a device are cut, repeated and shuffled, the
//! tables end as its newest changes say.
//!
//! `IDGEN_SYNC_SCHEMAS` sets how many schemas there are on each server.

use std::collections::BTreeMap;

use idgen_mysql::sync::{Change, Operation, Outcome};
use idgen_server::Database;
use sqlx::{MySqlConnection, Row};
use uuid::Uuid;

use crate::common::on_both;
use crate::sync::Synced;
use crate::sync_rows::tables;

mod device;

use device::{Children, Device, Notes, Parents, Schema};

on_both!(tables_end_as_the_newest_changes_say);

async fn stored(connection: &mut MySqlConnection) -> (Parents, Children, Notes) {
    let uuid = |bytes: &[u8]| Uuid::from_slice(bytes).unwrap();
    let rows = sqlx::query(
        "SELECT m.uuid, p.name, CAST(p.n AS SIGNED) FROM parents p JOIN uuid_map m ON m.id = p.id",
    );
    let rows = rows.fetch_all(&mut *connection).await.unwrap();
    let parents = rows.iter().map(|row| (uuid(row.get(0)), (row.get(1), row.get(2)))).collect();
    let rows = sqlx::query(
        "SELECT m.uuid, t.uuid, CAST(c.place AS SIGNED) FROM children c JOIN uuid_map m ON m.id = c.id \
         LEFT JOIN uuid_map t ON t.id = c.parent",
    );
    let rows = rows.fetch_all(&mut *connection).await.unwrap();
    let target = |row: &sqlx::mysql::MySqlRow| row.get::<Option<Vec<u8>>, _>(1).map(|bytes| uuid(&bytes));
    let children = rows.iter().map(|row| (uuid(row.get(0)), (target(row), row.get(2)))).collect();
    let rows = sqlx::query(
        "SELECT m.uuid, t.uuid FROM notes n JOIN uuid_map m ON m.id = n.id LEFT JOIN uuid_map t ON t.id = n.child",
    );
    let rows = rows.fetch_all(&mut *connection).await.unwrap();
    let notes = rows.iter().map(|row| (uuid(row.get(0)), target(row))).collect();
    (parents, children, notes)
}

/// Sends the newest changes until none is left, in any order and in batches of any size, beside older ones.
async fn deliver(synced: &mut Synced, device: &Device, random: &mut fastrand::Rng, told: &str) {
    let mut newest: BTreeMap<(String, String), Change> = BTreeMap::new();
    for change in &device.history {
        newest.insert((change.table.clone(), change.row.clone()), change.clone());
    }
    // Enough for a circle of all names.
    let largest = random.usize(6..12);
    for round in 0.. {
        if newest.is_empty() {
            return;
        }
        assert!(round < 400, "{told}: the queue does not drain: {newest:?}");
        let mut batch: Vec<Change> = newest.values().cloned().collect();
        random.shuffle(&mut batch);
        batch.truncate(random.usize(1..=largest));
        let older = (0..random.usize(..8)).map(|_| &device.history[random.usize(..device.history.len())]);
        batch.extend(older.filter(|change| !device.extends(change)).cloned());
        random.shuffle(&mut batch);
        let answer = synced.apply(&batch).await;
        for (change, outcome) in batch.iter().zip(answer.outcomes()) {
            let key = (change.table.clone(), change.row.clone());
            if newest.get(&key) != Some(change) {
                continue;
            }
            let is_bad = device.bad.iter().any(|row| row.to_string() == change.row);
            match outcome {
                Outcome::Applied { .. } => {
                    assert!(!is_bad, "{told}: {change:?}");
                    newest.remove(&key);
                }
                Outcome::Waits { .. } => {}
                // A row of this device that has a newer change itself.
                Outcome::Blocked { table, row, reason, number } => {
                    let by = newest.get(&(table.clone(), row.to_string()));
                    assert!(
                        by.is_some_and(|by| by.number > *number),
                        "{told}: {change:?} is blocked: {reason}"
                    );
                }
                Outcome::Refused(reason) => {
                    assert!(is_bad && change.operation == Operation::Put, "{told}: {change:?}: {reason}");
                    newest.remove(&key);
                }
                Outcome::Older { newest } => panic!("{told}: {change:?} is older than {newest}"),
            }
        }
    }
}

async fn tables_end_as_the_newest_changes_say(database: Database) {
    let schemas = std::env::var("IDGEN_SYNC_SCHEMAS").map_or(6, |text| text.parse().unwrap());
    for seed in std::env::var("SEED").map_or(0..schemas, |s| {
        let s: u64 = s.parse().unwrap();
        s..s + 1
    }) {
        let mut random = fastrand::Rng::with_seed(seed);
        let schema = Schema::draw(&mut random);
        let mut device = Device { schema, ..Device::default() };
        for _ in 0..90 {
            device.step(&mut random);
        }
        let told = format!("{database}, seed {seed}, {schema:?}");
        let mut synced = tables(database, &schema.statements(), &["notes", "children", "parents"]).await;
        deliver(&mut synced, &device, &mut random, &told).await;
        assert_eq!(stored(&mut synced.connection).await, device.expected(), "{told}");
        assert_eq!(synced.map.check().await.unwrap(), [], "{told}");
    }
}
