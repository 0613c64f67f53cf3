//! The outbox on SQLite.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;

use idgen_outbox::{Change, Operation, Outbox, Outcome};
use rusqlite::Connection;
use serde_json::{Value, json};
use uuid::Uuid;

fn new() -> (Connection, Outbox) {
    let database = Connection::open_in_memory().unwrap();
    Outbox::open(&database).unwrap();
    let outbox = Outbox::open(&database).unwrap();
    (database, outbox)
}

fn id(number: u128) -> Uuid {
    Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 | number)
}

fn put(database: &mut Connection, outbox: Outbox, table: &str, row: Uuid, columns: &[(&str, Value)]) -> u64 {
    let transaction = database.transaction().unwrap();
    let number = outbox.put(&transaction, table, row, columns.iter().cloned()).unwrap();
    transaction.commit().unwrap();
    number
}

fn numbers(batch: &[Change]) -> Vec<(Uuid, u64)> {
    batch.iter().map(|change| (change.row, change.number)).collect()
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

#[test]
fn ten_changes_of_a_row_are_sent_as_one() {
    let (mut database, outbox) = new();
    put(&mut database, outbox, "lists", id(1), &[("title", json!("0")), ("color", json!("red"))]);
    put(&mut database, outbox, "items", id(2), &[("list", json!(id(1).to_string()))]);
    for number in 2..=10 {
        assert_eq!(put(&mut database, outbox, "lists", id(1), &[("title", json!(number))]), number);
    }
    let batch = outbox.batch(&database, usize::MAX).unwrap();
    // The list keeps its place before the item that refers to it.
    assert_eq!(numbers(&batch), [(id(1), 10), (id(2), 1)]);
    assert_eq!(Value::Object(batch[0].columns.clone()), json!({"title": 10, "color": "red"}));
    // The state goes on after the server has it.
    outbox.answered(&database, "lists", id(1), 10, &Outcome::Applied).unwrap();
    put(&mut database, outbox, "lists", id(1), &[("color", Value::Null)]);
    let batch = outbox.batch(&database, usize::MAX).unwrap();
    assert_eq!(numbers(&batch), [(id(2), 1), (id(1), 11)]);
    assert_eq!(Value::Object(batch[1].columns.clone()), json!({"title": 10, "color": null}));

    let transaction = database.transaction().unwrap();
    assert_eq!(outbox.delete(&transaction, "lists", id(1)).unwrap(), 12);
    transaction.commit().unwrap();
    let last = outbox.batch(&database, usize::MAX).unwrap().pop().unwrap();
    assert_eq!((last.operation, last.number, last.columns.len()), (Operation::Delete, 12, 0));
    // A row that is made again does not have the values of the deleted one.
    assert_eq!(put(&mut database, outbox, "lists", id(1), &[("title", json!("new"))]), 13);
    let last = outbox.batch(&database, usize::MAX).unwrap().pop().unwrap();
    assert_eq!(Value::Object(last.columns), json!({"title": "new"}));
}

#[test]
fn batches_end_at_a_size_and_changes_stay_until_they_are_acknowledged() {
    let (mut database, outbox) = new();
    for number in 1..=5 {
        put(&mut database, outbox, "t", id(number), &[("a", json!("x".repeat(100)))]);
    }
    // {"a":"…"} with 100 characters has 108 bytes.
    for (bytes, count) in [(0, 1), (107, 1), (216, 2), (323, 2), (324, 3), (usize::MAX, 5)] {
        assert_eq!(outbox.batch(&database, bytes).unwrap().len(), count, "{bytes}");
    }
    // A lost answer: the same again. One that waits goes to the end, so that the others get their turn.
    outbox.answered(&database, "t", id(1), 1, &Outcome::Waits).unwrap();
    outbox.answered(&database, "t", id(2), 1, &Outcome::Applied).unwrap();
    let batch = outbox.batch(&database, usize::MAX).unwrap();
    assert_eq!(numbers(&batch), [(id(3), 1), (id(4), 1), (id(5), 1), (id(1), 1)]);
}

#[test]
fn an_answer_for_an_older_change_acknowledges_nothing() {
    let (mut database, outbox) = new();
    put(&mut database, outbox, "t", id(1), &[("a", json!(1))]);
    outbox.batch(&database, 1000).unwrap();
    // Changed while the first change is under way.
    put(&mut database, outbox, "t", id(1), &[("a", json!(2))]);
    for outcome in [Outcome::Applied, Outcome::Waits, Outcome::Refused("no".to_owned()), Outcome::Older(1)] {
        outbox.answered(&database, "t", id(1), 1, &outcome).unwrap();
        assert_eq!(numbers(&outbox.batch(&database, 1000).unwrap()), [(id(1), 2)], "{outcome:?}");
    }
    outbox.answered(&database, "other", id(1), 2, &Outcome::Applied).unwrap();
    assert_eq!(outbox.pending(&database).unwrap(), 1);
    assert!(outbox.answered(&database, "t", id(1), u64::MAX, &Outcome::Applied).unwrap_err().is_misuse());
}

#[test]
fn refused_rows_stay_visible_and_can_be_sent_again() {
    let (mut database, outbox) = new();
    put(&mut database, outbox, "t", id(1), &[("a", json!(1))]);
    outbox.answered(&database, "t", id(1), 1, &Outcome::Refused("too long".to_owned())).unwrap();
    assert_eq!(outbox.pending(&database).unwrap(), 0);
    let refused = outbox.refused(&database).unwrap();
    assert_eq!((refused[0].change.row, refused[0].reason.as_str()), (id(1), "too long"));
    assert!(outbox.retry(&database, "t", id(1)).unwrap() && !outbox.retry(&database, "t", id(1)).unwrap());
    assert_eq!(numbers(&outbox.batch(&database, 1000).unwrap()), [(id(1), 2)]);
    outbox.answered(&database, "t", id(1), 2, &Outcome::Refused("still".to_owned())).unwrap();
    put(&mut database, outbox, "t", id(1), &[("a", json!(3))]);
    assert_eq!(outbox.refused(&database).unwrap(), []);
    assert_eq!(numbers(&outbox.batch(&database, 1000).unwrap()), [(id(1), 3)]);
    // After a restored backup the server knows more than the device.
    outbox.answered(&database, "t", id(1), 3, &Outcome::Older(41)).unwrap();
    assert!(outbox.refused(&database).unwrap()[0].reason.contains("41"));
    assert!(outbox.retry(&database, "t", id(1)).unwrap());
    assert_eq!(numbers(&outbox.batch(&database, 1000).unwrap()), [(id(1), 42)]);
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
        for change in outbox.batch(&database, random.usize(..100)).unwrap() {
            let state = Value::Object(change.columns.clone());
            assert_eq!(contents.entry((change.row, change.number)).or_insert_with(|| state.clone()), &state);
            let entry = server.entry(change.row).or_insert((0, Value::Null));
            if change.number > entry.0 {
                *entry = (change.number, state);
            }
            if random.bool() {
                outbox.answered(&database, "t", change.row, change.number, &Outcome::Applied).unwrap();
            }
        }
    }
    let database = Connection::open(&path).unwrap();
    for change in Outbox::open(&database).unwrap().batch(&database, usize::MAX).unwrap() {
        server.insert(change.row, (change.number, Value::Object(change.columns)));
    }
    let server: HashMap<Uuid, Value> = server.into_iter().map(|(row, (_, state))| (row, state)).collect();
    assert_eq!(server, device);
}
