//! The outbox on SQLite.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use common::{new, numbers, put};
use idgen_outbox::{Limits, Operation, Outbox, Outcome};
use rusqlite::Connection;
use serde_json::{Value, json};
use uuid::Uuid;

fn id(number: u128) -> Uuid {
    Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 | number)
}

#[test]
fn a_change_is_committed_with_its_row_or_not_at_all() {
    let (mut database, outbox) = new();
    let error = outbox.put(&database, "t", id(1), [("a", json!(1))]).unwrap_err();
    assert!(error.is_not_in_transaction() && error.to_string().contains("begin one"), "{error}");
    assert!(outbox.delete(&database, "t", id(1)).unwrap_err().is_not_in_transaction());
    let transaction = database.transaction().unwrap();
    outbox.put(&transaction, "t", id(1), [("a", json!(1))]).unwrap();
    for value in [json!([1]), json!({"b": 1})] {
        assert!(outbox.put(&transaction, "t", id(1), [("a", value)]).unwrap_err().is_misuse());
    }
    transaction.rollback().unwrap();
    assert_eq!(outbox.pending(&database).unwrap(), 0);
}

/// Reading one column again, when another one is changed, changes no bit of it.
#[test]
fn numbers_stay_the_same_numbers() {
    let (mut database, outbox) = new();
    let mut random = fastrand::Rng::with_seed(7);
    let numbers: Vec<(String, f64)> =
        (0..500).map(|at| (format!("n{at}"), random.f64() * 1e6 - 5e5)).collect();
    let columns: Vec<(&str, Value)> =
        numbers.iter().map(|(name, number)| (name.as_str(), json!(number))).collect();
    put(&mut database, outbox, "t", id(1), &columns);
    put(&mut database, outbox, "t", id(1), &[("other", json!(1))]);
    let sent = outbox.batch(&database, &Limits::default(), SystemTime::UNIX_EPOCH).unwrap();
    for (name, number) in &numbers {
        assert_eq!(
            sent[0].columns[name].as_f64().map(f64::to_bits),
            Some(number.to_bits()),
            "{name} {number}"
        );
    }
}

/// The limits of a server that takes nothing would refuse each row of the outbox.
#[test]
fn limits_without_room_are_an_error() {
    let (mut database, outbox) = new();
    put(&mut database, outbox, "t", id(1), &[("a", json!(1))]);
    for limits in [(0, 1_000), (1, 299)].map(|(changes, bytes)| Limits { changes, bytes, most: None }) {
        let error = outbox.batch(&database, &limits, SystemTime::UNIX_EPOCH).unwrap_err();
        assert!(error.is_misuse() && error.to_string().contains("no room"), "{error}");
    }
    assert_eq!(outbox.pending(&database).unwrap(), 1);
    for name in ["", "a b", "a\"", "é"] {
        assert!(outbox.rename_column(&database, "t", name, "b").unwrap_err().is_misuse());
        assert!(outbox.drop_column(&database, "t", name).unwrap_err().is_misuse());
    }
}

/// Values beyond the vectors, in which the numbers of two languages may differ.
#[test]
fn answers_that_cannot_be_are_errors() {
    let (mut database, outbox) = new();
    put(&mut database, outbox, "t", id(1), &[("a", json!(1))]);
    let now = SystemTime::UNIX_EPOCH;
    outbox.answered(&database, ("other", id(1), 1), &Outcome::Applied, now).unwrap();
    assert_eq!(outbox.pending(&database).unwrap(), 1);
    let error = outbox.answered(&database, ("t", id(1), u64::MAX), &Outcome::Applied, now).unwrap_err();
    assert!(error.is_misuse());
    let transaction = database.transaction().unwrap();
    for name in ["", "a b", "a\"", "é"] {
        assert!(outbox.put(&transaction, "t", id(1), [(name, json!(1))]).unwrap_err().is_misuse(), "{name}");
    }
}

/// A server that keeps the newest number and state of each row, a network that loses answers, and a process that is
/// killed between any two transactions: the server ends with the state of the device, and no number has two contents.
#[test]
fn the_server_ends_with_what_the_device_has() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.db");
    let mut random = fastrand::Rng::with_seed(3);
    let (mut device, mut server, mut contents) = (HashMap::new(), HashMap::new(), HashMap::new());
    for _ in 0..60 {
        // The app starts again.
        let mut database = Connection::open(&path).unwrap();
        let outbox = Outbox::open(&database).unwrap();
        for _ in 0..random.usize(..5) {
            let (row, value) = (id(random.u128(..20)), random.u32(..));
            let transaction = database.transaction().unwrap();
            outbox.put(&transaction, "t", row, [("a", json!(value))]).unwrap();
            if random.bool() {
                transaction.commit().unwrap();
                device.insert(row, json!({ "a": value }));
            }
        }
        for change in outbox
            .batch(
                &database,
                &Limits { changes: 100, bytes: random.usize(300..1000), most: None },
                SystemTime::now(),
            )
            .unwrap()
        {
            let state = Value::Object(change.columns.clone());
            assert_eq!(contents.entry((change.row, change.number)).or_insert_with(|| state.clone()), &state);
            let entry = server.entry(change.row).or_insert((0, Value::Null));
            if change.number > entry.0 {
                *entry = (change.number, state);
            }
            if random.bool() {
                let change = ("t", change.row, change.number);
                outbox.answered(&database, change, &Outcome::Applied, SystemTime::now()).unwrap();
            }
        }
    }
    let database = Connection::open(&path).unwrap();
    let all = Limits { changes: usize::MAX, bytes: usize::MAX, most: None };
    for change in Outbox::open(&database).unwrap().batch(&database, &all, SystemTime::now()).unwrap() {
        server.insert(change.row, (change.number, Value::Object(change.columns)));
    }
    let server: HashMap<Uuid, Value> = server.into_iter().map(|(row, (_, state))| (row, state)).collect();
    assert_eq!(server, device);
}

/// A trigger of docs/sync.md, as it is written there.
fn trigger(name: &str) -> &'static str {
    let docs = include_str!("../../../docs/sync.md");
    let (_, trigger) = docs.split_once(&format!("<!-- begin {name} trigger -->\n```sql\n")).unwrap();
    trigger.split_once("```").unwrap().0
}

/// A trigger records rows that a foreign key deletes, too.
#[test]
fn the_trigger_records_what_a_foreign_key_deletes() {
    let (mut database, outbox) = new();
    database
        .execute_batch(
            "PRAGMA foreign_keys = ON;
             CREATE TABLE lists (id TEXT PRIMARY KEY);
             CREATE TABLE items (id TEXT PRIMARY KEY, list_id TEXT REFERENCES lists (id) ON DELETE CASCADE);",
        )
        .unwrap();
    database.execute_batch(trigger("cascade")).unwrap();
    let now = SystemTime::UNIX_EPOCH;
    let transaction = database.transaction().unwrap();
    transaction.execute("INSERT INTO lists VALUES (?1)", [id(1).to_string()]).unwrap();
    outbox.put(&transaction, "lists", id(1), [("title", json!("l"))]).unwrap();
    for item in [2, 3, 4] {
        transaction
            .execute("INSERT INTO items VALUES (?1, ?2)", [id(item).to_string(), id(1).to_string()])
            .unwrap();
        // The outbox knows nothing of the last one, which came from the server.
        if item < 4 {
            outbox.put(&transaction, "items", id(item), [("list_id", json!(id(1).to_string()))]).unwrap();
        }
    }
    transaction.commit().unwrap();
    outbox.answered(&database, ("items", id(2), 1), &Outcome::Applied, now).unwrap();
    let transaction = database.transaction().unwrap();
    transaction.execute("DELETE FROM lists", []).unwrap();
    outbox.delete(&transaction, "lists", id(1)).unwrap();
    // A draft is not for the server, and Swift writes keys in capital letters.
    let capitals = id(4).to_string().to_uppercase();
    transaction.execute("INSERT INTO items VALUES ('draft', NULL), (?1, NULL)", [capitals]).unwrap();
    transaction.execute("DELETE FROM items", []).unwrap();
    transaction.commit().unwrap();
    let mut batch = outbox.batch(&database, &Limits::default(), now).unwrap();
    batch.sort_by_key(|change| change.row);
    assert!(batch.iter().all(|change| change.operation == Operation::Delete && change.columns.is_empty()));
    assert_eq!(numbers(&batch), [(id(1), 2), (id(2), 2), (id(3), 2), (id(4), 2)]);
}

/// A reference that a foreign key sets to NULL is sent.
#[test]
fn the_trigger_records_what_a_foreign_key_sets_to_null() {
    let (mut database, outbox) = new();
    database
        .execute_batch(
            "PRAGMA foreign_keys = ON;
             CREATE TABLE items (id TEXT PRIMARY KEY);
             CREATE TABLE notes (id TEXT PRIMARY KEY, item_id TEXT REFERENCES items (id) ON DELETE SET NULL);",
        )
        .unwrap();
    database.execute_batch(trigger("null")).unwrap();
    let transaction = database.transaction().unwrap();
    let (item, note) = (id(1).to_string(), id(2).to_string());
    transaction.execute("INSERT INTO items VALUES (?1)", [&item]).unwrap();
    outbox.put(&transaction, "items", id(1), [("title", json!("i"))]).unwrap();
    transaction.execute("INSERT INTO notes VALUES (?1, ?2)", [note.to_uppercase(), item.clone()]).unwrap();
    outbox.put(&transaction, "notes", id(2), [("item_id", json!(item)), ("code", json!(7))]).unwrap();
    transaction.commit().unwrap();
    let now = SystemTime::UNIX_EPOCH;
    for (table, row) in [("items", 1), ("notes", 2)] {
        outbox.answered(&database, (table, id(row), 1), &Outcome::Applied, now).unwrap();
    }
    let transaction = database.transaction().unwrap();
    transaction.execute("DELETE FROM items", []).unwrap();
    outbox.delete(&transaction, "items", id(1)).unwrap();
    outbox.put(&transaction, "items", id(1), [("title", json!("again"))]).unwrap();
    transaction.commit().unwrap();
    let batch = outbox.batch(&database, &Limits::default(), now).unwrap();
    let note = batch.iter().find(|change| change.row == id(2)).unwrap();
    assert_eq!((note.number, &note.columns["item_id"], &note.columns["code"]), (2, &Value::Null, &json!(7)));
    assert_eq!(numbers(&batch).len(), 2);
}

/// A server may be restored, and a row may wait, as often as they like: the order stays, in places far below the largest integer.
#[test]
fn rows_that_are_sent_again_keep_their_order_for_ever() {
    let (mut database, outbox) = new();
    let rows: Vec<Uuid> = [3, 1, 2, 5, 4].map(id).into();
    for row in &rows {
        put(&mut database, outbox, "t", *row, &[("a", json!(1))]);
    }
    let now = SystemTime::UNIX_EPOCH;
    let order = |database: &Connection| -> Vec<Uuid> {
        outbox.batch(database, &Limits::default(), now).unwrap().iter().map(|change| change.row).collect()
    };
    for round in 1..=100 {
        assert_eq!(order(&database), rows, "{round}");
        for row in &rows {
            outbox.answered(&database, ("t", *row, 1), &Outcome::Applied, now).unwrap();
        }
        assert_eq!(outbox.resend(&database).unwrap(), 5);
    }
    // The order also stays if a row waits for another one, whose every change releases it.
    let needs = Outcome::Waits { reason: "wait".into(), table: "t".into(), row: rows[0] };
    for number in 2..=100 {
        outbox.answered(&database, ("t", rows[4], 1), &needs, now).unwrap();
        put(&mut database, outbox, "t", rows[0], &[("a", json!(number))]);
        assert_eq!(order(&database), rows, "{number}");
    }
    let last: i64 =
        database.query_row("SELECT MAX(position) FROM idgen_outbox", [], |row| row.get(0)).unwrap();
    assert!(last < 1_000, "{last}");
}

#[test]
fn a_clock_at_the_end_of_its_range_is_a_time_like_others() {
    let (mut database, outbox) = new();
    put(&mut database, outbox, "t", id(1), &[("a", json!(1))]);
    let last = SystemTime::UNIX_EPOCH + Duration::from_secs(i64::MAX.unsigned_abs());
    assert_eq!(outbox.batch(&database, &Limits::default(), last).unwrap().len(), 1);
    let needs = Outcome::Waits { reason: "wait".into(), table: "t".into(), row: id(2) };
    outbox.answered(&database, ("t", id(1), 1), &needs, last).unwrap();
    assert_eq!(outbox.waiting(&database).unwrap().len(), 1);
}

/// A row that is given out again and again without an answer keeps a few marks, and the number before them.
#[test]
fn marks_do_not_grow_without_end() {
    let (mut database, outbox) = new();
    let mut longest = 0;
    for number in 1..=100 {
        assert_eq!(put(&mut database, outbox, "t", id(1), &[("a", number.into())]), number);
        let known = outbox.batch(&database, &Limits::default(), SystemTime::now()).unwrap().remove(0).known;
        longest = longest.max(known.len());
        let (first, last) = (known.split(' ').nth(1).unwrap(), known.split(' ').next_back().unwrap());
        assert!(first.ends_with(":0"), "{known}");
        assert!(last.starts_with(&format!("{number}:")), "{known}");
        assert!(known.starts_with(&format!("{} ", number - 1)), "{known}");
    }
    assert!((380..450).contains(&longest), "{longest}");
}
