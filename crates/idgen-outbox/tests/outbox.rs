//! The outbox on SQLite.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use idgen_outbox::{Change, Limits, Operation, Outbox, Outcome};
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

/// `tests/vectors/outbox.json`: each transition of a row's state.
#[test]
fn the_vectors_hold() {
    let vectors: Value = serde_json::from_str(include_str!("../../../tests/vectors/outbox.json")).unwrap();
    for case in vectors["cases"].as_array().unwrap() {
        let (mut database, outbox) = new();
        for (at, step) in case["steps"].as_array().unwrap().iter().enumerate() {
            replay(&mut database, outbox, step, &format!("{}, step {at}: {step}", case["name"]));
        }
    }
}

/// `tests/fixtures/0.1`: what version 0.1 stored. It was written once, and must be read as it is.
#[test]
fn an_outbox_of_version_0_1_goes_on() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/0.1");
    let steps: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("outbox.json")).unwrap()).unwrap();
    let play = |database: &mut Connection, outbox: Outbox, list: &str| {
        for (at, step) in steps[list].as_array().unwrap().iter().enumerate() {
            replay(database, outbox, step, &format!("{list}, step {at}: {step}"));
        }
    };
    let file = folder.join("outbox.sql");
    if std::env::var_os("IDGEN_WRITE_FIXTURES").is_some() && !file.exists() {
        let (mut database, outbox) = new();
        play(&mut database, outbox, "made");
        std::fs::write(&file, dump(&database)).unwrap();
    }
    let mut database = Connection::open_in_memory().unwrap();
    database.execute_batch(&std::fs::read_to_string(file).unwrap()).unwrap();
    let outbox = Outbox::open(&database).unwrap();
    play(&mut database, outbox, "next");
}

/// The schema and the rows, as SQL.
fn dump(database: &Connection) -> String {
    let lines = |query: &str| -> Vec<String> {
        let mut statement = database.prepare(query).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let schema = lines("SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name");
    let names = lines("SELECT name FROM pragma_table_info('idgen_outbox') ORDER BY cid");
    let values: Vec<String> = names.iter().map(|name| format!("quote({name})")).collect();
    let rows = format!(
        "SELECT 'INSERT INTO idgen_outbox ({}) VALUES (' || concat_ws(', ', {}) || ');' FROM idgen_outbox ORDER BY row",
        names.join(", "),
        values.join(", ")
    );
    [schema, lines(&rows), vec![String::new()]].concat().join("\n")
}

fn replay(database: &mut Connection, outbox: Outbox, step: &Value, at: &str) {
    let text = |of: &Value| of.as_str().unwrap().to_owned();
    let uuid = |of: &Value| Uuid::try_parse(of.as_str().unwrap()).unwrap();
    let number = |of: &Value| of.as_str().unwrap().parse::<u64>().unwrap();
    let now = SystemTime::UNIX_EPOCH + Duration::from_millis(step["now"].as_u64().unwrap_or(0));
    let row = || (text(&step["table"]), uuid(&step["row"]));
    let count = || step["count"].as_u64().unwrap();
    match step["do"].as_str().unwrap() {
        "put" => {
            let columns: Vec<(&str, Value)> = step["columns"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(name, value)| (name.as_str(), value.clone()))
                .collect();
            let (table, row) = row();
            assert_eq!(put(database, outbox, &table, row, &columns), number(&step["number"]), "{at}");
        }
        "delete" => {
            let transaction = database.transaction().unwrap();
            let (table, row) = row();
            assert_eq!(outbox.delete(&transaction, &table, row).unwrap(), number(&step["number"]), "{at}");
            transaction.commit().unwrap();
        }
        "batch" => {
            let limit = |name: &str| step["limits"][name].as_u64().unwrap() as usize;
            let limits = Limits { changes: limit("changes"), bytes: limit("bytes") };
            let found = numbers(&outbox.batch(database, &limits, now).unwrap());
            let expected: Vec<(Uuid, u64)> = step["changes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|change| (uuid(&change[0]), number(&change[1])))
                .collect();
            assert_eq!(found, expected, "{at}");
        }
        "columns" => {
            let batch = outbox.batch(database, &Limits::default(), now).unwrap();
            let change = batch.into_iter().find(|change| change.row == uuid(&step["row"])).unwrap();
            let operation = match change.operation {
                Operation::Put => "put",
                Operation::Replace => "replace",
                Operation::Delete => "delete",
            };
            assert_eq!(
                (change.number, operation),
                (number(&step["number"]), step["operation"].as_str().unwrap()),
                "{at}"
            );
            assert_eq!(Value::Object(change.columns), step["columns"], "{at}");
        }
        "known" => {
            let batch = outbox.batch(database, &Limits::default(), now).unwrap();
            let change = batch.into_iter().find(|change| change.row == uuid(&step["row"])).unwrap();
            assert_eq!(
                (change.number, change.known),
                (number(&step["number"]), number(&step["known"])),
                "{at}"
            );
        }
        "sql" => database.execute_batch(step["sql"].as_str().unwrap()).unwrap(),
        "unreadable" => {
            let found = outbox.unreadable(database).unwrap();
            let found: Vec<Value> =
                found.into_iter().map(|found| json!([found.table, found.row, found.reason])).collect();
            assert_eq!(Value::Array(found), step["rows"], "{at}");
        }
        "rename column" => {
            let name = |of: &str| step[of].as_str().unwrap();
            let done = outbox.rename_column(database, &text(&step["table"]), name("from"), name("to"));
            assert_eq!(done.unwrap(), count(), "{at}");
        }
        "drop column" => {
            let column = step["column"].as_str().unwrap();
            let done = outbox.drop_column(database, &text(&step["table"]), column);
            assert_eq!(done.unwrap(), count(), "{at}");
        }
        "answered" => {
            let answer = &step["outcome"];
            let needs = || (text(&answer["reason"]), text(&answer["table"]), uuid(&answer["row"]));
            let outcome = match answer["outcome"].as_str().unwrap() {
                "applied" => Outcome::Applied,
                "older" => Outcome::Older(number(&answer["newest"])),
                "refused" => Outcome::Refused(text(&answer["reason"])),
                "waits" => {
                    let (reason, table, row) = needs();
                    Outcome::Waits { reason, table, row }
                }
                _ => {
                    let (reason, table, row) = needs();
                    Outcome::Blocked { reason, table, row, number: number(&answer["number"]) }
                }
            };
            let (table, row) = row();
            outbox.answered(database, (&table, row, number(&step["number"])), &outcome, now).unwrap();
        }
        "refused" => {
            let found = outbox.refused(database).unwrap();
            let expected = step["rows"].as_array().unwrap();
            assert_eq!(found.len(), expected.len(), "{at}: {found:?}");
            for expected in expected {
                let found = found.iter().find(|found| found.change.row == uuid(&expected[0]));
                let found = found.unwrap_or_else(|| panic!("{at}"));
                assert_eq!(found.change.number, number(&expected[1]), "{at}");
                assert!(found.reason.contains(expected[2].as_str().unwrap()), "{at}: {}", found.reason);
            }
        }
        "waiting" => {
            let found: Vec<Value> = outbox
                .waiting(database)
                .unwrap()
                .into_iter()
                .map(|found| {
                    let until =
                        found.until.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis() as u64;
                    json!([found.change.row.to_string(), found.needs.1.to_string(), until])
                })
                .collect();
            assert_eq!(Value::Array(found), step["rows"], "{at}");
        }
        "pending" => assert_eq!(outbox.pending(database).unwrap(), count(), "{at}"),
        "retry" => {
            let (table, row) = row();
            assert_eq!(outbox.retry(database, &table, row).unwrap(), step["done"], "{at}");
        }
        "resend" => assert_eq!(outbox.resend(database).unwrap(), count(), "{at}"),
        other => panic!("{other}"),
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
            .batch(&database, &Limits { changes: 100, bytes: random.usize(200..1000) }, SystemTime::now())
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
    let all = Limits { changes: usize::MAX, bytes: usize::MAX };
    for change in Outbox::open(&database).unwrap().batch(&database, &all, SystemTime::now()).unwrap() {
        server.insert(change.row, (change.number, Value::Object(change.columns)));
    }
    let server: HashMap<Uuid, Value> = server.into_iter().map(|(row, (_, state))| (row, state)).collect();
    assert_eq!(server, device);
}

/// The trigger of docs/sync.md, as it is written there: what a foreign key deletes is recorded as well.
#[test]
fn the_trigger_records_what_a_foreign_key_deletes() {
    let docs = include_str!("../../../docs/sync.md");
    let (_, trigger) = docs.split_once("<!-- begin cascade trigger -->\n```sql\n").unwrap();
    let (trigger, _) = trigger.split_once("```").unwrap();
    let (mut database, outbox) = new();
    database
        .execute_batch(
            "PRAGMA foreign_keys = ON;
             CREATE TABLE lists (id TEXT PRIMARY KEY);
             CREATE TABLE items (id TEXT PRIMARY KEY, list_id TEXT REFERENCES lists (id) ON DELETE CASCADE);",
        )
        .unwrap();
    database.execute_batch(trigger).unwrap();
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
    transaction.commit().unwrap();
    let mut batch = outbox.batch(&database, &Limits::default(), now).unwrap();
    batch.sort_by_key(|change| change.row);
    assert!(batch.iter().all(|change| change.operation == Operation::Delete && change.columns.is_empty()));
    assert_eq!(numbers(&batch), [(id(1), 2), (id(2), 2), (id(3), 2), (id(4), 1)]);
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
