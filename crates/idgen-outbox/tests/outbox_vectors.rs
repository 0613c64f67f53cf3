//! The transitions of the outbox's states as steps, which other languages replay too.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::path::Path;
use std::time::{Duration, SystemTime};

use common::{new, numbers, put};
use idgen_outbox::{Limits, Operation, Outbox, Outcome};
use rusqlite::Connection;
use serde_json::{Value, json};
use uuid::Uuid;

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
            let most = step["limits"].get("most");
            let most =
                most.map(|most| ["changes", "bytes"].map(|name| most[name].as_u64().unwrap() as usize));
            let most = most.map(|[changes, bytes]| (changes, bytes));
            let limits = Limits { changes: limit("changes"), bytes: limit("bytes"), most };
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
            assert_eq!(change.number, number(&step["number"]), "{at}");
            // Marks are drawn at random.
            let numbers = change.known.split(' ').map(|one| one.split(':').next().unwrap_or_default());
            assert_eq!(numbers.collect::<Vec<_>>().join(" "), step["known"].as_str().unwrap(), "{at}");
            assert!(change.known.split(' ').skip(2).all(|one| one.len() > 17), "{at}: {}", change.known);
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
